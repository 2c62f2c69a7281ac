// Which bodies one sweep per substep follows, and which are swept twice or start from zero.

#include <gtest/gtest.h>

#include "mesh/topology.h"
#include "pliant/material.h"
#include "pliant/mesh.h"
#include "pliant/world.h"
#include "solver/resolution.h"

namespace pliant::test {
namespace {

BodyInput body_of(std::array<int, 3> cells, CellSplit split = CellSplit::five) {
  const Vec3d size{double(cells[0]), double(cells[1]), double(cells[2])};
  const TetMesh mesh = box_tets(size, {cells[0], cells[1], cells[2]}, split);
  BodyInput body;
  body.rest = mesh.positions;
  body.tets = mesh.tets;
  body.triangles = surface_of(mesh);
  return body;
}

SweepLimits limits(const BodyInput& body, double poisson, double resolution, const WorldOptions& options = {}) {
  const Material material{.young = 1e5, .poisson = poisson};
  return sweep_limits(body, elasticity_matrix(material), material.young,
                      std::vector<double>(body.tets.size(), resolution), options);
}

TEST(SweepLimits, OrdinaryBodiesAreSweptOnce) {
  for (const double poisson : {0.0, 0.3}) {
    const SweepLimits found = limits(body_of({16, 16, 16}), poisson, 1.9);
    EXPECT_EQ(found.kept, 2);
    EXPECT_FALSE(found.twice);
  }
  EXPECT_FALSE(limits(body_of({8, 8, 8}), 0.45, 1.9).twice);
  EXPECT_FALSE(limits(body_of({24, 6, 6}), 0.3, 1.9).twice);
}

// The more cells, the fewer waves of pressure a sweep follows.
TEST(SweepLimits, ThickBodiesOfRubberAreSweptTwiceOrStartFromZero) {
  const BodyInput body = body_of({16, 16, 16});
  EXPECT_FALSE(limits(body, 0.45, 0.5).twice);
  EXPECT_TRUE(limits(body, 0.45, 0.55).twice);
  EXPECT_EQ(limits(body, 0.45, 1.2).kept, 2);
  const SweepLimits rubber = limits(body, 0.49, 1);
  EXPECT_TRUE(rubber.twice);
  EXPECT_NEAR(rubber.kept, 0.223, 0.002);
  EXPECT_FALSE(limits(body_of({6, 6, 6}), 0.49, 1.1).twice);
  // Five iterations are five sweeps.
  const SweepLimits five = limits(body, 0.49, 1, {.iterations = 5});
  EXPECT_FALSE(five.twice);
  EXPECT_NEAR(five.kept, 0.223 * 6.725 / 2.414, 0.005);
}

// What counts of the shape is the longest wave of pressure: a beam and a cube of 12 cells have about as much surface.
TEST(SweepLimits, BeamsFollowMoreThanCubesOfTheirDepth) {
  EXPECT_TRUE(limits(body_of({12, 12, 12}), 0.45, 0.9).twice);
  EXPECT_FALSE(limits(body_of({48, 9, 9}), 0.45, 0.9).twice);
  EXPECT_TRUE(limits(body_of({24, 24, 12}), 0.45, 0.6).twice);
  EXPECT_FALSE(limits(body_of({24, 24, 8}), 0.45, 0.6).twice);
}

// Each element wants its volume kept, and of six in a cell more meet at a vertex than of five.
TEST(SweepLimits, AreSmallerWhereMoreElementsMeet) {
  EXPECT_FALSE(limits(body_of({12, 12, 12}), 0.45, 0.7).twice);
  EXPECT_TRUE(limits(body_of({12, 12, 12}, CellSplit::six), 0.45, 0.6).twice);
}

// BDF2 takes no energy out, and may leave less for the next substep.
TEST(SweepLimits, AreSmallerForBdf2) {
  const WorldOptions once{.integrator = Integrator::bdf2}, often{.iterations = 2, .integrator = Integrator::bdf2};
  const BodyInput cube = body_of({16, 16, 16});
  EXPECT_EQ(limits(body_of({4, 4, 4}), 0.3, 0.019, once).kept, 0.02);
  EXPECT_EQ(limits(body_of({4, 4, 4}), 0.3, 0.49, often).kept, 0.5);
  EXPECT_NEAR(limits(cube, 0.49, 0.019, once).kept, 0.0047, 1e-4);
  EXPECT_NEAR(limits(cube, 0.49, 0.49, often).kept, 0.25 * 0.0924, 1e-3);
  // Small cubes of rubber are no exception.
  EXPECT_NEAR(limits(body_of({4, 4, 4}), 0.49, 0.019, once).kept, 0.0047, 1e-4);
  EXPECT_NEAR(limits(body_of({6, 6, 6}), 0.49, 0.49, often).kept, 0.117, 0.002);
  EXPECT_NEAR(limits(body_of({48, 1, 1}), 0.3, 0.49, often).kept, 0.25 * 1.75 * 0.247, 1e-3);
  EXPECT_FALSE(limits(cube, 0.49, 0.019, once).twice);
}

TEST(SweepLimits, ThinBodiesThatAreLongOrWideAreSweptTwice) {
  EXPECT_FALSE(limits(body_of({1, 1, 1}), 0.3, 1.9).twice) << "a cube does not bend";
  EXPECT_FALSE(limits(body_of({3, 3, 3}), 0.49, 1.8).twice);
  EXPECT_TRUE(limits(body_of({3, 3, 3}), 0.499, 0.2).twice);
  EXPECT_TRUE(limits(body_of({48, 1, 1}), 0.3, 0.5).twice);
  EXPECT_FALSE(limits(body_of({48, 1, 1}), 0.3, 0.4).twice);
  EXPECT_NEAR(limits(body_of({48, 1, 1}), 0.3, 1.9).kept, 1.75 * 0.247 * 2.414, 0.01);
  EXPECT_TRUE(limits(body_of({24, 24, 2}), 0.3, 1.7).twice);
  EXPECT_TRUE(limits(body_of({24, 24, 1}), 0.49, 0.3).twice);
  EXPECT_FALSE(limits(body_of({24, 24, 1}), 0.49, 0.2).twice);
}

// A few stiff elements say nothing of the body.
TEST(SweepLimits, HalfOfTheElementsCount) {
  const BodyInput body = body_of({16, 16, 16});
  std::vector<double> resolution(body.tets.size(), 0.5);
  std::fill_n(resolution.begin(), resolution.size() / 3, 1.9);
  const Material material{.young = 1e5, .poisson = 0.45};
  const SweepLimits found = sweep_limits(body, elasticity_matrix(material), material.young, resolution, {});
  EXPECT_FALSE(found.twice);
  EXPECT_EQ(found.kept, 2);
}

}  // namespace
}  // namespace pliant::test
