#pragma once
// Unit quaternions as rotations, over any number type T: float, double, or a pack of either.
//
//   q = (x, y, z, w) = (axis sin(angle/2), cos(angle/2));  q and -q are the same rotation.

#include "math/functions.h"
#include "math/matrix.h"

namespace pliant {

template <class T>
struct Quat {
  T x{}, y{}, z{}, w{};

  static Quat identity() { return {T(0), T(0), T(0), T(1)}; }
  Vec3<T> vector() const { return {x, y, z}; }

  friend Quat operator+(const Quat& a, const Quat& b) { return {a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w}; }
  friend Quat operator-(const Quat& a) { return {-a.x, -a.y, -a.z, -a.w}; }
  friend Quat operator*(const Quat& a, const T& s) { return {a.x * s, a.y * s, a.z * s, a.w * s}; }
  /// Rotates by b first, then by a.
  friend Quat operator*(const Quat& a, const Quat& b) {
    return {neg_mul_add(a.z, b.y, mul_add(a.y, b.z, mul_add(a.x, b.w, a.w * b.x))),
            neg_mul_add(a.x, b.z, mul_add(a.z, b.x, mul_add(a.y, b.w, a.w * b.y))),
            neg_mul_add(a.y, b.x, mul_add(a.x, b.y, mul_add(a.z, b.w, a.w * b.z))),
            neg_mul_add(a.z, b.z, neg_mul_add(a.y, b.y, neg_mul_add(a.x, b.x, a.w * b.w)))};
  }
};

using Quatf = Quat<float>;
using Quatd = Quat<double>;

template <class T>
inline T dot(const Quat<T>& a, const Quat<T>& b) {
  return mul_add(a.w, b.w, mul_add(a.z, b.z, mul_add(a.y, b.y, a.x * b.x)));
}
/// The inverse of a unit quaternion.
template <class T>
inline Quat<T> conjugate(const Quat<T>& q) {
  return {-q.x, -q.y, -q.z, q.w};
}
template <class T>
inline Quat<T> select(const MaskOf<T>& m, const Quat<T>& a, const Quat<T>& b) {
  return {select(m, a.x, b.x), select(m, a.y, b.y), select(m, a.z, b.z), select(m, a.w, b.w)};
}
/// To unit length; the identity where the length is zero or not finite.
template <class T>
inline Quat<T> normalize(const Quat<T>& q) {
  const T square = dot(q, q);
  const auto usable = (square > T(0)) & is_finite(square);
  const T inverse_length = T(1) / sqrt(select(usable, square, T(1)));
  return select(usable, q * inverse_length, Quat<T>::identity());
}

/// The rotation by |rotation| [rad] about rotation's direction.
template <class T>
inline Quat<T> from_rotation_vector(const Vec3<T>& rotation) {
  using S = ScalarOf<T>;
  const T half = T(S(0.5)) * length(rotation);
  const auto [sine, cosine] = sin_cos(half);
  // sin(h) / (2 h), whose limit is 1/2. A length whose square underflowed is wrong, yet sin(h) = h there.
  const auto zero = half == T(0);
  const T scale = T(S(0.5)) * select(zero, T(1), sine / select(zero, T(1), half));
  return {rotation.x * scale, rotation.y * scale, rotation.z * scale, cosine};
}

/// The shortest rotation vector [rad] of a unit quaternion: length at most pi.
template <class T>
inline Vec3<T> to_rotation_vector(const Quat<T>& q) {
  const T sine = length(q.vector());
  const T angle = T(2) * atan2(sine, abs(q.w));
  const auto zero = sine == T(0);
  const T scale = copy_sign(select(zero, T(2), angle / select(zero, T(1), sine)), q.w);
  return q.vector() * scale;
}

/// R(q) v for a unit quaternion.
template <class T>
inline Vec3<T> rotate(const Quat<T>& q, const Vec3<T>& v) {
  const Vec3<T> u = q.vector();
  const Vec3<T> t = cross(u, v) * T(2);
  return cross(u, t) + mul_add(t, q.w, v);
}

/// The rotation matrix of a unit quaternion.
template <class T>
inline Mat3<T> to_matrix(const Quat<T>& q) {
  const T one = T(1);
  const T x2 = q.x + q.x, y2 = q.y + q.y, z2 = q.z + q.z;
  const T wx = q.w * x2, wy = q.w * y2, wz = q.w * z2;
  const T xx = q.x * x2, yy = q.y * y2, zz = q.z * z2;
  return {{one - (yy + zz), mul_add(q.x, y2, wz), mul_add(q.x, z2, -wy)},
          {mul_add(q.x, y2, -wz), one - (xx + zz), mul_add(q.y, z2, wx)},
          {mul_add(q.x, z2, wy), mul_add(q.y, z2, -wx), one - (xx + yy)}};
}

/// The unit quaternion of a rotation matrix, with w >= 0 up to rounding of half turns.
///
/// Of the four ways to take one component from the diagonal and the others by division, the one of
/// the largest component is used, so nothing small is ever divided by.
template <class T>
inline Quat<T> from_matrix(const Mat3<T>& r) {
  const T one = T(1);
  // Four times the square of each component.
  const T w4 = one + r.c0.x + r.c1.y + r.c2.z;
  const T x4 = one + r.c0.x - r.c1.y - r.c2.z;
  const T y4 = one - r.c0.x + r.c1.y - r.c2.z;
  const T z4 = one - r.c0.x - r.c1.y + r.c2.z;
  // Row k of the symmetric matrix 4 q q^T.
  const T wx = r.c1.z - r.c2.y, wy = r.c2.x - r.c0.z, wz = r.c0.y - r.c1.x;
  const T xy = r.c0.y + r.c1.x, xz = r.c0.z + r.c2.x, yz = r.c1.z + r.c2.y;
  Quat<T> q{wx, wy, wz, w4};
  T largest = w4;
  const auto take = [&](const T& square, const Quat<T>& candidate) {
    const auto better = square > largest;
    q = select(better, candidate, q);
    largest = select(better, square, largest);
  };
  take(x4, {x4, xy, xz, wx});
  take(y4, {xy, y4, yz, wy});
  take(z4, {xz, yz, z4, wz});
  q = normalize(q);
  return select(q.w < T(0), -q, q);
}

/// From a (s = 0) to b (s = 1) at constant angular speed along the shorter way. For scripted motion
/// and set-up, hence in double only.
inline Quatd slerp(const Quatd& a, const Quatd& b, double s) {
  const Quatd turn = b * conjugate(a);
  const Vec3d rotation = to_rotation_vector(turn);  // the shorter way, as its length is at most pi
  return normalize(from_rotation_vector(rotation * s) * a);
}

}  // namespace pliant
