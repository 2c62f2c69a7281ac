// Wind: closed forms of drag and lift, symmetry, and storms that blow nothing up.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "pliant/world.h"

namespace pliant::test {
namespace {

constexpr double kGravity = 9.81;

/// Momentum that a free plate of 1 kg and 1 m^2, turned about x by `angle`, gains in a short time, per second.
Vec3d force_on_plate(Wind wind, double angle, Precision precision = Precision::float64) {
  const double dt = 1e-6;  // the plate hardly moves
  World world({.step = dt, .substeps = 1, .gravity = {}, .wind = wind, .threads = 1, .precision = precision});
  world.add(Cloth{.mesh = grid({1, 1}, {6, 6}), .density = 1, .place = {.rotation = {angle, 0, 0}}, .constraints = {}});
  world.step();
  return world.measures().linear_momentum / dt;
}

TEST(Wind, ForceOnAPlateAtAnAngle) {
  const double U = 7, rho = 1.3, CD = 1.1, CL = 0.7;
  for (const double angle : {0.0, 0.3, 0.8, 1.2, 1.5, -0.6}) {
    const Vec3d f = force_on_plate({.velocity = {0, U, 0}, .density = rho, .drag = CD, .lift = CL}, angle);
    // The normal of the plate is y turned about x: (0, cos, sin). Drag along y, lift along z.
    const double q = 0.5 * rho * U * U, c = std::cos(angle), s = std::sin(angle);
    EXPECT_NEAR(f.x, 0, 1e-4 * q);
    EXPECT_NEAR(f.y, q * CD * std::abs(c), 1e-4 * q) << angle;
    EXPECT_NEAR(f.z, q * CL * c * s, 1e-4 * q) << angle;
  }
}

TEST(Wind, IsOddInTheRelativeVelocity) {
  const Wind wind{.velocity = {3, 2, -1}, .lift = 0.9};
  Wind opposite = wind;
  opposite.velocity = -wind.velocity;
  const Vec3d f = force_on_plate(wind, 0.4), g = force_on_plate(opposite, 0.4);
  EXPECT_LT(length(f + g), 1e-6 * length(f));
  // A plate that moves with the wind feels nothing.
  World world({.step = 0.01, .gravity = {}, .wind = wind, .threads = 1});
  const BodyId id = world.add(Cloth{.mesh = grid({1, 1}, {4, 4}), .velocity = wind.velocity, .constraints = {}});
  world.step();
  for (const Vec3d& v : world.velocities(id)) EXPECT_LT(length(v - wind.velocity), 1e-5);
}

TEST(Wind, TerminalVelocityOfAFallingSheet) {
  // m g = rho/2 C_D A v^2. The implicit drag lags by dt g / (2 v): 0.3 % at 20 substeps.
  World world({.step = 1.0 / 60, .substeps = 20, .wind = Wind{.density = 1.2, .drag = 1.2}, .threads = 1});
  const BodyId id = world.add(Cloth{.mesh = grid({1, 1}, {8, 8}), .density = 0.2, .constraints = {}});
  for (int k = 0; k < 120; ++k) world.step();
  const double v = std::sqrt(2 * 0.2 * kGravity / (1.2 * 1.2));
  for (const Vec3d& u : world.velocities(id)) EXPECT_NEAR(-u.y, v, 0.005 * v);
}

TEST(Wind, SegmentsAreDraggedAcrossOnly) {
  for (const double angle : {0.0, 0.5, 1.5707963}) {
    const double dt = 1e-6, U = 5;
    World world({.step = dt,
                 .substeps = 1,
                 .gravity = {},
                 .wind = Wind{.velocity = {U, 0, 0}, .density = 1.2, .drag = 1},
                 .threads = 1,
                 .precision = Precision::float64});
    world.add(Rope{.mesh = rope({0, 0, 0}, {2 * std::cos(angle), 2 * std::sin(angle), 0}, 9),
                   .density = 1,
                   .constraints = {},
                   .diameter = 0.03});
    world.step();
    const double s = std::sin(angle);
    const Vec3d f = world.measures().linear_momentum / dt;
    const double across = 0.5 * 1.2 * 0.03 * 2 * U * U * s * s;  // normal to the rope
    EXPECT_NEAR(f.x, across * s, 1e-4);
    EXPECT_NEAR(f.y, -across * std::cos(angle), 1e-4);
  }
}

TEST(Wind, ClosedSurfaceCountsItsCrossSection) {
  const double dt = 1e-6, U = 4, r = 0.5;
  World world({.step = dt,
               .substeps = 1,
               .gravity = {},
               .wind = Wind{.velocity = {U, 0, 0}, .density = 1, .drag = 1, .lift = 0},
               .threads = 1,
               .precision = Precision::float64});
  world.add(Cloth{.mesh = sphere(r, 4), .density = 1, .constraints = {}});
  world.step();
  EXPECT_NEAR(world.measures().linear_momentum.x / dt, 0.5 * U * U * 3.14159265 * r * r, 0.05);
}

TEST(Wind, NeverThrowsWhatItDragsBeyondItself) {
  // A light sheet in a hurricane, one coarse step: it is taken along and not thrown past the wind.
  for (const double lift : {0.0, 50.0}) {
    World world({.step = 1.0 / 30,
                 .substeps = 1,
                 .gravity = {},
                 .wind = Wind{.velocity = {0, 300, 40}, .drag = 5, .lift = lift},
                 .threads = 1});
    const BodyId id = world.add(Cloth{.mesh = grid({1, 1}, {10, 10}), .density = 1e-4, .constraints = {}});
    const double first = length(Vec3d{0, 300, 40});
    double before = first;
    for (int k = 0; k < 50; ++k) {
      world.step();
      double fastest = 0;  // relative to the air
      for (const Vec3d& v : world.velocities(id)) fastest = std::max(fastest, length(v - Vec3d{0, 300, 40}));
      // Vertices exchange lift through the triangles that they share, so that one may gain what another loses.
      EXPECT_LE(fastest, (lift > 0 ? first : before) * (1 + 1e-3)) << "step " << k << ", lift " << lift;
      before = std::max(fastest, 1.0);
    }
    EXPECT_LT(before, 0.1 * first);
    EXPECT_TRUE(world.troubles().empty());
  }
}

TEST(Wind, GustsDependOnTimeAlone) {
  const auto run = [](int threads) {
    World world({.step = 1.0 / 60,
                 .substeps = 2,
                 .wind = Wind{.velocity = {6, 0, 0}, .gust_strength = 0.6},
                 .threads = threads});
    const BodyId id = world.add(Cloth{.mesh = grid({1, 1}, {20, 20}), .place = {.rotation = {1.5, 0, 0}}});
    world.pin(id, {0, 20});
    for (int k = 0; k < 20; ++k) world.step();
    return world.state_hash();
  };
  EXPECT_EQ(run(1), run(3));
}

TEST(Wind, Refuses) {
  EXPECT_THROW(World({.wind = Wind{.density = -1}}), Error);
  World world;
  EXPECT_THROW(world.set_wind(Wind{.velocity = {NAN, 0, 0}}), Error);
  world.set_wind(Wind{});
  world.set_wind(std::nullopt);
}

}  // namespace
}  // namespace pliant::test
