// What a good scene becomes.
#include <gtest/gtest.h>

#include <cmath>

#include "pliant/error.h"
#include "pliant/scene.h"
#include "scene/temporary_folder.h"
#include "test_paths.h"

namespace pliant::test {
namespace {

Scene parse(const std::string& text) { return parse_scene(text, "scene.json"); }

Vec3d mean(const std::vector<Vec3d>& positions) {
  Vec3d sum{};
  for (const Vec3d& x : positions) sum += x;
  return sum / static_cast<double>(positions.size());
}

void expect_near(const Vec3d& a, const Vec3d& b, double tolerance) {
  EXPECT_NEAR(a.x, b.x, tolerance);
  EXPECT_NEAR(a.y, b.y, tolerance);
  EXPECT_NEAR(a.z, b.z, tolerance);
}

// Positions are float32 plus a remainder; what is left is the rounding of one float operation.
constexpr double kTolerance = 1e-6;

TEST(Load, ReadsOptions) {
  const Scene scene = parse(R"({
    // comments of both /* kinds */ are allowed
    "title": "All options", "frames": 7,
    "solver": {"fps": 50, "substeps": 3, "iterations": 4, "method": "pbd", "precision": "float64", "threads": 1,
               "damping": {"point": 0.25, "global": 0.5}},
    "gravity": [1, 2, 3], /* as here */
    "bodies": [{"name": "a", "kind": "rope", "shape": {"rope": {}}}]
  })");
  EXPECT_EQ(scene.title, "All options");
  EXPECT_EQ(scene.path, "scene.json");
  EXPECT_EQ(scene.frames, 7);
  const WorldOptions& options = scene.world.options();
  EXPECT_EQ(options.step, 0.02);
  EXPECT_EQ(options.substeps, 3);
  EXPECT_EQ(options.iterations, 4);
  EXPECT_EQ(options.method, Method::pbd);
  EXPECT_EQ(options.precision, Precision::float64);
  EXPECT_EQ(options.threads, 1);
  EXPECT_EQ(options.point_damping, 0.25);
  EXPECT_EQ(options.global_damping, 0.5);
  EXPECT_EQ(options.gravity, (Vec3d{1, 2, 3}));
}

TEST(Load, DefaultsAreTheEngines) {
  const Scene scene = parse(R"({"bodies": [{"name": "a", "kind": "rope", "shape": {"rope": {}}}]})");
  const WorldOptions expected;
  const WorldOptions& options = scene.world.options();
  EXPECT_EQ(options.step, expected.step);
  EXPECT_EQ(options.substeps, expected.substeps);
  EXPECT_EQ(options.iterations, expected.iterations);
  EXPECT_EQ(options.method, expected.method);
  EXPECT_EQ(options.gravity, expected.gravity);
  EXPECT_EQ(options.precision, expected.precision);
}

TEST(Load, CollidersBecomeColliders) {
  const Scene scene = parse(R"({
    "bodies": [{"name": "a", "kind": "rope", "shape": {"rope": {}}}],
    "colliders": [
      {"plane": {"point": [0, -5, 0]}},
      {"name": "ball", "sphere": {"radius": 0.2}, "position": [3, 1, 0], "mass": 2, "velocity": [0, 1, 0],
       "spin": [0, 180, 0], "restitution": 0.5, "thickness": 0.01},
      {"name": "table", "box": {"size": 1}, "position": [8, 0, 0], "rotation": [0, 0, 90], "friction": 0.3,
       "static_friction": 0.4, "start_inside": "refuse",
       "path": [{"time": 0}, {"time": 1, "move": [0, 1, 0], "turn": [0, 90, 0]}]},
      {"capsule": {}, "position": [10, 0, 0]}, {"cylinder": {}, "position": [12, 0, 0]},
      {"cone": {}, "position": [14, 0, 0]}, {"funnel": {}, "position": [16, 0, 0]},
      {"height_field": {"columns": 2, "rows": 2, "heights": [0, 0, 0.5, 0.5]}, "position": [30, 0, 0]},
      {"solid": {"torus": {}}, "position": [20, 0, 0]}, {"surface": {"grid": {}}, "position": [22, 0, 0]}
    ]})");
  const World& world = scene.world;
  ASSERT_EQ(world.collider_count(), 10);
  EXPECT_EQ(world.name(ColliderId{0}), "plane0");
  const ColliderId ball = world.find_collider("ball").value();
  EXPECT_NEAR(world.rigid_motion(ball).mass, 2, 1e-12);
  expect_near(world.rigid_motion(ball).spin, {0, 3.14159265358979, 0}, 1e-9);
  EXPECT_EQ(world.options(ball).restitution, 0.5);
  EXPECT_EQ(world.options(ball).thickness, 0.01);
  const ColliderId table = world.find_collider("table").value();
  expect_near(world.collider_pose(table).rotation, {0, 0, 1.5707963267949}, 1e-9);
  EXPECT_EQ(world.options(table).static_friction, 0.4);
  ASSERT_EQ(world.options(table).path.size(), 2u);
  expect_near(world.options(table).path[1].turn, {0, 1.5707963267949, 0}, 1e-9);
  EXPECT_FALSE(world.collider_shape(ColliderId{9}).triangles.empty());
}

