#pragma once
// St. Venant-Kirchhoff: Hooke's law for the Green strain.                       bender14 eq. 4, 5, 7
//
//   A   = F^T F - I, twice the Green strain
//   psi = mu/4 |A|^2 + lambda/8 tr(A)^2        [J/m^3]
//   S   = mu A + lambda/2 tr(A) I, P = F S     [Pa]
//
// Defined for every F. It resists less and less below 1/sqrt(3) = 58 % of the rest length, not at all
// when flat, and its energy does not tell an element from its mirror image.

#include "materials/strain.h"
#include "pliant/material.h"

namespace pliant {

struct StVenantKirchhoff {
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
    const Sym3<T> A = doubled_green_strain(displacement_gradient(F));
    const T t = trace(A);
    return mul_add(T(0.25f) * c.mu, dot(A, A), T(0.125f) * c.lambda * t * t);
  }

  template <class T>
  static Mat3<T> stress(const Constants<T>& c, const Mat3<T>& F) {
    return mul(F, second_stress(c, doubled_green_strain(displacement_gradient(F))));
  }

  /// The derivative of the stress along dF: dF S + F dS.
  template <class T>
  static Mat3<T> stress_change(const Constants<T>& c, const Mat3<T>& F, const Mat3<T>& dF) {
    const Sym3<T> S = second_stress(c, doubled_green_strain(displacement_gradient(F)));
    const Sym3<T> dS = second_stress(c, green_strain_change(F, dF));
    return mul(dF, S) + mul(F, dS);
  }

 private:
  /// The second Piola-Kirchhoff stress, linear in A.
  template <class T>
  static Sym3<T> second_stress(const Constants<T>& c, const Sym3<T>& A) {
    return add_to_diagonal(A * c.mu, T(0.5f) * c.lambda * trace(A));
  }
};

}  // namespace pliant
