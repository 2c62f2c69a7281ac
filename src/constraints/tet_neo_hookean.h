#pragma once
#include <limits>

#include "constraints/stretches.h"
#include "constraints/tet_aligned.h"
#include "materials/logarithm.h"

namespace pliant {

/// The stable model as a function of principal stretches (stretches.h), going on as corotated like the log form.
struct StableNeoHookeanStretches {
  static constexpr double kLeastCorotated = NeoHookeanStretches::kLeastVolume;

  template <class T>
  static T energy(const Vec3<T>& s, const T& ratio) {
    const T half = T(0.5f), one(1), j = s.x * s.y * s.z - one;
    const T t = mul_add(s.z - one, s.z + one, mul_add(s.y - one, s.y + one, (s.x - one) * (s.x + one)));  // I1 - 3
    const T shape = number<T>(2.0 / 3) * (t - log(one_plus(T(0.25f) * t)));
    return shape + mul_add(half * (ratio + number<T>(5.0 / 6)) * j, j, -j);
  }
  /// Squeezed along one axis, I1 + 1 = s^2 + 3.
  template <class T>
  static T stiffening(const T& ratio) {
    constexpr double s = kLeastCorotated, shape = 4.0 / 3 * (1 - 1 / (s * s + 3)) * s - 1 - 5.0 / 6 * (1 - s);
    return mul_add(ratio, number<T>(1 - s), number<T>(-shape)) /
           mul_add(ratio, number<T>(1 - s), number<T>(2 * (1 - s)));
  }
};

/// Neo-Hookean tetrahedron (log form) whose potential is exactly V psi(F).    bender14 4.1, cao22 4.2
///
///   psi = mu/2 (tr C - 3) - mu ln J + lambda/2 ln^2 J,   C = F^T F,  J = det F
///   S   = mu (I - C^-1) + lambda ln J C^-1               second Piola-Kirchhoff stress
///   D   = lambda C^-1 (x) C^-1 + 2 (mu - lambda ln J) C^-1 (.) C^-1      its derivative dS/dE
///
/// The six entries of the Green strain carry six multipliers, at rest -dt^2 V S. One Newton step solves
///
///   (D^-1 / (V dt^2) + G W G^T) step = -D^-1 [S + multipliers / (V dt^2)]
///
/// D^-1[T] = (C T C - kappa tr(C T) C) / (2 mu'), kappa = lambda / (3 lambda + 2 mu'), needs no inverse of C,
/// and its first part is the metric of tet_strain.h with Q + C / (2 mu' V dt^2) in place of Q: it costs
/// nothing. mu' = mu - lambda ln J is not positive under strong expansion; there the value at rest is
/// taken, which is stiffer: the step becomes shorter and its fixed point stays. Likewise D^-1 grows with C^2 when
/// stretched, and Newton's step from 1.4 times the rest length on would end beyond a point: it is shortened by tr C -
/// 2, about the largest squared stretch, which makes it the secant's.
///
/// C S C = mu (A + A^2) + lambda ln J (I + A) with A = C - I does not cancel near rest.
///
/// Far from rest (kFarTrace, kFarVolume) neither Newton's step nor the secant's will do: the one may go beyond what the
/// energy allows, the other undo so little of what the motion has done that an element flies on and on. There the step
/// is Newton's times what makes the energy of this element in this substep least (search()), and where that is still a
/// large one the multipliers are forgotten. The fixed point is the same.
///
/// A lane whose volume is below NeoHookeanStretches::kLeastVolume of that at rest, or inverted, takes the corotated
/// strain (tet_strain.h) instead, stiffened so that the stress goes on from there. Its multipliers start and end at
/// zero. Only batches with such a lane pay for the decomposition. With C = I and the entries of S - I the matrix below
/// is Hooke's law.
///
/// kSmallestJ keeps the logarithm of such lanes finite; it is not used.
///
/// With kStable the model of Smith, de Goes, Kim 2018 (materials/neo_hookean_stable.h), which has no singularity. With
/// j = J - 1, I1 = tr C, r = lambda / mu + 5/6, and c = t / (3 (4 + t)), t = tr A,
///
///   S / mu = 4/3 (1 - 1 / (I1 + 1)) I + (r j - 1) J C^-1,     C S C / mu = A + A^2 + j (r J - 1) C + c C^2
///
/// so that j (r J - 1) stands where ln J lambda / mu is above, in mu' as well. D has lambda = mu J (r (2 J - 1) - 1) +
/// mu / 6 and a part along I (x) I that is left out but for its value at rest, mu / 6: it only makes the step another
/// one.
template <class T, bool kStable>
struct TetNeoHookeanOf : ElasticTet {
  using Number = T;
  static constexpr bool kFineStrain = true, kAlignedFrame = true;
  static constexpr const char* kSummary =
      kStable ? "stable Neo-Hookean elasticity of a tetrahedron" : "Neo-Hookean elasticity of a tetrahedron";
  using Stretches = std::conditional_t<kStable, StableNeoHookeanStretches, NeoHookeanStretches>;
  static constexpr double kSmallestJ = 1e-3;
  /// Of tr C and of J, above which an element is far from rest: pulled to more than three times its length, or blown up
  /// to two and a half times its volume. (With 5 and 1.5 a limb that hung bent far rang for ever.) And the squared change
  /// of F in one projection above which it does not keep its multipliers there.
  static constexpr double kFarTrace = 12, kFarVolume = 2.5, kLargeChange = 0.1;

