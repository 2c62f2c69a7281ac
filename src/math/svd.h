#pragma once
// Singular values of 3 x 3 and 2 x 2 matrices over any number type T: float, double, or a pack of
// either. No branch, no iteration, exact division and square root.
//
//   F = U diag(s) V^T,   U and V rotations (det +1),   s0 >= s1 >= |s2|,   sign of s2 = sign of det F
//
// so an inverted element has its reflection in the smallest singular value (Irving et al. 2004).
//
// The way for 3 x 3. One eigenvector of F^T F, that of the largest or of the smallest eigenvalue,
// stands well apart from the others and is known to rounding (math/eigen.h). It gives one column of
// V, and F times it (largest) or the normal of F's image of the plane across it (smallest) one
// column of U. What is left is a 2 x 2 matrix, from the plane across the one into the plane across the
// other, and that is decomposed in closed form. No small singular value is taken from the squared
// matrix, where half of its digits are gone: the entries that are neglected are roundings of s0.
// (Jacobi rotations of F^T F and a QR factorisation, McAdams et al. 2011, neglect s0/s1 times that.)
//
// Errors, with eps the machine epsilon of the scalar; tests/math/svd_test.cpp keeps these bounds
// over all kinds of matrices, those of rank 2, 1 and 0 included:
//
//   entries of U diag(s) V^T - F    8 eps s0
//   singular values                 5 eps s0
//   entries of U^T U - 1, V^T V - 1 8 eps
//
// Any scale from the smallest normal number to the largest: F is scaled by a power of two, exactly.
// Entries whose largest is subnormal give an error of up to that largest. F that is not finite gives
// singular values that are not finite.

#include "math/eigen.h"

namespace pliant {

template <class T>
struct Svd2 {
  Mat2<T> u;
  Vec2<T> s;
  Mat2<T> v;
};

template <class T>
struct Svd3 {
  Mat3<T> u;
  Vec3<T> s;
  Mat3<T> v;
};

namespace detail {

/// The rotation closest to a 2 x 2 matrix, which turns by atan2(a10 - a01, a00 + a11), and the trace
/// of the symmetric factor (never negative). A matrix without a closest one gets the identity.
template <class T>
inline Turn<T> closest_turn(const Mat2<T>& a, T& trace_of_rest) {
  const T x = a.c0.x + a.c1.y;
  const T y = a.c0.y - a.c1.x;
  const T square = mul_add(x, x, y * y);
  const auto turns = has_length(square);
  trace_of_rest = select(turns, sqrt(square), T(0));
  const T scale = T(1) / select(turns, trace_of_rest, T(1));
  return {select(turns, x * scale, T(1)), select(turns, y * scale, T(0))};
}

template <class T>
struct PlaneSvd {
  Turn<T> u;
  T s0, s1;
  Turn<T> v;
};

/// For entries whose squares neither overflow nor matter when they underflow.
///
/// A = R S with R the closest rotation and S symmetric, S = Q diag(s) Q^T, so U = R Q and V = Q. The
/// trace of S is s0 + s1 >= 0, hence s0 >= |s1|, also in rounded arithmetic.
template <class T>
inline PlaneSvd<T> plane_svd(const Mat2<T>& a) {
  const T half = T(0.5f);
  T sum;
  const Turn<T> r = closest_turn(a, sum);
  // S = R^T A; its two off-diagonal entries are equal up to rounding.
  const T s00 = mul_add(r.s, a.c0.y, r.c * a.c0.x);
  const T s10 = neg_mul_add(r.s, a.c0.x, r.c * a.c0.y);
  const T s01 = mul_add(r.s, a.c1.y, r.c * a.c1.x);
  const T s11 = neg_mul_add(r.s, a.c1.x, r.c * a.c1.y);
  T difference;
  const Turn<T> q = half_turn(s00 - s11, s01 + s10, difference);
  const Turn<T> u{neg_mul_add(r.s, q.s, r.c * q.c), mul_add(r.s, q.c, r.c * q.s)};
  return {u, half * (sum + difference), half * (sum - difference), q};
}

template <class T>
inline T largest_magnitude(const Vec3<T>& a) {
  return max(abs(a.x), max(abs(a.y), abs(a.z)));
}

}  // namespace detail

/// Singular value decomposition of a 2 x 2 matrix, see above.
template <class T>
inline Svd2<T> svd(const Mat2<T>& f) {
  const T largest = max(max(abs(f.c0.x), abs(f.c0.y)), max(abs(f.c1.x), abs(f.c1.y)));
  const T exponent = detail::scale_exponent(largest);
  const auto plane = detail::plane_svd(f * power_of_two(-exponent));
  const T up = power_of_two(exponent);
  return {plane.u.matrix(), {plane.s0 * up, plane.s1 * up}, plane.v.matrix()};
}

/// Singular value decomposition of a 3 x 3 matrix, see above.
template <class T>
inline Svd3<T> svd(const Mat3<T>& f) {
  const T largest =
      max(detail::largest_magnitude(f.c0), max(detail::largest_magnitude(f.c1), detail::largest_magnitude(f.c2)));
  const T exponent = detail::scale_exponent(largest);
  const Mat3<T> scaled = f * power_of_two(-exponent);

  const auto [axis, smallest] = detail::separated_axis(gram(scaled));
  Vec3<T> v_first, v_second;
  detail::complete_basis(axis, v_first, v_second);
  const Vec3<T> image = scaled * axis;
  const Vec3<T> first_image = scaled * v_first;
  const Vec3<T> second_image = scaled * v_second;

  // Only the zero matrix has no normal: the largest singular value is at least one here, and where the
  // smallest is the separated one, the middle one is at least sqrt(1/2) of the largest.
  Vec3<T> normal = select(smallest, cross(first_image, second_image), image);
  const T square = length_squared(normal);
  const auto found = detail::has_length(square);
  normal = normal * (T(1) / sqrt(select(found, square, T(1))));
  normal = select(found, normal, Vec3<T>{T(1), T(0), T(0)});
  Vec3<T> u_first, u_second;
  detail::complete_basis(normal, u_first, u_second);
  const auto plane = detail::plane_svd(Mat2<T>{{dot(u_first, first_image), dot(u_second, first_image)},
                                               {dot(u_first, second_image), dot(u_second, second_image)}});
  plane.u.apply(u_first, u_second);
  plane.v.apply(v_first, v_second);
  const T axis_value = dot(normal, image);

  // Equal singular values may stand in the wrong order by a rounding, hence the minima.
  const T s0 = select(smallest, plane.s0, axis_value);
  const T s1 = min(select(smallest, plane.s1, plane.s0), s0);
  const T last = select(smallest, axis_value, plane.s1);
  const T s2 = copy_sign(min(abs(last), s1), last);
  const T up = power_of_two(exponent);
  return {{select(smallest, u_first, normal), select(smallest, u_second, u_first), select(smallest, normal, u_second)},
          {s0 * up, s1 * up, s2 * up},
          {select(smallest, v_first, axis), select(smallest, v_second, v_first), select(smallest, axis, v_second)}};
}

}  // namespace pliant
