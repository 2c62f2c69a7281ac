// What World::unresolved() says of cloth that the substeps do not resolve, against how far it stretches and bends.

#include <gtest/gtest.h>

#include <cmath>

#include "pliant/world.h"

namespace pliant::test {
namespace {

constexpr double kDensity = 0.2;  // [kg/m^2]
constexpr int kCells = 20;

TriMesh sheet(Vec2d size, std::array<int, 2> cells, bool irregular) {
  TriMesh mesh = grid(size, cells);
  uint32_t random = 3;
  for (Vec3d& x : mesh.positions) {
    const bool inside = std::abs(x.x) < 0.499 * size.x && std::abs(x.z) < 0.499 * size.y;
    for (double* entry : {&x.x, &x.z}) {
      random = random * 1664525u + 1013904223u;
      const double h = size.x / cells[0];
      if (irregular && inside) *entry += ((random >> 8) / 16777216.0 - 0.5) * 0.5 * h;
    }
  }
  return mesh;
}

/// Displacement along `direction`, summed over the vertices, once it does not change any more.
double at_rest(World& world, BodyId body, const TriMesh& mesh, Vec3d direction) {
  int calm = 0;
  double before = 0;
  while (calm < 5 && world.steps() < 4000) {
    world.step();
    const std::vector<Vec3d> x = world.positions(body);
    double now = 0;
    for (std::size_t v = 0; v < x.size(); ++v) now += dot(direction, x[v] - mesh.positions[v]);
    calm = std::abs(now - before) < 1e-6 * now ? calm + 1 : 0;
    before = now;
  }
  EXPECT_EQ(calm, 5) << "it has not come to rest";
  return before;
}

/// Within a factor of three; of few per cent that many iterations leave it may say more.
void expect_close(double estimate, double real) {
  EXPECT_LT(estimate, (real < 0.05 ? 4.5 : 3) * real);
  EXPECT_GT(estimate, real / 3);
}

// A sheet of 1 m hangs along x from one edge: u = density g / k (L x - x^2 / 2).
TEST(ClothSoftness, OfStretchIsEstimatedWithinAFactorOfThree) {
  for (const bool irregular : {false, true}) {
    const TriMesh mesh = sheet({1, 1}, {kCells, kCells}, irregular);
    for (const double kappa : {4.0, 40.0}) {
      for (const int iterations : {1, 3, 10}) {
        SCOPED_TRACE(testing::Message() << (irregular ? "irregular" : "regular") << " kappa " << kappa << " iterations "
                                        << iterations);
        const double dt = 1.0 / 600, h = 1.0 / kCells, k = kappa * kDensity * h * h / (dt * dt);
        const double g = 1e-3 * k / kDensity;  // a strain of a per mille
        World world({.iterations = iterations,
                     .gravity = {g, 0, 0},
                     .point_damping = 10,
                     .threads = 1,
                     .precision = Precision::float64});
        ClothMaterial material;
        material.young = k / material.thickness;
        material.poisson = 0;
        material.bending = 0;
        const BodyId body = world.add(Cloth{.mesh = mesh, .density = kDensity, .material = material});
        std::vector<int> edge;
        double expected = 0;
        for (std::size_t v = 0; v < mesh.positions.size(); ++v) {
          const double x = mesh.positions[v].x + 0.5;
          if (x < 1e-6) edge.push_back(static_cast<int>(v));
          expected += kDensity * g / k * (x - x * x / 2);
        }
        world.pin(body, edge);
        const std::vector<Unresolved> found = world.unresolved();
        ASSERT_EQ(found.size(), 1u);
        EXPECT_EQ(found[0].stiffness, Stiffness::membrane);
        expect_close(found[0].softness, at_rest(world, body, mesh, {1, 0, 0}) / expected - 1);
      }
    }
  }
}

// A strip of 0.4 m, clamped at one end, under a weak weight: y = density g / (24 D) x^2 (x^2 + 6 L^2 - 4 L x).
TEST(ClothSoftness, OfBendingIsEstimatedWithinAFactorOfThree) {
  for (const BendingModel model : {BendingModel::triangles, BendingModel::isometric, BendingModel::dihedral}) {
    for (const double kappa : {1.0, 20.0}) {
      for (const int iterations : {1, 10}) {
        SCOPED_TRACE(testing::Message() << "model " << static_cast<int>(model) << " kappa " << kappa << " iterations "
                                        << iterations);
        const TriMesh mesh = sheet({0.4, 0.1}, {16, 4}, false);
        const double dt = 1.0 / 600, h = 0.025, D = kappa * kDensity * h * h * h * h / (dt * dt);
        const double length = 0.4 - h;                                     // two columns of vertices are held
        const double g = 8 * D / (kDensity * std::pow(length, 3)) * 1e-4;  // so that 100 times as much still is little
        World world({.iterations = iterations,
                     .gravity = {0, -g, 0},
                     .point_damping = 3,
                     .threads = 1,
                     .precision = Precision::float64});
        ClothMaterial material;
        material.young = kDensity * h * h / (dt * dt) / material.thickness;
        material.poisson = 0;
        material.bending = D;
        material.bending_model = model;
        const BodyId body = world.add(Cloth{.mesh = mesh, .density = kDensity, .material = material});
        std::vector<int> held;
        double expected = 0;
        for (std::size_t v = 0; v < mesh.positions.size(); ++v) {
          const double x = mesh.positions[v].x + 0.2 - h;
          if (x < 1e-6)
            held.push_back(static_cast<int>(v));
          else
            expected += kDensity * g / (24 * D) * x * x * (x * x + 6 * length * length - 4 * length * x);
        }
        world.pin(body, held);
        const std::vector<Unresolved> found = world.unresolved();
        ASSERT_EQ(found.size(), 1u);
        EXPECT_EQ(found[0].stiffness, Stiffness::bending);
        expect_close(found[0].softness, at_rest(world, body, mesh, {0, -1, 0}) / expected - 1);
      }
    }
  }
}

TEST(ClothSoftness, IsInTheWarning) {
  Cloth cloth{.name = "sail", .mesh = grid({1, 1}, {10, 10}), .density = kDensity, .material = ClothMaterial{}};
  cloth.material->young = 1e8;
  World world({.threads = 1});
  world.add(cloth);
  const std::vector<Unresolved> found = world.unresolved();
  ASSERT_EQ(found.size(), 1u);
  ASSERT_EQ(world.warnings().size(), 1u);
  EXPECT_NE(world.warnings()[0].find("sail: the material is stiffer"), std::string::npos) << world.warnings()[0];
  EXPECT_NE(world.warnings()[0].find("stretch about"), std::string::npos) << world.warnings()[0];
  // As many substeps as it names are enough.
  World enough({.substeps = static_cast<int>(found[0].substeps), .threads = 1});
  enough.add(cloth);
  EXPECT_TRUE(enough.unresolved().empty());
}

}  // namespace
}  // namespace pliant::test
