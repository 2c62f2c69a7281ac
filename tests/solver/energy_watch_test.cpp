// Energy that nothing has put in is found while it appears, and nothing else is.

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "pliant/pliant.h"

namespace pliant::test {
namespace {

/// Bending by angle on 2 m of fine cells, and nothing that holds lengths: its projection makes triangles grow.
BodyId add_fine_cloth(World& world, int cells, Constraints constraints) {
  return world.add(Cloth{
      .name = "cloth", .mesh = grid({2, 2}, {cells, cells}), .density = 0.25, .constraints = std::move(constraints)});
}
const Constraints kBends = {{"bend", {.compliance = 10}}};

TEST(EnergyWatch, FindsACorneredClothThatBlowsUp) {
  World world({.substeps = 10});
  const BodyId cloth = add_fine_cloth(world, 200, kBends);
  world.pin(cloth, {0, 200});
  // What bends store is not counted: unresolved as they are, far less than C^2 / (2 compliance) comes back.
  const auto motion = [&] {
    const Measures m = world.measures();
    return m.kinetic_energy + m.gravity_energy;
  };
  const double start = motion();
  int64_t first_joule = -1, told = -1;
  while ((first_joule < 0 || told < 0) && world.steps() < 60) {
    world.step();
    if (first_joule < 0 && motion() > start + 1) first_joule = world.steps();
    if (told < 0 && !world.troubles().empty()) told = world.steps();
  }
  ASSERT_EQ(world.troubles().size(), 1u);
  const Trouble& trouble = world.troubles()[0];
  EXPECT_EQ(trouble.kind, Trouble::Kind::energy_gain);
  EXPECT_EQ(trouble.body, "cloth");
  EXPECT_EQ(trouble.step, told) << "it is told while it happens";
  ASSERT_GE(first_joule, 0) << "it is told of nothing";
  EXPECT_LE(trouble.step, first_joule + 10);
  EXPECT_NE(trouble.message.find("`bend`"), std::string::npos) << trouble.message;
  EXPECT_NE(trouble.message.find("`isometric_bend`"), std::string::npos) << trouble.message;
  EXPECT_NE(trouble.message.find("40 substeps"), std::string::npos) << trouble.message;
  for (int step = 0; step < 10; ++step) world.step();
  EXPECT_EQ(world.troubles().size(), 1u) << "it is told once";
  world.reset();
  EXPECT_TRUE(world.troubles().empty());
}

TEST(EnergyWatch, ChangesNoBit) {
  std::vector<uint64_t> hashes;
  for (const EnergyWatch watch : {EnergyWatch::off, EnergyWatch::report}) {
    World world({.substeps = 5, .energy_watch = watch});
    const BodyId cloth = add_fine_cloth(world, 80, kBends);
    world.pin(cloth, {0, 80}, {{.time = 0}, {.time = 0.5, .move = {0.1, 0.2, 0}, .turn = {0, 1, 0}}});
    world.set_wind(Wind{.velocity = {3, 0, 1}});
    for (int step = 0; step < 40; ++step) world.step();
    EXPECT_EQ(world.troubles().empty(), watch == EnergyWatch::off) << "nothing that may change a bit has happened";
    hashes.push_back(world.state_hash());
  }
  EXPECT_EQ(hashes[0], hashes[1]);
}

TEST(EnergyWatch, LimitKeepsItBoundedAndTheMomentumStays) {
  World world({.substeps = 10, .energy_watch = EnergyWatch::limit});
  const BodyId cloth = add_fine_cloth(world, 200, kBends);
  world.pin(cloth, {0, 200});
  const auto motion = [&] {
    const Measures m = world.measures();
    return m.kinetic_energy + m.gravity_energy;
  };
  const double start = motion();
  for (int step = 0; step < 40; ++step) {
    world.step();
    // It has fallen by less than 20 J, of which 5 % are allowed. Left alone it has 86 J too much by then.
    ASSERT_LE(motion() - start, 1) << "step " << step;
  }
  ASSERT_EQ(world.troubles().size(), 1u);
  EXPECT_EQ(world.troubles()[0].kind, Trouble::Kind::energy_limited);
  EXPECT_NE(world.troubles()[0].message.find("`bend`"), std::string::npos) << world.troubles()[0].message;

  // Let loose as it is: what it has and what its constraints can release, and no more.
  world.unpin(cloth, std::vector<int>{0, 200});
  world.set_gravity({});
  const Measures loose = world.measures();
  std::vector<double> kinetic;
  for (int step = 0; step < 15; ++step) {
    world.step();
    kinetic.push_back(world.measures().kinetic_energy);
  }
  EXPECT_GT(kinetic.back(), loose.kinetic_energy) << "nothing had to be limited";
  EXPECT_LE(kinetic[14], 1.01 * kinetic[12]);
  EXPECT_LE(length(world.measures().linear_momentum - loose.linear_momentum), 1e-4 * length(loose.linear_momentum));
}

// ------------------------------------------------------------------ silent where energy is given

void expect_silence(World& world, int steps) {
  for (int step = 0; step < steps; ++step) world.step();
  for (const Trouble& t : world.troubles()) ADD_FAILURE() << t.message;
}

BodyId add_jelly(World& world, Vec3d position, Vec3d velocity = {}, const char* name = "jelly") {
  return world.add(Solid{.name = name,
                         .mesh = box_tets({0.4, 0.4, 0.4}, {4, 4, 4}),
                         .material = Material{.young = 2e4, .poisson = 0.4},
                         .place = {.position = position},
                         .velocity = velocity});
}

TEST(EnergyWatch, PinsDoWork) {
  // A crank and a lift: without their work both bodies would have energy from nowhere. Gentle enough for bdf2, which
  // really gains some where pins jump to 3 m/s.
  for (const Integrator integrator : {Integrator::euler, Integrator::bdf2}) {
    World world({.substeps = 10, .integrator = integrator});
    const BodyId jelly = add_jelly(world, {});
    std::vector<int> bottom;
    const std::vector<Vec3d> x = world.positions(jelly);
    for (std::size_t v = 0; v < x.size(); ++v) {
      if (x[v].y < -0.199) bottom.push_back(static_cast<int>(v));
    }
    world.pin(jelly, bottom, {{.time = 0}, {.time = 1, .move = {0, 0.5, 0}, .turn = {0, 0, 1}}});
    const BodyId cloth = world.add(Cloth{.mesh = grid({1, 1}, {20, 20}),
                                         .place = {.position = {3, 0, 0}},
                                         .constraints = {{"distance", {.compliance = 1e-6}}}});
    world.pin(cloth, {0, 20}, {{.time = 0}, {.time = 2, .move = {0.5, 1, 0}, .turn = {0, 2, 0}}});
    expect_silence(world, 120);
  }
}

TEST(EnergyWatch, WindDoesWork) {
  World world({.substeps = 5, .gravity = {}, .wind = Wind{.velocity = {8, 0, 0}}});
  world.add(Cloth{.mesh = grid({1, 1}, {20, 20}),
                  .place = {.rotation = {0, 0, 1}},
                  .constraints = {{"distance", {.compliance = 1e-6}}}});
  expect_silence(world, 60);
}

TEST(EnergyWatch, CollidersDoWork) {
  World world({.substeps = 10});
  add_jelly(world, {0, 0.2, 0});
  add_jelly(world, {2, 0.6, 0}, {0, -3, 0}, "thrown");
  // A floor that rises as fast as it can be followed, and bounces what falls onto it.
  world.add(Plane{}, {.friction = 0.5, .restitution = 0.8, .path = {{.time = 0}, {.time = 1, .move = {0, 3, 0}}}});
  expect_silence(world, 90);
}

TEST(EnergyWatch, WhatStartsInsideIsPushedOut) {
  World world({.substeps = 10});
  add_jelly(world, {0, 0.1, 0});
  world.add(Plane{}, {.start_inside = StartInside::push});
  expect_silence(world, 30);
}

TEST(EnergyWatch, ForcesAndNewVelocitiesAreGiven) {
  World world({.substeps = 10, .gravity = {}});
  const BodyId jelly = add_jelly(world, {});
  for (int k = 0; k < 6; ++k) {
    world.set_force(jelly, {100.0 * k, -200, 0});
    for (int step = 0; step < 5; ++step) world.step();
    world.set_velocities(jelly, std::vector<Vec3d>(world.velocities(jelly).size(), Vec3d{0, 4.0 + k, 0}));
    world.set_gravity({0, k % 2 ? -9.81 : 9.81, 0});
  }
  expect_silence(world, 5);
}

TEST(EnergyWatch, WhatFallsFarIsNotBlamed) {
  // The origin follows it, by 256 m and more at a time.
  World world({.substeps = 2, .threads = 1});
  world.add(Cloth{.mesh = grid({1, 1}, {4, 4}), .velocity = {0, -200, 0}});
  for (int frame = 0; frame < 240; ++frame) world.step();
  for (const Trouble& t : world.troubles()) ADD_FAILURE() << t.message;
}

TEST(EnergyWatch, WhatStartsStrainedMayFlyApart) {
  for (const Method method : {Method::xpbd, Method::pbd}) {
    for (const double compliance : {0.0, 1e-4}) {
      World world({.substeps = 10, .method = method, .gravity = {}});
      const BodyId cloth = world.add(Cloth{
          .mesh = grid({1, 1}, {20, 20}), .constraints = {{"distance", {.compliance = compliance, .stiffness = 0.3}}}});
      std::vector<Vec3d> x = world.positions(cloth);
      for (Vec3d& at : x) at *= 1.5;
      world.set_positions(cloth, x);
      expect_silence(world, 60);
    }
  }
}

TEST(EnergyWatch, DeformationIsThatOfEdgesAndTets) {
  World world;
  const BodyId cloth = world.add(Cloth{.mesh = grid({1, 1}, {2, 2})});
  const BodyId jelly = add_jelly(world, {});
  std::vector<Vec3d> x = world.positions(cloth), y = world.positions(jelly);
  for (Vec3d& at : x) at *= 1.25;
  for (Vec3d& at : y) at.z *= -0.5;
  world.set_positions(cloth, x);
  world.set_positions(jelly, y);
  const Deformation a = world.deformation(cloth), b = world.deformation(jelly);
  EXPECT_NEAR(a.mean_stretch, 1.25, 1e-6);
  EXPECT_NEAR(a.smallest_stretch, 1.25, 1e-6);
  EXPECT_NEAR(a.largest_stretch, 1.25, 1e-6);
  EXPECT_EQ(a.smallest_volume, 1);
  EXPECT_NEAR(b.smallest_volume, -0.5, 1e-5);
  EXPECT_NEAR(b.largest_volume, -0.5, 1e-5);
  EXPECT_NEAR(b.smallest_stretch, 0.5, 1e-5);
  EXPECT_NEAR(b.largest_stretch, 1, 1e-6);
}

}  // namespace
}  // namespace pliant::test
