#pragma once
// The Green strain of a linear triangle in space as three entries, and the small linear system that solves them
// together. Shared by the elastic triangles (tri_stvk.h, tri_stvk_slack.h).
//
//        2
//       / \          F = [f0 f1] = [x1-x0, x2-x0] M,  M = Dm^-1 (2x2),  C = F^T F
//      0 - 1         entries  (C_00 - 1)/2, (C_11 - 1)/2, C_01     (engineering shear)
//                    gradient of entry (a, b) at corner k:  f_a m_kb + f_b m_ka  (half of it for a = b)
//
// with m_k the rows of M and m_0 = -(m_1 + m_2). F is 3x2: nothing is projected onto the plane of the triangle, as
// bender14 4.3 does, since F^T F does not see rotations. The rest frame may be turned freely in the rest plane when the
// elasticity matrix is turned with it (src/solver/fabric.cpp), so M is made upper triangular: three numbers, not four.
//
// The matrix sum_k w_k grad_e . grad_f of two entries needs no gradients. With Q = sum_k w_k m_k m_k^T,
//
//   (ab, cd):  C_ac Q_bd + C_ad Q_bc + C_bc Q_ad + C_bd Q_ac     (half, or a quarter, for normal entries)

#include "constraints/constraint.h"
#include "constraints/solve.h"

namespace pliant {

/// What all elastic triangles are: three strain entries with multipliers, solved together, in xpbd.
struct ElasticTriangle {
  static constexpr int kPoints = 3;
  static constexpr int kEntries = 3;
  static constexpr Solve kSolve = Solve::block;
  static constexpr bool kOnlyCompliant = true;
  static constexpr Stencil kStencil = Stencil::triangles;
  static constexpr const char* kComplianceUnit = "of the material";

  template <class Rest, class T>
  static T strain(const Rest&, T C) {
    return C;
  }
};

/// Rest data: the inverse rest shape matrix [1/m], and the compliance (A K)^-1 [1/J] of the three entries.
template <class T>
struct TriangleRest {
  T m00, m01, m11;
  T s00, s10, s11, s20, s21, s22;

  template <class F>
  constexpr void each(F&& f) {
    f("m00", m00);
    f("m01", m01);
    f("m11", m11);
    f("s00", s00);
    f("s10", s10);
    f("s11", s11);
    f("s20", s20);
    f("s21", s21);
    f("s22", s22);
  }

  /// From rest positions. The first axis of the frame is the edge from corner 0 to corner 1. An isotropic membrane with
  /// Lame's constants of the plane [N/m]: stress = lambda tr(E) I + 2 mu E. Other matrices replace the compliance.
  static TriangleRest from(const Vec3<T> (&x)[3], const T& lambda, const T& mu) {
    const Vec3<T> e1 = x[1] - x[0], e2 = x[2] - x[0];
    const T r00 = length(e1);
    const Vec3<T> q0 = e1 / r00;
    const T r01 = dot(q0, e2);
    const T r11 = length(e2 - q0 * r01);
    TriangleRest rest;
    rest.m00 = T(1) / r00;
    rest.m11 = T(1) / r11;
    rest.m01 = -(r01 * rest.m00 * rest.m11);
    const T per_area = T(2) * rest.m00 * rest.m11;
    // K^-1 sigma = (sigma - kappa tr(sigma) I) / (2 mu), kappa = lambda / (2 lambda + 2 mu)
    const T p = per_area / (T(2) * mu);
    const T kappa = lambda / (T(2) * (lambda + mu));
    rest.s00 = rest.s11 = p - p * kappa;
    rest.s10 = -(p * kappa);
    rest.s20 = rest.s21 = T(0);
    rest.s22 = p + p;
    return rest;
  }
};

/// A deformed triangle: columns of F, rows of M, and C = F^T F as (00, 11, 01).
template <class T>
struct DeformedTriangle {
  Vec3<T> f0, f1;
  T m00, m01, m11, m0x, m0y;  // m_1 = (m00, m01), m_2 = (0, m11), m_0 = (m0x, m0y)
  T c00, c11, c01;

  DeformedTriangle(const TriangleRest<T>& r, const Vec3<T> (&x)[3]) {
    const Vec3<T> e1 = x[1] - x[0], e2 = x[2] - x[0];
    m00 = r.m00;
    m01 = r.m01;
    m11 = r.m11;
    m0x = -m00;
    m0y = -(m01 + m11);
    f0 = e1 * m00;
    f1 = mul_add(e2, m11, e1 * m01);
    c00 = dot(f0, f0);
    c11 = dot(f1, f1);
    c01 = dot(f0, f1);
  }

  void strain(T (&e)[3]) const {
    const T half(ScalarOf<T>(0.5));
    e[0] = mul_add(half, c00, -half);
    e[1] = mul_add(half, c11, -half);
    e[2] = c01;
  }