TEST(Load, OverridesWin) {
  const char* text = R"({"solver": {"threads": 2}, "bodies": [{"name": "a", "kind": "rope", "shape": {"rope": {}}}]})";
  EXPECT_EQ(parse_scene(text, "scene.json", {.threads = 1}).world.options().threads, 1);
  EXPECT_EQ(parse_scene(text, "scene.json").world.options().threads, 2);
  EXPECT_EQ(parse_scene(text, "scene.json", {.simd_width = 1}).world.options().simd_width, 1);
}

TEST(Load, WholeNumbersMayBeWrittenAsFloats) {
  EXPECT_EQ(parse(R"({"frames": 2.0, "bodies": [{"name": "a", "kind": "rope", "shape": {"rope": {"segments": 1e1}}}]})")
                .world.vertex_count(BodyId{0}),
            11);
}

TEST(Load, MakesEveryShape) {
  const struct {
    const char *kind, *shape;
    int vertices;  // 0: any
    double mass;   // [kg] at density 10; 0: any
  } shapes[] = {
      {"cloth", R"({"grid": {"size": [2, 3], "cells": [4, 5]}})", 30, 60},
      {"cloth", R"({"grid": {"size": 2, "cells": 3}})", 16, 40},
      {"cloth", R"({"sphere": {"radius": 0.5, "subdivisions": 2}})", 162, 0},
      {"cloth", R"({"torus": {"segments": 12, "tube_segments": 8}})", 96, 0},
      {"cloth", R"({"cylinder": {"radius": 0.3, "height": 2, "segments": 16, "rings": 4}})", 0, 0},
      {"cloth", R"({"box": {"size": [1, 2, 3], "cells": [1, 2, 3]}})", 0, 220},
      {"solid", R"({"sphere": {"radius": 0.5, "cells": 4}})", 125, 0},
      {"solid", R"({"torus": {"segments": 12, "tube_cells": 2}})", 108, 0},
      {"solid", R"({"cylinder": {"cells": 4, "rings": 3}})", 100, 0},
      {"solid", R"({"box": {"size": [1, 2, 3], "cells": [1, 2, 3]}})", 24, 60},
      {"solid", R"({"box": {"size": [1, 2, 3], "cells": [1, 2, 3], "split": "six"}})", 24, 60},
      {"rope", R"({"rope": {"from": [0, 0, 0], "to": [3, 4, 0], "segments": 5}})", 6, 50},
  };
  for (const auto& shape : shapes) {
    const std::string text = std::string(R"({"bodies": [{"name": "a", "density": 10, "kind": ")") + shape.kind +
                             R"(", "shape": )" + shape.shape + "}]}";
    const Scene scene = parse(text);
    const BodyId body{0};
    if (shape.vertices > 0) {
      EXPECT_EQ(scene.world.vertex_count(body), shape.vertices) << text;
    }
    double mass = 0;
    for (const double m : scene.world.masses(body)) mass += m;
    if (shape.mass > 0) {
      EXPECT_NEAR(mass, shape.mass, 1e-9 * shape.mass) << text;
    }
    EXPECT_GT(mass, 0) << text;
    EXPECT_EQ(scene.world.tets(body).empty(), std::string(shape.kind) != "solid") << text;
    EXPECT_EQ(scene.world.triangles(body).empty(), std::string(shape.kind) == "rope") << text;
  }
}

