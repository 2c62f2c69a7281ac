// Which constraints the engine solves together.

#include "solver/clusters.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <set>

#include "build_kind.h"
#include "constraints/registry.h"
#include "mesh/topology.h"
#include "pliant/mesh.h"
#include "pliant/world.h"

namespace pliant::test {
namespace {

/// Every constraint at most once; the corners of its part of the pattern are its own; corners of a cluster differ.
void expect_sound(const char* type_name, const std::vector<int32_t>& particles, const Clusters& found) {
  const TypeInfo& type = *find_type(type_name);
  const TypeInfo& part = *find_type(type.part);
  const auto points = static_cast<std::size_t>(part.points);
  ASSERT_EQ(found.parts.size() % 3, 0u);
  ASSERT_EQ(found.corners.size(), found.parts.size() / 3 * static_cast<std::size_t>(type.points));
  std::set<int32_t> seen;
  for (std::size_t c = 0; c < found.parts.size() / 3; ++c) {
    const int32_t* corners = &found.corners[c * static_cast<std::size_t>(type.points)];
    EXPECT_EQ(std::set<int32_t>(corners, corners + type.points).size(), static_cast<std::size_t>(type.points));
    for (std::size_t p = 0; p < 3; ++p) {
      const int32_t constraint = found.parts[3 * c + p];
      EXPECT_TRUE(seen.insert(constraint).second);
      std::set<int32_t> wanted, own;
      for (std::size_t k = 0; k < points; ++k) {
        wanted.insert(corners[type.part_corners[p * points + k]]);
        own.insert(particles[static_cast<std::size_t>(constraint) * points + k]);
      }
      EXPECT_EQ(wanted, own);
    }
  }
}

TEST(FindClusters, TakesNearlyAllOfARegularCloth) {
  const TriMesh mesh = grid({1, 1}, {30, 20});
  const int count = static_cast<int>(mesh.positions.size());
  std::vector<int32_t> edges, hinges;
  for (const Edge& e : edges_of(mesh.triangles)) edges.insert(edges.end(), e.begin(), e.end());
  for (const Hinge& h : hinges_of(mesh.triangles)) {
    hinges.insert(hinges.end(), {h.edge0, h.edge1, h.opposite0, h.opposite1});
  }
  const Clusters sides = find_clusters(Stencil::edges, edges, count);
  expect_sound("three_distances", edges, sides);
  EXPECT_GT(double(sides.parts.size()), 0.95 * double(edges.size() / 2));
  const Clusters folds = find_clusters(Stencil::hinges, hinges, count);
  expect_sound("three_bends", hinges, folds);
  EXPECT_GT(double(folds.parts.size()), 0.9 * double(hinges.size() / 4));
  std::vector<int32_t> triangles;
  for (const Triangle& t : mesh.triangles) triangles.insert(triangles.end(), t.begin(), t.end());
  const Clusters rows = find_clusters(Stencil::triangles, triangles, count);
  expect_sound("three_tri_energies_stvk", triangles, rows);
  EXPECT_GT(double(rows.parts.size()), 0.9 * double(triangles.size() / 3));
}

TEST(FindClusters, TakesMostTetsOfABlock) {
  const TetMesh mesh = box_tets({1, 1, 1}, {8, 6, 5});
  std::vector<int32_t> tets;
  for (const Tet& t : mesh.tets) tets.insert(tets.end(), t.begin(), t.end());
  const Clusters rows = find_clusters(Stencil::tets, tets, static_cast<int>(mesh.positions.size()));
  expect_sound("three_tet_energies_stvk", tets, rows);
  EXPECT_GT(double(rows.parts.size()), 0.8 * double(mesh.tets.size()));
}

TEST(FindClusters, LeavesWhatDoesNotFit) {
  // Two sides of a triangle; a pair of constraints on the same edge; the four hinges of a tetrahedron, three of whose
  // neighbours end in the same corner; the three tets around an edge.
  const std::vector<int32_t> open = {0, 1, 1, 2, 0, 1};
  EXPECT_TRUE(find_clusters(Stencil::edges, open, 3).parts.empty());
  const std::vector<Triangle> closed = {{0, 2, 1}, {0, 1, 3}, {1, 2, 3}, {2, 0, 3}};
  std::vector<int32_t> hinges;
  for (const Hinge& h : hinges_of(closed)) {
    hinges.insert(hinges.end(), {h.edge0, h.edge1, h.opposite0, h.opposite1});
  }
  EXPECT_TRUE(find_clusters(Stencil::hinges, hinges, 4).parts.empty());
  const std::vector<int32_t> ring = {0, 1, 2, 3, 0, 1, 3, 4, 0, 1, 4, 2};
  EXPECT_TRUE(find_clusters(Stencil::tets, ring, 5).parts.empty());
  EXPECT_TRUE(find_clusters(Stencil::edges, {}, 0).parts.empty());
}

TEST(FindClusters, OfATriangleWithDoubledSides) {
  const std::vector<int32_t> twice = {0, 1, 1, 2, 2, 0, 1, 0, 2, 1, 0, 2};
  const Clusters found = find_clusters(Stencil::edges, twice, 3);
  expect_sound("three_distances", twice, found);
  EXPECT_EQ(found.parts.size() % 3, 0u);
  EXPECT_GE(found.parts.size(), 3u);
}

// Two corners of a triangle in one place have no direction. With sides of 1 m the quick way through a cluster divides
// by the smallest number and stays finite; with sides of 100 m it overflows and the pack is done again with care.
// Either way the other sides are projected.
TEST(ClusterOfDistances, GoesOnWhereTwoCornersCoincide) {
  const auto sides_after_a_step = [](double size) {
    World world({.step = 1.0 / 60, .substeps = 1, .iterations = 1, .gravity = {}, .threads = 1});
    const TriMesh triangle{.positions = {{0, 0, 0}, {size, 0, 0}, {0, 0, size}}, .triangles = {{0, 1, 2}}};
    const BodyId cloth =
        world.add(Cloth{.mesh = triangle, .density = 100, .method = Method::pbd, .constraints = {{"distance", {}}}});
    world.set_positions(cloth, std::vector<Vec3d>{{0, 0, 0}, {0, 0, 0}, {0, 0, 3 * size}});
    world.step();
    EXPECT_TRUE(world.troubles().empty());
    const std::vector<Vec3d> x = world.positions(cloth);
    return std::array{length(x[0] - x[1]) / size, length(x[1] - x[2]) / size, length(x[2] - x[0]) / size};
  };
  const auto one = sides_after_a_step(1), large = sides_after_a_step(100);
  EXPECT_NEAR(one[2], 1, 1e-5);  // the side that comes last
  EXPECT_LT(one[1], 1.5);        // it was 3 and should be 1.41
  for (std::size_t k = 0; k < 3; ++k) EXPECT_NEAR(large[k], one[k], 1e-5) << "side " << k;
}

/// A cloth in waves, with constraints of one type, after some steps.
std::vector<Vec3d> waves_after_steps(const char* type, Method method, const ConstraintSettings& settings,
                                     int width = 0) {
  World world({.step = 1.0 / 60, .substeps = 2, .iterations = 4, .threads = 1, .simd_width = width});
  Cloth cloth{.mesh = grid({1, 1.2}, {37, 41}), .density = 0.2, .method = method};
  cloth.constraints = {{type, settings}};
  const BodyId id = world.add(cloth);
  std::vector<Vec3d> x = cloth.mesh.positions;
  for (Vec3d& v : x) v = v * 1.02 + Vec3d{0, 0.03 * std::sin(20 * v.x + 13 * v.z), 0};
  world.set_positions(id, x);
  world.pin(id, {0, 17});
  for (int k = 0; k < 5; ++k) world.step();
  EXPECT_TRUE(world.troubles().empty());
  return world.positions(id);
}

// With eight lanes and more, two batches of distances that share nothing are solved in turn; with four one after
// another.
TEST(ClusterOfDistances, IsTheSameInPairsOfBatches) {
  if (compiled_widths().size() < 4) GTEST_SKIP() << "this build has one width only";
  for (const Method method : {Method::pbd, Method::xpbd}) {
    const ConstraintSettings settings{.compliance = 1e-5, .stiffness = 0.9};
    const std::vector<Vec3d> one_by_one = waves_after_steps("distance", method, settings, 4);
    for (const int width : {8, 16}) {
      const std::vector<Vec3d> in_pairs = waves_after_steps("distance", method, settings, width);
      ASSERT_EQ(in_pairs.size(), one_by_one.size());
      for (std::size_t v = 0; v < in_pairs.size(); ++v) {
        ASSERT_EQ(length(in_pairs[v] - one_by_one[v]), 0) << "vertex " << v << ", " << width << " lanes";
      }
    }
  }
}

TEST(LinearBends, WithoutComplianceAreThoseOfStiffnessOne) {
  const std::vector<Vec3d> xpbd = waves_after_steps("isometric_bend", Method::xpbd, {});
  const std::vector<Vec3d> pbd = waves_after_steps("isometric_bend", Method::pbd, {});
  for (std::size_t v = 0; v < pbd.size(); ++v) ASSERT_EQ(length(xpbd[v] - pbd[v]), 0) << "vertex " << v;
}

// Of a body alone all strengths are equal and stand there once; beside another one each batch has its own. Batches
// then stand in another order, so iterations go on until that does not matter.
TEST(Strengths, MayBeEqualOrNot) {
  const auto hanging = [](std::initializer_list<double> compliances) {
    World world({.step = 1.0 / 60, .substeps = 1, .iterations = 400, .threads = 1});
    std::vector<BodyId> bodies;
    for (const double compliance : compliances) {
      bodies.push_back(world.add(Cloth{.mesh = grid({1, 1}, {9, 9}),
                                       .density = 0.2,
                                       .method = Method::xpbd,
                                       .constraints = {{"distance", {.compliance = compliance}}}}));
      world.pin(bodies.back(), {0, 9});
    }
    for (int k = 0; k < 6; ++k) world.step();
    return world.positions(bodies[0]);
  };
  const auto distance = [](const std::vector<Vec3d>& a, const std::vector<Vec3d>& b) {
    double largest = 0;
    for (std::size_t v = 0; v < a.size(); ++v) largest = std::max(largest, length(a[v] - b[v]));
    return largest;
  };
  const std::vector<Vec3d> alone = hanging({1e-2});
  EXPECT_GT(distance(alone, hanging({3e-2})), 1e-3);  // [m] the compliance matters
  // 4e-5 m: a step of a net that folds is a little another one in another order.
  EXPECT_LT(distance(alone, hanging({1e-2, 3e-2})), 1e-4);  // [m]
}

}  // namespace
}  // namespace pliant::test
