// Winding numbers, nearest points and crossings against the plain sum or the known answer.

#include "mesh/surface_tree.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "mesh/topology.h"

namespace pliant {
namespace {

Vec3d random_point(std::mt19937& random, double size) {
  std::uniform_real_distribution<double> coordinate(-size, size);
  const double x = coordinate(random), y = coordinate(random), z = coordinate(random);
  return {x, y, z};
}

TriMesh random_soup(int triangles, unsigned seed) {
  std::mt19937 random(seed);
  TriMesh mesh;
  for (int t = 0; t < triangles; ++t) {
    const Vec3d middle = random_point(random, 1);
    for (int i = 0; i < 3; ++i) mesh.positions.push_back(middle + random_point(random, 0.2));
    mesh.triangles.push_back({3 * t, 3 * t + 1, 3 * t + 2});
  }
  return mesh;
}

TEST(SurfaceTree, WindingNumberOfClosedSurfacesCountsTheTurns) {
  const TriMesh mesh = torus(1, 0.3, 48, 24);
  const SurfaceTree tree(mesh);
  std::mt19937 random(1);
  int inside = 0;
  for (int i = 0; i < 400; ++i) {
    const Vec3d p = random_point(random, 1.4);
    const double to_circle = std::hypot(std::hypot(p.x, p.z) - 1, p.y);
    if (std::abs(to_circle - 0.3) < 0.01) continue;  // between the polygons and the round torus
    const bool is_inside = to_circle < 0.3;
    inside += is_inside;
    EXPECT_NEAR(tree.winding_number(p), is_inside ? 1 : 0, 0.02);
  }
  EXPECT_GT(inside, 10);
}

TEST(SurfaceTree, WindingNumberIsNearTheSumOverAllTriangles) {
  for (const unsigned seed : {1u, 2u, 3u}) {
    const SurfaceTree tree(random_soup(600, seed));
    std::mt19937 random(seed);
    for (int i = 0; i < 100; ++i) {
      const Vec3d p = random_point(random, 2);
      EXPECT_NEAR(tree.winding_number(p), tree.exact_winding_number(p), 0.02);
    }
  }
}

TEST(SurfaceTree, NearestPointIsThatOfTheSlowSearch) {
  const TriMesh mesh = random_soup(200, 7);
  const SurfaceTree tree(mesh);
  std::mt19937 random(7);
  for (int i = 0; i < 200; ++i) {
    const Vec3d p = random_point(random, 2);
    const MeshPoint slow = nearest_point_on(mesh.triangles, mesh.positions, p);
    const auto fast = tree.nearest(p, INFINITY);
    EXPECT_NEAR(fast.distance, slow.distance, 1e-12);
    EXPECT_LT(length(fast.position - p), slow.distance + 1e-12);
    const Triangle& t = mesh.triangles[static_cast<std::size_t>(fast.triangle)];
    Vec3d x{};
    for (std::size_t k = 0; k < 3; ++k) x += mesh.positions[static_cast<std::size_t>(t[k])] * fast.weights[k];
    EXPECT_LT(length(x - fast.position), 1e-12);
    EXPECT_EQ(tree.nearest(p, 0.99 * slow.distance).triangle, -1);
  }
}

TEST(SurfaceTree, SegmentCrossesASphereTwice) {
  const SurfaceTree tree(sphere(1, 3));
  std::vector<SurfaceTree::Crossing> found;
  tree.crossings({-2, 0.1, 0.2}, {2, 0.1, 0.2}, found);
  ASSERT_EQ(found.size(), 2u);
  const double half = std::sqrt(1 - 0.05);
  EXPECT_NEAR(found[0].t, (2 - half) / 4, 0.003);  // the polyhedron's chord error
  EXPECT_EQ(found[0].outward, -1);
  EXPECT_NEAR(found[1].t, (2 + half) / 4, 0.003);
  EXPECT_EQ(found[1].outward, 1);
  tree.crossings({-2, 0, 0.1}, {-1.5, 0, 0.1}, found);
  EXPECT_TRUE(found.empty());
}

TEST(SurfaceTree, TrianglesWithoutAreaAreLeftOut) {
  TriMesh mesh = sphere(1, 1);
  mesh.triangles.push_back({0, 0, 1});
  EXPECT_NEAR(SurfaceTree(mesh).winding_number({0, 0, 0}), 1, 1e-9);
  EXPECT_TRUE(SurfaceTree({{{0, 0, 0}, {1, 0, 0}}, {{0, 1, 1}}}).empty());
}

}  // namespace
}  // namespace pliant
