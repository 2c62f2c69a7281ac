// Hair: strands that do not stretch, roots that ride, rest shapes.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "build_kind.h"
#include "pliant/world.h"

namespace pliant::test {
namespace {

/// Largest relative error of a segment.
double largest_stretch(const World& world, BodyId id) {
  const auto x = world.positions(id), rest = world.rest_positions(id);
  double worst = 0;
  for (const Edge& e : world.edges(id)) {
    worst = std::max(worst, std::abs(length(x[e[1]] - x[e[0]]) / length(rest[e[1]] - rest[e[0]]) - 1));
  }
  return worst;
}

Hair tuft(int cells, HairStyle style) {
  const TriMesh plate = grid({0.2, 0.2}, {cells, cells});
  return Hair{.mesh = grow(plate, vertex_points(plate), style)};
}

TEST(Strands, NoSegmentStretchesAtAnyStep) {
  // Thrown about by its roots: 30 m/s, half a turn in a tenth of a second.
  for (const Integrator integrator : {Integrator::euler, Integrator::bdf2}) {
    World world({.step = 1.0 / 60, .substeps = 2, .integrator = integrator, .wind = Wind{.velocity = {5, 0, 0}}});
    Hair hair = tuft(6, {.length = 0.3, .segments = 25, .curl_radius = 0.01, .curl_turns = 3});
    hair.shape_frequency = 3;
    const BodyId id = world.add(hair);
    std::vector<int> roots;
    for (int v = 0; v < world.vertex_count(id); v += 26) roots.push_back(v);
    world.pin(id, roots, {{0, {}, {}}, {0.1, {3, 0, 0}, {0, 0, 3}}, {0.3, {0, 1, 0}, {2, 0, 0}}});
    for (int k = 0; k < 40; ++k) {
      world.step();
      // A place is rounded to 2^-24 of its distance from its base, which is renewed after each substep that leaves it
      // by more than a segment: at most the 0.25 m that the roots move in one, over segments of 0.3 m / 25 less 10 %.
      ASSERT_LE(largest_stretch(world, id), 2 * kRounding * (4 + 0.25 / 0.0108)) << "step " << k;
    }
    EXPECT_TRUE(world.troubles().empty());
  }
}

TEST(Strands, HangsStraightDown) {
  World world({.step = 1.0 / 60, .substeps = 4, .point_damping = 2, .threads = 1});
  const BodyId id = world.add(tuft(3, {.length = 0.3, .segments = 12, .comb = {1, -1, 0}}));
  for (int k = 0; k < 600; ++k) world.step();
  const auto x = world.positions(id);
  for (int strand = 0; strand < 16; ++strand) {
    const Vec3d root = x[strand * 13], tip = x[strand * 13 + 12];
    double size = 0;
    for (int k = 0; k < 12; ++k) size += length(x[strand * 13 + k + 1] - x[strand * 13 + k]);
    EXPECT_NEAR(root.y - tip.y, size, 1e-3 * size) << strand;
  }
}

TEST(Strands, OneSegmentIsAPendulum) {
  // Small swings of a point on a stiff line: period 2 pi sqrt(l / g). One segment has no follower, so nothing is damped
  // but by implicit Euler itself.
  const double l = 0.25, angle = 0.05;
  World world(
      {.step = 1e-3, .substeps = 4, .integrator = Integrator::bdf2, .threads = 1, .precision = Precision::float64});
  const BodyId id = world.add(Hair{.mesh = {1, {{0, 0, 0}, {l * std::sin(angle), -l * std::cos(angle), 0}}, {}}});
  double crossing = 0, before = l * std::sin(angle);
  int crossings = 0;
  for (int k = 0; k < 3000 && crossings < 4; ++k) {
    world.step();
    const double x = world.positions(id)[1].x;
    if (x * before < 0) {
      ++crossings;
      crossing = world.time() - 1e-3 * x / (x - before);
    }
    before = x;
  }
  const double period = 2 * std::numbers::pi * std::sqrt(l / 9.81);
  EXPECT_NEAR(crossing, 1.75 * period, 0.005 * period);
}

TEST(Strands, FollowersPullTheirLeaders) {
  // Two segments, swinging: plain follow-the-leader moves as if the end had no weight. With leader_push the middle
  // particle loses speed to the end.
  const auto run = [](bool dynamic) {
    World world({.step = 1e-3, .substeps = 1, .threads = 1});
    const BodyId id = world.add(Hair{.mesh = {2, {{0, 0, 0}, {0.1, 0, 0}, {0.1, 0.1, 0}}, {}}, .dynamic = dynamic});
    for (int k = 0; k < 400; ++k) world.step();
    return world.positions(id)[1];
  };
  EXPECT_GT(length(run(true) - run(false)), 1e-3);
}

TEST(Strands, CurlsReturnToTheirRestShape) {
  const auto error_after = [](double frequency) {
    World world({.step = 1.0 / 60, .substeps = 8, .gravity = {}, .point_damping = 4, .threads = 1});
    Hair hair = tuft(2, {.length = 0.3, .segments = 20, .curl_radius = 0.01, .curl_turns = 3});
    hair.shape_frequency = frequency;
    const BodyId id = world.add(hair);
    const auto start = world.positions(id);
    std::vector<Vec3d> bent = start;  // all straight up
    for (std::size_t v = 0; v < bent.size(); ++v) {
      const std::size_t root = v / 21 * 21;
      bent[v] = start[root] + Vec3d{0, 0.3 * static_cast<double>(v - root) / 20, 0};
    }
    world.set_positions(id, bent);
    for (int k = 0; k < 180; ++k) world.step();
    const auto x = world.positions(id);
    double worst = 0;
    for (std::size_t v = 0; v < x.size(); ++v) worst = std::max(worst, length(x[v] - start[v]));
    return worst;
  };
  EXPECT_LT(error_after(20), 0.001);
  EXPECT_GT(error_after(0), 0.02);
}

TEST(Strands, RootsRideAndTurnWithTheSurface) {
  World world({.step = 1.0 / 60, .substeps = 4, .gravity = {}, .threads = 1});
  const TriMesh ball = sphere(0.2, 2);
  const BodyId carrier = world.add(Cloth{.mesh = ball, .place = {.position = {1, 2, 3}, .rotation = {0, 0.4, 0}}});
  std::vector<int> all(ball.positions.size());
  for (std::size_t v = 0; v < all.size(); ++v) all[v] = static_cast<int>(v);
  world.pin(carrier, all, {{0, {}, {}}, {1, {0.5, 0, 0}, {0, 0, std::numbers::pi / 2}}});
  const BodyId hair =
      world.add(Hair{.mesh = grow(ball, scatter(ball, 37), {.length = 0.1, .segments = 6, .variation = 0}),
                     .shape_frequency = 20,
                     .on = carrier});
  const auto start = world.positions(hair);
  for (int v = 0; v < 37 * 7; v += 7) EXPECT_NEAR(length(start[v] - Vec3d{1, 2, 3}), 0.2, 0.01);
  for (int k = 0; k < 240; ++k) world.step();
  const auto x = world.positions(hair);
  const auto turned = [](Vec3d p) {
    const Vec3d r = p - Vec3d{1, 2, 3};
    return Vec3d{1.5, 2, 3} + Vec3d{-r.y, r.x, r.z};
  };
  for (int v = 0; v < 37 * 7; ++v) {
    EXPECT_LT(length(x[v] - turned(start[v])), v % 7 == 0 ? 1e-5 : 2e-3) << v;
  }
}

TEST(Strands, PinnedAndCoincidentParticlesAreLeftWhereTheyAre) {
  World world({.step = 1.0 / 60, .substeps = 2, .threads = 1});
  const BodyId id = world.add(Hair{.mesh = {3, {{0, 0, 0}, {0, -0.1, 0}, {0, -0.2, 0}, {0, -0.3, 0}}, {}}});
  world.set_positions(id, std::vector<Vec3d>(4, Vec3d{0, 0, 0}));
  world.step();
  EXPECT_LT(largest_stretch(world, id), 1e-5);
  world.pin(id, {3});
  const Vec3d held = world.positions(id)[3];
  for (int k = 0; k < 60; ++k) world.step();
  EXPECT_EQ(world.positions(id)[3], held);
  EXPECT_TRUE(world.troubles().empty());
}

TEST(Strands, Refuses) {
  World world;
  EXPECT_THROW(world.add(Hair{}), Error);
  EXPECT_THROW(world.add(Hair{.mesh = {2, {{0, 0, 0}, {0, 1, 0}}, {}}}), Error);
  Hair hair{.mesh = {1, {{0, 0, 0}, {0, 1, 0}}, {}}};
  hair.leader_push = 2;
  EXPECT_THROW(world.add(hair), Error);
  hair.leader_push = 0.9;
  hair.on = BodyId{0};
  EXPECT_THROW(world.add(hair), Error);
}

}  // namespace
}  // namespace pliant::test
