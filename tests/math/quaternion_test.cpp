// Quaternions as rotations: against matrices, round trips, interpolation, and packs against plain
// numbers.
#include "math/quaternion.h"

#include <gtest/gtest.h>

#include <vector>

#include "math/support.h"

namespace pliant {
namespace {

constexpr double kPi = 3.14159265358979323846;

/// The angle of the rotation between two.
double angle_between(const Quatd& a, const Quatd& b) { return length(to_rotation_vector(conjugate(a) * b)); }

void expect_near(const Vec3d& got, const Vec3d& want, double tolerance) {
  EXPECT_LE(length(got - want), tolerance)
      << got.x << " " << got.y << " " << got.z << ", want " << want.x << " " << want.y << " " << want.z;
}

TEST(QuaternionTest, QuarterTurns) {
  // Right-handed: about z, x goes to y.
  const Quatd q = from_rotation_vector(Vec3d{0, 0, kPi / 2});
  expect_near(rotate(q, Vec3d{1, 0, 0}), {0, 1, 0}, 1e-15);
  expect_near(rotate(q, Vec3d{0, 1, 0}), {-1, 0, 0}, 1e-15);
  expect_near(rotate(from_rotation_vector(Vec3d{kPi / 2, 0, 0}), Vec3d{0, 1, 0}), {0, 0, 1}, 1e-15);
  expect_near(rotate(from_rotation_vector(Vec3d{0, kPi / 2, 0}), Vec3d{0, 0, 1}), {1, 0, 0}, 1e-15);
}

TEST(QuaternionTest, RotateMatrixAndProductAgree) {
  Random random(1);
  for (int repeat = 0; repeat < 100; ++repeat) {
    const Quatd a = random.rotation(), b = random.rotation();
    const Vec3d v = random.direction() * 3.0;
    expect_near(rotate(a, v), to_matrix(a) * v, 1e-14);
    expect_near(rotate(a * b, v), rotate(a, rotate(b, v)), 1e-14);
    expect_near(rotate(conjugate(a), rotate(a, v)), v, 1e-14);
    EXPECT_NEAR(determinant(to_matrix(a)), 1, 1e-14);
    EXPECT_NEAR(dot(a, a), 1, 1e-14);
  }
}

TEST(QuaternionTest, RotationVectorsComeBack) {
  Random random(2);
  for (int repeat = 0; repeat < 200; ++repeat) {
    // Angles from tiny ones, whose square underflows, up to nearly half a turn.
    const double angle = repeat % 2 == 0 ? random.uniform(0, 3.14) : random.magnitude(-200, 0);
    const Vec3d rotation = random.direction() * angle;
    const Quatd q = from_rotation_vector(rotation);
    expect_near(to_rotation_vector(q), rotation, 1e-15 * angle + 1e-15 * angle * angle * 10);
    expect_near(to_rotation_vector(-q), rotation, 1e-15 * angle + 1e-15 * angle * angle * 10);
  }
  EXPECT_EQ(length(to_rotation_vector(Quatd::identity())), 0);
  EXPECT_EQ(from_rotation_vector(Vec3d{}).w, 1);
  // More than half a turn comes back as the shorter way.
  expect_near(to_rotation_vector(from_rotation_vector(Vec3d{0, 2 * kPi - 1, 0})), {0, -1, 0}, 1e-14);
}

TEST(QuaternionTest, MatricesComeBack) {
  Random random(3);
  for (int repeat = 0; repeat < 300; ++repeat) {
    Quatd q = random.rotation();
    // Half turns and nearly half turns, about all axes: each of the four ways gets its turn.
    if (repeat % 3 == 0) q = from_rotation_vector(random.direction() * (kPi - random.magnitude(-12, -1)));
    const Quatd back = from_matrix(to_matrix(q));
    EXPECT_LE(angle_between(q, back), 1e-14);
    EXPECT_NEAR(dot(back, back), 1, 1e-15 * 4);
    EXPECT_GE(back.w, 0);
  }
  for (const Vec3d axis : {Vec3d{1, 0, 0}, Vec3d{0, 1, 0}, Vec3d{0, 0, 1}}) {
    const Quatd half{axis.x, axis.y, axis.z, 0};
    EXPECT_EQ(std::abs(dot(from_matrix(to_matrix(half)), half)), 1);
  }
}

TEST(QuaternionTest, NormalizeNeedsALength) {
  const Quatd q = normalize(Quatd{2, -2, 2, -2});
  EXPECT_EQ(q.x, 0.5);
  EXPECT_EQ(q.w, -0.5);
  for (const double bad : {0.0, std::numeric_limits<double>::infinity(), std::numeric_limits<double>::quiet_NaN()}) {
    const Quatd identity = normalize(Quatd{bad, 0, 0, 0});
    EXPECT_EQ(identity.x, 0);
    EXPECT_EQ(identity.w, 1);
  }
}

TEST(QuaternionTest, SlerpTurnsEvenlyAlongTheShorterWay) {
  Random random(4);
  for (int repeat = 0; repeat < 50; ++repeat) {
    const Quatd a = random.rotation(), b = random.rotation();
    const double whole = angle_between(a, b);
    EXPECT_LE(angle_between(slerp(a, b, 0), a), 1e-14);
    EXPECT_LE(angle_between(slerp(a, b, 1), b), 1e-14);
    for (const double s : {0.1, 0.5, 0.8}) {
      const Quatd between = slerp(a, b, s);
      EXPECT_NEAR(angle_between(a, between), s * whole, 1e-14);
      EXPECT_NEAR(angle_between(between, b), (1 - s) * whole, 1e-14);
      EXPECT_LE(angle_between(slerp(a, -b, s), between), 1e-14) << "q and -q are the same rotation";
    }
  }
}

template <class P>
class QuaternionPackTest : public ::testing::Test {};
TYPED_TEST_SUITE(QuaternionPackTest, PackTypes);

TYPED_TEST(QuaternionPackTest, LanesEqualPlainNumbersToTheBit) {
  using S = ScalarOf<TypeParam>;
  Random random(5);
  std::vector<S> numbers;
  for (int i = 0; i < 6 * 60; ++i) numbers.push_back(static_cast<S>(random.uniform(-2, 2)));
  numbers.insert(numbers.end(), {S(0), S(0), S(0), S(1), S(0), S(0)});
  expect_lanes_equal_plain<TypeParam>(numbers, 6, []<class T>(const T* x) {
    const Quat<T> a = from_rotation_vector(Vec3<T>{x[0], x[1], x[2]});
    const Quat<T> b = from_rotation_vector(Vec3<T>{x[3], x[4], x[5]});
    std::vector<T> out = numbers_of<T>(a * b);
    for (const T& n : numbers_of<T>(rotate(a, Vec3<T>{x[3], x[4], x[5]}))) out.push_back(n);
    for (const T& n : numbers_of<T>(to_rotation_vector(b))) out.push_back(n);
    for (const T& n : numbers_of<T>(from_matrix(to_matrix(a)))) out.push_back(n);
    for (const T& n : numbers_of<T>(normalize(a + b))) out.push_back(n);
    return out;
  });
}

}  // namespace
}  // namespace pliant
