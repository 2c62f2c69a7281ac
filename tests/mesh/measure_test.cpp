#include "mesh/measure.h"

#include <gtest/gtest.h>

#include "mesh/mesh_checks.h"

namespace pliant {
namespace {

using test::expect_error;

const std::vector<Vec3d> kCorner = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};

TEST(SurfaceOf, OneTetHasFourOutwardFaces) {
  const TetMesh mesh{kCorner, {{0, 1, 2, 3}}};
  const auto surface = surface_of(mesh);
  ASSERT_EQ(surface.size(), 4u);
  const Vec3d centre{0.25, 0.25, 0.25};
  for (const auto& [a, b, c] : surface) {
    const Vec3d x = test::at(kCorner, a);
    EXPECT_GT(dot(double_area_normal(x, test::at(kCorner, b), test::at(kCorner, c)), x - centre), 0);
  }
}

TEST(SurfaceOf, LeavesOutSharedFaces) {
  std::vector<Vec3d> x = kCorner;
  x.push_back({1, 1, 1});
  const auto surface = surface_of({x, {{0, 1, 2, 3}, {4, 3, 2, 1}}});
  EXPECT_EQ(surface.size(), 6u);
  test::expect_closed(surface);
}

TEST(Volume, IsSigned) {
  EXPECT_NEAR(volume({kCorner, {{0, 1, 2, 3}}}), 1.0 / 6, 1e-16);
  EXPECT_NEAR(volume({kCorner, {{0, 1, 3, 2}}}), -1.0 / 6, 1e-16);
}

TEST(Area, OfARightTriangle) { EXPECT_NEAR(area({kCorner, {{0, 1, 2}}}), 0.5, 1e-16); }

TEST(EnclosedVolume, IsSignedAndDoesNotDependOnThePlace) {
  TriMesh mesh = sphere(1, 2);
  const double at_origin = enclosed_volume(mesh);
  for (Vec3d& x : mesh.positions) x += Vec3d{1.1e6, -2.3e6, 3.7e6};
  // Coordinates of 4e6 carry 5e-10; each of 162 vertices moves the volume by less than that times its area.
  EXPECT_NEAR(enclosed_volume(mesh), at_origin, 1e-8);
  for (Triangle& t : mesh.triangles) std::swap(t[0], t[1]);
  EXPECT_NEAR(enclosed_volume(mesh), -at_origin, 1e-8);
}

TEST(EnclosedVolume, RefusesOpenSurfaces) {
  expect_error([] { enclosed_volume(grid({1, 1}, {2, 2})); }, "enclosed_volume", "not closed");
  expect_error([] { enclosed_volume({}); }, "enclosed_volume", "not closed");
}

TEST(Measures, RefuseVerticesThatDoNotExist) {
  expect_error([] { surface_of({kCorner, {{0, 1, 2, 3}, {0, 1, 2, 4}}}); }, "surface_of: tet 1", "vertex 4");
  expect_error([] { volume({kCorner, {{0, 1, 2, -1}}}); }, "volume: tet 0", "vertex -1");
  expect_error([] { area({kCorner, {{0, 1, 7}}}); }, "area: triangle 0", "vertex 7");
  expect_error([] { enclosed_volume({kCorner, {{0, 1, 7}}}); }, "enclosed_volume: triangle 0", "vertex 7");
}

}  // namespace
}  // namespace pliant
