#pragma once
#include "constraints/constraint.h"

namespace pliant {

/// Keeps the signed volume of a tetrahedron.                          bender13 3.4.4, mueller14 3.7
///
///   C = e1 . (e2 x e3) / 6 - V     [m^3]       e_i = x_i - x0
///   grad_1 = (e2 x e3) / 6 and cyclic, grad_0 = -(grad_1 + grad_2 + grad_3)
///
/// The sign is kept: a tet that is turned inside out has negative volume and is pushed back through
/// itself. (With the absolute value it would be satisfied inverted.)
/// Compliance in m^6/J: V / K for a bulk modulus K in Pa.
/// Degenerate: a tet collapsed to a line or a point has gradient zero.
template <class T>
struct TetVolume {
  using Number = T;
  static constexpr int kPoints = 4;
  static constexpr Stencil kStencil = Stencil::tets;
  static constexpr const char* kSummary = "keeps the signed volume of a tetrahedron";
  static constexpr const char* kComplianceUnit = "m^6/J";

  struct Rest {
    T volume;  // [m^3]
    template <class F>
    constexpr void each(F&& f) {
      f("volume", volume);
    }
  };

  static Rest rest(const Vec3<T> (&x)[4]) { return {dot(x[1] - x[0], cross(x[2] - x[0], x[3] - x[0])) * T(1.0 / 6)}; }

  static T evaluate(const Rest& rest, const Vec3<T> (&x)[4], Vec3<T> (&gradient)[4]) {
    const T sixth(ScalarOf<T>(1.0 / 6));
    const Vec3<T> e1 = x[1] - x[0];
    const Vec3<T> e2 = x[2] - x[0];
    const Vec3<T> e3 = x[3] - x[0];
    gradient[1] = cross(e2, e3) * sixth;
    gradient[2] = cross(e3, e1) * sixth;
    gradient[3] = cross(e1, e2) * sixth;
    gradient[0] = -(gradient[1] + gradient[2] + gradient[3]);
    return dot(e1, gradient[1]) - rest.volume;
  }

  static T strain(const Rest& rest, T C) { return C / rest.volume; }
};

}  // namespace pliant
