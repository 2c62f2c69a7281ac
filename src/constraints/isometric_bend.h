#pragma once
#include "constraints/constraint.h"
#include "math/matrix.h"

namespace pliant {

namespace detail {

/// K_1, K_2, K_3 of a hinge (K_0 = -(their sum)) and the areas of its two triangles. With d_i = x_i - x_0, e = d_1,
/// t_i = d_i . e / |e|^2 and h_i the height of corner i over the edge, the sum of the two cotangents at the edge in a
/// triangle is |e| / h_i, and they divide it as 1 - t_i (at corner 1, which goes to K_0) and t_i.
template <class T>
inline void hinge_shares(const Vec3<T>& e, const Vec3<T>& d2, const Vec3<T>& d3, T (&K)[3], T& area2, T& area3) {
  const T ee = dot(e, e), n2 = length(cross(e, d2)), n3 = length(cross(d3, e));
  const T c2 = ee / n2, c3 = ee / n3;  // |e| / h_i
  K[0] = (dot(d2, e) * c2 + dot(d3, e) * c3) / ee;
  K[1] = -c2;
  K[2] = -c3;
  area2 = n2 / T(2);
  area3 = n3 / T(2);
}

}  // namespace detail

/// Keeps two triangles that share an edge flat: the bending energy of Bergou et al. for sheets that do not
/// stretch.                                                                                          bender14 4.3
///
///          2
///        /   \          m = sum K_i x_i,  K_i from cotangents at rest: |m| = 2 |e| sin(angle / 2) for a hinge
///       0 --- 1         whose edges keep their lengths
///        \   /
///          3            C = sqrt(3 / (A_0 + A_1)) m, dimensionless, three entries
///
/// The energy is k/2 |C|^2 = 1/2 x . Q x with bender14's Q = 3 / (A_0 + A_1) K^T K, and the compliance 1/k, k in N m.
/// C is linear in the positions: one division solves all three entries exactly, and a hinge folded by half a turn is
/// nothing special.
///
/// The printed factor 3 makes a sheet three times as stiff against bending as k: on a regular lattice of right or of
/// equilateral triangles a cylinder of curvature c has the energy 3/2 k c^2 per area (docs/constraints/bending.md has
/// the derivation). triangle_bend.h has the stiffness of a plate on other meshes, too.
///
/// For a sheet that is flat at rest. Degenerate: none at run time, the gradients are constant.
template <class T>
struct IsometricBend {
  using Number = T;
  static constexpr int kPoints = 4;
  static constexpr int kEntries = 3;
  static constexpr Solve kSolve = Solve::block;
  static constexpr Stencil kStencil = Stencil::hinges;
  static constexpr const char* kSummary = "keeps two triangles that share an edge flat (bender14)";
  static constexpr const char* kComplianceUnit = "1/(N m)";

  struct Rest {
    T b1, b2, b3;  // sqrt(3 / (A_0 + A_1)) K_i [1/m]
    template <class F>
    constexpr void each(F&& f) {
      f("b1", b1);
      f("b2", b2);
      f("b3", b3);
    }
  };

  static Rest rest(const Vec3<T> (&x)[4]) {
    T K[3], area2, area3;
    detail::hinge_shares(x[1] - x[0], x[2] - x[0], x[3] - x[0], K, area2, area3);
    const T factor = sqrt(T(3) / (area2 + area3));
    return {factor * K[0], factor * K[1], factor * K[2]};
  }

  static Rest permuted(const Rest& rest, const int (&order)[4]) {
    T b[4];
    shares(rest, b);
    return {b[order[1]], b[order[2]], b[order[3]]};
  }

  static void shares(const Rest& rest, T (&b)[4]) {
    b[0] = -(rest.b1 + rest.b2 + rest.b3);
    b[1] = rest.b1;
    b[2] = rest.b2;
    b[3] = rest.b3;
  }