  using Tet = DeformedTet<T, AlignedFrame<T>>;
  struct Rest {
    AlignedFrame<T> frame;
    T stiffness;  // mu V  [J]
    T ratio;      // lambda / mu
    template <class F>
    constexpr void each(F&& f) {
      frame.each(f);
      f("stiffness", stiffness);
      f("ratio", ratio);
    }
    template <class F>
    constexpr void each_made(F&& f) {
      frame.each_made(f);
      f("stiffness", stiffness);
      f("ratio", ratio);
    }
  };

  static Rest rest(const Vec3<T> (&x)[4], T lambda = T(1), T mu = T(1)) {
    Rest rest;
    T volume;
    rest.frame = RestFrame<T>::from(x, volume);
    rest.stiffness = mu * volume;
    rest.ratio = lambda / mu;
    return rest;
  }

  static void evaluate(const Rest& rest, const Vec3<T> (&x)[4], T (&C)[6], Vec3<T> (&gradient)[6][4]) {
    const Tet tet(rest.frame, x);
    tet.strain(C);
    tet.gradients(gradient);
  }

  template <bool kGeneral, bool kAligned = false, class Push, class Strain = PlainStrain>
  PLIANT_HOT static void solve(const Rest& rest, const Vec3<T> (&x)[4], const T (&w)[4], const T& damping, const T& dt,
                               const Vec3<T>* motion, T (&lambda)[6], Vec3<T> (&d)[4], const Push& push,
                               const Strain& known = {}) {
    solve_aligned_tet<TetNeoHookeanOf, kGeneral, kAligned>(rest, x, w, damping, dt, motion, lambda, d, push, known);
  }

