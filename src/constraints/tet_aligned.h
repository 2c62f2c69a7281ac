#pragma once
// The projection of isotropic elastic tets whose rest frame is turned so that the masses are diagonal,
// Q = sum_k w_k m_k m_k^T = diag(q) (AlignedFrame). Of the matrix of 6 x 6 in tet_strain.h this leaves, with everything
// multiplied by 2 mu V dt^2,
//
//   normal a, normal a    C_aa q_a + 1 - kappa          normal a, normal b     -kappa
//   shear ab, shear ab    C_aa q_b + C_bb q_a + 2       shear ab, shear ac     C_bc q_a
//   shear ab, normal a    C_ab q_a                      shear ab, normal c     0
//
// What is beside the diagonal, O, has a factor C_ab with a and b different, which is the shear strain. The rest, D, is
// a diagonal matrix less kappa times that of ones, whose inverse takes one more division. Two terms of a series,
//
//   y = D^-1 (b - O D^-1 b)      leave      A y = (1 - X^2) b,   X = O D^-1
//
// never more than the step that Newton's method would make, and less by the square of the shear, as long as X is below
// 1. With r_ab = C_ab / sqrt(C_aa C_bb) each number of D^-1/2 O D^-1/2 is at most the r of its row, and so is
//
//   |X|^2 <= 6 (r_12^2 + r_20^2 + r_01^2)
//
// Lanes in which that is above a half take the whole matrix, and so do batches whose frames are not
// aligned (kNotAligned: they flow, or a corner has been held since). The fixed point, and so the rest state, is the
// same either way.

#include "constraints/tet_strain.h"

namespace pliant {

/// Of r_12^2 + r_20^2 + r_01^2: shear of 0.29.
inline constexpr double kMostShear = 1.0 / 12;

/// D: `pivot` is its diagonal without kappa.
template <class T>
struct NearlyDiagonal {
  T inverse[6], shared[3];

  NearlyDiagonal(const T (&pivot)[6], const T& kappa) {
    const T one(1);
    for (int e = 0; e < 6; ++e) inverse[e] = one / pivot[e];
    const T share = kappa / neg_mul_add(kappa, (inverse[0] + inverse[1]) + inverse[2], one);
    for (int e = 0; e < 3; ++e) shared[e] = inverse[e] * share;
  }

  /// y = D^-1 b
  void solve(const T (&b)[6], T (&y)[6]) const {
    for (int e = 0; e < 6; ++e) y[e] = inverse[e] * b[e];
    const T all = (y[0] + y[1]) + y[2];
    for (int e = 0; e < 3; ++e) y[e] = mul_add(shared[e], all, y[e]);
  }

  /// y = D^-1 (b - O D^-1 b), where remainder(y, r) makes r = b - O y.
  template <class Remainder>
  void solve_with(const Remainder& remainder, const T (&b)[6], T (&y)[6]) const {
    T first[6], rest[6];
    solve(b, first);
    remainder(first, rest);
    solve(rest, y);
  }
};

/// Diagonal of Q.
template <class T, class Frame>
inline void mass_diagonal(const DeformedTet<T, Frame>& tet, const T (&w)[4], T (&q)[3]) {
  for (int a = 0; a < 3; ++a) {
    q[a] = w[0] * (tet.m[0][a] * tet.m[0][a]);
    for (int k = 1; k < 4; ++k) q[a] = mul_add(w[k], tet.m[k][a] * tet.m[k][a], q[a]);
  }
}

/// Padding, and elements of static corners: whatever comes out for them moves nothing.
template <class T>
inline MaskOf<T> nothing_moves(const T (&w)[4]) {
  return (w[0] + w[1]) + (w[2] + w[3]) <= T(0);
}

/// The end of a projection: the next multipliers, corrections d, and the push of these multipliers where it is wanted.
/// Nothing where the step is not finite: then the sum of what the corners are pushed by is not, either.
template <class T, class Frame>
inline void take_step(const DeformedTet<T, Frame>& tet, const T (&step)[6], const T (&w)[4], bool wanted,
                      const T (&lambda)[6], T (&next)[6], Vec3<T> (&d)[4], Vec3<T> (&total)[4]) {
  const Vec3<T> sum = tet.push(step, w, d);
  const MaskOf<T> good = is_finite((sum.x + sum.y) + sum.z);
  for (Vec3<T>& v : d) v = {zero_unless(good, v.x), zero_unless(good, v.y), zero_unless(good, v.z)};
  for (int e = 0; e < 6; ++e) next[e] = lambda[e] + zero_unless(good, step[e]);
  if (wanted) tet.push(next, w, total);
}

/// For a projection aside: keeps what is pushed.
template <class T>
struct KeptPush {
  bool wanted;
  Vec3<T>* total;
  void operator()(int i, const Vec3<T>& push) const { total[i] = push; }
};

/// The whole matrix, out of the way of the loop. It is given copies: what others can reach by its address would stand
/// in memory in the loop as well. Not cold: of a body that is squashed most packs come here, and code made for size
/// takes half as long again.
template <class C, class T, class Strain>
[[gnu::noinline]] PLIANT_FLAT void solve_aside(const typename C::Rest& rest, const Vec3<T> (&x)[4], const T (&w)[4],
                                               const T& dt, T (&lambda)[6], Vec3<T> (&d)[4], const KeptPush<T>& push,
                                               const Strain& known) {
  C::template solve_whole<false>(rest, x, w, T(0), dt, nullptr, lambda, d, push, known);
}

/// The projection of a type C that has solve_aligned, which tells in which lanes it holds, and solve_whole. Lane by
/// lane: a lane's result must not depend on who stands beside it, which is another one for another width.
template <class C, bool kGeneral, bool kAligned, class T, class Push, class Strain>
PLIANT_HOT inline void solve_aligned_tet(const typename C::Rest& rest, const Vec3<T> (&x)[4], const T (&w)[4],
                                         const T& damping, const T& dt, const Vec3<T>* motion, T (&lambda)[6],
                                         Vec3<T> (&d)[4], const Push& push, const Strain& known) {
  if constexpr (kGeneral || !kAligned) {
    C::template solve_whole<kGeneral>(rest, x, w, damping, dt, motion, lambda, d, push, known);
  } else {
    Vec3<T> total[4];
    T next[6];
    const MaskOf<T> holds = C::solve_aligned(rest, x, w, dt, push.wanted, lambda, next, d, total, known);
    if (!all(holds)) [[unlikely]] {
      const typename C::Rest rest_copy = rest;
      const Strain known_copy = known;
      Vec3<T> x_copy[4], whole[4], push_whole[4];
      T w_copy[4];
      const T dt_copy = dt;
      for (int k = 0; k < 4; ++k) x_copy[k] = x[k], w_copy[k] = w[k];
      T other[6];
      for (int e = 0; e < 6; ++e) other[e] = lambda[e];
      solve_aside<C>(rest_copy, x_copy, w_copy, dt_copy, other, whole, KeptPush<T>{push.wanted, push_whole},
                     known_copy);
      for (int e = 0; e < 6; ++e) next[e] = select(holds, next[e], other[e]);
      for (int k = 0; k < 4; ++k) d[k] = select(holds, d[k], whole[k]);
      if (push.wanted) {
        for (int k = 0; k < 4; ++k) total[k] = select(holds, total[k], push_whole[k]);
      }
    }
    for (int e = 0; e < 6; ++e) lambda[e] = next[e];
    if (push.wanted) {
      for (int k = 0; k < 4; ++k) push(k, total[k]);
    }
  }
}

}  // namespace pliant
