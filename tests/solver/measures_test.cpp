// Measures against closed forms.

#include <gtest/gtest.h>

#include <cmath>

#include "build_kind.h"
#include "springs.h"

namespace pliant::test {
namespace {

TEST(Measures, OfARotatingRing) {
  // Points of total mass m on a circle of radius r about (3, 0, 0), turning at omega about y and moving.
  const int count = 40;
  const double r = 0.7, omega = 2.5, density = 0.3;
  Curve ring;
  for (int k = 0; k < count; ++k) {
    const double angle = 2 * M_PI * k / count;
    ring.positions.push_back({r * std::cos(angle), 0, r * std::sin(angle)});
    ring.edges.push_back({k, (k + 1) % count});
  }
  World world({.gravity = {0, -10, 0}, .threads = 1});
  const BodyId id = world.add(Rope{.mesh = ring, .density = density, .place = {.position = {3, 2, 0}}});
  const Vec3d drift{0, 0, 1.5};
  std::vector<Vec3d> v;
  for (const Vec3d& x : ring.positions) v.push_back(cross(Vec3d{0, omega, 0}, x) + drift);
  world.set_velocities(id, v);
  const Measures m = world.measures();
  const double mass = density * count * 2 * r * std::sin(M_PI / count);  // of a polygon
  const double tolerance = 20 * kRounding;                               // velocities are rounded
  EXPECT_NEAR(m.mass, mass, 1e-14);
  EXPECT_NEAR(m.kinetic_energy, 0.5 * mass * (r * r * omega * omega + 1.5 * 1.5), tolerance);
  EXPECT_LT(length(m.linear_momentum - drift * mass), tolerance);
  // About its centre m r^2 omega along y; the drift adds (3, 2, 0) x m (0, 0, 1.5).
  const Vec3d expected = Vec3d{0, mass * r * r * omega, 0} + cross(Vec3d{3, 2, 0}, drift) * mass;
  EXPECT_LT(length(m.angular_momentum - expected), 3 * tolerance);
  EXPECT_NEAR(m.gravity_energy, mass * 10 * 2, tolerance);
  EXPECT_NEAR(m.elastic_energy, 0, 1e-12);
  EXPECT_NEAR(m.total_energy, m.kinetic_energy + m.gravity_energy + m.elastic_energy, 1e-12);
  EXPECT_EQ(m.volume, 0);
}

TEST(Measures, PinnedVerticesDoNotCount) {
  World world({.gravity = {}, .threads = 1});
  const BodyId id = world.add(dumbbell(2, {1, 0, 0}, {.compliance = 1}));
  world.set_velocities(id, std::vector<Vec3d>(2, Vec3d{1, 0, 0}));
  EXPECT_DOUBLE_EQ(world.measures().mass, 4);
  EXPECT_DOUBLE_EQ(world.measures().kinetic_energy, 2);
  world.pin(id, {0});
  EXPECT_DOUBLE_EQ(world.measures().mass, 2);
  EXPECT_DOUBLE_EQ(world.measures().kinetic_energy, 1);
}

TEST(Measures, EnergyOfSprings) {
  for (double stretch : {0.25, -0.25}) {
    World world({.gravity = {}, .threads = 1});
    const BodyId soft = world.add(dumbbell(1, {1, 0, 0}, {.compliance = 0.5}));
    Rope second = dumbbell(1, {0, 1, 0}, {});
    second.name = "rigid";
    const BodyId rigid = world.add(second);
    Rope third = dumbbell(1, {0, 1, 0}, {.compliance = 0.5, .compression_compliance = 0.125});
    third.name = "two-sided";
    const BodyId two_sided = world.add(third);
    for (const BodyId id : {soft, rigid, two_sided})
      world.set_positions(id, std::vector<Vec3d>{{}, {1 + stretch, 0, 0}});
    const double plain = 0.5 * stretch * stretch / 0.5;
    const double own = 0.5 * stretch * stretch / (stretch > 0 ? 0.5 : 0.125);
    EXPECT_DOUBLE_EQ(world.measures().elastic_energy, plain + own) << "a rigid one stores none";
    EXPECT_DOUBLE_EQ(world.measures().largest_strain, 0.25);
  }
}

TEST(Measures, EnergyOfAttachmentsAndBalloons) {
  World world({.gravity = {}, .threads = 1});
  const BodyId line = world.add(Rope{.mesh = rope({0, 0, 0}, {1, 0, 0}, 1), .constraints = {}});
  world.attach(line, 0, {0.3, 0.4, 0}, {.compliance = 0.1});
  EXPECT_NEAR(world.measures().elastic_energy, 0.5 * 0.25 / 0.1, 100 * kRounding);
  const BodyId ball = world.add(Cloth{.mesh = box_surface({1, 1, 1}, {2, 2, 2}),
                                      .constraints = {{"balloon", {.compliance = 0.5, .pressure = 1.5}}}});
  EXPECT_NEAR(world.measures().elastic_energy, 0.5 * 0.25 / 0.1 + 0.5 * 0.25 / 0.5, 100 * kRounding);
  EXPECT_NEAR(world.measures().largest_strain, 0.5 / 1.5, 100 * kRounding);
  EXPECT_EQ(world.vertex_count(ball), 26);
}

TEST(Measures, VolumeOfSolids) {
  World world({.gravity = {}, .threads = 1});
  const BodyId a = world.add(
      Solid{.mesh = box_tets({1, 2, 3}, {2, 2, 2}), .place = {.position = {500, 0, 0}, .rotation = {1, 2, 3}}});
  world.add(Solid{.mesh = box_tets({1, 1, 1}, {1, 1, 1}), .place = {.scale = {2, 0.5, -1}}});
  EXPECT_NEAR(world.measures().volume, 7, 1e-9);
  std::vector<Vec3d> x = world.positions(a);
  for (Vec3d& p : x) p = Vec3d{500, 0, 0} + (p - Vec3d{500, 0, 0}) * 1.1;
  world.set_positions(a, x);
  EXPECT_NEAR(world.measures().volume, 6 * 1.1 * 1.1 * 1.1 + 1, 1e-9);
  EXPECT_NEAR(world.measures().largest_strain, 1.1 * 1.1 * 1.1 - 1, 1e-4) << "of the volume, not of the edges";
}

TEST(Measures, ResidualVanishesWhereTheSolveIsExact) {
  MassOnSpring spring({.step = 0.01, .substeps = 1, .threads = 1}, 1, {0, -1, 0}, {.compliance = 1.0 / 300});
  spring.world.step();
  // C + compliance lambda / dt^2 = 0 after the one constraint's exact solve; C is rounded to 6e-8 m.
  EXPECT_LT(spring.world.measures().largest_residual, 4 * kRounding);
  spring.move_end({0, -1.1, 0});
  EXPECT_GT(spring.world.measures().largest_residual, 0.09);
}

TEST(Measures, EnergyOfAFallingBodyIsKept) {
  // Free fall: kinetic and gravity energy exchange; the engine's integrator is off by m g^2 t dt / 2.
  World world({.step = 1.0 / 60, .substeps = 10, .threads = 1});
  world.add(Rope{.mesh = rope({0, 0, 0}, {1, 0, 0}, 3), .density = 1, .velocity = {0, 2, 0}, .constraints = {}});
  const double before = world.measures().total_energy;
  for (int k = 0; k < 60; ++k) world.step();
  EXPECT_NEAR(world.measures().total_energy, before, 9.81 * 9.81 / 600 / 2 + 1e-3);
  EXPECT_NEAR(world.measures().time, 1, 1e-12);
}

}  // namespace
}  // namespace pliant::test
