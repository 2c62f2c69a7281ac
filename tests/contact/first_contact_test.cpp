#include "wrong_answers.h"

namespace pliant::test {
namespace {

TEST(FirstContact, VertexTriangle) {
  expect_right<1, double>(4000, 400);
  expect_right<1, float>(4000, 400);
}

TEST(FirstContact, EdgeEdge) {
  expect_right<2, double>(4000, 400);
  expect_right<2, float>(4000, 400);
}

TEST(FirstContact, TimeOfAFall) {
  // From a height of 3 onto a triangle in the plane z = 0, at distance 1: two thirds of the way.
  const Vec3d x[4] = {{0.2, 0.2, 3}, {0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
  const Vec3d u[4] = {{0, 0, -3}, {}, {}, {}};
  const FirstContact<double> fall = first_contact<1>(x, u, 1.0, 1e-9);
  ASSERT_TRUE(fall.hit);
  EXPECT_NEAR(fall.time, 2.0 / 3, 1e-8);
}

TEST(FirstContact, CommonFlightIsNoContact) {
  // A kilometre in one step, 1 mm apart.
  const Vec3f x[4] = {{0.2f, 0.2f, 1e-3f}, {0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
  const Vec3f fly{1000, 300, -500};
  const Vec3f u[4] = {fly, fly, fly, fly};
  EXPECT_FALSE(first_contact<1>(x, u, 5e-4f, 0.0f).hit);
}

TEST(FirstContact, NeverCloserThanAsked) {
  // Up to the told time the distance stays above the one asked for: sampled, on random pairs.
  PairMaker maker(3);
  for (int k = 0; k < 300; ++k) {
    const MovingPair pair = maker.any(20);
    const auto check = [&](auto side) {
      constexpr int kSideA = decltype(side)::value;
      const auto first = closest<kSideA>(pair.x);
      const double distance = 0.5 * std::sqrt(first.distance_squared);
      if (distance == 0) return;
      const FirstContact<double> found = first_contact<kSideA>(pair.x, pair.u, distance, 1e-6);
      for (int sample = 0; sample <= 50; ++sample) {
        Vec3d now[4];
        for (int c = 0; c < 4; ++c) now[c] = pair.x[c] + pair.u[c] * (found.time * sample / 50);
        EXPECT_GE(std::sqrt(closest<kSideA>(now).distance_squared), distance * (1 - 1e-12));
      }
    };
    check(std::integral_constant<int, 1>{});
    check(std::integral_constant<int, 2>{});
  }
}

}  // namespace
}  // namespace pliant::test
