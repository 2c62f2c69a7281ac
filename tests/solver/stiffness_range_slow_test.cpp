// Elastic solids over the whole range of stiffness and mass that a scene may mix.

#include <gtest/gtest.h>

#include <cmath>

#include "pliant/world.h"

namespace pliant::test {
namespace {

constexpr MaterialModel kModels[] = {MaterialModel::stvk, MaterialModel::neo_hookean};

/// Holds the vertices at the lower end of x, or the upper end of y, of a body in its starting pose.
template <class Where>
void pin_where(World& world, BodyId body, Where where) {
  std::vector<int> vertices;
  const std::vector<Vec3d> x = world.positions(body);
  for (std::size_t v = 0; v < x.size(); ++v) {
    if (where(x[v])) vertices.push_back(static_cast<int>(v));
  }
  world.pin(body, vertices);
}

/// How far the free face of a wall-mounted cube hangs down at rest [m].
double sag(MaterialModel model, double young) {
  World world({.substeps = 20, .point_damping = 40, .threads = 1});
  const BodyId cube = world.add(Solid{.mesh = box_tets({1, 1, 1}, {3, 3, 3}),
                                      .material = Material{.model = model, .young = young, .poisson = 0.3}});
  pin_where(world, cube, [](const Vec3d& x) { return x.x < -0.499; });
  for (int step = 0; step < 60; ++step) world.step();
  EXPECT_TRUE(world.warnings().empty());
  double sum = 0;
  int count = 0;
  const std::vector<Vec3d> rest = world.rest_positions(cube), x = world.positions(cube);
  for (std::size_t v = 0; v < x.size(); ++v) {
    if (rest[v].x < 0.499) continue;
    sum += rest[v].y - x[v].y;
    ++count;
  }
  return sum / count;
}

TEST(StiffnessRange, TwiceAsStiffHangsHalfAsFar) {
  for (const MaterialModel model : kModels) {
    // From 10 MPa on the strains of this cube are below 0.3 %, where every model is Hooke's law.
    for (const double young : {1e7, 2e7, 4e7}) EXPECT_NEAR(sag(model, young) / sag(model, 2 * young), 2, 0.02);
  }
}

// Bodies from 100 Pa to 100 GPa and of 1 and 1000 kg/m^3 hang in one scene, most of them far stiffer than ten substeps
// resolve. None may blow up, nor disturb the others.
TEST(StiffnessRange, AllInOneSceneStayWhereTheyAre) {
  World world({.threads = 1});
  struct Hanging {
    BodyId body;
    double young, density;
  };
  std::vector<Hanging> all;
  for (const MaterialModel model : kModels) {
    for (const double density : {1.0, 1000.0}) {
      for (double young = 1e2; young < 2e11; young *= 10) {
        // A weight above the stiffness stretches a body to several times its length. St. Venant-Kirchhoff bears that;
        // Neo-Hookean gets inverted elements when it swings back.
        if (model == MaterialModel::neo_hookean && density * 9.81 > young) continue;
        const Material material{.model = model, .young = young, .poisson = 0.3, .density = density};
        const BodyId body = world.add(Solid{.mesh = box_tets({1, 1, 1}, {2, 2, 2}),
                                            .material = material,
                                            .place = {.position = {3.0 * static_cast<double>(all.size()), 0, 0}}});
        pin_where(world, body, [](const Vec3d& x) { return x.y > 0.499; });
        all.push_back({body, young, density});
      }
    }
  }
  EXPECT_FALSE(world.warnings().empty());
  for (int step = 0; step < 10000; ++step) world.step();
  for (const Trouble& t : world.troubles()) {
    // St. Venant-Kirchhoff under ten times its stiffness in weight stretches to several times its length; as it swings
    // it gains energy, of which the watch tells.
    EXPECT_EQ(t.kind, Trouble::Kind::energy_gain) << t.message;
    EXPECT_EQ(t.body, "solid11") << t.message;
  }
  for (const Hanging& h : all) {
    double lowest = 0;
    for (const Vec3d& x : world.positions(h.body)) {
      ASSERT_TRUE(std::isfinite(x.x) && std::isfinite(x.y) && std::isfinite(x.z)) << h.young << " " << h.density;
      lowest = std::min(lowest, x.y);
    }
    // A bar under its own weight gets longer by density g L^2 / (2 E); this one's upper face is held, so a little less.
    // What is not resolved may look softer, but ten substeps let nothing of 1 m sag by more than a centimetre of that.
    const double linear = h.density * 9.81 / (2 * h.young);
    EXPECT_LT(-lowest - 0.5, 1.2 * linear + 0.01) << "E " << h.young << ", density " << h.density;
    if (linear < 0.1) {
      EXPECT_GT(-lowest - 0.5, 0.5 * linear) << "E " << h.young << ", density " << h.density;
    }
  }
}

}  // namespace
}  // namespace pliant::test
