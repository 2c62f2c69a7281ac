// What a simulation needs of a mesh: the checks of repair() (pliant/mesh.h), in the order of its list.
// All thresholds are ratios, so that the unit of length does not matter.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <span>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "mesh/facets.h"
#include "mesh/measure.h"
#include "mesh/topology.h"
#include "pliant/error.h"

namespace pliant {

namespace {

/// Smallest altitude of an element over its longest edge. The state is in float32, where a length
/// carries an error of 6e-8 of itself: an element thinner than 1e-6 of its length has no more than one
/// digit of thickness and cannot keep its orientation.
constexpr double kThinnest = 1e-6;

std::size_t index(int i) { return static_cast<std::size_t>(i); }

void check_positions(const std::vector<Vec3d>& positions, const std::string& name) {
  for (std::size_t v = 0; v < positions.size(); ++v) {
    const auto& [x, y, z] = positions[v];
    if (!std::isfinite(x) || !std::isfinite(y) || !std::isfinite(z)) {
      throw Error(name, fmt::format("the position of vertex {}, ({}, {}, {}), is not finite", v, x, y, z),
                  "give three finite numbers [m]");
    }
  }
}

template <std::size_t N>
void check_indices(const std::vector<std::array<int, N>>& elements, std::size_t vertex_count, const char* kind,
                   const std::string& name) {
  if (elements.empty()) {
    throw Error(name, fmt::format("the mesh has no {}s", kind), "give a mesh with at least one");
  }
  for (std::size_t e = 0; e < elements.size(); ++e) {
    for (std::size_t i = 0; i < N; ++i) {
      const int vertex = elements[e][i];
      if (vertex < 0 || index(vertex) >= vertex_count) {
        throw Error(name, fmt::format("{} {} uses vertex {}, but there are {} vertices", kind, e, vertex, vertex_count),
                    "number vertices from 0");
      }
      for (std::size_t j = 0; j < i; ++j) {
        if (elements[e][j] == vertex) {
          throw Error(name, fmt::format("{} {} uses vertex {} twice", kind, e, vertex), "remove it");
        }
      }
    }
  }
}

template <std::size_t N>
void check_duplicates(const std::vector<std::array<int, N>>& elements, const char* kind, const std::string& name) {
  int64_t original = -1, copy = -1;
  for_each_run(sorted_elements(std::span<const std::array<int, N>>(elements)),
               [&](std::span<const Facet<static_cast<int>(N)>> run) {
                 if (run.size() > 1 && (copy < 0 || run[1].owner < copy)) {
                   original = run[0].owner;
                   copy = run[1].owner;
                 }
               });
  if (copy >= 0) {
    throw Error(name, fmt::format("{} {} has the same vertices as {} {}", kind, copy, kind, original),
                "remove one of the two");
  }
}

/// Corners relative to the first, divided by the largest difference of a coordinate: about 1 in size
/// whatever the unit. Zero where all corners coincide.
template <std::size_t N>
std::array<Vec3d, N> unit_sized(const std::array<int, N>& element, const std::vector<Vec3d>& positions) {
  std::array<Vec3d, N> corners;
  double size = 0;
  for (std::size_t i = 0; i < N; ++i) {
    corners[i] = positions[index(element[i])] - positions[index(element[0])];
    size = std::max({size, std::abs(corners[i].x), std::abs(corners[i].y), std::abs(corners[i].z)});
  }
  if (size > 0) {
    for (Vec3d& corner : corners) corner = corner / size;
  }
  return corners;
}

template <std::size_t N>
double longest_edge(const std::array<Vec3d, N>& corners) {
  double longest = 0;
  for (std::size_t i = 0; i < N; ++i) {
    for (std::size_t j = 0; j < i; ++j) longest = std::max(longest, length(corners[i] - corners[j]));
  }
  return longest;
}

/// Altitude over the longest edge, over that edge: 0.866 for an equilateral triangle.
double thickness(const std::array<Vec3d, 3>& x) {
  const double edge = longest_edge(x);
  return edge > 0 ? length(double_area_normal(x[0], x[1], x[2])) / (edge * edge) : 0;
}

/// Altitude over the largest face, over the longest edge, with the volume's sign: 0.816 for a regular tet.
double thickness(const std::array<Vec3d, 4>& x) {
  double largest_face = 0;
  for (const auto& [a, b, c] : kTetFaces) {
    largest_face = std::max(largest_face, length(double_area_normal(x[index(a)], x[index(b)], x[index(c)])));
  }
  return largest_face > 0 ? six_volumes(x[0], x[1], x[2], x[3]) / (largest_face * longest_edge(x)) : 0;
}

[[noreturn]] void throw_too_thin(const std::string& name, const char* kind, std::size_t element, const char* measure,
                                 double ratio) {
  throw Error(name,
              fmt::format("{} {} has no {} (its height is {:.2g} of its longest edge)", kind, element, measure,
                          std::abs(ratio)),
              "remove it or move its vertices apart");
}

/// Gives all triangles of a piece the side outward that most of them have (that of the first one where
/// both sides have equally many). A piece with one side only, like a Moebius strip, is left as it is.
int rewind_inconsistent(TriMesh& mesh) {
  const std::size_t count = mesh.triangles.size();
  // Union-find over triangles. against[t]: t faces the other way than its parent.
  std::vector<int> parent(count);
  std::vector<char> against(count, 0), one_sided(count, 0);
  std::iota(parent.begin(), parent.end(), 0);
  const auto flatten = [&](int t) {  // makes t's parent its root
    int root = t, parity = 0;
    while (parent[index(root)] != root) {
      parity ^= against[index(root)];
      root = parent[index(root)];
    }
    while (t != root) {
      const int next = parent[index(t)], own = against[index(t)];
      parent[index(t)] = root;
      against[index(t)] = static_cast<char>(parity);
      parity ^= own;
      t = next;
    }
    return root;
  };
  for (const TrianglePair& pair : neighbours_of(mesh.triangles)) {
    const int a = flatten(pair.triangle0), b = flatten(pair.triangle1);
    const bool opposed = (against[index(pair.triangle0)] ^ against[index(pair.triangle1)]) != 0;
    const bool must_be_opposed = !pair.consistent;
    if (a == b) {
      if (opposed != must_be_opposed) one_sided[index(a)] = 1;
      continue;
    }
    const int root = std::min(a, b), child = std::max(a, b);
    parent[index(child)] = root;
    against[index(child)] = opposed != must_be_opposed;
    one_sided[index(root)] |= one_sided[index(child)];
  }
  std::vector<int> balance(count, 0);  // of each root: triangles with it minus triangles against it
  for (std::size_t t = 0; t < count; ++t) {
    const int root = flatten(static_cast<int>(t));
    balance[index(root)] += against[t] ? -1 : 1;
  }
  int rewound = 0;
  for (std::size_t t = 0; t < count; ++t) {
    const std::size_t root = index(parent[t]);
    const bool minority = (against[t] != 0) == (balance[root] >= 0);
    if (one_sided[root] || !minority) continue;
    std::swap(mesh.triangles[t][1], mesh.triangles[t][2]);
    if (!mesh.texture_coordinates.empty()) {
      std::swap(mesh.texture_coordinates[t][1], mesh.texture_coordinates[t][2]);
    }
    ++rewound;
  }
  return rewound;
}

}  // namespace

int repair(TetMesh& mesh, const std::string& name) {
  check_indices(mesh.tets, mesh.positions.size(), "tet", name);
  check_positions(mesh.positions, name);
  check_duplicates(mesh.tets, "tet", name);
  int rewound = 0;
  for (std::size_t t = 0; t < mesh.tets.size(); ++t) {
    const double ratio = thickness(unit_sized(mesh.tets[t], mesh.positions));
    if (!(std::abs(ratio) > kThinnest)) throw_too_thin(name, "tet", t, "volume", ratio);
    if (ratio < 0) {
      std::swap(mesh.tets[t][2], mesh.tets[t][3]);
      ++rewound;
    }
  }
  for_each_run(sorted_facets(std::span<const Tet>(mesh.tets), kTetFaces), [&](std::span<const Facet<3>> run) {
    if (run.size() > 2) {
      throw Error(name,
                  fmt::format("{} tets share face {}-{}-{} ({}, {}, {}{})", run.size(), run[0].vertices[0],
                              run[0].vertices[1], run[0].vertices[2], run[0].owner / 4, run[1].owner / 4,
                              run[2].owner / 4, run.size() > 3 ? ", ..." : ""),
                  "a face has at most two: tets overlap; remove the others");
    }
  });
  return rewound;
}

int repair(TriMesh& mesh, const std::string& name) {
  check_indices(mesh.triangles, mesh.positions.size(), "triangle", name);
  check_positions(mesh.positions, name);
  check_duplicates(mesh.triangles, "triangle", name);
  if (!mesh.texture_coordinates.empty() && mesh.texture_coordinates.size() != mesh.triangles.size()) {
    throw Error(name,
                fmt::format("there are texture coordinates for {} triangles, but {} triangles",
                            mesh.texture_coordinates.size(), mesh.triangles.size()),
                "give them for the corners of every triangle, or for none");
  }
  for (std::size_t t = 0; t < mesh.triangles.size(); ++t) {
    const double ratio = thickness(unit_sized(mesh.triangles[t], mesh.positions));
    if (!(ratio > kThinnest)) throw_too_thin(name, "triangle", t, "area", ratio);
  }
  try {
    return rewind_inconsistent(mesh);
  } catch (const Error& error) {
    throw Error(name, error.where() + ": " + error.problem(), error.remedy());
  }
}

int repair(Curve& mesh, const std::string& name) {
  check_indices(mesh.edges, mesh.positions.size(), "segment", name);
  check_positions(mesh.positions, name);
  check_duplicates(mesh.edges, "segment", name);
  // A segment has no other size to compare with than that of its neighbours.
  double longest = 0;
  std::vector<double> lengths;
  lengths.reserve(mesh.edges.size());
  for (const auto& [a, b] : mesh.edges) {
    const Vec3d d = mesh.positions[index(b)] - mesh.positions[index(a)];
    lengths.push_back(std::hypot(d.x, d.y, d.z));  // no overflow of squares
    longest = std::max(longest, lengths.back());
  }
  for (std::size_t e = 0; e < lengths.size(); ++e) {
    if (lengths[e] > kThinnest * longest) continue;
    throw Error(
        name, fmt::format("segment {} has no length ({:.2g} m; the longest one has {:.2g} m)", e, lengths[e], longest),
        "remove it or move its ends apart");
  }
  return 0;
}

}  // namespace pliant
