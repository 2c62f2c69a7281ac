// What a message about energy says helps, does.

#include <gtest/gtest.h>

#include "pliant/pliant.h"

namespace pliant::test {
namespace {

/// The cloth of energy_watch_test.cpp, which gains 22 000 J in these two seconds with 10 substeps and `bend`.
void expect_no_gain(int substeps, const Constraints& constraints) {
  World world({.substeps = substeps});
  const BodyId cloth = world.add(Cloth{.mesh = grid({2, 2}, {200, 200}), .density = 0.25, .constraints = constraints});
  world.pin(cloth, {0, 200});
  for (int step = 0; step < 120; ++step) {
    world.step();
    const Measures m = world.measures();
    ASSERT_LE(m.kinetic_energy + m.gravity_energy, 0.5) << "step " << step;  // of the 20 J that it falls by
  }
  for (const Trouble& t : world.troubles()) ADD_FAILURE() << t.message;
}

TEST(EnergyWatchRemedies, IsometricBend) { expect_no_gain(10, {{"distance", {}}, {"isometric_bend", {}}}); }
TEST(EnergyWatchRemedies, FourTimesTheSubsteps) {
  expect_no_gain(40, {{"distance", {}}, {"bend", {.compliance = 10}}});
}

}  // namespace
}  // namespace pliant::test
