// Undamped kicks of whole bodies die out, or at least do not grow, whatever the body's shape and pressure.

#include <gtest/gtest.h>

#include <cmath>

#include "pliant/mesh.h"
#include "pliant/world.h"

namespace pliant::test {
namespace {

struct Kick {
  std::array<int, 3> cells;
  double poisson, kappa;
  int steps;
  MaterialModel model = MaterialModel::neo_hookean;
};

/// Every vertex is kicked in another direction by up to a hundredth of the speed of sound. Kinetic and elastic energy
/// does not grow: not in the last three quarters of the steps (a free body goes on turning), nor by a multiple before.
void expect_no_growth(const Kick& kick) {
  SCOPED_TRACE(testing::Message() << kick.cells[0] << " x " << kick.cells[1] << " x " << kick.cells[2] << ", poisson "
                                  << kick.poisson << ", kappa " << kick.kappa);
  constexpr int kSubsteps = 10;
  constexpr double kStep = 1.0 / 60, kDensity = 1000, kCell = 0.02;
  const double dt = kStep / kSubsteps, young = kick.kappa * kDensity * kCell * kCell / (dt * dt);
  World world({.step = kStep, .substeps = kSubsteps, .gravity = {}, .threads = 2});
  const Vec3d size{kCell * kick.cells[0], kCell * kick.cells[1], kCell * kick.cells[2]};
  const TetMesh mesh = box_tets(size, {kick.cells[0], kick.cells[1], kick.cells[2]});
  const BodyId body = world.add(
      Solid{.mesh = mesh,
            .material = Material{.model = kick.model, .young = young, .poisson = kick.poisson, .density = kDensity}});
  std::vector<Vec3d> velocities;
  const double speed = 0.01 * std::sqrt(young / kDensity);
  for (std::size_t v = 0; v < mesh.positions.size(); ++v) {
    const double k = 1 + double(v);
    velocities.push_back(Vec3d{std::sin(12.9898 * k), std::sin(78.233 * k), std::sin(37.719 * k)} * speed);
  }
  world.set_velocities(body, velocities);
  const auto energy = [&] {
    const Measures m = world.measures();
    return m.kinetic_energy + m.elastic_energy;
  };
  world.step();
  const double first = energy();
  double quarter = 0;
  for (int step = 1; step < kick.steps; ++step) {
    world.step();
    if (step == kick.steps / 4) quarter = energy();
  }
  EXPECT_TRUE(world.troubles().empty());
  EXPECT_LT(quarter, 2 * first);
  EXPECT_LT(energy(), 1.02 * quarter);
}

// With one sweep per substep and all multipliers kept, up to a resolution of 2 for all bodies, these ended with 1e3 to
// 1e6 times the energy of the first step.
TEST(Kick, DiesOutInThickBodiesOfRubber) {
  for (const MaterialModel model : {MaterialModel::neo_hookean, MaterialModel::stvk}) {
    expect_no_growth({{16, 16, 16}, 0.45, 1, 64, model});
    expect_no_growth({{16, 16, 16}, 0.45, 1.9, 64, model});
    expect_no_growth({{12, 12, 12}, 0.49, 0.35, 100, model});
    expect_no_growth({{12, 12, 12}, 0.49, 1.9, 100, model});  // beyond two sweeps: starts from zero
  }
}

TEST(Kick, DiesOutInThinBodies) {
  expect_no_growth({{24, 1, 1}, 0.3, 1.3, 300});
  expect_no_growth({{48, 2, 2}, 0.3, 1.9, 300});
  expect_no_growth({{24, 24, 1}, 0.49, 0.5, 600});
}

}  // namespace
}  // namespace pliant::test
