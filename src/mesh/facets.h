#pragma once
// Which elements share an edge or a face: the common step behind edges, hinges, surfaces and checks.
//
// Every element lists its facets (edges or triangles) with sorted vertex numbers; sorting the lists
// brings equal facets together. The sort counts by the smallest vertex first and then orders the few
// facets of each vertex, so it is linear in the number of elements for meshes of bounded valence, and
// its result depends on nothing but the mesh.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "pliant/mesh.h"

namespace pliant {

/// Corners of the faces of a tet of positive volume, each counter-clockwise seen from outside; face i
/// lies opposite corner i.
inline constexpr std::array<std::array<int, 3>, 4> kTetFaces = {{{1, 2, 3}, {0, 3, 2}, {0, 1, 3}, {0, 2, 1}}};
inline constexpr std::array<std::array<int, 2>, 6> kTetEdges = {{{0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3}, {2, 3}}};
/// Edge i of a triangle runs from corner i to the next one; corner (i + 2) % 3 lies opposite.
inline constexpr std::array<std::array<int, 2>, 3> kTriangleEdges = {{{0, 1}, {1, 2}, {2, 0}}};

template <int N>
struct Facet {
  std::array<int, N> vertices;  // ascending
  int64_t owner;                // element number * facets per element + number of the facet in it

  friend bool operator<(const Facet& a, const Facet& b) {
    return a.vertices != b.vertices ? a.vertices < b.vertices : a.owner < b.owner;
  }
};

/// 1 + the largest vertex number that any element uses. Vertex numbers must not be negative.
template <std::size_t N>
std::size_t vertex_bound(std::span<const std::array<int, N>> elements) {
  int largest = -1;
  for (const auto& element : elements) {
    for (const int vertex : element) largest = std::max(largest, vertex);
  }
  return static_cast<std::size_t>(largest) + 1;
}

/// Orders facets by their vertices, equal ones by owner.
template <int N>
std::vector<Facet<N>> sorted(const std::vector<Facet<N>>& facets, std::size_t vertex_count) {
  std::vector<std::size_t> start(vertex_count + 1, 0);
  for (const Facet<N>& facet : facets) ++start[static_cast<std::size_t>(facet.vertices[0]) + 1];
  for (std::size_t v = 0; v < vertex_count; ++v) start[v + 1] += start[v];
  std::vector<Facet<N>> ordered(facets.size());
  std::vector<std::size_t> next(start.begin(), start.end() - 1);
  for (const Facet<N>& facet : facets) ordered[next[static_cast<std::size_t>(facet.vertices[0])]++] = facet;
  for (std::size_t v = 0; v < vertex_count; ++v) {
    std::sort(ordered.begin() + static_cast<std::ptrdiff_t>(start[v]),
              ordered.begin() + static_cast<std::ptrdiff_t>(start[v + 1]));
  }
  return ordered;
}

/// The facets that `corners` cuts out of every element (kTetFaces, kTetEdges, kTriangleEdges), sorted.
template <std::size_t Corners, std::size_t Count, std::size_t N>
std::vector<Facet<static_cast<int>(N)>> sorted_facets(std::span<const std::array<int, Corners>> elements,
                                                      const std::array<std::array<int, N>, Count>& corners) {
  std::vector<Facet<static_cast<int>(N)>> facets;
  facets.reserve(elements.size() * Count);
  int64_t owner = 0;
  for (const auto& element : elements) {
    for (const auto& local : corners) {
      Facet<static_cast<int>(N)> facet{.vertices = {}, .owner = owner++};
      for (std::size_t i = 0; i < N; ++i) facet.vertices[i] = element[static_cast<std::size_t>(local[i])];
      std::sort(facet.vertices.begin(), facet.vertices.end());
      facets.push_back(facet);
    }
  }
  return sorted(facets, vertex_bound(elements));
}

/// The elements themselves as facets: equal neighbours in the result are elements with the same vertices.
template <std::size_t N>
std::vector<Facet<static_cast<int>(N)>> sorted_elements(std::span<const std::array<int, N>> elements) {
  std::vector<Facet<static_cast<int>(N)>> facets;
  facets.reserve(elements.size());
  for (const auto& element : elements) {
    facets.push_back({.vertices = element, .owner = static_cast<int64_t>(facets.size())});
    std::sort(facets.back().vertices.begin(), facets.back().vertices.end());
  }
  return sorted(facets, vertex_bound(elements));
}

/// Calls visit(run) for each run of facets with the same vertices, in ascending order.
template <int N, class Visit>
void for_each_run(const std::vector<Facet<N>>& facets, Visit visit) {
  for (std::size_t begin = 0; begin < facets.size();) {
    std::size_t end = begin + 1;
    while (end < facets.size() && facets[end].vertices == facets[begin].vertices) ++end;
    visit(std::span<const Facet<N>>(facets.data() + begin, end - begin));
    begin = end;
  }
}

}  // namespace pliant
