// Strain-based dynamics: each entry acts alone, rest stretches are reached, volume brings back what is tangled.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "pliant/error.h"
#include "pliant/world.h"

namespace pliant::test {
namespace {

/// Energy of a square of cloth with these strengths that is deformed by x -> (a x + b z, 0, c z + d x), with irregular
/// triangles.
double energy(const ClothStrain& strain, double a, double b, double c, double d = 0) {
  TriMesh mesh = grid({1, 1}, {5, 5});
  std::mt19937 engine(2);
  for (Vec3d& x : mesh.positions) {
    x.x += 0.05 * (engine() / 4294967296.0 - 0.5);
    x.z += 0.05 * (engine() / 4294967296.0 - 0.5);
  }
  World world({.gravity = {}, .threads = 1, .precision = Precision::float64});
  const BodyId id = world.add(Cloth{.mesh = mesh, .strain = strain});
  std::vector<Vec3d> x = world.rest_positions(id);
  for (Vec3d& p : x) p = {a * p.x + b * p.z, 0, c * p.z + d * p.x};
  world.set_positions(id, x);
  return world.measures().elastic_energy;
}

ClothStrain only(double weft, double warp, double shear, double area) {
  return {.weft = {1, weft}, .warp = {1, warp}, .shear = {1, shear}, .area = {1, area}};
}

TEST(ClothStrains, EachEntryActsAlone) {
  const double k = 100, s = 1.1;
  const double size = energy(only(k, 0, 0, 0), s, 0, 1);  // k/2 (s - 1)^2 times the area, about 1 m^2
  EXPECT_NEAR(size, k / 2 * 0.01, 0.1 * k / 2 * 0.01);
  // Stretch along x: weft alone reacts, whatever the others are.
  EXPECT_NEAR(energy(only(k, 1e4, 1e4, 0), s, 0, 1), size, 0.01 * size);
  EXPECT_LT(energy(only(0, k, k, 0), s, 0, 1), 0.01 * size);
  // Stretch along z: warp alone.
  EXPECT_NEAR(energy(only(1e4, k, 1e4, 0), 1, 0, s), size, 0.01 * size);
  EXPECT_LT(energy(only(k, 0, k, 0), 1, 0, s), 0.01 * size);
  // The directions turned against each other with their lengths kept: shear alone, with the cosine of the angle.
  const double angle = 0.1, c = std::cos(angle);
  const double sheared = energy(only(0, 0, k, 0), 1, std::sin(angle), c);
  EXPECT_NEAR(sheared, size, 0.01 * size);  // sin(0.1) is 0.0998
  EXPECT_LT(energy(only(1e4, 1e4, 0, 0), 1, std::sin(angle), c), 1e-9 * size);
  // Stretched along both directions by different amounts: area alone has its own.
  EXPECT_NEAR(energy(only(0, 0, 0, k), s, 0, 1), size, 0.01 * size);
  EXPECT_LT(energy(only(0, 0, 0, k), s, 0, 1 / s), 1e-9 * size);
}

TEST(ClothStrains, ReachTheirRestStretches) {
  for (const Method method : {Method::pbd, Method::xpbd}) {
    const TriMesh mesh = grid({1, 1}, {4, 4});
    World world({.substeps = 10, .iterations = 4, .method = method, .gravity = {}, .point_damping = 5, .threads = 1});
    ClothStrain strain;
    strain.rest_stretch = {1.25, 0.8};
    const BodyId id = world.add(Cloth{.mesh = mesh, .strain = strain});
    for (int frame = 0; frame < 60; ++frame) world.step();
    const std::vector<Vec3d> x = world.positions(id);
    EXPECT_NEAR(length(x[4] - x[0]), 1.25, 2e-3);
    EXPECT_NEAR(length(x[20] - x[0]), 0.8, 2e-3);
  }
}

int inverted_after(double volume_modulus, int steps) {
  World world({.substeps = 10, .gravity = {}, .point_damping = 5, .threads = 1});
  Solid torus{.mesh = torus_tets(0.4, 0.15, 12, 2)};
  torus.strain = SolidStrain{};
  for (StrainStrength& s : torus.strain->stretch) s.modulus = 1e5;
  for (StrainStrength& s : torus.strain->shear) s.modulus = 4e4;
  torus.strain->volume.modulus = volume_modulus;
  const BodyId id = world.add(torus);
  std::vector<Vec3d> x = world.rest_positions(id);
  std::mt19937 engine(1);
  const auto random = [&] { return engine() / 4294967296.0 - 0.5; };
  for (Vec3d& p : x) p = {random(), random(), random()};
  world.set_positions(id, x);
  for (int s = 0; s < steps; ++s) world.step();
  x = world.positions(id);
  int inverted = 0;
  for (const Tet& t : world.tets(id)) {
    inverted += dot(x[t[1]] - x[t[0]], cross(x[t[2]] - x[t[0]], x[t[3]] - x[t[0]])) < 0;
  }
  EXPECT_TRUE(world.troubles().empty());
  return inverted;
}

TEST(SolidStrains, VolumeUntanglesATorus) {
  EXPECT_EQ(inverted_after(1e5, 150), 0);
  EXPECT_GT(inverted_after(0, 150), 50);  // of 480: the other entries do not see an inverted element
}

// Tets with one free corner that has no part in some entry: C and its gradient are rounding there.
TEST(SolidStrains, PbdKeepsAHeldTorusThatHangs) {
  for (const Precision precision : {Precision::float32, Precision::float64}) {
    for (const double stiffness : {0.05, 1.0}) {
      World world({.substeps = 4,
                   .iterations = 5,
                   .method = Method::pbd,
                   .point_damping = 3,
                   .threads = 1,
                   .precision = precision});
      TetMesh mesh = torus_tets(0.4, 0.15, 32, 2);
      for (Vec3d& p : mesh.positions) p = {p.x, p.z, -p.y};
      Solid torus{.mesh = mesh, .strain = SolidStrain{}};
      for (StrainStrength& s : torus.strain->stretch) s.stiffness = stiffness;
      for (StrainStrength& s : torus.strain->shear) s.stiffness = stiffness;
      torus.strain->volume.stiffness = stiffness;
      const BodyId id = world.add(torus);
      std::vector<int> top;
      for (std::size_t v = 0; v < mesh.positions.size(); ++v) {
        if (mesh.positions[v].y > 0 && std::abs(mesh.positions[v].x) < 0.2 * mesh.positions[v].y)
          top.push_back(static_cast<int>(v));
      }
      world.pin(id, top);
      for (int s = 0; s < 60; ++s) world.step();
      EXPECT_TRUE(world.troubles().empty());
      double lowest = 0;
      for (const Vec3d& p : world.positions(id)) lowest = std::min(lowest, p.y);
      EXPECT_LT(lowest, -0.5501);  // it sags
      EXPECT_GT(lowest, -1.5);     // and stays in one piece
    }
  }
}

TEST(Strains, AreRefusedWhereTheyMakeNoSense) {
  const auto where = [](const ClothStrain& strain) {
    World world;
    try {
      world.add(Cloth{.name = "c", .mesh = grid({1, 1}, {2, 2}), .strain = strain});
    } catch (const Error& error) {
      return error.where();
    }
    return std::string();
  };
  EXPECT_EQ(where({}), "");
  EXPECT_EQ(where({.weft = {2, 1}}), "c.strain.weft.stiffness");
  EXPECT_EQ(where({.warp = {1, -1}}), "c.strain.warp.modulus");
  EXPECT_EQ(where({.rest_stretch = {0, 1}}), "c.strain.rest_stretch");
  EXPECT_EQ(where({.direction = {0, 0, 0}}), "c.strain.direction");
  World world;
  EXPECT_THROW(world.add(Cloth{.mesh = grid({1, 1}, {2, 2}), .constraints = {{"tri_strain", {}}}}), Error);
  EXPECT_THROW(world.add(Cloth{.mesh = grid({1, 1}, {2, 2}), .constraints = {{"tri_stvk", {}}}}), Error);
  EXPECT_THROW(world.add(Cloth{.mesh = grid({1, 1}, {2, 2}), .constraints = {{"triangle_bend", {}}}}), Error);
}

}  // namespace
}  // namespace pliant::test
