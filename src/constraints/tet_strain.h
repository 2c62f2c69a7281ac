#pragma once
// The Green strain of a linear tetrahedron as six entries, and the small linear system that solves them
// together. Shared by the elastic tets (tet_stvk.h, tet_neo_hookean.h, tet_corotated.h, tet_orthotropic.h).
//
//   F = [f0 f1 f2] = Ds M,  Ds = [x1-x0, x2-x0, x3-x0],  M = Dm^-1,  C = F^T F
//   entries  (C_00 - 1)/2, (C_11 - 1)/2, (C_22 - 1)/2, C_12, C_20, C_01     (engineering shear)
//   gradient of entry (a, b) at corner k:  f_a m_kb + f_b m_ka  (half of it for a = b)
//
// with m_k the rows of M and m_0 = -(m_1 + m_2 + m_3). For isotropic materials the rest frame may be
// turned freely: so that M is upper triangular, six numbers instead of nine (RestFrame), or so that the masses are
// diagonal, which leaves little to solve (AlignedFrame, tet_aligned.h).
//
// The matrix sum_k w_k grad_e . grad_f of two entries needs no gradients. With Q = sum_k w_k m_k m_k^T,
//
//   (ab, cd):  C_ac Q_bd + C_ad Q_bc + C_bc Q_ad + C_bd Q_ac     (half, or a quarter, for normal entries)
//
// The corotated strain has the same form. With R the rotation of F, frozen during a projection, the entries
// sym(R^T F) - I have the gradients above with r_a, the columns of R, in place of f_a and hence I in place of C.
// So an element goes over to it by changing f, C and the values of the entries; all the rest stays.

#include "constraints/constraint.h"
#include "constraints/solve.h"
#include "math/eigen.h"
#include "math/polar.h"

namespace pliant {

/// The rotation R of F (columns f, and columns r of R) and the entries of S - I, F = R S. An inverted F has its
/// reflection in the smallest stretch; a flat one, a line and a point get one of the closest rotations.
template <class T>
inline void corotated_strain(const Vec3<T> (&f)[3], Vec3<T> (&r)[3], T (&e)[6]) {
  const Polar3<T> parts = polar(Mat3<T>{f[0], f[1], f[2]});
  r[0] = parts.rotation.c0;
  r[1] = parts.rotation.c1;
  r[2] = parts.rotation.c2;
  const T one(1), two(2);
  e[0] = parts.stretch.xx - one;
  e[1] = parts.stretch.yy - one;
  e[2] = parts.stretch.zz - one;
  e[3] = two * parts.stretch.yz;
  e[4] = two * parts.stretch.xz;
  e[5] = two * parts.stretch.xy;
}

/// The same, out of the way of the loops that rarely need it.
template <class T>
[[gnu::noinline, gnu::cold]] void corotated_strain_aside(const Vec3<T> (&f)[3], Vec3<T> (&r)[3], T (&e)[6]) {
  corotated_strain(f, r, e);
}

/// What a kernel is given beside the corners where the sweep knows the strain better than they tell it
/// (fine_strain.h): the offset edges, and the strain entries that belong to the bases.
template <class T>
struct FineStrain {
  Vec3<T> moved[3];  // [m]
  T base[6];
};
/// Where it does not: the strain comes from the corners.
struct PlainStrain {};

/// What all elastic tets are: six strain entries with multipliers, solved together, in xpbd.
struct ElasticTet {
  static constexpr int kPoints = 4;
  static constexpr int kEntries = 6;
  static constexpr Solve kSolve = Solve::block;
  static constexpr bool kOnlyCompliant = true;
  static constexpr Stencil kStencil = Stencil::tets;
  static constexpr const char* kComplianceUnit = "of the material";

  template <class Rest, class T>
  static T strain(const Rest&, T C) {
    return C;
  }
};

/// Upper triangle of the inverse rest shape matrix [1/m].
template <class T>
struct RestFrame {
  static constexpr bool kTriangular = true;
  T m00, m01, m02, m11, m12, m22;

