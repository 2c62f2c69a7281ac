#pragma once
#include "constraints/constraint.h"

namespace pliant {

namespace detail {

/// A direction of the rest shape squeezed to less than this has no direction any more.
inline constexpr double kLeastDirection = 1e-9;

/// |f| and f / |f|; zero where there is no direction.
template <class T>
inline T direction_of(const Vec3<T>& f, Vec3<T>& unit) {
  const T l = length(f);
  unit = f * zero_unless(l > T(ScalarOf<T>(kLeastDirection)), T(1) / l);
  return l;
}

/// The cosine of the angle between a and b, and its derivatives by both: (b' - c a') / |a| with units a', b'. Zero
/// where one of them has no direction.
template <class T>
inline T cosine_of(const Vec3<T>& a, const Vec3<T>& b, Vec3<T>& by_a, Vec3<T>& by_b) {
  const T la = length(a), lb = length(b), least = T(ScalarOf<T>(kLeastDirection));
  const MaskOf<T> good = (la > least) & (lb > least);
  const T ia = zero_unless(good, T(1) / la), ib = zero_unless(good, T(1) / lb);
  const Vec3<T> ua = a * ia, ub = b * ib;
  const T c = dot(ua, ub);
  by_a = (ub - ua * c) * ia;
  by_b = (ua - ub * c) * ib;
  return c;
}

/// No gradient and no value where something has overflowed.
template <int N, class T>
inline T finish_entry(const T& C, Vec3<T> (&gradient)[N]) {
  T sum = dot(gradient[1], gradient[1]);
  gradient[0] = -gradient[1];
  for (int k = 2; k < N; ++k) {
    sum = sum + dot(gradient[k], gradient[k]);
    gradient[0] = gradient[0] - gradient[k];
  }
  const MaskOf<T> good = is_finite(sum + C * C);
  for (Vec3<T>& g : gradient) g = {zero_unless(good, g.x), zero_unless(good, g.y), zero_unless(good, g.z)};
  return zero_unless(good, C);
}

}  // namespace detail

/// Strain-based dynamics of a triangle: each entry of the strain is a constraint by itself.             mueller14 3.3
///
///        2
///       / \          F = [f0 f1] = [x1-x0, x2-x0] M,  M = Dm^-1 in the frame of weft and warp
///      0 - 1
///   entry 0, 1  stretch   sqrt(S_ii) - s_i = |f_i| - s_i            eq. 14
///   entry 2     shear     f0 . f1 / (|f0| |f1|)                     eq. 15
///   entry 3     area      |f0 x f1| - s_0 s_1                       eq. 19, without a sign: there is none in space
///
///   gradients at corner k, m_k the rows of M, m_0 = -(m_1 + m_2):
///     stretch  f_i / |f_i| m_ki                    (eq. 35 is to be read as grad S_ii / (2 sqrt(S_ii)))
///     shear    (u_1 - c u_0) / |f0| m_k0 + (u_0 - c u_1) / |f1| m_k1,  u_i = f_i / |f_i|, c the cosine
///     area     (f1 x n) m_k0 + (n x f0) m_k1,      n = f0 x f1 / |f0 x f1|
///
/// The entries are projected one after another. Each has two factors in the rest data, one for its value and one for
/// its gradient: pbd has (k', 1), so that the part k' of the error is removed; xpbd has twice the root of area times
/// modulus, which with compliance 1 makes modulus/2 C^2 the energy per area.
///
/// Degenerate: where f_0 or f_1 vanishes the entry has no direction, and its gradient is zero.
template <class T>
struct TriStrain {
  using Number = T;
  static constexpr int kPoints = 3;
  static constexpr int kEntries = 4;
  static constexpr Solve kSolve = Solve::sequence;
  static constexpr Stencil kStencil = Stencil::triangles;
  static constexpr const char* kSummary = "keeps each entry of the strain of a triangle (mueller14)";
  static constexpr const char* kComplianceUnit = "of the strain";

  struct Rest {
    T m00, m01, m10, m11;  // Dm^-1 [1/m]
    T s0, s1;              // rest stretches
    T value[4], slope[4];  // factors
    template <class F>
    constexpr void each(F&& f) {
      f("m00", m00);
      f("m01", m01);
      f("m10", m10);
      f("m11", m11);
      f("s0", s0);
      f("s1", s1);
      constexpr const char* kValues[4] = {"value0", "value1", "value2", "value3"};
      constexpr const char* kSlopes[4] = {"slope0", "slope1", "slope2", "slope3"};
      for (int e = 0; e < 4; ++e) f(kValues[e], value[e]);
      for (int e = 0; e < 4; ++e) f(kSlopes[e], slope[e]);
    }
  };

  /// The weft along the edge from corner 0 to corner 1 and all factors 1; src/solver/strains.cpp sets others.
  static Rest rest(const Vec3<T> (&x)[3]) {
    const Vec3<T> e1 = x[1] - x[0], e2 = x[2] - x[0];
    const T r00 = length(e1);
    const Vec3<T> q0 = e1 / r00;
    const T r01 = dot(q0, e2), r11 = length(e2 - q0 * r01), one(1);
    return {one / r00, -(r01 / (r00 * r11)), T(0), one / r11, one, one, {one, one, one, one}, {one, one, one, one}};
  }

  template <int E>
  static T evaluate_entry(const Rest& rest, const Vec3<T> (&x)[3], Vec3<T> (&gradient)[3]) {
    const Vec3<T> e1 = x[1] - x[0], e2 = x[2] - x[0];
    const Vec3<T> f0 = mul_add(e2, rest.m10, e1 * rest.m00), f1 = mul_add(e2, rest.m11, e1 * rest.m01);
    Vec3<T> by_f0, by_f1;
    T C;
    if constexpr (E == 0) {
      C = detail::direction_of(f0, by_f0) - rest.s0;
    } else if constexpr (E == 1) {
      C = detail::direction_of(f1, by_f1) - rest.s1;
    } else if constexpr (E == 2) {
      C = detail::cosine_of(f0, f1, by_f0, by_f1);
    } else {
      Vec3<T> n;
      C = neg_mul_add(rest.s0, rest.s1, detail::direction_of(cross(f0, f1), n));
      by_f0 = cross(f1, n);
      by_f1 = cross(n, f0);
    }
    const T slope = rest.slope[E];
    if constexpr (E == 0) {
      gradient[1] = by_f0 * (slope * rest.m00);
      gradient[2] = by_f0 * (slope * rest.m10);
    } else if constexpr (E == 1) {
      gradient[1] = by_f1 * (slope * rest.m01);
      gradient[2] = by_f1 * (slope * rest.m11);
    } else {
      gradient[1] = mul_add(by_f1, slope * rest.m01, by_f0 * (slope * rest.m00));
      gradient[2] = mul_add(by_f1, slope * rest.m11, by_f0 * (slope * rest.m10));
    }
    return detail::finish_entry(rest.value[E] * C, gradient);
  }

  static T strain(const Rest&, T) { return T(0); }
};

}  // namespace pliant
