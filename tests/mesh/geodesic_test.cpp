// Geodesic distances against paths that are known: a plane with a slit, a cylinder, a sphere.

#include "mesh/geodesic.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <random>

#include "mesh/topology.h"

namespace pliant {
namespace {

/// A square of 2 m with a slit along x = 0 for z < 0: its vertices are doubled there, except for the tip at the
/// origin. `jitter` moves inner vertices by up to this part of a cell.
struct SlitPlane {
  TriMesh mesh;
  double jitter_of_cell;
  SlitPlane(int cells, double jitter) : mesh(grid({2, 2}, {cells, cells})), jitter_of_cell(jitter) {
    std::mt19937 random(3);
    const auto part = [&] { return (random() / 4294967296.0 * 2 - 1) * jitter * 2.0 / cells; };
    const int n = static_cast<int>(mesh.positions.size());
    for (int v = 0; v < n; ++v) {
      Vec3d& x = mesh.positions[v];
      if (std::abs(x.x) > 1 - 1e-9 || std::abs(x.z) > 1 - 1e-9 || std::abs(x.x) < 1e-9) continue;
      x += Vec3d{part(), 0, part()};
    }
    std::vector<int> twin(n, -1);
    for (int v = 0; v < n; ++v) {
      const Vec3d x = mesh.positions[v];
      if (std::abs(x.x) > 1e-9 || x.z > -1e-9) continue;
      twin[v] = static_cast<int>(mesh.positions.size());
      mesh.positions.push_back(x);
    }
    for (Triangle& t : mesh.triangles) {
      double middle = 0;
      for (int v : t) middle += mesh.positions[v].x;
      if (middle < 0) continue;
      for (int& v : t) {
        if (v < n && twin[v] >= 0) v = twin[v];
      }
    }
  }
  int nearest(Vec3d p) const {
    int best = 0;
    for (int v = 1; v < static_cast<int>(mesh.positions.size()); ++v) {
      if (length(mesh.positions[v] - p) < length(mesh.positions[best] - p)) best = v;
    }
    return best;
  }
  /// From a point at x < 0: straight, or around the tip.
  double exact(Vec3d from, Vec3d to, bool right_side) const {
    if (right_side) {
      const double z = from.z + (to.z - from.z) * (0 - from.x) / (to.x - from.x);
      if (z < 0) return length(from) + length(to);
    }
    return length(to - from);
  }
};

double largest_error(int cells, double jitter, bool dijkstra) {
  const SlitPlane plane(cells, jitter);
  const int source = plane.nearest({-0.5, 0, -0.6});
  const auto edges = edges_of(plane.mesh.triangles);
  const auto found = nearest_sources_along(edges, dijkstra ? std::span<const Triangle>() : plane.mesh.triangles,
                                           plane.mesh.positions, {{source}}, 1);
  std::vector<uint8_t> right(plane.mesh.positions.size(), 0);
  for (const Triangle& t : plane.mesh.triangles) {
    double middle = 0;
    for (int v : t) middle += plane.mesh.positions[v].x;
    for (int v : t) right[v] |= middle > 0;
  }
  double worst = 0;
  for (std::size_t v = 0; v < plane.mesh.positions.size(); ++v) {
    const double d = plane.exact(plane.mesh.positions[source], plane.mesh.positions[v], right[v]);
    if (d > 0) worst = std::max(worst, std::abs(found.distance[v] / d - 1));
  }
  return worst;
}

TEST(Geodesic, PlaneWithASlit) {
  for (const int cells : {10, 40, 80}) {
    for (const double jitter : {0.0, 0.3}) {
      const double error = largest_error(cells, jitter, false);
      RecordProperty("error_" + std::to_string(cells), std::to_string(error));
      EXPECT_LT(error, 0.02) << cells << " cells, jitter " << jitter;
    }
  }
  // The case tells good from bad: along edges alone it is far off.
  EXPECT_GT(largest_error(40, 0, true), 0.05);
}

TEST(Geodesic, AroundACylinder) {
  // Without its lids: unrolled, a geodesic is a straight line.
  TriMesh mesh = cylinder(1, 2, 96, 24);
  std::erase_if(mesh.triangles, [&](const Triangle& t) {
    return std::any_of(t.begin(), t.end(),
                       [&](int v) { return std::hypot(mesh.positions[v].x, mesh.positions[v].z) < 0.999; });
  });
  std::vector<uint8_t> used(mesh.positions.size(), 0);
  for (const Triangle& t : mesh.triangles) {
    for (int v : t) used[v] = 1;
  }
  const int source = mesh.triangles[700][0];
  const auto found = nearest_sources_along(edges_of(mesh.triangles), mesh.triangles, mesh.positions, {{source}}, 1);
  const Vec3d s = mesh.positions[source];
  double worst = 0;
  for (std::size_t v = 0; v < mesh.positions.size(); ++v) {
    const Vec3d x = mesh.positions[v];
    if (!used[v]) continue;
    const double turn = std::abs(std::remainder(std::atan2(x.z, x.x) - std::atan2(s.z, s.x), 2 * std::numbers::pi));
    const double d = std::hypot(turn, x.y - s.y);
    if (d > 0) worst = std::max(worst, std::abs(found.distance[v] / d - 1));
  }
  EXPECT_LT(worst, 0.005);  // the polygon is shorter than the circle by 2e-4
}

TEST(Geodesic, OnASphere) {
  const TriMesh mesh = sphere(1, 4);
  const auto found = nearest_sources_along(edges_of(mesh.triangles), mesh.triangles, mesh.positions, {{5}}, 1);
  double worst = 0;
  for (std::size_t v = 0; v < mesh.positions.size(); ++v) {
    const double d = std::acos(std::clamp(dot(mesh.positions[v], mesh.positions[5]), -1.0, 1.0));
    if (d > 1e-6) worst = std::max(worst, std::abs(found.distance[v] / d - 1));
  }
  EXPECT_LT(worst, 0.02);
}

TEST(Geodesic, NearestIslands) {
  // A row of vertices is one island: its nearest vertex stands for it.
  const TriMesh mesh = grid({1, 1}, {10, 10});
  const std::vector<std::vector<int>> islands = {{0, 1, 2}, {120}, {10}};
  const auto edges = edges_of(mesh.triangles);
  const auto along = nearest_sources_along(edges, mesh.triangles, mesh.positions, islands, 2);
  const auto straight = nearest_sources_straight(mesh.positions, islands, 2);
  ASSERT_EQ(along.count, 2);
  for (std::size_t k = 0; k < along.distance.size(); ++k) {
    // On a plane without holes both are the same.
    EXPECT_NEAR(along.distance[k], straight.distance[k], 1e-9) << k;
  }
  EXPECT_EQ(straight.source[2 * 13], 2);  // vertex 13 = (2, 1): under vertex 2
  EXPECT_EQ(straight.source[2 * 120], 120);
}

TEST(Geodesic, RopeAndWhatIsNotReached) {
  const Curve line = rope({0, 0, 0}, {0, -1, 0}, 10);
  std::vector<Vec3d> x = line.positions;
  x.push_back({5, 0, 0});  // connected to nothing
  const auto found = nearest_sources_along(line.edges, {}, x, {{0}, {10}}, 2);
  EXPECT_NEAR(found.distance[2 * 3], 0.3, 1e-12);
  EXPECT_NEAR(found.distance[2 * 3 + 1], 0.7, 1e-12);
  EXPECT_EQ(found.source[2 * 11], -1);
}

}  // namespace
}  // namespace pliant
