#pragma once
#include "constraints/constraint.h"
#include "math/functions.h"

namespace pliant {

/// Keeps the angle between two triangles that share an edge.          bender13 3.4.2
///
///          2
///        /   \          e = x1 - x0 (the hinge), d2 = x2 - x0, d3 = x3 - x0
///       0 --- 1         n2 = e x d2, n3 = d3 x e (equal when flat)
///        \   /
///          3            C = angle(n2 -> n3 about e) - angle at rest, in (-pi, pi]   [rad]
///
/// The survey uses arccos(n2 . n3), which loses all digits near 0 and pi and does not see the side to
/// which the hinge folds. Here the angle is atan2(-|e| d2 . n3, n2 . n3), from
/// (n2 x n3) . e = -|e|^2 d2 . n3. Lifting x2 by h along n2 turns its triangle by h |e| / |n2|:
///
///   grad_2 = -|e| n2 / |n2|^2,  grad_3 = -|e| n3 / |n3|^2
///   grad_0 = -(1-t2) grad_2 - (1-t3) grad_3,  grad_1 = -t2 grad_2 - t3 grad_3,  t_i = d_i . e / |e|^2
///
/// where the last two follow from balance of forces and torques.
///
/// A projection moves corners along tangents, not along the arcs on which they would turn, and makes triangles larger
/// by half the square of the turn. The angle does not see it. So it turns a hinge by kMostStep at most; the rest is
/// left to the next one. Where hinges are rigid and cells small they would turn by a radian in each substep otherwise,
/// which added more energy than edges took out. Compliance in rad^2/J. Degenerate: a triangle without area has gradient
/// zero.
template <class T>
struct Bend {
  using Number = T;
  static constexpr int kPoints = 4;
  static constexpr Stencil kStencil = Stencil::hinges;
  static constexpr const char* kSummary = "keeps the angle between two triangles that share an edge";
  static constexpr const char* kComplianceUnit = "rad^2/J";
  static constexpr double kMostStep = 0.25;                   // [rad]
  static constexpr double kPeriod = 6.283185307179586476925;  // C jumps by this where the angle wraps

  struct Rest {
    T angle;  // [rad]
    template <class F>
    constexpr void each(F&& f) {
      f("angle", angle);
    }
  };

  static Rest rest(const Vec3<T> (&x)[4]) {
    Vec3<T> gradient[4];
    return {evaluate({T(0)}, x, gradient)};
  }

  /// For (0, 1, 2, 3) and (1, 0, 3, 2), which have the same angle.
  static Rest permuted(const Rest& rest, const int (&)[4]) { return rest; }

  static T evaluate(const Rest& rest, const Vec3<T> (&x)[4], Vec3<T> (&gradient)[4]) {
    const Vec3<T> e = x[1] - x[0];
    const Vec3<T> d2 = x[2] - x[0];
    const Vec3<T> d3 = x[3] - x[0];
    const Vec3<T> n2 = cross(e, d2);
    const Vec3<T> n3 = cross(d3, e);
    const T ee = dot(e, e);
    const T nn2 = dot(n2, n2);
    const T nn3 = dot(n3, n3);
    const T l = sqrt(ee);
    // Where |n|^2 or |e|^2 underflows to zero the quotient is not finite and becomes zero.
    const T s2 = -l / nn2;
    const T s3 = -l / nn3;
    const T inverse = T(1) / ee;
    const Vec3<T> g2 = n2 * zero_unless(is_finite(s2), s2);
    const Vec3<T> g3 = n3 * zero_unless(is_finite(s3), s3);
    const T safe = zero_unless(is_finite(inverse), inverse);
    const T t2 = dot(d2, e) * safe;
    const T t3 = dot(d3, e) * safe;
    gradient[1] = -(g2 * t2) - g3 * t3;
    gradient[0] = -(g2 + g3) - gradient[1];
    gradient[2] = g2;
    gradient[3] = g3;
    const T angle = atan2(-(l * dot(d2, n3)), dot(n2, n3));
    const T C = angle - rest.angle;
    return neg_mul_add(round(C * T(ScalarOf<T>(1 / kPeriod))), T(ScalarOf<T>(kPeriod)), C);
  }

  static T strain(const Rest&, T) { return T(0); }
};

}  // namespace pliant
