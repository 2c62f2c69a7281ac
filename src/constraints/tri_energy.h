#pragma once
#include "constraints/constraint.h"
#include "constraints/tri_strain_block.h"

namespace pliant {

/// A triangle of cloth whose constraint is its elastic energy: bender14's form, kept for comparison.   bender14 4.3
///
///   C = A psi(F) = A/2 e . K e [J], projected to zero;  e = (E_00, E_11, 2 E_01) of the Green strain
///
/// F is 3x2 and appears only in F^T F (tri_strain_block.h), which is linear in the products of the edges
/// e_1 = x_1 - x_0 and e_2 = x_2 - x_0. With g = (e_1 . e_1, e_2 . e_2, e_1 . e_2), g_0 at rest, and e = L (g - g_0),
///
///   C = 1/2 (g - g_0) . H (g - g_0),  H = L^T A K L,  t = H (g - g_0)
///   grad_1 = 2 t_0 e_1 + t_2 e_2,  grad_2 = 2 t_1 e_2 + t_2 e_1,  grad_0 = -(their sum)
///
/// The stiffness depends on step and iterations and not on K; tri_stvk.h has the one that is meant.
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
    T g0, g1, g2;                    // g_0 [m^2]
    T h00, h10, h11, h20, h21, h22;  // H [J/m^4]
    template <class F>
    constexpr void each(F&& f) {
      f("g0", g0);
      f("g1", g1);
      f("g2", g2);
      f("h00", h00);
      f("h10", h10);
      f("h11", h11);
      f("h20", h20);
      f("h21", h21);
      f("h22", h22);
    }
  };

  /// From the frame of TriangleRest::from and A K in it [J].
  static Rest from(const T& m00, const T& m01, const T& m11, const T (&AK)[3][3]) {
    const T zero(0), half(ScalarOf<T>(0.5));
    const T L[3][3] = {
        {half * m00 * m00, zero, zero}, {half * m01 * m01, half * m11 * m11, m01 * m11}, {m00 * m01, zero, m00 * m11}};
    const T r00 = T(1) / m00, r11 = T(1) / m11, r01 = -(m01 * r00 * r11);
    return with_matrix({r00 * r00, r01 * r01 + r11 * r11, r00 * r01}, L, AK);
  }

  static Rest rest(const Vec3<T> (&x)[3], T lambda = T(1), T mu = T(1)) {
    const TriangleRest<T> r = TriangleRest<T>::from(x, lambda, mu);
    const T area = T(1) / (T(2) * r.m00 * r.m11);
    const T zero(0), normal = area * (lambda + mu + mu), side = area * lambda;
    return from(r.m00, r.m01, r.m11, {{normal, side, zero}, {side, normal, zero}, {zero, zero, area * mu}});
  }

  static Rest permuted(const Rest& rest, const int (&order)[3]) {
    // The old edges as sums of the new ones: e_i = sum_j B_ij e'_j. Corners in coordinates along old edges.
    constexpr int at[3][2] = {{0, 0}, {1, 0}, {0, 1}};
    int place[3];
    for (int k = 0; k < 3; ++k) place[order[k]] = k;
    T B[2][2];
    for (int i = 0; i < 2; ++i) {
      for (int j = 0; j < 2; ++j) {
        // e_i goes from the old corner 0 to i + 1, which are the new corners place[0] and place[i + 1].
        B[i][j] = T(at[place[i + 1]][j] - at[place[0]][j]);
      }
    }
    const T two(2);
    const T Q[3][3] = {{B[0][0] * B[0][0], B[0][1] * B[0][1], two * B[0][0] * B[0][1]},
                       {B[1][0] * B[1][0], B[1][1] * B[1][1], two * B[1][0] * B[1][1]},
                       {B[0][0] * B[1][0], B[0][1] * B[1][1], B[0][0] * B[1][1] + B[0][1] * B[1][0]}};  // g = Q g'
    const T H[3][3] = {{rest.h00, rest.h10, rest.h20}, {rest.h10, rest.h11, rest.h21}, {rest.h20, rest.h21, rest.h22}};
    // The third side: |e_1 - e_2|^2.
    const T third = rest.g0 + rest.g1 - two * rest.g2;
    const T square[3][3] = {{T(0), rest.g0, rest.g1}, {rest.g0, T(0), third}, {rest.g1, third, T(0)}};
    const T a = square[order[0]][order[1]], b = square[order[0]][order[2]], c = square[order[1]][order[2]];
    return with_matrix({a, b, (a + b - c) / two}, Q, H);
  }

  PLIANT_HOT static inline T evaluate(const Rest& rest, const Vec3<T> (&x)[3], Vec3<T> (&gradient)[3]) {
    const Vec3<T> e1 = x[1] - x[0], e2 = x[2] - x[0];
    const T d0 = dot(e1, e1) - rest.g0, d1 = dot(e2, e2) - rest.g1, d2 = dot(e1, e2) - rest.g2;
    const T t0 = mul_add(rest.h20, d2, mul_add(rest.h10, d1, rest.h00 * d0));
    const T t1 = mul_add(rest.h21, d2, mul_add(rest.h11, d1, rest.h10 * d0));
    const T t2 = mul_add(rest.h22, d2, mul_add(rest.h21, d1, rest.h20 * d0));
    gradient[1] = mul_add(e2, t2, e1 * (t0 + t0));
    gradient[2] = mul_add(e1, t2, e2 * (t1 + t1));
    gradient[0] = -(gradient[1] + gradient[2]);
    return T(ScalarOf<T>(0.5)) * mul_add(d2, t2, mul_add(d1, t1, d0 * t0));
  }

  static T strain(const Rest&, T) { return T(0); }

 private:
  /// H = M^T K M.
  static Rest with_matrix(const T (&g)[3], const T (&M)[3][3], const T (&K)[3][3]) {
    const auto h = [&](int i, int j) {
      T sum(0);
      for (int a = 0; a < 3; ++a) {
        for (int b = 0; b < 3; ++b) sum = sum + M[a][i] * K[a][b] * M[b][j];
      }
      return sum;
    };
    return {g[0], g[1], g[2], h(0, 0), h(1, 0), h(1, 1), h(2, 0), h(2, 1), h(2, 2)};
  }
};

}  // namespace pliant
