#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numbers>

#include "mesh/mesh_checks.h"
#include "pliant/mesh.h"

namespace pliant {
namespace {

using test::expect_error;
constexpr double kPi = std::numbers::pi;
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kRounding = 1e-12;  // sums of a few thousand terms of like sign

double polygon_area(double radius, int m) { return 0.5 * m * radius * radius * std::sin(2 * kPi / m); }

/// What every volume must be: all tets positive, faces shared by two or on the boundary, the boundary
/// closed, outward and of the given Euler characteristic, no loose vertices.
void expect_sound(const TetMesh& mesh, int euler) {
  EXPECT_GT(test::quality_of(mesh).smallest_volume, 0);
  std::size_t open = 0;
  for (const auto& [face, uses] : test::face_uses(mesh)) {
    ASSERT_LE(uses, 2) << face[0] << "-" << face[1] << "-" << face[2];
    open += uses == 1;
  }
  const TriMesh boundary{mesh.positions, surface_of(mesh)};
  EXPECT_EQ(boundary.triangles.size(), open);
  test::expect_closed(boundary.triangles);
  EXPECT_EQ(test::euler_by_sets(boundary.triangles), euler);
  const double inside = volume(mesh);
  EXPECT_NEAR(enclosed_volume(boundary), inside, 1e-11 * inside) << "outward, and nothing overlaps";
  std::vector<char> used(mesh.positions.size(), 0);
  for (const Tet& tet : mesh.tets) {
    for (const int v : tet) used[static_cast<std::size_t>(v)] = 1;
  }
  EXPECT_EQ(std::count(used.begin(), used.end(), 0), 0);
}

TEST(BoxTets, BothSplitsAreSound) {
  for (const auto& cells : {std::array<int, 3>{1, 1, 1}, {2, 1, 1}, {1, 2, 3}, {3, 3, 3}, {4, 5, 6}}) {
    const auto [nx, ny, nz] = cells;
    const auto hexes = static_cast<std::size_t>(nx * ny * nz);
    for (const CellSplit split : {CellSplit::five, CellSplit::six}) {
      const TetMesh mesh = box_tets({1, 2, 3}, cells, split);
      EXPECT_EQ(mesh.positions.size(), static_cast<std::size_t>((nx + 1) * (ny + 1) * (nz + 1)));
      EXPECT_EQ(mesh.tets.size(), (split == CellSplit::five ? 5 : 6) * hexes);
      EXPECT_NEAR(volume(mesh), 6, 10 * kRounding);
      EXPECT_EQ(surface_of(mesh).size(), static_cast<std::size_t>(4 * (nx * ny + ny * nz + nz * nx)));
      expect_sound(mesh, 2);
    }
  }
}

TEST(BoxTets, FiveHasARegularTetInEachCell) {
  const TetMesh mesh = box_tets({2, 2, 2}, {2, 2, 2}, CellSplit::five);
  int regular = 0, corner = 0;
  for (const Tet& tet : mesh.tets) {
    const double v = test::tet_volume(mesh, tet);
    if (std::abs(v - 1.0 / 3) < 1e-12) ++regular;
    if (std::abs(v - 1.0 / 6) < 1e-12) ++corner;
  }
  EXPECT_EQ(regular, 8);
  EXPECT_EQ(corner, 32);
  const test::Quality q = test::quality_of(mesh);
  EXPECT_NEAR(q.smallest_angle, std::acos(1 / std::sqrt(3)) * 180 / kPi, 1e-9);  // 54.7, at a corner tet's base
  EXPECT_NEAR(q.largest_angle, 90, 1e-9);
}

TEST(BoxTets, SixIsCongruent) {
  const TetMesh mesh = box_tets({2, 2, 2}, {2, 2, 2}, CellSplit::six);
  const test::Quality q = test::quality_of(mesh);
  EXPECT_NEAR(q.smallest_volume, 1.0 / 6, 1e-12);
  EXPECT_NEAR(q.largest_volume, 1.0 / 6, 1e-12);
  EXPECT_NEAR(q.smallest_angle, 45, 1e-9);
  EXPECT_NEAR(q.largest_angle, 90, 1e-9);
}

TEST(BallTets, IsSoundAndWellShaped) {
  for (const int cells : {1, 2, 3, 4, 5, 6, 7, 8, 16, 21}) {
    const TetMesh mesh = ball_tets(2, cells);
    EXPECT_EQ(mesh.positions.size(), static_cast<std::size_t>(std::pow(cells + 1, 3)));
    EXPECT_EQ(mesh.tets.size(), static_cast<std::size_t>(6 * std::pow(cells, 3)));
    expect_sound(mesh, 2);
    for (const Triangle& t : surface_of(mesh)) {
      for (const int v : t) EXPECT_NEAR(length(test::at(mesh.positions, v)), 2, 1e-14);
    }
    // The bounds that generators_tets.cpp states.
    const test::Quality q = test::quality_of(mesh);
    EXPECT_GT(q.smallest_angle, cells % 2 == 0 ? 29 : 26.3) << cells;
    EXPECT_LT(q.largest_angle, 114.6) << cells;
    EXPECT_LT(q.largest_volume / q.smallest_volume, cells % 2 == 0 ? 1.52 : 3.3) << cells;
  }
}

TEST(BallTets, VolumeConvergesToTheBalls) {
  const auto missing = [](int cells) { return 4.0 / 3 * kPi * 8 - volume(ball_tets(2, cells)); };
  EXPECT_GT(missing(16), 0) << "inscribed";
  EXPECT_NEAR(missing(8) / missing(16), 4, 0.2) << "second order in the cell size";
}

TEST(CylinderTets, IsSoundAndWellShaped) {
  for (const auto& [cells, rings] : {std::array<int, 2>{1, 1}, {2, 1}, {3, 4}, {4, 4}, {5, 3}, {8, 8}}) {
    const TetMesh mesh = cylinder_tets(0.5, 2, cells, rings);
    EXPECT_EQ(mesh.positions.size(), static_cast<std::size_t>((cells + 1) * (cells + 1) * (rings + 1)));
    EXPECT_EQ(mesh.tets.size(), static_cast<std::size_t>(6 * cells * cells * rings));
    expect_sound(mesh, 2);
    const double exact = 2 * polygon_area(0.5, 4 * cells);  // a prism over the polygon of the rim
    EXPECT_NEAR(volume(mesh), exact, kRounding);
    // The concentric map keeps ratios of areas; what is left is the bulge of the arcs over their chords.
    const test::Quality q = test::quality_of(mesh);
    EXPECT_LT(q.largest_volume / q.smallest_volume, cells % 2 == 0 ? 1.17 : 1.71) << cells;
  }
  for (int cells = 2; cells <= 20; ++cells) {  // as many layers as cells across: edges of like length
    const test::Quality q = test::quality_of(cylinder_tets(1, 2, cells, cells));
    EXPECT_GT(q.smallest_angle, 31.7) << cells;
    EXPECT_LT(q.largest_angle, 121.8) << cells;
  }
}

TEST(TorusTets, IsSoundAndWellShaped) {
  for (const auto& [segments, cells] : {std::array<int, 2>{3, 1}, {4, 2}, {7, 3}, {24, 4}, {25, 5}}) {
    const TetMesh mesh = torus_tets(3, 1, segments, cells);
    EXPECT_EQ(mesh.positions.size(), static_cast<std::size_t>((cells + 1) * (cells + 1) * segments));
    EXPECT_EQ(mesh.tets.size(), static_cast<std::size_t>(6 * cells * cells * segments));
    expect_sound(mesh, 0);
    const double exact = segments * std::sin(2 * kPi / segments) * 3 * polygon_area(1, 4 * cells);
    EXPECT_NEAR(volume(mesh), exact, kRounding * 100);
  }
  const TetMesh mesh = torus_tets(3, 1, 38, 4);  // 0.5 m along the middle of the tube, like the cells across it
  EXPECT_GT(test::quality_of(mesh).smallest_angle, 28);
  EXPECT_LT(test::quality_of(mesh).largest_angle, 117);
}

TEST(TetGenerators, AreTheSameEveryTime) {
  EXPECT_EQ(ball_tets(1, 5).tets, ball_tets(1, 5).tets);
  EXPECT_EQ(ball_tets(1, 5).positions, ball_tets(1, 5).positions);
  EXPECT_EQ(surface_of(ball_tets(1, 5)), surface_of(ball_tets(1, 5)));
}

TEST(TetGenerators, ScaleWithoutLimit) {
  for (const double scale : {1e-6, 1e5}) {  // micrometres, 100 km
    TetMesh mesh = ball_tets(scale, 4);
    EXPECT_EQ(repair(mesh, "ball"), 0);
    EXPECT_NEAR(volume(mesh) / (scale * scale * scale), volume(ball_tets(1, 4)), 1e-12);
  }
}

TEST(TetGenerators, RefuseBadInput) {
  expect_error([] { box_tets({-1, 1, 1}, {1, 1, 1}); }, "box_tets: size.x", "-1 is not positive");
  expect_error([] { box_tets({1, kNan, 1}, {1, 1, 1}); }, "box_tets: size.y", "nan");
  expect_error([] { box_tets({1, 1, kInf}, {1, 1, 1}); }, "box_tets: size.z", "inf");
  expect_error([] { box_tets({1, 1, 1}, {0, 1, 1}); }, "box_tets: cells[0]", "at least 1");
  expect_error([] { box_tets({1, 1, 1}, {1, -1, 1}); }, "box_tets: cells[1]", "at least 1");
  expect_error([] { box_tets({1, 1, 1}, {1, 1, 0}); }, "box_tets: cells[2]", "at least 1");
  expect_error([] { box_tets({1, 1, 1}, {2147483647, 2147483647, 2147483647}); }, "box_tets: cells", "2^28");
  expect_error([] { box_tets({1, 1, 1}, {700, 700, 700}); }, "box_tets: cells", "2^28");
  expect_error([] { ball_tets(0, 4); }, "ball_tets: radius", "0 is not positive");
  expect_error([] { ball_tets(1, 0); }, "ball_tets: cells", "at least 1");
  expect_error([] { ball_tets(1, 2147483647); }, "ball_tets: cells", "2^28");
  expect_error([] { cylinder_tets(kNan, 1, 4, 4); }, "cylinder_tets: radius", "nan");
  expect_error([] { cylinder_tets(1, -1, 4, 4); }, "cylinder_tets: height", "-1");
  expect_error([] { cylinder_tets(1, 1, 0, 4); }, "cylinder_tets: cells", "at least 1");
  expect_error([] { cylinder_tets(1, 1, 4, 0); }, "cylinder_tets: rings", "at least 1");
  expect_error([] { cylinder_tets(1, 1, 40000, 40000); }, "cylinder_tets: cells, rings", "2^28");
  expect_error([] { torus_tets(kInf, 1, 8, 2); }, "torus_tets: radius", "inf");
  expect_error([] { torus_tets(1, -1, 8, 2); }, "torus_tets: tube_radius", "-1");
  expect_error([] { torus_tets(1, 2, 8, 2); }, "torus_tets: tube_radius", "hole");
  expect_error([] { torus_tets(1, 0.5, 2, 2); }, "torus_tets: segments", "at least 3");
  expect_error([] { torus_tets(1, 0.5, 3, 0); }, "torus_tets: tube_cells", "at least 1");
  expect_error([] { torus_tets(1, 0.5, 1000000, 100); }, "torus_tets: segments, tube_cells", "2^28");
}

}  // namespace
}  // namespace pliant
