#pragma once
#include "constraints/tet_strain.h"

namespace pliant {

/// St. Venant-Kirchhoff tetrahedron whose potential is exactly V psi(F).      bender14 3, 4.1
///
///   psi = mu |E|^2 + lambda/2 tr(E)^2,  E = (F^T F - I) / 2 the Green strain
///   C   = the six entries of E (tet_strain.h), dimensionless
///
/// XPBD with the compliance matrix (V K)^-1, K the matrix of Hooke's law, and all six entries solved at
/// once: the fixed point is the finite-element solution, and the local step is Newton's. In tensor form
/// K^-1 sigma = (sigma - kappa tr(sigma) I) / (2 mu) with kappa = lambda / (3 lambda + 2 mu).
///
/// The single constraint C = sqrt(2 V psi) has the same potential, but its gradient turns with every
/// iteration; it settles badly or not at all. bender14's own form C = V psi is `tet_stvk_energy`.
///
/// Degenerate: a flat or inverted tet has finite strain and gradients. StVK resists less and less below
/// 58 % of the rest length and does not tell an element from its mirror image.
template <class T>
struct TetStVK {
  using Number = T;
  static constexpr int kPoints = 4;
  static constexpr int kEntries = 6;
  static constexpr Solve kSolve = Solve::block;
  static constexpr Stencil kStencil = Stencil::tets;
  static constexpr const char* kSummary = "St. Venant-Kirchhoff elasticity of a tetrahedron";
  static constexpr const char* kComplianceUnit = "of the material";

  struct Rest {
    RestFrame<T> frame;
    T shear;  // 1 / (2 mu V)  [1/J]
    T kappa;  // lambda / (3 lambda + 2 mu)
    template <class F>
    constexpr void each(F&& f) {
      frame.each(f);
      f("shear", shear);
      f("kappa", kappa);
    }
  };

  static Rest rest(const Vec3<T> (&x)[4], T lambda = T(1), T mu = T(1)) {
    Rest rest;
    T volume;
    rest.frame = RestFrame<T>::from(x, volume);
    rest.shear = T(1) / (T(2) * mu * volume);
    rest.kappa = lambda / (T(3) * lambda + T(2) * mu);
    return rest;
  }

  static void evaluate(const Rest& rest, const Vec3<T> (&x)[4], T (&C)[6], Vec3<T> (&gradient)[6][4]) {
    const DeformedTet<T> tet(rest.frame, x);
    tet.strain(C);
    tet.gradients(gradient);
  }

  template <bool kGeneral, class Push>
  static void solve(const Rest& rest, const Vec3<T> (&x)[4], const T (&w)[4], const T& damping, const T& dt,
                    const Vec3<T>* motion, T (&lambda)[6], Vec3<T> (&d)[4], const Push& push) {
    const DeformedTet<T> tet(rest.frame, x);
    T Q[6], A[6][6], step[6];
    tet.strain(step);
    tet.mass_metric(w, Q);
    tet.gram(Q, A);
    const T rate = T(1) / dt;
    if constexpr (kGeneral) {
      const T c = damping * rate;
      T change[6];
      tet.strain_change(rest.frame, motion, change);
      for (int e = 0; e < 6; ++e) {
        step[e] = mul_add(c, change[e], step[e]);
        for (int g = 0; g <= e; ++g) A[e][g] = mul_add(c, A[e][g], A[e][g]);
      }
    }
    // Compliance: p (1 - kappa) on, -p kappa beside the diagonal of the normal entries, 2 p for shear.
    const T p = rest.shear * (rate * rate);
    const T side = -(p * rest.kappa);
    const T trace = (lambda[0] + lambda[1] + lambda[2]) * side;
    for (int e = 0; e < 3; ++e) {
      A[e][e] = A[e][e] + (p + side);
      step[e] = -(mul_add(p, lambda[e], trace) + step[e]);
    }
    A[1][0] = A[1][0] + side;
    A[2][0] = A[2][0] + side;
    A[2][1] = A[2][1] + side;
    const T twice = p + p;
    for (int e = 3; e < 6; ++e) {
      A[e][e] = A[e][e] + twice;
      step[e] = -mul_add(twice, lambda[e], step[e]);
    }
    tet.finish(A, step, w, lambda, d, push);
  }

  /// V psi [J].
  static T energy(const Rest& rest, const Vec3<T> (&x)[4]) {
    T e[6];
    DeformedTet<T>(rest.frame, x).strain(e);
    const T half(ScalarOf<T>(0.5));
    const T mu_V = half / rest.shear;
    const T lambda_V = (mu_V + mu_V) * rest.kappa / (T(1) - T(3) * rest.kappa);
    const T normal = mul_add(e[2], e[2], mul_add(e[1], e[1], e[0] * e[0]));
    const T shear = mul_add(e[5], e[5], mul_add(e[4], e[4], e[3] * e[3]));
    const T trace = e[0] + e[1] + e[2];
    return mul_add(mu_V, mul_add(half, shear, normal), half * lambda_V * trace * trace);
  }

  static T strain(const Rest&, T C) { return C; }
};

}  // namespace pliant
