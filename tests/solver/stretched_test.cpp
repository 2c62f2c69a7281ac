// Elements that are swept twice because they have become stiff (solver/stretched.cpp).
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

  explicit PulledBar(int threads, MaterialModel model = MaterialModel::stvk)
      : world({.substeps = 20, .gravity = {}, .point_damping = 100, .threads = threads}) {
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

TEST(Stretched, BarComesToRest) {
  PulledBar pulled(1);
  pulled.world.build();
  EXPECT_TRUE(pulled.world.warnings().empty());
  for (int i = 0; i < 90; ++i) pulled.world.step();
  // With one sweep it rings at 17 m/s. What is left is rounding over the length of a substep.
  EXPECT_LT(pulled.largest_speed(), 1e-3);
}

TEST(Stretched, BitsDoNotDependOnThreadsOrSnapshots) {
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
