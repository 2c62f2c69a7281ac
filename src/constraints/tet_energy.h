#pragma once
// Tetrahedra whose constraint is the elastic energy itself: the documents' forms, kept for comparison with them.
//
//   tet_energy_*    C = V psi(F) [J], projected to zero                                  bender14 3.1, 4.1
//   tet_density_*   C = psi(F) [J/m^3] with the compliance 1 of xpbd, alpha~ = 1/dt^2    cao22 eq. 10
//
//        3
//       /|\        Ds = [x1-x0, x2-x0, x3-x0],  F = Ds Dm^-1
//      / | \       grad_k C = column k of V P Dm^-T,  grad_0 = -(their sum)
//     0--|--2
//      \ | /       Neither is the elastic potential in the sense of xpbd (which is C^2 / (2 compliance)): a stiffness
//       \|/        that is meant goes with tet_stvk and tet_neo_hookean. In tet_energy volume and modulus cancel from
//        1         the projection, in tet_density the potential would be psi^2 / 2.
//
// An isotropic psi needs no F. With the metric G = Dm^-1 Dm^-T, six numbers, and A = G Ds^T Ds - I (not symmetric,
// but with the invariants of F^T F - I):
//
//   StVK           psi = mu/4 tr A^2 + lambda/8 tr^2 A             dpsi/dDs = Ds (mu A G + lambda/2 tr(A) G)
//   Neo-Hookean    psi = mu/2 (tr A - 2 ln J) + lambda/2 ln^2 J    dpsi/dDs = mu Ds G + (lambda ln J - mu) Ds^-T
//
// A G = G (Ds^T Ds) G - G is symmetric.
//
// Degenerate: below the model's least stretch, and inverted, the stress stays as it is there and the energy goes on
// linearly (bender14 4.2 fig. 2, stretches.h). Only batches with such a lane pay for the singular values. At rest C and
// its gradient are both zero, and nothing moves.

#include "constraints/constraint.h"
#include "constraints/stretches.h"
#include "math/svd.h"

namespace pliant {

namespace detail {

/// A symmetric matrix as (00, 11, 22, 12, 20, 01).
template <class T>
inline Mat3<T> matrix_of(const T (&s)[6]) {
  return {{s[0], s[5], s[4]}, {s[5], s[1], s[3]}, {s[4], s[3], s[2]}};
}

/// Where all squared stretches are above least^2: the invariants of A + c with c = 1 - least^2 are all positive (its
/// eigenvalues are real; Descartes). In: the invariants of A.
template <class T>
inline MaskOf<T> stretches_above(double least, const T& first, const T& second, const T& third) {
  const T c = number<T>(1 - least * least), two(2), three(3);
  const T e1 = mul_add(three, c, first);
  const T e2 = mul_add(c, mul_add(three, c, two * first), second);
  const T e3 = mul_add(c, mul_add(c, c + first, second), third);
  return (e1 > T(0)) & (e2 > T(0)) & (e3 > T(0));
}

/// Padding has a metric of ones.
template <class T>
inline MaskOf<T> is_padding(const T (&G)[6]) {
  return G[0] * G[1] <= G[5] * G[5];
}

/// psi / mu and its derivative by Ds from the singular values, with the stress clamped below the least stretch. The
/// metric gives back a frame: G = M M^T with M upper triangular, and F = Ds M up to a rotation of the rest shape.
/// `wound` has the sign of the rest volume.
template <class Model, class T>
[[gnu::noinline, gnu::cold]] T clamped_energy(const T (&G)[6], const T& wound, const T& ratio, const Mat3<T>& Ds,
                                              Mat3<T>& slope) {
  const T m22 = sqrt(G[2]);
  const T m12 = G[3] / m22, m02 = G[4] / m22;
  const T m11 = sqrt(neg_mul_add(m12, m12, G[1]));
  const T m01 = neg_mul_add(m02, m12, G[5]) / m11;
  const T m00 = copy_sign(sqrt(neg_mul_add(m02, m02, neg_mul_add(m01, m01, G[0]))), wound);
  const T zero(0);
  const Mat3<T> M{{m00, zero, zero}, {m01, m11, zero}, {m02, m12, m22}};
  const Svd3<T> f = svd(Ds * M);
  Vec3<T> p;
  const T energy = energy_with_clamped_stress<Model>(f.s, ratio, p);
  const Mat3<T> P = mul_transpose(Mat3<T>{f.u.c0 * p.x, f.u.c1 * p.y, f.u.c2 * p.z}, f.v);
  slope = mul_transpose(P, M);
  return energy;
}

}  // namespace detail

/// psi / mu of St. Venant-Kirchhoff.
template <class T>
struct MetricStVK {
  using Stretches = StVKStretches;
  static constexpr bool kNeedsVolume = false;

