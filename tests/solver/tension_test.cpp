// Elements whose tension turns further in a substep than kept multipliers follow by themselves (solver/tension.cpp).
#include <gtest/gtest.h>

#include <algorithm>

#include "pliant/world.h"

namespace pliant {
namespace {

/// A bar of 2 : 1 : 1 whose ends are pulled apart by half of its length within half a second. At rest its kappa,
/// E dt^2 / (density h^2), is 0.4.
struct PulledBar {
  World world;
  BodyId bar;

  explicit PulledBar(int threads, MaterialModel model = MaterialModel::stvk, int iterations = 1)
      : world({.substeps = 20, .iterations = iterations, .gravity = {}, .point_damping = 100, .threads = threads}) {
    const TetMesh mesh = box_tets({2, 1, 1}, {8, 4, 4});
    bar = world.add(Solid{.mesh = mesh, .material = Material{.model = model, .young = 4e7, .poisson = 0.3}});
    for (const double side : {-1.0, 1.0}) {
      std::vector<int> end;
      for (std::size_t v = 0; v < mesh.positions.size(); ++v) {
        if (mesh.positions[v].x * side > 0.999) end.push_back(static_cast<int>(v));
      }
      world.pin(bar, end, {{.time = 0}, {.time = 0.5, .move = {0.5 * side, 0, 0}}});
    }
  }

  double largest_speed() const {
    double speed = 0;
    for (const Vec3d& v : world.velocities(bar)) speed = std::max(speed, length(v));
    return speed;
  }
};

TEST(Tension, BarComesToRest) {
  // Left to the next substep the tension makes it ring at 17 m/s, at any number of iterations. What is left is rounding
  // over the length of a substep.
  for (const int iterations : {1, 3}) {
    PulledBar pulled(1, MaterialModel::stvk, iterations);
    pulled.world.build();
    EXPECT_TRUE(pulled.world.warnings().empty());
    for (int i = 0; i < 90; ++i) pulled.world.step();
    EXPECT_LT(pulled.largest_speed(), 1e-3) << iterations;
  }
}

TEST(Tension, SheetComesToRest) {
  // k dt^2 / (density h^2) = 1. Left to the next substep the tension makes it ring for ever.
  constexpr double kStep = 1.0 / 1200, kCell = 1.0 / 16, kDensity = 0.2;
  World world({.substeps = 20, .gravity = {}, .point_damping = 20, .threads = 1});
  const TriMesh mesh = grid({1, 1}, {16, 16});
  ClothMaterial material{.poisson = 0.3, .bending = 0};
  material.young = kDensity * kCell * kCell / (kStep * kStep) / material.thickness;
  const BodyId sheet = world.add(Cloth{.mesh = mesh, .density = kDensity, .material = material});
  for (const double side : {-1.0, 1.0}) {
    std::vector<int> end;
    for (std::size_t v = 0; v < mesh.positions.size(); ++v) {
      if (mesh.positions[v].x * side > 0.499) end.push_back(static_cast<int>(v));
    }
    world.pin(sheet, end, {{.time = 0}, {.time = 0.5, .move = {0.2 * side, 0, 0}}});
  }
  std::vector<Vec3d> kick(mesh.positions.size());
  for (std::size_t v = 0; v < kick.size(); ++v) kick[v].y = 0.01 * (static_cast<double>(v * 7 % 5) - 2);
  world.set_velocities(sheet, kick);
  for (int i = 0; i < 150; ++i) world.step();
  double speed = 0;
  for (const Vec3d& v : world.velocities(sheet)) speed = std::max(speed, length(v));
  EXPECT_LT(speed, 1e-3);
}

/// A bar that turns about an axis across it, stretched by 7 %, goes on turning: its tension is not such that it counts.
TEST(Tension, OfASpinningBarKeepsItsMomenta) {
  World world({.substeps = 20, .gravity = {}, .threads = 1});
  const TetMesh mesh = box_tets({2, 1, 1}, {8, 4, 4});
  const BodyId bar = world.add(Solid{.mesh = mesh, .material = Material{.young = 1e7, .poisson = 0.3}});
  std::vector<Vec3d> v(mesh.positions.size());
  for (std::size_t i = 0; i < v.size(); ++i) v[i] = {1 - 60 * mesh.positions[i].y, 60 * mesh.positions[i].x, 0};
  world.set_velocities(bar, v);
  for (int i = 0; i < 20; ++i) world.step();  // it swings while it gets longer
  const Measures before = world.measures();
  EXPECT_GT(before.largest_strain, 0.1);
  for (int i = 0; i < 30; ++i) world.step();
  const Measures after = world.measures();
  // 600 substeps of rounding in float.
  EXPECT_LT(length(after.linear_momentum - before.linear_momentum), 2e-4 * length(before.linear_momentum));
  EXPECT_LT(length(after.angular_momentum - before.angular_momentum), 1e-4 * length(before.angular_momentum));
}

TEST(Tension, BitsDoNotDependOnThreadsOrSnapshots) {
  PulledBar one(1), three(3), resumed(2);
  for (int i = 0; i < 20; ++i) {
    one.world.step();
    three.world.step();
  }
  ASSERT_EQ(one.world.state_hash(), three.world.state_hash());
  resumed.world.restore(one.world.snapshot());
  for (int i = 0; i < 15; ++i) {
    one.world.step();
    resumed.world.step();
  }
  EXPECT_EQ(one.world.state_hash(), resumed.world.state_hash());
}

}  // namespace
}  // namespace pliant
