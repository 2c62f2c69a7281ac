// Packs against plain numbers: every word of the vocabulary of math/simd.h, with the values that make
// trouble (zeros of both signs, infinities, NaN, subnormals) in all lanes.
#include "math/simd.h"

#include <gtest/gtest.h>

#include <cfenv>
#include <vector>

#include "math/support.h"

namespace pliant {
namespace {

template <class P>
class SimdTest : public ::testing::Test {
 public:
  using S = ScalarOf<P>;
  static constexpr int W = NumberTraits<P>::kWidth;

  /// All pairs of special and of some ordinary numbers.
  static std::vector<S> pairs() {
    using Limits = std::numeric_limits<S>;
    std::vector<S> values = {S(0),
                             -S(0),
                             S(1),
                             S(-1),
                             S(0.5),
                             S(1.5),
                             S(2.5),
                             S(-2.5),
                             S(3.7),
                             S(-1e-3),
                             Limits::max(),
                             -Limits::max(),
                             Limits::min(),
                             Limits::denorm_min(),
                             Limits::infinity(),
                             -Limits::infinity(),
                             Limits::quiet_NaN()};
    Random random(1);
    for (int i = 0; i < 20; ++i) values.push_back(static_cast<S>(random.sign() * random.magnitude(-6, 6)));
    std::vector<S> all;
    for (S a : values) {
      for (S b : values) all.insert(all.end(), {a, b});
    }
    return all;
  }
};
TYPED_TEST_SUITE(SimdTest, PackTypes);

/// 1 where a mask is set, for plain numbers and packs.
template <class T, class M>
T as_number(const M& mask) {
  return select(mask, T(1), T(0));
}

TYPED_TEST(SimdTest, ArithmeticIsThatOfPlainNumbers) {
  expect_lanes_equal_plain<TypeParam>(this->pairs(), 2, []<class T>(const T* x) {
    const T a = x[0], b = x[1], c = T(0.75f);
    return std::vector<T>{
        a + b,  a - b,     a * b,     a / b,           -a,      mul_add(a, b, c), neg_mul_add(a, b, c), sqrt(a),
        abs(a), min(a, b), max(a, b), copy_sign(a, b), round(a)};
  });
}

TYPED_TEST(SimdTest, ComparisonsAndMasksAreThoseOfPlainNumbers) {
  expect_lanes_equal_plain<TypeParam>(this->pairs(), 2, []<class T>(const T* x) {
    const T a = x[0], b = x[1];
    return std::vector<T>{as_number<T>(a < b),
                          as_number<T>(a <= b),
                          as_number<T>(a > b),
                          as_number<T>(a >= b),
                          as_number<T>(a == b),
                          as_number<T>((a < b) & (a < T(1))),
                          as_number<T>((a < b) | (a < T(1))),
                          as_number<T>(!(a < b)),
                          as_number<T>(is_finite(a)),
                          select(a < b, a, b)};
  });
}

TYPED_TEST(SimdTest, MinAndMaxReturnTheSecondOperandWhenUnorderedOrEqual) {
  using S = ScalarOf<TypeParam>;
  const S nan = std::numeric_limits<S>::quiet_NaN();
  const TypeParam one(S(1)), not_a_number(nan), zero(S(0)), minus_zero(-S(0));
  for (int l = 0; l < this->W; ++l) {
    EXPECT_EQ(lane(min(not_a_number, one), l), S(1));
    EXPECT_EQ(lane(max(not_a_number, one), l), S(1));
    EXPECT_TRUE(std::isnan(lane(min(one, not_a_number), l)));
    EXPECT_TRUE(std::isnan(lane(max(one, not_a_number), l)));
    EXPECT_TRUE(std::signbit(lane(min(zero, minus_zero), l)));
    EXPECT_FALSE(std::signbit(lane(max(minus_zero, zero), l)));
    EXPECT_FALSE(std::signbit(lane(min(minus_zero, zero), l)));
  }
  EXPECT_EQ(min(nan, S(1)), S(1));
  EXPECT_TRUE(std::isnan(max(S(1), nan)));
}

TYPED_TEST(SimdTest, AnyAndAllLookAtEachLane) {
  using S = ScalarOf<TypeParam>;
  constexpr int W = NumberTraits<TypeParam>::kWidth;
  for (int marked = 0; marked < W; ++marked) {
    S lanes[W];
    for (int l = 0; l < W; ++l) lanes[l] = l == marked ? S(1) : S(0);
    const auto one_set = load<TypeParam>(lanes) > TypeParam(S(0.5));
    EXPECT_TRUE(any(one_set));
    EXPECT_FALSE(all(one_set));
    EXPECT_TRUE(any(!one_set));
    EXPECT_FALSE(all(!one_set));
    EXPECT_FALSE(any(one_set & (!one_set)));
    EXPECT_TRUE(all(one_set | (!one_set)));
  }
}

TYPED_TEST(SimdTest, LoadStoreAndLaneKeepOrderAndNeedNoAlignment) {
  using S = ScalarOf<TypeParam>;
  constexpr int W = NumberTraits<TypeParam>::kWidth;
  S in[W + 1], out[W + 3];
  for (int i = 0; i <= W; ++i) in[i] = static_cast<S>(i);
  std::fill(out, out + W + 3, S(-1));
  const TypeParam p = load<TypeParam>(in + 1);
  store(p, out + 1);
  EXPECT_EQ(out[0], S(-1));
  EXPECT_EQ(out[W + 1], S(-1));
  for (int l = 0; l < W; ++l) {
    EXPECT_EQ(out[1 + l], static_cast<S>(l + 1));
    EXPECT_EQ(lane(p, l), static_cast<S>(l + 1));
    EXPECT_EQ(lane(TypeParam(S(7)), l), S(7));
    EXPECT_EQ(lane(TypeParam(), l), S(0));
  }
}

TYPED_TEST(SimdTest, PartsOfTheFormat) {
  using S = ScalarOf<TypeParam>;
  using Limits = std::numeric_limits<S>;
  std::vector<S> positive = {Limits::min(), Limits::max(), S(1), S(2), std::nextafter(S(2), S(0)), S(0.1)};
  Random random(2);
  for (int i = 0; i < 200; ++i) {
    positive.push_back(static_cast<S>(std::exp2(random.uniform(Limits::min_exponent, Limits::max_exponent))));
  }
  const auto parts = []<class T>(const T* x) {
    return std::vector<T>{exponent_of(x[0]), mantissa_of(x[0]), power_of_two(exponent_of(x[0]))};
  };
  expect_lanes_equal_plain<TypeParam>(positive, 1, parts);
  for (S x : positive) {
    int exponent = 0;
    const S fraction = std::frexp(x, &exponent);  // in [1/2, 1)
    EXPECT_EQ(exponent_of(x), static_cast<S>(exponent - 1)) << x;
    EXPECT_EQ(mantissa_of(x), fraction * 2) << x;
    EXPECT_EQ(power_of_two(exponent_of(x)), std::ldexp(S(1), exponent - 1)) << x;
  }
}

TEST(SimdPlainTest, RoundGoesToEven) {
  EXPECT_EQ(round(0.5), 0.0);
  EXPECT_EQ(round(1.5), 2.0);
  EXPECT_EQ(round(2.5f), 2.0f);
  EXPECT_EQ(round(-2.5f), -2.0f);
  EXPECT_TRUE(std::signbit(round(-0.25f)));
}

TEST(SimdPlainTest, TraitsNameTheScalarAndTheWidth) {
  static_assert(std::is_same_v<ScalarOf<Pack<float, 8>>, float> && std::is_same_v<ScalarOf<double>, double>);
  static_assert(std::is_same_v<Wide<float, 1>, float> && std::is_same_v<Wide<double, 4>, Pack<double, 4>>);
  static_assert(NumberTraits<Pack<float, 16>>::kWidth == 16 && NumberTraits<float>::kWidth == 1);
  static_assert(std::is_same_v<MaskOf<float>, bool>);
  static_assert(Number<float> && Number<Pack<double, 4>> && !Number<int>);
}

}  // namespace
}  // namespace pliant
