#pragma once
// Fixed corotated elasticity.                    Stomakhin et al.: Energetically Consistent Invertible Elasticity
// (2012)
//
//   F = R (I + e), j = J - 1
//   psi = mu |e|^2 + lambda/2 j^2               [J/m^3]
//   P   = 2 mu R e + lambda j cof F             [Pa]
//
// As the corotated model, with the true change of volume in place of tr(e): it keeps volume under large strains.
// Defined for every F.

#include "materials/corotation.h"
#include "pliant/material.h"

namespace pliant {

struct FixedCorotated {
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
    const T j = volume_ratio(F, displacement_gradient(F)).x;
    return mul_add(c.mu, dot(e, e), T(0.5f) * c.lambda * j * j);
  }

  template <class T>
  static Mat3<T> stress(const Constants<T>& c, const Mat3<T>& F) {
    const Corotation<T> k = corotation(F);
    const T j = volume_ratio(F, displacement_gradient(F)).x;
    return mul_add(cofactor(F), c.lambda * j, mul(k.R, k.e * (T(2) * c.mu)));
  }

  /// The derivative of the stress along dF: 2 mu (dF - dR) + lambda (cof F : dF) cof F + lambda j dcof
  template <class T>
  static Mat3<T> stress_change(const Constants<T>& c, const Mat3<T>& F, const Mat3<T>& dF) {
    const Corotation<T> k = corotation(F);
    const T j = volume_ratio(F, displacement_gradient(F)).x;
    const Mat3<T> cof = cofactor(F);
    return (dF - rotation_change(k, dF)) * (T(2) * c.mu) + cof * (c.lambda * dot(cof, dF)) +
           cofactor_change(F, dF) * (c.lambda * j);
  }
};

}  // namespace pliant