TEST(Load, SplitChangesTheTets) {
  const auto tets = [](const char* split) {
    return parse(std::string(R"({"bodies": [{"name": "a", "kind": "solid", "shape": {"box": {"cells": 2, "split": ")") +
                 split + R"("}}}]})")
        .world.tets(BodyId{0})
        .size();
  };
  EXPECT_EQ(tets("five"), 40u);
  EXPECT_EQ(tets("six"), 48u);
}

TEST(Load, PlacesByScaleThenTurnsThenMove) {
  const Scene scene = parse(R"({"bodies": [{
    "name": "a", "kind": "rope", "shape": {"rope": {"from": [0, 0, 0], "to": [1, 2, 3], "segments": 1}},
    "place": {"scale": [2, 1, 1], "rotation": [90, 0, 90], "position": [10, 20, 30]}
  }]})");
  // (1, 2, 3) scaled is (2, 2, 3); 90 degrees about x make it (2, -3, 2); then 90 about z (3, 2, 2).
  const auto x = scene.world.positions(BodyId{0});
  expect_near(x[0], {10, 20, 30}, 30 * kTolerance);
  expect_near(x[1], {13, 22, 32}, 30 * kTolerance);
}

TEST(Load, RotationAboutYThenZ) {
  const Scene scene = parse(R"({"bodies": [{
    "name": "a", "kind": "rope", "shape": {"rope": {"from": [0, 0, 0], "to": [1, 0, 0], "segments": 1}},
    "place": {"rotation": [0, 450, 90]}
  }]})");
  // 450 degrees are 90: about y they take x to -z, which stays under a turn about z.
  expect_near(scene.world.positions(BodyId{0})[1], {0, 0, -1}, kTolerance);
}

TEST(Load, VelocityForceAndAcceleration) {
  Scene scene = parse(R"({"gravity": [0, 0, 0], "solver": {"step": 0.1, "substeps": 1}, "bodies": [
    {"name": "thrown", "kind": "rope", "density": 2, "shape": {"rope": {}}, "velocity": [1, 2, 3]},
    {"name": "pushed", "kind": "rope", "density": 2, "shape": {"rope": {}}, "force": [4, 0, 0]},
    {"name": "drawn", "kind": "rope", "density": 2, "shape": {"rope": {}}, "acceleration": [0, 5, 0]}]})");
  scene.world.step();
  expect_near(scene.world.velocities(BodyId{0})[3], {1, 2, 3}, 1e-5);
  expect_near(scene.world.velocities(BodyId{1})[3], {0.1 * 4 / 2, 0, 0}, 1e-5);  // 4 N on 2 kg
  expect_near(scene.world.velocities(BodyId{2})[3], {0, 0.1 * 5, 0}, 1e-5);
}

int64_t count(const Scene& scene, const std::string& type) {
  for (const ConstraintCount& c : scene.world.constraint_counts()) {
    if (c.type == type) return c.constraints;
  }
  return 0;
}

TEST(Load, ListedConstraintsStandBesideTheDefault) {
  const auto cloth = [](const std::string& constraints) {
    return parse(R"({"bodies": [{"name": "a", "kind": "cloth", "shape": {"grid": {"cells": 2}})" + constraints + "}]}");
  };
  EXPECT_EQ(count(cloth(""), "distance"), 16);
  EXPECT_EQ(count(cloth(""), "isometric_bend"), 8);
  for (const char* none : {R"({"bend": false})", R"({"bend": null})", R"({"isometric_bend": false})"}) {
    EXPECT_EQ(count(cloth(R"(, "constraints": )" + std::string(none)), "isometric_bend"), 0);
    EXPECT_EQ(count(cloth(R"(, "constraints": )" + std::string(none)), "distance"), 16);
  }
  // Bending that is listed stands in place of the default's.
  EXPECT_EQ(count(cloth(R"(, "constraints": {"bend": true})"), "bend"), 8);
  EXPECT_EQ(count(cloth(R"(, "constraints": {"bend": true})"), "isometric_bend"), 0);
  EXPECT_EQ(count(cloth(R"(, "constraints": {"triangle_area": true})"), "triangle_area"), 8);
  EXPECT_EQ(count(cloth(R"(, "constraints": {"triangle_area": {}})"), "isometric_bend"), 8);
}

