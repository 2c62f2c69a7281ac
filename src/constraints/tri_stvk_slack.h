#pragma once
#include "constraints/tri_stvk.h"

namespace pliant {

/// The membrane of tri_stvk.h that folds instead of being compressed: a tension field.
///
/// Cloth wrinkles under the least pressure, with folds finer than a mesh shows. A fold takes up length without stress:
/// the strain is E + W with a W that is positive semi-definite and free, and the energy of the triangle is
///
///   psi_r(E) = min over W >= 0 of psi(E + W)                                               (Pipkin 1986)
///
/// whose stress S has no negative principal value, with S : W = 0. So there are three states:
///
///   taut       both principal values of S = K E are positive: W = 0, as tri_stvk
///   wrinkled   S = s t t^T with one direction of tension t: one entry, C = t . E t, with the compliance
///              v . (A K)^-1 v where v = (t_0^2, t_1^2, t_0 t_1), so that C = v . e
///   slack      s would be negative: S = 0
///
/// t is the principal direction of K E with the larger value. For an isotropic K that is exact. For others t is the
/// first step of an iteration, since wrinkling moves the principal direction of the stress.
template <class T>
struct TriStVKSlack : ElasticTriangle {
  using Number = T;
  using Rest = TriangleRest<T>;
  static constexpr const char* kSummary = "St. Venant-Kirchhoff elasticity of a triangle that folds under pressure";

  static Rest rest(const Vec3<T> (&x)[3], T lambda = T(1), T mu = T(1)) { return Rest::from(x, lambda, mu); }

  static void evaluate(const Rest& rest, const Vec3<T> (&x)[3], T (&C)[3], Vec3<T> (&gradient)[3][3]) {
    const DeformedTriangle<T> triangle(rest, x);
    triangle.strain(C);
    triangle.gradients(gradient);
  }

  template <bool kGeneral, class Push>
  static void solve(const Rest& rest, const Vec3<T> (&x)[3], const T (&w)[3], const T& damping, const T& dt,
                    const Vec3<T>* motion, T (&lambda)[3], Vec3<T> (&d)[3], const Push& push) {
    const DeformedTriangle<T> triangle(rest, x);
    T A[3][3], e[3], v[3], s_lambda[3], block[3][3], step[3], before[3];
    triangle.strain(e);
    const MaskOf<T> taut = tension(rest, e, v);
    triangle.gram(w, A);
    const T rate = T(1) / dt;
    const T scale = rate * rate;
    if constexpr (kGeneral) triangle.add_damping(motion, damping * rate, A, e, before);

    // Taut: the block.
    detail::compliance_times(rest, lambda, s_lambda);
    const T s[3][3] = {{rest.s00, rest.s10, rest.s20}, {rest.s10, rest.s11, rest.s21}, {rest.s20, rest.s21, rest.s22}};
    for (int a = 0; a < 3; ++a) {
      step[a] = -mul_add(scale, s_lambda[a], e[a]);
      for (int b = 0; b <= a; ++b) block[a][b] = mul_add(scale, s[a][b], A[a][b]);
    }
    // Wrinkled: multipliers m v, found from v . (e + A (m v - lambda)) + m scale v . s v = 0. Tension has m < 0.
    T value(0), weight(0);
    for (int a = 0; a < 3; ++a) {
      T moved = e[a], row(0);
      for (int b = 0; b < 3; ++b) {
        const T& g = a >= b ? A[a][b] : A[b][a];
        moved = neg_mul_add(g, lambda[b], moved);
        row = mul_add(mul_add(scale, s[a][b], g), v[b], row);
      }
      value = mul_add(v[a], moved, value);
      weight = mul_add(v[a], row, weight);
    }
    const T m = min(-(value / weight), T(0));
    detail::solve_symmetric(block, step);
    for (int a = 0; a < 3; ++a) step[a] = select(taut, step[a], mul_add(m, v[a], -lambda[a]));

    const MaskOf<T> good = is_finite(step[0]) & is_finite(step[1]) & is_finite(step[2]);
    for (int a = 0; a < 3; ++a) {
      step[a] = zero_unless(good, step[a]);
      lambda[a] = lambda[a] + step[a];
    }
    triangle.push(step, w, d);
    detail::drop_unless_finite(d);
    if (push.wanted) {
      if constexpr (kGeneral) {
        T at_start[3], s_v[3];
        detail::stiffness_times(rest, before, at_start);
        detail::compliance_times(rest, v, s_v);
        const T along = max(product(v, before), T(0)) / product(v, s_v);
        for (int a = 0; a < 3; ++a) at_start[a] = -(select(taut, at_start[a], along * v[a]) * (dt * dt));
        detail::forget_strong_damping<2>(damping * rate, at_start, triangle.trace_of_metric(w), lambda);
      }
      const MaskOf<T> keep = !triangle.far_stretched();
      Vec3<T> total[3];
      for (T& l : lambda) l = zero_unless(keep, l);
      triangle.push(lambda, w, total);
      for (int k = 0; k < 3; ++k) push(k, total[k]);
    }
  }

  /// A psi_r [J].
  static T energy(const Rest& rest, const Vec3<T> (&x)[3]) {
    T e[3], v[3], s_v[3];
    DeformedTriangle<T>(rest, x).strain(e);
    const MaskOf<T> taut = tension(rest, e, v);
    detail::compliance_times(rest, v, s_v);
    const T along = max(product(v, e), T(0));
    return select(taut, TriStVK<T>::energy({rest}, x), T(ScalarOf<T>(0.5)) * along * along / product(v, s_v));
  }

 private:
  static T product(const T (&a)[3], const T (&b)[3]) { return mul_add(a[2], b[2], mul_add(a[1], b[1], a[0] * b[0])); }

  /// Where K e has no negative principal value, and v of its principal direction with the larger one.
  static MaskOf<T> tension(const Rest& rest, const T (&e)[3], T (&v)[3]) {
    T stress[3];
    detail::stiffness_times(rest, e, stress);
    const T half(ScalarOf<T>(0.5)), zero(0), one(1);
    const T middle = half * (stress[0] + stress[1]), apart = half * (stress[0] - stress[1]);
    const T radius = sqrt(mul_add(stress[2], stress[2], apart * apart));
    const T inverse = one / radius;
    const MaskOf<T> directed = is_finite(inverse) & (radius > zero);
    const T cosine = select(directed, apart * inverse, one), sine = select(directed, stress[2] * inverse, zero);
    v[0] = mul_add(half, cosine, half);
    v[1] = neg_mul_add(half, cosine, half);
    v[2] = half * sine;
    return middle >= radius;
  }
};

}  // namespace pliant