  /// For tests and for the generic machinery.
  void gradients(Vec3<T> (&gradient)[3][3]) const {
    const T mx[3] = {m0x, m00, T(0)}, my[3] = {m0y, m01, m11};
    for (int k = 0; k < 3; ++k) {
      gradient[0][k] = f0 * mx[k];
      gradient[1][k] = f1 * my[k];
      gradient[2][k] = mul_add(f0, my[k], f1 * mx[k]);
    }
  }

  /// The matrix of weighted gradient products (lower triangle).
  void gram(const T (&w)[3], T (&A)[3][3]) const {
    const T q00 = mul_add(w[0], m0x * m0x, w[1] * (m00 * m00));
    const T q01 = mul_add(w[0], m0x * m0y, w[1] * (m00 * m01));
    const T q11 = mul_add(w[2], m11 * m11, mul_add(w[0], m0y * m0y, w[1] * (m01 * m01)));
    A[0][0] = c00 * q00;
    A[1][0] = c01 * q01;
    A[1][1] = c11 * q11;
    A[2][0] = mul_add(c00, q01, c01 * q00);
    A[2][1] = mul_add(c01, q11, c11 * q01);
    const T side = c01 * q01;
    A[2][2] = mul_add(c00, q11, mul_add(c11, q00, side + side));
  }

  /// w_k F L m_k, L the symmetric matrix of the values of the entries.
  void push(const T (&value)[3], const T (&w)[3], Vec3<T> (&d)[3]) const {
    const Vec3<T> h0 = mul_add(f1, value[2], f0 * value[0]);
    const Vec3<T> h1 = mul_add(f1, value[1], f0 * value[2]);
    d[1] = mul_add(h1, m01, h0 * m00);
    d[2] = h1 * m11;
    d[0] = -(d[1] + d[2]) * w[0];
    d[1] = d[1] * w[1];
    d[2] = d[2] * w[2];
  }

  /// Rate of the entries for a motion of the corners.
  void strain_change(const Vec3<T>* motion, T (&e)[3]) const {
    const Vec3<T> v1 = motion[1] - motion[0], v2 = motion[2] - motion[0];
    const Vec3<T> g0 = v1 * m00, g1 = mul_add(v2, m11, v1 * m01);
    e[0] = dot(f0, g0);
    e[1] = dot(f1, g1);
    e[2] = dot(f0, g1) + dot(f1, g0);
  }

  /// Rayleigh damping with c = time / dt: on the entries and on the matrix, before any compliance. `before` gets the
  /// entries less what the motion has changed (forget_strong_damping).
  void add_damping(const Vec3<T>* motion, const T& c, T (&A)[3][3], T (&entries)[3], T (&before)[3]) const {
    T change[3];
    strain_change(motion, change);
    for (int e = 0; e < 3; ++e) {
      before[e] = entries[e] - change[e];
      entries[e] = mul_add(c, change[e], entries[e]);
      for (int g = 0; g <= e; ++g) A[e][g] = mul_add(c, A[e][g], A[e][g]);
    }
  }

  /// Trace of sum_k w_k m_k m_k^T [1/(kg m^2)].
  T trace_of_metric(const T (&w)[3]) const {
    return mul_add(w[2], m11 * m11, mul_add(w[1], mul_add(m00, m00, m01 * m01), w[0] * mul_add(m0x, m0x, m0y * m0y)));
  }

  /// Where the multipliers of another substep cannot be used: stretched beyond twice the rest length in both
  /// directions, a triangle is stiffer and turns further than a substep follows.
  MaskOf<T> far_stretched() const { return c00 + c11 > T(ScalarOf<T>(8)); }
};

namespace detail {

/// The compliance times the multipliers, (A K)^-1 lambda.
template <class T>
inline void compliance_times(const TriangleRest<T>& r, const T (&lambda)[3], T (&out)[3]) {
  out[0] = mul_add(r.s20, lambda[2], mul_add(r.s10, lambda[1], r.s00 * lambda[0]));
  out[1] = mul_add(r.s21, lambda[2], mul_add(r.s11, lambda[1], r.s10 * lambda[0]));
  out[2] = mul_add(r.s22, lambda[2], mul_add(r.s21, lambda[1], r.s20 * lambda[0]));
}

/// A K e: what the elasticity makes of the entries [J].
template <class T>
inline void stiffness_times(const TriangleRest<T>& r, const T (&e)[3], T (&out)[3]) {
  T A[3][3] = {{r.s00, T(0), T(0)}, {r.s10, r.s11, T(0)}, {r.s20, r.s21, r.s22}};
  for (int k = 0; k < 3; ++k) out[k] = e[k];
  solve_symmetric(A, out);
}

}  // namespace detail

}  // namespace pliant
