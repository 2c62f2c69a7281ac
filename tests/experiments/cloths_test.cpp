// Pieces of cloth that experiments use, and their measures.
#include "experiments/cloths.h"

#include <gtest/gtest.h>

#include <cmath>

namespace pliant::experiments {
namespace {

TEST(FoldAngle, IsThatOfARoof) {
  // Two triangles on both sides of the edge (0, 1).
  TriMesh mesh{.positions = {{0, 0, 0}, {1, 0, 0}, {0.3, 0, 1}, {0.6, 0, -1}}, .triangles = {{0, 2, 1}, {0, 1, 3}}};
  EXPECT_NEAR(fold_angle(mesh, mesh.positions), 0, 1e-12);
  std::vector<Vec3d> x = mesh.positions;
  const double angle = 0.7;
  x[3] = {0.6, std::sin(angle), -std::cos(angle)};
  EXPECT_NEAR(fold_angle(mesh, x), angle * 57.29577951308232, 1e-9);
  x[3] = {0.6, -std::sin(angle), -std::cos(angle)};  // to the other side
  EXPECT_NEAR(fold_angle(mesh, x), angle * 57.29577951308232, 1e-9);
}

TEST(FoldAngle, OfOneTriangleIsZero) {
  const TriMesh mesh{.positions = {{0, 0, 0}, {1, 0, 0}, {0, 0, 1}}, .triangles = {{0, 2, 1}}};
  EXPECT_EQ(fold_angle(mesh, mesh.positions), 0);
}

TEST(IrregularGrid, HasTheSameAreaAndNoTriangleTurnedOver) {
  const TriMesh mesh = irregular_grid({1.5, 1}, {12, 8}, 0.4);
  double area = 0;
  for (const Triangle& t : mesh.triangles) {
    const Vec3d& o = mesh.positions[static_cast<std::size_t>(t[0])];
    const double twice =
        cross(mesh.positions[static_cast<std::size_t>(t[1])] - o, mesh.positions[static_cast<std::size_t>(t[2])] - o).y;
    EXPECT_GT(twice, 0);
    area += twice / 2;
  }
  EXPECT_NEAR(area, 1.5, 1e-12);
}

// The forces of a uniform stress are in balance, and each side has its part.
TEST(SideForces, AreInBalanceOnAnyMesh) {
  const Vec2d size{1.5, 1};
  const TriMesh mesh = irregular_grid(size, {6, 4}, 0.4);
  const std::vector<Vec3d> forces = side_forces(mesh, size, {10, 20, 5});
  Vec3d sum{}, torque{};
  double right = 0;
  for (std::size_t v = 0; v < forces.size(); ++v) {
    sum += forces[v];
    torque += cross(mesh.positions[v], forces[v]);
    if (forces[v].x > 0 && mesh.positions[v].x > 0 && std::abs(mesh.positions[v].z) < 0.49) right += forces[v].x;
  }
  EXPECT_LT(length(sum), 1e-12);
  EXPECT_LT(length(torque), 1e-12);
  EXPECT_GT(right, 0);
  EXPECT_LT(right, 10);  // 10 N/m on 1 m less the halves of its ends
}

}  // namespace
}  // namespace pliant::experiments