  static void evaluate(const Rest& rest, const Vec3<T> (&x)[4], T (&C)[3], Vec3<T> (&gradient)[3][4]) {
    T b[4];
    shares(rest, b);
    Vec3<T> m = x[0] * b[0];
    for (int i = 1; i < 4; ++i) m = mul_add(x[i], b[i], m);
    const T zero(0);
    for (int i = 0; i < 4; ++i) {
      gradient[0][i] = {b[i], zero, zero};
      gradient[1][i] = {zero, b[i], zero};
      gradient[2][i] = {zero, zero, b[i]};
    }
    C[0] = m.x;
    C[1] = m.y;
    C[2] = m.z;
  }

  static T strain(const Rest&, T) { return T(0); }
};

/// The same for a sheet that is curved at rest: keeps the part of m along the normal of the hinge.
///
///   C = sqrt(3 / (A_0 + A_1)) (n . m - n . m at rest),  n = N / |N|,  N = e x (x2 - x3), the sum of the two normals
///
/// m is along the bisector of the two triangles as long as the edges keep their lengths, so that n . m has the sign and
/// the size of the fold. With p = (m - (n . m) n) / |N| the exact gradient is
///
///   grad_i = K_i n + (i = 1: g x p, 0: -g x p, 2: p x e, 3: -p x e),  g = x2 - x3
///
/// Degenerate: folded by half a turn N vanishes; the gradient is zero there.
///
/// C is about twice the angle, and a projection changes it by kMostStep at most, for the reason that bend.h gives.
template <class T>
struct IsometricBendCurved {
  using Number = T;
  static constexpr int kPoints = 4;
  static constexpr double kMostStep = 0.5;
  static constexpr Stencil kStencil = Stencil::hinges;
  static constexpr const char* kSummary = "keeps two triangles that share an edge bent as at rest (after bender14)";
  static constexpr const char* kComplianceUnit = "1/(N m)";

  struct Rest {
    T b1, b2, b3;  // sqrt(3 / (A_0 + A_1)) K_i [1/m]
    T bend;        // n . m of these at rest
    template <class F>
    constexpr void each(F&& f) {
      f("b1", b1);
      f("b2", b2);
      f("b3", b3);
      f("bend", bend);
    }
  };

  static Rest rest(const Vec3<T> (&x)[4]) {
    const auto flat = IsometricBend<T>::rest(x);
    Rest rest{flat.b1, flat.b2, flat.b3, T(0)};
    Vec3<T> gradient[4];
    rest.bend = evaluate(rest, x, gradient);
    return rest;
  }

  static T evaluate(const Rest& rest, const Vec3<T> (&x)[4], Vec3<T> (&gradient)[4]) {
    const Vec3<T> e = x[1] - x[0], d2 = x[2] - x[0], d3 = x[3] - x[0], g = x[2] - x[3];
    const Vec3<T> m = mul_add(d3, rest.b3, mul_add(d2, rest.b2, e * rest.b1));
    const Vec3<T> N = cross(e, g);
    const T size = length(N), inverse = T(1) / size;
    const MaskOf<T> good = is_finite(inverse) & (size > T(0));
    const T safe = zero_unless(good, inverse);
    const Vec3<T> n = N * safe;
    const T along = dot(n, m);
    const Vec3<T> p = (m - n * along) * safe;
    const Vec3<T> gp = cross(g, p), pe = cross(p, e);
    gradient[1] = mul_add(n, rest.b1, gp);
    gradient[2] = mul_add(n, rest.b2, pe);
    gradient[3] = mul_add(n, rest.b3, -pe);
    gradient[0] = -(gradient[1] + gradient[2] + gradient[3]);
    // p overflows where the hinge is folded to within rounding: nothing moves then.
    const T sum = (gradient[0].x + gradient[0].y) + gradient[0].z;
    const MaskOf<T> finite = is_finite(sum) & is_finite((pe.x + pe.y) + pe.z);
    const Vec3<T> zero{T(0), T(0), T(0)};
    for (Vec3<T>& v : gradient) v = select(finite, v, zero);
    return along - rest.bend;
  }

  static T strain(const Rest&, T) { return T(0); }
};

}  // namespace pliant