  template <class F>
  constexpr void each(F&& f) {
    f("m00", m00);
    f("m01", m01);
    f("m02", m02);
    f("m11", m11);
    f("m12", m12);
    f("m22", m22);
  }

  /// From rest positions: Dm = (rotation) R with R upper triangular, M = R^-1. `volume` gets det R / 6.
  static RestFrame from(const Vec3<T> (&x)[4], T& volume) {
    const Vec3<T> e1 = x[1] - x[0], e2 = x[2] - x[0], e3 = x[3] - x[0];
    const T r00 = length(e1);
    const Vec3<T> q0 = e1 / r00;
    const T r01 = dot(q0, e2);
    const Vec3<T> u = e2 - q0 * r01;
    const T r11 = length(u);
    const Vec3<T> q1 = u / r11;
    const T r02 = dot(q0, e3), r12 = dot(q1, e3), r22 = dot(cross(q0, q1), e3);
    volume = r00 * r11 * r22 / T(6);
    const T m00 = T(1) / r00, m11 = T(1) / r11, m22 = T(1) / r22;
    return {m00, -(r01 * m00 * m11), (r01 * r12 - r02 * r11) * m00 * m11 * m22, m11, -(r12 * m11 * m22), m22};
  }

  /// Rows m_k of M.
  void rows(Vec3<T> (&m)[4]) const {
    const T zero(0);
    m[1] = {m00, m01, m02};
    m[2] = {zero, m11, m12};
    m[3] = {zero, zero, m22};
    m[0] = {-m00, -(m01 + m11), -((m02 + m12) + m22)};
  }

  /// The columns of [e1 e2 e3] M.
  void columns(const Vec3<T>& e1, const Vec3<T>& e2, const Vec3<T>& e3, Vec3<T> (&c)[3]) const {
    c[0] = e1 * m00;
    c[1] = mul_add(e2, m11, e1 * m01);
    c[2] = mul_add(e3, m22, mul_add(e2, m12, e1 * m02));
  }
};

/// The whole inverse rest shape matrix [1/m]. It is made as a triangle, and turned when the masses are known.
template <class T>
struct AlignedFrame {
  static constexpr bool kTriangular = false;
  T m00, m01, m02, m11, m12, m22, m10, m20, m21;  // a RestFrame, and what it has not

  AlignedFrame() = default;
  AlignedFrame(const RestFrame<T>& r)
      : m00(r.m00), m01(r.m01), m02(r.m02), m11(r.m11), m12(r.m12), m22(r.m22), m10(0), m20(0), m21(0) {}

  /// As long as it is a triangle.
  template <class F>
  constexpr void each_made(F&& f) {
    f("m00", m00);
    f("m01", m01);
    f("m02", m02);
    f("m11", m11);
    f("m12", m12);
    f("m22", m22);
  }
  template <class F>
  constexpr void each(F&& f) {
    each_made(f);
    f("m10", m10);
    f("m20", m20);
    f("m21", m21);
  }

  /// Turns the frame so that Q = sum_k w_k m_k m_k^T is diagonal, its least entry first.
  void align(const T (&w)[4]) {
    Vec3<T> m[4];
    rows(m);
    Sym3<T> Q{};
    for (int k = 0; k < 4; ++k) {
      const Vec3<T> wm = m[k] * w[k];
      Q = Q + Sym3<T>{wm.x * m[k].x, wm.y * m[k].y, wm.z * m[k].z, wm.x * m[k].y, wm.x * m[k].z, wm.y * m[k].z};
    }
    const Mat3<T> v = symmetric_eigen(Q).vectors;  // of the largest value first
    const Vec3<T> turned[3] = {{dot(m[1], v.c2), dot(m[1], v.c1), -dot(m[1], v.c0)},
                               {dot(m[2], v.c2), dot(m[2], v.c1), -dot(m[2], v.c0)},
                               {dot(m[3], v.c2), dot(m[3], v.c1), -dot(m[3], v.c0)}};
    m00 = turned[0].x, m01 = turned[0].y, m02 = turned[0].z;
    m10 = turned[1].x, m11 = turned[1].y, m12 = turned[1].z;
    m20 = turned[2].x, m21 = turned[2].y, m22 = turned[2].z;
  }

