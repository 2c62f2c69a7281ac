#pragma once
#include "constraints/tri_strain.h"

namespace pliant {

/// Strain-based dynamics of a tet: each entry of the strain is a constraint by itself.                  mueller14 3.2
///
///   F = [f0 f1 f2] = [x1-x0, x2-x0, x3-x0] M,  M = Dm^-1 in the frame of the material's axes
///   entry 0, 1, 2  stretch   sqrt(S_ii) - s_i = |f_i| - s_i                          eq. 14
///   entry 3, 4, 5  shear     f_i . f_j / (|f_i| |f_j|), ij = 12, 20, 01              eq. 15
///   entry 6        volume    det F - s_0 s_1 s_2                                     eq. 18
///
/// Gradients and factors as in tri_strain.h; the volume's are (f1 x f2) m_k0 + (f2 x f0) m_k1 + (f0 x f1) m_k2. The
/// volume has a sign, so that it brings back what is inverted; the other entries do not see that.
///
/// Degenerate: where a column of F vanishes its entries have no direction, and their gradients are zero.
template <class T>
struct TetStrain {
  using Number = T;
  static constexpr int kPoints = 4;
  static constexpr int kEntries = 7;
  static constexpr Solve kSolve = Solve::sequence;
  static constexpr Stencil kStencil = Stencil::tets;
  static constexpr const char* kSummary = "keeps each entry of the strain of a tetrahedron (mueller14)";
  static constexpr const char* kComplianceUnit = "of the strain";

  struct Rest {
    T m[9];                // Dm^-1, row by row [1/m]
    T s[3];                // rest stretches
    T value[7], slope[7];  // factors
    template <class F>
    constexpr void each(F&& f) {
      constexpr const char* kM[9] = {"m00", "m01", "m02", "m10", "m11", "m12", "m20", "m21", "m22"};
      constexpr const char* kS[3] = {"s0", "s1", "s2"};
      constexpr const char* kValues[7] = {"value0", "value1", "value2", "value3", "value4", "value5", "value6"};
      constexpr const char* kSlopes[7] = {"slope0", "slope1", "slope2", "slope3", "slope4", "slope5", "slope6"};
      for (int k = 0; k < 9; ++k) f(kM[k], m[k]);
      for (int k = 0; k < 3; ++k) f(kS[k], s[k]);
      for (int e = 0; e < 7; ++e) f(kValues[e], value[e]);
      for (int e = 0; e < 7; ++e) f(kSlopes[e], slope[e]);
    }
  };

  /// The axes of space and all factors 1; src/solver/strains.cpp sets others.
  static Rest rest(const Vec3<T> (&x)[4]) {
    const Vec3<T> a = x[1] - x[0], b = x[2] - x[0], c = x[3] - x[0];
    const Vec3<T> bc = cross(b, c), ca = cross(c, a), ab = cross(a, b);
    const T inverse = T(1) / dot(a, bc), one(1);
    Rest rest;
    const Vec3<T> rows[3] = {bc * inverse, ca * inverse, ab * inverse};
    for (int k = 0; k < 3; ++k) {
      rest.m[3 * k] = rows[k].x;
      rest.m[3 * k + 1] = rows[k].y;
      rest.m[3 * k + 2] = rows[k].z;
      rest.s[k] = one;
    }
    for (int e = 0; e < 7; ++e) rest.value[e] = rest.slope[e] = one;
    return rest;
  }

  template <int E>
  static T evaluate_entry(const Rest& rest, const Vec3<T> (&x)[4], Vec3<T> (&gradient)[4]) {
    const Vec3<T> e1 = x[1] - x[0], e2 = x[2] - x[0], e3 = x[3] - x[0];
    const T(&m)[9] = rest.m;
    const auto column = [&](int i) { return mul_add(e3, m[6 + i], mul_add(e2, m[3 + i], e1 * m[i])); };
    const T slope = rest.slope[E];
    T C;
    if constexpr (E < 3) {
      Vec3<T> unit;
      C = detail::direction_of(column(E), unit) - rest.s[E];
      for (int k = 0; k < 3; ++k) gradient[k + 1] = unit * (slope * m[3 * k + E]);
    } else if constexpr (E < 6) {
      constexpr int i = (E - 2) % 3, j = (E - 1) % 3;  // 12, 20, 01
      Vec3<T> by_i, by_j;
      C = detail::cosine_of(column(i), column(j), by_i, by_j);
      for (int k = 0; k < 3; ++k) {
        gradient[k + 1] = mul_add(by_j, slope * m[3 * k + j], by_i * (slope * m[3 * k + i]));
      }
    } else {
      const Vec3<T> f0 = column(0), f1 = column(1), f2 = column(2);
      const Vec3<T> c0 = cross(f1, f2), c1 = cross(f2, f0), c2 = cross(f0, f1);
      C = neg_mul_add(rest.s[0] * rest.s[1], rest.s[2], dot(f0, c0));
      for (int k = 0; k < 3; ++k) {
        gradient[k + 1] = mul_add(c2, slope * m[3 * k + 2], mul_add(c1, slope * m[3 * k + 1], c0 * (slope * m[3 * k])));
      }
    }
    return detail::finish_entry(rest.value[E] * C, gradient);
  }

  static T strain(const Rest&, T) { return T(0); }
};

}  // namespace pliant