  /// The same step where the masses are diagonal (tet_aligned.h). Its compliance has shear beside the diagonal, too,
  /// and nearly incompressible material multiplies what is left out of that. But with C = U^T diag(D) U, U having ones
  /// on its diagonal, and the multipliers T = U^-1 Z U^-T, all of it is as if C were diag(D):
  ///
  ///   D Z D - kappa tr(D Z) D + sym(D Z Q')  =  -(D X D - kappa tr(D X) D),   Q' = U^-T Q U^-1
  ///   X = U (V dt^2 S + L) U^T,   U S U^T / mu = U U^T - D^-1 + (lambda ln J / mu) D^-1
  ///
  /// (for kStable with c more times U U^T). Divided by D on both sides, and for D_a Z_aa, the diagonal is Hooke's law
  /// with h_a = Q'_aa / D_a in place of q and C = I. Neither C^-1 nor C S C is needed, and D - 1 comes from C - I
  /// without cancelling, and so does J^2 - 1 = D_0 D_1 D_2 - 1.
  ///
  /// The bound of tet_aligned.h holds for Q' in place of C. With the least q first its r_ab are at most u_01, u_02 -
  /// u_01 u_12 and u_12 + u_01 (u_02 - u_01 u_12).
  template <class Strain>
  PLIANT_HOT static MaskOf<T> solve_aligned(const Rest& rest, const Vec3<T> (&x)[4], const T (&w)[4], const T& dt,
                                            bool wanted, const T (&lambda)[6], T (&next)[6], Vec3<T> (&d)[4],
                                            Vec3<T> (&total)[4], const Strain& known) {
    const Tet tet(rest.frame, x, known);
    const T one(1), two(2), three(3), half(ScalarOf<T>(0.5));
    const T J = tet.determinant();
    // C = U^T D U and U^-1 = [1 -u01 v02; 1 -u12; 1], from minors of C: no division waits for another.
    const T(&C)[6] = tet.C;
    const T minor = neg_mul_add(C[5], C[5], C[0] * C[1]), cross12 = neg_mul_add(C[4], C[5], C[0] * C[3]);
    const T cross02 = neg_mul_add(C[4], C[1], C[5] * C[3]);
    const T det = mul_add(C[4], cross02, neg_mul_add(C[3], cross12, C[2] * minor));  // J^2
    const T by0 = one / C[0], by1 = one / minor, by2 = one / det;
    const T u01 = C[5] * by0, u02 = C[4] * by0, u12 = cross12 * by1, v02 = cross02 * by1;
    const T i[3] = {by0, C[0] * by1, minor * by2};                             // 1 / D
    const T e0 = two * tet.E[0], e1 = neg_mul_add(u01, C[5], two * tet.E[1]);  // D - 1
    const T e2 = neg_mul_add(u12, cross12 * by0, neg_mul_add(u02, C[4], two * tet.E[2]));
    const T shear_square = mul_add(u12, u12, mul_add(v02, v02, u01 * u01));
    const T traceC = (C[0] + C[1]) + C[2];
    const auto plain = ((shear_square <= number<T>(kMostShear)) & (J >= number<T>(NeoHookeanStretches::kLeastVolume)) &
                        !is_far(traceC, J)) |
                       nothing_moves(w);

    const T product = mul_add(e0, e1, e0 + e1), square = mul_add(product, e2, product + e2);  // J^2 - 1
    T volumetric, ratio = rest.ratio, along(0);  // lambda ln J / mu, lambda / mu of D, c
    if constexpr (kStable) {
      const T r = rest.ratio + number<T>(5.0 / 6), j = square / (J + one);
      volumetric = j * mul_add(r, J, -one);
      ratio = max(mul_add(J, mul_add(r, two * J - one, -one), number<T>(1.0 / 6)), T(0));
      const T traceA = two * ((tet.E[0] + tet.E[1]) + tet.E[2]);
      along = traceA / mul_add(three, traceA, T(12));
    } else {
      const T lost = (square - (det - one)) * by2;  // of log J^2, by rounding of det
      volumetric = rest.ratio * (half * (log_of_normal(det) + lost));
    }
    // mu' / mu. In the log form with (J - 1/J) / 2 for ln J, which is not less where it counts, below 1: the matrix,
    // and so the step, need not wait for the logarithm.
    const T shear = max(one - (kStable ? volumetric : rest.ratio * (half * neg_mul_add(J, by2, J))), one);
    const T kappa = ratio / mul_add(three, ratio, two * shear);
    const T size = rest.stiffness * (dt * dt);  // mu V dt^2
    const T overshoot = max(traceC - two, one);
    const T unit = two * shear * size * overshoot;

    // X, as 00, 11, 22, 12, 20, 01
    T X[6];
    congruent(u01, u02, u12, lambda, X);
    const T uu[6] = {mul_add(u02, u02, u01 * u01), u12 * u12, T(0), u12, u02, mul_add(u02, u12, u01)};  // of U U^T - I
    const T e[3] = {e0, e1, e2};
    for (int a = 0; a < 3; ++a) {
      T stress = mul_add(e[a] + volumetric, i[a], uu[a]);
      if constexpr (kStable) stress = mul_add(along, one + uu[a], stress);
      X[a] = mul_add(size, stress, X[a]);
    }
    for (int a = 3; a < 6; ++a) {
      const T stress = kStable ? mul_add(along, uu[a], uu[a]) : uu[a];
      X[a] = mul_add(size, stress, X[a]);
    }

    T q[3], b[6], Z[6], pivot[6];
    mass_diagonal(tet, w, q);
    for (T& a : q) a = a * unit;
    const T n01 = -(u01 * q[0]), n02 = v02 * q[0], n12 = -mul_add(u12, q[1], u01 * n02);  // Q' beside its diagonal
    const T h0 = q[0] * i[0], h1 = neg_mul_add(u01, n01, q[1]) * i[1];
    const T h2 = mul_add(u12 * u12, q[1], mul_add(v02, n02, q[2])) * i[2];
    pivot[0] = one + h0;
    pivot[1] = one + h1;
    pivot[2] = one + h2;
    pivot[3] = pivot[1] + pivot[2];
    pivot[4] = pivot[2] + pivot[0];
    pivot[5] = pivot[0] + pivot[1];
    for (int a = 0; a < 3; ++a) b[a] = mul_add(e[a], X[a], X[a]);
    const T trace = kappa * ((b[0] + b[1]) + b[2]);
    for (int a = 0; a < 3; ++a) b[a] = trace - b[a];
    for (int a = 3; a < 6; ++a) b[a] = -(X[a] + X[a]);
    NearlyDiagonal<T>(pivot, kappa)
        .solve_with(
            [&](const T(&y)[6], T(&r)[6]) __attribute__((always_inline)) {
              const T s12 = n12 * y[3], s02 = n02 * y[4], s01 = n01 * y[5];
              r[0] = (b[0] - s01) - s02;
              r[1] = (b[1] - s01) - s12;
              r[2] = (b[2] - s02) - s12;
              r[3] =
                  neg_mul_add(i[2], mul_add(n12 * i[1], y[1] + y[2], n02 * y[5]), neg_mul_add(i[1], n01 * y[4], b[3]));
              r[4] =
                  neg_mul_add(i[2], mul_add(n02 * i[0], y[0] + y[2], n12 * y[5]), neg_mul_add(i[0], n01 * y[3], b[4]));
              r[5] =
                  neg_mul_add(i[1], mul_add(n01 * i[0], y[0] + y[1], n12 * y[4]), neg_mul_add(i[0], n02 * y[3], b[5]));
            },
            b, Z);
    for (int a = 0; a < 3; ++a) Z[a] = Z[a] * i[a];
    T step[6];
    congruent(-u01, v02, -u12, Z, step);
    take_step(tet, step, w, wanted, lambda, next, d, total);
    return plain;
  }