  void rows(Vec3<T> (&m)[4]) const {
    m[1] = {m00, m01, m02};
    m[2] = {m10, m11, m12};
    m[3] = {m20, m21, m22};
    m[0] = -((m[1] + m[2]) + m[3]);
  }

  void columns(const Vec3<T>& e1, const Vec3<T>& e2, const Vec3<T>& e3, Vec3<T> (&c)[3]) const {
    c[0] = mul_add(e3, m20, mul_add(e2, m10, e1 * m00));
    c[1] = mul_add(e3, m21, mul_add(e2, m11, e1 * m01));
    c[2] = mul_add(e3, m22, mul_add(e2, m12, e1 * m02));
  }
};

/// Rest data of a tet that obeys Hooke's law.
template <class T, class Frame = RestFrame<T>>
struct HookeRest {
  Frame frame;
  T shear;  // 1 / (2 mu V)  [1/J]
  T kappa;  // lambda / (3 lambda + 2 mu)

  HookeRest() = default;
  HookeRest(const Vec3<T> (&x)[4], const T& lambda, const T& mu) {
    T volume;
    frame = RestFrame<T>::from(x, volume);
    shear = T(1) / (T(2) * mu * volume);
    kappa = lambda / (T(3) * lambda + T(2) * mu);
  }
  template <class F>
  constexpr void each(F&& f) {
    frame.each(f);
    f("shear", shear);
    f("kappa", kappa);
  }
  template <class F>
  constexpr void each_made(F&& f) {
    frame.each_made(f);
    f("shear", shear);
    f("kappa", kappa);
  }
};

/// A deformed tet: columns of F, rows m_k of M, C = F^T F as (00, 11, 22, 12, 20, 01) and the strain entries E.
template <class T, class Frame = RestFrame<T>>
struct DeformedTet {
  static constexpr double kLargestTrace = 12;  // of C, beyond which multipliers are not kept
  Vec3<T> f[3];
  Vec3<T> m[4];
  T C[6], E[6];

  DeformedTet(const Frame& r, const Vec3<T> (&x)[4], const PlainStrain& = {}) : DeformedTet(r, x, Shape{}) {
    const T half(ScalarOf<T>(0.5));
    for (int e = 0; e < 6; ++e) C[e] = dot(f[kA[e]], f[kB[e]]);
    for (int e = 0; e < 6; ++e) E[e] = e < 3 ? mul_add(half, C[e], -half) : C[e];
  }

  /// E = E_B + sym((F_B + G / 2)^T G) with F_B + G / 2 = F - G / 2, and C from it.
  DeformedTet(const Frame& r, const Vec3<T> (&x)[4], const FineStrain<T>& fine) : DeformedTet(r, x, Shape{}) {
    const T half(ScalarOf<T>(0.5)), one(1), two(2);
    Vec3<T> g[3], k[3];
    r.columns(fine.moved[0], fine.moved[1], fine.moved[2], g);
    for (int a = 0; a < 3; ++a) k[a] = mul_add(g[a], -half, f[a]);
    for (int e = 0; e < 6; ++e) {
      const Vec3<T>&ka = k[kA[e]], &gb = g[kB[e]];
      T sum = mul_add(ka.z, gb.z, mul_add(ka.y, gb.y, mul_add(ka.x, gb.x, fine.base[e])));
      if (e >= 3) {
        const Vec3<T>&kb = k[kB[e]], &ga = g[kA[e]];
        sum = mul_add(kb.z, ga.z, mul_add(kb.y, ga.y, mul_add(kb.x, ga.x, sum)));
      }
      E[e] = sum;
      C[e] = e < 3 ? mul_add(two, sum, one) : sum;
    }
  }

  /// Place of (a, b) in a symmetric matrix stored as above.
  static constexpr int at(int a, int b) { return a == b ? a : 6 - a - b; }

  T determinant() const { return dot(f[0], cross(f[1], f[2])); }

