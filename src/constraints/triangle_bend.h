#pragma once
#include "constraints/isometric_bend.h"
#include "constraints/solve.h"

namespace pliant {

/// Keeps a triangle and its three neighbours flat, with the bending stiffness of a plate.
///
///      4 ----- 0 ----- 5          The curvature of the triangle, from the turns at its edges:
///       \    /   \    /
///        \  /     \  /            H = 1/A sum over its edges of  s_e m_e n_e n_e^T
///         1 ------ 2              m_e = sum_i K_ei x_i, |e| times the angle of the hinge (isometric_bend.h)
///          \      /               n_e: the edge's normal in the plane
///           \    /                s_e: A / (A + area of the neighbour), the triangle's part of that hinge
///             3
///                                 C = sqrt(D A) (H_00, H_11, sqrt(2) H_01), three vectors: nine entries [sqrt(J)]
///
/// with corner 3 + k across the edge that is opposite to corner k. 1/2 |C|^2 = D A/2 |H|^2 is the energy of a plate of
/// bending stiffness D and Poisson's ratio 0; its compliance is 1. A single hinge sees one direction only and takes the
/// square before the sum: what it makes of a cylinder depends on how its edges lie. The mean curvature alone, the trace
/// of H, would let a narrow strip curl across for nothing.
///
/// All is linear in the positions. The block falls into three equal ones, one for each axis of space: one 3x3 system
/// with three right sides.
///
/// An edge at the border has no neighbour and takes no part; its corner 3 + k may be any particle that does not move.
/// rest() knows it by a corner 3 + k in the place of corner k.
///
/// For a sheet that is flat at rest. Degenerate: none at run time, the gradients are constant.
template <class T>
struct TriangleBend {
  using Number = T;
  static constexpr int kPoints = 6;
  static constexpr int kEntries = 9;
  static constexpr Solve kSolve = Solve::block;
  static constexpr bool kOnlyCompliant = true;
  static constexpr bool kVectors = true;  // entries 3p, 3p + 1, 3p + 2 are a vector that turns with the stencil
  static constexpr Stencil kStencil = Stencil::triangles;
  static constexpr const char* kSummary = "keeps a triangle and its neighbours flat";
  static constexpr const char* kComplianceUnit = "1/(N m)";

  struct Rest {
    T b[15];  // sqrt(D) times shares: of H_00 for corners 1 to 5, then H_11, then H_01 [sqrt(N/m)]
    template <class F>
    constexpr void each(F&& f) {
      constexpr const char* kNames[15] = {"b01", "b02", "b03", "b04", "b05", "b11", "b12", "b13",
                                          "b14", "b15", "b21", "b22", "b23", "b24", "b25"};
      for (int k = 0; k < 15; ++k) f(kNames[k], b[k]);
    }
  };

  /// For D = 1 N m; src/solver/fabric.cpp scales it.
  static Rest rest(const Vec3<T> (&x)[6]) {
    const Vec3<T> along = (x[1] - x[0]) / length(x[1] - x[0]), other = x[2] - x[0];
    const Vec3<T> rest_of = other - along * dot(along, other), across = rest_of / length(rest_of);
    const T area = length(cross(x[1] - x[0], other)) / T(2);
    T b[3][6] = {};
    for (int k = 0; k < 3; ++k) {
      const int from = (k + 1) % 3, to = (k + 2) % 3;
      const Vec3<T> apart = x[3 + k] - x[k];
      if (!(dot(apart, apart) > T(0))) continue;  // the border
      const Vec3<T> e = x[to] - x[from];
      T K[3], own, beyond;
      detail::hinge_shares(e, x[k] - x[from], x[3 + k] - x[from], K, own, beyond);
      const T share = area / (area + beyond) / sqrt(area);
      const T n0 = dot(e, across) / length(e), n1 = -(dot(e, along) / length(e));
      const T parts[3] = {n0 * n0, n1 * n1, sqrt(T(2)) * n0 * n1};
      for (int p = 0; p < 3; ++p) {
        const T s = share * parts[p];
        b[p][to] = b[p][to] + s * K[0];
        b[p][k] = b[p][k] + s * K[1];
        b[p][3 + k] = b[p][3 + k] + s * K[2];
        b[p][from] = b[p][from] - s * (K[0] + K[1] + K[2]);
      }
    }
    Rest rest;
    for (int p = 0; p < 3; ++p) {
      for (int i = 0; i < 5; ++i) rest.b[5 * p + i] = b[p][i + 1];
    }
    return rest;
  }

  static void evaluate(const Rest& rest, const Vec3<T> (&x)[6], T (&C)[9], Vec3<T> (&gradient)[9][6]) {
    Vec3<T> m[3];
    T b[3][6];
    vectors(rest, x, m);
    shares(rest, b);
    const T zero(0);
    for (int p = 0; p < 3; ++p) {
      C[3 * p] = m[p].x;
      C[3 * p + 1] = m[p].y;
      C[3 * p + 2] = m[p].z;
      for (int i = 0; i < 6; ++i) {
        gradient[3 * p][i] = {b[p][i], zero, zero};
        gradient[3 * p + 1][i] = {zero, b[p][i], zero};
        gradient[3 * p + 2][i] = {zero, zero, b[p][i]};
      }
    }
  }

