#pragma once
// What the tests of src/math share: random numbers that are the same everywhere, errors in ulp, and
// the comparison of packs with plain numbers, lane by lane and to the bit.

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

#include "math/quaternion.h"

namespace pliant {

class Random {
 public:
  explicit Random(uint64_t seed) : engine_(seed) {}
  uint64_t bits() { return engine_(); }
  /// In [low, high).
  double uniform(double low, double high) {
    return low + (high - low) * static_cast<double>(engine_() >> 11) * 0x1p-53;
  }
  /// 10^uniform(low, high)
  double magnitude(double low, double high) { return std::pow(10.0, uniform(low, high)); }
  double sign() { return (engine_() & 1) != 0 ? 1 : -1; }
  Vec3d direction() {
    for (;;) {
      const Vec3d v{uniform(-1, 1), uniform(-1, 1), uniform(-1, 1)};
      const double square = length_squared(v);
      if (square > 0.01 && square < 1) return v / std::sqrt(square);
    }
  }
  Quatd rotation() { return from_rotation_vector(direction() * uniform(0, 3.14159265358979)); }

 private:
  std::mt19937_64 engine_;
};

/// |got - want| in units of the spacing of S at want; zero when both are NaN.
template <class S>
double error_in_ulp(S got, long double want) {
  using Limits = std::numeric_limits<S>;
  if (std::isnan(want) || std::isnan(got)) return std::isnan(want) && std::isnan(got) ? 0 : 1e30;
  if (std::isinf(static_cast<S>(want))) return got == static_cast<S>(want) ? 0 : 1e30;
  int exponent = Limits::min_exponent;
  if (want != 0) std::frexp(want, &exponent);
  exponent = std::max(exponent, Limits::min_exponent);
  const long double spacing = std::ldexp(1.0L, exponent - Limits::digits);
  return static_cast<double>(std::fabs((static_cast<long double>(got) - want) / spacing));
}

/// The same bits, or both NaN (whose bits nobody promises).
template <class S>
bool same_bits(S a, S b) {
  using Bits = typename Format<S>::Bits;
  if (std::isnan(a) || std::isnan(b)) return std::isnan(a) && std::isnan(b);
  return std::bit_cast<Bits>(a) == std::bit_cast<Bits>(b);
}

/// Calls visit(number&) for each number inside of vectors, matrices and decompositions of these.
template <class F, Number T>
void for_each_number(T& a, F&& visit) {
  visit(a);
}
template <class F, class T>
void for_each_number(Vec2<T>& a, F&& visit) {
  visit(a.x), visit(a.y);
}
template <class F, class T>
void for_each_number(Vec3<T>& a, F&& visit) {
  visit(a.x), visit(a.y), visit(a.z);
}
template <class F, class T>
void for_each_number(Quat<T>& a, F&& visit) {
  visit(a.x), visit(a.y), visit(a.z), visit(a.w);
}
template <class F, class T>
void for_each_number(Mat2<T>& a, F&& visit) {
  for_each_number(a.c0, visit), for_each_number(a.c1, visit);
}
template <class F, class T>
void for_each_number(Mat32<T>& a, F&& visit) {
  for_each_number(a.c0, visit), for_each_number(a.c1, visit);
}
template <class F, class T>
void for_each_number(Mat3<T>& a, F&& visit) {
  for_each_number(a.c0, visit), for_each_number(a.c1, visit), for_each_number(a.c2, visit);
}
template <class F, class T>
void for_each_number(Sym3<T>& a, F&& visit) {
  visit(a.xx), visit(a.yy), visit(a.zz), visit(a.xy), visit(a.xz), visit(a.yz);
}

/// The numbers of a value, in order.
template <class T, class Value>
std::vector<T> numbers_of(Value value) {
  std::vector<T> numbers;
  for_each_number(value, [&](T& n) { numbers.push_back(n); });
  return numbers;
}

/// Calls evaluate<T>(arguments) with T a pack and with T a plain number for each lane; expects the
/// results to have the same bits. `numbers` holds as many arguments as wanted, each of `count` numbers;
/// evaluate takes an array of `count` T and returns a vector of T.
template <class P, class Evaluate>
void expect_lanes_equal_plain(const std::vector<ScalarOf<P>>& numbers, int count, Evaluate&& evaluate) {
  using S = ScalarOf<P>;
  constexpr int W = NumberTraits<P>::kWidth;
  const int total = static_cast<int>(numbers.size()) / count;
  int mistakes = 0;
  for (int begin = 0; begin < total && mistakes < 5; begin += W) {
    std::vector<P> wide(count);
    for (int k = 0; k < count; ++k) {
      S lanes[W];
      for (int l = 0; l < W; ++l) lanes[l] = numbers[std::min(begin + l, total - 1) * count + k];
      wide[k] = load<P>(lanes);
    }
    const std::vector<P> got = evaluate(wide.data());
    for (int l = 0; l < W && mistakes < 5; ++l) {
      const int at = std::min(begin + l, total - 1);
      const std::vector<S> want = evaluate(numbers.data() + at * count);
      ASSERT_EQ(got.size(), want.size());
      for (size_t k = 0; k < got.size(); ++k) {
        if (same_bits(lane(got[k], l), want[k])) continue;
        ADD_FAILURE() << "lane " << l << ", argument " << at << ", result " << k << ": pack " << lane(got[k], l)
                      << ", plain " << want[k];
        ++mistakes;
      }
    }
  }
}

/// The packs on which everything is tried: one register, part of one, and pairs of registers.
using PackTypes = ::testing::Types<Pack<float, 4>, Pack<float, 8>, Pack<float, 16>, Pack<double, 4>, Pack<double, 8>>;
using PlainTypes = ::testing::Types<float, double>;

}  // namespace pliant