TEST(Load, LongRangeGoesWithTheDefault) {
  const auto tethers = [](const std::string& more) {
    return count(parse(R"({"bodies": [{"name": "a", "kind": "cloth", "shape": {"grid": {"cells": 2}})" + more +
                       R"(}], "pins": [{"body": "a", "select": {"vertices": [0]}}]})"),
                 "tether");
  };
  EXPECT_EQ(tethers(""), 8);
  EXPECT_EQ(tethers(R"(, "constraints": {"bend": true})"), 8);
  EXPECT_EQ(tethers(R"(, "long_range": false)"), 0);
  EXPECT_EQ(tethers(R"(, "constraints": {"distance": true})"), 0);
  EXPECT_EQ(tethers(R"(, "constraints": {"distance": true}, "long_range": true)"), 8);
}

/// How far the lower end of a hanging spring of rest length 1 m goes down.
double sag(const std::string& constraint, const std::string& solver = "\"substeps\": 100") {
  Scene scene = parse(R"({"solver": {"step": 0.1, "damping": {"point": 20}, )" + solver + R"(}, "bodies": [
    {"name": "a", "kind": "rope", "density": 2, "shape": {"rope": {"segments": 1}}, "constraints": {"distance": )" +
                      constraint + R"(}}], "pins": [{"body": "a", "select": {"vertices": [0]}}]})");
  for (int i = 0; i < 100; ++i) scene.world.step();
  return -scene.world.positions(BodyId{0})[1].y - 1;
}

TEST(Load, ConstraintSettingsArrive) {
  // Half of 2 kg hang on the spring: 9.81 N times the compliance.
  EXPECT_NEAR(sag(R"({"compliance": 0.01})"), 0.0981, 1e-3);
  EXPECT_NEAR(sag(R"({"compliance": 0.02})"), 0.1962, 2e-3);
  EXPECT_NEAR(sag(R"({"compliance": 0})"), 0, 1e-3);
  EXPECT_GT(sag("false"), 1);
  EXPECT_LT(sag(R"({"stiffness": 1})", R"("method": "pbd")"), 1e-3);
  EXPECT_GT(sag(R"({"stiffness": 0})", R"("method": "pbd")"), 1);
}

TEST(Load, SettingsOverlayTheKindsDefaults) {
  // A solid's distance has a compliance of its own where none is given: naming another setting must keep it. Its
  // volumes are left out.
  const auto energy = [](const std::string& settings) {
    Scene scene =
        parse(R"({"gravity": [0, 0, 0], "bodies": [{"name": "a", "kind": "solid", "shape": {"box": {"cells": 1}},
      "constraints": {"tet_volume": false, "distance": )" +
              settings + "}}]}");
    auto x = scene.world.positions(BodyId{0});
    for (Vec3d& p : x) p.x *= 1.1;
    scene.world.set_positions(BodyId{0}, x);
    return scene.world.measures().elastic_energy;
  };
  ASSERT_GT(Solid::springs().at("distance").compliance, 0);
  EXPECT_GT(energy("{}"), 0);
  EXPECT_NEAR(energy(R"({"damping": 0.01})"), energy("{}"), 1e-10 * energy("{}"));  // added up in another order
  EXPECT_EQ(energy("true"), energy("{}"));
  EXPECT_EQ(energy(R"({"compliance": 0})"), 0);  // a rigid one stores nothing
}

TEST(Load, WarnsOfAStrengthThatHasNoEffect) {
  const auto warnings = [](const std::string& method, const std::string& settings) {
    return parse(R"({"solver": {"method": ")" + method + R"("}, "bodies": [{"name": "a", "kind": "rope",
      "shape": {"rope": {}}, "constraints": {"distance": )" +
                 settings + "}}]}")
        .warnings;
  };
  ASSERT_EQ(warnings("xpbd", R"({"stiffness": 0.5})").size(), 1u);
  EXPECT_NE(warnings("xpbd", R"({"stiffness": 0.5})")[0].find("scene.json: bodies[0].constraints.distance.stiffness"),
            std::string::npos);
  EXPECT_EQ(warnings("pbd", R"({"compliance": 0.5})").size(), 1u);
  EXPECT_TRUE(warnings("pbd", R"({"stiffness": 0.5})").empty());
  EXPECT_TRUE(warnings("xpbd", R"({"compliance": 0.5})").empty());
}

TEST(Load, CopiesStandOnAGrid) {
  const Scene scene = parse(R"({"bodies": [{"name": "ball", "kind": "cloth", "shape": {"sphere": {"subdivisions": 1}},
    "place": {"position": [1, 2, 3]}, "copies": {"count": [2, 1, 3], "spacing": [2, 1, 4]}}]})");
  ASSERT_EQ(scene.world.body_count(), 6);
  for (int i = 0; i < 6; ++i) {
    EXPECT_EQ(scene.world.name(BodyId{i}), "ball." + std::to_string(i));
    expect_near(mean(scene.world.positions(BodyId{i})), {1.0 + 2 * (i % 2), 2, 3.0 + 4 * (i / 2)}, 20 * kTolerance);
  }
}

