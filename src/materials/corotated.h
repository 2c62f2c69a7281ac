#pragma once
// Corotated linear elasticity: Hooke's law for the stretch without the rotation.                       cao22 4.2
//
//   F = R (I + e)
//   psi = mu |e|^2 + lambda/2 tr(e)^2 = mu |F - R|^2 + lambda/2 tr(R^T F - I)^2        [J/m^3]
//   P   = R (2 mu e + lambda tr(e) I)                                                  [Pa]
//
// Defined for every F: flat, inverted, zero. Stress grows linearly with compression, through flat and beyond.

#include "materials/corotation.h"
#include "pliant/material.h"

namespace pliant {

struct Corotated {
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
    const Sym3<T> e = corotation(F).e;
    const T t = trace(e);
    return mul_add(c.mu, dot(e, e), T(0.5f) * c.lambda * t * t);
  }

  template <class T>
  static Mat3<T> stress(const Constants<T>& c, const Mat3<T>& F) {
    const Corotation<T> k = corotation(F);
    return mul(k.R, add_to_diagonal(k.e * (T(2) * c.mu), c.lambda * trace(k.e)));
  }

  /// The derivative of the stress along dF: 2 mu (dF - dR) + lambda (R : dF) R + lambda tr(e) dR
  template <class T>
  static Mat3<T> stress_change(const Constants<T>& c, const Mat3<T>& F, const Mat3<T>& dF) {
    const Corotation<T> k = corotation(F);
    const T two_mu = T(2) * c.mu;
    return dF * two_mu + rotation_change(k, dF) * (c.lambda * trace(k.e) - two_mu) + k.R * (c.lambda * dot(k.R, dF));
  }
};

}  // namespace pliant
