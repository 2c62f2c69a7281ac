#pragma once
// Hooke's law for small strains.
//
//   eps = (H + H^T)/2, H = F - I
//   psi = mu |eps|^2 + lambda/2 tr(eps)^2      [J/m^3]
//   P   = 2 mu eps + lambda tr(eps) I          [Pa]
//
// The only model that is not frame indifferent: turning it by an angle a makes strains of 1 - cos a.
// Defined for every F.

#include "materials/strain.h"
#include "pliant/material.h"

namespace pliant {

struct Linear {
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
    const Sym3<T> strain = symmetric_part(displacement_gradient(F));
    const T t = trace(strain);
    return mul_add(c.mu, dot(strain, strain), T(0.5f) * c.lambda * t * t);
  }

  template <class T>
  static Mat3<T> stress(const Constants<T>& c, const Mat3<T>& F) {
    return hooke(c, symmetric_part(displacement_gradient(F)));
  }

  /// The derivative of the stress along dF.
  template <class T>
  static Mat3<T> stress_change(const Constants<T>& c, const Mat3<T>&, const Mat3<T>& dF) {
    return hooke(c, symmetric_part(dF));
  }

 private:
  template <class T>
  static Mat3<T> hooke(const Constants<T>& c, const Sym3<T>& strain) {
    return to_matrix(add_to_diagonal(strain * (T(2) * c.mu), c.lambda * trace(strain)));
  }
};

}  // namespace pliant
