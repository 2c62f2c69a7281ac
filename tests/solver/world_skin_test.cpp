// Skins of bodies: where they are at the start, and that they go where the body goes.

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "mesh/mesh_checks.h"
#include "pliant/pliant.h"

namespace pliant {
namespace {

TEST(Skin, StandsWhereTheBodyIsPlaced) {
  World world({.threads = 1, .precision = Precision::float64});
  const TriMesh skin = sphere(1, 3);
  const BodyId ball =
      world.add(Solid{.mesh = ball_tets(1, 4),
                      .place = {.position = {5, 6, 7}, .rotation = {0, std::numbers::pi / 2, 0}, .scale = {1, 2, 3}}});
  EXPECT_FALSE(world.has_skin(ball));
  world.add_skin(ball, skin);
  EXPECT_TRUE(world.has_skin(ball));
  const auto x = world.skin_positions(ball);
  ASSERT_EQ(x.size(), skin.positions.size());
  EXPECT_EQ(world.skin_triangles(ball), skin.triangles);
  for (std::size_t i = 0; i < x.size(); ++i) {
    const Vec3d& s = skin.positions[i];  // a quarter turn about y takes z to x and x to -z
    EXPECT_LT(length(x[i] - Vec3d{5 + 3 * s.z, 6 + 2 * s.y, 7 - s.x}), 1e-12);
  }
  const auto normals = world.skin_normals(ball);
  for (std::size_t i = 0; i < x.size(); ++i) EXPECT_GT(dot(normals[i], x[i] - Vec3d{5, 6, 7}), 0);
}

TEST(Skin, FallsWithItsBody) {
  for (const Precision precision : {Precision::float32, Precision::float64}) {
    World world({.threads = 1, .precision = precision});
    const BodyId sheet = world.add(Cloth{.mesh = grid({1, 1}, {4, 4}), .place = {.position = {0, 3, 0}}});
    TriMesh skin = grid({1, 1}, {30, 30});
    for (Vec3d& p : skin.positions) p.y = 0.02 * std::sin(20 * p.x);
    world.add_skin(sheet, skin);
    const auto before = world.skin_positions(sheet);
    const Vec3d start = world.positions(sheet)[0];
    for (int i = 0; i < 10; ++i) world.step();
    const Vec3d fallen = world.positions(sheet)[0] - start;
    EXPECT_LT(fallen.y, -0.1);
    const auto after = world.skin_positions(sheet);
    // A flat cloth in free fall stays flat; in float32 to the rounding of 1 m.
    const double tolerance = precision == Precision::float32 ? 1e-6 : 1e-12;
    for (std::size_t i = 0; i < after.size(); ++i) EXPECT_LT(length(after[i] - before[i] - fallen), tolerance);
  }
}

TEST(Skin, RefusesWhatCannotBe) {
  World world({.threads = 1});
  const BodyId line = world.add(Rope{.name = "line", .mesh = rope({0, 0, 0}, {0, 1, 0}, 4)});
  const BodyId box = world.add(Solid{.name = "box", .mesh = box_tets({1, 1, 1}, {1, 1, 1})});
  test::expect_error([&] { world.add_skin(line, sphere(1, 0)); }, "line.skin", "a rope has no surface");
  test::expect_error([&] { world.add_skin(box, {}); }, "box.skin", "no triangles");
  test::expect_error([&] { world.add_skin(box, {{{0, 0, 0}}, {{0, 0, 5}}}); }, "box.skin", "vertex 5");
  test::expect_error([&] { world.skin_positions(box); }, "box", "no skin");
}

}  // namespace
}  // namespace pliant
