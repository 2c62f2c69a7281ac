#pragma once
// How far a body's edges are longer than at rest.

#include <algorithm>

#include "pliant/world.h"

namespace pliant::experiments {

struct Stretch {
  double mean = 0;     // over all edges; those that are shorter than at rest count as zero
  double largest = 0;  // relative
};

inline Stretch stretch_of(const World& world, BodyId id) {
  const auto x = world.positions(id), rest = world.rest_positions(id);
  const auto& edges = world.edges(id);
  Stretch out;
  for (const Edge& e : edges) {
    const auto at = [](const std::vector<Vec3d>& p, int v) { return p[static_cast<std::size_t>(v)]; };
    const double s = length(at(x, e[1]) - at(x, e[0])) / length(at(rest, e[1]) - at(rest, e[0])) - 1;
    out.mean += std::max(0.0, s) / static_cast<double>(edges.size());
    out.largest = std::max(out.largest, s);
  }
  return out;
}

}  // namespace pliant::experiments
