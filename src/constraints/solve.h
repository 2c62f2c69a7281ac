#pragma once
// One projection of one constraint (or of W of them, lane by lane): from positions and inverse masses
// to multiplier and corrections. Written once for all types and number types.
//
//   pbd   d_lambda = -k' C / s                                       s = sum w |grad C|^2
//   xpbd  d_lambda = -(C + a lambda + c grad C . (x - x_start)) / ((1 + c) s + a)
//         a = compliance / dt^2,  c = damping / dt                   (Rayleigh damping, in seconds)
//   d_x_i = w_i grad_i C d_lambda
//
// Corrections along w_i grad_i C conserve linear and angular momentum for any d_lambda.

#include "constraints/constraint.h"

namespace pliant {

/// The strength of a constraint. In a plain group only `positive` is stored.
///   pbd:  k' = 1 - (1 - k)^(1/iterations)      xpbd: compliance
template <class T>
struct Strength {
  T positive;  // where C >= 0
  T negative;  // where C < 0; below zero: the constraint does not act on that side
  T damping;   // [s] xpbd
};

namespace detail {

/// Solves A y = b for a symmetric positive semi-definite A by LDL^T. A pivot that is not positive
/// (an entry without gradient and compliance) gives y = 0 there instead of a division by zero.
template <int E, class T>
inline void solve_symmetric(T (&A)[E][E], T (&b)[E]) {
  T inverse[E];
#pragma GCC unroll 8
  for (int j = 0; j < E; ++j) {
#pragma GCC unroll 8
    for (int k = 0; k < j; ++k) A[j][j] = neg_mul_add(A[j][k] * A[j][k], A[k][k], A[j][j]);
    inverse[j] = select(A[j][j] > T(0), T(1) / A[j][j], T(0));
#pragma GCC unroll 8
    for (int i = j + 1; i < E; ++i) {
#pragma GCC unroll 8
      for (int k = 0; k < j; ++k) A[i][j] = neg_mul_add(A[i][k] * A[j][k], A[k][k], A[i][j]);
      A[i][j] = A[i][j] * inverse[j];
    }
  }
#pragma GCC unroll 8
  for (int i = 0; i < E; ++i) {
#pragma GCC unroll 8
    for (int k = 0; k < i; ++k) b[i] = neg_mul_add(A[i][k], b[k], b[i]);
  }
  for (int i = 0; i < E; ++i) b[i] = b[i] * inverse[i];
#pragma GCC unroll 8
  for (int i = E - 1; i >= 0; --i) {
#pragma GCC unroll 8
    for (int k = i + 1; k < E; ++k) b[i] = neg_mul_add(A[k][i], b[k], b[i]);
  }
}

/// No correction at all where one of them is not finite: a gradient has overflowed (and infinity times zero
/// is not a number).
template <int N, class T>
inline void drop_unless_finite(Vec3<T> (&d)[N]) {
  auto good = is_finite(d[0].x + d[0].y + d[0].z);
  for (int i = 1; i < N; ++i) good = good & is_finite(d[i].x + d[i].y + d[i].z);
  for (Vec3<T>& v : d) v = {zero_unless(good, v.x), zero_unless(good, v.y), zero_unless(good, v.z)};
}

/// sum w |grad C|^2, or zero where nearly all of the gradient is at corners that do not move. What is left for the
/// others is then rounding, and so is C: a rigid projection would divide one by the other and throw them away (an entry
/// of the strain that a tet's only free corner has no part in). A corner with less than a thousandth of the gradient
/// would have to go a thousand times the way that the entry is off.
template <int N, class T>
inline T weight_that_moves(const Vec3<T> (&gradient)[N], const T (&w)[N]) {
  T part = dot(gradient[0], gradient[0]), s = w[0] * part, sum = part, largest = w[0];
  for (int i = 1; i < N; ++i) {
    part = dot(gradient[i], gradient[i]);
    s = mul_add(w[i], part, s);
    sum = sum + part;
    largest = max(largest, w[i]);
  }
  return zero_unless(s > sum * largest * T(ScalarOf<T>(1e-6)), s);
}

/// Where multipliers that were solved with damping, and would be kept, must not be: forgets them there.
///
/// With K the inverse of the compliance a, A = grad C W grad C^T and m = grad C . (x - x_start), a projection ends with
///
///   a lambda' = -(C + c m) - (1 + c) A step,      of which  -(C + A step)  is elastic
///
/// so that the rest, which damps, is
///
///   D = c / (1 + c) (lambda' - s),      s = -K (C - m), the multipliers of the strain at the start of the substep
///
/// Kept, it is pushed along the gradient of now while the element turns on: the force of a geometric stiffness,
/// integrated explicitly, which rings from D tr Q = 0.4 on (solver/tension.cpp; Q = sum w m m^T over the corners). The
/// elastic part is bounded by how far the element is strained, D only by how fast. Where it is large multipliers
/// start at zero again, which is stable and a little soft while it lasts; at rest D is zero. (To keep the elastic part
/// alone is no way out: its push is then taken back by the damping of the next substep only as far as one sweep can,
/// and bodies blow up after the smallest kick.)
template <int kNormal, int E, class T>
inline void forget_strong_damping(const T& c, const T (&at_start)[E], const T& trace_Q, T (&lambda)[E]) {
  constexpr double kMost = 0.2;  // half of the least that was seen to ring
  T square(0);
  for (int e = 0; e < E; ++e) {
    const T off = lambda[e] - at_start[e];
    square = mul_add(off, e < kNormal ? off : off + off, square);
  }
  const T size = c / (T(1) + c) * trace_Q;
  const auto keep = square * (size * size) < T(ScalarOf<T>(kMost * kMost));
  for (T& l : lambda) l = zero_unless(keep, l);
}

/// The scalar step: d_lambda of one entry. `motion` is grad C . (x - x_start), used when general.
template <bool kCompliant, bool kGeneral, class T>
inline T multiplier_step(const T& C, const T& s, const Strength<T>& strength, const T& lambda, const T& dt,
                         const T& motion) {
  const T rate = T(1) / dt;  // uniform over the sweep: the compiler moves it out of the loop
  T step;
  if constexpr (!kCompliant) {
    T k = strength.positive;
    if constexpr (kGeneral) k = select(C < T(0), max(strength.negative, T(0)), k);
    step = -(k * C) / s;
  } else if constexpr (!kGeneral) {
    const T a = strength.positive * (rate * rate);
    step = -mul_add(a, lambda, C) / (s + a);
  } else {
    const auto negative_side = C < T(0);
    const auto off = negative_side & (strength.negative < T(0));
    const T a = select(negative_side, strength.negative, strength.positive) * (rate * rate);
    const T c = strength.damping * rate;
    step = -mul_add(c, motion, mul_add(a, lambda, C)) / mul_add(c, s, s + a);
    step = select(off, -lambda, step);  // a slack constraint pushes nothing
  }
  // Nothing to push along (s = a = 0), or a corner that is not finite: leave the lane alone.
  return zero_unless(is_finite(step), step);
}

/// The step of a type whose three entries are C = sum b_i x_i: the block is s times the unit matrix, and one division
/// serves all. In: the gap C. Updates the multipliers. Without kGuarded the caller does not write what is not finite.
template <bool kCompliant, bool kGeneral, bool kGuarded = true, class T, int N>
PLIANT_HOT inline Vec3<T> linear_step(const T (&b)[N], const T (&w)[N], Vec3<T> gap, const Strength<T>& strength,
                                      const T& dt, const std::type_identity_t<Vec3<T>>* motion, T (&lambda)[3]) {
  T s = w[0] * (b[0] * b[0]);
  for (int i = 1; i < N; ++i) s = mul_add(w[i], b[i] * b[i], s);
  T divisor = s, k(-1);
  if constexpr (!kCompliant) {
    k = -strength.positive;
  } else {
    const T rate = T(1) / dt;
    const T a = strength.positive * (rate * rate);
    for (int e = 0; e < 3; ++e) gap[e] = mul_add(a, lambda[e], gap[e]);
    if constexpr (kGeneral) {
      const T c = strength.damping * rate;
      Vec3<T> moved = motion[0] * b[0];
      for (int i = 1; i < N; ++i) moved = mul_add(motion[i], b[i], moved);
      gap = mul_add(moved, c, gap);
      divisor = mul_add(c, s, divisor);
    }
    divisor = divisor + a;
  }
  Vec3<T> step = gap * (k / (kGuarded ? divisor : not_zero(divisor)));
  if constexpr (kGuarded || kCompliant) {
    const auto good = is_finite(step.x + step.y + step.z);
    const Vec3<T> finite = {zero_unless(good, step.x), zero_unless(good, step.y), zero_unless(good, step.z)};
    if constexpr (kCompliant) {
      for (int e = 0; e < 3; ++e) lambda[e] = lambda[e] + finite[e];
    }
    if constexpr (kGuarded) step = finite;
  }
  return step;
}

}  // namespace detail

/// For solve_constraint: nothing is done with the push of the multipliers.
struct NoPush {
  static constexpr bool wanted = false;
  template <class T>
  void operator()(int, const Vec3<T>&) const {}
};

/// Solves all entries of one constraint. In: corners x, inverse masses w, multipliers lambda, and for
/// general groups the corners' motion since the start of the substep. Out: corrections d of the
/// corners, updated multipliers, and (where push.wanted) push(i, sum over entries of w_i grad_i C lambda).
/// A caller that does not write what is not finite may leave the check for overflow out (kGuarded). kAligned: frames
/// are turned to the masses (kAlignedFrame).
template <class C, bool kCompliant, bool kGeneral, bool kGuarded = true, bool kAligned = false, class T, int N, int E,
          class Push = NoPush>
PLIANT_HOT inline void solve_constraint(const typename C::Rest& rest, Vec3<T> (&x)[N], const T (&w)[N],
                                        const Strength<T>& strength, const T& dt,
                                        const std::type_identity_t<Vec3<T>>* motion, T (&lambda)[E], Vec3<T> (&d)[N],
                                        const Push& push = {}) {
  const auto along_motion = [&](const Vec3<T>(&gradient)[N]) {
    T sum(0);
    if constexpr (kCompliant && kGeneral) {
      for (int i = 0; i < N; ++i) sum = sum + dot(gradient[i], motion[i]);
    }
    return sum;
  };
  const auto weight = [&](const Vec3<T>(&a)[N], const Vec3<T>(&b)[N]) {
    T sum = w[0] * dot(a[0], b[0]);
    for (int i = 1; i < N; ++i) sum = mul_add(w[i], dot(a[i], b[i]), sum);
    return sum;
  };

  if constexpr (kCompliant && requires { C::template solve<kGeneral>(rest, x, w, dt, dt, motion, lambda, d, push); }) {
    // The type has a shorter way through its own block (elastic tets).
    if constexpr (has_aligned_frame<C>()) {
      C::template solve<kGeneral, kAligned>(rest, x, w, strength.damping, dt, motion, lambda, d, push);
    } else {
      C::template solve<kGeneral>(rest, x, w, strength.damping, dt, motion, lambda, d, push);
    }
  } else if constexpr (is_linear<C>()) {
    T b[N];
    C::shares(rest, b);
    Vec3<T> gap = x[0] * b[0];
    for (int i = 1; i < N; ++i) gap = mul_add(x[i], b[i], gap);
    const Vec3<T> step = detail::linear_step<kCompliant, kGeneral>(b, w, gap, strength, dt, motion, lambda);
    for (int i = 0; i < N; ++i) d[i] = step * (w[i] * b[i]);
    detail::drop_unless_finite(d);
    if (kCompliant && push.wanted) {
      const Vec3<T> force{lambda[0], lambda[1], lambda[2]};
      for (int i = 0; i < N; ++i) push(i, force * (w[i] * b[i]));
    }
  } else if constexpr (E == 1 && solve_of<C>() == Solve::block) {
    Vec3<T> gradient[1][N];
    T value[1];
    evaluate_all<C, kGuarded>(rest, x, value, gradient);
    const T s = weight(gradient[0], gradient[0]);
    T step =
        detail::multiplier_step<kCompliant, kGeneral>(value[0], s, strength, lambda[0], dt, along_motion(gradient[0]));
    if constexpr (requires { C::kMostStep; }) {
      const T most = T(ScalarOf<T>(C::kMostStep)) / s;
      step = select(abs(step) > most, copy_sign(most, step), step);
    }
    if constexpr (kCompliant) lambda[0] = lambda[0] + step;
    for (int i = 0; i < N; ++i) d[i] = gradient[0][i] * (w[i] * step);
    if (push.wanted) {
      for (int i = 0; i < N; ++i) push(i, gradient[0][i] * (w[i] * lambda[0]));
    }
  } else if constexpr (solve_of<C>() == Solve::block) {
    Vec3<T> gradient[E][N];
    T value[E], A[E][E], step[E];
    evaluate_all<C>(rest, x, value, gradient);
    for (int a = 0; a < E; ++a) {
      for (int b = 0; b <= a; ++b) A[a][b] = weight(gradient[a], gradient[b]);
    }
    for (int a = 0; a < E; ++a) {
      if constexpr (!kCompliant) {
        step[a] = -(strength.positive * value[a]);
      } else {
        const T rate = T(1) / dt;
        const T compliance = strength.positive * (rate * rate);
        step[a] = -mul_add(compliance, lambda[a], value[a]);
        if constexpr (kGeneral) {
          const T c = strength.damping * rate;
          step[a] = neg_mul_add(c, along_motion(gradient[a]), step[a]);
          for (int b = 0; b <= a; ++b) A[a][b] = mul_add(c, A[a][b], A[a][b]);
        }
        A[a][a] = A[a][a] + compliance;
      }
    }
    detail::solve_symmetric(A, step);
    auto good = is_finite(step[0]);
    for (int a = 1; a < E; ++a) good = good & is_finite(step[a]);
    for (int a = 0; a < E; ++a) {
      step[a] = zero_unless(good, step[a]);
      if constexpr (kCompliant) lambda[a] = lambda[a] + step[a];
    }
    for (int i = 0; i < N; ++i) {
      d[i] = gradient[0][i] * (w[i] * step[0]);
      for (int a = 1; a < E; ++a) d[i] = mul_add(gradient[a][i], w[i] * step[a], d[i]);
    }
    detail::drop_unless_finite(d);
    if (push.wanted) {
      for (int i = 0; i < N; ++i) {
        Vec3<T> sum = gradient[0][i] * (w[i] * lambda[0]);
        for (int a = 1; a < E; ++a) sum = mul_add(gradient[a][i], w[i] * lambda[a], sum);
        push(i, sum);
      }
    }
  } else {
    for (int i = 0; i < N; ++i) d[i] = {T(0), T(0), T(0)};
    const auto entry = [&]<int I>(std::integral_constant<int, I>) {
      Vec3<T> gradient[N];
      const T value = C::template evaluate_entry<I>(rest, x, gradient);
      T moved = along_motion(gradient);
      for (int i = 0; i < N; ++i) moved = moved + dot(gradient[i], d[i]);
      const T s = kCompliant ? weight(gradient, gradient) : detail::weight_that_moves(gradient, w);
      const T step = detail::multiplier_step<kCompliant, kGeneral>(value, s, strength, lambda[I], dt, moved);
      if constexpr (kCompliant) lambda[I] = lambda[I] + step;
      for (int i = 0; i < N; ++i) {
        const Vec3<T> move = gradient[i] * (w[i] * step);
        d[i] += move;
        x[i] += move;
        if (push.wanted) push(i, gradient[i] * (w[i] * lambda[I]));
      }
    };
    [&]<int... I>(std::integer_sequence<int, I...>) { (entry(std::integral_constant<int, I>()), ...); }
    (std::make_integer_sequence<int, E>());
  }
}

/// Projects one constraint of one entry to zero (pbd): moves the corners `place`, whose differences are x. With kHasty
/// by the quick way: the caller does not write what is not finite, nor lanes that `sure` loses, but comes again without
/// it; other lanes have the same bits either way. A value and a gradient that have a common factor will do (see
/// constraint.h, evaluate_up_to_scale).
template <class C, bool kHasty, class T, int N>
PLIANT_HOT inline void project_to_zero(const typename C::Rest& rest, const Vec3<T> (&x)[N], const T (&w)[N],
                                       const T& stiffness, Vec3<T>* const (&place)[N], MaskOf<T>& sure) {
  Vec3<T> gradient[1][N];
  T value[1];
  if constexpr (has_evaluate_up_to_scale<C>()) {
    MaskOf<T> right;
    value[0] = C::template evaluate_up_to_scale<kHasty>(rest, x, gradient[0], right);
    if constexpr (kHasty) sure = sure & right;
  } else {
    evaluate_all<C, false>(rest, x, value, gradient);
  }
  T s = w[0] * dot(gradient[0][0], gradient[0][0]);
  for (int i = 1; i < N; ++i) s = mul_add(w[i], dot(gradient[0][i], gradient[0][i]), s);
  T step;
  if constexpr (kHasty) {
    step = -(stiffness * value[0]) / not_zero(s);
  } else {
    step = -(stiffness * value[0]) / s;
    step = zero_unless(is_finite(step), step);
  }
  for (int i = 0; i < N; ++i) *place[i] = mul_add(gradient[0][i], w[i] * step, *place[i]);
}

}  // namespace pliant
