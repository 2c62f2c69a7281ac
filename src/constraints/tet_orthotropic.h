#pragma once
#include "constraints/tet_stvk.h"

namespace pliant {

/// St. Venant-Kirchhoff tetrahedron with any elasticity matrix K.                    bender14 eq. 4, 5, 7; 4.3
///
///   psi = 1/2 e . K e,  e = the six entries of the Green strain (tet_strain.h), shear doubled
///   C   = e, dimensionless
///
/// As tet_stvk.h, with the compliance (V K)^-1 in all its 21 numbers. They hold in the element's own frame, the one in
/// which M is upper triangular: K is turned there when the body is made (src/solver/elastic.cpp). rest() by itself
/// gives the isotropic matrix.
///
/// Squeezed and inverted elements as in tet_stvk.h.
template <class T>
struct TetOrthotropic : ElasticTet {
  using Number = T;
  static constexpr bool kFineStrain = true;
  static constexpr const char* kSummary = "St. Venant-Kirchhoff elasticity of a tetrahedron with any elasticity matrix";

  struct Rest {
    RestFrame<T> frame;
    T s[21];  // lower triangle of (V K)^-1 [1/J], row by row
    template <class F>
    constexpr void each(F&& f) {
      frame.each(f);
      constexpr const char* kNames[21] = {"s00", "s10", "s11", "s20", "s21", "s22", "s30", "s31", "s32", "s33", "s40",
                                          "s41", "s42", "s43", "s44", "s50", "s51", "s52", "s53", "s54", "s55"};
      for (int k = 0; k < 21; ++k) f(kNames[k], s[k]);
    }
  };
  static constexpr int at(int row, int column) {
    return row >= column ? row * (row + 1) / 2 + column : column * (column + 1) / 2 + row;
  }

  static Rest rest(const Vec3<T> (&x)[4], T lambda = T(1), T mu = T(1)) {
    Rest rest;
    T volume;
    rest.frame = RestFrame<T>::from(x, volume);
    const T p = T(1) / (T(2) * mu * volume);
    const T kappa = lambda / (T(3) * lambda + T(2) * mu);
    for (T& s : rest.s) s = T(0);
    for (int a = 0; a < 3; ++a) {
      for (int b = 0; b <= a; ++b) rest.s[at(a, b)] = -(p * kappa);
      rest.s[at(a, a)] = p - p * kappa;
      rest.s[at(a + 3, a + 3)] = p + p;
    }
    return rest;
  }

  static void evaluate(const Rest& rest, const Vec3<T> (&x)[4], T (&C)[6], Vec3<T> (&gradient)[6][4]) {
    const DeformedTet<T> tet(rest.frame, x);
    tet.strain(C);
    tet.gradients(gradient);
  }

  template <bool kGeneral, class Push, class Strain = PlainStrain>
  static void solve(const Rest& rest, const Vec3<T> (&x)[4], const T (&w)[4], const T& damping, const T& dt,
                    const Vec3<T>* motion, T (&lambda)[6], Vec3<T> (&d)[4], const Push& push,
                    const Strain& known = {}) {
    DeformedTet<T> tet(rest.frame, x, known);
    T Q[6], A[6][6], step[6], before[6];
    tet.strain(step);
    const T rate = T(1) / dt;
    T scale = rate * rate;
    const StVKLanes<T> lanes(tet, nullptr, w, lambda, step);
    if (lanes.some_squeezed) [[unlikely]]
      scale = select(lanes.squeezed, scale / lanes.stiffening, scale);
    tet.mass_metric(w, Q);
    tet.gram(Q, A);
    if constexpr (kGeneral) tet.add_damping(rest.frame, motion, damping * rate, A, step, before);
    for (int e = 0; e < 6; ++e) {
      T sum = rest.s[at(e, 0)] * lambda[0];
      for (int g = 1; g < 6; ++g) sum = mul_add(rest.s[at(e, g)], lambda[g], sum);
      step[e] = -mul_add(scale, sum, step[e]);
      for (int g = 0; g <= e; ++g) A[e][g] = mul_add(scale, rest.s[at(e, g)], A[e][g]);
    }
    tet.template finish<false>(A, step, w, lambda, d, push, lanes.forgotten_or_null(), [&](T(&kept)[6]) {
      if constexpr (kGeneral) {
        stiffness_times(rest, before);
        for (T& s : before) s = -(s * (dt * dt));
        detail::forget_strong_damping<3>(damping * rate, before, (Q[0] + Q[1]) + Q[2], kept);
      }
    });
  }

  /// Where the corotated strain is taken; its projection gives up angular momentum (tet_corotated.h).
  static MaskOf<T> squeezed(const Rest& rest, const Vec3<T> (&x)[4], const T (&w)[4]) {
    return StVKLanes<T>::find(DeformedTet<T>(rest.frame, x), nullptr, w);
  }

  /// V psi [J]; below the least stretch that of the corotated strain goes on from there (stretches.h).
  static T energy(const Rest& rest, const Vec3<T> (&x)[4]) {
    const DeformedTet<T> tet(rest.frame, x);
    T e[6];
    tet.strain(e);
    const T own = quadratic(rest, e);
    const Svd3<T> parts = svd(Mat3<T>{tet.f[0], tet.f[1], tet.f[2]});
    const Vec3<T> s = parts.s, kept = at_least(StVKStretches::kLeastCorotated, parts.s);
    const T one(1), half(ScalarOf<T>(0.5));
    const auto green = [&](const T& k) { return half * (k - one) * (k + one); };
    const T below = of_stretches(rest, parts.v, {s.x - one, s.y - one, s.z - one}) -
                    of_stretches(rest, parts.v, {kept.x - one, kept.y - one, kept.z - one});
    const T bound = of_stretches(rest, parts.v, {green(kept.x), green(kept.y), green(kept.z)});
    return select(s.z < number<T>(StVKStretches::kLeastCorotated),
                  mul_add(StVKStretches::stiffening(one), max(below, T(0)), bound), own);
  }

 private:
  /// V K y in place of y [J].
  static void stiffness_times(const Rest& rest, T (&y)[6]) {
    T A[6][6];
    for (int a = 0; a < 6; ++a) {
      for (int b = 0; b <= a; ++b) A[a][b] = rest.s[at(a, b)];
    }
    detail::solve_symmetric(A, y);
  }

  /// 1/2 e . V K e.
  static T quadratic(const Rest& rest, const T (&e)[6]) {
    T y[6];
    for (int a = 0; a < 6; ++a) y[a] = e[a];
    stiffness_times(rest, y);
    T sum = e[0] * y[0];
    for (int a = 1; a < 6; ++a) sum = mul_add(e[a], y[a], sum);
    return T(ScalarOf<T>(0.5)) * sum;
  }

  /// The same for the strain V diag(d) V^T.
  static T of_stretches(const Rest& rest, const Mat3<T>& V, const Vec3<T>& d) {
    const Mat3<T> m = mul_transpose(Mat3<T>{V.c0 * d.x, V.c1 * d.y, V.c2 * d.z}, V);
    const T two(2);
    const T e[6] = {m.c0.x, m.c1.y, m.c2.z, two * m.c1.z, two * m.c2.x, two * m.c0.y};
    return quadratic(rest, e);
  }
};

}  // namespace pliant
