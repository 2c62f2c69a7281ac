#pragma once
// Elementary functions over any number type T: float, double, or a pack of either (math/simd.h).
//
// The engine does not call the C library's versions inside a step: those differ in the last bit
// from one library to the next and have no form for packs. These use only IEEE operations and
// mul_add, without a branch, so that each lane of a pack equals the plain number to the bit.
//
// Largest error [ulp of the exact result], with and without a fused multiply-add. In float every
// argument was tried (atan2: 4e7 pairs), in double 2e7 per function; tests/math keeps the bounds:
//
//   function          float  double   where
//   exp               1.0    1.0      everywhere (subnormal results: 1.0 of their own spacing)
//   log               0.9    0.9      everywhere, subnormal arguments included
//   sin, cos          1.1    1.1      |x| <= 8192 (float), |x| <= 2^20 (double)
//   asin, acos        1.2    1.2      [-1, 1]; arguments outside are taken as -1 or 1
//   atan2             2.0    2.0      everywhere
//
// Beyond their range sin and cos stay in [-1, 1] and are those of an argument that differs from x
// by a few of its own ulp.
//
// NaN in, NaN out. exp(-inf) = 0, exp(inf) = inf, log(0) = -inf, log of a negative number = NaN,
// sin and cos of an infinity = NaN. The sign of zero is kept by sin, asin and atan2.
//
// The polynomials are minimax fits (Remez, 70 digits) of the relative error of the whole function;
// the fit's own error is below 2^-27 in float and 2^-57 in double.

#include <limits>

#include "math/simd.h"

namespace pliant {

namespace detail {

/// c[0] + c[1] z + c[2] z^2 + ...
template <class T, class S, int N>
inline T polynomial(const T& z, const S (&c)[N]) {
  T p = T(c[N - 1]);
  for (int i = N - 2; i >= 0; --i) p = mul_add(p, z, T(c[i]));
  return p;
}

/// Into [-limit, limit]; NaN stays NaN (min and max return their second operand when unordered).
template <class T>
inline T clamp_keeping_nan(const T& x, ScalarOf<T> limit) {
  return min(T(limit), max(T(-limit), x));
}

/// Constants and coefficients of one precision. A constant in several parts is their exact sum to
/// beyond the precision; all parts but the last have so few bits that their product with the
/// integers that occur is exact, so that no fused multiply-add is needed for that.
template <class S>
struct Elementary;

template <>
struct Elementary<float> {
  static constexpr float kTwoOverPi = 0x1.45f306p-1f;
  // 10, 11, 11 and 24 bits: products exact for n < 2^13.
  static constexpr float kHalfPi[4] = {0x1.92p+0f, 0x1.fb4p-12f, 0x1.444p-24f, 0x1.68c234p-39f};
  static constexpr float kQuarterPi[2] = {0x1.921fbp-1f, 0x1.5110b4p-23f};  // 21 bits: exact for n <= 4
  static constexpr float kLog2E = 0x1.715476p+0f;
  static constexpr float kLn2[2] = {0x1.62e4p-1f, 0x1.7f7d1cp-20f};  // 15 bits: exact for n < 2^9
  static constexpr float kExpLimit = 105;  // exp(+-105) is beyond the largest and the smallest float
  static constexpr float kSubnormalScale = 0x1p24f, kSubnormalExponent = 24;

