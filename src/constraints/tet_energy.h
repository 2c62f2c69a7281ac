#pragma once
// Tetrahedra whose constraint is the elastic energy itself: the documents' forms, kept for comparison with them.
//
//   tet_energy_*    C = V psi(F) [J], projected to zero                                  bender14 3.1, 4.1
//   tet_density_*   C = psi(F) [J/m^3] with the compliance 1 of xpbd, alpha~ = 1/dt^2    cao22 eq. 10
//
//        3
//       /|\        Ds = [x1-x0, x2-x0, x3-x0],  F = Ds Dm^-1
//      / | \       grad_k C = column k of V P Dm^-T,  grad_0 = -(their sum)
//     0--|--2
//      \ | /       Neither is the elastic potential in the sense of xpbd (which is C^2 / (2 compliance)): a stiffness
//       \|/        that is meant goes with tet_stvk and tet_neo_hookean. In tet_energy volume and modulus cancel from
//        1         the projection, in tet_density the potential would be psi^2 / 2.
//
// An isotropic psi does not see a rotation of the rest shape, so the frame of the rest shape may be any. There is one
// in which Dm^-1 is lower triangular, M with six numbers:
//
//   F = Ds M,  A = F^T F - I (six dot products)
//
//   StVK           psi = mu/4 tr A^2 + lambda/8 tr^2 A             P = F (mu A + lambda/2 tr(A) I)
//   Neo-Hookean    psi = mu/2 (tr A - 2 ln J) + lambda/2 ln^2 J    P = mu F + (lambda ln J - mu) F^-T
//
//   dpsi/dDs = P M^T
//
// M takes the winding with it: det F is 1 at rest. (The metric M M^T instead of M needs as many numbers, an A that is
// not symmetric, a sixth more operations, and loses twice the digits for flat tets.)
//
// Degenerate: below the model's least stretch, and inverted, the stress stays as it is there and the energy goes on
// linearly (bender14 4.2 fig. 2, stretches.h). Only batches with such a lane pay for the singular values. At rest C and
// its gradient are both zero, and nothing moves.

#include "constraints/constraint.h"
#include "constraints/stretches.h"
#include "math/svd.h"

namespace pliant {

namespace detail {

/// Where all squared stretches are above least^2: the invariants of A + c with c = 1 - least^2 are all positive (its
/// eigenvalues are real; Descartes). In: the invariants of A.
template <class T>
inline MaskOf<T> stretches_above(double least, const T& first, const T& second, const T& third) {
  const T c = number<T>(1 - least * least), two(2), three(3);
  const T e1 = mul_add(three, c, first);
  const T e2 = mul_add(c, mul_add(three, c, two * first), second);
  const T e3 = mul_add(c, mul_add(c, c + first, second), third);
  return (e1 > T(0)) & (e2 > T(0)) & (e3 > T(0));
}

/// A = F^T F - I.
template <class T>
struct GreenStrain {
  T a00, a11, a22, a12, a20, a01;

  explicit GreenStrain(const Mat3<T>& F)
      : a00(dot(F.c0, F.c0) - T(1)),
        a11(dot(F.c1, F.c1) - T(1)),
        a22(dot(F.c2, F.c2) - T(1)),
        a12(dot(F.c1, F.c2)),
        a20(dot(F.c2, F.c0)),
        a01(dot(F.c0, F.c1)) {}
  T trace() const { return a00 + a11 + a22; }
  T second() const {
    return neg_mul_add(a12, a12, a11 * a22) + neg_mul_add(a20, a20, a00 * a22) + neg_mul_add(a01, a01, a00 * a11);
  }
  T third() const {
    return mul_add(a20, neg_mul_add(a11, a20, a01 * a12),
                   mul_add(a01, neg_mul_add(a01, a22, a12 * a20), a00 * neg_mul_add(a12, a12, a11 * a22)));
  }
};

}  // namespace detail

// An energy has two ways to psi / mu and P / mu:
//
//   evaluate(F, ratio, P, sure)        the quick one, right where `sure`: states that most elements are in
//   evaluate_far(F, ratio, P, sound)   the long one, right where `sound`: wherever the model holds

template <class T>
struct EnergyStVK {
  using Stretches = StVKStretches;

