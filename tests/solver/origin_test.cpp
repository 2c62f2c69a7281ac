// Coordinates far away: positions are kept relative to an origin that follows the scene.

#include <gtest/gtest.h>

#include <cmath>

#include "build_kind.h"
#include "springs.h"

namespace pliant::test {
namespace {

TEST(Origin, PositionsComeBackAsTheyWereGiven) {
  World world({.threads = 1});
  const BodyId id = world.add(Rope{.mesh = rope({0, 0, 0}, {1, 1, 1}, 2), .constraints = {}});
  // Float: base and offset have 24 digits each, so that about 48 are kept: 1e-14 of the distance from the
  // origin of the State.
  const std::vector<Vec3d> x = {{0.1, 0.2, 0.3}, {450.123456789, -1234.56789, 1e-7}, {1e5 + 0.1, M_PI, -M_E}};
  world.set_positions(id, x);
  const std::vector<Vec3d> y = world.positions(id);
  for (std::size_t i = 0; i < x.size(); ++i) {
    for (int k = 0; k < 3; ++k) EXPECT_NEAR(y[i][k], x[i][k], 1e-14 * (1 + std::abs(x[i][k]))) << i << ", axis " << k;
  }
}

TEST(Origin, TravellingBodyKeepsItsShape) {
  // A cloth that flies 7 km is at the end what the one that stays is.
  const auto shape = [](Vec3d velocity) {
    World world({.step = 1.0 / 60, .substeps = 20, .gravity = {}, .point_damping = 0, .threads = 1});
    const BodyId id = world.add(Cloth{.mesh = grid({1, 1}, {6, 6}),
                                      .velocity = velocity,
                                      .constraints = {{"distance", {.compliance = 1e-3, .damping = 0.05}}}});
    std::vector<Vec3d> x = world.positions(id);
    for (Vec3d& p : x) p *= 1.02;
    world.set_positions(id, x);
    for (int k = 0; k < 600; ++k) world.step();
    x = world.positions(id);
    const Vec3d middle = x[24];
    for (Vec3d& p : x) p -= middle;
    return x;
  };
  const std::vector<Vec3d> still = shape({}), travelled = shape({600, 100, -300});
  for (std::size_t i = 0; i < still.size(); ++i) {
    // At 600 m/s a velocity is a multiple of 6e-5 m/s in float: 5e-8 m per substep with random signs,
    // against springs that pull it back. Distances are compared, since a free body may turn.
    EXPECT_NEAR(length(still[i]), length(travelled[i]), kStandardIsDouble ? 1e-9 : 1e-5) << i;
  }
}

TEST(Origin, FarAwayIsAsAccurateAsHere) {
  // 1000 km away. Without an origin of its own an offset would have its last digit at 2e-9 m there, a
  // hundredth of what gravity does in a substep (2.7e-7 m), and the spring would show it.
  const double stiffness = 500, stretch = 9.81 / stiffness;
  MassOnSpring spring({.step = 1.0 / 60, .substeps = 100, .point_damping = 10, .threads = 1}, 1, {0, -1, 0},
                      {.compliance = 1 / stiffness});
  const Vec3d far{0, 1e6, 0};
  spring.world.set_positions(spring.id, std::vector<Vec3d>{far, far + Vec3d{0, -1, 0}});
  spring.run(3);
  EXPECT_NEAR(spring.length() - 1, stretch, 1e-4 * stretch);
}

TEST(Origin, TravelsWithoutJumping) {
  World world({.step = 1.0 / 60, .substeps = 4, .gravity = {}, .threads = 1});
  const BodyId id = world.add(Cloth{.mesh = grid({1, 1}, {4, 4}), .velocity = {128, -64, 32}});
  // Powers of two and a step of 1/64 s would be exact; 1/60 s is off by dt's rounding, 128 m/s t 6e-8.
  for (int k = 1; k <= 600; ++k) {
    world.step();
    const double t = k / 60.0;
    ASSERT_NEAR(world.positions(id)[12].x, 128 * t, 20 * 128 * t * kRounding + 1e-9) << "step " << k;
    ASSERT_NEAR(world.positions(id)[12].y, -64 * t, 20 * 128 * t * kRounding + 1e-9) << "step " << k;
  }
}

TEST(Origin, FollowsATeleportExactly) {
  // Moved by numbers that float cannot hold: what the origin gains must be what the bases lose.
  World world({.step = 1.0 / 60, .gravity = {}, .threads = 1});
  const BodyId id = world.add(Cloth{.mesh = grid({1, 1}, {4, 4}), .constraints = {}});
  std::vector<Vec3d> x = world.positions(id);
  for (Vec3d& p : x) p += Vec3d{123456789.25, -987654321.5, 55555555.75} * 0.5;
  world.set_positions(id, x);
  const std::vector<Vec3d> before = world.positions(id);
  for (int k = 0; k < 3; ++k) world.step();
  const std::vector<Vec3d> after = world.positions(id);
  for (std::size_t i = 0; i < x.size(); ++i) {
    EXPECT_LT(length(before[i] - x[i]), 1e-5) << "48 digits of 5e8 m";
    EXPECT_LT(length(after[i] - before[i]), 1e-5);
  }
}

TEST(Origin, PinsAndAttachmentsStayWhenItMoves) {
  // A hanging rope beside a cloth with more vertices: when that flies off, the middle of the scene leaves
  // with it.
  const auto hanging = [](double speed) {
    World world({.step = 1.0 / 60, .point_damping = 3, .threads = 1});
    const BodyId hung =
        world.add(Rope{.mesh = rope({0, 0, 0}, {0, -1, 0}, 4), .constraints = {{"distance", {.compliance = 1e-3}}}});
    world.pin(hung, {0});
    world.attach(hung, 4, {0.5, -0.8, 0}, {.compliance = 1e-3});
    const BodyId flier = world.add(Cloth{.mesh = grid({1, 1}, {10, 10}), .velocity = {speed, 0, 0}});
    for (int k = 0; k < 300; ++k) world.step();
    EXPECT_NEAR(world.positions(flier)[60].x, speed / 3, 1 + 0.01 * speed);
    return world.positions(hung);
  };
  const std::vector<Vec3d> near = hanging(0), far = hanging(9000);
  EXPECT_LT(length(far[0]), 1e-9) << "pinned at the origin of space";
  EXPECT_LT(length(far[4] - Vec3d{0.5, -0.8, 0}), 0.01);
  // 3 km from the origin of the State an offset has its last digit at 7e-12 m, which is a thousandth of the
  // rounding of an edge. Measured: 1e-8 m.
  for (std::size_t i = 0; i < near.size(); ++i) EXPECT_LT(length(near[i] - far[i]), 1e-6) << i;
}

}  // namespace
}  // namespace pliant::test