  // atan t = t + t z P(z), z = t^2, |t| <= 1/2
  static constexpr float kAtan[] = {-0.333333284f, 0.199994996f,   -0.142722473f,
                                    0.109423295f,  -0.0798896104f, 0.0387895182f};
  // asin t = t + t z P(z), z = t^2, |t| <= 1/2
  static constexpr float kAsin[] = {0.166666597f,  0.0750051066f, 0.0445157215f,
                                    0.0318176039f, 0.0144026326f, 0.0375651754f};
  // exp r = 1 + r + r^2 P(r), |r| <= ln(2)/2
  static constexpr float kExp[] = {0.5f, 0.166666672f, 0.0416662693f, 0.00833326392f, 0.00139460736f, 0.000199184011f};
  // log((1 + s)/(1 - s)) = 2 s + s z P(z), z = s^2, |s| <= (sqrt(2) - 1)/(sqrt(2) + 1)
  static constexpr float kLog[] = {0.666667759f, 0.399775356f, 0.298718631f};
  // sin r = r + r z P(z), cos r = 1 - z/2 + z^2 Q(z), z = r^2, |r| <= pi/4
  static constexpr float kSin[] = {-0.166666552f, 0.008332178f, -0.000195172674f};
  static constexpr float kCos[] = {0.0416666456f, -0.00138873677f, 2.44384155e-05f};
};

template <>
struct Elementary<double> {
  static constexpr double kTwoOverPi = 0x1.45f306dc9c883p-1;
  // 26, 27, 27 and 53 bits: products exact for n < 2^26.
  static constexpr double kHalfPi[4] = {0x1.921fb58p+0, -0x1.dde973cp-27, -0x1.cb3b398p-55, -0x1.d747f23e32ed7p-83};
  static constexpr double kQuarterPi[2] = {0x1.921fb54442d18p-1, 0x1.1a62633145c07p-55};  // 50 bits
  static constexpr double kLog2E = 0x1.71547652b82fep+0;
  static constexpr double kLn2[2] = {0x1.62e42fefa4p-1, -0x1.8432a1b0e2634p-43};  // 40 bits: exact for n < 2^13
  static constexpr double kExpLimit = 750;
  static constexpr double kSubnormalScale = 0x1p54, kSubnormalExponent = 54;

