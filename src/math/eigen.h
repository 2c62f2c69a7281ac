#pragma once
// Eigenvalues and eigenvectors of symmetric 3 x 3 matrices in closed form, over any number type T:
// float, double, or a pack of either. No branch, no iteration.
//
//   A = V diag(values) V^T,   V a rotation (det +1),   values.x >= values.y >= values.z
//
// With the mean m = tr(A)/3 and p^2 = |A - m|^2/6, the matrix M = (A - m)/p has trace 0 and
// eigenvalues 2 cos(phi), 2 cos(phi +- 2 pi/3) with cos(3 phi) = r = det(M)/2 (Smith 1961). Of the
// outer two the one on the side of r's sign stands at least half of the spread away from the rest,
// so its eigenvector is well conditioned: a column of the cofactors of M - beta, which are the
// multiple 3 beta^2 - 3 (between 6 and 9) of the projection onto it. For r < 0 the same is done with
// -M. The root beta(r) = 2 cos(acos(r)/3) of beta^3 - 3 beta = 2 r has no singularity for r in
// [0, 1], and is taken from a polynomial. What is left is a 2 x 2 matrix in the plane across.
//
// Nothing here squares or divides by a small difference, so nearly equal eigenvalues are as good as
// others: the closed form that takes all three vectors from cross products is not.
//
// Jacobi rotations were tried first: with the usual cheap angles they leave up to 5e-3 of the
// largest eigenvalue off the diagonal after four sweeps, with exact ones four or five sweeps are
// right to rounding but take three times as long as this, most of it waiting for square roots.

#include "math/quaternion.h"

