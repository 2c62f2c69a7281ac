#pragma once
#include <limits>

#include "constraints/constraint.h"
#include "math/matrix.h"

namespace pliant {

/// Keeps the principal stretches of a triangle between two limits.     bender13 3.5, after Wang et al. 2010
///
///   F = [x1 - x0, x2 - x0] Dm^-1 = s1 u1 v1^T + s2 u2 v2^T              2
///                                                                      / \          Dm: the same edges at rest,
///   C1 = |F v1| - clamp(s1),  C2 = |F v2| - clamp(s2)                 0 - 1             in their plane
///   C3 = (F v1) . (F v2) / (s1 + s2)                   three entries, no unit
///
/// with v1, v2 and the clamped stretches held during one projection. Where no stretch is outside of its limits all
/// three are zero and nothing moves. Otherwise the block solve brings the triangle to the clamped shape, to first
/// order: the stretch that is inside of its limits, and the right angle of the two directions, stay. Without C3 the
/// projection of two almost equal stretches would put back as shear what it takes away as stretch.
///
/// Corrections run along w grad C of functions that no rigid motion changes: both momenta are conserved, whereas the
/// document moves the corners to the clamped shape itself.
///
///   F v = e1 (B v)_1 + e2 (B v)_2,  B = Dm^-1,  hence  grad_i |F v| = u (B v)_i  for i = 1, 2
///
/// Compliance in 1/J. Degenerate: a triangle on a line has s2 = 0 and no u2: the gradient of C2 is zero.
template <class T>
struct TriangleLimit {
  using Number = T;
  static constexpr int kPoints = 3;
  static constexpr int kEntries = 3;
  static constexpr Solve kSolve = Solve::block;
  static constexpr Stencil kStencil = Stencil::triangles;
  static constexpr const char* kSummary =
      "keeps the principal stretches of a triangle between stretch_min and stretch_max";
  static constexpr const char* kComplianceUnit = "1/J";

  struct Rest {
    T b00, b01, b11;             // B = [b00 b01; 0 b11] [1/m]
    T stretch_min, stretch_max;  // from the settings of these names
    template <class F>
    constexpr void each(F&& f) {
      f("b00", b00);
      f("b01", b01);
      f("b11", b11);
      f("stretch_min", stretch_min);
      f("stretch_max", stretch_max);
    }
  };

  /// In the plane of the triangle with its first edge along x: Dm = [a b; 0 c].
  static Rest rest(const Vec3<T> (&x)[3]) {
    const Vec3<T> e1 = x[1] - x[0], e2 = x[2] - x[0];
    const T a = length(e1);
    const T b = dot(e1, e2) / a;
    const T c = length(cross(e1, e2)) / a;
    return {T(1) / a, -b / (a * c), T(1) / c, T(1), T(1)};
  }

  /// What is held during a projection.
  struct Axes {
    Vec2<T> v1, v2;      // the principal directions at rest, times B: F v1 = e1 v1.x + e2 v1.y
    T target1, target2;  // the clamped stretches
    T scale;             // 1 / (s1 + s2)
  };

  static Axes freeze(const Rest& rest, const Vec3<T> (&x)[3]) {
    const Vec3<T> e1 = x[1] - x[0], e2 = x[2] - x[0];
    const Vec3<T> f1 = e1 * rest.b00, f2 = mul_add(e2, rest.b11, e1 * rest.b01);
    // F^T F = [p r; r q]; the angle of v1 is half of that of (h, r), h = (p - q) / 2.
    const T half(ScalarOf<T>(0.5)), one(1), zero(0);
    const T p = dot(f1, f1), q = dot(f2, f2), r = dot(f1, f2);
    const T h = half * (p - q);
    const T radius = sqrt(mul_add(h, h, r * r));
    const T inverse = select(radius > zero, one / radius, zero);
    // The larger of cosine and sine from the half-angle formula, the other by division. Where both stretches are equal
    // to the last digit any direction will do, of unit length.
    const T larger = select(radius > zero, sqrt(half * mul_add(abs(h), inverse, one)), one);
    const T smaller = half * r * inverse / larger;
    const auto wide = h >= zero;
    const T cosine = select(wide, larger, abs(smaller));
    const T sine = select(wide, smaller, copy_sign(larger, r));
    const T s1 = sqrt(max(zero, mul_add(half, p + q, radius)));
    const T s2 = select(s1 > zero, length(cross(f1, f2)) / s1, zero);  // s1 s2 is the area's factor
    const auto clamp = [&](const T& s) { return min(max(s, rest.stretch_min), rest.stretch_max); };
    const auto times_B = [&](const T& vx, const T& vy) -> Vec2<T> {
      return {mul_add(rest.b01, vy, rest.b00 * vx), rest.b11 * vy};
    };
    return {times_B(cosine, sine), times_B(-sine, cosine), clamp(s1), clamp(s2),
            select(s1 > zero, one / (s1 + s2), zero)};
  }

  static void evaluate_frozen(const Rest&, const Axes& axes, const Vec3<T> (&x)[3], T (&C)[3],
                              Vec3<T> (&gradient)[3][3]) {
    const Vec3<T> e1 = x[1] - x[0], e2 = x[2] - x[0];
    const Vec3<T> g1 = mul_add(e2, axes.v1.y, e1 * axes.v1.x), g2 = mul_add(e2, axes.v2.y, e1 * axes.v2.x);
    const T s1 = length(g1), s2 = length(g2);
    const T zero(0), one(1);
    const Vec3<T> u1 = g1 * select(s1 > zero, one / s1, zero), u2 = g2 * select(s2 > zero, one / s2, zero);
    C[0] = s1 - axes.target1;
    C[1] = s2 - axes.target2;
    C[2] = dot(g1, g2) * axes.scale;
    gradient[0][1] = u1 * axes.v1.x;
    gradient[0][2] = u1 * axes.v1.y;
    gradient[1][1] = u2 * axes.v2.x;
    gradient[1][2] = u2 * axes.v2.y;
    gradient[2][1] = (g1 * axes.v2.x + g2 * axes.v1.x) * axes.scale;
    gradient[2][2] = (g1 * axes.v2.y + g2 * axes.v1.y) * axes.scale;
    for (int k = 0; k < 3; ++k) gradient[k][0] = -(gradient[k][1] + gradient[k][2]);
  }

  static void evaluate(const Rest& rest, const Vec3<T> (&x)[3], T (&C)[3], Vec3<T> (&gradient)[3][3]) {
    const Axes axes = freeze(rest, x);
    evaluate_frozen(rest, axes, x, C, gradient);
    // A stretch inside of its limits differs from itself by rounding only, and the directions are at right angles.
    const T rounding(ScalarOf<T>(16) * std::numeric_limits<ScalarOf<T>>::epsilon());
    const T size = axes.target1 + axes.target2;
    for (int k = 0; k < 3; ++k) C[k] = zero_unless(abs(C[k]) > rounding * size, C[k]);
  }

  static T strain(const Rest&, T C) { return C; }
};

}  // namespace pliant
