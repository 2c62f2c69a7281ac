// Small matrices against sums written out over indices, their identities, and packs against plain
// numbers.
#include "math/matrix.h"

#include <gtest/gtest.h>

#include <vector>

#include "math/support.h"

namespace pliant {
namespace {

using M = Mat3<double>;
constexpr double kTolerance = 1e-14;  // a few roundings of entries up to 10

M random_matrix(Random& random) {
  M m;
  for_each_number(m, [&](double& a) { a = random.uniform(-2, 2); });
  return m;
}
Sym3<double> random_symmetric(Random& random) {
  Sym3<double> m;
  for_each_number(m, [&](double& a) { a = random.uniform(-2, 2); });
  return m;
}
Vec3d random_vector(Random& random) { return {random.uniform(-2, 2), random.uniform(-2, 2), random.uniform(-2, 2)}; }

template <class A>
void expect_near(A got, A want, double tolerance = kTolerance) {
  const auto a = numbers_of<double>(got), b = numbers_of<double>(want);
  for (size_t i = 0; i < a.size(); ++i) EXPECT_NEAR(a[i], b[i], tolerance) << "number " << i;
}

TEST(MatrixTest, AccessByRowAndColumn) {
  M m = M::from_rows({1, 2, 3}, {4, 5, 6}, {7, 8, 9});
  for (int r = 0; r < 3; ++r) {
    for (int c = 0; c < 3; ++c) {
      EXPECT_EQ(m(r, c), 3 * r + c + 1);
      EXPECT_EQ(m.row(r)[c], m(r, c));
      EXPECT_EQ(m.column(c)[r], m(r, c));
      EXPECT_EQ(transpose(m)(c, r), m(r, c));
    }
  }
  m(1, 2) = -1;
  EXPECT_EQ(m.c2.y, -1);
  const Mat2<double> m2 = Mat2<double>::from_rows({1, 2}, {3, 4});
  EXPECT_EQ(m2(0, 1), 2);
  EXPECT_EQ(m2(1, 0), 3);
  EXPECT_EQ(transpose(m2)(0, 1), 3);
  Mat32<double> m32{{1, 2, 3}, {4, 5, 6}};
  EXPECT_EQ(m32(2, 0), 3);
  EXPECT_EQ(m32(0, 1), 4);
}

TEST(MatrixTest, ProductsAreSumsOverTheMiddleIndex) {
  Random random(1);
  for (int repeat = 0; repeat < 20; ++repeat) {
    const M a = random_matrix(random), b = random_matrix(random);
    const Vec3d v = random_vector(random);
    M ab, atb, abt;
    Vec3d av, atv;
    double frobenius = 0;
    for (int i = 0; i < 3; ++i) {
      for (int j = 0; j < 3; ++j) {
        for (int k = 0; k < 3; ++k) {
          ab(i, j) += a(i, k) * b(k, j);
          atb(i, j) += a(k, i) * b(k, j);
          abt(i, j) += a(i, k) * b(j, k);
        }
        av[i] += a(i, j) * v[j];
        atv[i] += a(j, i) * v[j];
        frobenius += a(i, j) * b(i, j);
        EXPECT_EQ(outer(v, a.c0)(i, j), v[i] * a.c0[j]);
      }
    }
    expect_near(a * b, ab);
    expect_near(transpose_mul(a, b), atb);
    expect_near(mul_transpose(a, b), abt);
    expect_near(a * v, av);
    expect_near(transpose_mul(a, v), atv);
    EXPECT_NEAR(dot(a, b), frobenius, kTolerance);
    EXPECT_NEAR(norm_squared(a), dot(a, a), kTolerance);
    EXPECT_NEAR(trace(a), a(0, 0) + a(1, 1) + a(2, 2), kTolerance);
    expect_near(a * 2.0 - b, mul_add(a, 2.0, -b));
    expect_near(cross_matrix(v) * a.c0, cross(v, a.c0));
    expect_near((a + b) * M::identity(), a + b);
    expect_near(M::diagonal(v) * a, M{{v.x * a(0, 0), v.y * a(1, 0), v.z * a(2, 0)},
                                      {v.x * a(0, 1), v.y * a(1, 1), v.z * a(2, 1)},
                                      {v.x * a(0, 2), v.y * a(1, 2), v.z * a(2, 2)}});
  }
}

TEST(MatrixTest, DeterminantCofactorInverse) {
  EXPECT_EQ(determinant(M::from_rows({2, 0, 1}, {0, 3, 0}, {4, 0, 5})), 18);
  EXPECT_EQ(determinant(Mat2<double>::from_rows({2, 1}, {4, 5})), 6);
  Random random(2);
  for (int repeat = 0; repeat < 20; ++repeat) {
    const M a = random_matrix(random);
    const double det = determinant(a);
    expect_near(mul_transpose(cofactor(a), a), M::identity() * det);
    if (std::abs(det) > 0.1) expect_near(a * inverse(a), M::identity(), 1e-12);
    if (std::abs(det) > 0.1) expect_near(inverse_or_zero(a), inverse(a));
    // The cofactors are the derivative of the determinant, entry by entry (which is linear in each).
    for (int i = 0; i < 9; ++i) {
      M moved = a;
      moved(i / 3, i % 3) += 1;
      EXPECT_NEAR(determinant(moved) - det, cofactor(a)(i / 3, i % 3), kTolerance);
    }
    const Mat2<double> b{{a(0, 0), a(1, 0)}, {a(0, 1), a(1, 1)}};
    expect_near(cofactor(b) * transpose(b), Mat2<double>::identity() * determinant(b));
    if (std::abs(determinant(b)) > 0.1) expect_near(inverse(b) * b, Mat2<double>::identity(), 1e-12);
  }
}

TEST(MatrixTest, SingularMatricesAreToldByTheirInverse) {
  const M flat = M::from_rows({1, 2, 3}, {2, 4, 6}, {0, 1, 0});
  ASSERT_EQ(determinant(flat), 0);
  bool finite = true;
  for (double a : numbers_of<double>(inverse(flat))) finite = finite && std::isfinite(a);
  EXPECT_FALSE(finite);
  for (double a : numbers_of<double>(inverse_or_zero(flat))) EXPECT_EQ(a, 0);
  EXPECT_FALSE(std::isfinite(inverse(Mat2<double>::from_rows({1, 2}, {2, 4}))(0, 0)));
}

TEST(MatrixTest, SymmetricMatricesAreMatrices) {
  Random random(3);
  for (int repeat = 0; repeat < 20; ++repeat) {
    const Sym3<double> a = random_symmetric(random), b = random_symmetric(random);
    const M full = to_matrix(a);
    const Vec3d v = random_vector(random);
    expect_near(transpose(full), full);
    expect_near(a * v, full * v);
    expect_near(symmetric_part(full), a);
    EXPECT_NEAR(dot(a, b), dot(full, to_matrix(b)), kTolerance);
    EXPECT_NEAR(determinant(a), determinant(full), kTolerance);
    EXPECT_NEAR(trace(a), trace(full), kTolerance);
    expect_near(to_matrix(cofactor(a)), cofactor(full));
    expect_near(to_matrix(a * 3.0 - b), full * 3.0 - to_matrix(b));
    if (std::abs(determinant(a)) > 0.1) expect_near(to_matrix(inverse(a)) * full, M::identity(), 1e-12);
    const M any = random_matrix(random);
    expect_near(to_matrix(gram(any)), transpose_mul(any, any));
    expect_near(to_matrix(symmetric_part(any)), (any + transpose(any)) * 0.5);
  }
}

TEST(MatrixTest, ThreeByTwo) {
  Random random(4);
  for (int repeat = 0; repeat < 20; ++repeat) {
    const Mat32<double> a{random_vector(random), random_vector(random)};
    const M r = random_matrix(random);
    const Mat2<double> b{{random.uniform(-2, 2), 1}, {random.uniform(-2, 2), -1}};
    const Mat32<double> ab = a * b, abt = mul_transpose(a, b), ra = r * a;
    Mat2<double> ata;
    for (int i = 0; i < 3; ++i) {
      for (int j = 0; j < 2; ++j) {
        EXPECT_NEAR(ab(i, j), a(i, 0) * b(0, j) + a(i, 1) * b(1, j), kTolerance);
        EXPECT_NEAR(abt(i, j), a(i, 0) * b(j, 0) + a(i, 1) * b(j, 1), kTolerance);
        EXPECT_NEAR(ra(i, j), r(i, 0) * a(0, j) + r(i, 1) * a(1, j) + r(i, 2) * a(2, j), kTolerance);
        for (int k = 0; k < 2; ++k) ata(j, k) += a(i, j) * a(i, k);
      }
    }
    expect_near(gram(a), ata);
    expect_near(transpose_mul(a, a), ata);
    expect_near(transpose_mul(a, r.c0), Vec2d{dot(a.c0, r.c0), dot(a.c1, r.c0)});
    EXPECT_NEAR(norm_squared(a), trace(ata), kTolerance);
    EXPECT_NEAR(dot(a, ra), dot(a.c0, ra.c0) + dot(a.c1, ra.c1), kTolerance);
    expect_near(outer(r.c1, Vec2d{2, 3}), Mat32<double>{r.c1 * 2.0, r.c1 * 3.0});
    expect_near(a * Vec2d{2, 3}, a.c0 * 2.0 + a.c1 * 3.0);
  }
}

template <class P>
class MatrixPackTest : public ::testing::Test {};
TYPED_TEST_SUITE(MatrixPackTest, PackTypes);

TYPED_TEST(MatrixPackTest, LanesEqualPlainNumbersToTheBit) {
  using S = ScalarOf<TypeParam>;
  Random random(5);
  std::vector<S> numbers;
  for (int i = 0; i < 18 * 50; ++i) numbers.push_back(static_cast<S>(random.uniform(-2, 2)));
  expect_lanes_equal_plain<TypeParam>(numbers, 18, []<class T>(const T* x) {
    const Mat3<T> a{{x[0], x[1], x[2]}, {x[3], x[4], x[5]}, {x[6], x[7], x[8]}};
    const Mat3<T> b{{x[9], x[10], x[11]}, {x[12], x[13], x[14]}, {x[15], x[16], x[17]}};
    const Mat32<T> c{a.c0, b.c1};
    const Mat3<T> product = transpose_mul(inverse(a), b * inverse_or_zero(b)) + select(x[0] < x[1], a, b);
    std::vector<T> out = numbers_of<T>(product);
    for (const T& n : numbers_of<T>(inverse(gram(a)))) out.push_back(n);
    for (const T& n : numbers_of<T>(c * inverse(gram(c)))) out.push_back(n);
    out.push_back(determinant(a));
    out.push_back(dot(a, b));
    return out;
  });
}

}  // namespace
}  // namespace pliant
