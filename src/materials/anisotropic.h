#pragma once
// St. Venant-Kirchhoff with any elasticity matrix C.                                     bender14 eq. 4, 5, 7
//
//   e   = (F^T F - I)/2, as the vector (e_xx, e_yy, e_zz, 2 e_yz, 2 e_zx, 2 e_xy)
//   psi = 1/2 e . C e                          [J/m^3]
//   S   = C e, P = F S                         [Pa]
//
// C is symmetric: 21 constants, already turned into the axes of the rest shape. An orthotropic material
// has nine in its own axes. Defined for every F, with the weaknesses of St. Venant-Kirchhoff.

#include "materials/strain.h"
#include "pliant/material.h"

namespace pliant {

struct Anisotropic {
  template <class T>
  struct Constants {
    T c[21];  // the upper triangle of C, row by row
  };
  template <class T>
  static Constants<T> constants(const ElasticityMatrix& matrix) {
    Constants<T> result;
    int k = 0;
    for (std::size_t i = 0; i < 6; ++i) {
      for (std::size_t j = i; j < 6; ++j) result.c[k++] = number<T>(0.5 * (matrix[i][j] + matrix[j][i]));
    }
    return result;
  }

  template <class T>
  static T energy(const Constants<T>& c, const Mat3<T>& F) {
    const Sym3<T> strain = doubled_green_strain(displacement_gradient(F)) * T(0.5f);
    return T(0.5f) * dot(second_stress(c, strain), strain);
  }

  template <class T>
  static Mat3<T> stress(const Constants<T>& c, const Mat3<T>& F) {
    return mul(F, second_stress(c, doubled_green_strain(displacement_gradient(F)) * T(0.5f)));
  }

  /// The derivative of the stress along dF: dF S + F dS.
  template <class T>
  static Mat3<T> stress_change(const Constants<T>& c, const Mat3<T>& F, const Mat3<T>& dF) {
    const Sym3<T> S = second_stress(c, doubled_green_strain(displacement_gradient(F)) * T(0.5f));
    const Sym3<T> dS = second_stress(c, green_strain_change(F, dF) * T(0.5f));
    return mul(dF, S) + mul(F, dS);
  }

 private:
  /// C e
  template <class T>
  static Sym3<T> second_stress(const Constants<T>& constants, const Sym3<T>& strain) {
    const T two = T(2);
    const T e[6] = {strain.xx, strain.yy, strain.zz, two * strain.yz, two * strain.xz, two * strain.xy};
    T s[6] = {T(0), T(0), T(0), T(0), T(0), T(0)};
    int k = 0;
    for (int i = 0; i < 6; ++i) {
      s[i] = mul_add(constants.c[k++], e[i], s[i]);
      for (int j = i + 1; j < 6; ++j, ++k) {
        s[i] = mul_add(constants.c[k], e[j], s[i]);
        s[j] = mul_add(constants.c[k], e[i], s[j]);
      }
    }
    return {s[0], s[1], s[2], s[5], s[4], s[3]};
  }
};

}  // namespace pliant