  PLIANT_HOT static inline T evaluate(const Mat3<T>& F, const T& ratio, Mat3<T>& P, MaskOf<T>& sure) {
    const T half = T(0.5f);
    const detail::GreenStrain<T> A(F);
    const T trace = A.trace();
    const T sides = mul_add(A.a12, A.a12, mul_add(A.a20, A.a20, A.a01 * A.a01));
    const T square = mul_add(A.a22, A.a22, mul_add(A.a11, A.a11, mul_add(A.a00, A.a00, sides + sides)));
    const T bulk = half * ratio * trace;
    const T energy = T(0.25f) * mul_add(bulk, trace, square);
    // Cheap tests for stretches above l = sqrt(1/3). With the squared stretches c_1 <= c_2 <= c_3, all are within
    // sqrt(tr A^2) of 1; and c_1 = J^2 / (c_2 c_3) >= (2 J / tr C)^2, since c_2 + c_3 <= tr C. The first knows small
    // strains, the second large ones that do not squeeze.
    constexpr double kRoom = 1 - Stretches::kLeast * Stretches::kLeast;
    const T J = determinant(F);
    sure = (J > T(0)) & ((square <= number<T>(kRoom * kRoom)) |
                         (J >= mul_add(number<T>(Stretches::kLeast / 2), trace, number<T>(3 * Stretches::kLeast / 2))));
    // Row by row: what is alive then fits into sixteen registers.
    const T s00 = A.a00 + bulk, s11 = A.a11 + bulk, s22 = A.a22 + bulk;
#pragma GCC unroll 3
    for (int k = 0; k < 3; ++k) {
      P.c0[k] = mul_add(F.c2[k], A.a20, mul_add(F.c1[k], A.a01, F.c0[k] * s00));
      P.c1[k] = mul_add(F.c2[k], A.a12, mul_add(F.c1[k], s11, F.c0[k] * A.a01));
      P.c2[k] = mul_add(F.c2[k], s22, mul_add(F.c1[k], A.a12, F.c0[k] * A.a20));
    }
    return energy;
  }

  static T evaluate_far(const Mat3<T>& F, const T& ratio, Mat3<T>& P, MaskOf<T>& sound) {
    const T energy = evaluate(F, ratio, P, sound);
    const detail::GreenStrain<T> A(F);
    sound = (determinant(F) > T(0)) & detail::stretches_above(Stretches::kLeast, A.trace(), A.second(), A.third());
    return energy;
  }
};

template <class T>
struct EnergyNeoHookean {
  using Stretches = NeoHookeanStretches;

  PLIANT_HOT static inline T evaluate(const Mat3<T>& F, const T& ratio, Mat3<T>& P, MaskOf<T>& sure) {
    const T half = T(0.5f), one(1);
    const detail::GreenStrain<T> A(F);
    const T trace = A.trace();
    // tr A - 2 ln J = (d - log(1 + d)) - (d - tr A) with 1 + d = J^2 = 1 + I1 + I2 + I3, the invariants of A: nothing
    // cancels near rest. The logarithm's own series, without a way round for other numbers (math/functions.h).
    const T more = A.second() + A.third();
    const T d = trace + more;
    const T s = d / (T(2) + d), z = s * s;
    const T tail = s * z * detail::polynomial(z, detail::Elementary<ScalarOf<T>>::kLog);
    const T log_J = mul_add(half, tail, s);
    const T shape = (d * s - tail) - more;
    const Mat3<T> cof = cofactor(F);
    const T J = dot(F.c0, cof.c0);
    // The series holds for J^2 from sqrt(1/2) to sqrt(2); a body that is pulled long keeps its volume. The smallest
    // stretch is 2 J / tr C at least (see above), which is 0.37.
    sure = (J > T(0)) & (d >= number<T>(-0.29289)) & (d <= number<T>(0.41421)) & (trace <= number<T>(1.5));
    const T pressure = mul_add(ratio, log_J, -one) / J;
    P = mul_add(cof, pressure, F);
    return half * mul_add(ratio * log_J, log_J, shape);
  }

  static T evaluate_far(const Mat3<T>& F, const T& ratio, Mat3<T>& P, MaskOf<T>& sound) {
    const T half = T(0.5f), one(1);
    const detail::GreenStrain<T> A(F);
    const T trace = A.trace(), second = A.second(), third = A.third();
    const T more = second + third, d = trace + more;
    const Mat3<T> cof = cofactor(F);
    const T J = dot(F.c0, cof.c0);
    sound = (J > T(0)) & detail::stretches_above(Stretches::kLeast, trace, second, third);
    // Far from rest it is the invariants that cancel, and J and tr A are good as they are.
    const MaskOf<T> near = abs(d) + abs(trace) <= half;
    const T square = select(sound, select(near, one + d, J * J), one);
    const T logarithm = log(NearOne<T>{square, select(near, d, square - one)});  // 2 ln J
    const T log_J = half * logarithm;
    const T shape = select(near, excess_over_log(d, logarithm) - more, trace - logarithm);
    const T pressure = mul_add(ratio, log_J, -one) / select(sound, J, one);
    P = mul_add(cof, pressure, F);
    return half * mul_add(ratio * log_J, log_J, shape);
  }
};

/// C = scale psi / mu: V psi with scale = mu V, psi with scale = mu.
template <class T, template <class> class Energy, bool kDensity>
struct TetEnergy {
  using Number = T;
  static constexpr int kPoints = 4;
  static constexpr Stencil kStencil = Stencil::tets;
  static constexpr bool kOnlyCompliant = kDensity;  // bender14 projects, cao22 has a multiplier
  static constexpr const char* kComplianceUnit = kDensity ? "Pa^2/J" : "J";
  /// One projection does not solve C = 0 to first order: the gradient vanishes at rest.
  static constexpr bool kFlatAtRest = true;
  static constexpr bool kMayOverflow = true;

