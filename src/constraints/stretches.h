#pragma once
// Isotropic energies as functions of the principal stretches s (signed singular values of F), and how they go on
// below a smallest stretch where the model itself would give up (StVK) or become infinite (Neo-Hookean).
//
// Divided by mu: a model has, with ratio = lambda / mu,
//
//   kLeast               the smallest stretch where the model itself holds when its stress is clamped below
//   energy(s, ratio)     psi / mu
//   slope(s, ratio)      its derivatives by s, the principal first Piola-Kirchhoff stresses / mu
//   mixed(a, b, ratio)   the second derivative by two different stretches a and b

#include "materials/logarithm.h"
#include "pliant/vec.h"

namespace pliant {

/// mu sum E_i^2 + lambda/2 (sum E_i)^2 with E_i = (s_i^2 - 1)/2. Squeezed along one axis or along all, the stress
/// mu s (s^2 - 1)... is largest at s = sqrt(1/3), about 58 % (bender14 4.2 fig. 2); below it gets weaker.
struct StVKStretches {
  static constexpr double kLeast = 0.57735026918962576;

  template <class T>
  static T energy(const Vec3<T>& s, const T& ratio) {
    const T half = T(0.5f);
    const Vec3<T> e = strain(s);
    const T trace = e.x + e.y + e.z;
    return mul_add(half * ratio * trace, trace, dot(e, e));
  }
  template <class T>
  static Vec3<T> slope(const Vec3<T>& s, const T& ratio) {
    const Vec3<T> e = strain(s);
    const T common = ratio * (e.x + e.y + e.z);
    const T two(2);
    return {s.x * mul_add(two, e.x, common), s.y * mul_add(two, e.y, common), s.z * mul_add(two, e.z, common)};
  }
  template <class T>
  static T mixed(const T& a, const T& b, const T& ratio) {
    return ratio * a * b;
  }
  /// Where the corotated model takes over, and there the stress over that of the corotated model: s (s + 1) / 2 for
  /// any ratio, squeezed along one axis or along all. A little below kLeast: the stress is still 97 % of its largest
  /// value at one half, and bodies in equilibrium may have a few elements in between, held by their neighbours.
  static constexpr double kLeastCorotated = 0.5;
  template <class T>
  static T stiffening(const T&) {
    return number<T>(kLeastCorotated * (kLeastCorotated + 1) / 2);
  }

 private:
  template <class T>
  static Vec3<T> strain(const Vec3<T>& s) {
    const T half = T(0.5f), one(1);
    return {half * (s.x - one) * (s.x + one), half * (s.y - one) * (s.y + one), half * (s.z - one) * (s.z + one)};
  }
};

/// mu/2 (sum s_i^2 - 3) - mu ln J + lambda/2 ln^2 J, J = s_0 s_1 s_2. Its stiffness grows like 1/s^2: at a fifth of the
/// rest length it is 30 (poisson 0.25) to 60 (0.45) times that at rest.
struct NeoHookeanStretches {
  static constexpr double kLeast = 0.2;
  /// Where the corotated model takes over, as a volume ratio: a body squeezed to half its volume. A stretch would not
  /// do, as rubber pulled to twice its size along two axes has a quarter of its thickness. A smaller one neither: the
  /// wall of the logarithm keeps tangled elements from passing each other (at 0.35 of the length a mirrored mesh of
  /// uneven tets keeps a few inverted).
  static constexpr double kLeastVolume = 0.5;
  static constexpr double kLogLeastVolume = -0.69314718055994531;

  template <class T>
  static T energy(const Vec3<T>& s, const T& ratio) {
    const T half = T(0.5f), one(1);
    const T logJ = log(s.x * s.y * s.z);
    const T stretch = mul_add(s.z - one, s.z + one, mul_add(s.y - one, s.y + one, (s.x - one) * (s.x + one)));
    return mul_add(half, stretch, mul_add(half * ratio * logJ, logJ, -logJ));
  }
  template <class T>
  static Vec3<T> slope(const Vec3<T>& s, const T& ratio) {
    const T pressure = mul_add(ratio, log(s.x * s.y * s.z), -T(1));
    return {s.x + pressure / s.x, s.y + pressure / s.y, s.z + pressure / s.z};
  }
  template <class T>
  static T mixed(const T& a, const T& b, const T& ratio) {
    return ratio / (a * b);
  }
  /// The stretch at kLeastVolume when squeezed along one axis, and there the stress over that of the corotated model.
  static constexpr double kLeastCorotated = kLeastVolume;
  template <class T>
  static T stiffening(const T& ratio) {
    constexpr double s = kLeastCorotated;
    const T model = mul_add(ratio, number<T>(-kLogLeastVolume / s), number<T>(1 / s - s));
    return model / (mul_add(ratio, number<T>(1 - s), number<T>(2 * (1 - s))));
  }
};

/// |s - 1|^2 + ratio/2 (sum (s_i - 1))^2: the corotated model's psi / mu.
template <class T>
inline T corotated_energy(const Vec3<T>& s, const T& ratio) {
  const Vec3<T> e = {s.x - T(1), s.y - T(1), s.z - T(1)};
  const T trace = e.x + e.y + e.z;
  return mul_add(T(0.5f) * ratio * trace, trace, dot(e, e));
}

template <class T>
inline Vec3<T> at_least(double smallest, const Vec3<T>& s) {
  const T least = number<T>(smallest);
  return {max(s.x, least), max(s.y, least), max(s.z, least)};
}

/// psi / mu of a model that is corotated below its stretch kLeastCorotated and starts there with the model's stress.
/// Never below the energy at that stretch.
template <class Model, class T>
inline T energy_with_corotation(const Vec3<T>& s, const T& ratio) {
  const Vec3<T> kept = at_least(Model::kLeastCorotated, s);
  const T more = corotated_energy(s, ratio) - corotated_energy(kept, ratio);
  return mul_add(Model::stiffening(ratio), max(more, T(0)), Model::energy(kept, ratio));
}

/// psi / mu that goes on linearly below the least stretch, psi(k) + psi'(k) . (s - k) with k = max(s, least), and its
/// exact derivatives by s: the stress of a squeezed axis stays at its value (bender14 4.2 fig. 2 b and d).
template <class Model, class T>
inline T energy_with_clamped_stress(const Vec3<T>& s, const T& ratio, Vec3<T>& slope) {
  const Vec3<T> kept = at_least(Model::kLeast, s);
  const Vec3<T> below = s - kept;  // zero or negative
  const Vec3<T> p = Model::slope(kept, ratio);
  // An axis that is not clamped sees the others' stress change with it.
  const T xy = Model::mixed(kept.x, kept.y, ratio);
  const T yz = Model::mixed(kept.y, kept.z, ratio);
  const T zx = Model::mixed(kept.z, kept.x, ratio);
  const T zero(0);
  slope.x = p.x + select(below.x < zero, zero, mul_add(below.z, zx, below.y * xy));
  slope.y = p.y + select(below.y < zero, zero, mul_add(below.z, yz, below.x * xy));
  slope.z = p.z + select(below.z < zero, zero, mul_add(below.y, yz, below.x * zx));
  return Model::energy(kept, ratio) + dot(p, below);
}

}  // namespace pliant
