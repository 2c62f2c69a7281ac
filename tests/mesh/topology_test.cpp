#include "mesh/topology.h"

#include <gtest/gtest.h>

#include <cmath>
#include <ctime>
#include <numeric>
#include <random>
#include <set>

#include "mesh/mesh_checks.h"

namespace pliant {
namespace {

using test::expect_error;

std::vector<Triangle> fan(int triangles) {  // around vertex 0, open
  std::vector<Triangle> result;
  for (int i = 1; i <= triangles; ++i) result.push_back({0, i, i + 1});
  return result;
}

TEST(Edges, AreUniqueAndSorted) {
  const std::vector<Triangle> triangles = {{3, 1, 2}, {2, 1, 0}};
  EXPECT_EQ(edges_of(triangles), (std::vector<Edge>{{0, 1}, {0, 2}, {1, 2}, {1, 3}, {2, 3}}));
  const std::vector<Tet> tets = {{4, 1, 2, 3}, {1, 2, 3, 0}};
  EXPECT_EQ(edges_of(tets),
            (std::vector<Edge>{{0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3}, {1, 4}, {2, 3}, {2, 4}, {3, 4}}));
  EXPECT_TRUE(edges_of(std::vector<Triangle>{}).empty());
}

TEST(Edges, AgreeWithASetOnALargerMesh) {
  const TetMesh mesh = ball_tets(1, 6);
  std::set<Edge> expected;
  for (const Tet& t : mesh.tets) {
    for (std::size_t i = 0; i < 4; ++i) {
      for (std::size_t j = 0; j < i; ++j) expected.insert({std::min(t[i], t[j]), std::max(t[i], t[j])});
    }
  }
  EXPECT_EQ(edges_of(mesh.tets), std::vector<Edge>(expected.begin(), expected.end()));
}

TEST(Hinges, AreWoundLikeTheFirstTriangle) {
  EXPECT_EQ(hinges_of(std::vector<Triangle>{{0, 1, 2}, {2, 1, 3}}), (std::vector<Hinge>{{1, 2, 0, 3}}));
  EXPECT_EQ(hinges_of(std::vector<Triangle>{{2, 1, 3}, {0, 1, 2}}), (std::vector<Hinge>{{2, 1, 3, 0}}));
  EXPECT_TRUE(hinges_of(std::vector<Triangle>{{0, 1, 2}}).empty());
}

TEST(Hinges, OnePerInteriorEdge) {
  EXPECT_EQ(hinges_of(fan(5)).size(), 4u);
  const TriMesh closed = sphere(1, 2);
  EXPECT_EQ(hinges_of(closed.triangles).size(), edges_of(closed.triangles).size());
  const TriMesh open = grid({1, 1}, {3, 4});
  EXPECT_EQ(hinges_of(open.triangles).size(), edges_of(open.triangles).size() - 2 * (3 + 4));
}

TEST(Hinges, RefuseThreeTrianglesAtAnEdge) {
  expect_error(
      [] {
        hinges_of(std::vector<Triangle>{{0, 1, 2}, {1, 0, 3}, {0, 1, 4}});
      },
      "edge 0-1", "3 triangles share it (0, 1, 2)");
  expect_error(
      [] {
        hinges_of(std::vector<Triangle>{{0, 1, 2}, {1, 0, 3}, {0, 1, 4}, {0, 1, 5}, {0, 1, 6}});
      },
      "edge 0-1", "5 triangles share it (0, 1, 2, 3, ...)");
}

TEST(Neighbours, KnowWhetherWindingsAgree) {
  const auto agreeing = neighbours_of(std::vector<Triangle>{{0, 1, 2}, {2, 1, 3}});
  ASSERT_EQ(agreeing.size(), 1u);
  EXPECT_TRUE(agreeing[0].consistent);
  EXPECT_EQ(agreeing[0].edge, (Edge{1, 2}));
  EXPECT_EQ(agreeing[0].triangle0, 0);
  EXPECT_EQ(agreeing[0].triangle1, 1);
  EXPECT_FALSE(neighbours_of(std::vector<Triangle>{{0, 1, 2}, {1, 2, 3}})[0].consistent);
}

TEST(Adjacency, ListsElementsOfEachVertex) {
  const Adjacency near = vertex_to_element(std::vector<Triangle>{{0, 1, 2}, {2, 1, 4}}, 5);
  const auto list = [&](int v) { return std::vector<int>(near.of(v).begin(), near.of(v).end()); };
  EXPECT_EQ(list(0), (std::vector<int>{0}));
  EXPECT_EQ(list(1), (std::vector<int>{0, 1}));
  EXPECT_EQ(list(2), (std::vector<int>{0, 1}));
  EXPECT_TRUE(list(3).empty());
  EXPECT_EQ(list(4), (std::vector<int>{1}));
  EXPECT_EQ(vertex_to_element(std::vector<Edge>{{0, 1}, {1, 2}}, 3).of(1).size(), 2u);
  EXPECT_EQ(vertex_to_element(std::vector<Tet>{{0, 1, 2, 3}}, 4).of(3).size(), 1u);
}

double sum(const std::vector<double>& values) { return std::accumulate(values.begin(), values.end(), 0.0); }

TEST(LumpedMasses, SumToTheBodysMass) {
  const TetMesh box = box_tets({1, 2, 3}, {2, 3, 4});
  EXPECT_NEAR(sum(lumped_masses(box.tets, box.positions, 1000)), 6000, 1e-9);
  const TriMesh cloth = grid({2, 3}, {5, 6});
  EXPECT_NEAR(sum(lumped_masses(cloth.triangles, cloth.positions, 0.2)), 1.2, 1e-13);
  const Curve line = rope({0, 0, 0}, {0, 3, 4}, 7);
  const std::vector<double> masses = lumped_masses(line.edges, line.positions, 0.1);
  EXPECT_NEAR(sum(masses), 0.5, 1e-14);
  EXPECT_NEAR(masses.front(), 0.5 / 14, 1e-14);  // half a segment
  EXPECT_NEAR(masses[3], 0.5 / 7, 1e-14);
}

TEST(LumpedMasses, GiveEachCornerItsShare) {
  const std::vector<Vec3d> x = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {1, 1, 1}};
  const auto masses = lumped_masses(std::vector<Tet>{{0, 1, 2, 3}, {1, 2, 3, 4}}, x, 6);
  EXPECT_NEAR(masses[0], 0.25, 1e-15);  // volume 1/6
  EXPECT_NEAR(masses[4], 0.5, 1e-15);   // volume 1/3
  EXPECT_NEAR(masses[1], 0.75, 1e-15);
}

TEST(LumpedMasses, RefuseALooseVertex) {
  const std::vector<Vec3d> x = {{0, 0, 0}, {1, 0, 0}, {9, 9, 9}, {0, 1, 0}, {0, 0, 1}};
  expect_error([&] { lumped_masses(std::vector<Tet>{{0, 1, 3, 4}}, x, 1); }, "vertex 2", "belongs to no tet");
  expect_error([&] { lumped_masses(std::vector<Triangle>{{0, 1, 3}}, x, 1); }, "vertex 2", "belongs to no triangle");
  expect_error([&] { lumped_masses(std::vector<Edge>{{0, 1}}, x, 1); }, "vertex 2", "belongs to no segment");
}

TEST(ConnectedComponents, AreNumberedByTheirLowestVertex) {
  const Components pieces = connected_components(std::vector<Edge>{{5, 1}, {2, 3}, {3, 5}, {6, 4}}, 8);
  EXPECT_EQ(pieces.count, 4);  // {0} {1 2 3 5} {4 6} {7}
  EXPECT_EQ(pieces.of_vertex, (std::vector<int>{0, 1, 1, 1, 2, 1, 2, 3}));
  EXPECT_EQ(connected_components(std::vector<Triangle>{{0, 1, 2}, {3, 4, 5}}, 6).count, 2);
  EXPECT_EQ(connected_components(box_tets({1, 1, 1}, {3, 3, 3}).tets, 64).count, 1);
}

/// The nearest point by trying many: no better one may exist.
template <class Elements>
void expect_nearest(const Elements& elements, const std::vector<Vec3d>& x, Vec3d point) {
  const MeshPoint found = nearest_point_on(elements, x, point);
  double weight_sum = 0;
  Vec3d mixed{};
  for (int i = 0; i < found.corner_count; ++i) {
    const auto u = static_cast<std::size_t>(i);
    EXPECT_GE(found.weights[u], 0);
    EXPECT_EQ(found.corners[u], elements[static_cast<std::size_t>(found.element)][u]);
    weight_sum += found.weights[u];
    mixed += test::at(x, found.corners[u]) * found.weights[u];
  }
  EXPECT_NEAR(weight_sum, 1, 1e-14);
  EXPECT_NEAR(length(mixed - found.position), 0, 1e-13);
  EXPECT_NEAR(length(point - found.position), found.distance, 1e-14);
  std::mt19937 random(7);
  std::exponential_distribution<double> share;
  for (const auto& element : elements) {
    for (int trial = 0; trial < 300; ++trial) {
      Vec3d p{};
      double total = 0;
      for (const int v : element) {
        const double w = share(random);
        p += test::at(x, v) * w;
        total += w;
      }
      EXPECT_GE(length(point - p / total), found.distance - 1e-14);
    }
  }
}

TEST(NearestPoint, IsNearestFromAllSides) {
  const std::vector<Vec3d> x = {{0, 0, 0}, {1, 0, 0}, {0.2, 1, 0}, {0.3, 0.2, 1}, {1.2, 1, 0.5}};
  std::mt19937 random(3);
  std::uniform_real_distribution<double> coordinate(-1.5, 2.5);
  for (int i = 0; i < 200; ++i) {
    const Vec3d point{coordinate(random), coordinate(random), coordinate(random)};
    expect_nearest(std::vector<Triangle>{{0, 1, 2}, {1, 4, 2}}, x, point);
    expect_nearest(std::vector<Tet>{{0, 1, 2, 3}, {1, 4, 2, 3}}, x, point);
  }
}

TEST(NearestPoint, KnownPlaces) {
  const std::vector<Vec3d> x = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  const std::vector<Triangle> triangle = {{0, 1, 2}};
  EXPECT_EQ(nearest_point_on(triangle, x, {0.25, 0.25, 3}).position, (Vec3d{0.25, 0.25, 0}));
  EXPECT_EQ(nearest_point_on(triangle, x, {-1, -1, 0}).position, (Vec3d{0, 0, 0}));
  EXPECT_EQ(nearest_point_on(triangle, x, {0.5, -2, 1}).position, (Vec3d{0.5, 0, 0}));
  EXPECT_NEAR(nearest_point_on(triangle, x, {1, 1, 0}).distance, std::sqrt(0.5), 1e-15);
  const MeshPoint inside = nearest_point_on(std::vector<Tet>{{0, 1, 2, 3}}, x, {0.1, 0.2, 0.3});
  EXPECT_EQ(inside.distance, 0);
  EXPECT_NEAR(inside.weights[0], 0.4, 1e-15);
  EXPECT_NEAR(inside.weights[1], 0.1, 1e-15);
  EXPECT_NEAR(inside.weights[2], 0.2, 1e-15);
  EXPECT_NEAR(inside.weights[3], 0.3, 1e-15);
}

TEST(Closedness, OfSpheresTorusesAndSheets) {
  EXPECT_TRUE(is_closed(sphere(1, 1).triangles));
  EXPECT_EQ(euler_characteristic(sphere(1, 1).triangles), 2);
  EXPECT_TRUE(is_closed(torus(2, 1, 5, 4).triangles));
  EXPECT_EQ(euler_characteristic(torus(2, 1, 5, 4).triangles), 0);
  EXPECT_FALSE(is_closed(grid({1, 1}, {2, 2}).triangles));
  EXPECT_EQ(euler_characteristic(grid({1, 1}, {2, 2}).triangles), 1);
  std::vector<Triangle> one_flipped = sphere(1, 1).triangles;
  std::swap(one_flipped[7][0], one_flipped[7][1]);
  EXPECT_FALSE(is_closed(one_flipped));
  EXPECT_FALSE(is_closed(std::vector<Triangle>{}));
}

TEST(RewindInverted, SwapsOnlyNegativeTets) {
  TetMesh mesh{{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {1, 1, 1}}, {{0, 1, 2, 3}, {1, 3, 2, 4}}};
  EXPECT_EQ(rewind_inverted(mesh), 1);
  EXPECT_EQ(mesh.tets[0], (Tet{0, 1, 2, 3}));
  EXPECT_NEAR(volume(mesh), 0.5, 1e-15);
  EXPECT_EQ(rewind_inverted(mesh), 0);
}

// Linear set-up: eight times the tets may take eight times as long, not 64 times. The factor 3 leaves
// room for caches that no longer hold the larger mesh. Processor time, best of three: a busy machine
// does not count.
TEST(Topology, TimeGrowsLinearly) {
  const auto best_time = [](int cells) {
    const TetMesh mesh = box_tets({1, 1, 1}, {cells, cells, cells});
    double best = INFINITY;
    for (int run = 0; run < 3; ++run) {
      const std::clock_t start = std::clock();
      const auto faces = surface_of(mesh).size(), edges = edges_of(mesh.tets).size();
      best = std::min(best, static_cast<double>(std::clock() - start));
      EXPECT_GT(edges, faces);
    }
    return best;
  };
  EXPECT_LT(best_time(24), 8 * 3 * best_time(12));
}

TEST(Topology, AVertexWithVeryManyElementsIsNotQuadratic) {
  const int count = 200000;  // a quadratic walk around the hub would take minutes
  EXPECT_EQ(hinges_of(fan(count)).size(), static_cast<std::size_t>(count - 1));
}

}  // namespace
}  // namespace pliant