  PLIANT_HOT static inline T evaluate(const T (&G)[6], const T& wound, const T&, const T& ratio, const Mat3<T>& Ds,
                                      Mat3<T>& slope) {
    const T half = T(0.5f), one(1);
    // B = Ds G, the columns b; then A = B^T Ds - I and A G = B^T B - G.
    const Mat3<T> B = Ds * detail::matrix_of(G);
    const T trace = (dot(B.c0, Ds.c0) - one) + (dot(B.c1, Ds.c1) - one) + (dot(B.c2, Ds.c2) - one);
    const T a01 = dot(B.c0, Ds.c1), a10 = dot(B.c1, Ds.c0);
    const T a02 = dot(B.c0, Ds.c2), a20 = dot(B.c2, Ds.c0);
    const T a12 = dot(B.c1, Ds.c2), a21 = dot(B.c2, Ds.c1);
    const T a00 = dot(B.c0, Ds.c0) - one, a11 = dot(B.c1, Ds.c1) - one, a22 = dot(B.c2, Ds.c2) - one;
    const T sides = mul_add(a12, a21, mul_add(a02, a20, a01 * a10));
    const T square = mul_add(a22, a22, mul_add(a11, a11, mul_add(a00, a00, sides + sides)));
    // Ds A G = B (Ds^T B - I) = B A^T; the entries of Ds^T B are those of A^T.
    const T bulk = half * ratio * trace;
    slope = B * Mat3<T>{{a00 + bulk, a01, a02}, {a10, a11 + bulk, a12}, {a20, a21, a22 + bulk}};
    T energy = T(0.25f) * mul_add(bulk, trace, square);

    // All squared stretches are within sqrt(tr A^2) of 1, hence above 1/3 where that is below 2/3. That is the cheap
    // test; the invariants tell exactly.
    constexpr double kRoom = 1 - Stretches::kLeast * Stretches::kLeast;
    const MaskOf<T> upright = determinant(Ds) * wound > T(0);
    if (!all(upright & (square <= number<T>(kRoom * kRoom)))) [[unlikely]] {
      const T second = half * neg_mul_add(T(1), square, trace * trace);
      const T third = mul_add(a02, neg_mul_add(a11, a20, a10 * a21),
                              mul_add(a01, neg_mul_add(a10, a22, a12 * a20), a00 * neg_mul_add(a12, a21, a11 * a22)));
      const MaskOf<T> near = square <= number<T>(kRoom * kRoom);
      const MaskOf<T> sound =
          (upright & (near | detail::stretches_above(Stretches::kLeast, trace, second, third))) | detail::is_padding(G);
      if (!all(sound)) {
        Mat3<T> clamped;
        const T other = detail::clamped_energy<Stretches>(G, wound, ratio, Ds, clamped);
        energy = select(sound, energy, other);
        slope = select(sound, slope, clamped);
      }
    }
    return energy;
  }
};

/// psi / mu of the Neo-Hookean model.
template <class T>
struct MetricNeoHookean {
  using Stretches = NeoHookeanStretches;
  static constexpr bool kNeedsVolume = true;

