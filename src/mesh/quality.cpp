#include "mesh/quality.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "mesh/measure.h"

namespace pliant {

namespace {

/// Unit normals of the faces, outward; false where one has no area.
bool face_normals(const std::array<Vec3d, 4>& x, std::array<Vec3d, 4>& normals) {
  for (std::size_t i = 0; i < 4; ++i) {
    const auto& [a, b, c] = kTetFaces[i];
    const Vec3d n = double_area_normal(x[static_cast<std::size_t>(a)], x[static_cast<std::size_t>(b)],
                                       x[static_cast<std::size_t>(c)]);
    const double size = length(n);
    if (!(size > 0)) return false;
    normals[i] = n / size;
  }
  return true;
}

}  // namespace

DihedralAngles dihedral_angles(const std::array<Vec3d, 4>& x) {
  std::array<Vec3d, 4> normals;
  if (!(six_volumes(x[0], x[1], x[2], x[3]) > 0) || !face_normals(x, normals)) return {0, 180};
  double smallest_cosine = 1, largest_cosine = -1;
  for (const auto& [i, j] : kTetEdges) {
    const double cosine = -dot(normals[static_cast<std::size_t>(i)], normals[static_cast<std::size_t>(j)]);
    smallest_cosine = std::min(smallest_cosine, cosine);
    largest_cosine = std::max(largest_cosine, cosine);
  }
  const auto degrees = [](double cosine) { return std::acos(std::clamp(cosine, -1.0, 1.0)) * 180 / std::numbers::pi; };
  return {degrees(largest_cosine), degrees(smallest_cosine)};
}

DihedralAngles dihedral_angles(const TetMesh& mesh) {
  DihedralAngles all{180, 0};
  for (const Tet& tet : mesh.tets) {
    const DihedralAngles one = dihedral_angles(corners_of(mesh, tet));
    all.smallest = std::min(all.smallest, one.smallest);
    all.largest = std::max(all.largest, one.largest);
  }
  return all;
}

double smallest_sine(const std::array<Vec3d, 4>& x) {
  // At the edge i j: 3 V |edge| = 2 A_k A_l sin(angle), with the faces k, l that share it. Signed by the volume.
  const double six = six_volumes(x[0], x[1], x[2], x[3]);
  std::array<double, 4> double_area;
  for (std::size_t i = 0; i < 4; ++i) {
    const auto& [a, b, c] = kTetFaces[i];
    double_area[i] = length(double_area_normal(x[static_cast<std::size_t>(a)], x[static_cast<std::size_t>(b)],
                                               x[static_cast<std::size_t>(c)]));
    if (!(double_area[i] > 0)) return 0;
  }
  double smallest = 1;
  for (std::size_t e = 0; e < 6; ++e) {
    const auto i = static_cast<std::size_t>(kTetEdges[e][0]), j = static_cast<std::size_t>(kTetEdges[e][1]);
    // The faces that hold the edge are those opposite the other two corners: edge 5 - e.
    const auto k = static_cast<std::size_t>(kTetEdges[5 - e][0]), l = static_cast<std::size_t>(kTetEdges[5 - e][1]);
    smallest = std::min(smallest, six * length(x[j] - x[i]) / (double_area[k] * double_area[l]));
  }
  return smallest;
}

}  // namespace pliant
