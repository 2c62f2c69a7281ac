// Forms that made energy out of nothing: what mended them, or what is said of them. tests/soak has the random cases.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "pliant/mesh.h"
#include "pliant/world.h"

namespace pliant::test {
namespace {

double largest_move(const World& world, BodyId body, const std::vector<Vec3d>& from) {
  double most = 0;
  const std::vector<Vec3d> x = world.positions(body);
  for (std::size_t v = 0; v < x.size(); ++v) most = std::max(most, length(x[v] - from[v]));
  return most;
}

/// A triangle whose two stretches were equal to the last digit was given directions of length 0.7, and so a stretch
/// that is out of its limits. Some of these triangles are such.
TEST(Forms, LimitsLeaveARestShapeAlone) {
  for (const Precision precision : {Precision::float32, Precision::float64}) {
    World world(
        {.step = 1e-3, .substeps = 1, .method = Method::pbd, .gravity = {}, .threads = 1, .precision = precision});
    const BodyId body =
        world.add(Cloth{.mesh = cylinder(0.00524 / 6.28, 0.00524 * 9, 3, 9), .constraints = {{"triangle_limit", {}}}});
    const std::vector<Vec3d> rest = world.positions(body);
    for (int k = 0; k < 10; ++k) world.step();
    EXPECT_LT(largest_move(world, body, rest), 1e-12);
  }
}

/// Two triangles folded by a right angle: each projection opens them by the most that a step may turn, and the last one
/// by what is left.
TEST(Forms, AHingeOpensStepByStep) {
  World world({.step = 1, .substeps = 1, .method = Method::pbd, .gravity = {}, .point_damping = 1e3, .threads = 1});
  const BodyId body =
      world.add(Cloth{.mesh = {{{0, 0, 0}, {0, 0, 1}, {1, 0, 0.5}, {-1, 0, 0.5}}, {{0, 1, 2}, {1, 0, 3}}},
                      .constraints = {{"bend", {}}, {"distance", {}}}});
  world.set_positions(body, {{{0, 0, 0}, {0, 0, 1}, {1, 0, 0.5}, {0, 1, 0.5}}});
  const auto angle = [&] {
    const std::vector<Vec3d> x = world.positions(body);
    const Vec3d a = cross(x[1] - x[0], x[2] - x[0]), b = cross(x[3] - x[0], x[1] - x[0]);
    return std::acos(std::clamp(dot(a, b) / (length(a) * length(b)), -1.0, 1.0));
  };
  double before = angle();
  EXPECT_NEAR(before, 1.5707963, 1e-6);
  int steps = 0;
  while (before > 1e-3 && steps < 20) {
    world.step();
    ++steps;
    const double now = angle();
    EXPECT_LT(before - now, 0.26);  // 0.25, and what a tangent is longer than its arc
    EXPECT_LT(now, std::max(before - 0.15, 1e-3));
    before = now;
  }
  EXPECT_GE(steps, 7);
  EXPECT_LT(steps, 12);
}

std::vector<std::string> warnings_of(const Constraints& constraints) {
  World world({.substeps = 10, .threads = 1});
  world.add(Cloth{.name = "sheet", .mesh = grid({1, 1}, {20, 20}), .constraints = constraints});
  return world.warnings();
}

TEST(Forms, WhatLeavesLengthsFreeIsNamed) {
  EXPECT_TRUE(warnings_of({{"distance", {}}, {"bend", {}}}).empty());
  EXPECT_TRUE(warnings_of({{"isometric_bend", {}}}).empty());
  EXPECT_TRUE(warnings_of({{"distance", {.compliance = 1}}, {"bend", {.compliance = 1e6}}}).empty());
  const auto alone = warnings_of({{"bend", {}}});
  ASSERT_EQ(alone.size(), 1u);
  EXPECT_NE(alone[0].find("sheet: bend alone leaves lengths free"), std::string::npos) << alone[0];
  const auto soft = warnings_of({{"distance", {.compliance = 1}}, {"bend", {}}});
  ASSERT_EQ(soft.size(), 1u);
  EXPECT_NE(soft[0].find("take a stiffer distance, or isometric_bend"), std::string::npos) << soft[0];
}

TEST(Forms, MultipliersAreKeptWhereTheSubstepsFollow) {
  EXPECT_TRUE(warnings_of({{"distance", {.compliance = 1e-2, .keep_multipliers = true}}}).empty());
  const auto rigid = warnings_of({{"distance", {.keep_multipliers = true}}});
  ASSERT_EQ(rigid.size(), 1u);
  EXPECT_NE(rigid[0].find("give it a compliance above 0"), std::string::npos) << rigid[0];
  const auto stiff = warnings_of({{"distance", {.compliance = 1e-7, .keep_multipliers = true}}});
  ASSERT_EQ(stiff.size(), 1u);
  EXPECT_NE(stiff[0].find("times the compliance"), std::string::npos) << stiff[0];
}

}  // namespace
}  // namespace pliant::test
