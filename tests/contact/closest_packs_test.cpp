// Closest points of many pairs at once are those of one pair at a time.

#include "contact/closest_packs.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "contact/closest.h"

namespace pliant {
namespace {

/// Random pairs, of which some are flat, parallel or have corners in common.
template <int kSideA, class Real>
void compare_with_single_pairs() {
  constexpr int W = 8;
  using T = Pack<Real, W>;
  std::mt19937 random(5);
  std::uniform_real_distribution<Real> unit(-1, 1);
  // Where two answers are nearly as near, either is right: distances are compared, and weights by what they give.
  const Real tolerance = sizeof(Real) == 4 ? Real(2e-5) : Real(1e-10);
  for (int trial = 0; trial < 4000; ++trial) {
    Vec3<Real> x[W][4];
    Real coordinate[3][3][W];
    for (int l = 0; l < W; ++l) {
      for (int k = 1; k < 4; ++k) x[l][k] = {unit(random), unit(random), unit(random)};
      x[l][0] = {};
      if (trial % 7 == 1) x[l][3] = x[l][2];
      if (trial % 7 == 2) x[l][3] = x[l][2] + (kSideA == 1 ? x[l][2] - x[l][1] : x[l][1]);
      if (trial % 7 == 3) x[l][1] = {};
      if (trial % 7 == 4) x[l][3].y = x[l][2].y = x[l][1].y = 0;
      for (int k = 0; k < 3; ++k) {
        for (int axis = 0; axis < 3; ++axis) coordinate[k][axis][l] = x[l][k + 1][axis];
      }
    }
    Vec3<T> wide[3];
    for (int k = 0; k < 3; ++k) {
      wide[k] = {T::load(coordinate[k][0]), T::load(coordinate[k][1]), T::load(coordinate[k][2])};
    }
    const ClosestPacks<T> all = closest_packs<kSideA>(wide[0], wide[1], wide[2]);
    for (int l = 0; l < W; ++l) {
      const Real expected = std::sqrt(closest<kSideA>(x[l]).distance_squared);
      ASSERT_NEAR(std::sqrt(lane(all.distance_squared, l)), expected, tolerance) << "trial " << trial;
      Vec3<Real> between{};
      Real sums[2] = {0, 0};
      for (int k = 0; k < 4; ++k) {
        const Real weight = lane(all.weight[k], l);
        ASSERT_GE(weight, -tolerance);
        ASSERT_LE(weight, 1 + tolerance);
        sums[k < kSideA ? 0 : 1] += weight;
        between += x[l][k] * (k < kSideA ? weight : -weight);
      }
      ASSERT_NEAR(sums[0], 1, 1e-5);
      ASSERT_NEAR(sums[1], 1, 1e-5);
      ASSERT_NEAR(length(between), expected, 100 * tolerance) << "trial " << trial;
    }
  }
}

TEST(ClosestPacks, VertexTriangle) {
  compare_with_single_pairs<1, float>();
  compare_with_single_pairs<1, double>();
}

TEST(ClosestPacks, EdgeEdge) {
  compare_with_single_pairs<2, float>();
  compare_with_single_pairs<2, double>();
}

}  // namespace
}  // namespace pliant
