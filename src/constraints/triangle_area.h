#pragma once
#include "constraints/constraint.h"

namespace pliant {

/// Keeps the area of a triangle.                                      mueller14 3.7
///
///   C = |n| / 2 - A,  n = e1 x e2      [m^2]         2
///   grad_1 = (e2 x n/|n|) / 2                       / \          e1 = x1 - x0
///   grad_2 = (n/|n| x e1) / 2                      0 - 1         e2 = x2 - x0
///
/// A triangle in space has no signed area, so a triangle turned over is as good as before, which is
/// right for cloth. The document constrains the squared area; the area itself has a gradient that does
/// not vanish with it and a compliance with a meaning: m^4/J, alpha = A / (2D area modulus in N/m).
/// Degenerate: a triangle without area has no normal; the gradient is zero.
template <class T>
struct TriangleArea {
  using Number = T;
  static constexpr int kPoints = 3;
  static constexpr Stencil kStencil = Stencil::triangles;
  static constexpr const char* kSummary = "keeps the area of a triangle";
  static constexpr const char* kComplianceUnit = "m^4/J";

  struct Rest {
    T area;  // [m^2]
    template <class F>
    constexpr void each(F&& f) {
      f("area", area);
    }
  };

  static Rest rest(const Vec3<T> (&x)[3]) { return {T(0.5) * length(cross(x[1] - x[0], x[2] - x[0]))}; }

  static T evaluate(const Rest& rest, const Vec3<T> (&x)[3], Vec3<T> (&gradient)[3]) {
    const Vec3<T> e1 = x[1] - x[0];
    const Vec3<T> e2 = x[2] - x[0];
    const Vec3<T> n = cross(e1, e2);
    const T l = length(n);
    const T half(ScalarOf<T>(0.5));
    const Vec3<T> half_normal = n * zero_unless(l > T(0), half / l);
    gradient[1] = cross(e2, half_normal);
    gradient[2] = cross(half_normal, e1);
    gradient[0] = -(gradient[1] + gradient[2]);
    return half * l - rest.area;
  }

  static T strain(const Rest& rest, T C) { return C / rest.area; }
};

}  // namespace pliant