/// The vertices of a 4 x 4 grid in the xz plane that stay where they are in free fall.
std::vector<int> pinned(const std::string& select, const std::string& place = "{}") {
  Scene scene =
      parse(R"({"bodies": [{"name": "a", "kind": "cloth", "shape": {"grid": {"size": [3, 3], "cells": [3, 3]}},
    "constraints": {"distance": false, "bend": false}, "place": )" +
            place + R"(}],
    "pins": [{"body": "a", "select": )" +
            select + "}]}");
  const auto before = scene.world.positions(BodyId{0});
  scene.world.step();
  const auto after = scene.world.positions(BodyId{0});
  std::vector<int> vertices;
  for (size_t i = 0; i < before.size(); ++i) {
    if (before[i] == after[i]) vertices.push_back(static_cast<int>(i));
  }
  return vertices;
}

TEST(Load, SelectsVertices) {
  using Vertices = std::vector<int>;
  EXPECT_EQ(pinned(R"({"vertices": [3, 0, -1, 3]})"), (Vertices{0, 3, 15}));
  EXPECT_EQ(pinned(R"({"vertices": [-16]})"), (Vertices{0}));
  EXPECT_EQ(pinned(R"({"all": true})").size(), 16u);
  // Borders belong to the region.
  EXPECT_EQ(pinned(R"({"box": {"min": [-1.5, 0, -1.5], "max": [-0.5, 0, -1.5]}})"), (Vertices{0, 1}));
  EXPECT_EQ(pinned(R"({"sphere": {"center": [-1.5, 0, -1.5], "radius": 1}})"), (Vertices{0, 1, 4}));
  EXPECT_EQ(pinned(R"({"plane": {"point": [1.5, 0, 0], "normal": [2, 0, 0]}})"), (Vertices{3, 7, 11, 15}));
  EXPECT_EQ(pinned(R"({"plane": {"point": [1.4, 0, 0], "normal": [-1, 0, 0]}})").size(), 12u);
}

TEST(Load, SelectsInTheWorldAfterPlacing) {
  // Turned by 90 degrees about x, z becomes -y: the row z = -1.5 is the upper border at y = 1.5 + 10.
  EXPECT_EQ(pinned(R"({"plane": {"point": [0, 11.5, 0], "normal": [0, 1, 0]}})",
                   R"({"rotation": [90, 0, 0], "position": [0, 10, 0]})"),
            (std::vector<int>{0, 1, 2, 3}));
}

TEST(Load, PinsFollowTheirPath) {
  Scene scene = parse(R"({"solver": {"step": 0.5}, "bodies": [{"name": "a", "kind": "rope",
    "shape": {"rope": {"from": [-1, 0, 0], "to": [1, 0, 0], "segments": 2}}}],
    "pins": [{"body": "a", "select": {"all": true},
              "path": [{"time": 0}, {"time": 1, "move": [0, 2, 0], "turn": [0, 0, 180]}]}]})");
  scene.world.step();  // half way: moved by 1, turned by 90 degrees
  auto x = scene.world.positions(BodyId{0});
  expect_near(x[0], {0, 0, 0}, 1e-5);
  expect_near(x[1], {0, 1, 0}, 1e-5);
  expect_near(x[2], {0, 2, 0}, 1e-5);
  for (int i = 0; i < 3; ++i) scene.world.step();  // it stays at the last key
  x = scene.world.positions(BodyId{0});
  expect_near(x[0], {1, 2, 0}, 1e-5);
  expect_near(x[2], {-1, 2, 0}, 1e-5);
}

