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

  static T evaluate(const Rest& rest, const Vec3<T> (&x)[2], Vec3<T> (&gradient)[2]) {
    const Vec3<T> e = x[1] - x[0];
    const T square = dot(e, e);
    const T l = sqrt(square);
    const T inverse = select(square > T(0), T(1) / l, T(0));
    gradient[1] = e * inverse;
    gradient[0] = -gradient[1];
    return l - rest.length;
  }

  /// Both gradients are unit vectors, or zero.
  static T gradient_weight(const Rest&, const Vec3<T> (&x)[2], const T (&w)[2]) {
    const Vec3<T> e = x[1] - x[0];
    return select(dot(e, e) > T(0), w[0] + w[1], T(0));
  }

  static T strain(const Rest& rest, T C) { return C / rest.length; }
};

}  // namespace pliant
