#pragma once
#include "constraints/tet_strain.h"
#include "materials/logarithm.h"

namespace pliant {

/// Corotated linear tetrahedron whose potential is exactly V psi(F).                              cao22 4.2
///
///   psi = mu |S - I|^2 + lambda/2 tr(S - I)^2,  F = R S with R the closest rotation
///   C   = the six entries of sym(R^T F) - I = S - I (tet_strain.h), dimensionless
///
/// R is frozen during a projection, which makes the entries linear in the positions. The force of the multipliers is
/// exact all the same: with R free, d S = sym(R^T dF) + (S W - W S)/2 for a spin W, and the stress
/// 2 mu (S - I) + lambda tr(S - I) I commutes with S, so that it does no work on the second part. Hence
/// P = R (2 mu (S - I) + lambda tr(S - I) I), and the fixed point is the finite-element solution.
///
/// The block is that of tet_stvk.h with R in place of F: its matrix does not depend on the deformation.
///
/// Multipliers L on the way to the solution do not commute with S, and R L alone would turn the element. The gradient
/// of S itself adds R X with X antisymmetric, S X + X S = S L - L S; that makes F (L + X)^T R^T symmetric and angular
/// momentum conserved. X is left out where the element is squeezed below kLeast or inverted: there it is not defined
/// for all S, and R may jump from one projection to the next, so that such an element also forgets its multipliers,
/// and so does one that is stretched far: it turns further in a substep than they could follow.
///
/// Degenerate: defined for every F. An inverted element has a stretch below zero and is pulled back through flat;
/// a point or a line gets one of its closest rotations.
template <class T>
struct TetCorotated : ElasticTet {
  using Number = T;
  static constexpr const char* kSummary = "corotated linear elasticity of a tetrahedron";
  static constexpr double kLeast = 0.25;  // S is far from singular, and R from jumping, above this stretch

  using Rest = HookeRest<T>;
  static Rest rest(const Vec3<T> (&x)[4], T lambda = T(1), T mu = T(1)) { return {x, lambda, mu}; }

  /// What a projection holds fixed: the columns of R.
  struct Frozen {
    Vec3<T> r[3];
  };
  static Frozen freeze(const Rest& rest, const Vec3<T> (&x)[4]) {
    Frozen frozen;
    T e[6];
    corotated_strain(DeformedTet<T>(rest.frame, x).f, frozen.r, e);
    return frozen;
  }
  /// C and its gradients for a fixed rotation.
  static void evaluate_frozen(const Rest& rest, const Frozen& frozen, const Vec3<T> (&x)[4], T (&C)[6],
                              Vec3<T> (&gradient)[6][4]) {
    DeformedTet<T> tet(rest.frame, x);
    constexpr int kA[6] = {0, 1, 2, 1, 2, 0}, kB[6] = {0, 1, 2, 2, 0, 1};
    for (int e = 0; e < 6; ++e) {
      const T ab = dot(frozen.r[kA[e]], tet.f[kB[e]]);
      C[e] = e < 3 ? ab - T(1) : ab + dot(frozen.r[kB[e]], tet.f[kA[e]]);
    }
    for (int a = 0; a < 3; ++a) tet.f[a] = frozen.r[a];
    tet.gradients(gradient);
  }

  static void evaluate(const Rest& rest, const Vec3<T> (&x)[4], T (&C)[6], Vec3<T> (&gradient)[6][4]) {
    DeformedTet<T> tet(rest.frame, x);
    const Vec3<T> from[3] = {tet.f[0], tet.f[1], tet.f[2]};
    corotated_strain(from, tet.f, C);
    tet.gradients(gradient);
  }