  PLIANT_HOT static inline T evaluate(const T (&G)[6], const T& wound, const T& per_volume, const T& ratio,
                                      const Mat3<T>& Ds, Mat3<T>& slope) {
    const T half = T(0.5f), one(1);
    const Mat3<T> B = Ds * detail::matrix_of(G);
    const Mat3<T> cof = cofactor(Ds);
    const T det = dot(Ds.c0, cof.c0);
    const T J = det * per_volume;
    const T a00 = dot(B.c0, Ds.c0) - one, a11 = dot(B.c1, Ds.c1) - one, a22 = dot(B.c2, Ds.c2) - one;
    const T trace = a00 + a11 + a22;
    // tr A - 2 ln J = (d - log(1 + d)) - (d - tr A) with 1 + d = J^2 = 1 + I1 + I2 + I3, the invariants of A: nothing
    // cancels near rest.
    const T a01 = dot(B.c0, Ds.c1), a10 = dot(B.c1, Ds.c0);
    const T a02 = dot(B.c0, Ds.c2), a20 = dot(B.c2, Ds.c0);
    const T a12 = dot(B.c1, Ds.c2), a21 = dot(B.c2, Ds.c1);
    const T m0 = neg_mul_add(a12, a21, a11 * a22);
    const T second = m0 + neg_mul_add(a02, a20, a00 * a22) + neg_mul_add(a01, a10, a00 * a11);
    const T third =
        mul_add(a02, neg_mul_add(a11, a20, a10 * a21), mul_add(a01, neg_mul_add(a10, a22, a12 * a20), a00 * m0));
    const T more = second + third;
    const T d = trace + more;
    const MaskOf<T> sure = (J > T(0)) & detail::stretches_above(Stretches::kLeast, trace, second, third);
    // Far from rest it is the invariants that cancel, and J and tr A are good as they are.
    const MaskOf<T> near = abs(d) + abs(trace) <= half;
    const T square = select(sure, select(near, one + d, J * J), one);
    const T logarithm = log(NearOne<T>{square, select(near, d, square - one)});  // 2 ln J
    const T log_J = half * logarithm;
    const T shape = select(near, excess_over_log(d, logarithm) - more, trace - logarithm);
    T energy = half * mul_add(ratio * log_J, log_J, shape);
    const T pressure = mul_add(ratio, log_J, -one) / select(sure, det, one);
    slope = mul_add(cof, pressure, B);

    if (!all(sure | detail::is_padding(G))) [[unlikely]] {
      Mat3<T> clamped;
      const T other = detail::clamped_energy<Stretches>(G, wound, ratio, Ds, clamped);
      energy = select(sure, energy, other);
      slope = select(sure, slope, clamped);
    }
    return energy;
  }
};

/// C = scale psi / mu: V psi with scale = mu V, psi with scale = mu.
template <class T, template <class> class Metric, bool kDensity>
struct TetEnergy {
  using Number = T;
  static constexpr int kPoints = 4;
  static constexpr Stencil kStencil = Stencil::tets;
  static constexpr bool kOnlyCompliant = kDensity;  // bender14 projects, cao22 has a multiplier
  static constexpr const char* kComplianceUnit = kDensity ? "Pa^2/J" : "J";
  /// One projection does not solve C = 0 to first order: the gradient vanishes at rest.
  static constexpr bool kFlatAtRest = true;
  static constexpr bool kMayOverflow = true;

  struct Rest {
    T G[6];        // Dm^-1 Dm^-T [1/m^2]
    T ratio;       // lambda / mu
    T scale;       // mu V [J] or mu [Pa], negative for a tet that is wound the other way
    T per_volume;  // 1 / (6 V) [1/m^3]
    template <class F>
    constexpr void each(F&& f) {
      constexpr const char* kNames[6] = {"g00", "g11", "g22", "g12", "g20", "g01"};
      for (int e = 0; e < 6; ++e) f(kNames[e], G[e]);
      f("ratio", ratio);
      f("scale", scale);
      if constexpr (Metric<T>::kNeedsVolume) f("per_volume", per_volume);
    }
  };