namespace pliant {

namespace detail {

/// The exponent n for which 2^-n times the largest entry is in [1, 2) (in [2, 4) at the very end of
/// the range), such that 2^n and 2^-n both are normal numbers. Anything below the normal numbers,
/// zero included, gets the smallest n. Scaling by a power of two is exact.
template <class T>
inline T scale_exponent(const T& largest) {
  using Limits = std::numeric_limits<ScalarOf<T>>;
  return exponent_of(min(max(largest, T(Limits::min())), T(Limits::max() / 2)));
}

/// A square below the normal numbers has lost its digits; lengths with such a square count as zero.
template <class T>
inline MaskOf<T> has_length(const T& square) {
  return square >= T(std::numeric_limits<ScalarOf<T>>::min());
}

/// A rotation of the plane.
template <class T>
struct Turn {
  T c, s;
  Mat2<T> matrix() const { return {{c, s}, {-s, c}}; }
  /// Turns an orthonormal pair inside its plane: the first towards the second.
  void apply(Vec3<T>& first, Vec3<T>& second) const {
    const Vec3<T> turned = mul_add(second, s, first * c);
    second = mul_add(second, c, first * -s);
    first = turned;
  }
};

/// The turn Q by half of atan2(g, h), for which Q^T [a g/2; g/2 b] Q is diagonal with the larger
/// entry first, h = a - b. length = sqrt(h^2 + g^2) is the difference of the two entries.
template <class T>
inline Turn<T> half_turn(const T& h, const T& g, T& length) {
  const T square = mul_add(h, h, g * g);
  const auto turns = has_length(square);
  length = select(turns, sqrt(square), T(0));
  // (c, s) is along (m, g) for h >= 0 and along (|g|, +-m) for h < 0: nothing cancels.
  const T m = length + abs(h);
  const T scale = T(1) / select(turns, sqrt(mul_add(m, m, g * g)), T(1));
  const auto ordered = h >= T(0);
  const T along = m * scale;
  const T across = abs(g) * scale;
  const T c = select(ordered, along, across);
  const T s = copy_sign(select(ordered, across, along), g);
  return {select(turns, c, T(1)), select(turns, s, T(0))};
}

/// Two unit vectors across the unit vector n, such that (n, a, b) is a rotation (Duff et al. 2017:
/// nothing small is divided by).
template <class T>
inline void complete_basis(const Vec3<T>& n, Vec3<T>& a, Vec3<T>& b) {
  const T sign = copy_sign(T(1), n.z);
  const T k = T(-1) / (sign + n.z);
  const T xy = n.x * n.y * k;
  a = {mul_add(sign * n.x * n.x, k, T(1)), sign * xy, -sign * n.x};
  b = {xy, mul_add(n.y * n.y, k, sign), -n.y};
}

template <class S>
struct CubicRoot;
// Minimax polynomials of 2 cos(acos(r)/3) over [0, 1]: 2^-25.6 in float. In double 2^-28.4, which one
// step of Newton's method squares.
template <>
struct CubicRoot<float> {
  static constexpr float kCoefficients[] = {1.73205078f,    0.333330661f,  -0.0961636305f,  0.0488376841f,
                                            -0.0287288651f, 0.0155465249f, -0.00600315304f, 0.00112997752f};
  static constexpr int kNewtonSteps = 0;
};
template <>
struct CubicRoot<double> {
  static constexpr double kCoefficients[] = {1.7320508103306771,    0.33333285102204047,   -0.096211129985057972,
                                             0.049226352296825107,  -0.03028364860411608,  0.018912925484827314,
                                             -0.010031127401985496, 0.0036348296155907758, -0.00063186552060090647};
  static constexpr int kNewtonSteps = 1;
};

/// The unit eigenvector whose eigenvalue stands furthest from the other two: that of the largest or of the
/// smallest. A multiple of the identity has any.
template <class T>
struct SeparatedAxis {
  Vec3<T> axis;
  MaskOf<T> smallest;
};

/// For a matrix whose entries are at most about ten.
template <class T>
inline SeparatedAxis<T> separated_axis(const Sym3<T>& a) {
  using S = ScalarOf<T>;
  using Root = CubicRoot<S>;
  const T one = T(1);
  // Twice: where the eigenvalues are nearly equal, the rounding of the mean is as large as the rest, and
  // without a trace of zero beta would not be an eigenvalue.
  const T third = T(S(1) / S(3));
  Sym3<T> d = a;
  for (int i = 0; i < 2; ++i) {
    const T mean = trace(d) * third;
    d = {d.xx - mean, d.yy - mean, d.zz - mean, d.xy, d.xz, d.yz};
  }
  const T p_squared = dot(d, d) * T(S(1) / S(6));
  const auto spread = has_length(p_squared);
  const T inverse_p = select(spread, one / sqrt(select(spread, p_squared, one)), T(0));
  const Sym3<T> normalized = d * inverse_p;
  const T r = T(S(0.5)) * determinant(normalized);
  const auto smallest = r < T(0);
  Sym3<T> m = normalized * select(smallest, -one, one);
  const T r_magnitude = min(abs(r), one);
  T beta = polynomial(r_magnitude, Root::kCoefficients);
  for (int i = 0; i < Root::kNewtonSteps; ++i) {
    const T slope = T(3) * mul_add(beta, beta, -one);
    const T value = mul_add(beta, mul_add(beta, beta, T(-3)), T(-2) * r_magnitude);
    beta = beta - value / slope;
  }
  m.xx = m.xx - beta;
  m.yy = m.yy - beta;
  m.zz = m.zz - beta;
  // Of the three parallel columns the longest, which is the one with the largest diagonal entry (2 at least).
  const Sym3<T> c = cofactor(m);
  const auto y_over_x = c.yy > c.xx;
  Vec3<T> longest = select(y_over_x, Vec3<T>{c.xy, c.yy, c.yz}, Vec3<T>{c.xx, c.xy, c.xz});
  longest = select(c.zz > max(c.xx, c.yy), Vec3<T>{c.xz, c.yz, c.zz}, longest);
  return {longest * (one / length(longest)), smallest};
}

}  // namespace detail

template <class T>
struct Eigen3 {
  Vec3<T> values;   // descending
  Mat3<T> vectors;  // in the columns; a rotation
};

/// Eigenvalues and eigenvectors of a symmetric matrix. The error of a value, and of an entry of
/// V diag(values) V^T, is at most 8 eps times the largest magnitude among the values, with eps the
/// machine epsilon of the scalar. Equal values get some orthonormal basis of their space. Entries
/// whose largest is subnormal give an error of up to that largest.
template <class T>
inline Eigen3<T> symmetric_eigen(const Sym3<T>& a) {
  const T half = T(0.5f);
  T largest = max(abs(a.xx), max(abs(a.yy), abs(a.zz)));
  largest = max(largest, max(abs(a.xy), max(abs(a.xz), abs(a.yz))));
  const T exponent = detail::scale_exponent(largest);
  const Sym3<T> scaled = a * power_of_two(-exponent);

  const auto [axis, smallest] = detail::separated_axis(scaled);
  Vec3<T> first, second;
  detail::complete_basis(axis, first, second);
  const T axis_value = dot(axis, scaled * axis);
  const Vec3<T> image = scaled * second;
  const T a00 = dot(first, scaled * first);
  const T a11 = dot(second, image);
  T difference;
  const detail::Turn<T> turn = detail::half_turn(a00 - a11, T(2) * dot(first, image), difference);
  turn.apply(first, second);
  const T high = half * ((a00 + a11) + difference);
  const T low = half * ((a00 + a11) - difference);

  // Equal values may stand in the wrong order by a rounding, hence min and max.
  const T x = select(smallest, high, axis_value);
  const T y = select(smallest, low, min(high, axis_value));
  const T z = select(smallest, min(axis_value, low), min(low, axis_value));
  const T up = power_of_two(exponent);
  return {{x * up, y * up, z * up},
          {select(smallest, first, axis), select(smallest, second, first), select(smallest, axis, second)}};
}

}  // namespace pliant
