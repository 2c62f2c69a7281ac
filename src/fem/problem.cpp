#include "fem/problem.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <optional>

#include "pliant/error.h"

namespace pliant::fem {

namespace {

bool finite(const Vec3d& a) { return std::isfinite(a.x) && std::isfinite(a.y) && std::isfinite(a.z); }

}  // namespace

void validate(const Problem& problem, const std::string& name) {
  TetMesh copy = problem.mesh;
  if (const int rewound = repair(copy, name + ".mesh"); rewound > 0) {
    throw Error(name + ".mesh", fmt::format("{} tets are inverted", rewound), "call repair() on the mesh first");
  }
  validate(problem.material, name + ".material");
  const std::size_t count = problem.mesh.positions.size();
  if (!finite(problem.gravity)) throw Error(name + ".gravity", "not a finite number", "");
  if (!problem.forces.empty() && problem.forces.size() != count) {
    throw Error(name + ".forces", fmt::format("{} forces for {} vertices", problem.forces.size(), count),
                "give one per vertex, or none");
  }
  for (std::size_t v = 0; v < problem.forces.size(); ++v) {
    if (!finite(problem.forces[v])) throw Error(fmt::format("{}.forces[{}]", name, v), "not a finite number", "");
  }
  std::vector<std::array<std::optional<double>, 3>> held(count);
  for (std::size_t i = 0; i < problem.supports.size(); ++i) {
    const Support& s = problem.supports[i];
    const std::string where = fmt::format("{}.supports[{}]", name, i);
    if (s.vertex < 0 || static_cast<std::size_t>(s.vertex) >= count) {
      throw Error(where + ".vertex", fmt::format("there is no vertex {}", s.vertex),
                  fmt::format("the mesh has vertices 0 to {}", count - 1));
    }
    if (!finite(s.displacement)) throw Error(where + ".displacement", "not a finite number", "");
    const bool axes[3] = {s.x, s.y, s.z};
    for (int axis = 0; axis < 3; ++axis) {
      if (!axes[axis]) continue;
      auto& before = held[static_cast<std::size_t>(s.vertex)][static_cast<std::size_t>(axis)];
      if (before && *before != s.displacement[axis]) {
        throw Error(where, fmt::format("vertex {} is already held at another displacement", s.vertex),
                    "let one support hold each coordinate");
      }
      before = s.displacement[axis];
    }
  }
}

}  // namespace pliant::fem
