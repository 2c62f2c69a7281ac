#include "fem/dynamics.h"

#include <gtest/gtest.h>

#include "fem/bodies.h"
#include "fem/statics.h"
#include "pliant/error.h"

namespace pliant::fem {
namespace {

TEST(Dynamics, FreeFallIsThatOfImplicitEuler) {
  for (const Material& material : all_materials()) {
    Dynamics body({.mesh = box_tets({1, 1, 1}, {2, 2, 2}), .material = material, .gravity = {0, -9.81, 0}});
    const double dt = 0.01;
    for (int n = 1; n <= 10; ++n) {
      ASSERT_TRUE(body.step(dt).converged);
      for (const Vec3d& u : body.displacements()) {
        EXPECT_NEAR(u.y, -9.81 * dt * dt * n * (n + 1) / 2, 1e-10);
        EXPECT_NEAR(u.x, 0, 1e-10);
      }
    }
    EXPECT_NEAR(body.energies().elastic, 0, 1e-12 * material.young);
    EXPECT_NEAR(body.time(), 0.1, 1e-15);
  }
}

/// A free cube, pulled apart and let go, turning.
Dynamics deformed_free_cube(const Material& material) {
  const TetMesh mesh = irregular_cube(2);
  Dynamics body({.mesh = mesh, .material = material});
  std::vector<Vec3d> u, v;
  for (const Vec3d& x : mesh.positions) {
    u.push_back({0.2 * x.x, -0.1 * x.y + 0.05 * x.x, 0.1 * x.z});
    v.push_back({0.3 * x.y, -0.3 * x.x + 1, 0.1});
  }
  body.set_displacements(u);
  body.set_velocities(v);
  return body;
}

TEST(Dynamics, EnergyFallsAndMomentumStaysWithoutLoads) {
  for (const Material& material : all_materials()) {
    Dynamics body = deformed_free_cube(material);
    const double momentum = 10 * 1.0;  // of a cubic metre at 1 m/s along y, for density 10
    double before = body.energies().total();
    for (int n = 0; n < 30; ++n) {
      ASSERT_TRUE(body.step(2e-3).converged) << static_cast<int>(material.model);
      const double now = body.energies().total();
      EXPECT_LE(now, before * (1 + 1e-12));
      before = now;
    }
    Dynamics start = deformed_free_cube(material);
    const System system({.mesh = irregular_cube(2), .material = material});
    const auto along_y = [&](const Dynamics& d) {
      double sum = 0;
      const auto v = d.velocities();
      for (std::size_t i = 0; i < v.size(); ++i) sum += system.masses()[static_cast<Eigen::Index>(3 * i)] * v[i].y;
      return sum;
    };
    EXPECT_NEAR(along_y(start), momentum, 0.2 * momentum);
    EXPECT_NEAR(along_y(body), along_y(start), 1e-9 * momentum);
  }
}

TEST(Dynamics, LongStepsComeToRestAtTheStaticSolution) {
  Problem problem{.mesh = box_tets({1, 1, 1}, {3, 3, 3}),
                  .material = {.model = MaterialModel::neo_hookean, .young = 1e3, .poisson = 0.4, .density = 10},
                  .gravity = {0, -9.81, 0}};
  problem.supports = hold(problem.mesh, [](const Vec3d& x) { return x.x < -0.49; });
  Dynamics body(problem);
  for (int n = 0; n < 60; ++n) ASSERT_TRUE(body.step(1).converged);
  const StaticsResult rest = solve_statics(problem);
  ASSERT_TRUE(rest.converged);
  EXPECT_LE(largest_difference(body.displacements(), rest.displacements), 1e-8 * largest(rest.displacements));
}

TEST(Dynamics, ColumnSwingsWithItsKnownPeriod) {
  // Along its length, Poisson's ratio 0, held at the bottom: T = 4 H sqrt(rho / E) = 0.4 s.
  const double period = 0.4;
  Problem problem{.mesh = box_tets({0.5, 1, 0.5}, {2, 8, 2}),
                  .material = {.model = MaterialModel::stvk, .young = 1e3, .poisson = 0, .density = 10}};
  problem.supports = hold(problem.mesh, [](const Vec3d& x) { return x.y < -0.49; });
  Dynamics body(problem);
  std::vector<Vec3d> u;
  for (const Vec3d& x : problem.mesh.positions) u.push_back({0, 1e-3 * std::sin(1.5707963 * (x.y + 0.5)), 0});
  body.set_displacements(u);
  // The top vertex crosses zero after a quarter and three quarters of a period.
  const double dt = period / 800;
  const std::size_t top = u.size() - 1;
  std::vector<double> crossings;
  double last = u[top].y;
  while (crossings.size() < 2 && body.time() < 2 * period) {
    ASSERT_TRUE(body.step(dt).converged);
    const double now = body.displacements()[top].y;
    if ((now > 0) != (last > 0)) crossings.push_back(body.time() - dt * now / (now - last));
    last = now;
  }
  ASSERT_EQ(crossings.size(), 2u);
  // Eight linear elements with lumped masses: half a percent.
  EXPECT_NEAR(2 * (crossings[1] - crossings[0]), period, 0.01 * period);
}

TEST(Dynamics, HalfTheStepHalvesTheError) {
  const auto after = [](double dt) {
    Dynamics body = deformed_free_cube({.model = MaterialModel::stvk, .young = 1e3, .poisson = 0.3, .density = 10});
    const int steps = static_cast<int>(std::lround(0.04 / dt));
    for (int n = 0; n < steps; ++n) EXPECT_TRUE(body.step(dt).converged);
    return body.displacements();
  };
  // An error of c dt makes these differences c 2 h and c h.
  const auto middle = after(0.0002);
  EXPECT_NEAR(largest_difference(after(0.0004), middle) / largest_difference(middle, after(0.0001)), 2, 0.15);
}

TEST(Dynamics, MistakesAreTold) {
  Dynamics body({.mesh = box_tets({1, 1, 1}, {1, 1, 1})});
  EXPECT_THROW(body.step(0), Error);
  EXPECT_THROW(body.step(NAN), Error);
  EXPECT_THROW(body.set_velocities(std::vector<Vec3d>(3)), Error);
  EXPECT_THROW(body.set_displacements({}), Error);
}

}  // namespace
}  // namespace pliant::fem
