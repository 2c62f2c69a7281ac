#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numbers>

#include "mesh/mesh_checks.h"
#include "pliant/mesh.h"

namespace pliant {
namespace {

using test::expect_closed;
using test::expect_error;
constexpr double kPi = std::numbers::pi;
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInf = std::numeric_limits<double>::infinity();
// Sums of a few thousand terms of like sign in double: below 1e-12 of the result.
constexpr double kRounding = 1e-12;

/// Area of the regular polygon with m corners on a circle.
double polygon_area(double radius, int m) { return 0.5 * m * radius * radius * std::sin(2 * kPi / m); }

TEST(Grid, HasTheDocumentedNumberingAndFacesUp) {
  const TriMesh mesh = grid({2, 3}, {4, 5});
  ASSERT_EQ(mesh.positions.size(), 5u * 6u);
  ASSERT_EQ(mesh.triangles.size(), 2u * 4u * 5u);
  for (int j = 0; j <= 5; ++j) {
    for (int i = 0; i <= 4; ++i) {
      const Vec3d x = test::at(mesh.positions, j * 5 + i);
      EXPECT_NEAR(x.x, -1 + 2 * i / 4.0, 1e-15);
      EXPECT_EQ(x.y, 0);
      EXPECT_NEAR(x.z, -1.5 + 3 * j / 5.0, 1e-15);
    }
  }
  EXPECT_NEAR(area(mesh), 6, kRounding);
  EXPECT_EQ(test::euler_by_sets(mesh.triangles), 1);
  for (const auto& [a, b, c] : mesh.triangles) {
    const Vec3d n = cross(test::at(mesh.positions, b) - test::at(mesh.positions, a),
                          test::at(mesh.positions, c) - test::at(mesh.positions, a));
    EXPECT_GT(n.y, 0);
  }
}

TEST(Grid, DiagonalsAlternate) {
  const TriMesh mesh = grid({1, 1}, {6, 6});
  // Where the diagonals of four cells around a vertex alternate, either all of them meet in it or none.
  std::vector<int> valence(mesh.positions.size(), 0);
  for (const Triangle& t : mesh.triangles) {
    for (const int v : t) ++valence[static_cast<std::size_t>(v)];
  }
  for (int j = 1; j < 6; ++j) {
    for (int i = 1; i < 6; ++i) EXPECT_EQ(valence[static_cast<std::size_t>(j * 7 + i)], (i + j) % 2 == 0 ? 8 : 4);
  }
}

TEST(Grid, IsExactlySymmetric) {
  const TriMesh mesh = grid({0.7, 0.3}, {7, 3});
  const auto n = mesh.positions.size();
  for (std::size_t v = 0; v < n; ++v) EXPECT_EQ(mesh.positions[v], -mesh.positions[n - 1 - v]);
}

TEST(Sphere, CountsAndClosedForms) {
  double previous_error = 0;
  for (int level = 0; level <= 4; ++level) {
    const TriMesh mesh = sphere(2, level);
    const auto four = static_cast<std::size_t>(std::pow(4, level));
    EXPECT_EQ(mesh.triangles.size(), 20 * four);
    EXPECT_EQ(mesh.positions.size(), 10 * four + 2);
    expect_closed(mesh.triangles);
    EXPECT_EQ(test::euler_by_sets(mesh.triangles), 2);
    for (const Vec3d& x : mesh.positions) EXPECT_NEAR(length(x), 2, 1e-14);
    const double error = 4.0 / 3 * kPi * 8 - enclosed_volume(mesh);
    EXPECT_GT(error, 0) << "inscribed: smaller than the ball, and outward";
    if (level > 2) {
      EXPECT_NEAR(previous_error / error, 4, 0.2) << "second order in the edge length";
    }
    previous_error = error;
    EXPECT_GT(test::corner_angles(mesh)[0], 50);
    EXPECT_LT(test::corner_angles(mesh)[1], 73);
  }
  // Icosahedron of circumradius r: edge a = r / sin(2 pi / 5), volume 5 (3 + sqrt 5) a^3 / 12.
  const double a = 2 / std::sin(2 * kPi / 5);
  EXPECT_NEAR(enclosed_volume(sphere(2, 0)), 5 * (3 + std::sqrt(5)) / 12 * a * a * a, 1e-12);
  EXPECT_NEAR(area(sphere(2, 0)), 5 * std::sqrt(3) * a * a, 1e-12);
}

TEST(Torus, CountsAndClosedForms) {
  for (const auto& [segments, tube] : {std::array<int, 2>{3, 3}, {8, 5}, {64, 24}}) {
    const TriMesh mesh = torus(3, 1, segments, tube);
    EXPECT_EQ(mesh.positions.size(), static_cast<std::size_t>(segments * tube));
    EXPECT_EQ(mesh.triangles.size(), static_cast<std::size_t>(2 * segments * tube));
    expect_closed(mesh.triangles);
    EXPECT_EQ(test::euler_by_sets(mesh.triangles), 0);
    // A polygon whose centre is at distance R, swept over straight segments of the turn.
    const double exact = segments * std::sin(2 * kPi / segments) * 3 * polygon_area(1, tube);
    EXPECT_NEAR(enclosed_volume(mesh), exact, kRounding * exact);
  }
  const double exact = 2 * kPi * kPi * 3;
  EXPECT_NEAR(enclosed_volume(torus(3, 1, 256, 256)), exact, 4e-4 * exact);  // 2 pi^2 (1 - 1/256^2...) terms
  EXPECT_NEAR(area(torus(3, 1, 256, 256)), 4 * kPi * kPi * 3, 4e-4 * 4 * kPi * kPi * 3);
}

TEST(Cylinder, CountsAndClosedForms) {
  for (const auto& [segments, rings] : {std::array<int, 2>{3, 1}, {4, 2}, {7, 3}, {13, 1}, {40, 10}, {100, 2}}) {
    const TriMesh mesh = cylinder(0.5, 2, segments, rings);
    expect_closed(mesh.triangles);
    EXPECT_EQ(test::euler_by_sets(mesh.triangles), 2);
    EXPECT_EQ(mesh.triangles.size(), 2 * mesh.positions.size() - 4) << "no loose vertex in a closed surface";
    const double exact = 2 * polygon_area(0.5, segments);
    EXPECT_NEAR(enclosed_volume(mesh), exact, kRounding);
    const double side = segments * 2 * (2 * 0.5 * std::sin(kPi / segments));
    EXPECT_NEAR(area(mesh), side + 2 * polygon_area(0.5, segments), kRounding);
    for (const Vec3d& x : mesh.positions) EXPECT_LE(std::abs(x.y), 1);
  }
  // 24 segments: caps of rings of 24, 18, 12, 6, 1.
  EXPECT_EQ(cylinder(1, 1, 24, 3).positions.size(), 24u * 4 + 2 * (18 + 12 + 6 + 1));
}

TEST(Cylinder, CapsHaveNoNeedles) {
  for (int segments = 6; segments <= 200; ++segments) {
    const TriMesh mesh = cylinder(1, 2 * kPi / segments, segments, 1);  // square cells on the side
    EXPECT_GT(test::corner_angles(mesh)[0], 36) << segments;
    EXPECT_LT(test::corner_angles(mesh)[1], 93) << segments;
  }
}

TEST(BoxSurface, CountsAndClosedForms) {
  for (const auto& cells : {std::array<int, 3>{1, 1, 1}, {2, 1, 1}, {1, 3, 2}, {4, 3, 5}, {1, 1, 7}}) {
    const auto [nx, ny, nz] = cells;
    const TriMesh mesh = box_surface({1, 2, 3}, cells);
    const int quads = 2 * (nx * ny + ny * nz + nz * nx);
    EXPECT_EQ(mesh.positions.size(), static_cast<std::size_t>(quads + 2));
    EXPECT_EQ(mesh.triangles.size(), static_cast<std::size_t>(2 * quads));
    expect_closed(mesh.triangles);
    EXPECT_EQ(test::euler_by_sets(mesh.triangles), 2);
    EXPECT_NEAR(enclosed_volume(mesh), 6, kRounding);
    EXPECT_NEAR(area(mesh), 22, 10 * kRounding);
    for (const Vec3d& x : mesh.positions) {
      EXPECT_TRUE(std::abs(x.x) == 0.5 || std::abs(x.y) == 1 || std::abs(x.z) == 1.5);
    }
  }
}

TEST(RopeCurve, IsStraightAndEndsExactly) {
  const Vec3d from{0.1, 0.2, 0.3}, to{-3, 7, 1.7};
  const Curve curve = rope(from, to, 10);
  ASSERT_EQ(curve.positions.size(), 11u);
  ASSERT_EQ(curve.edges.size(), 10u);
  EXPECT_EQ(curve.positions.front(), from);
  EXPECT_EQ(curve.positions.back(), to);
  for (std::size_t e = 0; e < 10; ++e) {
    EXPECT_EQ(curve.edges[e], (Edge{static_cast<int>(e), static_cast<int>(e) + 1}));
    EXPECT_NEAR(length(curve.positions[e + 1] - curve.positions[e]), length(to - from) / 10, 1e-14);
  }
}

TEST(SurfaceGenerators, RefuseBadInput) {
  expect_error([] { grid({0, 1}, {1, 1}); }, "grid: size.x", "0 is not positive");
  expect_error([] { grid({1, -2.5}, {1, 1}); }, "grid: size.y", "-2.5 is not positive");
  expect_error([] { grid({kNan, 1}, {1, 1}); }, "grid: size.x", "nan is not a finite number");
  expect_error([] { grid({1, kInf}, {1, 1}); }, "grid: size.y", "inf is not a finite number");
  expect_error([] { grid({1, 1}, {0, 1}); }, "grid: cells[0]", "at least 1");
  expect_error([] { grid({1, 1}, {1, -4}); }, "grid: cells[1]", "-4");
  expect_error([] { grid({1, 1}, {2147483647, 2147483647}); }, "grid: cells", "2^28");
  expect_error([] { sphere(-1, 1); }, "sphere: radius", "-1");
  expect_error([] { sphere(1, -1); }, "sphere: subdivisions", "at least 0");
  expect_error([] { sphere(1, 13); }, "sphere: subdivisions", "2^28");
  expect_error([] { sphere(1, 2147483647); }, "sphere: subdivisions", "2^28");
  expect_error([] { torus(1, 0, 8, 8); }, "torus: tube_radius", "0");
  expect_error([] { torus(1, 1, 8, 8); }, "torus: tube_radius", "hole");
  expect_error([] { torus(1, 0.5, 2, 8); }, "torus: segments", "at least 3");
  expect_error([] { torus(1, 0.5, 8, 2); }, "torus: tube_segments", "at least 3");
  expect_error([] { torus(1, 0.5, 100000, 100000); }, "torus: segments, tube_segments", "2^28");
  expect_error([] { cylinder(kNan, 1, 8, 1); }, "cylinder: radius", "nan");
  expect_error([] { cylinder(1, 0, 8, 1); }, "cylinder: height", "0");
  expect_error([] { cylinder(1, 1, 2, 1); }, "cylinder: segments", "at least 3");
  expect_error([] { cylinder(1, 1, 8, 0); }, "cylinder: rings", "at least 1");
  expect_error([] { cylinder(1, 1, 2147483647, 1); }, "cylinder: segments, rings", "2^28");
  expect_error([] { box_surface({1, 1, 0}, {1, 1, 1}); }, "box_surface: size.z", "0");
  expect_error([] { box_surface({1, 1, 1}, {1, 0, 1}); }, "box_surface: cells[1]", "at least 1");
  expect_error([] { box_surface({1, 1, 1}, {2147483647, 2147483647, 1}); }, "box_surface: cells", "2^28");
  expect_error([] { rope({0, 0, 0}, {0, 0, 0}, 3); }, "rope: to", "same point");
  expect_error([] { rope({0, 0, 0}, {0, kInf, 0}, 3); }, "rope: to.y", "inf");
  expect_error([] { rope({0, 0, kNan}, {0, 1, 0}, 3); }, "rope: from.z", "nan");
  expect_error([] { rope({0, 0, 0}, {0, 1, 0}, 0); }, "rope: segments", "at least 1");
}

}  // namespace
}  // namespace pliant
