#pragma once
// Fibers in one direction, added to any model of the material around them.                        cao22 4.3
//
//   xi  = |F b|, the stretch along the fiber; b its direction at rest, |b| = 1
//   psi = beta ((xi^2 - 1)/2 - log xi)                 [J/m^3]
//   P   = beta (1 - 1/xi^2) (F b) (x) b                [Pa]
//
// cao22 exchanges the names of beta, the stiffness, and xi, the stretch, in its text; these are the ones
// that fit its formulas. With a = xi^2 - 1 = b . (F^T F - I) b, exact near rest:
//   psi = beta/2 (a - log(1 + a)),   P = beta a/(1 + a) (F b) (x) b
// For a small strain e along the fiber psi = beta e^2: the fiber adds 2 beta to that stiffness, and
// nothing to others. Defined for every F that leaves the fiber a length, inverted or not; at F b = 0 the
// energy is infinite and the stress NaN.

#include "materials/strain.h"
#include "pliant/material.h"

namespace pliant {

struct FiberModel {
  template <class T>
  struct Constants {
    Vec3<T> direction;
    T beta;
  };
  template <class T>
  static Constants<T> constants(const Fiber& fiber) {
    const Vec3d b = fiber.direction * (1.0 / length(fiber.direction));
    return {{number<T>(b.x), number<T>(b.y), number<T>(b.z)}, number<T>(fiber.stiffness)};
  }

  template <class T>
  static T energy(const Constants<T>& c, const Mat3<T>& F) {
    const NearOne<T> square = squared_stretch(c, F);
    return T(0.5f) * c.beta * excess_over_log(square.x, log(square));
  }

  template <class T>
  static Mat3<T> stress(const Constants<T>& c, const Mat3<T>& F) {
    const NearOne<T> square = squared_stretch(c, F);
    return outer(F * c.direction * (c.beta * square.x / square.u), c.direction);
  }

  /// The derivative of the stress along dF: beta ((1 - 1/xi^2) dF b + 2/xi^4 (F b . dF b) F b) (x) b
  template <class T>
  static Mat3<T> stress_change(const Constants<T>& c, const Mat3<T>& F, const Mat3<T>& dF) {
    const NearOne<T> square = squared_stretch(c, F);
    const Vec3<T> f = F * c.direction;
    const Vec3<T> df = dF * c.direction;
    const T along = T(2) * dot(f, df) / (square.u * square.u);
    return outer((df * (square.x / square.u) + f * along) * c.beta, c.direction);
  }

 private:
  template <class T>
  static NearOne<T> squared_stretch(const Constants<T>& c, const Mat3<T>& F) {
    // xi^2 - 1 = 2 b . H b + |H b|^2 near rest, and |F b|^2 - 1 far from it, see volume_ratio.
    const Vec3<T> h = displacement_gradient(F) * c.direction;
    const T from_H = mul_add(T(2), dot(c.direction, h), dot(h, h));
    const T from_F = length_squared(F * c.direction);
    const auto near = abs(from_H) <= T(0.5f);
    return {select(near, T(1) + from_H, from_F), select(near, from_H, from_F - T(1))};
  }
};

}  // namespace pliant