  /// Where F is not inverted and all its squared singular values are above `square`: exactly where C - square is
  /// positive definite, leading minors above zero.
  MaskOf<T> stretched_above(const T& square) const {
    const T b0 = C[0] - square, b1 = C[1] - square, b2 = C[2] - square;
    const T minor = neg_mul_add(C[5], C[5], b0 * b1);
    const T off0 = neg_mul_add(C[5], C[4], b0 * C[3]);
    const T off1 = neg_mul_add(C[5], C[3], b1 * C[4]);
    const T det = neg_mul_add(C[3], off0, neg_mul_add(C[4], off1, b2 * minor));
    return (determinant() > T(0)) & (b0 > T(0)) & (minor > T(0)) & (det > T(0));
  }
  /// Where the smallest signed singular value of F is below `least`: squeezed that much, or inverted. Elements that do
  /// not move are left out (padding has all corners in one place).
  MaskOf<T> squeezed(const T& least, const T (&w)[4]) const { return (!stretched_above(least * least)) & moves(w); }
  /// Padding and elements of static corners do not.
  static MaskOf<T> moves(const T (&w)[4]) { return (w[0] + w[1]) + (w[2] + w[3]) > T(0); }

  /// Sets the multipliers to zero in the lanes that cannot use those of another substep, and tells which: squeezed
  /// ones, which take another strain, and those stretched beyond twice the rest length in all directions, which are
  /// stiffer and turn further than a substep follows. True where there are any.
  bool forget(const MaskOf<T>& squeezed, T (&lambda)[6], MaskOf<T>& forgotten) const {
    forgotten = squeezed | (C[0] + C[1] + C[2] > T(ScalarOf<T>(kLargestTrace)));
    if (!any(forgotten)) [[likely]]
      return false;
    for (T& l : lambda) l = select(forgotten, T(0), l);
    return true;
  }

  /// Stress of St. Venant-Kirchhoff over that of the corotated model when pulled along one axis by s, where the
  /// other two are nearly gone: (s^3 - s) / 2 / (s - 1) = s (s + 1) / 2, with s^2 = tr C. An element that is thin
  /// because it is pulled long must not lose its tension: going back and forth would feed it energy. Only beyond
  /// tr C = 6, s = 2.4: there the model has no thickness for any Poisson's ratio above 0.2, and tangled elements,
  /// which come apart better when soft, are shorter.
  T pulled_stiffening() const {
    const T square = C[0] + C[1] + C[2];
    return zero_unless(square > T(ScalarOf<T>(6)), (square + sqrt(square)) * T(ScalarOf<T>(0.5)));
  }

  /// Goes over to the corotated strain in the lanes `where`: f, C and the entries `e`.
  void corotate(const MaskOf<T>& where, T (&e)[6]) {
    const Vec3<T> from[3] = {f[0], f[1], f[2]};
    Vec3<T> r[3];
    T strain[6];
    corotated_strain_aside(from, r, strain);
    for (int a = 0; a < 3; ++a) f[a] = select(where, r[a], f[a]);
    for (int a = 0; a < 6; ++a) {
      C[a] = select(where, T(a < 3 ? 1 : 0), C[a]);
      e[a] = select(where, strain[a], e[a]);
    }
  }

  /// The strain entries.
  void strain(T (&e)[6]) const {
    for (int a = 0; a < 6; ++a) e[a] = E[a];
  }

  /// Their gradients, for tests and for the generic machinery.
  void gradients(Vec3<T> (&gradient)[6][4]) const {
    for (int e = 0; e < 6; ++e) {
      for (int k = 0; k < 4; ++k) {
        gradient[e][k] =
            kA[e] == kB[e] ? f[kA[e]] * m[k][kA[e]] : mul_add(f[kA[e]], m[k][kB[e]], f[kB[e]] * m[k][kA[e]]);
      }
    }
  }

