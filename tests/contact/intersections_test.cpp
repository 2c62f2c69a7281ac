#include "contact/intersections.h"

#include <gtest/gtest.h>

#include <random>

#include "mesh/topology.h"

namespace pliant::test {
namespace {

int pairs(const std::vector<Vec3d>& x, const std::vector<Triangle>& t) {
  return static_cast<int>(intersecting_triangles(x, t).size());
}

const std::vector<Triangle> kTwo = {{0, 1, 2}, {3, 4, 5}};

TEST(Intersections, ApartThroughAndTouching) {
  const std::vector<Vec3d> floor = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
  const auto with = [&](Vec3d a, Vec3d b, Vec3d c) {
    std::vector<Vec3d> x = floor;
    x.insert(x.end(), {a, b, c});
    return pairs(x, kTwo);
  };
  EXPECT_EQ(with({0.2, 0.2, -1}, {0.2, 0.2, 1}, {5, 5, 0.5}), 1);     // through
  EXPECT_EQ(with({0.2, 0.2, 1e-9}, {0.2, 0.2, 1}, {5, 5, 0.5}), 0);   // a nanometre above
  EXPECT_EQ(with({0.2, 0.2, -1e-9}, {0.2, 0.2, 1}, {5, 5, 0.5}), 1);  // a nanometre below
  EXPECT_EQ(with({0.25, 0.25, 0}, {0.25, 0.25, 1}, {5, 5, 0.5}), 1);  // on it
  EXPECT_EQ(with({0.1, 0.1, 0}, {0.2, 0.1, 0}, {0.1, 0.2, 0}), 1);    // in its plane, inside
  EXPECT_EQ(with({0.9, 0.9, 0}, {2, 0.9, 0}, {0.9, 2, 0}), 0);        // in its plane, outside
  EXPECT_EQ(with({-1, 0.5, 0}, {2, 0.25, 0}, {2, 3, 0}), 1);          // in its plane, across
  EXPECT_EQ(with({0.2, 0.2, 0}, {0.2, 0.2, 0}, {0.2, 0.2, 0}), 1);    // a point on it
}

TEST(Intersections, CommonCorners) {
  const std::vector<Vec3d> x = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0.5, 0.5, -1}, {0.1, 0.1, 1}, {-1, 0, 1}, {0, -1, 1}};
  EXPECT_EQ(pairs(x, {{0, 1, 2}, {0, 3, 4}}), 1);  // the opposite edge goes through
  EXPECT_EQ(pairs(x, {{0, 1, 2}, {0, 5, 6}}), 0);
  EXPECT_EQ(pairs(x, {{0, 1, 2}, {1, 0, 6}}), 0);  // a hinge
  const std::vector<Vec3d> flat = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0.3, 0.3, 0}, {0.3, -0.3, 0}};
  EXPECT_EQ(pairs(flat, {{0, 1, 2}, {1, 0, 3}}), 1);  // folded onto each other
  EXPECT_EQ(pairs(flat, {{0, 1, 2}, {1, 0, 4}}), 0);  // a flat hinge
}

TEST(Intersections, OneBoxInAnother) {
  TriMesh a = box_surface({1, 1, 1}, {6, 6, 6}), b = box_surface({1, 1, 1}, {6, 6, 6});
  const auto joined = [&](Vec3d shift) {
    std::vector<Vec3d> x = a.positions;
    for (const Vec3d& p : b.positions) x.push_back(p + shift);
    std::vector<Triangle> t = a.triangles;
    const int first = static_cast<int>(a.positions.size());
    for (const Triangle& k : b.triangles) t.push_back({k[0] + first, k[1] + first, k[2] + first});
    return pairs(x, t);
  };
  EXPECT_EQ(joined({1.001, 0.1, 0.05}), 0);
  EXPECT_GT(joined({0.5, 0.3, 0.2}), 20);
  EXPECT_GT(joined({0.999, 0.1, 0.05}), 20);
}

TEST(Intersections, AgreesWithAllPairs) {
  // The grid finds what looking at each pair alone finds.
  std::mt19937 random(5);
  std::uniform_real_distribution<double> unit(-1, 1);
  std::vector<Vec3d> x;
  std::vector<Triangle> t;
  for (int k = 0; k < 150; ++k) {
    const Vec3d center{unit(random), unit(random), unit(random)};
    for (int c = 0; c < 3; ++c) x.push_back(center + Vec3d{unit(random), unit(random), unit(random)} * 0.3);
    t.push_back({3 * k, 3 * k + 1, 3 * k + 2});
  }
  int expected = 0;
  for (int i = 0; i < 150; ++i) {
    for (int j = 0; j < i; ++j) {
      // One far corner keeps the grid's unit.
      std::vector<Vec3d> two(x.begin() + 3 * i, x.begin() + 3 * i + 3);
      two.insert(two.end(), x.begin() + 3 * j, x.begin() + 3 * j + 3);
      two.push_back({-1.9, 1.9, 1.9});
      expected += pairs(two, kTwo);
    }
  }
  EXPECT_EQ(pairs(x, t), expected);
  EXPECT_GT(expected, 20);
  const std::vector<Edge> edges = edges_of(t);
  std::vector<IntersectingPair> by_edges;
  for (const Piercing& p : piercing_edges(x, edges, t)) {
    const int other = edges[p.edge][0] / 3;
    by_edges.push_back({std::min(other, p.triangle), std::max(other, p.triangle)});
  }
  std::sort(by_edges.begin(), by_edges.end());
  by_edges.erase(std::unique(by_edges.begin(), by_edges.end()), by_edges.end());
  EXPECT_EQ(static_cast<int>(by_edges.size()), expected);
}

}  // namespace
}  // namespace pliant::test
