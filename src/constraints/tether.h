#pragma once
#include "constraints/constraint.h"

namespace pliant {

/// Keeps two particles no farther apart than at rest: a string, which pulls and does not push.
///
///   C = max(|x1 - x0| - d, 0)       [m]          0 ~~~~d~~~~ 1
///   grad_1 C = (x1 - x0) / |x1 - x0| where it is tight, else zero;   grad_0 C = -grad_1 C
///
/// A `distance` with `unilateral` does the same and can be damped; this one has no second strength to read. The set of
/// states that it allows is convex.
/// Compliance in m/N. Degenerate: coincident particles are slack.
template <class T>
struct Tether {
  using Number = T;
  static constexpr int kPoints = 2;
  static constexpr Stencil kStencil = Stencil::edges;
  static constexpr bool kOneSided = true;  // for tests: C and its gradient are zero where it is slack
  static constexpr const char* kSummary = "keeps two particles no farther apart than at rest";
  static constexpr const char* kComplianceUnit = "m/N";

  struct Rest {
    T length;  // [m]
    template <class F>
    constexpr void each(F&& f) {
      f("length", length);
    }
  };

  static Rest rest(const Vec3<T> (&x)[2]) { return {length(x[1] - x[0])}; }

  static T evaluate(const Rest& rest, const Vec3<T> (&x)[2], Vec3<T> (&gradient)[2]) {
    const Vec3<T> e = x[1] - x[0];
    const T l = length(e), over = l - rest.length;
    const auto tight = (l > T(0)) & (over > T(0));
    gradient[1] = e * select(tight, T(1) / l, T(0));
    gradient[0] = -gradient[1];
    return zero_unless(tight, over);
  }

  /// As Distance::pull. A slack tether gives its multiplier back: it pushes nothing.
  template <bool kCompliant, bool kGuarded = true>
  static T pull(const Rest& rest, const Vec3<T>& e, const T& s, const T& strength, const T& dt, T& lambda) {
    const T l = sqrt(dot(e, e));
    const T C = l - rest.length;
    T q;
    if constexpr (kCompliant) {
      const T rate = T(1) / dt;
      const T a = strength * (rate * rate);
      q = select(C > T(0), mul_add(a, lambda, C) / ((s + a) * l), lambda / l);
    } else {
      q = zero_unless(C > T(0), strength * C / (kGuarded ? s * l : not_zero(s * l)));
    }
    if constexpr (kGuarded) q = zero_unless(is_finite(q), q);  // coincident corners, or none that moves
    lambda = neg_mul_add(q, l, lambda);
    return q;
  }

  static T strain(const Rest& rest, T C) { return C / rest.length; }
};

}  // namespace pliant