  template <bool kGeneral, class Push, class Strain = PlainStrain>
  static void solve_whole(const Rest& rest, const Vec3<T> (&x)[4], const T (&w)[4], const T& damping, const T& dt,
                          const Vec3<T>* motion, T (&lambda)[6], Vec3<T> (&d)[4], const Push& push,
                          const Strain& known = {}) {
    Tet tet(rest.frame, x, known);
    const T one(1), two(2), three(3);
    const T J = tet.determinant();
    const MaskOf<T> squeezed = (!(J >= number<T>(NeoHookeanStretches::kLeastVolume))) & tet.moves(w);
    const bool some = any(squeezed);
    const T traceC = (tet.C[0] + tet.C[1]) + tet.C[2];
    MaskOf<T> far = is_far(traceC, J) & !squeezed & tet.moves(w);
    const bool search_step = !kGeneral && any(far);  // damping is not in the energy that search() knows
    T A2[6], square[6], R[6];                        // A = C - I and its square
    for (int a = 0; a < 6; ++a) A2[a] = a < 3 ? two * tet.E[a] : tet.E[a];
    multiply_symmetric(A2, A2, square);
    const T traceA = A2[0] + A2[1] + A2[2];
    const T lost = lost_of_log(J, traceA, square);
    T volumetric, ratio = rest.ratio, along(0);  // lambda ln J / mu, lambda / mu of D, c
    if constexpr (kStable) {
      const T r = rest.ratio + number<T>(5.0 / 6), j = (J - one) + lost;
      volumetric = j * mul_add(r, J, -one);
      ratio = max(mul_add(J, mul_add(r, two * J - one, -one), number<T>(1.0 / 6)), T(0));
      along = traceA / mul_add(three, traceA, T(12));
    } else {
      volumetric = rest.ratio * (log(max(J, T(ScalarOf<T>(kSmallestJ)))) + lost);
    }
    const T shear = max(one - volumetric, one);  // mu' / mu
    T kappa = ratio / mul_add(three, ratio, two * shear);
    const T size = rest.stiffness * (dt * dt);  // mu V dt^2
    T overshoot = max(traceC - two, one);
    if (search_step) overshoot = select(far, one, overshoot);
    T unit = two * shear * size * overshoot;  // everything is multiplied by it: the compliance is C's alone

    // R = size (C S C / mu) + C L C, with L the matrix of multipliers; then the trace part.
    for (int e = 0; e < 6; ++e) {
      T sum = mul_add(volumetric, tet.C[e], A2[e] + square[e]);
      if constexpr (kStable) sum = mul_add(along, mul_add(two, A2[e], square[e]) + T(e < 3 ? 1 : 0), sum);
      R[e] = size * sum;
    }
    T CLC[6];
    sandwich(tet.C, lambda, CLC);
    T traceCL = mul_add(tet.C[2], lambda[2], mul_add(tet.C[1], lambda[1], tet.C[0] * lambda[0]));
    for (int e = 3; e < 6; ++e) traceCL = mul_add(two * tet.C[e], lambda[e], traceCL);
    T traceCS = mul_add(three, volumetric, traceA);  // of C S / mu
    if constexpr (kStable) traceCS = mul_add(along, three + traceA, traceCS);
    const T trace = kappa * mul_add(size, traceCS, traceCL);
    T step[6];
    for (int e = 0; e < 6; ++e) {
      const T r = neg_mul_add(trace, tet.C[e], R[e] + CLC[e]);
      step[e] = e < 3 ? -r : -(two * r);
    }

    if (some) [[unlikely]] {
      T strain[6] = {};
      tet.corotate(squeezed, strain);
      for (int e = 0; e < 6; ++e) {
        lambda[e] = select(squeezed, T(0), lambda[e]);
      }
      kappa = select(squeezed, rest.ratio / mul_add(three, rest.ratio, two), kappa);
      unit = select(squeezed, two * Stretches::stiffening(rest.ratio) * size, unit);
      for (int e = 0; e < 6; ++e) step[e] = select(squeezed, -(unit * strain[e]), step[e]);
    }

    T Q[6], A[6][6], entry[6], moved[6];
    tet.mass_metric(w, Q);
    const T trace_Q = (Q[0] + Q[1]) + Q[2];
    if constexpr (kGeneral) {
      const T c = damping / dt;
      T change[6];
      tet.strain_change(rest.frame, motion, change);
      for (int e = 0; e < 6; ++e) {
        moved[e] = unit * change[e];
        step[e] = neg_mul_add(c * unit, change[e], step[e]);
        Q[e] = mul_add(c, Q[e], Q[e]);
      }
    }
    for (int e = 0; e < 6; ++e) Q[e] = mul_add(unit, Q[e], tet.C[e]);
    tet.gram(Q, A);
    for (int e = 0; e < 6; ++e) entry[e] = e < 3 ? tet.C[e] : two * tet.C[e];
#pragma GCC unroll 6
    for (int e = 0; e < 6; ++e) {
#pragma GCC unroll 6
      for (int g = 0; g <= e; ++g) A[e][g] = neg_mul_add(kappa * entry[e], entry[g], A[e][g]);
    }
    if (search_step) [[unlikely]] {
      T none[6] = {};
      Tet::template advance<true>(A, step, none);
      search(rest, tet, w, size, lambda, far, step);
      tet.push(step, w, d);
      detail::drop_unless_finite(d);
      for (int e = 0; e < 6; ++e) lambda[e] = select(squeezed | far, T(0), lambda[e] + step[e]);
      if (push.wanted) {
        Vec3<T> total[4];
        tet.push(lambda, w, total);
        for (int k = 0; k < 4; ++k) push(k, total[k]);
      }
      return;
    }
    tet.template finish<true>(A, step, w, lambda, d, push, some ? &squeezed : nullptr, [&](T(&kept)[6]) {
      if constexpr (kGeneral) {
        T at_start[6];
        multipliers_at_start(tet.C, kappa, R, kappa * size * traceCS, moved, at_start);
        detail::forget_strong_damping<3>(damping / dt, at_start, trace_Q, kept);
      }
    });
  }

