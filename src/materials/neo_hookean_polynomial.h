#pragma once
// Neo-Hookean as a polynomial in F.                    the energy of Macklin and Mueller 2021, which solve it as a
//                                                      pair of constraints: deviatoric I1, hydrostatic J
//   psi = mu/2 (I1 - 3) - mu j + (lambda + mu)/2 j^2     with j = J - 1      [J/m^3]
//   P   = mu (F - cof F) + (lambda + mu) j cof F                             [Pa]
//
// The hydrostatic constant is lambda + mu, not lambda: only so is the model Hooke's law with lambda and
// mu for small strains. Defined for every F. For Poisson's ratios near zero it is weak against collapse:
// psi(F = 0) = lambda/2, no more than the rest shape at nu = 0 and less below; take neo_hookean_stable there.

#include "materials/strain.h"
#include "pliant/material.h"

namespace pliant {

struct PolynomialNeoHookean {
  template <class T>
  struct Constants {
    T hydrostatic, mu;
  };
  template <class T>
  static Constants<T> constants(const Lame& c) {
    return {number<T>(c.lambda + c.mu), number<T>(c.mu)};
  }

  template <class T>
  static T energy(const Constants<T>& c, const Mat3<T>& F) {
    const Mat3<T> H = displacement_gradient(F);
    const T j = volume_ratio(F, H).x;
    return T(0.5f) * mul_add(c.mu, distortion(H), c.hydrostatic * j * j);
  }

  template <class T>
  static Mat3<T> stress(const Constants<T>& c, const Mat3<T>& F) {
    const Mat3<T> H = displacement_gradient(F);
    const T j = volume_ratio(F, H).x;
    return mul_add(cofactor(F), c.hydrostatic * j, gradient_minus_cofactor(H) * c.mu);
  }

  /// The derivative of the stress along dF: mu dF + ((lambda + mu) j - mu) dcof + (lambda + mu) (cof F : dF) cof F
  template <class T>
  static Mat3<T> stress_change(const Constants<T>& c, const Mat3<T>& F, const Mat3<T>& dF) {
    const T j = volume_ratio(F, displacement_gradient(F)).x;
    const Mat3<T> cof = cofactor(F);
    return dF * c.mu + cofactor_change(F, dF) * (c.hydrostatic * j - c.mu) + cof * (c.hydrostatic * dot(cof, dF));
  }
};

}  // namespace pliant
