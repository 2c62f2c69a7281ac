// Colouring: constraints of one colour share no moving particle; colours are few and even; hubs split.

#include "solver/coloring.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "constraints/random_stencil.h"
#include "graphs.h"

namespace pliant::test {
namespace {

/// `count` constraints of `points` different particles each, any of which may be named by others.
std::vector<int32_t> random_stencils(int count, int points, int particles, uint64_t seed) {
  Random random(seed);
  std::vector<int32_t> out;
  for (int c = 0; c < count; ++c) {
    std::set<int32_t> corners;
    while (static_cast<int>(corners.size()) < points) corners.insert(random.integer(particles));
    out.insert(out.end(), corners.begin(), corners.end());
  }
  return out;
}

std::vector<int32_t> flat(const std::vector<Edge>& edges) {
  std::vector<int32_t> out;
  for (const Edge& e : edges) out.insert(out.end(), e.begin(), e.end());
  return out;
}

/// What the packing does with constraints that no slice takes: hubs, colours, balance.
struct WholeColoring : Coloring, Hubs {};

WholeColoring color_constraints(std::vector<int32_t>& particles, int points, const std::vector<uint8_t>& moves,
                                int first_ghost) {
  WholeColoring out;
  static_cast<Hubs&>(out) = split_hubs(particles, points, moves, first_ghost);
  const int64_t all = first_ghost + out.ghosts;
  static_cast<Coloring&>(out) = color_first_fit(particles, points, moves, all);
  balance(particles, points, moves, all, out);
  return out;
}

/// Particles that move and stand twice in one colour. `particles` as color_constraints left them.
int conflicts(const Coloring& coloring, const std::vector<int32_t>& particles, int points,
              const std::vector<uint8_t>& moves) {
  int found = 0;
  std::set<std::pair<int, int32_t>> taken;
  for (std::size_t c = 0; c < coloring.color.size(); ++c) {
    for (int i = 0; i < points; ++i) {
      const int32_t p = particles[c * static_cast<std::size_t>(points) + static_cast<std::size_t>(i)];
      if (static_cast<std::size_t>(p) < moves.size() && !moves[static_cast<std::size_t>(p)]) continue;
      found += !taken.insert({coloring.color[c], p}).second;
    }
  }
  return found;
}

std::vector<int64_t> sizes(const Coloring& coloring) {
  std::vector<int64_t> out(static_cast<std::size_t>(coloring.colors), 0);
  for (int color : coloring.color) ++out.at(static_cast<std::size_t>(color));
  return out;
}

/// Each changed corner names a ghost of its own hub, each ghost serves at most eight constraints, and
/// exactly the hubs' corners were changed.
void expect_hubs_hold(const WholeColoring& coloring, const std::vector<int32_t>& before,
                      const std::vector<int32_t>& after, int first_ghost) {
  std::map<int32_t, Hub> hub_of;
  int next = first_ghost;
  for (const Hub& hub : coloring.hubs) {
    EXPECT_EQ(hub.first_ghost, next) << "ghosts follow one another";
    next += hub.ghosts;
    hub_of[hub.particle] = hub;
  }
  EXPECT_EQ(next, first_ghost + coloring.ghosts);
  std::map<int32_t, int> served;
  for (std::size_t i = 0; i < before.size(); ++i) {
    const auto hub = hub_of.find(before[i]);
    if (hub == hub_of.end()) {
      ASSERT_EQ(after[i], before[i]);
    } else {
      ASSERT_GE(after[i], hub->second.first_ghost);
      ASSERT_LT(after[i], hub->second.first_ghost + hub->second.ghosts);
      ++served[after[i]];
    }
  }
  EXPECT_EQ(static_cast<int>(served.size()), coloring.ghosts) << "a ghost without constraints would slow its hub";
  for (const auto& [ghost, constraints] : served) EXPECT_LE(constraints, 8);
}

TEST(Coloring, IsValidOnRandomGraphsWithStaticParticles) {
  for (int points : {1, 2, 3, 4, 5}) {
    for (uint64_t seed = 0; seed < 4; ++seed) {
      SCOPED_TRACE(testing::Message() << points << " points, seed " << seed);
      const int count = 3000, particles = 800;
      const std::vector<int32_t> before = random_stencils(count, points, particles, seed);
      std::vector<uint8_t> moves(particles + 1, 1);
      Random random(seed + 50);
      for (uint8_t& m : moves) m = random.integer(5) != 0;
      std::vector<int32_t> after = before;
      const WholeColoring coloring = color_constraints(after, points, moves, particles + 1);
      ASSERT_EQ(coloring.color.size(), static_cast<std::size_t>(count));
      EXPECT_EQ(conflicts(coloring, after, points, moves), 0);
      EXPECT_EQ(after, before) << "nobody has so many constraints that it must be split";
      for (int64_t size : sizes(coloring)) EXPECT_GT(size, 0) << "an empty colour costs a barrier";
    }
  }
}

TEST(Coloring, OfAGridIsShortAndEven) {
  const int side = 120;
  std::vector<int32_t> particles = flat(shuffled_grid(side, 1));
  const std::vector<uint8_t> moves(side * side + 1, 1);
  const WholeColoring coloring = color_constraints(particles, 2, moves, side * side + 1);
  EXPECT_EQ(conflicts(coloring, particles, 2, moves), 0);
  // First fit: an edge has at most 2 (4 - 1) neighbours, so that one of 7 colours is free.
  EXPECT_LE(coloring.colors, 7);
  // The balancing pass looks at each constraint once. Those that it cannot move have neighbours in all
  // colours with room; a fifth above the mean is the bound that we hold on to.
  const double mean = static_cast<double>(coloring.color.size()) / coloring.colors;
  const std::vector<int64_t> size = sizes(coloring);
  EXPECT_LE(static_cast<double>(*std::max_element(size.begin(), size.end())), 1.2 * mean);
}

TEST(Coloring, OfTetsIsShortAndEven) {
  const TetMesh mesh = box_tets({1, 1, 1}, {12, 12, 12});
  std::vector<int32_t> particles;
  for (const Tet& t : mesh.tets) particles.insert(particles.end(), t.begin(), t.end());
  std::vector<int> degree(mesh.positions.size(), 0);
  for (int32_t p : particles) ++degree[static_cast<std::size_t>(p)];
  const int worst = *std::max_element(degree.begin(), degree.end());
  const std::vector<uint8_t> moves(mesh.positions.size() + 1, 1);
  const WholeColoring coloring = color_constraints(particles, 4, moves, static_cast<int>(moves.size()));
  EXPECT_EQ(conflicts(coloring, particles, 4, moves), 0);
  EXPECT_GE(coloring.colors, worst) << "the constraints of one particle all differ";
  EXPECT_LE(coloring.colors, 2 * worst);  // measured: 33 for a degree of 32
  const std::vector<int64_t> size = sizes(coloring);
  const double mean = static_cast<double>(coloring.color.size()) / coloring.colors;
  EXPECT_LE(static_cast<double>(*std::max_element(size.begin(), size.end())), 1.2 * mean);
}

TEST(Coloring, StaticHubDoesNotLimitAnything) {
  const int rays = 20000;
  std::vector<int32_t> particles = flat(star(rays));
  const std::vector<int32_t> before = particles;
  std::vector<uint8_t> moves(rays + 2, 1);
  moves[0] = 0;
  const WholeColoring coloring = color_constraints(particles, 2, moves, rays + 2);
  EXPECT_EQ(coloring.colors, 1);
  EXPECT_TRUE(coloring.hubs.empty());
  EXPECT_EQ(particles, before);
}

TEST(Coloring, DynamicHubIsSplit) {
  const int rays = 20000;
  const std::vector<int32_t> before = flat(star(rays));
  std::vector<int32_t> particles = before;
  const std::vector<uint8_t> moves(rays + 2, 1);
  const WholeColoring coloring = color_constraints(particles, 2, moves, rays + 2);
  EXPECT_EQ(conflicts(coloring, particles, 2, moves), 0);
  ASSERT_EQ(coloring.hubs.size(), 1u);
  EXPECT_EQ(coloring.hubs[0].particle, 0);
  EXPECT_EQ(coloring.ghosts, rays / 8);
  EXPECT_EQ(coloring.colors, 8) << "as many as constraints of one ghost: the leaves have one each";
  for (int64_t size : sizes(coloring)) EXPECT_EQ(size, rays / 8);
  expect_hubs_hold(coloring, before, particles, rays + 2);
}

TEST(Coloring, SplitsOnlyAboveTheLimit) {
  for (int points : {2, 3, 4}) {
    const int limit = 1 + (kMaxColors - 1) / points;
    for (int degree : {limit, limit + 1}) {
      SCOPED_TRACE(testing::Message() << points << " points, degree " << degree);
      std::vector<int32_t> before;
      int next = 1;
      for (int c = 0; c < degree; ++c) {
        before.push_back(0);
        for (int i = 1; i < points; ++i) before.push_back(next++);
      }
      std::vector<int32_t> particles = before;
      const std::vector<uint8_t> moves(static_cast<std::size_t>(next) + 1, 1);
      const WholeColoring coloring = color_constraints(particles, points, moves, next + 1);
      EXPECT_EQ(conflicts(coloring, particles, points, moves), 0);
      EXPECT_EQ(coloring.hubs.size(), degree > limit ? 1u : 0u);
      EXPECT_LE(coloring.colors, kMaxColors);
      expect_hubs_hold(coloring, before, particles, next + 1);
    }
  }
}

TEST(Coloring, HubsThatShareConstraints) {
  // Eight hubs, all pairs of which are joined 100 times, and by others to a rim.
  std::vector<int32_t> before;
  int next = 8;
  for (int a = 0; a < 8; ++a) {
    for (int b = 0; b < a; ++b) {
      for (int k = 0; k < 100; ++k) before.insert(before.end(), {a, b, next++});
    }
  }
  std::vector<int32_t> particles = before;
  const std::vector<uint8_t> moves(static_cast<std::size_t>(next) + 1, 1);
  const WholeColoring coloring = color_constraints(particles, 3, moves, next + 1);
  EXPECT_EQ(coloring.hubs.size(), 8u);
  EXPECT_EQ(conflicts(coloring, particles, 3, moves), 0);
  expect_hubs_hold(coloring, before, particles, next + 1);
  EXPECT_LE(coloring.colors, 1 + 2 * (8 - 1)) << "first fit: two ghosts with seven other constraints each";
}

TEST(Coloring, FirstFitAlwaysFindsAColor) {
  // Dense: every particle close to the largest degree that is not split.
  for (int points : {2, 3, 4}) {
    const int limit = 1 + (kMaxColors - 1) / points;
    const int particles = 60, count = particles * (limit - 8) / points;
    std::vector<int32_t> corners = random_stencils(count, points, particles, 9);
    const std::vector<uint8_t> moves(particles + 1, 1);
    const WholeColoring coloring = color_constraints(corners, points, moves, particles + 1);
    EXPECT_EQ(conflicts(coloring, corners, points, moves), 0);
    EXPECT_LE(coloring.colors, kMaxColors);
    EXPECT_GT(coloring.colors, limit / 2) << "the test is meant to be dense";
  }
}

TEST(Coloring, EmptyAndAllStatic) {
  const std::vector<uint8_t> still(11, 0);
  std::vector<int32_t> none;
  EXPECT_EQ(color_constraints(none, 2, still, 11).colors, 0);
  std::vector<int32_t> pairs = random_stencils(500, 2, 10, 3);
  EXPECT_EQ(color_constraints(pairs, 2, still, 11).colors, 1);
}

}  // namespace
}  // namespace pliant::test