  static Rest rest(const Vec3<T> (&x)[4], T lambda = T(1), T mu = T(1)) {
    const Mat3<T> Dm{x[1] - x[0], x[2] - x[0], x[3] - x[0]};
    const T det = determinant(Dm);
    const Mat3<T> m = transpose(cofactor(Dm)) * (T(1) / det);  // Dm^-1
    const Mat3<T> G = mul_transpose(m, m);
    return {{G.c0.x, G.c1.y, G.c2.z, G.c1.z, G.c2.x, G.c0.y},
            lambda / mu,
            kDensity ? copy_sign(mu, det) : mu * det / T(6),
            T(1) / det};
  }

  static Rest permuted(const Rest& rest, const int (&order)[4]) {
    // Products of the gradients b_k of the four barycentric coordinates: those of 1, 2, 3 are G, and b_0 = -(their
    // sum).
    const auto& G = rest.G;
    const T metric[3][3] = {{G[0], G[5], G[4]}, {G[5], G[1], G[3]}, {G[4], G[3], G[2]}};
    T product[4][4] = {};
    for (int i = 1; i < 4; ++i) {
      for (int j = 1; j < 4; ++j) {
        product[i][j] = metric[i - 1][j - 1];
        product[i][0] = product[0][i] = product[i][0] - product[i][j];
      }
      product[0][0] = product[0][0] - product[i][0];
    }
    int inversions = 0;
    for (int i = 0; i < 4; ++i) {
      for (int j = i + 1; j < 4; ++j) inversions += order[i] > order[j];
    }
    const T sign(inversions % 2 == 0 ? 1 : -1);
    const auto g = [&](int i, int j) { return product[order[i]][order[j]]; };
    return {
        {g(1, 1), g(2, 2), g(3, 3), g(2, 3), g(3, 1), g(1, 2)}, rest.ratio, rest.scale * sign, rest.per_volume * sign};
  }

  PLIANT_HOT static inline T evaluate(const Rest& rest, const Vec3<T> (&x)[4], Vec3<T> (&gradient)[4]) {
    const Mat3<T> Ds{x[1] - x[0], x[2] - x[0], x[3] - x[0]};
    Mat3<T> slope;
    const T energy = Metric<T>::evaluate(rest.G, rest.scale, rest.per_volume, rest.ratio, Ds, slope);
    gradient[1] = slope.c0 * rest.scale;
    gradient[2] = slope.c1 * rest.scale;
    gradient[3] = slope.c2 * rest.scale;
    gradient[0] = -(gradient[1] + gradient[2] + gradient[3]);
    return energy * rest.scale;
  }

  /// V psi [J]. The metric knows the volume: det G = 1 / (6 V)^2.
  static T energy(const Rest& rest, const Vec3<T> (&x)[4]) {
    Vec3<T> gradient[4];
    const T C = evaluate(rest, x, gradient);
    return kDensity ? C / (T(6) * sqrt(determinant(detail::matrix_of(rest.G)))) : C;
  }

  static T strain(const Rest&, T) { return T(0); }
};

template <class T>
struct TetEnergyStVK : TetEnergy<T, MetricStVK, false> {
  static constexpr const char* kSummary =
      "projects the St. Venant-Kirchhoff energy of a tetrahedron to zero (bender14)";
};
template <class T>
struct TetEnergyNeoHookean : TetEnergy<T, MetricNeoHookean, false> {
  static constexpr const char* kSummary = "projects the Neo-Hookean energy of a tetrahedron to zero (bender14)";
};
template <class T>
struct TetDensityStVK : TetEnergy<T, MetricStVK, true> {
  static constexpr const char* kSummary = "takes the St. Venant-Kirchhoff energy density for a constraint (cao22)";
};
template <class T>
struct TetDensityNeoHookean : TetEnergy<T, MetricNeoHookean, true> {
  static constexpr const char* kSummary = "takes the Neo-Hookean energy density for a constraint (cao22)";
};

}  // namespace pliant
