// Elastic solids that hit the ground hard enough to squash and to invert elements: what they had is all they have.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "pliant/pliant.h"

namespace pliant::test {
namespace {

struct Impact {
  MaterialModel model;
  double poisson;
  int cells, substeps;
};

/// A cube of 1 m and ten times its weight in Young's modulus, that turns and falls by its length on a plane.
class Impacts : public testing::TestWithParam<Impact> {};

TEST_P(Impacts, GiveNoEnergyAndThrowNoVertexOut) {
  const Impact c = GetParam();
  World world({.step = 1.0 / 60, .substeps = c.substeps, .threads = 1});
  constexpr double kDensity = 1000, kYoung = 10 * kDensity * 9.81;
  const BodyId cube = world.add(
      Solid{.mesh = box_tets({1, 1, 1}, {c.cells, c.cells, c.cells}),
            .material = Material{.model = c.model, .young = kYoung, .poisson = c.poisson, .density = kDensity},
            .place = {.position = {0, 1.5, 0}, .rotation = {0.3, 0.2, 0.1}}});
  world.add(Plane{});
  const std::vector<Vec3d> rest = world.rest_positions(cube);
  std::vector<Vec3d> v;
  for (const Vec3d& x : world.positions(cube))
    v.push_back(cross(Vec3d{3, 1.5, 0}, x - Vec3d{0, 1.5, 0}) + Vec3d{2, 0, 0});
  world.set_velocities(cube, v);

  const auto volume = [](const std::vector<Vec3d>& x, const Tet& t) {
    return dot(x[t[1]] - x[t[0]], cross(x[t[2]] - x[t[0]], x[t[3]] - x[t[0]])) / 6;
  };
  const Measures first = world.measures();
  double sunk = 0, squashed = 1;
  for (int step = 1; step <= 180; ++step) {
    world.step();
    const Measures m = world.measures();
    const double work = first.gravity_energy - m.gravity_energy;
    sunk = std::max(sunk, work);
    ASSERT_LE(m.kinetic_energy - work, first.kinetic_energy + 0.01 * (first.kinetic_energy + sunk)) << "step " << step;
    const std::vector<Vec3d> x = world.positions(cube);
    for (const Tet& t : world.tets(cube)) {
      const double ratio = volume(x, t) / volume(rest, t);
      squashed = std::min(squashed, ratio);
      ASSERT_LT(std::abs(ratio), 5) << "step " << step;
      if (step == 180) {
        EXPECT_GE(ratio, 0) << "none is inverted in the end; one that lies on the ground may be flat";
        EXPECT_LT(ratio, 2);
      }
    }
  }
  EXPECT_LT(squashed, 0.3) << "the impact is a hard one";
  EXPECT_TRUE(world.troubles().empty());
}

INSTANTIATE_TEST_SUITE_P(, Impacts,
                         testing::Values(Impact{MaterialModel::neo_hookean_stable, 0.45, 4, 1},
                                         Impact{MaterialModel::neo_hookean_stable, 0.45, 8, 3},
                                         Impact{MaterialModel::neo_hookean, 0.45, 8, 3},
                                         Impact{MaterialModel::neo_hookean_stable, 0.49, 6, 4}));

}  // namespace
}  // namespace pliant::test