  struct Rest {
    T m00, m10, m20, m11, m21, m22;  // M [1/m], by columns; m00 is negative for a tet that is wound the other way
    T ratio;                         // lambda / mu
    T scale;                         // mu V [J] or mu [Pa]
    template <class F>
    constexpr void each(F&& f) {
      f("m00", m00);
      f("m10", m10);
      f("m20", m20);
      f("m11", m11);
      f("m21", m21);
      f("m22", m22);
      f("ratio", ratio);
      f("scale", scale);
    }
  };

  static Rest rest(const Vec3<T> (&x)[4], T lambda = T(1), T mu = T(1)) {
    const Mat3<T> Dm{x[1] - x[0], x[2] - x[0], x[3] - x[0]};
    const T det = determinant(Dm);
    const Mat3<T> m = transpose(cofactor(Dm)) * (T(1) / det);  // Dm^-1
    return with_metric(mul_transpose(m, m), det, lambda / mu, kDensity ? mu : mu * abs(det) / T(6));
  }

  static Rest permuted(const Rest& rest, const int (&order)[4]) {
    // Products of the gradients b_k of the four barycentric coordinates: those of 1, 2, 3 are M M^T, and b_0 = -(their
    // sum).
    const T zero(0);
    const Mat3<T> M{{rest.m00, rest.m10, rest.m20}, {zero, rest.m11, rest.m21}, {zero, zero, rest.m22}};
    const Mat3<T> metric = mul_transpose(M, M);
    T product[4][4] = {};
    for (int i = 1; i < 4; ++i) {
      for (int j = 1; j < 4; ++j) {
        product[i][j] = metric(i - 1, j - 1);
        product[i][0] = product[0][i] = product[i][0] - product[i][j];
      }
      product[0][0] = product[0][0] - product[i][0];
    }
    int inversions = 0;
    for (int i = 0; i < 4; ++i) {
      for (int j = i + 1; j < 4; ++j) inversions += order[i] > order[j];
    }
    Mat3<T> G;
    for (int i = 0; i < 3; ++i) {
      for (int j = 0; j < 3; ++j) G(i, j) = product[order[i + 1]][order[j + 1]];
    }
    return with_metric(G, inversions % 2 == 0 ? rest.m00 : -rest.m00, rest.ratio, rest.scale);
  }

  PLIANT_HOT static inline T evaluate(const Rest& rest, const Vec3<T> (&x)[4], Vec3<T> (&gradient)[4]) {
    MaskOf<T> all_right;
    const T energy = evaluate_up_to_scale<false>(rest, x, gradient, all_right);
    for (int i = 1; i < 4; ++i) gradient[i] = gradient[i] * rest.scale;
    gradient[0] = -(gradient[1] + gradient[2] + gradient[3]);  // not finite where one of them has overflowed
    return energy * rest.scale;
  }

