// Singular value decomposition against Eigen's in long double, over all kinds of matrices and
// scales, and packs against plain numbers.
//
// The bounds are those of math/svd.h. Their reason: the largest neglected entry and each of the about
// ten products and normalisations along the way cost up to one rounding of the largest singular
// value; the sum of their squares gives about 3 eps, a search over 1e6 matrices found at most
// 6 eps, 3 eps and 6 eps for the three.
#include "math/svd.h"

#include <gtest/gtest.h>

#include <Eigen/Dense>

#include "math/decomposition_samples.h"

namespace pliant {
namespace {

using Reference = Eigen::Matrix<long double, 3, 3>;

template <class S>
class SvdTest : public ::testing::Test {
 public:
  static constexpr double kEps = std::numeric_limits<S>::epsilon();
  static constexpr double kResidual = 8, kValues = 5, kOrthogonal = 8;

  static Reference to_reference(const Mat3<S>& m) {
    Reference r;
    for (int i = 0; i < 9; ++i) r(i / 3, i % 3) = m(i / 3, i % 3);
    return r;
  }

  static void expect_rotation(const Mat3<S>& m) {
    const Reference r = to_reference(m);
    EXPECT_LE((r.transpose() * r - Reference::Identity()).cwiseAbs().maxCoeff(), kOrthogonal * kEps);
    EXPECT_GT(r.determinant(), 0.5L);
  }