  /// Q = sum_k w_k m_k m_k^T.
  void mass_metric(const T (&w)[4], T (&Q)[6]) const {
#pragma GCC unroll 6
    for (int e = 0; e < 6; ++e) {
      Q[e] = w[0] * (m[0][kA[e]] * m[0][kB[e]]);
      // A triangle's row k has nothing left of column k - 1.
#pragma GCC unroll 3
      for (int k = 1; k < 4; ++k) {
        if (!Frame::kTriangular || (kA[e] >= k - 1 && kB[e] >= k - 1))
          Q[e] = mul_add(w[k], m[k][kA[e]] * m[k][kB[e]], Q[e]);
      }
    }
  }

  /// The matrix of weighted gradient products for a metric Q (lower triangle).
  void gram(const T (&Q)[6], T (&A)[6][6]) const {
#pragma GCC unroll 6
    for (int e = 0; e < 6; ++e) {
#pragma GCC unroll 6
      for (int g = 0; g <= e; ++g) {
        const int a = kA[e], b = kB[e], c = kA[g], d = kB[g];
        if (e < 3) {
          A[e][g] = C[at(a, c)] * Q[at(a, c)];
        } else if (g < 3) {
          A[e][g] = mul_add(C[at(a, c)], Q[at(b, c)], C[at(b, c)] * Q[at(a, c)]);
        } else {
          A[e][g] =
              mul_add(C[at(a, c)], Q[at(b, d)],
                      mul_add(C[at(a, d)], Q[at(b, c)], mul_add(C[at(b, c)], Q[at(a, d)], C[at(b, d)] * Q[at(a, c)])));
        }
      }
    }
  }

  /// w_k sum over entries of (gradient at k) times (value of the entry) = w_k F L m_k, L the symmetric
  /// matrix of values. Returns the sum of the last three without their w.
  Vec3<T> push(const T (&value)[6], const T (&w)[4], Vec3<T> (&d)[4]) const {
    Vec3<T> h[3];
    columns(value, h);
    return push_columns(h, w, d);
  }

  /// The columns of F L.
  void columns(const T (&value)[6], Vec3<T> (&h)[3]) const {
    for (int b = 0; b < 3; ++b) {
      h[b] = mul_add(f[2], value[at(2, b)], mul_add(f[1], value[at(1, b)], f[0] * value[at(0, b)]));
    }
  }

  /// w_k H m_k for a matrix H of columns h.
  Vec3<T> push_columns(const Vec3<T> (&h)[3], const T (&w)[4], Vec3<T> (&d)[4]) const {
    d[1] = mul_add(h[2], m[1].z, mul_add(h[1], m[1].y, h[0] * m[1].x));
    if constexpr (Frame::kTriangular) {
      d[2] = mul_add(h[2], m[2].z, h[1] * m[2].y);
      d[3] = h[2] * m[3].z;
    } else {
      for (int k = 2; k < 4; ++k) d[k] = mul_add(h[2], m[k].z, mul_add(h[1], m[k].y, h[0] * m[k].x));
    }
    const Vec3<T> sum = d[1] + d[2] + d[3];
    d[0] = -sum * w[0];
    for (int k = 1; k < 4; ++k) d[k] = d[k] * w[k];
    return sum;
  }

  /// Rate of the entries for a motion of the corners.
  void strain_change(const Frame& r, const Vec3<T>* motion, T (&e)[6]) const {
    Vec3<T> g[3];
    r.columns(motion[1] - motion[0], motion[2] - motion[0], motion[3] - motion[0], g);
    for (int a = 0; a < 3; ++a) e[a] = dot(f[a], g[a]);
    e[3] = dot(f[1], g[2]) + dot(f[2], g[1]);
    e[4] = dot(f[2], g[0]) + dot(f[0], g[2]);
    e[5] = dot(f[0], g[1]) + dot(f[1], g[0]);
  }

  /// Rayleigh damping with c = time / dt: on the entries and on the matrix, before any compliance. `before` gets the
  /// entries less what the motion has changed (forget_strong_damping).
  void add_damping(const Frame& r, const Vec3<T>* motion, const T& c, T (&A)[6][6], T (&entries)[6],
                   T (&before)[6]) const {
    T change[6];
    strain_change(r, motion, change);
    for (int e = 0; e < 6; ++e) {
      before[e] = entries[e] - change[e];
      entries[e] = mul_add(c, change[e], entries[e]);
      for (int g = 0; g <= e; ++g) A[e][g] = mul_add(c, A[e][g], A[e][g]);
    }
  }

