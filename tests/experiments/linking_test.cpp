#include "experiments/linking.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace pliant::experiments {
namespace {

constexpr double kPi = 3.14159265358979323846;

/// From far away along x to far away; between 0 and 1 it turns about the axis.
std::vector<Vec3d> strand(double turns, double phase, double radius = 0.02) {
  std::vector<Vec3d> x;
  const auto at = [&](double part) {
    const double angle = 2 * kPi * turns * part + phase;
    return Vec3d{part, radius * std::cos(angle), radius * std::sin(angle)};
  };
  x.push_back(at(0) - Vec3d{1e4, 0, 0});
  for (int k = 0; k <= 100; ++k) x.push_back(at(k / 100.0));
  x.push_back(at(1) + Vec3d{1e4, 0, 0});
  return x;
}

TEST(Linking, CountsTurns) {
  for (const double turns : {-2.0, 0.0, 0.3, 1.0, 5.0}) {
    EXPECT_NEAR(linking(strand(turns, 0), strand(turns, kPi)), turns, 1e-5) << turns;
    EXPECT_NEAR(linking(strand(turns, 0), strand(turns, 1, 0.01)), turns, 1e-5) << turns;
  }
}

// A closed ring around a strand: once, in either direction.
TEST(Linking, CountsRings) {
  std::vector<Vec3d> ring;
  for (int k = 0; k <= 12; ++k) ring.push_back({0.5, std::cos(kPi * k / 6), std::sin(kPi * k / 6)});
  EXPECT_NEAR(linking(ring, strand(0, 0)), 1, 1e-6);
  const std::vector<Vec3d> back(ring.rbegin(), ring.rend());
  EXPECT_NEAR(linking(back, strand(0, 0)), -1, 1e-6);
  for (Vec3d& x : ring) x.y += 3;
  EXPECT_NEAR(linking(ring, strand(0, 0)), 0, 1e-6);
}

}  // namespace
}  // namespace pliant::experiments