  /// Where the corotated strain is taken; its projection gives up angular momentum (tet_corotated.h).
  static MaskOf<T> squeezed(const Rest& rest, const Vec3<T> (&x)[4], const T (&w)[4]) {
    const Tet tet(rest.frame, x);
    return (!(tet.determinant() >= number<T>(NeoHookeanStretches::kLeastVolume))) & tet.moves(w);
  }

  /// V psi [J].
  static T energy(const Rest& rest, const Vec3<T> (&x)[4]) {
    const Tet tet(rest.frame, x);
    const Vec3<T> s = svd(Mat3<T>{tet.f[0], tet.f[1], tet.f[2]}).s;
    T own;
    if constexpr (kStable) {
      own = Stretches::energy(s, rest.ratio);
    } else {
      const T half(ScalarOf<T>(0.5)), logJ = log(max(tet.determinant(), T(ScalarOf<T>(kSmallestJ))));
      const T stretch = (tet.C[0] - T(1)) + (tet.C[1] - T(1)) + (tet.C[2] - T(1));
      own = half * stretch - logJ + half * rest.ratio * logJ * logJ;
    }
    return rest.stiffness * select(tet.determinant() < number<T>(NeoHookeanStretches::kLeastVolume),
                                   energy_with_corotation<Stretches>(s, rest.ratio), own);
  }

