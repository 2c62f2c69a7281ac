#pragma once
// Logarithms near one without cancellation, over any number type T.
//
// A volume ratio J is close to 1 where the material is close to rest. J - 1 is then known far more
// exactly than J, and log J must come from it.

#include "math/functions.h"

namespace pliant {

/// A constant of a kernel: rounded to the kernel's precision, in all lanes.
template <class T>
inline T number(double value) {
  return T(static_cast<ScalarOf<T>>(value));
}

/// A number near or far from one: u, and x = u - 1 to full relative accuracy.
template <class T>
struct NearOne {
  T u, x;
};

template <class T>
inline NearOne<T> one_plus(const T& x) {
  return {T(1) + x, x};
}

/// log(u), to a few ulp of the result for all u > 0; minus infinity for 0, NaN below.
template <Number T>
inline T log(const NearOne<T>& a) {
  // What rounding took off when u was made from x is x - (u - 1), exact; it changes log u by that over u.
  const T one = T(1);
  const T lost = a.x - (a.u - one);
  return log(a.u) + lost / select(a.u == T(0), one, a.u);
}

/// x - log(1 + x), about x^2 / 2: zero at x = 0, positive elsewhere, infinite at -1, NaN below.
/// `log_u` is log(1 + x).
template <Number T>
inline T excess_over_log(const T& x, const T& log_u) {
  using S = ScalarOf<T>;
  // With s = x / (2 + x): x = 2 s / (1 - s) and log(1 + x) = 2 (s + s^3/3 + s^5/5 + ...), so that
  // x - log(1 + x) = x s - 2 s^3 (1/3 + s^2/5 + s^4/7 + ...). For |x| <= 0.1 is s^2 < 0.0028, and the
  // first term left out is below 2^-53 of the result. Beyond, the plain difference loses at most
  // a factor x / (x - log(1 + x)) < 22 of accuracy.
  static constexpr S kSeries[] = {S(1) / 3, S(1) / 5, S(1) / 7, S(1) / 9, S(1) / 11, S(1) / 13};
  const T s = x / (T(2) + x);
  const T z = s * s;
  const T near = neg_mul_add(T(2) * s * z, detail::polynomial(z, kSeries), x * s);
  return select(abs(x) <= number<T>(0.1), near, x - log_u);
}

}  // namespace pliant