  /// psi / mu and its gradient: enough for a projection to zero, from which the scale cancels. With kHasty only the
  /// quick way, right where `sure`: a way round for other lanes would take registers from all. Lanes that are sure have
  /// the same bits either way.
  template <bool kHasty>
  PLIANT_HOT static inline T evaluate_up_to_scale(const Rest& rest, const Vec3<T> (&x)[4], Vec3<T> (&gradient)[4],
                                                  MaskOf<T>& sure) {
    const Vec3<T> e1 = x[1] - x[0], e2 = x[2] - x[0], e3 = x[3] - x[0];
    const Mat3<T> F{mul_add(e3, rest.m20, mul_add(e2, rest.m10, e1 * rest.m00)), mul_add(e3, rest.m21, e2 * rest.m11),
                    e3 * rest.m22};
    Mat3<T> P;
    T energy = Energy<T>::evaluate(F, rest.ratio, P, sure);
    if constexpr (!kHasty) {
      if (!all(sure)) [[unlikely]] {
        // Padding is zero and not what the long way makes of it: whether that is gone depends on who stands beside it,
        // which is another one for another width, and multipliers of padding are hashed.
        const MaskOf<T> padding = is_padding(rest);
        Mat3<T> other;
        const T other_energy = elsewhere(rest.ratio, F, sure | padding, other);
        energy = select(sure, energy, select(padding, T(0), other_energy));
        P = select(sure, P, select(padding, Mat3<T>{}, other));
      }
    }
#pragma GCC unroll 3
    for (int k = 0; k < 3; ++k) {  // the columns of P M^T
      gradient[1][k] = P.c0[k] * rest.m00;
      gradient[2][k] = mul_add(P.c1[k], rest.m11, P.c0[k] * rest.m10);
      gradient[3][k] = mul_add(P.c2[k], rest.m22, mul_add(P.c1[k], rest.m21, P.c0[k] * rest.m20));
      gradient[0][k] = -(gradient[1][k] + gradient[2][k] + gradient[3][k]);
    }
    return energy;
  }

  /// V psi [J]. The frame knows the volume: |det M| = 1 / (6 V).
  static T energy(const Rest& rest, const Vec3<T> (&x)[4]) {
    Vec3<T> gradient[4];
    const T C = evaluate(rest, x, gradient);
    return kDensity ? C / abs(T(6) * rest.m00 * rest.m11 * rest.m22) : C;
  }

  static T strain(const Rest&, T) { return T(0); }

 private:
  /// psi / mu and P / mu where the quick way is not right: by the long one, or from the singular values with the stress
  /// clamped below the least stretch. `done` lanes may be anything. Arguments by value: what has an address lives in
  /// memory, for those too that never come here (a tenth of the time of a projection).
  [[gnu::noinline, gnu::cold]] static T elsewhere(T ratio, Mat3<T> F, MaskOf<T> done, Mat3<T>& P) {
    MaskOf<T> sound;
    const T energy = Energy<T>::evaluate_far(F, ratio, P, sound);
    if (all(sound | done)) return energy;
    const Svd3<T> f = svd(F);
    Vec3<T> p;
    const T clamped = energy_with_clamped_stress<typename Energy<T>::Stretches>(f.s, ratio, p);
    P = select(sound, P, mul_transpose(Mat3<T>{f.u.c0 * p.x, f.u.c1 * p.y, f.u.c2 * p.z}, f.v));
    return select(sound, energy, clamped);
  }

  /// Padding has ones for rest data, and all corners in one place.
  static MaskOf<T> is_padding(const Rest& rest) {
    const T one(1);
    return (rest.m00 == one) & (rest.m10 == one) & (rest.m20 == one) & (rest.m11 == one) & (rest.m21 == one) &
           (rest.m22 == one) & (rest.ratio == one) & (rest.scale == one);
  }

  /// M from M M^T (Cholesky) and the sign of its determinant.
  static Rest with_metric(const Mat3<T>& G, const T& wound, const T& ratio, const T& scale) {
    const T m00 = sqrt(G.c0.x), m10 = G.c0.y / m00, m20 = G.c0.z / m00;
    const T m11 = sqrt(neg_mul_add(m10, m10, G.c1.y)), m21 = neg_mul_add(m10, m20, G.c1.z) / m11;
    const T m22 = sqrt(neg_mul_add(m21, m21, neg_mul_add(m20, m20, G.c2.z)));
    // A column with the other sign is as good a frame, mirrored.
    const T sign = copy_sign(T(1), wound);
    return {sign * m00, sign * m10, sign * m20, m11, m21, m22, ratio, scale};
  }
};

template <class T>
struct TetEnergyStVK : TetEnergy<T, EnergyStVK, false> {
  static constexpr const char* kSummary =
      "projects the St. Venant-Kirchhoff energy of a tetrahedron to zero (bender14)";
};
template <class T>
struct TetEnergyNeoHookean : TetEnergy<T, EnergyNeoHookean, false> {
  static constexpr const char* kSummary = "projects the Neo-Hookean energy of a tetrahedron to zero (bender14)";
};
template <class T>
struct TetDensityStVK : TetEnergy<T, EnergyStVK, true> {
  static constexpr const char* kSummary = "takes the St. Venant-Kirchhoff energy density for a constraint (cao22)";
};
template <class T>
struct TetDensityNeoHookean : TetEnergy<T, EnergyNeoHookean, true> {
  static constexpr const char* kSummary = "takes the Neo-Hookean energy density for a constraint (cao22)";
};

}  // namespace pliant