 private:
  static MaskOf<T> is_far(const T& traceC, const T& J) {
    return (traceC > number<T>(kFarTrace)) | (J > number<T>(kFarVolume));
  }

  /// psi / mu from I1 - 3 and J.
  static T energy_of(const T& ratio, const T& more, const T& J) {
    const T half(ScalarOf<T>(0.5)), one(1);
    if constexpr (kStable) {
      const T j = J - one;
      const T shape = number<T>(2.0 / 3) * (more - log(one_plus(T(ScalarOf<T>(0.25)) * more)));
      return shape + mul_add(half * (ratio + number<T>(5.0 / 6)) * j, j, -j);
    } else {
      const T logJ = log(max(J, T(ScalarOf<T>(kSmallestJ))));
      return mul_add(half, more, mul_add(half * ratio * logJ, logJ, -logJ));
    }
  }

  /// In the lanes `far`: makes the step that part (or multiple) of itself which makes the energy of the substep least,
  ///
  ///   |x - x_free|^2 / 2 + dt^2 V psi(F + t dF),   x_free = x - W G^T lambda, where the corners go without the element
  ///
  /// with G^T step = F Z m_k and dF = F Z Q for the matrix Z of the step. Newton's step, whose matrix is positive
  /// definite, always leads down. What would squeeze the element out of bounds, or stretch it further by much, is no
  /// part to take; where all are like that it is the least. `far` becomes the lanes whose step is a large one.
  [[gnu::noinline]] static void search(const Rest& rest, const Tet& tet, const T (&w)[4], const T& size,
                                       const T (&lambda)[6], MaskOf<T>& far, T (&step)[6]) {
    constexpr double kParts[] = {1.0 / 512, 1.0 / 64, 0.125, 0.25, 0.5, 1, 2, 4};
    const T half(ScalarOf<T>(0.5)), one(1);
    Vec3<T> z[3], l[3], c[3];
    T Q[6];
    tet.mass_metric(w, Q);
    tet.columns(step, z);
    tet.columns(lambda, l);
    for (int b = 0; b < 3; ++b) {
      c[b] = mul_add(z[2], Q[Tet::at(2, b)], mul_add(z[1], Q[Tet::at(1, b)], z[0] * Q[Tet::at(0, b)]));
    }
    const T way = half * (dot(c[0], z[0]) + dot(c[1], z[1]) + dot(c[2], z[2]));
    const T pull = dot(c[0], l[0]) + dot(c[1], l[1]) + dot(c[2], l[2]);
    const T most = number<T>(1.25) * ((tet.C[0] + tet.C[1]) + tet.C[2]);
    T best = number<T>(kParts[0]), least = T(std::numeric_limits<ScalarOf<T>>::infinity());
    for (double p : kParts) {
      const T t = number<T>(p);
      const Vec3<T> f[3] = {mul_add(c[0], t, tet.f[0]), mul_add(c[1], t, tet.f[1]), mul_add(c[2], t, tet.f[2])};
      const T J = dot(f[0], cross(f[1], f[2])), trace = dot(f[0], f[0]) + dot(f[1], f[1]) + dot(f[2], f[2]);
      const T value = mul_add(size, energy_of(rest.ratio, trace - T(3), J), t * mul_add(t, way, pull));
      const auto better = (J >= number<T>(NeoHookeanStretches::kLeastVolume)) & (trace <= most) & (value < least);
      best = select(better, t, best);
      least = select(better, value, least);
    }
    best = select(far, best, one);
    for (T& z_e : step) z_e = z_e * best;
    const T change = best * best * (dot(c[0], c[0]) + dot(c[1], c[1]) + dot(c[2], c[2]));
    far = far & !(change <= T(ScalarOf<T>(kLargeChange)));
  }

