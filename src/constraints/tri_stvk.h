#pragma once
#include "constraints/tri_strain_block.h"

namespace pliant {

/// St. Venant-Kirchhoff membrane: a triangle of cloth with any elasticity matrix K.               bender14 4.3
///
///   psi = 1/2 e . K e [J/m^2],  e = (E_00, E_11, 2 E_01) of the Green strain (tri_strain_block.h)
///   C   = e, dimensionless;  K [N/m] by src/materials/membrane.cpp
///
/// The three entries are solved as one block with the compliance (A K)^-1, which makes A psi the potential: its rest
/// state is that of finite elements. It resists compression as it resists tension; tri_stvk_slack.h does not.
///
/// With kPlastic a part of the Green strain is plastic (bender14 4.2): C = e - e_plastic, with the plastic strain
/// beside the rest data. It flows once per step (src/solver/plastic.cpp), not in the projection.
///
/// Degenerate: a triangle without area has no plane to be pushed open in, its gradients shrink with f_0 and f_1 and
/// vanish where these do. There is no inverted triangle in space.
template <class T, bool kPlastic>
struct TriGreenHooke : ElasticTriangle {
  using Number = T;
  static constexpr const char* kSummary = kPlastic ? "St. Venant-Kirchhoff elasticity of a triangle with plastic strain"
                                                   : "St. Venant-Kirchhoff elasticity of a triangle of cloth";

  struct Rest : TriangleRest<T> {
    T plastic[3] = {};  // plastic entries, in the order of C
    template <class F>
    constexpr void each(F&& f) {
      TriangleRest<T>::each(f);
      if constexpr (kPlastic) {
        constexpr const char* kNames[3] = {"p00", "p11", "p01"};
        for (int e = 0; e < 3; ++e) f(kNames[e], plastic[e]);
      }
    }
  };

  static Rest rest(const Vec3<T> (&x)[3], T lambda = T(1), T mu = T(1)) {
    return {TriangleRest<T>::from(x, lambda, mu)};
  }

  static void evaluate(const Rest& rest, const Vec3<T> (&x)[3], T (&C)[3], Vec3<T> (&gradient)[3][3]) {
    const DeformedTriangle<T> triangle(rest, x);
    elastic_strain(rest, triangle, C);
    triangle.gradients(gradient);
  }

  template <bool kGeneral, class Push>
  static void solve(const Rest& rest, const Vec3<T> (&x)[3], const T (&w)[3], const T& damping, const T& dt,
                    const Vec3<T>* motion, T (&lambda)[3], Vec3<T> (&d)[3], const Push& push) {
    const DeformedTriangle<T> triangle(rest, x);
    T A[3][3], step[3], s_lambda[3], before[3];
    elastic_strain(rest, triangle, step);
    triangle.gram(w, A);
    const T rate = T(1) / dt;
    const T scale = rate * rate;
    if constexpr (kGeneral) triangle.add_damping(motion, damping * rate, A, step, before);
    detail::compliance_times(rest, lambda, s_lambda);
    for (int e = 0; e < 3; ++e) step[e] = -mul_add(scale, s_lambda[e], step[e]);
    A[0][0] = mul_add(scale, rest.s00, A[0][0]);
    A[1][0] = mul_add(scale, rest.s10, A[1][0]);
    A[1][1] = mul_add(scale, rest.s11, A[1][1]);
    A[2][0] = mul_add(scale, rest.s20, A[2][0]);
    A[2][1] = mul_add(scale, rest.s21, A[2][1]);
    A[2][2] = mul_add(scale, rest.s22, A[2][2]);
    detail::solve_symmetric(A, step);
    const MaskOf<T> good = is_finite(step[0]) & is_finite(step[1]) & is_finite(step[2]);
    for (int e = 0; e < 3; ++e) {
      step[e] = zero_unless(good, step[e]);
      lambda[e] = lambda[e] + step[e];
    }
    triangle.push(step, w, d);
    detail::drop_unless_finite(d);
    if (push.wanted) {
      if constexpr (kGeneral) {
        T at_start[3];
        detail::stiffness_times(rest, before, at_start);
        for (T& s : at_start) s = -(s * (dt * dt));
        detail::forget_strong_damping<2>(damping * rate, at_start, triangle.trace_of_metric(w), lambda);
      }
      const MaskOf<T> keep = !triangle.far_stretched();
      Vec3<T> total[3];
      for (T& l : lambda) l = zero_unless(keep, l);
      triangle.push(lambda, w, total);
      for (int k = 0; k < 3; ++k) push(k, total[k]);
    }
  }

  /// A psi [J].
  static T energy(const Rest& rest, const Vec3<T> (&x)[3]) {
    T e[3], stress[3];
    elastic_strain(rest, DeformedTriangle<T>(rest, x), e);
    detail::stiffness_times(rest, e, stress);
    return T(ScalarOf<T>(0.5)) * mul_add(e[2], stress[2], mul_add(e[1], stress[1], e[0] * stress[0]));
  }

 private:
  static void elastic_strain(const Rest& rest, const DeformedTriangle<T>& triangle, T (&e)[3]) {
    triangle.strain(e);
    if constexpr (kPlastic) {
      for (int k = 0; k < 3; ++k) e[k] = e[k] - rest.plastic[k];
    }
  }
};

template <class T>
struct TriStVK : TriGreenHooke<T, false> {};
template <class T>
struct TriStVKPlastic : TriGreenHooke<T, true> {};

}  // namespace pliant