  template <bool kGeneral, class Push>
  static void solve(const Rest& rest, const Vec3<T> (&x)[4], const T (&w)[4], const T& damping, const T& dt,
                    const Vec3<T>* motion, T (&lambda)[6], Vec3<T> (&d)[4], const Push& push) {
    DeformedTet<T> tet(rest.frame, x);
    T Q[6], A[6][6], strain[6], step[6], before[6];
    const auto squeezed = tet.squeezed(number<T>(kLeast), w);
    MaskOf<T> forgotten;
    const bool some = tet.forget(squeezed, lambda, forgotten);
    const Vec3<T> from[3] = {tet.f[0], tet.f[1], tet.f[2]};
    corotated_strain(from, tet.f, strain);
    for (int e = 0; e < 6; ++e) {
      step[e] = strain[e];
      tet.C[e] = T(e < 3 ? 1 : 0);
    }
    tet.mass_metric(w, Q);
    const T size = (dt * dt) / rest.shear;  // 2 mu V dt^2
    for (T& q : Q) q = q * size;
    tet.gram(Q, A);
    if constexpr (kGeneral) tet.add_damping(rest.frame, motion, damping / dt, A, step, before);
    for (T& e : step) e = e * size;
    tet.add_hooke_compliance(rest.kappa, lambda, A, step);
    tet.template advance<true>(A, step, lambda);
    Spin spin(strain, squeezed);
    push_with_spin(tet, spin, step, w, d);
    detail::drop_unless_finite(d);
    if (some) [[unlikely]] {
      for (int e = 0; e < 6; ++e) lambda[e] = select(forgotten, T(0), lambda[e]);
    }
    if (push.wanted) {
      if constexpr (kGeneral) {
        T at_start[6];
        tet.hooke_multipliers(size, rest.kappa, before, at_start);
        detail::forget_strong_damping<3>(damping / dt, at_start, ((Q[0] + Q[1]) + Q[2]) / size, lambda);
      }
      Vec3<T> total[4];
      push_with_spin(tet, spin, lambda, w, total);
      for (int k = 0; k < 4; ++k) push(k, total[k]);
    }
  }

  /// Where angular momentum is given up (see above).
  static MaskOf<T> squeezed(const Rest& rest, const Vec3<T> (&x)[4], const T (&w)[4]) {
    return DeformedTet<T>(rest.frame, x).squeezed(number<T>(kLeast), w);
  }

  /// V psi [J].
  static T energy(const Rest& rest, const Vec3<T> (&x)[4]) {
    Vec3<T> r[3];
    T e[6];
    corotated_strain(DeformedTet<T>(rest.frame, x).f, r, e);
    return hooke_energy(rest.shear, rest.kappa, e);
  }

 private:
  /// What solves S X + X S = S L - L S: (tr(S) I - S) x = axis of S L - L S = axis of e L - L e, e = S - I.
  struct Spin {
    T e[6];     // as a matrix: shear entries halved
    Sym3<T> H;  // (tr(S) I - S)^-1, zero where there is none

    Spin(const T (&strain)[6], const MaskOf<T>& none) {
      const T half(ScalarOf<T>(0.5)), two(2);
      for (int k = 0; k < 6; ++k) e[k] = k < 3 ? strain[k] : half * strain[k];
      H = inverse(Sym3<T>{two + (e[1] + e[2]), two + (e[2] + e[0]), two + (e[0] + e[1]), -e[5], -e[4], -e[3]});
      for (T* h : {&H.xx, &H.yy, &H.zz, &H.xy, &H.xz, &H.yz}) *h = select(none, T(0), *h);
    }

    /// The axis x of X for a matrix L of values.
    Vec3<T> axis(const T (&L)[6]) const {
      // Entries (2, 1), (0, 2) and (1, 0) of e L - L e.
      const Vec3<T> b{mul_add(e[3], L[1] - L[2], mul_add(e[2] - e[1], L[3], neg_mul_add(e[5], L[4], e[4] * L[5]))),
                      mul_add(e[4], L[2] - L[0], mul_add(e[0] - e[2], L[4], neg_mul_add(e[3], L[5], e[5] * L[3]))),
                      mul_add(e[5], L[0] - L[1], mul_add(e[1] - e[0], L[5], neg_mul_add(e[4], L[3], e[3] * L[4])))};
      return H * b;
    }
  };

  /// w_k R (L + X) m_k.
  static void push_with_spin(const DeformedTet<T>& tet, const Spin& spin, const T (&L)[6], const T (&w)[4],
                             Vec3<T> (&d)[4]) {
    Vec3<T> h[3];
    tet.columns(L, h);
    const Vec3<T> x = spin.axis(L);
    h[0] = h[0] + (tet.f[1] * x.z - tet.f[2] * x.y);
    h[1] = h[1] + (tet.f[2] * x.x - tet.f[0] * x.z);
    h[2] = h[2] + (tet.f[0] * x.y - tet.f[1] * x.x);
    tet.push_columns(h, w, d);
  }
};

}  // namespace pliant
