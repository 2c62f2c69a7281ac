// Pins: held in place, moved along paths, taken off; adding to a world that has been stepped.

#include <gtest/gtest.h>

#include <cmath>

#include "build_kind.h"
#include "math/quaternion.h"
#include "springs.h"

namespace pliant::test {
namespace {

/// Where a path puts a vertex at a time, written anew: linear between keys, constant outside.
Vec3d on_path(const std::vector<Keyframe>& path, double time, Vec3d x, Vec3d center) {
  std::size_t k = 0;
  while (k + 1 < path.size() && time >= path[k + 1].time) ++k;
  Vec3d move = path[k].move, turn = path[k].turn;
  if (k + 1 < path.size() && time > path[k].time) {
    const double s = (time - path[k].time) / (path[k + 1].time - path[k].time);
    move = path[k].move * (1 - s) + path[k + 1].move * s;
    turn = path[k].turn * (1 - s) + path[k + 1].turn * s;
  }
  // Rodrigues' formula.
  const double angle = length(turn);
  Vec3d r = x - center;
  if (angle > 0) {
    const Vec3d n = turn / angle;
    r = r * std::cos(angle) + cross(n, r) * std::sin(angle) + n * (dot(n, r) * (1 - std::cos(angle)));
  }
  return center + move + r;
}

TEST(Pins, HoldTheirVertices) {
  World world({.threads = 1});
  const BodyId id = world.add(Cloth{.mesh = grid({1, 1}, {6, 6}), .place = {.position = {100.1, 20.2, -30.3}}});
  world.pin(id, {0, 6});
  const std::vector<Vec3d> before = world.positions(id);
  for (int k = 0; k < 60; ++k) world.step();
  const std::vector<Vec3d> after = world.positions(id);
  EXPECT_EQ(after[0], before[0]);
  EXPECT_EQ(after[6], before[6]);
  EXPECT_LT(after[45].y, before[45].y - 0.1);  // one of the far edge
  EXPECT_EQ(world.velocities(id)[0], Vec3d{});
}

TEST(Pins, FollowTheirPathsToRounding) {
  const std::vector<Keyframe> path = {{0.1, {0, 0, 0}, {0, 0, 0}},
                                      {0.5, {0.3, 0.1, -0.2}, {0, 1.2, 0}},
                                      {0.9, {0.3, 0.1, -0.2}, {0.4, 1.2, -0.3}},
                                      {1.5, {-1, 2, 0.5}, {0, 0, 4}}};
  World world({.step = 1.0 / 60, .substeps = 3, .threads = 1});
  const BodyId id = world.add(Cloth{.mesh = grid({1, 1}, {4, 4}), .place = {.position = {3.3, -2.1, 7.7}}});
  const std::vector<int> pinned = {0, 4, 12, 20};
  world.pin(id, pinned, path);
  const std::vector<Vec3d> start = world.positions(id);
  Vec3d center{};
  for (int v : pinned) center += start[static_cast<std::size_t>(v)] / 4.0;
  for (int k = 1; k <= 120; ++k) {
    world.step();
    const double time = k / 60.0;
    const std::vector<Vec3d> x = world.positions(id);
    for (int v : pinned) {
      const auto i = static_cast<std::size_t>(v);
      // The place is set as a base and an offset to it: the offset, the motion of a few substeps until the
      // base is renewed (0.25 m at most), is rounded once. The time is summed up, 1e-16 per step.
      ASSERT_LT(length(x[i] - on_path(path, time, start[i], center)), 0.25 * kRounding + 1e-13)
          << "vertex " << v << ", step " << k;
    }
  }
  EXPECT_TRUE(world.troubles().empty());
}

TEST(Pins, MoveWithTheVelocityOfTheirPath) {
  World world({.step = 1.0 / 60, .substeps = 10, .threads = 1});
  const BodyId id = world.add(Rope{.mesh = rope({0, 0, 0}, {0, -1, 0}, 4)});
  world.pin(id, {0}, {{0, {}, {}}, {1, {2, 0, 0}, {}}});
  for (int k = 0; k < 30; ++k) world.step();
  EXPECT_NEAR(world.velocities(id)[0].x, 2, 1e-4);
  for (int k = 0; k < 60; ++k) world.step();
  EXPECT_EQ(world.velocities(id)[0].x, 0) << "at the end of the path";
}

TEST(Pins, OfOneVertexTurnInPlace) {
  World world({.threads = 1});
  const BodyId id = world.add(Rope{.mesh = rope({1, 2, 3}, {1, 1, 3}, 3)});
  world.pin(id, {0}, {{0, {}, {}}, {1, {}, {0, 0, 3}}});
  for (int k = 0; k < 30; ++k) world.step();
  EXPECT_LT(length(world.positions(id)[0] - Vec3d{1, 2, 3}), 1e-12);
}

TEST(Pins, CanBeSetTakenOffAndSetAgainWhileStepping) {
  World world({.step = 1.0 / 60, .gravity = {}, .threads = 1});
  const BodyId id = world.add(Rope{.mesh = rope({0, 0, 0}, {1, 0, 0}, 4), .velocity = {0, 1, 0}, .constraints = {}});
  for (int k = 0; k < 6; ++k) world.step();
  const std::vector<Vec3d> x = world.positions(id), v = world.velocities(id);
  world.pin(id, {2});
  EXPECT_EQ(world.steps(), 6) << "the clock goes on";
  EXPECT_NEAR(world.time(), 0.1, 1e-12);
  for (std::size_t i = 0; i < 5; ++i) {
    // Positions go through double and are split anew: equal to the last digit of the offset.
    EXPECT_LT(length(world.positions(id)[i] - x[i]), 1e-14);
    EXPECT_EQ(world.velocities(id)[i], i == 2 ? Vec3d{} : v[i]);
  }
  for (int k = 0; k < 6; ++k) world.step();
  EXPECT_LT(length(world.positions(id)[2] - x[2]), 1e-14);
  EXPECT_NEAR(world.positions(id)[1].y, 0.2, 1e-6);
  world.unpin(id, std::array{2});
  world.step();
  EXPECT_LT(length(world.positions(id)[2] - x[2]), 1e-14) << "it starts from rest";
  world.set_velocities(id, std::vector<Vec3d>(5, Vec3d{0, 1, 0}));
  world.step();
  EXPECT_NEAR(world.positions(id)[2].y, x[2].y + 1.0 / 60, 1e-6) << "and moves again";
}

TEST(Pins, LetGoWithTheVelocityOfTheirPath) {
  World world({.step = 1.0 / 60, .gravity = {}, .threads = 1});
  const BodyId id = world.add(Rope{.mesh = rope({0, 0, 0}, {1, 0, 0}, 1), .constraints = {}});
  world.pin(id, {0}, {{0, {}, {}}, {1, {0, 3, 0}, {}}});
  for (int k = 0; k < 30; ++k) world.step();
  world.unpin(id, std::array{0});
  for (int k = 0; k < 30; ++k) world.step();
  EXPECT_NEAR(world.positions(id)[0].y, 3, 1e-4) << "thrown";
}

TEST(Pins, PinnedAnewFollowsTheNewPathFromWhereItIs) {
  World world({.step = 1.0 / 60, .gravity = {}, .threads = 1});
  const BodyId id = world.add(Rope{.mesh = rope({0, 0, 0}, {1, 0, 0}, 1), .velocity = {0, 1, 0}, .constraints = {}});
  for (int k = 0; k < 60; ++k) world.step();
  const double y = world.positions(id)[0].y;
  EXPECT_NEAR(y, 1, 1e-5);
  world.pin(id, {0}, {{1, {}, {}}, {2, {5, 0, 0}, {}}});
  for (int k = 0; k < 30; ++k) world.step();
  EXPECT_NEAR(world.positions(id)[0].x, 2.5, 1e-6);
  EXPECT_NEAR(world.positions(id)[0].y, y, 1e-12);
}

TEST(Pins, TheLastOneCounts) {
  World world({.step = 1.0 / 60, .threads = 1});
  const BodyId id = world.add(Rope{.mesh = rope({0, 0, 0}, {1, 0, 0}, 2)});
  world.pin(id, {0, 1}, {{0, {}, {}}, {1, {0, 3, 0}, {}}});
  for (int k = 0; k < 20; ++k) world.step();
  world.pin(id, {0});  // stays from now on; vertex 1 goes on
  for (int k = 0; k < 20; ++k) world.step();
  EXPECT_NEAR(world.positions(id)[0].y, 1, 1e-6);
  EXPECT_NEAR(world.positions(id)[1].y, 2, 1e-6);
}

TEST(Pins, AddingABodyKeepsTheOthersWhereTheyAre) {
  World world({.step = 1.0 / 60, .threads = 1});
  const BodyId first = world.add(Cloth{.name = "first", .mesh = grid({1, 1}, {5, 5})});
  world.pin(first, {0, 5});
  for (int k = 0; k < 20; ++k) world.step();
  const std::vector<Vec3d> x = world.positions(first), v = world.velocities(first);
  const BodyId second =
      world.add(Solid{.name = "second", .mesh = box_tets({1, 1, 1}, {2, 2, 2}), .place = {.position = {900, 0, 0}}});
  world.attach(first, 35, {0, -2, 0}, {.compliance = 1});
  EXPECT_EQ(world.steps(), 20);
  for (std::size_t i = 0; i < x.size(); ++i) {
    EXPECT_LT(length(world.positions(first)[i] - x[i]), 1e-12);  // the origin has moved by 450 m
    EXPECT_EQ(world.velocities(first)[i], v[i]);
  }
  EXPECT_NEAR(world.positions(second)[0].x, 899.5, 1e-12);
  world.step();
  EXPECT_EQ(world.steps(), 21);
}

TEST(Pins, ResetReturnsToTheStart) {
  World world({.step = 1.0 / 60, .threads = 1});
  const BodyId id =
      world.add(Cloth{.mesh = grid({1, 1}, {5, 5}),
                      .velocity = {0.1, 0, 0},
                      .constraints = {{"distance", {.compliance = 1e-4, .keep_multipliers = true}}, {"bend", {}}}});
  world.pin(id, {0, 5}, {{0, {}, {}}, {1, {1, 0, 0}, {0, 1, 0}}});
  const uint64_t start = world.state_hash();
  for (int k = 0; k < 10; ++k) world.step();
  const uint64_t ten = world.state_hash();
  EXPECT_NE(ten, start);
  world.reset();
  EXPECT_EQ(world.state_hash(), start);
  EXPECT_EQ(world.time(), 0);
  EXPECT_EQ(world.steps(), 0);
  for (int k = 0; k < 10; ++k) world.step();
  EXPECT_EQ(world.state_hash(), ten);
}

TEST(Pins, MistakesAreNamed) {
  World world({.threads = 1});
  const BodyId id = world.add(Rope{.name = "line", .mesh = rope({0, 0, 0}, {1, 0, 0}, 2)});
  const auto message = [](auto&& f) -> std::string {
    try {
      f();
    } catch (const Error& error) {
      return error.what();
    }
    return "nothing was thrown";
  };
  EXPECT_NE(message([&] { world.pin(id, {3}); }).find("vertex 3 does not exist"), std::string::npos);
  EXPECT_NE(message([&] { world.pin(id, {-1}); }).find("line"), std::string::npos);
  EXPECT_NE(message([&] { world.pin(id, {}); }).find("no vertices"), std::string::npos);
  EXPECT_NE(message([&] {
              world.pin(id, {0}, {{1, {}, {}}, {1, {}, {}}});
            }).find("line.path[1].time"),
            std::string::npos);
  EXPECT_NE(message([&] { world.pin(id, {0}, {{0, {NAN, 0, 0}, {}}}); }).find("line.path[0].move"), std::string::npos);
  EXPECT_NE(message([&] { world.pin({7}, {0}); }).find("no body number 7"), std::string::npos);
  EXPECT_NE(message([&] { world.unpin(id, std::array{9}); }).find("vertex 9"), std::string::npos);
  // After a refused pin the vertex still moves.
  world.step();
  EXPECT_LT(world.positions(id)[0].y, 0);
}

}  // namespace
}  // namespace pliant::test
