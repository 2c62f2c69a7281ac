#pragma once
#include "constraints/constraint.h"

namespace pliant {

/// Keeps the stretch of an edge between two limits.                    bender13 3.5
///
///   C = l - clamp(l, min d, max d)      [m]       0 --- l --- 1
///   grad_1 C = (x1 - x0) / l where C is not 0, else zero;   grad_0 C = -grad_1 C
///
/// Between the limits the edge is free: beside a soft `distance` it makes cloth that gives and then stops.
/// Compliance in m/N. Degenerate: coincident particles have no direction; the gradient is zero.
template <class T>
struct EdgeLimit {
  using Number = T;
  static constexpr int kPoints = 2;
  static constexpr Stencil kStencil = Stencil::edges;
  static constexpr const char* kSummary = "keeps the stretch of an edge between stretch_min and stretch_max";
  static constexpr const char* kComplianceUnit = "m/N";

  struct Rest {
    T length;                    // [m]
    T stretch_min, stretch_max;  // from the settings of these names
    template <class F>
    constexpr void each(F&& f) {
      f("length", length);
      f("stretch_min", stretch_min);
      f("stretch_max", stretch_max);
    }
  };

  static Rest rest(const Vec3<T> (&x)[2]) { return {length(x[1] - x[0]), T(1), T(1)}; }

  static T evaluate(const Rest& rest, const Vec3<T> (&x)[2], Vec3<T> (&gradient)[2]) {
    const Vec3<T> e = x[1] - x[0];
    const T l = length(e);
    const T C = l - min(max(l, rest.stretch_min * rest.length), rest.stretch_max * rest.length);
    const auto outside = (l > T(0)) & !(C == T(0));
    gradient[1] = e * select(outside, T(1) / l, T(0));
    gradient[0] = -gradient[1];
    return C;
  }

  static T strain(const Rest& rest, T C) { return C / rest.length; }
};

}  // namespace pliant
