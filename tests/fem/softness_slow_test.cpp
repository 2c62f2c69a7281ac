// What World::unresolved() says of the sag of bodies that the substeps do not resolve, against the sag itself.

#include <gtest/gtest.h>

#include <cmath>

#include "fem/statics.h"
#include "pliant/world.h"

namespace pliant::test {
namespace {

struct Case {
  const char* name;
  Vec3d size;
  std::array<int, 3> cells;
  MaterialModel model;
  double poisson;
};

/// Sum of all vertices' sag over that of finite elements, minus one; and its estimate.
std::pair<double, double> softness(const Case& c, double kappa, int iterations) {
  const TetMesh mesh = box_tets(c.size, c.cells);
  const double h = c.size.x / c.cells[0], dt = 1.0 / 600;
  Material material{.model = c.model, .poisson = c.poisson};
  material.young = kappa * material.density * h * h / (dt * dt);
  // A load that strains by a per mille or less, so that an error of ten times the sag still is a small strain.
  const double slender = c.size.x / c.size.y;
  const Vec3d gravity{0, -1e-3 * material.young / material.density / (slender * slender * slender), 0};
  const auto at_wall = [&](const Vec3d& x) { return x.x < -0.499 * c.size.x; };
  fem::Problem problem{.mesh = mesh, .material = material, .gravity = gravity};
  problem.supports = fem::hold(mesh, at_wall);
  const fem::StaticsResult reference = fem::solve_statics(problem);
  EXPECT_TRUE(reference.converged);

  World world({.iterations = iterations,
               .gravity = gravity,
               .point_damping = slender > 1 ? 3.0 : 10.0,
               .threads = 1,
               .precision = Precision::float64});
  const BodyId body = world.add(Solid{.mesh = mesh, .material = material});
  std::vector<int> wall;
  for (std::size_t v = 0; v < mesh.positions.size(); ++v) {
    if (at_wall(mesh.positions[v])) wall.push_back(static_cast<int>(v));
  }
  world.pin(body, wall);
  const auto sag = [&] {
    double sum = 0;
    const std::vector<Vec3d> x = world.positions(body);
    for (std::size_t v = 0; v < x.size(); ++v) sum += mesh.positions[v].y - x[v].y;
    return sum;
  };
  int calm = 0;
  for (double before = 0; calm < 5 && world.steps() < 2000;) {
    world.step();
    const double now = sag();
    calm = std::abs(now - before) < 1e-6 * now ? calm + 1 : 0;
    before = now;
  }
  EXPECT_EQ(calm, 5) << "it has not come to rest";
  double expected = 0;
  for (const Vec3d& u : reference.displacements) expected -= u.y;
  const std::vector<Unresolved> found = world.unresolved();
  EXPECT_EQ(found.size(), 1u);
  return {sag() / expected - 1, found.empty() ? 0 : found[0].softness};
}

TEST(Softness, IsEstimatedWithinAFactorOfThree) {
  const Case cases[] = {{"cube", {1, 1, 1}, {4, 4, 4}, MaterialModel::stvk, 0.3},
                        {"cube", {1, 1, 1}, {4, 4, 4}, MaterialModel::neo_hookean, 0.45},
                        {"cantilever", {4, 1, 1}, {8, 2, 2}, MaterialModel::stvk, 0.3},
                        {"cantilever", {4, 1, 1}, {8, 2, 2}, MaterialModel::neo_hookean, 0.45}};
  for (const Case& c : cases) {
    for (double kappa : {4.0, 40.0}) {
      for (int iterations : {1, 3, 10}) {
        SCOPED_TRACE(testing::Message() << c.name << " nu " << c.poisson << " kappa " << kappa << " iterations "
                                        << iterations);
        const auto [real, estimate] = softness(c, kappa, iterations);
        EXPECT_LT(estimate, 3 * std::max(real, 0.005));  // below half a per cent only that it is small
        EXPECT_GT(estimate, real / 3);
      }
    }
  }
}

TEST(Softness, IsInTheWarning) {
  Material stiff;
  stiff.young = 1e9;
  World world({.threads = 1});
  world.add(Solid{.name = "block", .mesh = box_tets({1, 1, 1}, {4, 4, 4}), .material = stiff});
  ASSERT_EQ(world.unresolved().size(), 1u);
  const Unresolved u = world.unresolved()[0];
  EXPECT_NEAR(u.resolution, 1e9 / (1000 * 600.0 * 600 * 0.25 * 0.25), 1e-3);
  ASSERT_EQ(world.warnings().size(), 1u);
  EXPECT_NE(world.warnings()[0].find(std::to_string(std::lround(100 * u.softness)) + " % too far"), std::string::npos);
  // As many substeps as it names are enough.
  World enough({.substeps = static_cast<int>(u.substeps), .threads = 1});
  enough.add(Solid{.mesh = box_tets({1, 1, 1}, {4, 4, 4}), .material = stiff});
  EXPECT_TRUE(enough.unresolved().empty());
}

// Multipliers may be kept wherever the measure says so: flat and thin cells, slivers.
TEST(Resolution, KeptMultipliersAreStableBelowTheLimit) {
  TetMesh uneven = box_tets({1, 1, 1}, {5, 5, 5});
  uint32_t random = 7;
  for (Vec3d& x : uneven.positions) {
    for (int axis = 0; axis < 3; ++axis) {
      random = random * 1664525u + 1013904223u;
      x[axis] += ((random >> 8) / 16777216.0 - 0.5) * 0.12;
    }
  }
  const TetMesh meshes[] = {box_tets({1, 1, 1}, {5, 5, 5}),     box_tets({4, 1, 1}, {16, 4, 4}),
                            box_tets({1, 0.1, 1}, {5, 5, 5}),   box_tets({1, 0.05, 1}, {5, 5, 5}),
                            box_tets({0.2, 1, 0.2}, {5, 5, 5}), uneven};
  for (int trial = 0; trial < 12; ++trial) {
    const TetMesh& mesh = meshes[trial / 2];
    const Integrator integrator = trial % 2 == 0 ? Integrator::euler : Integrator::bdf2;
    SCOPED_TRACE(testing::Message() << "mesh " << trial / 2 << (trial % 2 == 0 ? "" : ", bdf2"));
    // As stiff as it may be: just below the limit, by asking with a stiff one.
    Material material;
    material.young = 1e10;
    World ask({.integrator = integrator, .threads = 1});
    ask.add(Solid{.mesh = mesh, .material = material});
    ASSERT_EQ(ask.unresolved().size(), 1u);
    material.young *= (integrator == Integrator::euler ? 1.99 : 0.0199) / ask.unresolved()[0].resolution;
    World world({.integrator = integrator, .gravity = {}, .threads = 1});
    const BodyId body = world.add(Solid{.mesh = mesh, .material = material});
    ASSERT_TRUE(world.unresolved().empty());
    std::vector<Vec3d> kick;
    for (std::size_t v = 0; v < mesh.positions.size(); ++v) {
      Vec3d u;
      for (int axis = 0; axis < 3; ++axis) {
        random = random * 1664525u + 1013904223u;
        u[axis] = (random >> 8) / 16777216.0 - 0.5;
      }
      kick.push_back(u * (0.02 * std::sqrt(material.young / material.density)));
    }
    world.set_velocities(body, kick);
    const double before = world.measures().kinetic_energy;
    for (int i = 0; i < 100; ++i) world.step();
    const Measures after = world.measures();
    EXPECT_LT(after.kinetic_energy + after.elastic_energy, before);
    EXPECT_TRUE(world.troubles().empty());
  }
}

}  // namespace
}  // namespace pliant::test
