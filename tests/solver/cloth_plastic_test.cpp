// Cloth that flows in its plane, and the directions of its threads from texture coordinates.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>

#include "message.h"
#include "pliant/world.h"

namespace pliant::test {
namespace {

/// A square of 1 m, stretched along x by `stretch` and held there.
struct Pulled {
  World world{{.step = 0.01, .substeps = 10, .gravity = {}, .point_damping = 4, .threads = 1}};
  BodyId cloth{};
  double stretch;

  Pulled(const Plasticity& plasticity, double stretch_, double poisson = 0.3) : stretch(stretch_) {
    ClothMaterial material{.young = 1e5, .poisson = poisson, .thickness = 1e-3};
    material.plasticity = plasticity;
    material.bending = 0;
    cloth = world.add(Cloth{.mesh = grid({1, 1}, {3, 3}), .material = material});
  }
  void hold(int steps) {
    std::vector<Vec3d> x = world.rest_positions(cloth);
    std::vector<int> all(x.size());
    std::iota(all.begin(), all.end(), 0);
    for (Vec3d& p : x) p.x *= stretch;
    world.set_positions(cloth, x);
    world.pin(cloth, all);
    run(steps);
  }
  void let_go() {
    std::vector<int> all(world.rest_positions(cloth).size());
    std::iota(all.begin(), all.end(), 0);
    world.unpin(cloth, all);
    run(600);
  }
  void run(int steps) {
    for (int s = 0; s < steps; ++s) world.step();
  }
  /// Lengths along x and along the other side, between corners.
  std::array<double, 2> size() const {
    const std::vector<Vec3d> x = world.positions(cloth), rest = world.rest_positions(cloth);
    const auto corner = [&](double u, double v) {
      const auto at = [&](const Vec3d& p) { return length(p - Vec3d{u, 0, v}); };
      const auto nearest = std::ranges::min_element(rest, {}, at);
      return x[static_cast<std::size_t>(nearest - rest.begin())];
    };
    return {length(corner(1, -1) - corner(-1, -1)), length(corner(-1, 1) - corner(-1, -1))};
  }
  /// The plastic strain along x and across, the same in all triangles: the principal values, the larger one first.
  std::array<double, 2> flowed() const {
    std::array<double, 2> out{};
    for (const std::array<double, 6>& p : world.plastic_state(cloth)) {
      const double middle = 0.5 * (p[0] + p[1]), radius = std::hypot(0.5 * (p[0] - p[1]), 0.5 * p[2]);
      if (out[0] != 0) {
        EXPECT_NEAR(out[0], middle + radius, 1e-3);  // after it was let go; 1e-7 while held
      }
      out = {middle + radius, middle - radius};
    }
    return out;
  }
};

TEST(ClothPlasticity, FlowsDownToTheYieldLimitAndKeepsItsVolume) {
  const double nu = 0.3;
  const Plasticity plasticity{.yield = 0.03, .creep = 5, .max = 1};
  Pulled pulled(plasticity, 1.2, nu);
  pulled.hold(300);
  const double a = 0.5 * (1.2 * 1.2 - 1);  // Green strain along x while it is held
  const auto [along, across] = pulled.flowed();
  EXPECT_GT(along, 0.1);
  EXPECT_LT(across, -0.01);
  // Elastic strain = strain - plastic strain; its deviator at the yield limit, or less by the last step.
  const double e0 = a - along, e1 = 0 - across, through = -nu / (1 - nu) * (e0 + e1), mean = (e0 + e1 + through) / 3;
  const double norm = std::hypot(e0 - mean, e1 - mean, through - mean);
  EXPECT_LE(norm, plasticity.yield * 1.0001);
  EXPECT_GT(norm, plasticity.yield * (1 - 2 * plasticity.creep * 0.01));
}

TEST(ClothPlasticity, RestShapeIsWhatHasFlowed) {
  // It flows quickly while it is held, and the rest is below the limit: let go, it does not flow back.
  Pulled pulled({.yield = 0.04, .creep = 1, .max = 1}, 1.2);
  pulled.hold(500);
  const auto [along, across] = pulled.flowed();
  EXPECT_GT(along, 0.1);
  pulled.let_go();
  const auto [length, width] = pulled.size();
  const auto [along_now, across_now] = pulled.flowed();
  EXPECT_NEAR(along_now, along, 0.01 * along);
  EXPECT_NEAR(length, std::sqrt(1 + 2 * along_now), 1e-3);
  EXPECT_NEAR(width, std::sqrt(1 + 2 * across_now), 1e-3);
  EXPECT_LT(pulled.world.measures().elastic_energy, 1e-6);
}

TEST(ClothPlasticity, YieldAndMaximumLimitIt) {
  Pulled elastic({.yield = 0.5, .creep = 5, .max = 1}, 1.2);
  elastic.hold(100);
  elastic.let_go();
  EXPECT_NEAR(elastic.size()[0], 1, 1e-4);

  Pulled limited({.yield = 0.01, .creep = 20, .max = 0.05}, 1.3);
  limited.hold(200);
  const auto [p0, p1] = limited.flowed();
  EXPECT_NEAR(std::hypot(p0, p1, p0 + p1), 0.05, 1e-6);
}

TEST(ClothPlasticity, IsStateThatSnapshotsKeep) {
  Pulled pulled({.yield = 0.01, .creep = 5, .max = 1}, 1.2);
  pulled.hold(20);
  const std::vector<std::byte> early = pulled.world.snapshot();
  pulled.run(30);
  const uint64_t hash = pulled.world.state_hash();
  pulled.world.restore(early);
  pulled.run(30);
  EXPECT_EQ(pulled.world.state_hash(), hash);
}

TEST(ClothPlasticity, WhatDoesNotFlowIsSaid) {
  ClothMaterial material;
  material.plasticity.emplace();
  material.compression = ClothCompression::folds;
  World world;
  const auto add = [&] { world.add(Cloth{.mesh = grid({1, 1}, {2, 2}), .material = material}); };
  expect_says(message_of(add), "material.plasticity");
  material.compression = ClothCompression::resists;
  material.plasticity->max = -1;
  expect_says(message_of(add), "plasticity.max");
}

/// Where a slanted weave hangs after some steps.
std::vector<Vec3d> hanging(const ClothMaterial& material, bool textured) {
  TriMesh mesh = grid({1, 1}, {6, 6});
  if (textured) {  // u runs along (2, 0, 1), v at a right angle; a seam along x = 0 has other numbers on its sides
    for (const Triangle& t : mesh.triangles) {
      std::array<Vec2d, 3> corners{};
      const double far = mesh.positions[static_cast<std::size_t>(t[0])].x +
                         mesh.positions[static_cast<std::size_t>(t[1])].x +
                         mesh.positions[static_cast<std::size_t>(t[2])].x;
      for (std::size_t k = 0; k < 3; ++k) {
        const Vec3d& p = mesh.positions[static_cast<std::size_t>(t[k])];
        corners[k] = {0.5 * (2 * p.x + p.z) + (far > 0 ? 7 : 0), 0.5 * (-p.x + 2 * p.z)};
      }
      mesh.texture_coordinates.push_back(corners);
    }
  }
  World world{{.threads = 1}};
  const BodyId cloth = world.add(Cloth{.mesh = mesh, .material = material});
  world.pin(cloth, std::vector<int>{0, 6});
  for (int s = 0; s < 30; ++s) world.step();
  return world.positions(cloth);
}

TEST(ClothTexture, GivesTheDirectionOfTheWeft) {
  ClothMaterial material;
  material.model = ClothModel::orthotropic;
  material.orthotropic = {.k_weft = 20, .k_warp = 200, .k_shear = 5, .nu_weft = 0.05, .nu_warp = 0.5};
  const std::vector<Vec3d> along_x = hanging(material, true);
  material.weft = {2, 0, 1};
  const std::vector<Vec3d> given = hanging(material, false);
  material.weft = {1, 0, 0};
  material.weft_from_texture = true;
  const std::vector<Vec3d> textured = hanging(material, true);
  double same = 0, other = 0;
  for (std::size_t v = 0; v < given.size(); ++v) {
    same = std::max(same, length(given[v] - textured[v]));
    other = std::max(other, length(given[v] - along_x[v]));
  }
  EXPECT_LT(same, 1e-4);
  EXPECT_GT(other, 1e-2) << "the texture alone changes nothing";
}

TEST(ClothTexture, MissingIsSaid) {
  ClothMaterial material;
  material.weft_from_texture = true;
  expect_says(message_of([&] { hanging(material, false); }), "weft_from_texture");
}

}  // namespace
}  // namespace pliant::test
