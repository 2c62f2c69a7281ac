#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

#include "io/mesh_formats.h"
#include "mesh/mesh_checks.h"

namespace pliant {
namespace {

/// The triangles must cover the polygon exactly once: all counter-clockwise about `normal`, n - 2 of
/// them, of the polygon's area in sum.
void expect_covered(const std::vector<Vec3d>& x, Vec3d normal, double polygon_area) {
  std::vector<int> corners(x.size());
  std::iota(corners.begin(), corners.end(), 0);
  std::vector<Triangle> triangles;
  add_polygon(corners, x, "here", triangles);
  ASSERT_EQ(triangles.size(), x.size() - 2);
  double area = 0;
  for (const auto& [a, b, c] : triangles) {
    const double part =
        dot(cross(test::at(x, b) - test::at(x, a), test::at(x, c) - test::at(x, a)), normal) / (2 * length(normal));
    EXPECT_GT(part, 0) << a << " " << b << " " << c;
    area += part;
  }
  EXPECT_NEAR(area, polygon_area, 1e-12);
}

/// In the planes x = 0, y = 0, z = 0 and a slanted one, from both sides.
void expect_covered_in_all_planes(const std::vector<Vec2d>& flat, double polygon_area) {
  const Vec3d directions[][2] = {{{1, 0, 0}, {0, 1, 0}},
                                 {{0, 1, 0}, {0, 0, 1}},
                                 {{0, 0, 1}, {1, 0, 0}},
                                 {{0.6, 0.8, 0}, {0, 0, -1}},
                                 {{0, 1, 0}, {1, 0, 0}}};
  for (const auto& [u, v] : directions) {
    std::vector<Vec3d> x;
    for (const Vec2d& p : flat) x.push_back(Vec3d{10, 20, 30} + u * p.x + v * p.y);
    expect_covered(x, cross(u, v), polygon_area);
  }
}

TEST(Polygon, Convex) {
  expect_covered_in_all_planes({{0, 0}, {1, 0}, {1, 1}, {0, 1}}, 1);
  std::vector<Vec2d> circle;
  for (int i = 0; i < 2000; ++i)
    circle.push_back({std::cos(i * std::numbers::pi / 1000), std::sin(i * std::numbers::pi / 1000)});
  expect_covered_in_all_planes(circle, 1000 * std::sin(std::numbers::pi / 1000));  // beyond the limit of concave ones
}

TEST(Polygon, ConcaveQuadsFromEveryCorner) {
  std::vector<Vec2d> dart = {{0, 0}, {2, 0}, {0.5, 0.5}, {0, 2}};
  std::vector<Vec2d> arrow = {{0, 3}, {-0.5, 0}, {0, 0.5}, {0.5, 0}};  // its shorter diagonal lies outside
  for (int i = 0; i < 4; ++i) {
    expect_covered_in_all_planes(dart, 1);
    expect_covered_in_all_planes(arrow, 1.25);
    std::rotate(dart.begin(), dart.begin() + 1, dart.end());
    std::rotate(arrow.begin(), arrow.begin() + 1, arrow.end());
  }
}

TEST(Polygon, AQuadIsCutAlongItsShorterDiagonal) {
  std::vector<Triangle> triangles;
  add_polygon({0, 1, 2, 3}, {{0, 0, 0}, {2, 0, 0}, {3, 1, 0}, {1, 1, 0}}, "here", triangles);
  EXPECT_EQ(triangles, (std::vector<Triangle>{{1, 2, 3}, {1, 3, 0}}));
  triangles.clear();
  add_polygon({3, 0, 1, 2}, {{0, 0, 0}, {2, 0, 0}, {3, 1, 0}, {1, 1, 0}}, "here", triangles);
  EXPECT_EQ(triangles, (std::vector<Triangle>{{3, 0, 1}, {3, 1, 2}}));
}

TEST(Polygon, ConcaveShapes) {
  // A comb with deep teeth: most corners are no ears at first.
  std::vector<Vec2d> comb = {{0, 0}};
  const int teeth = 20;
  comb.push_back({2.0 * teeth, 0});
  for (int t = teeth - 1; t >= 0; --t) {
    comb.push_back({2.0 * t + 2, 5});
    comb.push_back({2.0 * t + 1, 1});
  }
  comb.push_back({0, 5});
  // Box of height 1 plus, per tooth, a triangle half as wide on each side.
  double twice = 0;
  for (std::size_t i = 0; i < comb.size(); ++i) {
    const Vec2d &a = comb[i], &b = comb[(i + 1) % comb.size()];
    twice += a.x * b.y - a.y * b.x;
  }
  expect_covered_in_all_planes(comb, twice / 2);
  expect_covered_in_all_planes({{0, 0}, {3, 0}, {3, 3}, {1, 3}, {1, 2}, {2, 2}, {2, 1}, {0, 1}}, 6);
}

TEST(Polygon, StarOfManyCorners) {
  std::vector<Vec2d> star;
  const int n = 998;
  for (int i = 0; i < n; ++i) {
    const double r = i % 2 == 0 ? 1 : 0.3;
    star.push_back({r * std::cos(2 * std::numbers::pi * i / n), r * std::sin(2 * std::numbers::pi * i / n)});
  }
  expect_covered_in_all_planes(star, n * 0.5 * 0.3 * std::sin(2 * std::numbers::pi / n));
}

TEST(Polygon, WithoutAreaGivesTrianglesAllTheSame) {
  std::vector<Triangle> triangles;
  add_polygon({0, 1, 2, 3, 4}, {{0, 0, 0}, {1, 0, 0}, {2, 0, 0}, {3, 0, 0}, {4, 0, 0}}, "here", triangles);
  EXPECT_EQ(triangles.size(), 3u);
  triangles.clear();
  add_polygon({0, 1, 2, 3, 4}, {{0, 0, 0}, {2, 2, 0}, {2, 0, 0}, {0, 2, 0}, {1, 3, 0}}, "here",
              triangles);  // crosses itself
  EXPECT_EQ(triangles.size(), 3u);
}

TEST(Polygon, Refuses) {
  std::vector<Triangle> triangles;
  const std::vector<Vec3d> x(3);
  test::expect_error([&] { add_polygon({0, 1}, x, "a.obj:3", triangles); }, "a.obj:3", "2 corners");
  test::expect_error([&] { add_polygon({}, x, "a.obj:3", triangles); }, "a.obj:3", "0 corners");
  std::vector<Vec3d> star;
  std::vector<int> corners;
  for (int i = 0; i < 1002; ++i) {
    const double r = i % 2 == 0 ? 1 : 0.3;
    star.push_back({r * std::cos(2 * std::numbers::pi * i / 1002), r * std::sin(2 * std::numbers::pi * i / 1002), 0});
    corners.push_back(i);
  }
  test::expect_error([&] { add_polygon(corners, star, "a.obj:3", triangles); }, "a.obj:3", "concave face with 1002");
}

}  // namespace
}  // namespace pliant
