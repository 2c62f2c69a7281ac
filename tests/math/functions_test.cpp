// The elementary functions against the C library in long double, at special values, and packs
// against plain numbers. The bounds are those that math/functions.h promises.
#include "math/functions.h"

#include <gtest/gtest.h>

#include <vector>

#include "math/support.h"

namespace pliant {
namespace {

constexpr long double kPi = 3.141592653589793238462643383279502884L;

template <class S>
class FunctionsTest : public ::testing::Test {
 public:
  static constexpr bool kFloat = sizeof(S) == 4;
  static constexpr double kTrigRange = kFloat ? 8192 : 1048576;

  /// Between low and high, by value and by magnitude, with both ends.
  static std::vector<S> samples(double low, double high, double smallest_exponent) {
    Random random(4);
    std::vector<S> x = {static_cast<S>(low), static_cast<S>(high)};
    for (int i = 0; i < 20000; ++i) x.push_back(static_cast<S>(random.uniform(low, high)));
    for (int i = 0; i < 20000; ++i) {
      const double limit = std::log10(std::max(std::abs(low), std::abs(high)));
      const double value = random.sign() * random.magnitude(smallest_exponent, limit);
      if (value >= low && value <= high) x.push_back(static_cast<S>(value));
    }
    return x;
  }

  template <class F, class G>
  static void expect_error_below(double bound, const std::vector<S>& arguments, F&& ours, G&& reference) {
    double worst = 0;
    S worst_at = 0;
    for (S x : arguments) {
      const double error = error_in_ulp<S>(ours(x), reference(static_cast<long double>(x)));
      if (error > worst) {
        worst = error;
        worst_at = x;
      }
    }
    EXPECT_LE(worst, bound) << "ulp at " << worst_at;
    EXPECT_GT(worst, 0.4) << "too good to be true: a rounding alone may be off by half an ulp";
  }
};
TYPED_TEST_SUITE(FunctionsTest, PlainTypes);

TYPED_TEST(FunctionsTest, Exp) {
  const auto ours = [](TypeParam x) { return exp(x); };
  const auto reference = [](long double x) { return std::exp(x); };
  const bool is_float = this->kFloat;
  this->expect_error_below(1.0, this->samples(is_float ? -103 : -744, is_float ? 88.7 : 709.7, -6), ours, reference);
  this->expect_error_below(1.0, this->samples(-1, 1, -12), ours, reference);
}

TYPED_TEST(FunctionsTest, Log) {
  const auto ours = [](TypeParam x) { return log(x); };
  const auto reference = [](long double x) { return std::log(x); };
  using Limits = std::numeric_limits<TypeParam>;
  this->expect_error_below(0.9, this->samples(0.4, 2.5, -1), ours, reference);
  this->expect_error_below(0.9, this->samples(Limits::denorm_min(), Limits::max() / 2, Limits::min_exponent10 - 5),
                           ours, reference);
}

TYPED_TEST(FunctionsTest, SinAndCos) {
  const double range = this->kTrigRange;
  std::vector<TypeParam> x = this->samples(-range, range, -8);
  for (TypeParam a : this->samples(-7, 7, -20)) x.push_back(a);
  // The numbers nearest to the multiples of pi/2, where the result is nearly zero and cancels most.
  for (int n = 1; n * kPi / 2 < range; n += this->kFloat ? 1 : 37) x.push_back(static_cast<TypeParam>(n * kPi / 2));
  this->expect_error_below(
      1.1, x, [](TypeParam a) { return sin(a); }, [](long double a) { return std::sin(a); });
  this->expect_error_below(
      1.1, x, [](TypeParam a) { return cos(a); }, [](long double a) { return std::cos(a); });
  for (size_t i = 0; i < x.size(); i += 100) {
    const auto [sine, cosine] = sin_cos(x[i]);
    EXPECT_TRUE(same_bits(sine, sin(x[i])) && same_bits(cosine, cos(x[i])));
  }
}

TYPED_TEST(FunctionsTest, SinAndCosStayBoundedBeyondTheirRange) {
  Random random(5);
  const double eps = std::numeric_limits<TypeParam>::epsilon();
  for (int i = 0; i < 20000; ++i) {
    const auto x = static_cast<TypeParam>(random.sign() * random.magnitude(3, this->kFloat ? 38 : 307));
    const auto [sine, cosine] = sin_cos(x);
    EXPECT_LE(std::abs(sine), 1 + eps) << x;
    EXPECT_LE(std::abs(cosine), 1 + eps) << x;
    EXPECT_NEAR(sine * sine + cosine * cosine, 1, 4 * eps) << x;
  }
}

TYPED_TEST(FunctionsTest, AsinAndAcos) {
  std::vector<TypeParam> x = this->samples(-1, 1, -20);
  Random random(6);
  for (int i = 0; i < 5000; ++i) x.push_back(static_cast<TypeParam>(1 - random.magnitude(-16, 0)));
  this->expect_error_below(
      1.2, x, [](TypeParam a) { return asin(a); }, [](long double a) { return std::asin(a); });
  this->expect_error_below(
      1.2, x, [](TypeParam a) { return acos(a); }, [](long double a) { return std::acos(a); });
}

TYPED_TEST(FunctionsTest, Atan2) {
  using S = TypeParam;
  using Limits = std::numeric_limits<S>;
  Random random(7);
  double worst = 0;
  const auto check = [&](S y, S x) {
    worst = std::max(
        worst, error_in_ulp<S>(atan2(y, x), std::atan2(static_cast<long double>(y), static_cast<long double>(x))));
  };
  for (int i = 0; i < 40000; ++i) {
    const double angle = random.uniform(-kPi, kPi), radius = random.magnitude(-3, 3);
    check(static_cast<S>(radius * std::sin(angle)), static_cast<S>(radius * std::cos(angle)));
    check(static_cast<S>(random.sign() * random.magnitude(Limits::min_exponent10, Limits::max_exponent10)),
          static_cast<S>(random.sign() * random.magnitude(Limits::min_exponent10, Limits::max_exponent10)));
  }
  const S ends[] = {Limits::max(), Limits::max() * S(0.7), Limits::min(), Limits::denorm_min(), S(1), S(0.5)};
  for (S y : ends) {
    for (S x : ends) {
      check(y, x), check(-y, x), check(y, -x), check(-y, -x);
    }
  }
  EXPECT_LE(worst, 2.0);
  EXPECT_GT(worst, 0.4);
}

TYPED_TEST(FunctionsTest, SpecialValues) {
  using S = TypeParam;
  const S infinity = std::numeric_limits<S>::infinity(), nan = std::numeric_limits<S>::quiet_NaN();
  EXPECT_EQ(exp(S(0)), S(1));
  EXPECT_EQ(exp(-S(0)), S(1));
  EXPECT_EQ(exp(-infinity), S(0));
  EXPECT_EQ(exp(infinity), infinity);
  EXPECT_EQ(exp(S(1e30)), infinity);
  EXPECT_EQ(exp(S(-1e30)), S(0));

  EXPECT_TRUE(same_bits(log(S(1)), S(0)));
  for (const S x : {std::numeric_limits<S>::min(), S(0.3), S(1), S(1.5), S(7e5), std::numeric_limits<S>::max()}) {
    EXPECT_TRUE(same_bits(log_of_normal(x), log(x))) << x;
  }
  EXPECT_EQ(log(S(0)), -infinity);
  EXPECT_EQ(log(-S(0)), -infinity);
  EXPECT_EQ(log(infinity), infinity);
  EXPECT_TRUE(std::isnan(log(S(-1))));
  EXPECT_TRUE(std::isnan(log(-infinity)));

  EXPECT_TRUE(same_bits(sin(S(0)), S(0)));
  EXPECT_TRUE(same_bits(sin(-S(0)), -S(0)));
  EXPECT_EQ(cos(S(0)), S(1));
  EXPECT_TRUE(std::isnan(sin(infinity)) && std::isnan(cos(-infinity)));
  const S tiny = std::numeric_limits<S>::denorm_min();
  EXPECT_EQ(sin(tiny), tiny);

  EXPECT_TRUE(same_bits(asin(-S(0)), -S(0)));
  EXPECT_TRUE(same_bits(acos(S(1)), S(0)));
  EXPECT_EQ(acos(S(-1)), static_cast<S>(kPi));
  EXPECT_EQ(asin(S(1)), static_cast<S>(kPi / 2));
  EXPECT_EQ(acos(S(1.5)), S(0)) << "counts as 1";
  EXPECT_EQ(asin(-infinity), static_cast<S>(-kPi / 2)) << "counts as -1";

  for (S y : {nan, S(1)}) {
    for (S x : {nan, S(1)}) EXPECT_EQ(std::isnan(atan2(y, x)), std::isnan(y) || std::isnan(x));
  }
  EXPECT_TRUE(std::isnan(exp(nan)) && std::isnan(log(nan)) && std::isnan(sin(nan)) && std::isnan(cos(nan)));
  EXPECT_TRUE(std::isnan(asin(nan)) && std::isnan(acos(nan)));
}

TYPED_TEST(FunctionsTest, Atan2AtTheAxesAndTheirEnds) {
  using S = TypeParam;
  const S infinity = std::numeric_limits<S>::infinity();
  const S pi = static_cast<S>(kPi), half = static_cast<S>(kPi / 2), quarter = static_cast<S>(kPi / 4);
  const S three_quarters = static_cast<S>(3 * kPi / 4);
  // A point without direction has angle zero, whatever the sign of its zero x.
  for (S x : {S(0), -S(0), S(2), infinity}) {
    EXPECT_TRUE(same_bits(atan2(S(0), x), S(0))) << x;
    EXPECT_TRUE(same_bits(atan2(-S(0), x), -S(0))) << x;
  }
  for (S x : {S(-2), -infinity}) {
    EXPECT_EQ(atan2(S(0), x), pi);
    EXPECT_EQ(atan2(-S(0), x), -pi);
  }
  for (S x : {S(0), -S(0)}) {
    EXPECT_EQ(atan2(S(3), x), half);
    EXPECT_EQ(atan2(S(-3), x), -half);
    EXPECT_EQ(atan2(infinity, x), half);
  }
  EXPECT_EQ(atan2(S(5), S(5)), quarter);
  EXPECT_EQ(atan2(S(-5), S(5)), -quarter);
  EXPECT_EQ(atan2(S(5), S(-5)), three_quarters);
  EXPECT_EQ(atan2(S(-5), S(-5)), -three_quarters);
  EXPECT_EQ(atan2(infinity, infinity), quarter);
  EXPECT_EQ(atan2(-infinity, -infinity), -three_quarters);
  EXPECT_EQ(atan2(S(1), infinity), S(0));
  EXPECT_EQ(atan2(S(1), -infinity), pi);
  EXPECT_EQ(atan2(infinity, S(-1)), half);
}

template <class P>
class FunctionsPackTest : public ::testing::Test {};
TYPED_TEST_SUITE(FunctionsPackTest, PackTypes);

TYPED_TEST(FunctionsPackTest, LanesEqualPlainNumbersToTheBit) {
  using S = ScalarOf<TypeParam>;
  using Limits = std::numeric_limits<S>;
  std::vector<S> x = {S(0),
                      -S(0),
                      S(1),
                      S(-1),
                      Limits::infinity(),
                      -Limits::infinity(),
                      Limits::quiet_NaN(),
                      Limits::max(),
                      -Limits::max(),
                      Limits::min(),
                      Limits::denorm_min(),
                      S(0.5)};
  Random random(8);
  for (int i = 0; i < 3000; ++i) x.push_back(static_cast<S>(random.sign() * random.magnitude(-5, 5)));
  for (int i = 0; i < 3000; ++i) x.push_back(static_cast<S>(random.uniform(-2, 2)));
  expect_lanes_equal_plain<TypeParam>(x, 1, []<class T>(const T* a) {
    return std::vector<T>{exp(a[0]), log(a[0]), sin(a[0]), cos(a[0]), asin(a[0]), acos(a[0])};
  });
  expect_lanes_equal_plain<TypeParam>(x, 2, []<class T>(const T* a) { return std::vector<T>{atan2(a[0], a[1])}; });
  const std::vector<S> special(x.begin(), x.begin() + 12);
  std::vector<S> pairs;
  for (S a : special) {
    for (S b : special) pairs.insert(pairs.end(), {a, b});
  }
  expect_lanes_equal_plain<TypeParam>(pairs, 2, []<class T>(const T* a) { return std::vector<T>{atan2(a[0], a[1])}; });
}

}  // namespace
}  // namespace pliant
