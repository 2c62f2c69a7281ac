#include "mesh/quality.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "mesh/mesh_checks.h"

namespace pliant {
namespace {

TEST(Quality, OfARegularTet) {
  const std::array<Vec3d, 4> tet = {Vec3d{1, 1, 1}, Vec3d{-1, 1, -1}, Vec3d{1, -1, -1}, Vec3d{-1, -1, 1}};
  const DihedralAngles angles = dihedral_angles(tet);
  EXPECT_NEAR(angles.smallest, 70.5288, 1e-4);
  EXPECT_NEAR(angles.largest, 70.5288, 1e-4);
  EXPECT_NEAR(smallest_sine(tet), std::sqrt(8.0) / 3, 1e-12);
}

TEST(Quality, OfTetsInsideOutAndFlat) {
  const std::array<Vec3d, 4> turned = {Vec3d{-1, 1, -1}, Vec3d{1, 1, 1}, Vec3d{1, -1, -1}, Vec3d{-1, -1, 1}};
  EXPECT_EQ(dihedral_angles(turned).smallest, 0);
  EXPECT_NEAR(smallest_sine(turned), -std::sqrt(8.0) / 3, 1e-12);
  const std::array<Vec3d, 4> flat = {Vec3d{0, 0, 0}, Vec3d{1, 0, 0}, Vec3d{0, 1, 0}, Vec3d{1, 1, 0}};
  EXPECT_EQ(dihedral_angles(flat).largest, 180);
  EXPECT_EQ(smallest_sine(flat), 0);
  EXPECT_EQ(smallest_sine({}), 0);  // a single point
}

TEST(Quality, AgreesWithTheAnglesSeenAlongTheEdges) {
  std::mt19937 random(2);
  std::uniform_real_distribution<double> coordinate(-1, 1);
  for (int i = 0; i < 50; ++i) {
    TetMesh mesh{{}, {{0, 1, 2, 3}}};
    for (int k = 0; k < 4; ++k) {
      const double x = coordinate(random), y = coordinate(random), z = coordinate(random);
      mesh.positions.push_back({x, y, z});
    }
    if (test::tet_volume(mesh, mesh.tets[0]) < 0) std::swap(mesh.tets[0][2], mesh.tets[0][3]);
    const auto expected = test::quality_of(mesh);
    const DihedralAngles angles = dihedral_angles(mesh);
    EXPECT_NEAR(angles.smallest, expected.smallest_angle, 1e-5);
    EXPECT_NEAR(angles.largest, expected.largest_angle, 1e-5);
    const auto sine = [](double degrees) { return std::sin(degrees * std::numbers::pi / 180); };
    EXPECT_LE(smallest_sine(corners_of(mesh, mesh.tets[0])),
              std::min(sine(expected.smallest_angle), sine(expected.largest_angle)) + 1e-9);
  }
}

}  // namespace
}  // namespace pliant
