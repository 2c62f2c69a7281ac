// Symmetric eigenvalues against Eigen's iterative solver in long double, and packs against plain
// numbers. Bounds as in math/eigen.h; their reason is that of svd_test.cpp.
#include "math/eigen.h"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <utility>

#include "math/decomposition_samples.h"

namespace pliant {
namespace {

using Reference = Eigen::Matrix<long double, 3, 3>;

template <class S>
class EigenTest : public ::testing::Test {
 public:
  static constexpr double kEps = std::numeric_limits<S>::epsilon();

  static void check(const Sym3<double>& matrix, double scale) {
    Sym3<S> a;
    const std::vector<double> entries = numbers_of<double>(matrix);
    int next = 0;
    for_each_number(a, [&](S& n) { n = static_cast<S>(entries[next++] * scale); });
    const Eigen3<S> d = symmetric_eigen(a);
    EXPECT_GE(d.values.x, d.values.y);
    EXPECT_GE(d.values.y, d.values.z);

    const Mat3<S> full = to_matrix(a);
    Reference exact, v;
    for (int i = 0; i < 9; ++i) {
      exact(i / 3, i % 3) = full(i / 3, i % 3);
      v(i / 3, i % 3) = d.vectors(i / 3, i % 3);
    }
    EXPECT_LE((v.transpose() * v - Reference::Identity()).cwiseAbs().maxCoeff(), 8 * kEps);
    EXPECT_GT(v.determinant(), 0.5L);
    const Eigen::SelfAdjointEigenSolver<Reference> reference(exact);  // ascending
    const auto& values = reference.eigenvalues();
    const long double unit = std::max(std::abs(values[0]), std::abs(values[2])) * kEps;
    EXPECT_LE(std::abs(d.values.x - values[2]), 5 * unit);
    EXPECT_LE(std::abs(d.values.y - values[1]), 5 * unit);
    EXPECT_LE(std::abs(d.values.z - values[0]), 5 * unit);
    Eigen::Matrix<long double, 3, 1> s;
    s << d.values.x, d.values.y, d.values.z;
    EXPECT_LE((v * s.asDiagonal() * v.transpose() - exact).cwiseAbs().maxCoeff(), 8 * unit);
  }

