#include "solver/ordering.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <numeric>

namespace pliant {

namespace {

struct Adjacency {
  std::vector<int64_t> begin;
  std::vector<int> neighbour;
  int degree(int v) const { return static_cast<int>(begin[v + 1] - begin[v]); }
};

Adjacency adjacency_of(int vertices, std::span<const Edge> edges) {
  Adjacency a;
  a.begin.assign(vertices + 1, 0);
  for (const Edge& e : edges) {
    ++a.begin[e[0] + 1];
    ++a.begin[e[1] + 1];
  }
  std::partial_sum(a.begin.begin(), a.begin.end(), a.begin.begin());
  a.neighbour.resize(edges.size() * 2);
  std::vector<int64_t> at(a.begin.begin(), a.begin.end() - 1);
  for (const Edge& e : edges) {
    a.neighbour[at[e[0]]++] = e[1];
    a.neighbour[at[e[1]]++] = e[0];
  }
  return a;
}

/// Breadth-first order of one component, neighbours by rising degree; appends to `order`.
void breadth_first(const Adjacency& a, int root, std::vector<uint8_t>& seen, std::vector<int>& order) {
  std::size_t head = order.size();
  order.push_back(root);
  seen[root] = 1;
  while (head < order.size()) {
    const int v = order[head++];
    const std::size_t first = order.size();
    for (int64_t k = a.begin[v]; k < a.begin[v + 1]; ++k) {
      const int n = a.neighbour[k];
      if (seen[n]) continue;
      seen[n] = 1;
      order.push_back(n);
    }
    std::stable_sort(order.begin() + static_cast<std::ptrdiff_t>(first), order.end(),
                     [&](int x, int y) { return a.degree(x) < a.degree(y); });
  }
}

double mean_span(std::span<const Edge> edges, const std::vector<int>& place) {
  double sum = 0;
  for (const Edge& e : edges) sum += std::abs(place[e[0]] - place[e[1]]);
  return edges.empty() ? 0 : sum / static_cast<double>(edges.size());
}

}  // namespace

std::vector<int> locality_order(int vertices, std::span<const Edge> edges) {
  const Adjacency a = adjacency_of(vertices, edges);
  std::vector<int> order;
  order.reserve(vertices);
  std::vector<uint8_t> seen(vertices, 0);
  std::vector<uint8_t> probed(vertices, 0);
  std::vector<int> probe;
  for (int v = 0; v < vertices; ++v) {
    if (seen[v]) continue;
    // The last vertex that a breadth-first walk reaches lies at an end of the component: start there.
    probe.clear();
    breadth_first(a, v, probed, probe);
    breadth_first(a, probe.back(), seen, order);
  }
  std::reverse(order.begin(), order.end());

  std::vector<int> given(vertices), place(vertices);
  std::iota(given.begin(), given.end(), 0);
  for (int i = 0; i < vertices; ++i) place[order[i]] = i;
  return mean_span(edges, place) < mean_span(edges, given) ? order : given;
}

}  // namespace pliant