TEST(Load, PinsApplyToAllCopies) {
  Scene scene =
      parse(R"({"bodies": [{"name": "a", "kind": "rope", "shape": {"rope": {}}, "copies": {"count": [3, 1, 1]}}],
    "pins": [{"body": "a", "select": {"vertices": [0]}}]})");
  for (int i = 0; i < 10; ++i) scene.world.step();
  for (int i = 0; i < 3; ++i) expect_near(scene.world.positions(BodyId{i})[0], {double(i), 0, 0}, kTolerance);
}

TEST(Load, AttachmentsHold) {
  Scene scene = parse(R"({"bodies": [
    {"name": "box", "kind": "solid", "density": 10, "shape": {"box": {"cells": 2, "size": 0.2}}},
    {"name": "rope", "kind": "rope", "shape": {"rope": {"from": [0, 1, 0], "to": [0, 0.1, 0]}}},
    {"name": "tail", "kind": "rope", "shape": {"rope": {"from": [0, 0.6, 0], "to": [0, 0.2, 0], "segments": 4}}}],
    "attachments": [
      {"body": "rope", "vertex": 0, "to": {"point": [0, 1, 0]}},
      {"body": "rope", "vertex": -1, "to": {"body": "box"}},
      {"body": "tail", "select": {"vertices": [0]}, "to": {"body": "rope"}}]})");
  for (int i = 0; i < 60; ++i) scene.world.step();
  const auto rope = scene.world.positions(BodyId{1});
  EXPECT_LT(length(rope[0] - Vec3d{0, 1, 0}), 0.01);
  EXPECT_NEAR(mean(scene.world.positions(BodyId{0})).y, 0, 0.05);  // otherwise it falls 4.9 m in a second
  EXPECT_GT(scene.world.positions(BodyId{2})[4].y, -0.5);
}

TEST(Load, AttachesCopiesInPairs) {
  Scene scene = parse(R"({"bodies": [
    {"name": "box", "kind": "solid", "density": 10, "shape": {"box": {"cells": 1, "size": 0.2}},
     "copies": {"count": [3, 1, 1]}},
    {"name": "rope", "kind": "rope", "shape": {"rope": {"from": [0, 1, 0], "to": [0, 0.1, 0]}},
     "copies": {"count": [3, 1, 1]}}],
    "pins": [{"body": "rope", "select": {"vertices": [0]}}],
    "attachments": [{"body": "rope", "vertex": -1, "to": {"body": "box"}}]})");
  for (int i = 0; i < 60; ++i) scene.world.step();
  for (int i = 0; i < 3; ++i) expect_near(mean(scene.world.positions(BodyId{i})), {double(i), 0, 0}, 0.05);
}

TEST(Load, ReadsMeshFilesRelativeToTheScene) {
  const TemporaryFolder folder;
  // The second triangle is wound the wrong way: it is turned around, with a warning.
  folder.write("meshes/two.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 1 1 0\nf 1 2 3\nf 3 4 2\n");
  folder.write("meshes/one.node", "4 3 0 0\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n");
  folder.write("meshes/one.ele", "1 4 0\n1 1 2 3 4\n");
  folder.write("meshes/line.obj", "v 0 0 0\nv 1 0 0\nv 2 0 0\nl 1 2 3\n");
  const Scene scene = load_scene(folder.write("scene.json", R"({"bodies": [
    {"name": "cloth", "kind": "cloth", "shape": {"file": "meshes/two.obj"}},
    {"name": "solid", "kind": "solid", "shape": {"file": "meshes/one.node"}},
    {"name": "rope", "kind": "rope", "shape": {"file": "meshes/line.obj"}}]})"));
  EXPECT_EQ(scene.world.triangles(BodyId{0}).size(), 2u);
  EXPECT_EQ(scene.world.tets(BodyId{1}).size(), 1u);
  EXPECT_EQ(scene.world.edges(BodyId{2}).size(), 2u);
  ASSERT_EQ(scene.warnings.size(), 1u);
  EXPECT_NE(scene.warnings[0].find("bodies[0].shape.file"), std::string::npos) << scene.warnings[0];
}

