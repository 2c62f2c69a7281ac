#pragma once
// The membranes that script/validate gives to GetFEM (membrane.json keeps its answers): a square of cloth of 1 m x 1 m,
// held along one side and stretched by 40 % along the other, as in bender14 fig. 7.

#include <fmt/format.h>

#include <string>
#include <vector>

#include "fem/membrane.h"

namespace pliant::reference {

struct MembraneCase {
  std::string name;
  fem::MembraneProblem problem;
};

inline MembraneCase stretched_square(const std::string& name, const ClothMaterial& material, int cells = 16,
                                     double pull = 0.4) {
  MembraneCase c{name, {}};
  c.problem.mesh = grid({1, 1}, {cells, cells});
  c.problem.material = material;
  for (std::size_t v = 0; v < c.problem.mesh.positions.size(); ++v) {
    const double x = c.problem.mesh.positions[v].x;
    const bool left = x<-0.5 + 1e-9, right = x> 0.5 - 1e-9;
    // The plane is the xz plane.
    c.problem.supports.push_back({.vertex = static_cast<int>(v),
                                  .displacement = {right ? pull : 0, 0, 0},
                                  .x = left || right,
                                  .y = true,
                                  .z = left || right});
  }
  return c;
}

inline std::vector<MembraneCase> membranes() {
  std::vector<MembraneCase> all;
  for (const double poisson : {0.1, 0.3, 0.499}) {
    all.push_back(stretched_square(fmt::format("isotropic_nu{:g}", poisson),
                                   {.young = 1e5, .poisson = poisson, .thickness = 1e-3}));
  }
  ClothMaterial woven{.model = ClothModel::orthotropic};
  woven.orthotropic = {.k_weft = 100, .k_warp = 400, .k_shear = 30, .nu_weft = 0.1, .nu_warp = 0.4};
  all.push_back(stretched_square("weft", woven));
  woven.weft = {0, 0, 1};
  all.push_back(stretched_square("warp", woven));
  woven.weft = {0.8, 0, 0.6};
  all.push_back(stretched_square("slanted", woven));
  return all;
}

}  // namespace pliant::reference
