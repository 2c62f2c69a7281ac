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
  Integrator integrator = Integrator::euler;
  int iterations = 1;
  CellSplit split = CellSplit::five;
};

constexpr int kSubsteps = 10;
constexpr double kStep = 1.0 / 60, kCell = 0.02;

WorldOptions options_of(const Kick& kick) {
  return {.step = kStep,
          .substeps = kSubsteps,
          .iterations = kick.iterations,
          .integrator = kick.integrator,
          .gravity = {},
          .threads = 2};
}

/// What makes a stiffness of density kCell^2 kappa / dt^2.
double stiffness_of(const Kick& kick, double density) {
  const double dt = kStep / kSubsteps * (kick.integrator == Integrator::bdf2 ? 2.0 / 3 : 1);
  return kick.kappa * density * kCell * kCell / (dt * dt);
}

/// Every vertex is kicked in another direction by up to `speed` [m/s]. Kinetic and elastic energy does not grow: not in
/// the last three quarters of the steps (a free body goes on turning), nor by a multiple before.
void expect_no_growth(const Kick& kick, World& world, BodyId body, std::size_t vertices, double speed) {
  SCOPED_TRACE(testing::Message() << kick.cells[0] << " x " << kick.cells[1] << " x " << kick.cells[2] << ", poisson "
                                  << kick.poisson << ", kappa " << kick.kappa);
  std::vector<Vec3d> velocities;
  for (std::size_t v = 0; v < vertices; ++v) {
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

/// A solid, by a hundredth of the speed of sound.
void expect_no_growth(const Kick& kick) {
  constexpr double kDensity = 1000;
  const double young = stiffness_of(kick, kDensity);
  World world(options_of(kick));
  const Vec3d size{kCell * kick.cells[0], kCell * kick.cells[1], kCell * kick.cells[2]};
  const TetMesh mesh = box_tets(size, kick.cells, kick.split);
  const BodyId body = world.add(
      Solid{.mesh = mesh,
            .material = Material{.model = kick.model, .young = young, .poisson = kick.poisson, .density = kDensity}});
  expect_no_growth(kick, world, body, mesh.positions.size(), 0.01 * std::sqrt(young / kDensity));
}

/// A sheet without bending stiffness. It crumples.
void expect_no_growth_of_cloth(const Kick& kick) {
  constexpr double kDensity = 0.2, kThickness = 1e-3;
  const double k = stiffness_of(kick, kDensity);
  World world(options_of(kick));
  const TriMesh mesh = grid({kCell * kick.cells[0], kCell * kick.cells[1]}, {kick.cells[0], kick.cells[1]});
  Cloth cloth{.mesh = mesh, .density = kDensity};
  cloth.material =
      ClothMaterial{.young = k / kThickness, .poisson = kick.poisson, .thickness = kThickness, .bending = 0};
  const BodyId body = world.add(cloth);
  expect_no_growth(kick, world, body, mesh.positions.size(), 0.01 * std::sqrt(k / kDensity));
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

// Swept once, as bodies of so few cells are up to 0.495, these ended with 1e3 to 1e6 times the energy.
TEST(Kick, DiesOutInSmallBodiesThatHardlyChangeVolume) {
  expect_no_growth({{6, 6, 6}, 0.4975, 0.15, 300});
  expect_no_growth({{4, 4, 4}, 0.499, 0.05, 400});
  expect_no_growth({{4, 4, 4}, 0.499, 0.024, 400});  // some elements below the limit, most above
  expect_no_growth({{24, 4, 4}, 0.497, 0.15, 600});
}

// With limits of cells of five tets this one blew up.
TEST(Kick, DiesOutWhereManyElementsMeet) {
  expect_no_growth({.cells = {12, 12, 12}, .poisson = 0.45, .kappa = 0.705, .steps = 150, .split = CellSplit::six});
}

// With limits that did not know the body's shape and pressure these ended with 50 to 1e6 times the energy.
TEST(Kick, DiesOutWithBdf2) {
  const auto bdf2 = [](std::array<int, 3> cells, double poisson, double kappa, int steps, int iterations) {
    expect_no_growth({cells, poisson, kappa, steps, MaterialModel::neo_hookean, Integrator::bdf2, iterations});
  };
  for (const double kappa : {0.0045, 0.019}) {  // kept and not
    bdf2({4, 4, 4}, 0.49, kappa, 800, 1);
    bdf2({8, 8, 8}, 0.49, kappa, 300, 1);
    bdf2({12, 12, 12}, 0.49, kappa, 80, 1);
  }
  bdf2({4, 4, 4}, 0.495, 0.03, 800, 2);
  bdf2({6, 6, 6}, 0.49, 0.2, 400, 2);
  bdf2({8, 8, 8}, 0.49, 0.1, 240, 2);
  bdf2({8, 8, 8}, 0.49, 0.2, 240, 2);
  bdf2({12, 12, 12}, 0.49, 0.1, 120, 2);
  bdf2({24, 1, 1}, 0.3, 0.49, 400, 2);
}

// With multipliers kept up to k dt^2 / (density h^2) = 2 in all sheets, strips of one and two cells, wide sheets that
// do not get narrower when pulled and those that resist a change of area far more than being pulled rang with two to
// ten times the energy of the kick for as long as one cared to look.
TEST(Kick, DiesOutInCloth) {
  expect_no_growth_of_cloth({{48, 1, 0}, 0.3, 1.9, 200});
  expect_no_growth_of_cloth({{48, 2, 0}, 0, 1.4, 200});
  expect_no_growth_of_cloth({{48, 48, 0}, 0, 1.9, 100});
  expect_no_growth_of_cloth({{24, 24, 0}, 0.9, 0.6, 100});
  expect_no_growth_of_cloth({{48, 48, 0}, 0.8, 1.1, 100});
}

// The largest resolutions at which they are kept now.
TEST(Kick, DiesOutInClothThatKeepsItsMultipliers) {
  expect_no_growth_of_cloth({{48, 1, 0}, 0, 0.72, 300});
  expect_no_growth_of_cloth({{48, 2, 0}, 0, 0.96, 300});
  expect_no_growth_of_cloth({{48, 48, 0}, 0, 1.38, 100});
  expect_no_growth_of_cloth({{24, 24, 0}, 0.3, 1.34, 100});
}

// Tension that was left to the next substep made these gain ten times their energy.
TEST(Kick, DiesOutInClothWithBdf2) {
  expect_no_growth_of_cloth({{24, 24, 0}, 0.3, 0.15, 200, {}, Integrator::bdf2, 2});
  expect_no_growth_of_cloth({{24, 24, 0}, 0.3, 0.33, 100, {}, Integrator::bdf2, 10});
}

// The same tension turns with a body that spins: it must neither drive nor brake it.
TEST(Spin, IsKeptByBdf2) {
  constexpr double kSpin = 5;  // [rad/s]
  World world({.step = kStep, .substeps = 40, .integrator = Integrator::bdf2, .gravity = {}, .threads = 2});
  const TetMesh mesh = box_tets({0.8, 0.2, 0.2}, {16, 4, 4});
  const BodyId body = world.add(Solid{.mesh = mesh, .material = Material{.young = 1e5, .poisson = 0.3}});
  Vec3d middle{};
  for (const Vec3d& x : mesh.positions) middle += x / static_cast<double>(mesh.positions.size());
  std::vector<Vec3d> velocities;
  for (const Vec3d& x : mesh.positions) velocities.push_back(cross(Vec3d{0, kSpin, 0}, x - middle));
  world.set_velocities(body, velocities);
  const double before = length(world.measures().angular_momentum);
  for (int step = 0; step < 60; ++step) world.step();
  EXPECT_TRUE(world.warnings().empty());
  // It gained 1.1 % in this second; 2e-4 is lost while it takes its stretched shape.
  EXPECT_NEAR(length(world.measures().angular_momentum) / before, 1, 1e-3);
}

}  // namespace
}  // namespace pliant::test
