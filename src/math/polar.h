#pragma once
// Polar decomposition of 3 x 3 and 2 x 2 matrices over any number type T: float, double, or a pack of
// either. No branch.
//
//   F = R S,   R the proper rotation closest to F,   S symmetric
//
// S has the eigenvalues s0 >= s1 >= |s2| of math/svd.h: where det F < 0 the smallest is negative
// rather than R a reflection. R is unique unless s1 + s2 = 0 (rank one or zero, or an inverted F
// whose smaller two singular values are equal); then it is one of the closest.
//
// polar() starts from nothing and is right to rounding. extract_rotation() starts from a guess, such
// as the rotation of the step before, and costs less when few iterations do.

#include "math/svd.h"

namespace pliant {

template <class T>
struct Polar3 {
  Mat3<T> rotation;
  Sym3<T> stretch;
};

template <class T>
struct Polar2 {
  Mat2<T> rotation;
  Mat2<T> stretch;  // symmetric
};

/// R = U V^T and S = V diag(s) V^T. Errors as in math/svd.h: entries of R S - F, R^T R - 1 and S.
template <class T>
inline Polar3<T> polar(const Mat3<T>& f) {
  const Svd3<T> d = svd(f);
  const Mat3<T> vs{d.v.c0 * d.s.x, d.v.c1 * d.s.y, d.v.c2 * d.s.z};
  const Vec3<T> v0 = d.v.row(0), v1 = d.v.row(1), v2 = d.v.row(2);
  const Vec3<T> vs0 = vs.row(0), vs1 = vs.row(1), vs2 = vs.row(2);
  return {mul_transpose(d.u, d.v),
          {dot(vs0, v0), dot(vs1, v1), dot(vs2, v2), dot(vs0, v1), dot(vs0, v2), dot(vs1, v2)}};
}

/// The rotation of polar() alone.
template <class T>
inline Mat3<T> closest_rotation(const Mat3<T>& f) {
  const Svd3<T> d = svd(f);
  return mul_transpose(d.u, d.v);
}

template <class T>
inline Polar2<T> polar(const Mat2<T>& f) {
  const T largest = max(max(abs(f.c0.x), abs(f.c0.y)), max(abs(f.c1.x), abs(f.c1.y)));
  const T exponent = detail::scale_exponent(largest);
  T sum;
  const Mat2<T> r = detail::closest_turn(f * power_of_two(-exponent), sum).matrix();
  Mat2<T> s = transpose(r) * f;
  // Equal up to rounding; halved before adding, as the sum of the largest numbers overflows.
  const T half = T(0.5f);
  const T off = mul_add(half, s.c0.y, half * s.c1.x);
  s.c0.y = off;
  s.c1.x = off;
  return {r, s};
}

/// Iterations towards the rotation closest to F, from the unit quaternion q: a warm start in the
/// manner of Mueller, Bender, Chentanez and Macklin 2016, with Newton's step in the place of theirs.
///
/// R maximises tr(R^T F). With B = R^T F, its axial vector g = (B21 - B12, B02 - B20, B10 - B01), its
/// symmetric part S and H = tr(S) - S, a turn of R by the angle phi about the unit axis n changes the
/// trace to  n.S n + sin(phi) g.n + cos(phi) n.H n,  largest for phi = atan2(g.n, n.H n). The axis is
/// Newton's, along w = H^-1 g, where H is positive definite (then phi = atan|w|), and along g
/// elsewhere. So no iteration makes it worse, and there is no other maximum to get caught in; only
/// from exactly half a turn away, where g is zero, it does not move.
///
/// Convergence is cubic (2016: linear, to a third per iteration when F is nearly a rotation, slower
/// when it is flat). Largest error of the angle [rad] that was seen after 1, 2, 3, ... iterations:
///
///   singular values in   start off by   1      2      3      4      5
///   [1/2, 2]             0.05 rad       2e-5   1e-15
///   [1/2, 2]             0.3            4e-3   3e-9   1e-15
///   [1/2, 2]             1              0.2    7e-4   4e-11  1e-15
///   [1/100, 1]           0.3            0.6    6e-3   4e-7   4e-15
///   [1/100, 1]           1.5            2      0.7    2e-2   8e-7   4e-15
///
/// F = 0 leaves q alone. F may have any scale, as in svd().
template <class T>
inline Quat<T> extract_rotation(const Mat3<T>& f, Quat<T> q, int iterations) {
  using S = ScalarOf<T>;
  const T largest =
      max(detail::largest_magnitude(f.c0), max(detail::largest_magnitude(f.c1), detail::largest_magnitude(f.c2)));
  const Mat3<T> scaled = f * power_of_two(-detail::scale_exponent(largest));
  const T size = sqrt(norm_squared(scaled) * T(S(1) / S(3)));
  // Below this an eigenvalue of H is made of roundings of B, and its inverse says nothing.
  const T smallest_determinant = T(S(64) * std::numeric_limits<S>::epsilon()) * size * size * size;
  for (int i = 0; i < iterations; ++i) {
    const Mat3<T> b = transpose_mul(to_matrix(q), scaled);
    const Vec3<T> g{b.c1.z - b.c2.y, b.c2.x - b.c0.z, b.c0.y - b.c1.x};
    const Sym3<T> s = symmetric_part(b);
    const Sym3<T> h{s.yy + s.zz, s.xx + s.zz, s.xx + s.yy, -s.xy, -s.xz, -s.yz};
    const Sym3<T> cofactors = cofactor(h);
    const T det = mul_add(h.xz, cofactors.xz, mul_add(h.xy, cofactors.xy, h.xx * cofactors.xx));
    const auto definite = (h.xx > T(0)) & (cofactors.zz > T(0)) & (det > smallest_determinant);
    // The half angle of atan2(y, x) has the tangent y / (x + r) = (r - x) / y, with r = sqrt(x^2 + y^2).
    // Newton: x = det, y = |w| for w times det, so that nothing is divided by.
    const Vec3<T> w = cofactors * g;
    const T newton = det + sqrt(mul_add(det, det, length_squared(w)));
    // Along g: x = g.H g / |g|^2, y = |g|.
    const T g_squared = length_squared(g);
    const auto turns = detail::has_length(g_squared);
    const T x = dot(g, h * g) / select(turns, g_squared, T(1));
    const T r = sqrt(mul_add(x, x, g_squared));
    const auto obtuse = x < T(0);
    const Vec3<T> axis = select(definite, w, g * select(obtuse, r - x, T(1)));
    const Quat<T> turn{axis.x, axis.y, axis.z, select(definite, newton, select(obtuse, g_squared, r + x))};
    q = normalize(q * select(turns, turn, Quat<T>::identity()));
  }
  return q;
}

}  // namespace pliant