  template <bool kGeneral, class Push>
  static void solve(const Rest& rest, const Vec3<T> (&x)[6], const T (&w)[6], const T& damping, const T& dt,
                    const Vec3<T>* motion, T (&lambda)[9], Vec3<T> (&d)[6], const Push& push) {
    Vec3<T> step[3];
    T b[3][6], A[3][3];
    vectors(rest, x, step);
    shares(rest, b);
    const T rate = T(1) / dt, a = rate * rate;
    for (int p = 0; p < 3; ++p) {
      for (int q = 0; q <= p; ++q) {
        A[p][q] = w[0] * (b[p][0] * b[q][0]);
        for (int i = 1; i < 6; ++i) A[p][q] = mul_add(w[i], b[p][i] * b[q][i], A[p][q]);
      }
    }
    if constexpr (kGeneral) {
      const T c = damping * rate;
      for (int p = 0; p < 3; ++p) {
        Vec3<T> moved = motion[0] * b[p][0];
        for (int i = 1; i < 6; ++i) moved = mul_add(motion[i], b[p][i], moved);
        step[p] = mul_add(moved, c, step[p]);
        for (int q = 0; q <= p; ++q) A[p][q] = mul_add(c, A[p][q], A[p][q]);
      }
    }
    for (int p = 0; p < 3; ++p) {
      const Vec3<T> l{lambda[3 * p], lambda[3 * p + 1], lambda[3 * p + 2]};
      step[p] = -mul_add(l, a, step[p]);
      A[p][p] = A[p][p] + a;
    }
    // LDL^T; every pivot is at least a.
    const T one(1);
    const T i0 = one / A[0][0], l10 = A[1][0] * i0, l20 = A[2][0] * i0;
    const T i1 = one / neg_mul_add(l10, A[1][0], A[1][1]), u21 = neg_mul_add(l20, A[1][0], A[2][1]), l21 = u21 * i1;
    const T i2 = one / neg_mul_add(l21, u21, neg_mul_add(l20, A[2][0], A[2][2]));
    step[1] = mul_add(step[0], -l10, step[1]);
    step[2] = mul_add(step[1], -l21, mul_add(step[0], -l20, step[2]));
    step[2] = step[2] * i2;
    step[1] = mul_add(step[2], -l21, step[1] * i1);
    step[0] = mul_add(step[2], -l20, mul_add(step[1], -l10, step[0] * i0));
    const Vec3<T> sum = (step[0] + step[1]) + step[2];
    const MaskOf<T> good = is_finite((sum.x + sum.y) + sum.z);
    for (int p = 0; p < 3; ++p) {
      step[p] = {zero_unless(good, step[p].x), zero_unless(good, step[p].y), zero_unless(good, step[p].z)};
      lambda[3 * p] = lambda[3 * p] + step[p].x;
      lambda[3 * p + 1] = lambda[3 * p + 1] + step[p].y;
      lambda[3 * p + 2] = lambda[3 * p + 2] + step[p].z;
    }
    for (int i = 0; i < 6; ++i) d[i] = mul_add(step[2], b[2][i], mul_add(step[1], b[1][i], step[0] * b[0][i])) * w[i];
    detail::drop_unless_finite(d);
    if (push.wanted) {
      Vec3<T> l[3];
      for (int p = 0; p < 3; ++p) l[p] = {lambda[3 * p], lambda[3 * p + 1], lambda[3 * p + 2]};
      for (int i = 0; i < 6; ++i) push(i, mul_add(l[2], b[2][i], mul_add(l[1], b[1][i], l[0] * b[0][i])) * w[i]);
    }
  }

  /// D A/2 |H|^2 [J].
  static T energy(const Rest& rest, const Vec3<T> (&x)[6]) {
    Vec3<T> m[3];
    vectors(rest, x, m);
    return T(ScalarOf<T>(0.5)) * (dot(m[0], m[0]) + dot(m[1], m[1]) + dot(m[2], m[2]));
  }

  static T strain(const Rest&, T) { return T(0); }

 private:
  static void vectors(const Rest& rest, const Vec3<T> (&x)[6], Vec3<T> (&m)[3]) {
    for (int p = 0; p < 3; ++p) {
      m[p] = (x[1] - x[0]) * rest.b[5 * p];
      for (int i = 1; i < 5; ++i) m[p] = mul_add(x[i + 1] - x[0], rest.b[5 * p + i], m[p]);
    }
  }

  static void shares(const Rest& rest, T (&b)[3][6]) {
    for (int p = 0; p < 3; ++p) {
      const T* own = rest.b + 5 * p;
      b[p][0] = -((own[0] + own[1]) + ((own[2] + own[3]) + own[4]));
      for (int i = 0; i < 5; ++i) b[p][i + 1] = own[i];
    }
  }
};

}  // namespace pliant
