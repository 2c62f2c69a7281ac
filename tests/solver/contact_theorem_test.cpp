// What is free of intersections stays so: in impacts of many lengths per substep, and where everything is near
// everything (docs/contact_theorem.md).

#include "solver/body_contact.h"

namespace pliant::test {
namespace {

constexpr double kPi = 3.14159265358979323846;

WorldOptions weightless(int substeps = 10) {
  WorldOptions options = contact_options();
  options.substeps = substeps;
  options.gravity = {};
  return options;
}

Solid block(int cells, double size, Placement place, Vec3d velocity = {}) {
  return Solid{.mesh = box_tets({size, size, size}, {cells, cells, cells}),
               .material = Material{.young = 1e5, .poisson = 0.4, .density = 1000},
               .place = place,
               .velocity = velocity};
}

/// Steps, and asks the judge after each.
void expect_free(World& world, int steps) {
  ASSERT_EQ(intersections(world), 0) << "at the start";
  for (int k = 0; k < steps; ++k) {
    world.step();
    ASSERT_EQ(intersections(world), 0) << "after step " << k;
  }
  for (const Trouble& t : world.troubles()) ADD_FAILURE() << t.message;
}

/// Height of a body's middle.
double height(const World& world, BodyId body) {
  const std::vector<Vec3d> x = world.positions(body);
  double sum = 0;
  for (const Vec3d& p : x) sum += p.y;
  return sum / static_cast<double>(x.size());
}

TEST(ContactTheorem, ClothsAtHundredsOfMetresPerSecond) {
  for (const double v : {100.0, 300.0}) {
    SCOPED_TRACE(v);
    World world(weightless());
    const BodyId above =
        world.add(Cloth{.mesh = grid({0.3, 0.3}, {8, 8}), .place = {.position = {0, 0.5, 0}}, .velocity = {0, -v, 0}});
    const BodyId held = world.add(Cloth{.mesh = grid({0.8, 0.8}, {16, 16}), .place = {.position = {0.03, 0, 0.02}}});
    std::vector<int> border;
    for (int k = 0; k <= 16; ++k) border.insert(border.end(), {k, 16 * 17 + k, 17 * k, 17 * k + 16});
    world.pin(held, border);
    expect_free(world, 12);
    EXPECT_GT(height(world, above), height(world, held)) << "it has not gone through";
  }
}

TEST(ContactTheorem, BlocksAtHundredsOfMetresPerSecondPartAgain) {
  World world(weightless());
  const BodyId above = world.add(block(3, 0.2, {.position = {0, 0.5, 0}}, {0, -200, 0}));
  const BodyId below = world.add(block(3, 0.2, {.position = {0.03, 0, 0.02}, .rotation = {0.1, 0.2, 0}}, {0, 200, 0}));
  expect_free(world, 30);
  EXPECT_GT(height(world, above) - height(world, below), 0.2) << "they are apart";
}

TEST(ContactTheorem, AClosedClothCollapsesAtOnce) {
  World world(weightless());
  world.add(Cloth{.mesh = sphere(0.3, 2),
                  .constraints = {{"distance", {}}, {"bend", {.compliance = 10.0}}, {"balloon", {.pressure = 0.05}}}});
  expect_free(world, 10);
}

/// The contour of two crossed cloths, of a ball in a cloth and of two blocks is gone after a second.
TEST(ContactTheorem, TangledStartsPartWithinASecond) {
  const auto expect_parted = [](World& world) {
    EXPECT_GT(intersections(world), 0) << "at the start";
    for (int k = 0; k < 60; ++k) world.step();
    EXPECT_EQ(intersections(world), 0);
    ASSERT_EQ(world.troubles().size(), 1u);
    EXPECT_NE(world.troubles()[0].message.find("'one' and 'two'"), std::string::npos) << world.troubles()[0].message;
  };
  {
    World world(weightless());
    world.add(Cloth{.name = "one", .mesh = grid({0.5, 0.5}, {10, 10})});
    world.add(Cloth{.name = "two",
                    .mesh = grid({0.5, 0.5}, {10, 10}),
                    .place = {.position = {0, 0.01, 0.02}, .rotation = {0, 0.3, 0.4 * kPi}}});
    expect_parted(world);
  }
  {
    World world(weightless());
    Solid one = block(4, 0.2, {}), two = block(4, 0.2, {.position = {0.1, 0.03, 0.02}, .rotation = {0.1, 0.2, 0.05}});
    one.name = "one";
    two.name = "two";
    world.add(one);
    world.add(two);
    expect_parted(world);
  }
}

/// That is how it is made, and nothing pulls at it.
TEST(ContactTheorem, WhatCrossesItselfAtRestIsLetBe) {
  TriMesh mesh = sphere(0.2, 2);
  mesh.positions[0] = mesh.positions[0] * -1.5;  // a corner goes out through the other side
  World world(weightless());
  world.add(Cloth{.mesh = mesh, .thickness = 0.005});
  ASSERT_GT(intersections(world), 0);
  for (int k = 0; k < 10; ++k) world.step();
  for (const Trouble& t : world.troubles()) ADD_FAILURE() << t.message;
  EXPECT_LT(world.measures().kinetic_energy, 1e-6);
}

}  // namespace
}  // namespace pliant::test
