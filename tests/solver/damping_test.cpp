// Damping: of all velocities, of the deviation from rigid motion, along constraints, and Rayleigh's.

#include <gtest/gtest.h>

#include <cmath>

#include "build_kind.h"
#include "constraints/random_stencil.h"
#include "springs.h"

namespace pliant::test {
namespace {

/// A block of loose particles (no constraints) with random velocities of `speed` on top of a rigid motion.
BodyId add_cloud(World& world, double speed, Constraints constraints = {}) {
  const BodyId id = world.add(
      Solid{.mesh = box_tets({1, 0.7, 0.5}, {4, 3, 3}), .density = 100, .constraints = std::move(constraints)});
  Random random(8);
  std::vector<Vec3d> v;
  for (const Vec3d& x : world.positions(id)) {
    v.push_back(random.point() * speed + (cross(Vec3d{0.5, -1, 0.3}, x) + Vec3d{0.2, 0.1, 0.4}) * speed);
  }
  world.set_velocities(id, v);
  return id;
}

/// Kinetic energy that is left when the rigid motion with the same momenta is taken out.
double deformation_energy(const World& world, BodyId id) {
  const std::vector<Vec3d> x = world.positions(id), v = world.velocities(id);
  const std::vector<double> m = world.masses(id);
  double mass = 0, energy = 0;
  Vec3d center{}, drift{}, L{};
  for (std::size_t i = 0; i < x.size(); ++i) {
    mass += m[i];
    center += x[i] * m[i];
    drift += v[i] * m[i];
  }
  center *= 1 / mass;
  drift *= 1 / mass;
  double I[3][3] = {};
  for (std::size_t i = 0; i < x.size(); ++i) {
    const Vec3d r = x[i] - center, u = v[i] - drift;
    L += cross(r, u) * m[i];
    energy += 0.5 * m[i] * dot(u, u);
    for (int a = 0; a < 3; ++a) {
      for (int b = 0; b < 3; ++b) I[a][b] += m[i] * ((a == b ? dot(r, r) : 0) - r[a] * r[b]);
    }
  }
  // omega by Cramer's rule, an independent way.
  const Vec3d c0{I[0][0], I[1][0], I[2][0]}, c1{I[0][1], I[1][1], I[2][1]}, c2{I[0][2], I[1][2], I[2][2]};
  const double det = dot(c0, cross(c1, c2));
  const Vec3d omega{dot(L, cross(c1, c2)) / det, dot(c0, cross(L, c2)) / det, dot(c0, cross(c1, L)) / det};
  return energy - 0.5 * dot(omega, L);
}

TEST(PointDamping, DecaysExponentially) {
  for (int substeps : {1, 10, 100}) {
    World world({.step = 1.0 / 60, .substeps = substeps, .gravity = {}, .point_damping = 0.7, .threads = 1});
    const BodyId id = add_cloud(world, 1);
    const std::vector<Vec3d> before = world.velocities(id);
    for (int k = 0; k < 60; ++k) world.step();
    const std::vector<Vec3d> after = world.velocities(id);
    for (std::size_t i = 0; i < before.size(); ++i) {
      // Every substep rounds the velocity (three times: motion, quotient, decay); random signs.
      const double tolerance =
          10 * std::sqrt(60.0 * substeps) * kRounding * length(before[i]) + 1e-9 * length(before[i]);
      ASSERT_LT(length(after[i] - before[i] * std::exp(-0.7)), tolerance) << substeps << " substeps";
    }
  }
}

TEST(PointDamping, WeakOneIsNotLostInRounding) {
  // 0.01 / s at 6000 substeps a second takes 1.7e-6 of the velocity each time, 28 units of rounding.
  World world({.step = 1.0 / 60, .substeps = 100, .gravity = {}, .point_damping = 0.01, .threads = 1});
  const BodyId id = add_cloud(world, 1);
  const double before = world.measures().kinetic_energy;
  for (int k = 0; k < 60; ++k) world.step();
  EXPECT_NEAR(std::log(world.measures().kinetic_energy / before) / -0.02, 1, 0.01);
  EXPECT_TRUE(world.troubles().empty());
  EXPECT_EQ(world.vertex_count(id), 80);
}

TEST(GlobalDamping, KeepsBothMomentaAndTakesDeformation) {
  // Slow, so that the shape stays what it was and the deviation decays by exp(-c t) exactly.
  World world({.step = 1.0 / 60, .substeps = 4, .gravity = {}, .global_damping = 2, .threads = 2});
  const BodyId id = add_cloud(world, 1e-3);
  const Measures before = world.measures();
  const double deformation = deformation_energy(world, id);
  EXPECT_GT(deformation, 0.2 * before.kinetic_energy);
  for (int k = 0; k < 60; ++k) world.step();
  const Measures after = world.measures();
  // Random roundings of 240 substeps; the momenta are of the order of the sum of m |v|.
  const double tolerance = 10 * std::sqrt(240.0) * kRounding;
  EXPECT_LT(length(after.linear_momentum - before.linear_momentum), tolerance * length(before.linear_momentum));
  EXPECT_LT(length(after.angular_momentum - before.angular_momentum), tolerance * length(before.angular_momentum));
  // exp(-2 c t) of the energy; the shape changes by 1e-3 of its size in that second.
  EXPECT_NEAR(deformation_energy(world, id) / deformation, std::exp(-4.0), 0.01 * std::exp(-4.0));
}

TEST(GlobalDamping, LeavesRigidMotionAlone) {
  World world({.step = 1.0 / 60, .substeps = 4, .gravity = {}, .global_damping = 50, .threads = 1});
  const BodyId id = world.add(Solid{.mesh = box_tets({1, 0.7, 0.5}, {3, 3, 3}), .constraints = {}});
  std::vector<Vec3d> v;
  for (const Vec3d& x : world.positions(id)) v.push_back(cross(Vec3d{1e-3, 2e-3, -1e-3}, x) + Vec3d{1e-3, 0, 0});
  world.set_velocities(id, v);
  world.step();
  const std::vector<Vec3d> after = world.velocities(id);
  // The velocity of a point turns with the body, by omega t = 4.1e-5 of its 3e-3 m/s. (Were the rigid
  // motion damped, more than half of it would be gone.)
  for (std::size_t i = 0; i < v.size(); ++i) EXPECT_LT(length(after[i] - v[i]), 4.1e-5 * 3e-3);
}

TEST(GlobalDamping, WorksForBodiesOnALineAndSingleMovers) {
  World world({.step = 1.0 / 60, .gravity = {}, .global_damping = 10, .threads = 1});
  // All on one line: the tensor of inertia is singular about it.
  const BodyId line = world.add(Rope{.mesh = rope({0, 0, 0}, {1, 2, 3}, 10), .constraints = {}});
  // One vertex moves, the others are pinned: no deviation from its own motion.
  const BodyId single = world.add(dumbbell(1, {0, 1, 0}, {.compliance = 1e10}));
  world.pin(single, {0});
  std::vector<Vec3d> v(11, Vec3d{0.1, 0, 0});
  v[0] = {0.4, 0.1, 0};
  world.set_velocities(line, v);
  world.set_velocities(single, std::vector<Vec3d>{{}, {0.5, 0, 0}});
  const Measures before = world.measures();
  for (int k = 0; k < 60; ++k) world.step();
  const Measures after = world.measures();
  const double tolerance = 10 * std::sqrt(600.0) * kRounding;
  EXPECT_LT(length(after.linear_momentum - before.linear_momentum), tolerance);
  EXPECT_LT(length(after.angular_momentum - before.angular_momentum), tolerance);
  EXPECT_LT(after.kinetic_energy, before.kinetic_energy);
  EXPECT_NEAR(world.velocities(single)[1].x, 0.5, tolerance);
}

TEST(VelocityDamping, ActsAlongTheConstraintOnly) {
  // Compliance so large that nothing else acts. Ends approach at 1 m/s and slide past each other at 0.5 m/s.
  World world({.step = 1.0 / 60, .substeps = 10, .gravity = {}, .threads = 1});
  const BodyId id = world.add(dumbbell(1, {1, 0, 0}, {.compliance = 1e30, .velocity_damping = 3}));
  // Slow, so that the direction does not turn.
  world.set_velocities(id, std::vector<Vec3d>{{1e-4, 0.5e-4, 0}, {-1e-4, -0.5e-4, 0}});
  for (int k = 0; k < 60; ++k) world.step();
  const std::vector<Vec3d> v = world.velocities(id);
  EXPECT_NEAR((v[1].x - v[0].x) / -2e-4, std::exp(-3.0), 1e-3 * std::exp(-3.0));
  EXPECT_NEAR((v[1].y - v[0].y) / -1e-4, 1, 1e-3);
}

TEST(VelocityDamping, KeepsBothMomenta) {
  for (const char* type : {"distance", "tet_volume"}) {
    SCOPED_TRACE(type);
    World world({.step = 1.0 / 60, .substeps = 10, .gravity = {}, .threads = 2});
    add_cloud(world, 0.1, {{type, {.compliance = 1e25, .velocity_damping = 20}}});
    const Measures before = world.measures();
    for (int k = 0; k < 60; ++k) world.step();
    const Measures after = world.measures();
    // Places do not change while velocities are damped, so both are kept to rounding (600 substeps).
    const double tolerance = 10 * std::sqrt(600.0) * kRounding;
    EXPECT_LT(length(after.linear_momentum - before.linear_momentum), tolerance * length(before.linear_momentum));
    EXPECT_LT(length(after.angular_momentum - before.angular_momentum), tolerance * length(before.angular_momentum));
    EXPECT_LT(after.kinetic_energy, 0.9 * before.kinetic_energy);
  }
}

TEST(RayleighDamping, DecaysAtItsRate) {
  // m x'' + damping k x' + k x = 0 decays at damping omega^2 / 2. The engine's scheme,
  //   x+ - 2 x + x- = -(dt omega)^2 x+ - damping dt omega^2 (x+ - x),
  // has roots z with |z|^-2 = 1 + dt omega^2 (damping + dt) exactly: the second term is implicit Euler's own.
  const double mass = 0.5, omega = 12, dt = 1.0 / 4800, damping = 0.01;
  MassOnSpring spring({.step = dt, .substeps = 1, .gravity = {}, .threads = 1}, mass, {1, 0, 0},
                      {.compliance = 1 / (mass * omega * omega), .damping = damping});
  spring.move_end({1.1, 0, 0});
  // Amplitudes at the turning points, by the parabola through the three samples around each.
  std::vector<std::pair<double, double>> peaks;
  double before = 0.1, at = 0.1;
  for (int n = 1; n < 4 * 4800; ++n) {
    spring.world.step();
    const double next = spring.length() - 1;
    if (at > before && at >= next) {
      const double curvature = before - 2 * at + next, shift = (before - next) / (2 * curvature);
      peaks.push_back({(n - 1 + shift) * dt, at - 0.125 * (next - before) * (next - before) / curvature});
    }
    before = at;
    at = next;
  }
  ASSERT_GE(peaks.size(), 5u);
  const double rate = std::log(peaks.front().second / peaks.back().second) / (peaks.back().first - peaks.front().first);
  const double discrete = 0.5 * std::log1p(dt * omega * omega * (damping + dt)) / dt;
  // Float: a length of 1 m is rounded by 6e-8 m, of an amplitude that falls to 5 mm: 1e-5 of it.
  EXPECT_NEAR(rate, discrete, 1e-3 * discrete);
  // The closed form of the differential equation: 2 % of it is dt / damping.
  EXPECT_NEAR(rate, damping * omega * omega / 2, 0.03 * damping * omega * omega / 2);
}

TEST(RayleighDamping, DoesNotChangeTheRestState) {
  const double stretch = 9.81 / 500;
  MassOnSpring spring({.step = 0.005, .substeps = 1, .threads = 1}, 1, {0, -1, 0},
                      {.compliance = 1.0 / 500, .damping = 0.05});
  spring.run(4);
  EXPECT_NEAR(spring.length() - 1, stretch, 1e-3 * stretch);
}

TEST(RayleighDamping, LeavesRotationAlone) {
  // The force is along the constraint and proportional to the change of its length.
  for (double damping : {0.0, 1.0}) {
    World world({.step = 1.0 / 60, .substeps = 50, .gravity = {}, .threads = 1});
    const BodyId id = world.add(dumbbell(1, {1, 0, 0}, {.compliance = 1e-4, .damping = damping}));
    world.set_velocities(id, std::vector<Vec3d>{{0, -0.5, 0}, {0, 0.5, 0}});
    const double before = world.measures().angular_momentum.z;
    for (int k = 0; k < 60; ++k) world.step();
    // What implicit Euler loses in a second at 1 rad/s, 1 / 3000, is all.
    EXPECT_NEAR(world.measures().angular_momentum.z / before, 1 / std::sqrt(1 + 2.0 / 3000), 2e-5) << damping;
  }
}

}  // namespace
}  // namespace pliant::test
