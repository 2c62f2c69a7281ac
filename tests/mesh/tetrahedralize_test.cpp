// What the tetrahedraliser promises, on shapes of all kinds.

#include "pliant/tetrahedralize.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <random>

#include "mesh/mesh_checks.h"
#include "mesh/surface_tree.h"
#include "mesh/topology.h"

namespace pliant {
namespace {

using test::quality_of;

void append(TriMesh& mesh, const TriMesh& other, Vec3d shift = {}, bool inside_out = false) {
  const int first = static_cast<int>(mesh.positions.size());
  for (const Vec3d& x : other.positions) mesh.positions.push_back(x + shift);
  for (auto [a, b, c] : other.triangles) {
    if (inside_out) std::swap(b, c);
    mesh.triangles.push_back({a + first, b + first, c + first});
  }
}

TriMesh scaled(TriMesh mesh, double factor, Vec3d shift = {}) {
  for (Vec3d& x : mesh.positions) x = x * factor + shift;
  return mesh;
}

double ball_volume(double radius) { return 4.0 / 3 * 3.14159265358979 * radius * radius * radius; }

/// The promises: no tet inside out, angles, a boundary that is a proper surface, nothing that repair() minds.
void expect_sound(Tetrahedralized& made) {
  const auto quality = quality_of(made.mesh);
  EXPECT_GT(quality.smallest_volume, 0);
  EXPECT_GE(quality.smallest_angle, 8);
  EXPECT_NEAR(quality.smallest_angle, made.smallest_angle, 1e-6);
  EXPECT_NEAR(quality.largest_angle, made.largest_angle, 1e-6);
  EXPECT_TRUE(is_closed(surface_of(made.mesh)));
  EXPECT_EQ(repair(made.mesh, "made"), 0);
}

struct Shape {
  const char* name;
  TriMesh surface;
  double volume;
};

std::vector<Shape> shapes() {
  TriMesh nested;
  append(nested, sphere(1, 3));
  append(nested, sphere(0.5, 3), {0.1, 0, 0}, true);
  const double ball = enclosed_volume(sphere(1, 3)), core = enclosed_volume(sphere(0.5, 3));
  return {
      {"sphere", sphere(1, 3), ball},
      {"torus", torus(1, 0.35, 48, 24), enclosed_volume(torus(1, 0.35, 48, 24))},
      {"plate", box_surface({1, 0.15, 1}, {8, 1, 8}), 0.15},
      {"cavity", nested, ball - core},
      {"inside_out",
       [] {
         TriMesh m;
         append(m, sphere(1, 3), {}, true);
         return m;
       }(),
       ball},
      {"tiny", scaled(sphere(1, 3), 1e-3), ball * 1e-9},
      {"large", scaled(sphere(1, 3), 100), ball * 1e6},
      {"far", scaled(sphere(1, 3), 1, {1e5, -2e5, 3e5}), ball},
  };
}

TEST(Tetrahedralize, KeepsItsPromisesOnShapesOfAllKinds) {
  for (const Shape& shape : shapes()) {
    SCOPED_TRACE(shape.name);
    Tetrahedralized made = tetrahedralize(shape.surface, {.tets = 2000});
    expect_sound(made);
    EXPECT_NEAR(static_cast<double>(made.mesh.tets.size()), 2000, 200);
    EXPECT_NEAR(volume(made.mesh) / shape.volume, 1, 0.02);
    EXPECT_EQ(made.pieces, 1);
    EXPECT_TRUE(made.lost.empty());
  }
}

TEST(Tetrahedralize, ExactBoundaryIsOnTheSurface) {
  const TriMesh surface = torus(1, 0.35, 48, 24);
  const Tetrahedralized made = tetrahedralize(surface, {.cell = 0.15, .keep_volume = false});
  EXPECT_EQ(made.cell, 0.15);
  const SurfaceTree tree(surface);
  for (const Triangle& t : surface_of(made.mesh)) {
    for (const int v : t) EXPECT_LT(tree.nearest(test::at(made.mesh.positions, v), 1).distance, 1e-9);
  }
  EXPECT_EQ(euler_characteristic(surface_of(made.mesh)), 0);  // one hole, as the torus has
}

TEST(Tetrahedralize, HolesAreClosed) {
  TriMesh surface = sphere(1, 3);
  std::erase_if(surface.triangles, [&](const Triangle& t) { return test::at(surface.positions, t[0]).y > 0.9; });
  ASSERT_FALSE(is_closed(surface.triangles));
  Tetrahedralized made = tetrahedralize(surface, {.tets = 2000});
  expect_sound(made);
  // The cap of height 0.1 has 1 % of the ball's volume; whatever closes the hole lies above the plane through its rim
  // or a little below.
  EXPECT_NEAR(volume(made.mesh) / ball_volume(1), 0.99, 0.02);
}

TEST(Tetrahedralize, OverlappingPartsBecomeOne) {
  TriMesh two;
  append(two, sphere(1, 3));
  append(two, sphere(1, 3), {1, 0, 0});
  Tetrahedralized made = tetrahedralize(two, {.tets = 2000});
  expect_sound(made);
  EXPECT_EQ(made.pieces, 1);
  // Two balls less the lens that they share: 2 pi (R - d/2)^2 (2R + d/2) / 3 with d = 1.
  EXPECT_NEAR(volume(made.mesh), 2 * ball_volume(1) - 2 * 3.14159265 * 0.25 * 2.5 / 3, 0.02 * 2 * ball_volume(1));
}

TEST(Tetrahedralize, ThinPartsStayOrAreNamed) {
  TriMesh surface;  // a ball with a needle of a fifth of a cell
  append(surface, sphere(0.5, 3));
  append(surface, cylinder(0.02, 1, 12, 10), {0, 0.9, 0});
  Tetrahedralized kept = tetrahedralize(surface, {.cell = 0.2});
  expect_sound(kept);
  EXPECT_GT(kept.thickened, 0);
  EXPECT_EQ(kept.pieces, 1);
  EXPECT_TRUE(kept.lost.empty());
  ASSERT_EQ(kept.warnings().size(), 1u);
  EXPECT_NE(kept.warnings()[0].find("thinner than a cell of 0.2 m"), std::string::npos);

  Tetrahedralized lost = tetrahedralize(surface, {.cell = 0.2, .keep_thin = false});
  expect_sound(lost);
  EXPECT_EQ(lost.thickened, 0);
  ASSERT_EQ(lost.lost.size(), 1u);
  EXPECT_NEAR(lost.lost[0].center.y, 1.0, 0.15);
  EXPECT_FALSE(lost.warnings().empty());
}

TEST(Tetrahedralize, ResultDoesNotDependOnThreads) {
  const TriMesh surface = torus(1, 0.35, 48, 24);
  const TetMesh one = tetrahedralize(surface, {.tets = 2000, .jobs = make_thread_pool(1)}).mesh;
  const TetMesh three = tetrahedralize(surface, {.tets = 2000, .jobs = make_thread_pool(3)}).mesh;
  EXPECT_EQ(one.tets, three.tets);
  ASSERT_EQ(one.positions.size(), three.positions.size());
  EXPECT_EQ(std::memcmp(one.positions.data(), three.positions.data(), one.positions.size() * sizeof(Vec3d)), 0);
}

TEST(Tetrahedralize, RandomTrianglesNeitherCrashNorHang) {
  std::mt19937 random(5);
  std::uniform_real_distribution<double> coordinate(-1, 1);
  int filled = 0;
  for (int i = 0; i < 10; ++i) {
    TriMesh soup;
    const int triangles = 1 << (i % 6);
    for (int t = 0; t < triangles; ++t) {
      for (int k = 0; k < 3; ++k) {
        const double x = coordinate(random), y = coordinate(random), z = i % 3 ? coordinate(random) : 0;
        soup.positions.push_back({x, y, z});
      }
      soup.triangles.push_back({3 * t, 3 * t + 1, i % 5 ? 3 * t + 2 : 3 * t});
    }
    try {
      Tetrahedralized made = tetrahedralize(soup, {.tets = 100});
      expect_sound(made);
      ++filled;
    } catch (const Error& error) {
      EXPECT_FALSE(error.remedy().empty());
    }
  }
  EXPECT_GT(filled, 0);
}

TEST(Tetrahedralize, RefusesWhatHasNoInside) {
  test::expect_error([] { tetrahedralize(grid({1, 1}, {4, 4}), {.tets = 1000}); }, "tetrahedralize", "nothing inside");
  test::expect_error([] { tetrahedralize({}, {}); }, "tetrahedralize", "no triangles");
  test::expect_error([] { tetrahedralize({{{0, 0, 0}}, {{0, 1, 2}}}, {}); }, "tetrahedralize", "vertex 1");
  test::expect_error(
      [] {
        tetrahedralize({{{0, NAN, 0}, {1, 0, 0}, {0, 0, 1}}, {{0, 1, 2}}}, {});
      },
      "tetrahedralize", "not finite");
  test::expect_error([] { tetrahedralize(sphere(1, 2), {.cell = 1e-6}); }, "tetrahedralize", "too large");
  test::expect_error([] { tetrahedralize(sphere(1, 2), {.cell = -1}); }, "tetrahedralize: cell", "not a length");
  test::expect_error([] { tetrahedralize(sphere(1, 2), {.tets = 0}); }, "tetrahedralize: tets", "out of range");
}

TEST(Tetrahedralize, TellsProgressInOrder) {
  double last = 0;
  bool ordered = true;
  tetrahedralize(sphere(1, 2), {.tets = 500, .progress = [&](double done) {
                                  ordered = ordered && done >= last && done <= 1;
                                  last = done;
                                }});
  EXPECT_TRUE(ordered);
  EXPECT_EQ(last, 1);
}

}  // namespace
}  // namespace pliant