  /// V diag V^T of the kinds of svd_test.cpp: the symmetric part of each, and each one's F^T F.
  static std::vector<Sym3<double>> samples(int per_kind) {
    std::vector<Sym3<double>> all;
    for (const SampleKind& kind : sample_matrices(per_kind, 11)) {
      for (const Mat3<double>& m : kind.matrices) {
        all.push_back(symmetric_part(m));
        all.push_back(gram(m));
      }
    }
    Random random(12);
    for (int i = 0; i < 20 * per_kind; ++i) {
      // A given spectrum, with values that are near each other at either end or on both sides of zero.
      const double spread = random.magnitude(-16, 0);
      const Vec3d values{random.sign(), random.sign() + spread * random.uniform(-1, 1),
                         random.sign() + spread * random.uniform(-1, 1)};
      const Mat3<double> r = to_matrix(random.rotation());
      all.push_back(symmetric_part(mul_transpose(r * Mat3<double>::diagonal(values), r)));
    }
    return all;
  }
};
TYPED_TEST_SUITE(EigenTest, PlainTypes);

TYPED_TEST(EigenTest, AllKindsOfMatrices) {
  for (const Sym3<double>& a : this->samples(200)) {
    this->check(a, 1);
    if (this->HasFailure()) return;
  }
}

TYPED_TEST(EigenTest, AFewRoundingsFromTheIdentity) {
  // What is left after the mean is taken off is as small as the mean's own rounding.
  const double ulp = this->kEps;
  for (int code = 0; code < 15625; ++code) {
    int rest = code;
    const auto next = [&] { return static_cast<double>(std::exchange(rest, rest / 5) % 5 - 2) * ulp; };
    this->check({1 + next(), 1 + next(), 1 + next(), next(), next(), next()}, code % 2 == 0 ? 1 : -3);
    if (this->HasFailure()) return;
  }
}

TYPED_TEST(EigenTest, TheSeparatedAxisIsRightToRoundingOfTheSpread) {
  // Of 1 + k eps the part k eps has its axis, however small it is: nothing is lost when the mean is taken off.
  using S = TypeParam;
  const S eps = std::numeric_limits<S>::epsilon();
  for (int code = 1; code < 15625; ++code) {
    int rest = code;
    const auto next = [&] { return static_cast<S>(std::exchange(rest, rest / 5) % 5 - 2); };
    const Sym3<S> k{next(), next(), next(), next(), next(), next()};
    const Vec3<S> axis = detail::separated_axis(Sym3<S>::identity() + k * eps).axis;
    ASSERT_NEAR(length(axis), 1, 4 * eps);
    const Vec3<S> image = k * axis;
    ASSERT_LE(length(image - axis * dot(axis, image)), 32 * eps * std::sqrt(dot(k, k))) << code;
  }
}

TYPED_TEST(EigenTest, AnyScale) {
  for (const Sym3<double>& a : this->samples(20)) {
    // Entries below the normal numbers lose digits before the decomposition sees them.
    bool tiny = false;
    for (const double n : numbers_of<double>(a)) tiny = tiny || (n != 0 && std::abs(n) < 1e-6);
    if (tiny) continue;
    for (const double scale : {1e-25, 1e-10, 1e10, 1e30}) this->check(a, scale);
    if (sizeof(TypeParam) == 8) this->check(a, 1e-280);
    if (sizeof(TypeParam) == 8) this->check(a, 1e300);
    if (this->HasFailure()) return;
  }
}

TYPED_TEST(EigenTest, KnownSpectra) {
  // The second difference on three points: 2, 2 +- sqrt(2).
  const Eigen3<TypeParam> d = symmetric_eigen(Sym3<TypeParam>{2, 2, 2, -1, 0, -1});
  const double eps = this->kEps;
  EXPECT_NEAR(d.values.x, 2 + std::sqrt(2.0), 8 * eps);
  EXPECT_NEAR(d.values.y, 2, 8 * eps);
  EXPECT_NEAR(d.values.z, 2 - std::sqrt(2.0), 8 * eps);
  const Eigen3<TypeParam> zero = symmetric_eigen(Sym3<TypeParam>{});
  EXPECT_EQ(zero.values.x, 0);
  EXPECT_EQ(zero.values.z, 0);
  EXPECT_NEAR(determinant(zero.vectors), 1, 8 * eps);
  const Eigen3<TypeParam> minus = symmetric_eigen(Sym3<TypeParam>{-3, -3, -3, 0, 0, 0});
  EXPECT_NEAR(minus.values.x, -3, 8 * eps);
  EXPECT_NEAR(minus.values.z, -3, 8 * eps);
}

template <class P>
class EigenPackTest : public ::testing::Test {};
TYPED_TEST_SUITE(EigenPackTest, PackTypes);

TYPED_TEST(EigenPackTest, LanesEqualPlainNumbersToTheBit) {
  using S = ScalarOf<TypeParam>;
  std::vector<S> numbers;
  for (const Sym3<double>& a : EigenTest<double>::samples(10)) {
    for (const double n : numbers_of<double>(a)) numbers.push_back(static_cast<S>(n));
  }
  expect_lanes_equal_plain<TypeParam>(numbers, 6, []<class T>(const T* x) {
    const Eigen3<T> d = symmetric_eigen(Sym3<T>{x[0], x[1], x[2], x[3], x[4], x[5]});
    std::vector<T> out = numbers_of<T>(d.values);
    for (const T& n : numbers_of<T>(d.vectors)) out.push_back(n);
    return out;
  });
}

}  // namespace
}  // namespace pliant