  /// Hooke's law: multipliers of strain entries, with size = 2 mu V dt^2 and kappa = lambda / (3 lambda + 2 mu).
  static void hooke_multipliers(const T& size, const T& kappa, const T (&entries)[6], T (&lambda)[6]) {
    const T half(ScalarOf<T>(0.5)), one(1);
    const T trace = ((entries[0] + entries[1]) + entries[2]) * (kappa / (one - T(3) * kappa));  // lambda / (2 mu)
    for (int e = 0; e < 3; ++e) lambda[e] = -(size * (entries[e] + trace));
    for (int e = 3; e < 6; ++e) lambda[e] = -(half * size * entries[e]);
  }

  /// Hooke's law: the compliance with kappa = lambda / (3 lambda + 2 mu), times 2 mu V dt^2, by which the entries and
  /// the matrix have been multiplied. In tensor form 2 mu K^-1 sigma = sigma - kappa tr(sigma) I. Entries become the
  /// right-hand side.
  static void add_hooke_compliance(const T& kappa, const T (&lambda)[6], T (&A)[6][6], T (&entries)[6]) {
    // 1 - kappa on, -kappa beside the diagonal of the normal entries, 2 for shear.
    const T one(1), two(2);
    const T trace = (lambda[0] + lambda[1] + lambda[2]) * kappa;
    for (int e = 0; e < 3; ++e) {
      A[e][e] = A[e][e] + (one - kappa);
      entries[e] = trace - (lambda[e] + entries[e]);
    }
    A[1][0] = A[1][0] - kappa;
    A[2][0] = A[2][0] - kappa;
    A[2][1] = A[2][1] - kappa;
    for (int e = 3; e < 6; ++e) {
      A[e][e] = A[e][e] + two;
      entries[e] = -mul_add(two, lambda[e], entries[e]);
    }
  }

  /// Solves A step = step and adds it to the multipliers; nothing where it is not finite. With kUnit the compliance in
  /// A is of order one, so that its other numbers are in range, too.
  template <bool kUnit>
  static void advance(T (&A)[6][6], T (&step)[6], T (&lambda)[6]) {
    if constexpr (kUnit) {
      solve_halves(A, step);
    } else {
      detail::solve_symmetric(A, step);
    }
    auto good = is_finite(step[0]);
    for (int e = 1; e < 6; ++e) good = good & is_finite(step[e]);
    for (int e = 0; e < 6; ++e) {
      step[e] = select(good, step[e], T(0));
      lambda[e] = lambda[e] + step[e];
    }
  }

  /// The rest of a projection: new multipliers, corrections, and the push of the multipliers. Those of the lanes
  /// `forget` (null: none) belong to another strain than those of the next projection: they become zero.
  /// `keep(lambda)` leaves of them what the next substep may use.
  template <bool kUnit, class Push, class Keep>
  void finish(T (&A)[6][6], T (&step)[6], const T (&w)[4], T (&lambda)[6], Vec3<T> (&d)[4], const Push& carry,
              const MaskOf<T>* forget, const Keep& keep) const {
    advance<kUnit>(A, step, lambda);
    push(step, w, d);
    detail::drop_unless_finite(d);
    if (carry.wanted) keep(lambda);
    if (forget) [[unlikely]] {
      for (int e = 0; e < 6; ++e) lambda[e] = select(*forget, T(0), lambda[e]);
    }
    if (carry.wanted) {
      Vec3<T> total[4];
      push(lambda, w, total);
      for (int k = 0; k < 4; ++k) carry(k, total[k]);
    }
  }

