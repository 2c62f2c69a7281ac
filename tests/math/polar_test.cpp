// Polar decomposition: its factors, that the rotation is the closest one, the warm-started
// iteration, and packs against plain numbers.
#include "math/polar.h"

#include <gtest/gtest.h>

#include "math/decomposition_samples.h"

namespace pliant {
namespace {

double largest(const Mat3<double>& m) {
  double result = 0;
  for (const double a : numbers_of<double>(m)) result = std::max(result, std::abs(a));
  return result;
}

/// The angle of the rotation between two [rad].
double angle_between(const Quatd& q, const Mat3<double>& r) {
  return length(to_rotation_vector(conjugate(q) * from_matrix(r)));
}

template <class S>
class PolarTest : public ::testing::Test {
 public:
  static constexpr double kEps = std::numeric_limits<S>::epsilon();

  static void check(const Mat3<double>& matrix, double scale) {
    const Mat3<S> f = cast<S>(matrix * scale);
    const Polar3<S> p = polar(f);
    // In units of the scale, in double: what is left is the error of S.
    const Mat3<double> exact = cast<double>(f) * (1 / scale);
    const Mat3<double> r = cast<double>(p.rotation), s = cast<double>(to_matrix(p.stretch)) * (1 / scale);
    const double unit = std::sqrt(norm_squared(exact)) * kEps;
    // One product more than in math/svd.h (8 eps), on each side.
    EXPECT_LE(largest(transpose_mul(r, r) - Mat3<double>::identity()), 16 * kEps);
    EXPECT_GT(determinant(r), 0.5);
    EXPECT_LE(largest(r * s - exact), 16 * unit);
    // R S with S symmetric may still be another root: S's eigenvalues must sum up to s0 + s1 + s2.
    const Svd3<double> d = svd(exact);
    EXPECT_NEAR(trace(s), d.s.x + d.s.y + d.s.z, 16 * unit);
    const Mat3<S> alone = closest_rotation(f);
    for (int i = 0; i < 9; ++i) EXPECT_EQ(alone(i / 3, i % 3), p.rotation(i / 3, i % 3));
  }
};
TYPED_TEST_SUITE(PolarTest, PlainTypes);

TYPED_TEST(PolarTest, AllKindsOfMatrices) {
  for (const SampleKind& kind : sample_matrices(300, 21)) {
    SCOPED_TRACE(kind.name);
    for (const Mat3<double>& m : kind.matrices) {
      this->check(m, 1);
      this->check(m, 1e-20);
      this->check(m, 1e20);
      if (this->HasFailure()) return;
    }
  }
}

TYPED_TEST(PolarTest, NoOtherRotationIsCloser) {
  Random random(22);
  for (const SampleKind& kind : sample_matrices(20, 23)) {
    for (const Mat3<double>& m : kind.matrices) {
      const Mat3<double> best = cast<double>(closest_rotation(cast<TypeParam>(m)));
      const double distance = std::sqrt(norm_squared(m - best));
      for (int i = 0; i < 20; ++i) {
        const Quatd turn =
            i < 10 ? random.rotation() : from_rotation_vector(random.direction() * random.magnitude(-3, 0));
        const Mat3<double> other = to_matrix(turn) * best;
        EXPECT_LE(distance, std::sqrt(norm_squared(m - other)) + 16 * this->kEps) << kind.name;
      }
    }
  }
}

TYPED_TEST(PolarTest, TwoByTwo) {
  using S = TypeParam;
  Random random(24);
  for (int i = 0; i < 2000; ++i) {
    const double scale = i % 3 == 0 ? random.magnitude(-28, 28) : 1;
    const auto number = [&] { return static_cast<S>(scale * random.uniform(-1, 1)); };
    Mat2<S> f{{number(), number()}, {number(), number()}};
    if (i == 1) f = {};
    if (i == 2) f = {{S(1), S(0)}, {S(0), S(-1)}};
    const Polar2<S> p = polar(f);
    const double unit =
        std::sqrt(static_cast<double>(norm_squared(f * static_cast<S>(1 / scale)))) * scale * this->kEps;
    const Mat2<S> product = p.rotation * p.stretch;
    for (int k = 0; k < 4; ++k) ASSERT_NEAR(product(k / 2, k % 2), f(k / 2, k % 2), 4 * unit);
    ASSERT_EQ(p.stretch(0, 1), p.stretch(1, 0));
    ASSERT_NEAR(determinant(p.rotation), 1, 4 * this->kEps);
    ASSERT_EQ(p.rotation(0, 0), p.rotation(1, 1));
    ASSERT_EQ(p.rotation(0, 1), -p.rotation(1, 0));
    ASSERT_GE(trace(p.stretch), -4 * unit);  // the closest rotation, not the one half a turn from it
  }
}

/// Errors after a number of iterations, as the header's table says, from starts off by `angle`.
void check_convergence(double low, double high, double angle, int iterations, double bound) {
  Random random(25);
  for (int i = 0; i < 500; ++i) {
    const Mat3<double> stretch =
        with_singular_values(random, {random.uniform(low, high), random.uniform(low, high), random.uniform(low, high)});
    const Mat3<double> f = to_matrix(random.rotation()) * stretch * std::pow(10, random.uniform(-100, 100));
    const Mat3<double> r = closest_rotation(f);
    const Quatd start = from_rotation_vector(random.direction() * angle) * from_matrix(r);
    ASSERT_LE(angle_between(extract_rotation(f, start, iterations), r), bound);
  }
}

TEST(ExtractRotationTest, ConvergesCubically) {
  check_convergence(0.5, 2, 0.05, 1, 2e-5);
  check_convergence(0.5, 2, 0.05, 2, 1e-14);
  check_convergence(0.5, 2, 0.3, 1, 4e-3);
  check_convergence(0.5, 2, 0.3, 2, 3e-9);
  check_convergence(0.5, 2, 0.3, 3, 1e-14);
  check_convergence(0.5, 2, 1, 3, 1e-9);
  check_convergence(0.5, 2, 1, 4, 1e-14);
  check_convergence(0.01, 1, 0.3, 4, 1e-12);
  check_convergence(0.01, 1, 1.5, 6, 1e-12);
}

TEST(ExtractRotationTest, FindsARotationInOneIteration) {
  // Newton's step below a quarter turn, the step along g beyond it.
  Random random(31);
  for (int i = 0; i < 500; ++i) {
    const Quatd r = random.rotation();
    const Quatd start = from_rotation_vector(random.direction() * random.uniform(0, 3.1)) * r;
    const Quatd q = extract_rotation(to_matrix(r) * random.magnitude(-3, 3), start, 1);
    EXPECT_LE(angle_between(q, to_matrix(r)), 1e-13);
  }
}

TEST(ExtractRotationTest, GetsHomeFromAnywhere) {
  Random random(26);
  for (int i = 0; i < 500; ++i) {
    const Mat3<double> f = with_singular_values(
        random, {random.uniform(0.5, 1), random.uniform(0.5, 1), random.sign() * random.uniform(0.1, 0.4)});
    const Mat3<double> r = closest_rotation(f);
    double angle = angle_between(extract_rotation(f, random.rotation(), 30), r);
    EXPECT_LE(angle, 1e-13);
  }
}

TEST(ExtractRotationTest, NoIterationMakesItWorse) {
  Random random(27);
  for (const SampleKind& kind : sample_matrices(20, 28)) {
    for (const Mat3<double>& f : kind.matrices) {
      Quatd q = random.rotation();
      double before = dot(to_matrix(q), f);
      const double rounding = 1e-15 * (1 + 3 * largest(f));  // of the trace, a sum of nine products
      for (int i = 0; i < 6; ++i) {
        q = extract_rotation(f, q, 1);
        const double after = dot(to_matrix(q), f);
        EXPECT_GE(after, before - rounding) << kind.name;
        EXPECT_NEAR(dot(q, q), 1, 1e-15 * 4);
        before = after;
      }
    }
  }
}

TEST(ExtractRotationTest, StaysWhereThereIsNothingToGain) {
  const Quatd q = from_rotation_vector(Vec3d{0.3, -0.2, 0.5});
  for (const Mat3<double>& f : {Mat3<double>{}, to_matrix(q), -to_matrix(q)}) {  // -R: a minimum
    const Quatd after = extract_rotation(f, q, 5);
    EXPECT_LE(length(to_rotation_vector(conjugate(q) * after)), 1e-14);
  }
}

TEST(ExtractRotationTest, FloatIsRightToRounding) {
  Random random(29);
  const float eps = std::numeric_limits<float>::epsilon();
  for (int i = 0; i < 500; ++i) {
    const Vec3d values{random.uniform(0.5, 2), random.uniform(0.5, 2), random.uniform(0.5, 2)};
    const Mat3<float> f = cast<float>(with_singular_values(random, values) * std::pow(10, random.uniform(-30, 30)));
    const Quatd guess = from_rotation_vector(random.direction() * 0.3) * from_matrix(closest_rotation(cast<double>(f)));
    const Quatf start{float(guess.x), float(guess.y), float(guess.z), float(guess.w)};
    const Quatf q = extract_rotation(f, start, 3);
    // B = R^T F carries roundings of the largest singular value, which turn R by up to their ratio
    // to the sum of the smaller two (here up to 2): a few eps times that.
    EXPECT_LE(angle_between({q.x, q.y, q.z, q.w}, closest_rotation(cast<double>(f))), 8 * eps);
  }
}

template <class P>
class PolarPackTest : public ::testing::Test {};
TYPED_TEST_SUITE(PolarPackTest, PackTypes);

TYPED_TEST(PolarPackTest, LanesEqualPlainNumbersToTheBit) {
  using S = ScalarOf<TypeParam>;
  expect_lanes_equal_plain<TypeParam>(sample_numbers<S>(20, 30), 9, []<class T>(const T* x) {
    const Mat3<T> f{{x[0], x[1], x[2]}, {x[3], x[4], x[5]}, {x[6], x[7], x[8]}};
    const Polar3<T> p = polar(f);
    const Polar2<T> p2 = polar(Mat2<T>{{x[0], x[1]}, {x[3], x[4]}});
    std::vector<T> out = numbers_of<T>(p.rotation);
    for (const T& n : numbers_of<T>(p.stretch)) out.push_back(n);
    for (const T& n : numbers_of<T>(p2.stretch)) out.push_back(n);
    for (const T& n : numbers_of<T>(extract_rotation(f, normalize(Quat<T>{x[0], x[4], x[8], T(1)}), 3)))
      out.push_back(n);
    return out;
  });
}

}  // namespace
}  // namespace pliant
