// Long range attachments: what they hold, and that they do nothing when they are slack.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "build_kind.h"
#include "pliant/world.h"

namespace pliant::test {
namespace {

struct Stretch {
  double mean = 0, largest = 0;  // of edges that are longer than at rest, relative
};

Stretch stretch_of(const World& world, BodyId id) {
  const auto x = world.positions(id), rest = world.rest_positions(id);
  Stretch out;
  for (const Edge& e : world.edges(id)) {
    const double s = length(x[e[1]] - x[e[0]]) / length(rest[e[1]] - rest[e[0]]) - 1;
    out.mean += std::max(0.0, s) / static_cast<double>(world.edges(id).size());
    out.largest = std::max(out.largest, s);
  }
  return out;
}

TEST(LongRange, RopeIsHeldFromItsEnd) {
  // 100 segments and one iteration: the rope alone is a rubber band, held by its pin it is not.
  double length_without = 0;
  for (const bool held : {false, true}) {
    World world({.step = 1.0 / 60, .substeps = 2, .threads = 1});
    Rope rope_body{.mesh = rope({0, 0, 0}, {1, 0, 0}, 100), .constraints = {{"distance", {}}}};
    if (held) rope_body.long_range = LongRange{};
    const BodyId id = world.add(rope_body);
    world.pin(id, {0});
    double farthest = 0;
    for (int k = 0; k < 90; ++k) {
      world.step();
      const auto x = world.positions(id);
      for (int v = 1; v <= 100; ++v) farthest = std::max(farthest, length(x[v]) / (0.01 * v));
    }
    if (held) {
      EXPECT_LE(farthest, 1 + 1e-5);  // float: the rest length and the place are rounded
    } else {
      length_without = farthest;
    }
  }
  EXPECT_GT(length_without, 1.5);
}

TEST(LongRange, SlackOnesChangeNothing) {
  // A loose bundle, nearer to its pin than at rest, flying without gravity: its momentum stays, to the bit.
  const TriMesh mesh = grid({1, 1}, {6, 6});
  const auto run = [&](bool held) {
    World world({.step = 1.0 / 60, .substeps = 4, .iterations = 3, .gravity = {}, .threads = 1});
    Cloth cloth{.mesh = mesh, .velocity = {0.1, 0.2, -0.1}, .constraints = {}};
    if (held) cloth.long_range = LongRange{.count = 3, .ties = 1};
    const BodyId id = world.add(cloth);
    world.pin(id, {0, 6, 48});
    std::vector<Vec3d> x = world.positions(id);
    for (Vec3d& p : x) p = p * 0.3;
    world.set_positions(id, x);
    for (int k = 0; k < 30; ++k) world.step();
    EXPECT_EQ(world.measures().elastic_energy, 0);
    return std::pair(world.positions(id), world.velocities(id));
  };
  const auto without = run(false), with = run(true);
  for (std::size_t v = 0; v < without.first.size(); ++v) {
    EXPECT_EQ(with.first[v], without.first[v]) << v;
    EXPECT_EQ(with.second[v], without.second[v]) << v;
  }
}

TEST(LongRange, FollowsMovingPinsAndGoesWithThem) {
  World world({.step = 1.0 / 60, .substeps = 4, .threads = 1});
  const BodyId id = world.add(Rope{.mesh = rope({0, 0, 0}, {0, -1, 0}, 20), .long_range = LongRange{}});
  world.pin(id, {0}, {{0, {}, {}}, {1, {3, 0, 0}, {}}});
  for (int k = 0; k < 60; ++k) world.step();
  EXPECT_NEAR(world.positions(id)[0].x, 3, 1e-5);
  const auto at = [&](int v) { return length(world.positions(id)[v] - world.positions(id)[0]); };
  for (int v = 1; v <= 20; ++v) EXPECT_LE(at(v), 0.05 * v * (1 + 1e-5)) << v;
  // Let go, nothing holds it any more; pinned at its other end, that end does.
  world.unpin(id, std::array{0});
  world.pin(id, {20});
  for (int k = 0; k < 60; ++k) world.step();
  const auto x = world.positions(id);
  for (int v = 0; v < 20; ++v) EXPECT_LE(length(x[v] - x[20]), 0.05 * (20 - v) * (1 + 1e-5)) << v;
}

TEST(LongRange, HoldsByPointsInSpaceToo) {
  World world({.step = 1.0 / 60, .substeps = 2, .threads = 1});
  const BodyId id = world.add(Rope{.mesh = rope({0, 0, 0}, {1, 0, 0}, 50), .long_range = LongRange{}});
  world.attach(id, 0, {0, 0, 0});
  for (int k = 0; k < 60; ++k) world.step();
  EXPECT_LE(length(world.positions(id)[50]), 1 + 1e-5);
}

TEST(LongRange, GeodesicLetsACurvedSheetUnroll) {
  // A half cylinder pinned along one edge: straight distances would keep it rolled up.
  TriMesh mesh = grid({1, 0.5}, {30, 4});
  for (Vec3d& x : mesh.positions) x = {std::sin(x.x * 3), -std::cos(x.x * 3), x.z};
  const auto reach = [&](LongRange::Kind kind) {
    World world({.step = 1.0 / 60, .substeps = 10, .threads = 1});
    const BodyId id = world.add(
        Cloth{.mesh = mesh, .constraints = {{"distance", {}}}, .long_range = LongRange{.kind = kind, .count = 1}});
    world.pin(id, {0, 31, 62, 93, 124});
    double farthest = 0;  // it swings
    for (int k = 0; k < 180; ++k) {
      world.step();
      farthest = std::max(farthest, length(world.positions(id)[30] - world.positions(id)[0]));
    }
    return farthest;
  };
  EXPECT_GT(reach(LongRange::Kind::geodesic), 2.8);  // the sheet is 3 m long, its ends are 2 m apart at rest
  EXPECT_LT(reach(LongRange::Kind::euclidean), 2.01);
}

TEST(LongRange, TiesKeepAFallingClothFromStretching) {
  const auto worst = [&](int ties) {
    World world({.step = 1.0 / 60, .substeps = 10, .threads = 1});
    const BodyId id = world.add(Cloth{.mesh = grid({2, 2}, {40, 40}),
                                      .density = 0.25,
                                      .constraints = {{"distance", {}}},
                                      .long_range = LongRange{.ties = ties}});
    world.pin(id, {0, 40});
    Stretch out;
    for (int k = 0; k < 40; ++k) {
      world.step();
      out.mean = std::max(out.mean, stretch_of(world, id).mean);
    }
    return out.mean;
  };
  const double with = worst(3), without = worst(0);
  EXPECT_LT(with, 0.01);
  EXPECT_GT(without, 2 * with);
}

TEST(LongRange, Refuses) {
  World world;
  EXPECT_THROW(world.add(Rope{.mesh = rope({0, 0, 0}, {1, 0, 0}, 5), .long_range = LongRange{.count = 0}}), Error);
  const BodyId block = world.add(Solid{.mesh = box_tets({1, 1, 1}, {2, 2, 2})});
  EXPECT_THROW(world.attach_long_range(block, LongRange{}), Error);
  world.attach_long_range(block, LongRange{.kind = LongRange::Kind::euclidean});
}

}  // namespace
}  // namespace pliant::test
