// Second-order integration: a mass on a spring, bodies at rest, snapshots.

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "pliant/world.h"

namespace pliant::test {
namespace {

constexpr double kPeriod = 0.5;  // [s]

struct Oscillation {
  double amplitude;  // left after four periods, of the first
  double phase;      // gained in that time [rad]
};

/// 1 kg on a spring without length, pulled out by 0.1 m.
Oscillation oscillate(Integrator integrator, double dt) {
  const double omega = 2 * std::numbers::pi / kPeriod;
  World world({.step = dt,
               .substeps = 1,
               .integrator = integrator,
               .gravity = {},
               .threads = 1,
               .precision = Precision::float64});
  Curve mesh{{{0, 0, 0}, {1, 0, 0}}, {{0, 1}}};
  const BodyId mass = world.add(Rope{.mesh = mesh, .density = 2, .constraints = {}});  // 1 kg at each end
  world.pin(mass, {0});
  world.attach(mass, 1, Vec3d{0.9, 0, 0}, {.compliance = 1 / (omega * omega)});
  const int steps = static_cast<int>(std::lround(4 * kPeriod / dt));
  for (int i = 0; i < steps; ++i) world.step();
  const double x = (world.positions(mass)[1].x - 0.9) / 0.1, v = world.velocities(mass)[1].x / omega / 0.1;
  return {std::hypot(x, v), std::abs(std::atan2(-v, x))};
}

TEST(Bdf2, IsOfSecondOrder) {
  const Oscillation coarse = oscillate(Integrator::bdf2, kPeriod / 50),
                    fine = oscillate(Integrator::bdf2, kPeriod / 100);
  // The formula's own errors: amplitude exp(-(omega dt)^4 n / 4), phase n (omega dt)^3 / 3 behind, after n steps. The
  // Euler step at the start adds a little of second order.
  EXPECT_GT(coarse.amplitude, 0.97);
  EXPECT_NEAR(fine.phase / coarse.phase, 0.25, 0.03);
  EXPECT_LT((1 - fine.amplitude) / (1 - coarse.amplitude), 0.3);
}

TEST(Bdf2, KeepsMoreMotionThanEuler) {
  const Oscillation euler = oscillate(Integrator::euler, kPeriod / 50),
                    bdf2 = oscillate(Integrator::bdf2, kPeriod / 50);
  EXPECT_LT(euler.amplitude, 0.25);  // exp(-4 pi^2 4 / 100) = 0.21
  EXPECT_GT(bdf2.amplitude, 0.97);
}

WorldOptions options(Integrator integrator) {
  return {.substeps = 10, .integrator = integrator, .point_damping = 5, .threads = 1};
}

World hanging_block(const WorldOptions& options, BodyId& block) {
  World world(options);
  Material material;
  material.young = 2e5;
  const TetMesh mesh = box_tets({0.6, 0.3, 0.3}, {4, 2, 2});
  block = world.add(Solid{.mesh = mesh, .material = material});
  std::vector<int> wall;
  for (std::size_t v = 0; v < mesh.positions.size(); ++v) {
    if (mesh.positions[v].x < -0.299) wall.push_back(static_cast<int>(v));
  }
  world.pin(block, wall);
  return world;
}

TEST(Bdf2, RestsWhereEulerRests) {
  BodyId a, b;
  World euler = hanging_block(options(Integrator::euler), a), bdf2 = hanging_block(options(Integrator::bdf2), b);
  for (int i = 0; i < 300; ++i) {
    euler.step();
    bdf2.step();
  }
  const std::vector<Vec3d> rest = euler.rest_positions(a), x = euler.positions(a), y = bdf2.positions(b);
  double sag = 0, difference = 0;
  for (std::size_t v = 0; v < x.size(); ++v) {
    sag = std::max(sag, length(x[v] - rest[v]));
    difference = std::max(difference, length(x[v] - y[v]));
  }
  EXPECT_GT(sag, 0.005);
  EXPECT_LT(difference, 1e-4 * sag);  // float, and motion that has not died out
}

TEST(Bdf2, PointDampingHasItsRate) {
  WorldOptions o = options(Integrator::bdf2);
  o.gravity = {};
  World world(o);
  const BodyId rope = world.add(Rope{.mesh = Curve{{{0, 0, 0}, {1, 0, 0}}, {{0, 1}}}, .velocity = {1, 0, 0}});
  for (int i = 0; i < 60; ++i) world.step();
  EXPECT_NEAR(world.velocities(rope)[0].x, std::exp(-5.0), 0.02 * std::exp(-5.0));
}

TEST(Bdf2, GoesOnFromASnapshot) {
  BodyId block;
  World world = hanging_block(options(Integrator::bdf2), block);
  for (int i = 0; i < 7; ++i) world.step();
  const std::vector<std::byte> snapshot = world.snapshot();
  for (int i = 0; i < 5; ++i) world.step();
  const uint64_t expected = world.state_hash();
  World other = hanging_block(options(Integrator::bdf2), block);
  other.restore(snapshot);
  for (int i = 0; i < 5; ++i) other.step();
  EXPECT_EQ(other.state_hash(), expected);
  World euler = hanging_block(options(Integrator::euler), block);
  EXPECT_THROW(euler.restore(snapshot), Error);
}

TEST(Bdf2, SetVelocitiesCountAtOnce) {
  BodyId block;
  WorldOptions o = options(Integrator::bdf2);
  o.gravity = {};
  o.point_damping = 0;
  World world(o);
  block = world.add(Solid{.mesh = box_tets({1, 1, 1}, {1, 1, 1}), .velocity = {0, 3, 0}});
  for (int i = 0; i < 3; ++i) world.step();
  const Vec3d before = world.positions(block)[0];
  world.set_velocities(block, std::vector<Vec3d>(world.vertex_count(block), Vec3d{1, 0, 0}));
  for (int i = 0; i < 6; ++i) world.step();
  EXPECT_LT(length(world.positions(block)[0] - before - Vec3d{0.1, 0, 0}), 1e-5);
}

}  // namespace
}  // namespace pliant::test
