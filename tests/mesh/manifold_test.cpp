#include "mesh/manifold.h"

#include <gtest/gtest.h>

#include <cmath>

#include "mesh/mesh_checks.h"
#include "mesh/topology.h"

namespace pliant {
namespace {

constexpr Vec3d kX{1, 0, 0}, kY{0, 1, 0}, kZ{0, 0, 1};

TEST(Manifold, PartsThatShareAVertexComeApart) {
  TetMesh mesh{{{0, 0, 0}, kX, kY, kZ, -kX, -kY, -kZ}, {{0, 1, 2, 3}, {0, 4, 6, 5}}};
  const ManifoldReport report = make_manifold(mesh, 0);
  EXPECT_EQ(report.split_vertices, 1);
  EXPECT_EQ(mesh.tets.size(), 2u);
  EXPECT_EQ(mesh.positions.size(), 8u);
  EXPECT_EQ(mesh.positions[7], (Vec3d{0, 0, 0}));
  EXPECT_EQ(connected_components(mesh.tets, 8).count, 2);
}

TEST(Manifold, PartsThatShareAnEdgeComeApart) {
  TetMesh mesh{{{0, 0, 0}, kZ, kX, kY, -kX, -kY}, {{0, 2, 3, 1}, {0, 4, 5, 1}}};
  ASSERT_FALSE(is_closed(surface_of(mesh)));
  make_manifold(mesh, 0);
  EXPECT_EQ(mesh.tets.size(), 2u);
  EXPECT_EQ(connected_components(mesh.tets, static_cast<int>(mesh.positions.size())).count, 2);
  EXPECT_TRUE(is_closed(surface_of(mesh)));
}

TEST(Manifold, AnEdgeWithTwoFansLosesTheSmallerOne) {
  // Three layers of four cubes. Of the middle layer two opposite cubes stay: they touch along the vertical edge in the
  // middle, and hang together through the layers at both of its ends, so that splitting vertices cannot part them.
  TetMesh mesh = box_tets({2, 3, 2}, {2, 3, 2}, CellSplit::six);
  const auto middle = [&](const Tet& t) {
    Vec3d sum{};
    for (const int v : t) sum += mesh.positions[static_cast<std::size_t>(v)];
    return sum / 4.0;
  };
  std::erase_if(mesh.tets, [&](const Tet& t) {
    const Vec3d m = middle(t);
    return std::abs(m.y) < 0.5 && m.x * m.z > 0;
  });
  ASSERT_FALSE(is_closed(surface_of(mesh)));
  const double before = volume(mesh);
  const ManifoldReport report = make_manifold(mesh, 0);
  EXPECT_GT(report.removed_tets, 0);
  EXPECT_TRUE(is_closed(surface_of(mesh)));
  EXPECT_EQ(face_pieces(mesh).count, 1);
  EXPECT_GT(volume(mesh), 0.7 * before);
  EXPECT_EQ(repair(mesh, "mesh"), 0);
}

TEST(Manifold, CrumbsAreLeftOutButNotEverything) {
  TetMesh mesh = box_tets({1, 1, 1}, {2, 2, 2});
  const std::size_t tets = mesh.tets.size(), vertices = mesh.positions.size();
  for (const Vec3d& x : {Vec3d{5, 0, 0}, Vec3d{5.1, 0, 0}, Vec3d{5, 0.1, 0}, Vec3d{5, 0, 0.1}}) {
    mesh.positions.push_back(x);
  }
  const int v = static_cast<int>(vertices);
  mesh.tets.push_back({v, v + 1, v + 2, v + 3});
  EXPECT_EQ(face_pieces(mesh).count, 2);
  TetMesh all = mesh;
  EXPECT_EQ(make_manifold(all, 1e-4).crumbs, 0);
  const ManifoldReport report = make_manifold(mesh, 1e-3);
  EXPECT_EQ(report.crumbs, 1);
  EXPECT_NEAR(report.crumb_volume, 1e-3 / 6, 1e-15);
  EXPECT_EQ(mesh.tets.size(), tets);
  EXPECT_EQ(mesh.positions.size(), vertices);
  make_manifold(mesh, 100);
  EXPECT_EQ(mesh.tets.size(), tets);
}

}  // namespace
}  // namespace pliant