 private:
  /// Solves A y = b by halves, [N B^T; B S] with the shears in S: S^-1, then (N - B^T S^-1 B)^-1, both by cofactors.
  /// Two divisions that wait for each other in place of the six of LDL^T, which is otherwise as much work: a tenth of
  /// tet_stvk's time. Cofactors lose digits with the spread of A, and overflow: beyond kWidest, which multipliers that
  /// are kept never reach, a lane is solved by LDL^T.
  static void solve_halves(const T (&A)[6][6], T (&y)[6]) {
    constexpr double kWidest = 1e4;
    const T largest = max(max(A[0][0], A[1][1]), max(max(A[2][2], A[3][3]), max(A[4][4], A[5][5])));
    const auto wide = !(largest < T(ScalarOf<T>(kWidest)));
    T b[6];
    for (int e = 0; e < 6; ++e) b[e] = y[e];
    const Sym3<T> S = inverse_if_positive({A[3][3], A[4][4], A[5][5], A[4][3], A[5][3], A[5][4]});
    const Vec3<T> B[3] = {{A[3][0], A[4][0], A[5][0]}, {A[3][1], A[4][1], A[5][1]}, {A[3][2], A[4][2], A[5][2]}};
    const Vec3<T> SB[3] = {S * B[0], S * B[1], S * B[2]};
    const Sym3<T> N =
        inverse_if_positive({A[0][0] - dot(B[0], SB[0]), A[1][1] - dot(B[1], SB[1]), A[2][2] - dot(B[2], SB[2]),
                             A[1][0] - dot(B[1], SB[0]), A[2][0] - dot(B[2], SB[0]), A[2][1] - dot(B[2], SB[1])});
    const Vec3<T> c{b[3], b[4], b[5]};
    const Vec3<T> normal = N * Vec3<T>{b[0] - dot(SB[0], c), b[1] - dot(SB[1], c), b[2] - dot(SB[2], c)};
    const Vec3<T> shear = S * c - mul_add(SB[2], normal.z, mul_add(SB[1], normal.y, SB[0] * normal.x));
    for (int e = 0; e < 3; ++e) {
      y[e] = normal[e];
      y[e + 3] = shear[e];
    }
    if (any(wide)) [[unlikely]]
      solve_wide(wide, A, b, y);
  }

  [[gnu::noinline, gnu::cold]] static void solve_wide(const MaskOf<T>& wide, const T (&A)[6][6], T (&b)[6], T (&y)[6]) {
    T copy[6][6];
    for (int e = 0; e < 6; ++e) {
      for (int g = 0; g <= e; ++g) copy[e][g] = A[e][g];
    }
    detail::solve_symmetric(copy, b);
    for (int e = 0; e < 6; ++e) y[e] = select(wide, b[e], y[e]);
  }

  /// Zero where the determinant is not positive.
  static Sym3<T> inverse_if_positive(const Sym3<T>& a) {
    const Sym3<T> c = cofactor(a);
    const T det = mul_add(a.xz, c.xz, mul_add(a.xy, c.xy, a.xx * c.xx));
    return c * zero_unless(det > T(0), T(1) / det);
  }

  static constexpr int kA[6] = {0, 1, 2, 1, 2, 0}, kB[6] = {0, 1, 2, 2, 0, 1};  // row and column of an entry

  /// F and M alone.
  struct Shape {};
  DeformedTet(const Frame& r, const Vec3<T> (&x)[4], Shape) {
    r.columns(x[1] - x[0], x[2] - x[0], x[3] - x[0], f);
    r.rows(m);
  }
};

/// V (mu |e|^2 + lambda/2 tr(e)^2) [J] from the entries, shear = 1 / (2 mu V) and kappa.
template <class T>
inline T hooke_energy(const T& shear, const T& kappa, const T (&e)[6]) {
  const T half(ScalarOf<T>(0.5));
  const T mu_V = half / shear;
  const T lambda_V = (mu_V + mu_V) * kappa / (T(1) - T(3) * kappa);
  const T normal = mul_add(e[2], e[2], mul_add(e[1], e[1], e[0] * e[0]));
  const T off = mul_add(e[5], e[5], mul_add(e[4], e[4], e[3] * e[3]));
  const T trace = e[0] + e[1] + e[2];
  return mul_add(mu_V, mul_add(half, off, normal), half * lambda_V * trace * trace);
}

}  // namespace pliant
