#pragma once
// Graphs as models: particles joined by distance constraints, put together by hand, so that colouring
// and packing can be tested without a mesh.

#include <algorithm>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "constraints/registry.h"
#include "solver/model.h"

namespace pliant::test {

/// A permutation of 0 .. count - 1 that depends on the seed alone (std::shuffle differs between libraries).
inline std::vector<int> shuffled(int count, uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<int> order(static_cast<std::size_t>(count));
  std::iota(order.begin(), order.end(), 0);
  for (std::size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[random() % i]);
  return order;
}

/// The edges of a square grid of side x side vertices, 2 side (side - 1) of them, with vertices numbered
/// and edges listed in random order.
inline std::vector<Edge> shuffled_grid(int side, uint64_t seed) {
  const std::vector<int> name = shuffled(side * side, seed);
  std::vector<Edge> edges;
  const auto add = [&](int a, int b) {
    edges.push_back({name[static_cast<std::size_t>(a)], name[static_cast<std::size_t>(b)]});
  };
  for (int row = 0; row < side; ++row) {
    for (int column = 0; column < side; ++column) {
      if (column + 1 < side) add(row * side + column, row * side + column + 1);
      if (row + 1 < side) add(row * side + column, (row + 1) * side + column);
    }
  }
  std::vector<Edge> out;
  out.reserve(edges.size());
  for (int e : shuffled(static_cast<int>(edges.size()), seed + 1)) out.push_back(edges[static_cast<std::size_t>(e)]);
  return out;
}

/// Vertex 0 joined to each of the others.
inline std::vector<Edge> star(int rays) {
  std::vector<Edge> edges;
  for (int k = 1; k <= rays; ++k) edges.push_back({0, k});
  return edges;
}

/// One body whose edges carry rigid distance constraints of rest length 1 + edge number / 2^20, by
/// which a packed constraint can be told. `pinned` vertices do not move.
inline ModelInput distance_model(int vertices, const std::vector<Edge>& edges, const std::vector<int>& pinned = {}) {
  ModelInput input;
  BodyInput body;
  body.name = "graph";
  body.kind = "rope";
  body.rest.resize(static_cast<std::size_t>(vertices));
  body.start = body.rest;
  body.mass.assign(static_cast<std::size_t>(vertices), 1.0);
  body.edges = edges;
  ConstraintInput c;
  c.type = find_type("distance");
  for (std::size_t e = 0; e < edges.size(); ++e) {
    c.particles.push_back(edges[e][0]);
    c.particles.push_back(edges[e][1]);
    c.rest.push_back(1 + static_cast<double>(e) * 0x1p-20);
  }
  input.particles_of_bodies = vertices;
  input.bodies.push_back(std::move(body));
  input.constraints.push_back(std::move(c));
  if (!pinned.empty()) {
    PinInput pin;
    pin.particles.assign(pinned.begin(), pinned.end());
    pin.positions.resize(pinned.size());
    input.pins.push_back(std::move(pin));
  }
  return input;
}

}  // namespace pliant::test