  static constexpr double kAtan[] = {
      -0.33333333333333315,  0.19999999999993437,   -0.14285714284977022,  0.11111111069326464,  -0.090909076909746214,
      0.076922774560321205,  -0.066662234475615756, 0.05877807191131857,   -0.05230017715029002, 0.045894847892898612,
      -0.037120080049081669, 0.023657536156206763,  -0.0083676250740291475};
  static constexpr double kAsin[] = {
      0.16666666666666763,  0.074999999999702666,  0.044642857175117283, 0.030381942683776794, 0.022372215656119313,
      0.017351600160729088, 0.013980960704228685,  0.011397781453708653, 0.01078650195900652,  0.0036831315559104623,
      0.021763310320879723, -0.021077063135621063, 0.032676768373834757};
  static constexpr double kExp[] = {0.5,
                                    0.16666666666666685,
                                    0.041666666666666727,
                                    0.0083333333333167389,
                                    0.0013888888888858586,
                                    0.00019841269897060101,
                                    2.4801587373472887e-05,
                                    2.7557234235727993e-06,
                                    2.7557233578377883e-07,
                                    2.5112240184323561e-08,
                                    2.0926878355185001e-09};
  static constexpr double kLog[] = {0.6666666666666734,  0.39999999999414332, 0.28571428742472066, 0.22222198563759732,
                                    0.18183564853480025, 0.15314036142476409, 0.14796102671741185};
  static constexpr double kSin[] = {-0.16666666666666632,   0.0083333333333224183,   -0.00019841269829812239,
                                    2.7557313693519709e-06, -2.5050758375801952e-08, 1.5896811297299285e-10};
  static constexpr double kCos[] = {0.041666666666666602,    -0.0013888888888874131, 2.4801587289486941e-05,
                                    -2.7557314353764643e-07, 2.0875723475400323e-09, -1.1359658647470218e-11};
};

}  // namespace detail

/// e^x
template <Number T>
inline T exp(const T& x) {
  using S = ScalarOf<T>;
  using K = detail::Elementary<S>;
  // x = n ln 2 + r. Beyond the limit the result is 0 or infinity anyway.
  const T bounded = detail::clamp_keeping_nan(x, K::kExpLimit);
  const T n = round(bounded * T(K::kLog2E));
  const T r = neg_mul_add(n, T(K::kLn2[1]), neg_mul_add(n, T(K::kLn2[0]), bounded));
  const T p = T(S(1)) + mul_add(r * r, detail::polynomial(r, K::kExp), r);
  // 2^n in two factors, as it may lie outside of the normal numbers where the result does not.
  const T half = round(n * T(S(0.5)));
  return p * power_of_two(half) * power_of_two(n - half);
}

namespace detail {
/// log(x 2^-shift) for an x that is positive, normal and finite.
template <Number T>
inline T log_of_scaled(const T& x, const T& shift) {
  using S = ScalarOf<T>;
  using K = Elementary<S>;
  const T one = T(S(1));
  const T mantissa = mantissa_of(x);
  const auto upper = mantissa > T(S(1.4142135623730951));
  // x = 2^e (1 + f) with 1 + f in [sqrt(1/2), sqrt(2)]; f is exact.
  const T f = select(upper, mantissa * T(S(0.5)), mantissa) - one;
  const T e = (exponent_of(x) + select(upper, one, T(S(0)))) - shift;
  // With s = f / (2 + f): log(1 + f) = 2 s + s z P(z) = f - f^2/2 + s (f^2/2 + z P(z)), whose first term is exact.
  const T s = f / (T(S(2)) + f);
  const T z = s * s;
  const T half_square = T(S(0.5)) * f * f;
  const T tail = mul_add(s, mul_add(z, polynomial(z, K::kLog), half_square), e * T(K::kLn2[1]));
  return e * T(K::kLn2[0]) - ((half_square - tail) - f);
}
}  // namespace detail

/// Natural logarithm of a number that is positive, normal and finite: a third less work. Any number for others.
template <Number T>
inline T log_of_normal(const T& x) {
  return detail::log_of_scaled(x, T(ScalarOf<T>(0)));
}

/// Natural logarithm.
template <Number T>
inline T log(const T& x) {
  using S = ScalarOf<T>;
  using K = detail::Elementary<S>;
  using Limits = std::numeric_limits<S>;
  const auto subnormal = x < T(Limits::min());
  const T result = detail::log_of_scaled(select(subnormal, x * T(K::kSubnormalScale), x),
                                         select(subnormal, T(K::kSubnormalExponent), T(S(0))));
  const T infinity = T(Limits::infinity());
  const T special = select(x == T(S(0)), -infinity, select(x == infinity, x, T(Limits::quiet_NaN())));
  return select((x > T(S(0))) & (x < infinity), result, special);
}

template <class T>
struct SinCos {
  T sin, cos;
};

/// Both at once, for little more than the cost of one.
template <Number T>
inline SinCos<T> sin_cos(const T& x) {
  using S = ScalarOf<T>;
  using K = detail::Elementary<S>;
  const T one = T(S(1));
  // x = n pi/2 + r
  const T n = round(x * T(K::kTwoOverPi));
  // The first two products leave an exact rest (it has few bits); what rounding takes off the third
  // goes into the tail with the fourth: r + tail.
  const T rest = neg_mul_add(n, T(K::kHalfPi[1]), neg_mul_add(n, T(K::kHalfPi[0]), x));
  T r = neg_mul_add(n, T(K::kHalfPi[2]), rest);
  T tail = neg_mul_add(n, T(K::kHalfPi[3]), neg_mul_add(n, T(K::kHalfPi[2]), rest - r));
  // Bounds that matter only beyond the range: pi/4 and a little, and one ulp of that.
  r = detail::clamp_keeping_nan(r, S(0.79));
  tail = detail::clamp_keeping_nan(tail, std::numeric_limits<S>::epsilon());
  const T z = r * r;
  const T sine_of_r = r + mul_add(r * z, detail::polynomial(z, K::kSin), tail);
  const T s = select(x == T(S(0)), x, sine_of_r);  // keeps the sign of zero
  const T small = mul_add(z * z, detail::polynomial(z, K::kCos), -(r * tail));
  const T c = one - (T(S(0.5)) * z - small);
  // Quarter turns, in {-2, -1, 0, 1, 2}.
  const T q = neg_mul_add(T(S(4)), round(n * T(S(0.25))), n);
  const auto odd = abs(q) == one;
  const T sine = select(odd, c, s);
  const T cosine = select(odd, s, c);
  const auto half_turn = abs(q) == T(S(2));
  return {select(half_turn | (q == -one), -sine, sine), select(half_turn | (q == one), -cosine, cosine)};
}

template <Number T>
inline T sin(const T& x) {
  return sin_cos(x).sin;
}
template <Number T>
inline T cos(const T& x) {
  return sin_cos(x).cos;
}

/// The angle of the point (x, y) from the x axis, in [-pi, pi].
///
/// atan2(+-0, x) is +-0 for x >= 0 and for x = -0 too: a point without a direction has angle zero
/// (the C library gives pi for x = -0), so that a degenerate stencil does not look half a turn away
/// from itself because of a sign that rounding left.
template <Number T>
inline T atan2(const T& y, const T& x) {
  using S = ScalarOf<T>;
  using K = detail::Elementary<S>;
  using Limits = std::numeric_limits<S>;
  const T zero = T(S(0));
  const T one = T(S(1));
  const T infinity = T(Limits::infinity());
  T a = abs(x);
  T b = abs(y);
  const auto steep = b > a;
  T small = select(steep, a, b);
  T large = select(steep, b, a);
  // Both infinite: the diagonal. Both near the largest number: their sum would overflow.
  const auto diagonal = small == infinity;
  const T scale = select(large > T(Limits::max() / 4), T(S(0.25)), one);
  small = select(diagonal, one, small * scale);
  large = select(diagonal | (large == zero), one, large * scale);
  // atan(small/large) = atan t, or pi/4 + atan t where small/large > 1/2: small - large is exact there.
  const auto far = small > large * T(S(0.5));
  const T t = select(far, small - large, small) / select(far, small + large, large);
  const T z = t * t;
  const T angle = mul_add(t * z, detail::polynomial(z, K::kAtan), t);
  // The result is k pi/4 + angle or k pi/4 - angle, added up once.
  const auto behind = x < zero;
  T k = select(far, one, zero);
  k = select(steep, T(S(2)) - k, k);
  k = select(behind, T(S(4)) - k, k);
  const auto minus = (steep & (!behind)) | ((!steep) & behind);
  const T rest = mul_add(k, T(K::kQuarterPi[1]), select(minus, -angle, angle));
  const T result = mul_add(k, T(K::kQuarterPi[0]), rest);
  return select((x == x) & (y == y), copy_sign(result, y), x + y);
}

namespace detail {

/// For |x| <= 1: |x| <= 1/2 leaves t = |x| alone; above, asin|x| = pi/2 - 2 asin t with
/// t = sqrt((1 - |x|)/2). Gives t, and correction = asin t - t.
template <class T>
struct AsinParts {
  MaskOf<T> outer;  // |x| > 1/2
  T t, correction;
};

template <class T>
inline AsinParts<T> asin_parts(const T& magnitude) {
  using S = ScalarOf<T>;
  const auto outer = magnitude > T(S(0.5));
  const T z = select(outer, T(S(0.5)) * (T(S(1)) - magnitude), magnitude * magnitude);
  const T t = select(outer, sqrt(z), magnitude);
  return {outer, t, t * z * polynomial(z, Elementary<S>::kAsin)};
}

}  // namespace detail

/// Inverse sine, in [-pi/2, pi/2]. Arguments outside of [-1, 1] count as the nearest end: the dot
/// product of two unit vectors gets there by rounding.
template <Number T>
inline T asin(const T& x) {
  using S = ScalarOf<T>;
  using K = detail::Elementary<S>;
  const T bounded = detail::clamp_keeping_nan(x, S(1));
  const auto [outer, t, correction] = detail::asin_parts(abs(bounded));
  const T two = T(S(2));
  // pi/2 - 2 (t + correction): the large parts first, and what their difference loses is brought back.
  const T half_pi = two * T(K::kQuarterPi[0]);
  const T difference = half_pi - two * t;
  const T lost = (half_pi - difference) - two * t;
  const T far = difference - ((two * correction - two * T(K::kQuarterPi[1])) - lost);
  return copy_sign(select(outer, far, t + correction), bounded);
}

/// Inverse cosine, in [0, pi]. Arguments outside of [-1, 1] count as the nearest end.
template <Number T>
inline T acos(const T& x) {
  using S = ScalarOf<T>;
  using K = detail::Elementary<S>;
  const T bounded = detail::clamp_keeping_nan(x, S(1));
  const auto [outer, t, correction] = detail::asin_parts(abs(bounded));
  const T two = T(S(2));
  const auto negative = bounded < T(S(0));
  const T half_pi = two * T(K::kQuarterPi[0]);
  const T half_pi_rest = two * T(K::kQuarterPi[1]);
  const T near = half_pi - (copy_sign(t, bounded) - (half_pi_rest - copy_sign(correction, bounded)));
  const T far = two * (t + correction);
  const T far_negative = two * half_pi - (two * t - (two * half_pi_rest - two * correction));
  return select(outer, select(negative, far_negative, far), near);
}

}  // namespace pliant
