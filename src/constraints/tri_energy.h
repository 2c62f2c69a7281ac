#pragma once
#include "constraints/tri_strain_block.h"
#include "math/matrix.h"

namespace pliant {

/// A triangle of cloth whose constraint is its elastic energy: bender14's form, kept for comparison.   bender14 4.3
///
///   C = A psi(F) = A/2 e . K e [J], projected to zero;  e = (E_00, E_11, 2 E_01)
///   grad_k C = A F S m_k,  S = K e as a symmetric 2x2 matrix,  grad_0 = -(their sum)
///
/// The stiffness depends on step and iterations and not on K; tri_stvk.h has the one that is meant. F is 3x2 and not
/// projected (tri_strain_block.h).
///
/// Degenerate: at rest C and its gradient are both zero, and nothing moves.
template <class T>
struct TriEnergyStVK {
  using Number = T;
  static constexpr int kPoints = 3;
  static constexpr Stencil kStencil = Stencil::triangles;
  static constexpr bool kOnlyCompliant = false;
  static constexpr const char* kComplianceUnit = "J";
  /// One projection does not solve C = 0 to first order: the gradient vanishes at rest.
  static constexpr bool kFlatAtRest = true;
  static constexpr bool kMayOverflow = true;
  static constexpr const char* kSummary = "projects the energy of a triangle of cloth to zero (bender14)";

  struct Rest {
    T m00, m01, m11;                 // Dm^-1, upper triangular [1/m]
    T k00, k10, k11, k20, k21, k22;  // A K [J]
    template <class F>
    constexpr void each(F&& f) {
      f("m00", m00);
      f("m01", m01);
      f("m11", m11);
      f("k00", k00);
      f("k10", k10);
      f("k11", k11);
      f("k20", k20);
      f("k21", k21);
      f("k22", k22);
    }
  };

  static Rest rest(const Vec3<T> (&x)[3], T lambda = T(1), T mu = T(1)) {
    const TriangleRest<T> r = TriangleRest<T>::from(x, lambda, mu);
    const T area = T(1) / (T(2) * r.m00 * r.m11);
    const T zero(0), normal = area * (lambda + mu + mu), side = area * lambda;
    return {r.m00, r.m01, r.m11, normal, side, normal, zero, zero, area * mu};
  }

  static Rest permuted(const Rest& rest, const int (&order)[3]) {
    // The corners in the rest plane, then the new frame (q, p) in it: along the new first edge, the new third corner
    // above.
    const T r00 = T(1) / rest.m00, r11 = T(1) / rest.m11, r01 = -(rest.m01 * r00 * r11), zero(0), two(2);
    const T at[3][2] = {{zero, zero}, {r00, zero}, {r01, r11}};
    const auto& y0 = at[order[0]];
    const T e1[2] = {at[order[1]][0] - y0[0], at[order[1]][1] - y0[1]};
    const T e2[2] = {at[order[2]][0] - y0[0], at[order[2]][1] - y0[1]};
    const T size = sqrt(e1[0] * e1[0] + e1[1] * e1[1]);
    const T q[2] = {e1[0] / size, e1[1] / size};
    const T above = q[0] * e2[1] - q[1] * e2[0], side = copy_sign(T(1), above);
    const T p[2] = {-(side * q[1]), side * q[0]};
    Rest out{};
    out.m00 = T(1) / size;
    out.m11 = T(1) / (side * above);
    out.m01 = -((q[0] * e2[0] + q[1] * e2[1]) * out.m00 * out.m11);
    // e = R e' for the strain in the two frames, hence K' = R^T K R.
    const T R[3][3] = {{q[0] * q[0], p[0] * p[0], q[0] * p[0]},
                       {q[1] * q[1], p[1] * p[1], q[1] * p[1]},
                       {two * q[0] * q[1], two * p[0] * p[1], q[0] * p[1] + q[1] * p[0]}};
    const T K[3][3] = {{rest.k00, rest.k10, rest.k20}, {rest.k10, rest.k11, rest.k21}, {rest.k20, rest.k21, rest.k22}};
    const auto k = [&](int i, int j) {
      T sum(0);
      for (int a = 0; a < 3; ++a) {
        for (int b = 0; b < 3; ++b) sum = sum + R[a][i] * K[a][b] * R[b][j];
      }
      return sum;
    };
    out.k00 = k(0, 0), out.k10 = k(1, 0), out.k11 = k(1, 1);
    out.k20 = k(2, 0), out.k21 = k(2, 1), out.k22 = k(2, 2);
    return out;
  }

  PLIANT_HOT static inline T evaluate(const Rest& rest, const Vec3<T> (&x)[3], Vec3<T> (&gradient)[3]) {
    const Vec3<T> e1 = x[1] - x[0], e2 = x[2] - x[0];
    const Vec3<T> f0 = e1 * rest.m00, f1 = mul_add(e2, rest.m11, e1 * rest.m01);
    const T half(ScalarOf<T>(0.5));
    const T e00 = mul_add(half, dot(f0, f0), -half), e11 = mul_add(half, dot(f1, f1), -half), e01 = dot(f0, f1);
    const T s00 = mul_add(rest.k20, e01, mul_add(rest.k10, e11, rest.k00 * e00));
    const T s11 = mul_add(rest.k21, e01, mul_add(rest.k11, e11, rest.k10 * e00));
    const T s01 = mul_add(rest.k22, e01, mul_add(rest.k21, e11, rest.k20 * e00));
    const Vec3<T> h0 = mul_add(f1, s01, f0 * s00), h1 = mul_add(f1, s11, f0 * s01);
    gradient[1] = mul_add(h1, rest.m01, h0 * rest.m00);
    gradient[2] = h1 * rest.m11;
    gradient[0] = -(gradient[1] + gradient[2]);
    return half * mul_add(e01, s01, mul_add(e11, s11, e00 * s00));
  }

  static T strain(const Rest&, T) { return T(0); }
};

}  // namespace pliant
