#include "mesh/survey.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <numbers>
#include <span>
#include <unordered_map>

#include "mesh/facets.h"
#include "mesh/measure.h"

namespace pliant {

namespace {

std::size_t index(int i) { return static_cast<std::size_t>(i); }

double degrees(double radians) { return radians * 180 / std::numbers::pi; }

/// Between two vectors [degrees].
double angle(const Vec3d& a, const Vec3d& b) { return degrees(std::atan2(length(cross(a, b)), dot(a, b))); }

template <std::size_t N>
int64_t count_unused(const std::vector<std::array<int, N>>& elements, std::size_t vertices) {
  std::vector<char> used(vertices, 0);
  for (const auto& element : elements) {
    for (const int v : element) used[index(v)] = 1;
  }
  return std::count(used.begin(), used.end(), 0);
}

/// For each vertex the first one that is no farther away than `distance`, itself if there is none before it. Vertices
/// that others were joined to do not move: chains of near vertices do not collapse into one.
std::vector<int> first_near(const std::vector<Vec3d>& positions, double distance) {
  // Cells as wide as the distance: what is near lies in one of 27. A distance of 0 has cells of exact places.
  struct Cell {
    int64_t x, y, z;
    bool operator==(const Cell&) const = default;
  };
  struct HashOfCell {
    std::size_t operator()(const Cell& c) const {
      uint64_t h = 0;
      for (const int64_t v : {c.x, c.y, c.z}) h = (h ^ static_cast<uint64_t>(v)) * 0x9e3779b97f4a7c15u, h ^= h >> 29;
      return static_cast<std::size_t>(h);
    }
  };
  const auto cell_of = [&](double v) -> int64_t {
    if (distance <= 0) return std::bit_cast<int64_t>(v + 0.0);  // -0 is 0
    const double cell = std::floor(v / distance);
    return static_cast<int64_t>(std::clamp(cell, -4e18, 4e18));
  };
  const int64_t reach = distance > 0 ? 1 : 0;
  std::unordered_map<Cell, std::vector<int>, HashOfCell> cells;
  std::vector<int> first(positions.size());
  for (std::size_t v = 0; v < positions.size(); ++v) {
    const Vec3d& p = positions[v];
    const Cell own{cell_of(p.x), cell_of(p.y), cell_of(p.z)};
    int found = -1;
    for (int64_t i = -reach; i <= reach; ++i) {
      for (int64_t j = -reach; j <= reach; ++j) {
        for (int64_t k = -reach; k <= reach; ++k) {
          const auto cell = cells.find({own.x + i, own.y + j, own.z + k});
          if (cell == cells.end()) continue;
          for (const int other : cell->second) {
            if (length(positions[index(other)] - p) <= distance && (found < 0 || other < found)) found = other;
          }
        }
      }
    }
    first[v] = found < 0 ? static_cast<int>(v) : found;
    if (found < 0) cells[own].push_back(static_cast<int>(v));
  }
  return first;
}

int64_t count_repeated(const std::vector<Vec3d>& positions) {
  const std::vector<int> first = first_near(positions, 0);
  int64_t repeated = 0;
  for (std::size_t v = 0; v < first.size(); ++v) repeated += index(first[v]) != v;
  return repeated;
}

/// `after(kept)` is told which elements stay.
template <std::size_t N, class After>
int64_t merge_in(std::vector<Vec3d>& positions, std::vector<std::array<int, N>>& elements, double distance,
                 After after) {
  const std::vector<int> first = first_near(positions, distance);
  std::vector<int> number(positions.size());
  std::size_t kept = 0;
  for (std::size_t v = 0; v < positions.size(); ++v) {
    if (index(first[v]) != v) continue;
    number[v] = static_cast<int>(kept);
    positions[kept++] = positions[v];
  }
  const auto gone = static_cast<int64_t>(positions.size() - kept);
  positions.resize(kept);
  std::size_t elements_kept = 0;
  for (std::size_t e = 0; e < elements.size(); ++e) {
    std::array<int, N> element = elements[e];
    bool whole = true;
    for (std::size_t i = 0; i < N; ++i) {
      element[i] = number[index(first[index(element[i])])];
      for (std::size_t j = 0; j < i; ++j) whole = whole && element[j] != element[i];
    }
    if (!whole) continue;
    elements[elements_kept] = element;
    after(e, elements_kept++);
  }
  elements.resize(elements_kept);
  return gone;
}

}  // namespace

void AngleHistogram::add(double smallest_of_element, double largest_of_element) {
  const auto* bin =
      std::find_if(kLimits.begin(), kLimits.end(), [&](double limit) { return smallest_of_element < limit; });
  ++counts[static_cast<std::size_t>(bin - kLimits.begin())];
  smallest = std::min(smallest, smallest_of_element);
  largest = std::max(largest, largest_of_element);
}

TriSurvey survey(const TriMesh& mesh) {
  TriSurvey out;
  constexpr std::array<std::array<int, 2>, 3> kEdges = {{{0, 1}, {1, 2}, {2, 0}}};
  std::vector<Edge> borders;
  std::vector<std::pair<Edge, int>> directed;  // edge with its smaller vertex first, +1 or -1 as it is run through
  for (const Triangle& t : mesh.triangles) {
    for (const auto& [i, j] : kEdges) {
      const int a = t[index(i)], b = t[index(j)];
      directed.push_back({{std::min(a, b), std::max(a, b)}, a < b ? 1 : -1});
    }
    const Vec3d x[3] = {mesh.positions[index(t[0])], mesh.positions[index(t[1])], mesh.positions[index(t[2])]};
    double smallest = 180, largest = 0;
    for (std::size_t i = 0; i < 3; ++i) {
      const double a = angle(x[(i + 1) % 3] - x[i], x[(i + 2) % 3] - x[i]);
      smallest = std::min(smallest, a);
      largest = std::max(largest, a);
    }
    out.angles.add(smallest, largest);
  }
  std::sort(directed.begin(), directed.end());
  for (std::size_t begin = 0; begin < directed.size();) {
    std::size_t end = begin;
    int sum = 0;
    while (end < directed.size() && directed[end].first == directed[begin].first) sum += directed[end++].second;
    if (end - begin == 1) borders.push_back(directed[begin].first);
    if (end - begin == 2 && sum != 0) ++out.opposed_edges;
    if (end - begin > 2) ++out.crowded_edges;
    begin = end;
  }
  out.border_edges = static_cast<int64_t>(borders.size());
  // Borders that hang together are one hole.
  std::unordered_map<int, int> parent;
  const auto root = [&](int v) {
    while (parent.try_emplace(v, v).first->second != v) v = parent[v] = parent[parent[v]];
    return v;
  };
  for (const auto& [a, b] : borders) parent[root(a)] = root(b);
  for (const auto& [v, up] : parent) out.holes += v == up;
  out.repeated_vertices = count_repeated(mesh.positions);
  out.unused_vertices = count_unused(mesh.triangles, mesh.positions.size());
  return out;
}

TetSurvey survey(const TetMesh& mesh) {
  TetSurvey out;
  constexpr double kSliver = 5;  // [degrees]
  for (const Tet& t : mesh.tets) {
    Vec3d x[4], normal[4];
    for (std::size_t i = 0; i < 4; ++i) x[i] = mesh.positions[index(t[i])];
    out.inverted += six_volumes(x[0], x[1], x[2], x[3]) < 0;
    for (std::size_t f = 0; f < 4; ++f) {
      const auto& [a, b, c] = kTetFaces[f];
      normal[f] = double_area_normal(x[index(a)], x[index(b)], x[index(c)]);
    }
    double smallest = 180, largest = 0;
    for (std::size_t i = 0; i < 4; ++i) {
      for (std::size_t j = 0; j < i; ++j) {
        const double inside = 180 - angle(normal[i], normal[j]);  // normals point outward, all or none of them
        smallest = std::min(smallest, inside);
        largest = std::max(largest, inside);
      }
    }
    out.slivers += smallest < kSliver || largest > 180 - kSliver;
    out.angles.add(smallest, largest);
  }
  for_each_run(sorted_facets(std::span<const Tet>(mesh.tets), kTetFaces),
               [&](std::span<const Facet<3>> run) { out.crowded_faces += run.size() > 2; });
  out.repeated_vertices = count_repeated(mesh.positions);
  out.unused_vertices = count_unused(mesh.tets, mesh.positions.size());
  return out;
}

int64_t merge_vertices(TriMesh& mesh, double distance) {
  auto& texture = mesh.texture_coordinates;
  const int64_t gone = merge_in(mesh.positions, mesh.triangles, distance, [&](std::size_t from, std::size_t to) {
    if (!texture.empty()) texture[to] = texture[from];
  });
  if (!texture.empty()) texture.resize(mesh.triangles.size());
  return gone;
}
int64_t merge_vertices(TetMesh& mesh, double distance) {
  return merge_in(mesh.positions, mesh.tets, distance, [](std::size_t, std::size_t) {});
}
int64_t merge_vertices(Curve& mesh, double distance) {
  return merge_in(mesh.positions, mesh.edges, distance, [](std::size_t, std::size_t) {});
}

}  // namespace pliant