  /// What log J lacks by the rounding of J: A has more digits near rest, and J^2 - 1 = det(I + A) - 1 = tr A +
  /// (tr^2 A - tr A^2) / 2 + det A none that cancel. Half of the difference (over J^2, which is near 1), for strains up
  /// to 1.5e-3: there det A is below 2e-9 and left out, and beyond log J is good to a few parts in 1e5 by itself.
  static T lost_of_log(const T& J, const T& trace, const T (&square)[6]) {
    const T half(ScalarOf<T>(0.5)), one(1), size = (square[0] + square[1]) + square[2];
    const T change = mul_add(half, mul_add(trace, trace, -size), trace);
    return zero_unless(size < number<T>(1e-5), half * neg_mul_add(J - one, J + one, change));
  }

  /// Multipliers of the strain before the corners have moved (detail::forget_strong_damping): X with
  /// C X C - kappa tr(C X) C = Y, Y what the motion has changed less C S C - kappa tr(C S) C, so that
  ///
  ///   X = C^-1 Y C^-1 + kappa / (1 - 3 kappa) tr(C^-1 Y) C^-1
  static void multipliers_at_start(const T (&C)[6], const T& kappa, const T (&R)[6], const T& trace,
                                   const T (&moved)[6], T (&X)[6]) {
    const T half(ScalarOf<T>(0.5)), one(1), two(2);
    const Sym3<T> I = inverse(Sym3<T>{C[0], C[1], C[2], C[5], C[4], C[3]});
    const T D[6] = {I.xx, I.yy, I.zz, I.yz, I.xz, I.xy};
    T Y[6];
    for (int e = 0; e < 6; ++e) Y[e] = mul_add(trace, C[e], mul_add(e < 3 ? one : half, moved[e], -R[e]));
    sandwich(D, Y, X);
    T sum = mul_add(D[2], Y[2], mul_add(D[1], Y[1], D[0] * Y[0]));
    for (int e = 3; e < 6; ++e) sum = mul_add(two * D[e], Y[e], sum);
    const T part = sum * (kappa / (one - T(3) * kappa));
    for (int e = 0; e < 6; ++e) X[e] = mul_add(part, D[e], X[e]);
  }

