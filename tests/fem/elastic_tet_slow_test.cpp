// The engine's elastic tets against the finite-element reference: the same mesh and material at rest.

#include <gtest/gtest.h>

#include <cmath>

#include "fem/statics.h"
#include "pliant/world.h"

namespace pliant::test {
namespace {

struct Case {
  MaterialModel model;
  int cells;
  double young, poisson, density;
  int substeps = 20;
  OrthotropicElasticity orthotropic{};
  ElasticityMatrix elasticity{};
  std::array<Vec3d, 3> axes = Material{}.axes;
  std::vector<Fiber> fibers{};
};

struct Outcome {
  double mean_square;  // mean over moving vertices of the squared relative error (real17's measure)
  double worst;        // largest relative error
  double lowest;       // how far the lowest vertex sinks, negative [m]
  std::vector<std::string> warnings;
};

Outcome run_to_rest(const Case& c, Vec3d start = {}) {
  const TetMesh mesh = box_tets({1, 1, 1}, {c.cells, c.cells, c.cells});
  const auto at_floor = [](const Vec3d& x) { return x.y < -0.499; };
  Material material;
  material.model = c.model;
  material.young = c.young;
  material.poisson = c.poisson;
  material.density = c.density;
  material.orthotropic = c.orthotropic;
  material.elasticity = c.elasticity;
  material.axes = c.axes;
  material.fibers = c.fibers;
  fem::Problem problem{.mesh = mesh, .material = material, .gravity = {0, -9.81, 0}};
  problem.supports = fem::hold(mesh, at_floor);
  const fem::StaticsResult reference = fem::solve_statics(problem);
  EXPECT_TRUE(reference.converged);

  World world({.substeps = c.substeps, .point_damping = 3, .threads = 1});
  const BodyId cube = world.add(Solid{.mesh = mesh, .material = material, .place = {.position = start}});
  std::vector<int> floor;
  for (std::size_t v = 0; v < mesh.positions.size(); ++v) {
    if (at_floor(mesh.positions[v])) floor.push_back(static_cast<int>(v));
  }
  world.pin(cube, floor);
  for (int step = 0; step < 300; ++step) world.step();
  const std::vector<Vec3d> x = world.positions(cube);
  Outcome out{0, 0, 0, world.warnings()};
  int moving = 0;
  for (std::size_t v = 0; v < x.size(); ++v) {
    const double u = length(reference.displacements[v]);
    if (u == 0) continue;
    out.lowest = std::min(out.lowest, x[v].y - start.y - mesh.positions[v].y);
    const double error = length(x[v] - start - mesh.positions[v] - reference.displacements[v]) / u;
    out.mean_square += error * error;
    out.worst = std::max(out.worst, error);
    ++moving;
  }
  out.mean_square /= moving;
  return out;
}

TEST(ElasticTet, RestsWhereFiniteElementsRest) {
  for (MaterialModel model :
       {MaterialModel::stvk, MaterialModel::neo_hookean, MaterialModel::neo_hookean_stable, MaterialModel::corotated}) {
    for (double poisson : {0.0, 0.3, 0.45, 0.49}) {
      for (double young : {1e3, 1e4}) {
        SCOPED_TRACE(testing::Message() << "model " << int(model) << " E " << young << " nu " << poisson);
        const Outcome out = run_to_rest({model, 3, young, poisson, 1});
        EXPECT_LT(out.mean_square, 1e-6);  // 0.1 %, in float
        EXPECT_TRUE(out.warnings.empty());
      }
    }
  }
}

TEST(ElasticTet, OrthotropicRestsWhereFiniteElementsRest) {
  // Fibres that are slanted against the cells and against gravity.
  const double s = std::sqrt(0.5);
  Case c{MaterialModel::orthotropic, 3, 0, 0, 1};
  c.orthotropic = {.young_1 = 2e4,
                   .young_2 = 5e3,
                   .young_3 = 3e3,
                   .poisson_12 = 0.3,
                   .poisson_13 = 0.2,
                   .poisson_23 = 0.35,
                   .shear_12 = 4e3,
                   .shear_13 = 2e3,
                   .shear_23 = 1.5e3};
  c.axes = {{{s, s, 0}, {-s, s, 0}, {0, 0, 1}}};
  EXPECT_LT(run_to_rest(c).mean_square, 1e-6);
  // A matrix of 21 constants: the same material, seen from the axes of the body.
  c.elasticity = rotated(elasticity_matrix(c.orthotropic), c.axes);
  c.axes = Material{}.axes;
  c.model = MaterialModel::anisotropic;
  EXPECT_LT(run_to_rest(c).mean_square, 1e-6);
}

TEST(ElasticTet, FibersRestWhereFiniteElementsRest) {
  for (MaterialModel model : {MaterialModel::stvk, MaterialModel::neo_hookean, MaterialModel::corotated}) {
    SCOPED_TRACE(testing::Message() << "model " << int(model));
    Case c{model, 3, 1e3, 0.3, 1};
    const double plain = run_to_rest(c).lowest;
    c.fibers = {{.direction = {0, 2, 0}, .stiffness = 4e3}, {.direction = {1, 1, 0}, .stiffness = 2e3}};
    const Outcome out = run_to_rest(c);
    EXPECT_LT(out.mean_square, 1e-6);
    EXPECT_GT(out.lowest, 0.3 * plain) << "fibers along gravity carry the weight";
  }
}

TEST(ElasticTet, FibersAndAxesMayDifferFromTetToTet) {
  const TetMesh mesh = box_tets({1, 1, 1}, {2, 2, 2});
  const auto hash_after = [&](const Material& material) {
    World world({.substeps = 20, .threads = 1});
    const BodyId cube = world.add(Solid{.mesh = mesh, .material = material});
    world.pin(cube, {0, 1, 2});
    for (int step = 0; step < 5; ++step) world.step();
    return world.state_hash();
  };
  // Wound around an axis, or the same directions one by one.
  Material wound{.model = MaterialModel::neo_hookean, .young = 1e4};
  wound.fibers = {{.direction = {0, 1, 0}, .stiffness = 5e4, .around = Vec3d{0.1, 0, 0.05}}};
  Material listed = wound;
  listed.fibers[0].around.reset();
  for (const Tet& t : mesh.tets) {
    const auto& x = mesh.positions;
    const Vec3d center = (x[t[0]] + x[t[1]] + x[t[2]] + x[t[3]]) * 0.25;
    listed.fibers[0].directions.push_back(cross(Vec3d{0, 1, 0}, center - Vec3d{0.1, 0, 0.05}));
  }
  EXPECT_EQ(hash_after(wound), hash_after(listed));
  EXPECT_NE(hash_after(wound), hash_after({.model = MaterialModel::neo_hookean, .young = 1e4}));

  Material same{.model = MaterialModel::orthotropic};
  same.orthotropic.young_1 = 1e6;
  const uint64_t along_x = hash_after(same);
  same.axes_of_tets.assign(mesh.tets.size(), same.axes);
  EXPECT_EQ(hash_after(same), along_x);
  same.axes_of_tets[3] = {{{0, 1, 0}, {0, 0, 1}, {1, 0, 0}}};
  EXPECT_NE(hash_after(same), along_x);
  same.axes_of_tets.pop_back();
  EXPECT_THROW(hash_after(same), Error);
  listed.fibers[0].directions.pop_back();
  EXPECT_THROW(hash_after(listed), Error);
}

TEST(ElasticTet, DensityAndPlaceDoNotMatter) {
  for (MaterialModel model : {MaterialModel::stvk, MaterialModel::neo_hookean}) {
    EXPECT_LT(run_to_rest({model, 3, 1e6, 0.3, 1000}).mean_square, 1e-6);
    EXPECT_LT(run_to_rest({model, 3, 1e3, 0.3, 1}, {100, 50, -70}).mean_square, 1e-6);
  }
}

TEST(ElasticTet, SaysWhenSubstepsDoNotResolveTheMaterial) {
  const Outcome out = run_to_rest({MaterialModel::stvk, 4, 1e7, 0.3, 1});
  ASSERT_EQ(out.warnings.size(), 1u);
  EXPECT_NE(out.warnings[0].find("substeps"), std::string::npos);
  EXPECT_GT(out.worst, 0.01);  // and it is right to say so
}

TEST(ElasticTet, FreeBodyKeepsItsMomenta) {
  for (MaterialModel model : {MaterialModel::stvk, MaterialModel::neo_hookean, MaterialModel::corotated}) {
    World world({.gravity = {}, .threads = 1});
    Material material;
    material.model = model;
    material.young = 1e5;
    const BodyId box = world.add(Solid{.mesh = box_tets({1, 0.5, 0.3}, {6, 3, 2}), .material = material});
    std::vector<Vec3d> v;
    for (const Vec3d& x : world.positions(box)) v.push_back(cross(Vec3d{1, 2, 0.5}, x) + Vec3d{0.3, 0.1, 0} + x * 0.5);
    world.set_velocities(box, v);
    const Measures before = world.measures();
    for (int step = 0; step < 120; ++step) world.step();
    const Measures after = world.measures();
    // Rounding of some 10^5 corrections in float.
    EXPECT_LT(length(after.linear_momentum - before.linear_momentum), 1e-4 * length(before.linear_momentum));
    EXPECT_LT(length(after.angular_momentum - before.angular_momentum), 2e-3 * length(before.angular_momentum));
    EXPECT_LE(after.total_energy, before.total_energy * 1.001);
    EXPECT_TRUE(world.troubles().empty());
  }
}

TEST(ElasticTet, RefusesWhatItCannotDo) {
  World world;
  Material material;
  material.model = MaterialModel::linear;
  const TetMesh mesh = box_tets({1, 1, 1}, {1, 1, 1});
  EXPECT_THROW(world.add(Solid{.mesh = mesh, .material = material}), Error);
  material.model = MaterialModel::stvk;
  material.poisson = 0.5;
  EXPECT_THROW(world.add(Solid{.mesh = mesh, .material = material}), Error);
  EXPECT_THROW(world.add(Solid{.mesh = mesh, .constraints = {{"tet_stvk", {}}}}), Error);
}

}  // namespace
}  // namespace pliant::test