// ------------------------------------------------------------------ includes

TEST(Include, ListsAreJoinedAndTheOuterFileWins) {
  const TemporaryFolder folder;
  folder.write("parts/pole.json", R"({"title": "inner", "frames": 3, "solver": {"substeps": 7, "fps": 25}, "bodies": [
    {"name": "pole", "kind": "rope", "shape": {"file": "line.obj"}}]})");
  folder.write("parts/line.obj", "v 0 0 0\nv 1 0 0\nl 1 2\n");
  const Scene scene = load_scene(folder.write("scene.json", R"({"include": ["parts/pole.json"], "title": "outer",
    "solver": {"step": 0.5}, "bodies": [{"name": "flag", "kind": "rope", "shape": {"rope": {}}}],
    "pins": [{"body": "pole", "select": {"all": true}}]})"));
  EXPECT_EQ(scene.title, "outer");
  EXPECT_EQ(scene.frames, 3);
  EXPECT_EQ(scene.world.options().substeps, 7);
  EXPECT_EQ(scene.world.options().step, 0.5);
  ASSERT_EQ(scene.world.body_count(), 2);
  EXPECT_EQ(scene.world.name(BodyId{0}), "pole");
  EXPECT_EQ(scene.world.name(BodyId{1}), "flag");
}

TEST(Include, FileIsReadOnce) {
  const TemporaryFolder folder;
  const std::string body = R"("bodies": [{"name": "NAME", "kind": "rope", "shape": {"rope": {}}}])";
  const auto named = [&](const std::string& name) { return std::string(body).replace(body.find("NAME"), 4, name); };
  folder.write("common.json", R"({"title": "common", )" + named("common") + "}");
  folder.write("a.json", R"({"include": ["common.json"], )" + named("a") + "}");
  folder.write("b.json", R"({"include": ["./common.json"], )" + named("b") + "}");
  EXPECT_EQ(
      load_scene(folder.write("scene.json", R"({"include": ["a.json", "b.json", "common.json"]})")).world.body_count(),
      3);
}

TEST(Include, CyclesAreRefused) {
  const TemporaryFolder folder;
  folder.write("b.json", R"({"include": ["c.json"]})");
  folder.write("c.json",
               R"({"include": ["../)" + std::filesystem::path(folder.path()).filename().string() + R"(/b.json"]})");
  const std::string path = folder.write("a.json", R"({"include": ["b.json"]})");
  try {
    load_scene(path);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.where(), folder.file("c.json") + ": include[0]");
    EXPECT_NE(error.problem().find("b.json -> "), std::string::npos) << error.what();
    EXPECT_NE(error.remedy().find("remove"), std::string::npos);
  }
}

TEST(Include, MistakesNameTheIncludedFile) {
  const TemporaryFolder folder;
  const std::string inner = folder.write("inner.json", R"({"gravity": 3})");
  try {
    load_scene(folder.write("scene.json", R"({"include": ["inner.json"]})"));
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.where(), inner + ": gravity");
  }
}

// ------------------------------------------------------------------ gallery and documentation

TEST(Documentation, ExampleOfThePageWorks) {
  const std::string page = read_text(PLIANT_SOURCE_DIR "/docs/scene.md");
  const size_t begin = page.find("```json\n") + 8;
  Scene scene = parse_scene(page.substr(begin, page.find("```", begin) - begin), "docs/scene.md");
  EXPECT_TRUE(scene.warnings.empty());
  for (int i = 0; i < 30; ++i) scene.world.step();
  const auto x = scene.world.positions(BodyId{0});
  expect_near(x[0], {-0.5, 2, -0.5}, kTolerance * 2);  // held
  EXPECT_LT(x.back().y, 1.7);                          // fallen
}

TEST(Gallery, EveryConstraintHasAScene) {
  for (const ConstraintType& type : constraint_types()) {
    const std::string path = PLIANT_SOURCE_DIR "/scenes/" + type.name + ".json";
    ASSERT_TRUE(std::filesystem::exists(path)) << path;
    EXPECT_GT(count(load_scene(path), type.name), 0) << path << " does not show " << type.name;
  }
}

}  // namespace
}  // namespace pliant::test
