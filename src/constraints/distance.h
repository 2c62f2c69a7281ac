#pragma once
#include "constraints/constraint.h"

namespace pliant {

/// Keeps two particles at their rest distance.                        bender13 eq. 6, 7
///
///   C = |x1 - x0| - d       [m]          0 -----d----- 1
///   grad_1 C = n = (x1 - x0) / |x1 - x0|,   grad_0 C = -n
///
/// Compliance in m/N: the inverse of a spring's stiffness.
/// Degenerate: coincident particles have no direction; the gradient is zero and nothing moves.
template <class T>
struct Distance {
  using Number = T;
  static constexpr int kPoints = 2;
  static constexpr Stencil kStencil = Stencil::edges;
  static constexpr const char* kSummary = "keeps two particles at their rest distance";
  static constexpr const char* kComplianceUnit = "m/N";

  struct Rest {
    T length;  // [m]
    template <class F>
    constexpr void each(F&& f) {
      f("length", length);
    }
  };

  static Rest rest(const Vec3<T> (&x)[2]) { return {length(x[1] - x[0])}; }

  static Rest permuted(const Rest& rest, const int (&)[2]) { return rest; }

  static T evaluate(const Rest& rest, const Vec3<T> (&x)[2], Vec3<T> (&gradient)[2]) {
    const Vec3<T> e = x[1] - x[0];
    const T square = dot(e, e);
    const T l = sqrt(square);
    const T inverse = select(square > T(0), T(1) / l, T(0));
    gradient[1] = e * inverse;
    gradient[0] = -gradient[1];
    return l - rest.length;
  }

  /// q = -d_lambda / |e|, with one square root and one division: d_lambda = -(C + a lambda) / (s + a). Without kGuarded
  /// the caller does not write what is not finite.
  template <bool kCompliant, bool kGuarded = true>
  static T pull(const Rest& rest, const Vec3<T>& e, const T& s, const T& strength, const T& dt, T& lambda) {
    const T l = sqrt(dot(e, e));
    const T C = l - rest.length;
    T q;
    if constexpr (kCompliant) {
      const T rate = T(1) / dt;
      const T a = strength * (rate * rate);
      q = mul_add(a, lambda, C) / ((s + a) * l);
    } else {
      q = strength * C / (kGuarded ? s * l : not_zero(s * l));
    }
    if constexpr (kGuarded) q = zero_unless(is_finite(q), q);  // coincident corners, or none that moves
    lambda = neg_mul_add(q, l, lambda);
    return q;
  }

  static T strain(const Rest& rest, T C) { return C / rest.length; }
};

}  // namespace pliant
