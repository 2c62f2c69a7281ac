// What cannot be meant is told in one line, which names the field; what can be meant is not.

#include <gtest/gtest.h>

#include <functional>

#include "pliant/world.h"

namespace pliant::test {
namespace {

/// A sound scene, of which one setting is spoilt.
struct Scene {
  WorldOptions options{.step = 1.0 / 60, .threads = 1, .contact = ContactOptions{}};
  Solid solid{.name = "jelly", .mesh = box_tets({1, 1, 1}, {2, 2, 2}), .material = Material{}};
  Cloth cloth{.name = "towel",
              .mesh = grid({1, 1}, {4, 4}),
              .material = ClothMaterial{.bending = 0},
              .place = {.position = {0, 3, 0}}};
  Rope rope{.name = "thread", .mesh = pliant::rope({0, 5, 0}, {1, 5, 0}, 8)};
  ColliderOptions ball{.name = "ball", .position = {0, -5, 0}, .density = 7800};
  std::vector<Keyframe> path{{.time = 0}, {.time = 1, .move = {0, 1, 0}, .turn = {0, 3, 0}}};
  Vec3d acceleration{};

  /// Without what the substeps do not resolve, which is another matter.
  std::vector<std::string> doubts() const {
    World world(options);
    world.add(solid);
    const BodyId towel = world.add(cloth);
    world.pin(towel, {0, 4}, path);
    world.add(rope);
    world.add(Sphere{}, ball);
    world.set_acceleration(towel, acceleration);
    std::vector<std::string> found = world.warnings();
    std::erase_if(found, [](const std::string& w) { return w.find("stiffer than the substeps") != std::string::npos; });
    return found;
  }
};

TEST(Plausible, WhatCanBeMeantIsNotDoubted) {
  EXPECT_EQ(Scene{}.doubts(), std::vector<std::string>{});
  // The far ends of what people simulate: a hair's breadth, a tent; feather, lead and rubber; a slow-motion camera.
  Scene small;
  small.options.step = 1e-4;
  small.solid.mesh = box_tets({1e-3, 1e-3, 1e-3}, {2, 2, 2});
  small.solid.material->young = 100;
  small.solid.velocity = {20, 0, 0};
  EXPECT_EQ(small.doubts(), std::vector<std::string>{});
  Scene large;
  large.solid.place.scale = {100, 100, 100};
  large.solid.place.position = {1e4, 0, 0};
  large.solid.material->density = 11300;
  large.solid.material->poisson = 0.499;
  large.solid.material->young = 1e6;
  large.cloth.density = 1e-3;
  large.rope.density = 1e-8;
  large.ball.friction = 5;
  EXPECT_EQ(large.doubts(), std::vector<std::string>{});
}

TEST(Plausible, WhatCannotBeMeantIsDoubtedInOneLine) {
  struct Case {
    const char* begins;
    std::function<void(Scene&)> spoil;
  };
  const Case cases[] = {
      {"step: 2 s", [](Scene& s) { s.options.step = 2, s.options.substeps = 10000; }},
      {"step: a substep has 1e-07 s", [](Scene& s) { s.options.step = 1e-6; }},
      {"gravity: 2e+07 m/s^2",
       [](Scene& s) {
         s.options.gravity = {0, -2e7, 0}, s.solid.material->young = 1e10, s.cloth.material->young = 1e9;
       }},
      {"contact.friction: 50", [](Scene& s) { s.options.contact->friction = 50; }},
      {"wind.velocity: 1000 m/s",
       [](Scene& s) {
         s.options.wind = Wind{.velocity = {1000, 0, 0}};
       }},
      {"point_damping: 2000 1/s", [](Scene& s) { s.options.point_damping = 2000; }},
      {"jelly.shape: it is 1e+09 m large",
       [](Scene& s) {
         s.solid.place.scale = {1e9, 1e9, 1e9}, s.solid.material->young = 1e12;
       }},
      {"jelly.shape: it is 1e-07 m large",
       [](Scene& s) {
         s.solid.place.scale = {1e-7, 1e-7, 1e-7};
       }},
      {"jelly.place.position: it is 1e+12 m away",
       [](Scene& s) {
         s.solid.place.position = {1e12, 0, 0};
       }},
      {"jelly.velocity: 1e+06 m/s",
       [](Scene& s) {
         s.solid.velocity = {0, 0, 1e6};
       }},
      {"jelly.velocity: 1000 m/s: it moves 167 times its size",
       [](Scene& s) {
         s.solid.mesh = box_tets({0.01, 0.01, 0.01}, {1, 1, 1}), s.solid.velocity = {1000, 0, 0};
       }},
      {"jelly.density: 1e+06 kg/m^3", [](Scene& s) { s.solid.material->density = 1e6, s.solid.material->young = 1e9; }},
      {"jelly.density: 0.001 kg/m^3", [](Scene& s) { s.solid.material->density = 1e-3, s.solid.material->young = 1; }},
      {"jelly.material.young: 0.01 Pa", [](Scene& s) { s.solid.material->young = 0.01; }},
      {"jelly.material.young: 0.01 Pa", [](Scene& s) { s.solid.material->young = 0.01, s.options.gravity = {}; }},
      {"jelly.material.young: 1e+13 Pa", [](Scene& s) { s.solid.material->young = 1e13; }},
      {"jelly.material.poisson: 0.49999", [](Scene& s) { s.solid.material->poisson = 0.49999; }},
      {"jelly.material.poisson: -0.9", [](Scene& s) { s.solid.material->poisson = -0.9; }},
      {"towel.density: 300 kg/m^2", [](Scene& s) { s.cloth.density = 300; }},
      {"towel.acceleration: 2e+07 m/s^2",
       [](Scene& s) {
         s.acceleration = {2e7, 0, 0};
       }},
      {"towel.material: 0.011 N/m", [](Scene& s) { s.cloth.material->young = 10; }},
      {"towel.material.thickness: 2 m",
       [](Scene& s) { s.cloth.material->thickness = 2, s.cloth.material->young = 500; }},
      {"thread.density: 1e+04 kg/m", [](Scene& s) { s.rope.density = 1e4; }},
      {"towel.pin.path[0].move: 2 m within 0.00167 s",
       [](Scene& s) {
         s.path[0].move = {0, 2, 0};
       }},
      {"towel.pin.path[1].move: 1 m within 0.00167 s", [](Scene& s) { s.path[1].time = 1e-3, s.path[1].turn = {}; }},
      {"towel.pin.path[1].turn: 1.67 turns in a step",
       [](Scene& s) {
         s.path[1].turn = {0, 628.3, 0};
       }},
      {"ball.velocity: 1e+06 m/s",
       [](Scene& s) {
         s.ball.velocity = {1e6, 0, 0};
       }},
      {"ball.density: 1e+06 kg/m^3", [](Scene& s) { s.ball.density = 1e6; }},
      {"ball.friction: 100", [](Scene& s) { s.ball.friction = 100; }},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.begins);
    Scene scene;
    c.spoil(scene);
    const std::vector<std::string> found = scene.doubts();
    ASSERT_EQ(found.size(), 1u) << (found.size() > 1 ? found[0] + "\n" + found[1] : "");
    EXPECT_EQ(found[0].substr(0, std::string(c.begins).size()), c.begins);
    EXPECT_NE(found[0].find("; "), std::string::npos) << "no remedy";
  }
}

TEST(Plausible, CopiesAreToldOfOnce) {
  World world({.threads = 1});
  for (int i = 0; i < 5; ++i) world.add(Rope{.mesh = rope({0, 0, 0}, {1, 0, 0}, 4), .velocity = {1e6, 0, 0}});
  ASSERT_EQ(world.warnings().size(), 1u);
  EXPECT_NE(world.warnings()[0].find("rope0.velocity"), std::string::npos);
  EXPECT_NE(world.warnings()[0].find("4 more"), std::string::npos);
}

}  // namespace
}  // namespace pliant::test
