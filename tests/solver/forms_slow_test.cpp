// A cloth of fine cells, let fall with two corners held: rigid bends of small cells made 22 kJ out of nothing.

#include <gtest/gtest.h>

#include "pliant/mesh.h"
#include "pliant/world.h"

namespace pliant::test {
namespace {

TEST(Forms, FineClothWithRigidBendsKeepsItsEnergy) {
  World world({.step = 1.0 / 60, .substeps = 10, .threads = 2});
  const BodyId body = world.add(Cloth{.mesh = grid({2, 2}, {200, 200}),
                                      .density = 0.25,
                                      .constraints = {{"distance", {}}, {"bend", {.compliance = 10}}}});
  world.pin(body, {0, 200});
  const double start = world.measures().gravity_energy;
  double fallen = 0;
  for (int frame = 0; frame < 120; ++frame) {
    world.step();
    if (frame % 5 != 4) continue;
    const Measures m = world.measures();
    fallen = std::max(fallen, start - m.gravity_energy);
    ASSERT_LT(m.kinetic_energy + m.gravity_energy - start, 0.01 * fallen) << "frame " << frame;
  }
  EXPECT_GT(fallen, 5);  // [J]
}

}  // namespace
}  // namespace pliant::test