  static void check(const Mat3<double>& matrix, double scale) {
    const Mat3<S> f = cast<S>(matrix * scale);
    const Svd3<S> d = svd(f);
    expect_rotation(d.u);
    expect_rotation(d.v);
    EXPECT_GE(d.s.x, d.s.y);
    EXPECT_GE(d.s.y, std::abs(d.s.z));

    const Reference exact = to_reference(f);
    const Eigen::JacobiSVD<Reference> reference(exact, Eigen::ComputeFullU | Eigen::ComputeFullV);
    const auto& values = reference.singularValues();
    const long double unit = values[0] * kEps;
    EXPECT_LE(std::abs(d.s.x - values[0]), kValues * unit);
    EXPECT_LE(std::abs(d.s.y - values[1]), kValues * unit);
    EXPECT_LE(std::abs(std::abs(static_cast<long double>(d.s.z)) - values[2]), kValues * unit);
    if (values[2] > 2 * kValues * unit) {
      EXPECT_EQ(d.s.z > 0, reference.matrixU().determinant() * reference.matrixV().determinant() > 0);
    }
    Eigen::Matrix<long double, 3, 1> s;
    s << d.s.x, d.s.y, d.s.z;
    const Reference residual = to_reference(d.u) * s.asDiagonal() * to_reference(d.v).transpose() - exact;
    EXPECT_LE(residual.cwiseAbs().maxCoeff(), kResidual * unit);
  }
};
TYPED_TEST_SUITE(SvdTest, PlainTypes);

TYPED_TEST(SvdTest, AllKindsOfMatrices) {
  for (const SampleKind& kind : sample_matrices(500, 1)) {
    SCOPED_TRACE(kind.name);
    for (const Mat3<double>& m : kind.matrices) {
      this->check(m, 1);
      if (this->HasFailure()) return;
    }
  }
}

TYPED_TEST(SvdTest, AnyScale) {
  using Limits = std::numeric_limits<TypeParam>;
  // The singular values stay below the largest number, and the entries' digits above the smallest.
  const double top = Limits::max() / 4.0, bottom = Limits::min() / Limits::epsilon() * 64.0;
  const std::vector<double> scales = sizeof(TypeParam) == 4 ? std::vector<double>{1e-30, 1e-20, 3e-5, 7e12, 1e30}
                                                            : std::vector<double>{1e-285, 1e-160, 3e-5, 1e160, 1e300};
  for (const SampleKind& kind : sample_matrices(40, 2)) {
    SCOPED_TRACE(kind.name);
    if (kind.name == "graded" || kind.name == "noise on rank 1") continue;  // their small entries would underflow
    for (const Mat3<double>& m : kind.matrices) {
      for (const double scale : scales) this->check(m, scale);
      this->check(m, top / 9);
      this->check(m, bottom);
      if (this->HasFailure()) return;
    }
  }
}

TYPED_TEST(SvdTest, PowersOfTwoChangeNothingElse) {
  for (const SampleKind& kind : sample_matrices(10, 3)) {
    for (const Mat3<double>& m : kind.matrices) {
      const Mat3<TypeParam> f = cast<TypeParam>(m);
      const auto a = svd(f), b = svd(f * TypeParam(0x1p40));
      const auto u = numbers_of<TypeParam>(a.u), scaled_u = numbers_of<TypeParam>(b.u);
      if (kind.name == "graded" || kind.name == "noise on rank 1") continue;
      for (int i = 0; i < 9; ++i) EXPECT_TRUE(same_bits(u[i], scaled_u[i])) << kind.name;
      EXPECT_EQ(a.s.y * TypeParam(0x1p40), b.s.y) << kind.name;
    }
  }
}

TYPED_TEST(SvdTest, ZeroIsZeroTimesTheIdentity) {
  const auto d = svd(Mat3<TypeParam>{});
  EXPECT_EQ(d.s.x, 0);
  EXPECT_EQ(d.s.y, 0);
  EXPECT_EQ(d.s.z, 0);
  this->expect_rotation(d.u);
  this->expect_rotation(d.v);
}

TYPED_TEST(SvdTest, NotFiniteShowsInTheValues) {
  for (const TypeParam bad :
       {std::numeric_limits<TypeParam>::infinity(), std::numeric_limits<TypeParam>::quiet_NaN()}) {
    Mat3<TypeParam> f = Mat3<TypeParam>::identity();
    f(1, 2) = bad;
    const auto d = svd(f);
    EXPECT_FALSE(std::isfinite(d.s.x + d.s.y + d.s.z));
  }
}

TYPED_TEST(SvdTest, TwoByTwo) {
  using S = TypeParam;
  Random random(4);
  const double eps = this->kEps;
  for (int i = 0; i < 4000; ++i) {
    Eigen::Matrix2d m;
    m << random.uniform(-1, 1), random.uniform(-1, 1), random.uniform(-1, 1), random.uniform(-1, 1);
    if (i % 7 == 0) m = Eigen::Rotation2Dd(random.uniform(-4, 4)).toRotationMatrix() * random.uniform(0.1, 2);
    if (i % 7 == 1) m.row(1) = -m.row(0) * random.magnitude(-4, 0);
    if (i % 7 == 2) m(1, 0) = m(0, 1), m(1, 1) = -m(0, 0);  // a reflection, without a closest rotation
    if (i % 7 == 3) m *= random.magnitude(-28, 28);
    if (i % 7 == 4) m(random.bits() % 2, random.bits() % 2) = 0;
    if (i == 5) m.setZero();
    const Mat2<S> f{{static_cast<S>(m(0, 0)), static_cast<S>(m(1, 0))},
                    {static_cast<S>(m(0, 1)), static_cast<S>(m(1, 1))}};
    Eigen::Matrix<long double, 2, 2> exact, u, v;
    const Svd2<S> d = svd(f);
    for (int k = 0; k < 4; ++k) {
      exact(k / 2, k % 2) = f(k / 2, k % 2);
      u(k / 2, k % 2) = d.u(k / 2, k % 2);
      v(k / 2, k % 2) = d.v(k / 2, k % 2);
    }
    const Eigen::JacobiSVD<Eigen::Matrix<long double, 2, 2>> reference(exact);
    const long double unit = reference.singularValues()[0] * eps;
    // Fewer steps than in three dimensions, hence half of its bounds.
    ASSERT_LE((u * u.transpose() - Eigen::Matrix<long double, 2, 2>::Identity()).cwiseAbs().maxCoeff(), 4 * eps);
    ASSERT_LE((v * v.transpose() - Eigen::Matrix<long double, 2, 2>::Identity()).cwiseAbs().maxCoeff(), 4 * eps);
    ASSERT_GT(u.determinant(), 0.5L);
    ASSERT_GT(v.determinant(), 0.5L);
    ASSERT_GE(d.s.x, std::abs(d.s.y));
    ASSERT_LE(std::abs(d.s.x - reference.singularValues()[0]), 3 * unit);
    ASSERT_LE(std::abs(std::abs(static_cast<long double>(d.s.y)) - reference.singularValues()[1]), 3 * unit);
    if (reference.singularValues()[1] > 8 * unit) {
      ASSERT_EQ(d.s.y > 0, exact.determinant() > 0);
    }
    Eigen::Matrix<long double, 2, 1> s;
    s << d.s.x, d.s.y;
    ASSERT_LE((u * s.asDiagonal() * v.transpose() - exact).cwiseAbs().maxCoeff(), 4 * unit) << exact;
  }
}

template <class P>
class SvdPackTest : public ::testing::Test {};
TYPED_TEST_SUITE(SvdPackTest, PackTypes);

TYPED_TEST(SvdPackTest, LanesEqualPlainNumbersToTheBit) {
  using S = ScalarOf<TypeParam>;
  std::vector<S> numbers = sample_numbers<S>(30, 5);
  const size_t count = numbers.size();
  for (size_t i = 0; i < count; i += 10) numbers.push_back(numbers[i] * S(1e-25));
  for (size_t i = 0; i < 9; ++i) numbers.push_back(i == 4 ? std::numeric_limits<S>::quiet_NaN() : S(1));
  expect_lanes_equal_plain<TypeParam>(numbers, 9, []<class T>(const T* x) {
    const Svd3<T> d = svd(Mat3<T>{{x[0], x[1], x[2]}, {x[3], x[4], x[5]}, {x[6], x[7], x[8]}});
    const Svd2<T> e = svd(Mat2<T>{{x[0], x[1]}, {x[2], x[3]}});
    std::vector<T> out = numbers_of<T>(d.u);
    for (const T& n : numbers_of<T>(d.s)) out.push_back(n);
    for (const T& n : numbers_of<T>(d.v)) out.push_back(n);
    for (const T& n : numbers_of<T>(e.u)) out.push_back(n);
    for (const T& n : numbers_of<T>(e.s)) out.push_back(n);
    for (const T& n : numbers_of<T>(e.v)) out.push_back(n);
    return out;
  });
}

}  // namespace
}  // namespace pliant
