// Contact with colliders: forces, friction, bounce, rigid bodies, scripted motion, reports.

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#define PLIANT_COUNTED_ELSEWHERE  // in allocation_test.cpp
#include "core/allocation_counter.h"
#include "pliant/world.h"

namespace pliant::test {
namespace {

Vec3d mean(const std::vector<Vec3d>& x) {
  Vec3d sum{};
  for (const Vec3d& v : x) sum += v;
  return sum / static_cast<double>(x.size());
}

double highest(const std::vector<Vec3d>& x) {
  double y = -1e30;
  for (const Vec3d& v : x) y = std::max(y, v.y);
  return y;
}

double lowest(const std::vector<Vec3d>& x) {
  double y = 1e30;
  for (const Vec3d& v : x) y = std::min(y, v.y);
  return y;
}

Solid cube(double size, int cells, double young, double poisson = 0.3) {
  return {.mesh = box_tets({size, size, size}, {cells, cells, cells}),
          .material = Material{.young = young, .poisson = poisson, .density = 1000}};
}

void run(World& world, int steps) {
  for (int k = 0; k < steps; ++k) world.step();
}

// Ground that is rough enough holds a body as pins hold it, whose rest state is that of finite elements.
TEST(Colliders, SoftCubeLiesWithItsWeightAndSag) {
  World pinned({.step = 1.0 / 60, .substeps = 10, .point_damping = 10, .threads = 1});
  Solid solid = cube(0.4, 3, 5e4, 0);
  solid.place.position = {0, 0.2, 0};
  BodyId body = pinned.add(solid);
  std::vector<int> bottom;
  for (int v = 0; v < pinned.vertex_count(body); ++v) {
    if (pinned.positions(body)[v].y < 1e-9) bottom.push_back(v);
  }
  pinned.pin(body, bottom);
  run(pinned, 150);

  World world({.step = 1.0 / 60, .substeps = 10, .point_damping = 10, .threads = 1});
  body = world.add(solid);
  const ColliderId ground = world.add(Plane{}, {.friction = 5});
  world.set_positions(body, pinned.positions(body));
  run(world, 100);
  const double weight = 0.4 * 0.4 * 0.4 * 1000 * 9.81;
  EXPECT_NEAR(world.contact_force(ground).y, -weight, 1e-3 * weight);
  EXPECT_NEAR(world.contact_force(ground).x, 0, 1e-3 * weight);
  const double sag = 0.4 - highest(pinned.positions(body));
  EXPECT_GT(sag, 0.01);
  // It hops a little at first, as it starts without forces inside: heights alone are compared.
  for (int v = 0; v < world.vertex_count(body); ++v) {
    EXPECT_NEAR(world.positions(body)[v].y, pinned.positions(body)[v].y, 2e-3 * sag) << v;
  }
  EXPECT_NEAR(lowest(world.positions(body)), 0, 1e-9);
  const ContactReport report = world.contact_report();
  EXPECT_EQ(report.contacts, 16);
  EXPECT_LT(report.deepest, 1e-9);
  EXPECT_EQ(world.contacts().size(), 16u);
  EXPECT_EQ(report.forces.size(), 1u);
}

/// The block's velocity down a slope of 20 degrees after `steps`, started there at rest.
struct Slid {
  double early, late;  // [m/s] velocity down the slope, 1 s apart
  double far;          // [m] in that time
};
Slid slide(double friction_over_tangent, Integrator integrator = Integrator::euler) {
  const double angle = 20 * std::numbers::pi / 180;
  World world({.step = 1.0 / 60, .substeps = 10, .integrator = integrator, .threads = 1});
  const Vec3d normal{-std::sin(angle), std::cos(angle), 0}, down{-std::cos(angle), -std::sin(angle), 0};
  Solid block = cube(0.2, 2, 2e5);
  block.place = {.position = normal * 0.1, .rotation = {0, 0, angle}};
  const BodyId body = world.add(block);
  world.add(Plane{.normal = normal}, {.friction = std::tan(angle) * friction_over_tangent});
  run(world, integrator == Integrator::euler ? 60 : 150);  // it settles first, with BDF2 later
  const double early = dot(mean(world.velocities(body)), down);
  const Vec3d from = mean(world.positions(body));
  run(world, 60);
  return {early, dot(mean(world.velocities(body)), down), dot(mean(world.positions(body)) - from, down)};
}

TEST(Colliders, BlockStaysOnASlopeThatIsRoughEnough) {
  const Slid rough = slide(1.02);
  EXPECT_LT(std::abs(rough.far), 2e-4);
  EXPECT_LT(std::abs(rough.late), 1e-4);
}

TEST(Colliders, BlockSlidesWithTheRightAcceleration) {
  for (const Integrator integrator : {Integrator::euler, Integrator::bdf2}) {
    const double angle = 20 * std::numbers::pi / 180;
    const double expected = 9.81 * (std::sin(angle) - 0.98 * std::tan(angle) * std::cos(angle));
    const Slid smooth = slide(0.98, integrator);
    EXPECT_NEAR(smooth.late - smooth.early, expected, 0.03 * expected);
  }
}

/// Heights above the ground to which a ball of radius 0.1 m bounces from 1 m.
std::vector<double> bounces(double restitution, Integrator integrator, int substeps) {
  World world({.step = 1.0 / 60, .substeps = substeps, .integrator = integrator, .threads = 1});
  world.add(Plane{}, {.restitution = restitution});
  const ColliderId ball = world.add(Sphere{0.1}, {.position = {0, 1.1, 0}, .density = 1000});
  std::vector<double> heights;
  double high = 0, last = -1;
  for (int k = 0; k < 150; ++k) {
    world.step();
    const RigidMotion now = world.rigid_motion(ball);
    if (last > 0 && now.velocity.y <= 0) {
      heights.push_back(high);
      high = 0;
    }
    // Where it would turn around.
    const double rise = now.velocity.y * now.velocity.y / (2 * 9.81);
    if (now.velocity.y > 0) high = std::max(high, now.center.y - 0.1 + rise);
    last = now.velocity.y;
  }
  return heights;
}

TEST(Colliders, BallBouncesToTheHeightOfItsRestitution) {
  for (const Integrator integrator : {Integrator::euler, Integrator::bdf2}) {
    const std::vector<double> heights = bounces(0.8, integrator, 20);
    ASSERT_GE(heights.size(), 2u);
    EXPECT_NEAR(heights[0], 0.64, 0.03 * 0.64);
    EXPECT_NEAR(heights[1], 0.4096, 0.03 * 0.4096);
  }
  EXPECT_TRUE(bounces(0, Integrator::euler, 10).empty());
}

TEST(Colliders, BallGivesItsMomentumToASoftCube) {
  World world({.step = 1.0 / 60, .substeps = 20, .gravity = {}, .threads = 1});
  const BodyId body = world.add(cube(0.2, 3, 1e5));
  const ColliderId ball =
      world.add(Sphere{0.05}, {.position = {0.01, 0.16, 0}, .friction = 0.3, .mass = 2, .velocity = {0, -2, 0}});
  const Measures before = world.measures();
  EXPECT_NEAR(before.linear_momentum.y, -4, 1e-6);
  Vec3d impulse{};
  for (int k = 0; k < 60; ++k) {
    world.step();
    impulse += world.contact_force(ball) * world.options().step;
  }
  const Measures after = world.measures();
  EXPECT_NEAR(after.linear_momentum.y, -4, 1e-4);
  EXPECT_NEAR(length(after.angular_momentum - before.angular_momentum), 0, 2e-3);
  const RigidMotion now = world.rigid_motion(ball);
  const Vec3d gained = (now.velocity - Vec3d{0, -2, 0}) * 2.0;
  EXPECT_GT(gained.y, 1);  // it was pushed back
  EXPECT_NEAR(length(gained - impulse), 0, 0.01 * length(gained));
  EXPECT_LT(mean(world.velocities(body)).y, -0.1);
  EXPECT_LE(after.kinetic_energy + after.elastic_energy, before.kinetic_energy * 1.0001);
}

TEST(Colliders, BallOnACushionIsWeighed) {
  World world({.step = 1.0 / 60, .substeps = 10, .point_damping = 8, .threads = 1});
  const BodyId cushion = world.add(Solid{.mesh = box_tets({0.6, 0.2, 0.6}, {6, 2, 6}),
                                         .material = Material{.young = 1e5, .poisson = 0.3, .density = 300},
                                         .place = {.position = {0, 0.1, 0}}});
  const ColliderId ground = world.add(Plane{});
  const ColliderId ball = world.add(Sphere{0.15}, {.position = {0, 0.36, 0}, .mass = 10});
  run(world, 240);
  EXPECT_NEAR(world.contact_force(ball).y, 98.1, 0.981);
  const double all = (10 + 0.6 * 0.6 * 0.2 * 300) * 9.81;
  EXPECT_NEAR(world.contact_force(ground).y, -all, 0.01 * all);
  EXPECT_LT(world.contact_report().deepest, 1e-4);
  EXPECT_LT(lowest(world.positions(cushion)), 1e-9);
}

TEST(Colliders, RigidBodiesComeToRestOnEachOther) {
  World world({.step = 1.0 / 60, .substeps = 10, .threads = 1});
  const ColliderId ground = world.add(Plane{});
  const ColliderId box = world.add(Box{{0.4, 0.2, 0.4}}, {.position = {0, 0.12, 0}, .density = 500});
  const ColliderId ball = world.add(Sphere{0.1}, {.position = {0, 0.33, 0}, .density = 500});
  const ColliderId pin =
      world.add(Capsule{0.05, 0.2}, {.position = {1, 0.3, 0}, .rotation = {0, 0, 1.5707963}, .density = 500});
  run(world, 120);
  EXPECT_NEAR(world.rigid_motion(box).center.y, 0.1, 1e-4);
  EXPECT_NEAR(world.rigid_motion(ball).center.y, 0.3, 3e-4);
  EXPECT_NEAR(world.rigid_motion(pin).center.y, 0.05, 1e-4);
  const double weight =
      (world.rigid_motion(box).mass + world.rigid_motion(ball).mass + world.rigid_motion(pin).mass) * 9.81;
  EXPECT_NEAR(world.contact_force(ground).y, -weight, 0.01 * weight);
}

// Cloth of 1 cm from one and 2 cm from the other has room between them.
TEST(Colliders, RigidBodiesKeepBothThicknesses) {
  World world({.threads = 1});
  world.add(Plane{}, {.thickness = 0.02});
  const ColliderId ball = world.add(Sphere{.radius = 0.1}, {.position = {0, 0.14, 0}, .thickness = 0.01, .mass = 1});
  const ColliderId box = world.add(Box{{0.2, 0.2, 0.2}}, {.position = {1, 0.14, 0}, .thickness = 0.01, .mass = 1});
  for (int step = 0; step < 60; ++step) world.step();
  EXPECT_NEAR(world.rigid_motion(ball).center.y, 0.13, 1e-4);
  EXPECT_NEAR(world.rigid_motion(box).center.y, 0.13, 1e-4);
}

TEST(Colliders, BallRollsDownASlope) {
  // Without slipping a ball gains 5/7 g sin(angle), and turns at v / r.
  const double angle = 0.3;
  World world({.step = 1.0 / 60, .substeps = 20, .threads = 1});
  const Vec3d normal{-std::sin(angle), std::cos(angle), 0}, down{-std::cos(angle), -std::sin(angle), 0};
  world.add(Plane{.normal = normal}, {.friction = 0.8});
  const ColliderId ball = world.add(Sphere{0.1}, {.position = normal * 0.1, .friction = 0.8, .density = 500});
  run(world, 60);
  const RigidMotion now = world.rigid_motion(ball);
  const double expected = 5.0 / 7 * 9.81 * std::sin(angle);
  EXPECT_NEAR(dot(now.velocity, down), expected, 0.02 * expected);
  EXPECT_NEAR(now.spin.z, dot(now.velocity, down) / 0.1, 0.02 * expected / 0.1);
}

TEST(Colliders, FreeBoxKeepsItsMomenta) {
  World world({.step = 1.0 / 60, .substeps = 20, .gravity = {}, .threads = 1});
  world.add(Box{{0.4, 0.2, 0.1}}, {.density = 700, .velocity = {1, 2, 3}, .spin = {3, 0.5, 1}});
  const Measures before = world.measures();
  run(world, 60);
  const Measures after = world.measures();
  EXPECT_NEAR(length(after.linear_momentum - before.linear_momentum), 0, 1e-9);
  EXPECT_NEAR(length(after.angular_momentum - before.angular_momentum), 0, 0.02 * length(before.angular_momentum));
  EXPECT_NEAR(after.kinetic_energy, before.kinetic_energy, 0.02 * before.kinetic_energy);
}

TEST(Colliders, ScriptedBoxCarriesWhatLiesOnIt) {
  World world({.step = 1.0 / 60, .substeps = 10, .threads = 1});
  Solid block = cube(0.1, 2, 2e5);
  block.place.position = {0, 0.15, 0};
  const BodyId body = world.add(block);
  // 0.5 m/s^2 at the most by friction 0.8: it sticks.
  std::vector<Keyframe> path;
  for (int k = 0; k <= 60; ++k) path.push_back({k / 30.0, {0.1 * (k / 30.0) * (k / 30.0), 0, 0}, {}});
  const ColliderId table = world.add(Box{{1, 0.2, 1}}, {.friction = 0.8, .path = path});
  run(world, 120);
  EXPECT_NEAR(world.collider_pose(table).position.x, 0.4, 1e-9);
  EXPECT_NEAR(mean(world.positions(body)).x, 0.4, 5e-3);
  EXPECT_NEAR(mean(world.velocities(body)).x, 0.4, 0.02);
  // A twentieth of the block's mean edge above it: 12 of 0.05 m and 6 diagonals for each two squares.
  EXPECT_NEAR(lowest(world.positions(body)), 0.1 + 0.05 * 0.0569, 1e-5);
}

TEST(Colliders, TurningCylinderDragsARope) {
  // Friction pulls the rope around with the drum; without it nothing moves sideways.
  const auto drift = [](double friction) {
    World world({.step = 1.0 / 60, .substeps = 20, .threads = 1});
    const BodyId body = world.add(Rope{.mesh = rope({-0.5, 0.31, 0}, {0.5, 0.31, 0}, 40)});
    world.add(Cylinder{0.3, 1},
              {.rotation = {1.5707963, 0, 0}, .friction = friction, .path = {{0, {}, {}}, {4, {}, {0, 0, -4}}}});
    run(world, 30);
    return mean(world.positions(body)).x;
  };
  EXPECT_NEAR(drift(0), 0, 1e-3);
  EXPECT_GT(drift(0.5), 0.02);
}

TEST(Colliders, SmallBallBetweenTheVerticesOfACoarseCloth) {
  World world({.step = 1.0 / 60, .substeps = 10, .point_damping = 4, .threads = 1});
  const BodyId cloth = world.add(Cloth{.mesh = grid({1, 1}, {2, 2}), .place = {.position = {0, 0.5, 0}}});
  world.pin(cloth, {0, 2, 6, 8});
  const ColliderId ball = world.add(Sphere{0.03}, {.position = {0.2, 0.6, 0.1}, .mass = 0.2});
  run(world, 150);
  EXPECT_GT(world.rigid_motion(ball).center.y, 0.2) << "it fell through";
  EXPECT_NEAR(world.contact_force(ball).y, 0.2 * 9.81, 0.02);
}

TEST(Colliders, WhatStartsInsideIsPushedOutSlowlyOrRefused) {
  const auto make = [](StartInside rule) {
    World world({.step = 1.0 / 60, .substeps = 10, .gravity = {}, .threads = 1});
    Solid block = cube(0.1, 2, 1e4);
    block.place.position = {0, -0.1, 0};
    const BodyId body = world.add(block);
    world.add(Plane{}, {.name = "floor", .start_inside = rule, .push_speed = 0.3});
    for (int k = 0; k < 60; ++k) {
      world.step();
      for (const Vec3d& v : world.velocities(body)) EXPECT_LT(length(v), 1.0);
    }
    return lowest(world.positions(body));
  };
  EXPECT_GT(make(StartInside::push), -1e-6);
  try {
    make(StartInside::refuse);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.where(), "floor.start_inside");
    EXPECT_NE(error.problem().find("'solid0'"), std::string::npos);
  }
}

World mixed(int threads, Integrator integrator = Integrator::euler) {
  World world({.step = 1.0 / 60, .substeps = 4, .integrator = integrator, .threads = threads});
  world.add(Cloth{.mesh = grid({1.2, 1.2}, {12, 12}), .place = {.position = {0, 0.75, 0}}});
  Solid block = cube(0.3, 3, 3e4);
  block.place = {.position = {0.1, 1.1, 0}, .rotation = {0.3, 0, 0.4}};
  world.add(block);
  world.add(Plane{});
  world.add(Sphere{0.3}, {.position = {0, 0.4, 0}, .path = {{0, {}, {}}, {2, {}, {0, 6, 0}}}});
  world.add(Box{{0.2, 0.2, 0.2}}, {.position = {0.6, 0.4, 0.1}, .rotation = {0.3, 0.2, 0}, .density = 300});
  world.add(Sphere{0.1}, {.position = {-0.3, 1.2, 0.1}, .restitution = 0.5, .density = 300});
  world.add(MeshSolid{torus(0.4, 0.1, 16, 8)}, {.position = {0, 0.2, 0.9}});
  world.add(MeshSurface{grid({0.5, 0.5}, {3, 3})},
            {.position = {-0.6, 0.5, 0}, .rotation = {0, 0, 0.4}, .thickness = 0.01});
  return world;
}

TEST(Colliders, ThreadsDoNotMatter) {
  uint64_t expected = 0;
  for (const int threads : {1, 2, 8}) {
    World world = mixed(threads);
    run(world, 30);
    EXPECT_TRUE(world.troubles().empty());
    EXPECT_GE(world.contact_report().contacts, 10);
    if (threads == 1) expected = world.state_hash();
    EXPECT_EQ(world.state_hash(), expected) << threads;
  }
}

TEST(Colliders, SnapshotsAndResetsDoNotMatter) {
  for (const Integrator integrator : {Integrator::euler, Integrator::bdf2}) {
    World world = mixed(2, integrator);
    run(world, 10);
    const std::vector<std::byte> half = world.snapshot();
    run(world, 10);
    const uint64_t end = world.state_hash();
    World other = mixed(1, integrator);
    other.restore(half);
    run(other, 10);
    EXPECT_EQ(other.state_hash(), end);
    other.reset();
    run(other, 20);
    EXPECT_EQ(other.state_hash(), end);
  }
  World world = mixed(1);
  World other({.threads = 1});
  other.add(Plane{});
  EXPECT_THROW(other.restore(world.snapshot()), Error);
}

TEST(Colliders, AddingABodyLaterKeepsRigidBodies) {
  World world = mixed(1);
  run(world, 10);
  const ColliderId ball{3};
  const RigidMotion before = world.rigid_motion(ball);
  world.add(Sphere{0.1}, {.position = {3, 1, 0}, .density = 100});
  const RigidMotion after = world.rigid_motion(ball);
  EXPECT_EQ(before.center, after.center);
  EXPECT_EQ(before.velocity, after.velocity);
}

TEST(Colliders, NothingIsAllocatedOnceWarm) {
  // Large and round: of others the guard has lists of what is near, which grow as long as bodies come upon something
  // new.
  World world({.step = 1.0 / 60, .substeps = 4, .threads = 2});
  world.add(Cloth{.mesh = grid({1.2, 1.2}, {12, 12}), .place = {.position = {0, 0.6, 0}}});
  world.add(Plane{});
  world.add(Funnel{.top_radius = 2, .bottom_radius = 1.5}, {.position = {0, 0.5, 0}});
  world.add(Sphere{1}, {.position = {0, -0.5, 0}, .path = {{0, {}, {}}, {2, {}, {0, 6, 0}}}});
  run(world, 20);
  const long before = testing_support::allocations();
  run(world, 5);
  EXPECT_EQ(testing_support::allocations(), before);
}

TEST(Colliders, TellWhoBeginsAndCeasesToTouch) {
  World world({.threads = 1});
  const ColliderId ground = world.add(Plane{}, {.name = "ground", .restitution = 1});
  const ColliderId ball = world.add(Sphere{.radius = 0.1}, {.position = {2, 0.15, 0}, .density = 1000});
  Solid cube{.mesh = box_tets({0.1, 0.1, 0.1}, {2, 2, 2}), .place = {.position = {0, 0.1, 0}}};
  const BodyId body = world.add(cube);
  std::vector<ContactEvent> events;
  world.on_contact([&](const ContactEvent& e) { events.push_back(e); });
  const auto number_of = [&](bool begins, int b, int other) {
    int number = 0;
    for (const ContactEvent& e : events) number += e.begins == begins && e.body == b && e.other == other;
    return number;
  };
  world.step();
  EXPECT_TRUE(events.empty());  // both still fall
  for (int s = 0; s < 20; ++s) world.step();
  ASSERT_FALSE(events.empty());
  for (const ContactEvent& e : events) EXPECT_EQ(e.collider, ground.index);
  EXPECT_GE(number_of(true, body.index, -1), 1);
  EXPECT_GE(number_of(true, -1, ball.index), 1);
  // What touches has begun once more often than it has ceased.
  const int touches = number_of(true, body.index, -1) - number_of(false, body.index, -1);
  EXPECT_TRUE(touches == 0 || touches == 1);
  // Taken away, it ceases.
  std::vector<Vec3d> high = world.positions(body);
  for (Vec3d& x : high) x.y += 5;
  world.set_positions(body, high);
  events.clear();
  world.step();
  EXPECT_EQ(number_of(false, body.index, -1), touches);
  world.on_contact({});
  const std::size_t told = events.size();
  for (int s = 0; s < 120; ++s) world.step();
  EXPECT_EQ(events.size(), told);
}

std::string refusal(const ColliderShape& shape, const ColliderOptions& options) {
  World world({.threads = 1});
  try {
    world.add(shape, options);
  } catch (const Error& error) {
    return error.where();
  }
  return "";
}

TEST(Colliders, BadInputIsNamed) {
  const double nan = std::nan("");
  EXPECT_EQ(refusal(Sphere{}, {.name = "s", .position = {nan, 0, 0}}), "s.position");
  EXPECT_EQ(refusal(Sphere{}, {.name = "s", .friction = -1}), "s.friction");
  EXPECT_EQ(refusal(Sphere{}, {.name = "s", .friction = 0.5, .static_friction = 0.4}), "s.static_friction");
  EXPECT_EQ(refusal(Sphere{}, {.name = "s", .restitution = 1.5}), "s.restitution");
  EXPECT_EQ(refusal(Sphere{}, {.name = "s", .path = {{0, {}, {}}, {1, {nan, 0, 0}, {}}}}), "s.path[1].move");
  EXPECT_EQ(refusal(Sphere{}, {.name = "s", .path = {{1, {}, {}}, {1, {}, {}}}}), "s.path[1].time");
  EXPECT_EQ(refusal(Sphere{}, {.name = "s", .density = 0}), "s.density");
  EXPECT_EQ(refusal(Sphere{}, {.name = "s", .path = {{0, {}, {}}}, .density = 1}), "s.path");
  EXPECT_EQ(refusal(Sphere{}, {.name = "s", .velocity = {1, 0, 0}}), "s.velocity");
  EXPECT_EQ(refusal(Plane{}, {.name = "s", .density = 1}), "s");
  EXPECT_EQ(refusal(MeshSurface{grid({1, 1}, {4, 4})}, {.name = "s", .thickness = 1}), "s.thickness");
  EXPECT_EQ(refusal(MeshSurface{grid({1, 1}, {4, 4})}, {.name = "s", .thickness = 0}), "s.thickness");
  EXPECT_EQ(refusal(MeshSolid{grid({1, 1}, {4, 4})}, {.name = "s"}), "s.mesh");
  World world({.threads = 1});
  world.add(Plane{}, {.name = "ground"});
  EXPECT_THROW(world.add(Plane{}, {.name = "ground"}), Error);
  EXPECT_THROW(world.contact_force({5}), Error);
  EXPECT_EQ(world.find_collider("ground"), ColliderId{0});
  EXPECT_FALSE(world.find_collider("sky"));
}

}  // namespace
}  // namespace pliant::test
