#pragma once
// Neo-Hookean, logarithmic form.                                        bender14 4.1 and eq. 8; cao22 eq. 6
//
//   psi = mu/2 (I1 - 3) - mu log J + lambda/2 log(J)^2          [J/m^3]
//   P   = mu (F - F^-T) + lambda log(J) F^-T                    [Pa]
//
// bender14 writes log I3 with I3 = det(F^T F) = J^2, so log I3 = 2 log J; that form is blind to the sign
// of J, ours is not defined for J <= 0: energy and stress are NaN where an element is inverted, infinite
// where it is flat. Use neo_hookean_stable where that can happen.
//
// Near rest, with H = F - I, j = J - 1 and B = F F^T - I:
//   psi = mu/2 ((I1 - 3 - 2 j) + 2 (j - log(1 + j))) + lambda/2 log(1 + j)^2,   both brackets of second order
//   P   = (mu B + lambda log(1 + j) I) F^-T,                                    as F - F^-T = B F^-T

#include "materials/strain.h"
#include "pliant/material.h"

namespace pliant {

struct NeoHookean {
  template <class T>
  struct Constants {
    T lambda, mu;
  };
  template <class T>
  static Constants<T> constants(const Lame& c) {
    return {number<T>(c.lambda), number<T>(c.mu)};
  }

  template <class T>
  static T energy(const Constants<T>& c, const Mat3<T>& F) {
    const Mat3<T> H = displacement_gradient(F);
    const NearOne<T> J = volume_ratio(F, H);
    const T log_J = log(J);
    const T shape = mul_add(T(2), excess_over_log(J.x, log_J), distortion(H));
    return T(0.5f) * mul_add(c.mu, shape, c.lambda * log_J * log_J);
  }

  template <class T>
  static Mat3<T> stress(const Constants<T>& c, const Mat3<T>& F) {
    const Mat3<T> H = displacement_gradient(F);
    const NearOne<T> J = volume_ratio(F, H);
    const Mat3<T> kirchhoff = to_matrix(add_to_diagonal(doubled_left_strain(H) * c.mu, c.lambda * log(J)));
    return kirchhoff * cofactor(F) * (T(1) / J.u);
  }

  /// The derivative of the stress along dF:
  ///   mu dF + (mu - lambda log J) F^-T dF^T F^-T + lambda (F^-T : dF) F^-T
  template <class T>
  static Mat3<T> stress_change(const Constants<T>& c, const Mat3<T>& F, const Mat3<T>& dF) {
    const NearOne<T> J = volume_ratio(F, displacement_gradient(F));
    const Mat3<T> G = cofactor(F) * (T(1) / J.u);  // F^-T
    const T s = neg_mul_add(c.lambda, log(J), c.mu);
    return dF * c.mu + G * transpose_mul(dF, G) * s + G * (c.lambda * dot(G, dF));
  }
};

}  // namespace pliant
