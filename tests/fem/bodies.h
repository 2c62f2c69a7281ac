#pragma once
// Bodies and materials for the tests of the finite-element reference.

#include <cmath>
#include <random>
#include <vector>

#include "fem/problem.h"
#include "materials/elastic_law.h"

namespace pliant::fem {

inline bool on_boundary(const Vec3d& x, const Vec3d& size) {
  constexpr double kNear = 1e-9;
  return std::abs(std::abs(x.x) - size.x / 2) < kNear || std::abs(std::abs(x.y) - size.y / 2) < kNear ||
         std::abs(std::abs(x.z) - size.z / 2) < kNear;
}

/// A unit cube whose inner vertices are moved at random, so that no two elements are alike.
inline TetMesh irregular_cube(int cells) {
  TetMesh mesh = box_tets({1, 1, 1}, {cells, cells, cells});
  std::mt19937 engine(5);
  std::uniform_real_distribution<double> move(-0.15 / cells, 0.15 / cells);
  for (Vec3d& x : mesh.positions) {
    if (!on_boundary(x, {1, 1, 1})) x += Vec3d{move(engine), move(engine), move(engine)};
  }
  return mesh;
}

/// One material of each model, an anisotropic one and one with fibers among them.
inline std::vector<Material> all_materials() {
  std::vector<Material> all;
  for (const MaterialModelInfo& info : material_models()) {
    Material m{.model = info.model, .young = 2e4, .poisson = 0.35, .density = 10};
    m.orthotropic = {.young_1 = 4e4,
                     .young_2 = 1e4,
                     .young_3 = 2e4,
                     .poisson_12 = 0.2,
                     .poisson_13 = 0.3,
                     .poisson_23 = 0.1,
                     .shear_12 = 8e3,
                     .shear_13 = 6e3,
                     .shear_23 = 5e3};
    m.elasticity = elasticity_matrix(m.orthotropic);
    m.elasticity[0][5] = m.elasticity[5][0] = 2e3;  // pulling along x shears it, too
    all.push_back(m);
  }
  Material fibrous{.model = MaterialModel::neo_hookean, .young = 2e4, .poisson = 0.35, .density = 10};
  fibrous.fibers = {{.direction = {1, 1, 0}, .stiffness = 3e4}};
  all.push_back(fibrous);
  return all;
}

inline double largest(const std::vector<Vec3d>& vectors) {
  double result = 0;
  for (const Vec3d& v : vectors) result = std::max(result, length(v));
  return result;
}

inline double largest_difference(const std::vector<Vec3d>& a, const std::vector<Vec3d>& b) {
  double result = a.size() == b.size() ? 0 : INFINITY;
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i) result = std::max(result, length(a[i] - b[i]));
  return result;
}

}  // namespace pliant::fem
