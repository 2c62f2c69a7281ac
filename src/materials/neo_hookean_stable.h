#pragma once
// Neo-Hookean without singularity.        after Smith, de Goes, Kim: Stable Neo-Hookean Flesh Simulation (2018)
//
//   psi = m/2 (I1 - 3) - m/2 log((I1 + 1)/4) + l/2 j^2 - 3/4 m j     with j = J - 1     [J/m^3]
//   P   = m (1 - 1/(I1 + 1)) F + (l j - 3/4 m) cof F                                  [Pa]
//
// The paper's constant alpha = 1 + 3/4 m/l, which makes the rest shape free of stress, is multiplied out.
// For small strains the model is Hooke's law with mu = 3/4 m and lambda = l - 5/8 m, so
//   m = 4/3 mu,   l = lambda + 5/6 mu
// (l > 0 for every Poisson's ratio above -1). Defined for every F: flat, inverted, zero. An inverted
// element is pushed back through flat, and a point (F = 0) has more energy than the rest shape.
//
// Near rest, with H = F - I and t = I1 - 3 = tr(F^T F - I):
//   psi = 3/8 m (t - 2 j) + m/2 (t/4 - log(1 + t/4)) + l/2 j^2,     each term of second order
//   P   = 3/4 m (F - cof F) + m t/(4 (4 + t)) F + l j cof F

#include "materials/strain.h"
#include "pliant/material.h"

namespace pliant {

struct StableNeoHookean {
  template <class T>
  struct Constants {
    T l, m;
  };
  template <class T>
  static Constants<T> constants(const Lame& c) {
    return {number<T>(c.lambda + 5.0 / 6.0 * c.mu), number<T>(4.0 / 3.0 * c.mu)};
  }

  template <class T>
  static T energy(const Constants<T>& c, const Mat3<T>& F) {
    const Mat3<T> H = displacement_gradient(F);
    const T j = volume_ratio(F, H).x;
    const NearOne<T> quarter = one_plus(T(0.25f) * trace(doubled_green_strain(H)));
    const T shape = mul_add(T(0.375f), distortion(H), T(0.5f) * excess_over_log(quarter.x, log(quarter)));
    return mul_add(c.m, shape, T(0.5f) * c.l * j * j);
  }

  template <class T>
  static Mat3<T> stress(const Constants<T>& c, const Mat3<T>& F) {
    const Mat3<T> H = displacement_gradient(F);
    const T t = trace(doubled_green_strain(H));
    const T j = volume_ratio(F, H).x;
    const Mat3<T> shape = gradient_minus_cofactor(H) * (T(0.75f) * c.m) + F * (T(0.25f) * c.m * t / (T(4) + t));
    return mul_add(cofactor(F), c.l * j, shape);
  }

  /// The derivative of the stress along dF:
  ///   m (1 - 1/(I1 + 1)) dF + 2 m/(I1 + 1)^2 (F : dF) F + (l j - 3/4 m) dcof + l (cof F : dF) cof F
  template <class T>
  static Mat3<T> stress_change(const Constants<T>& c, const Mat3<T>& F, const Mat3<T>& dF) {
    const Mat3<T> H = displacement_gradient(F);
    const T j = volume_ratio(F, H).x;
    const T q = T(1) / (T(1) + norm_squared(F));
    const Mat3<T> cof = cofactor(F);
    return dF * (c.m * (T(1) - q)) + F * (T(2) * c.m * q * q * dot(F, dF)) +
           cofactor_change(F, dF) * (c.l * j - T(0.75f) * c.m) + cof * (c.l * dot(cof, dF));
  }
};

}  // namespace pliant