  /// B = U A U^T for U = [1 u01 u02; 1 u12; 1] and symmetric A (00, 11, 22, 12, 20, 01).
  static void congruent(const T& u01, const T& u02, const T& u12, const T (&A)[6], T (&B)[6]) {
    const T k00 = mul_add(u02, A[4], mul_add(u01, A[5], A[0])), k01 = mul_add(u02, A[3], mul_add(u01, A[1], A[5]));
    const T k02 = mul_add(u02, A[2], mul_add(u01, A[3], A[4]));
    const T k11 = mul_add(u12, A[3], A[1]), k12 = mul_add(u12, A[2], A[3]);
    B[0] = mul_add(u02, k02, mul_add(u01, k01, k00));
    B[1] = mul_add(u12, k12, k11);
    B[2] = A[2];
    B[3] = k12;
    B[4] = k02;
    B[5] = mul_add(u12, k02, k01);
  }

  /// C = A B for symmetric matrices that commute (stored as 00, 11, 22, 12, 20, 01).
  static void multiply_symmetric(const T (&A)[6], const T (&B)[6], T (&C)[6]) {
    C[0] = mul_add(A[5], B[5], mul_add(A[4], B[4], A[0] * B[0]));
    C[1] = mul_add(A[5], B[5], mul_add(A[3], B[3], A[1] * B[1]));
    C[2] = mul_add(A[4], B[4], mul_add(A[3], B[3], A[2] * B[2]));
    C[3] = mul_add(A[5], B[4], mul_add(A[3], B[2], A[1] * B[3]));
    C[4] = mul_add(A[5], B[3], mul_add(A[4], B[0], A[2] * B[4]));
    C[5] = mul_add(A[4], B[3], mul_add(A[5], B[1], A[0] * B[5]));
  }

  /// R = C L C, symmetric.
  static void sandwich(const T (&C)[6], const T (&L)[6], T (&R)[6]) {
    const auto row = [](const T(&S)[6], int a) -> Vec3<T> {
      return a == 0 ? Vec3<T>{S[0], S[5], S[4]} : a == 1 ? Vec3<T>{S[5], S[1], S[3]} : Vec3<T>{S[4], S[3], S[2]};
    };
    Vec3<T> LC[3];  // column b of L C
    for (int b = 0; b < 3; ++b) {
      const Vec3<T> c = row(C, b);
      LC[b] = {dot(row(L, 0), c), dot(row(L, 1), c), dot(row(L, 2), c)};
    }
    for (int a = 0; a < 3; ++a) R[a] = dot(row(C, a), LC[a]);
    R[3] = dot(row(C, 1), LC[2]);
    R[4] = dot(row(C, 2), LC[0]);
    R[5] = dot(row(C, 0), LC[1]);
  }
};

template <class T>
using TetNeoHookean = TetNeoHookeanOf<T, false>;
template <class T>
using TetNeoHookeanStable = TetNeoHookeanOf<T, true>;

}  // namespace pliant
