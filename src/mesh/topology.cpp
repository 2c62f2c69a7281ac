#include "mesh/topology.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <string>
#include <utility>

#include "core/assert.h"
#include "mesh/facets.h"
#include "mesh/measure.h"
#include "pliant/error.h"

namespace pliant {

namespace {

template <int N>
std::vector<Edge> unique_edges(const std::vector<Facet<N>>& edges) {
  std::vector<Edge> unique;
  for_each_run(edges, [&](std::span<const Facet<N>> run) { unique.push_back(run[0].vertices); });
  unique.shrink_to_fit();  // it is kept as long as its body
  return unique;
}

std::size_t index(int i) { return static_cast<std::size_t>(i); }

/// Where a triangle's numbered edge starts and ends, in the direction of its winding.
struct DirectedEdge {
  int triangle, from, to, opposite;
};

DirectedEdge directed_edge(std::span<const Triangle> triangles, int64_t owner) {
  const auto triangle = static_cast<int>(owner / 3);
  const auto local = static_cast<std::size_t>(owner % 3);
  const Triangle& t = triangles[index(triangle)];
  return {triangle, t[local], t[(local + 1) % 3], t[(local + 2) % 3]};
}

/// Calls visit(first, second) for each edge with two triangles.
template <class Visit>
void for_each_interior_edge(std::span<const Triangle> triangles, Visit visit) {
  for_each_run(sorted_facets(triangles, kTriangleEdges), [&](std::span<const Facet<2>> run) {
    if (run.size() > 2) {
      std::string numbers;
      for (std::size_t i = 0; i < std::min<std::size_t>(run.size(), 4); ++i) {
        numbers += (i == 0 ? "" : ", ") + std::to_string(run[i].owner / 3);
      }
      if (run.size() > 4) numbers += ", ...";
      throw Error("edge " + std::to_string(run[0].vertices[0]) + "-" + std::to_string(run[0].vertices[1]),
                  std::to_string(run.size()) + " triangles share it (" + numbers + ")",
                  "a surface has at most two at an edge: remove the others or double the edge's vertices");
    }
    if (run.size() == 2) visit(directed_edge(triangles, run[0].owner), directed_edge(triangles, run[1].owner));
  });
}

template <std::size_t N>
Adjacency adjacency(std::span<const std::array<int, N>> elements, int vertex_count) {
  Adjacency result;
  result.offsets.assign(index(vertex_count) + 1, 0);
  for (const auto& element : elements) {
    for (const int vertex : element) ++result.offsets[index(vertex) + 1];
  }
  std::partial_sum(result.offsets.begin(), result.offsets.end(), result.offsets.begin());
  result.elements.resize(elements.size() * N);
  std::vector<int> next(result.offsets.begin(), result.offsets.end() - 1);
  for (std::size_t e = 0; e < elements.size(); ++e) {
    for (const int vertex : elements[e]) result.elements[index(next[index(vertex)]++)] = static_cast<int>(e);
  }
  return result;
}

double measure(const Edge& e, std::span<const Vec3d> x) { return length(x[index(e[1])] - x[index(e[0])]); }
double measure(const Triangle& t, std::span<const Vec3d> x) {
  return length(double_area_normal(x[index(t[0])], x[index(t[1])], x[index(t[2])])) / 2;
}
double measure(const Tet& t, std::span<const Vec3d> x) {
  return six_volumes(x[index(t[0])], x[index(t[1])], x[index(t[2])], x[index(t[3])]) / 6;
}

template <std::size_t N>
std::vector<double> vertex_masses(std::span<const std::array<int, N>> elements, std::span<const Vec3d> positions,
                                  double density, const char* kind) {
  std::vector<double> masses(positions.size(), 0.0);
  std::vector<char> used(positions.size(), 0);
  for (const auto& element : elements) {
    const double share = density * measure(element, positions) / static_cast<double>(N);
    for (const int vertex : element) {
      masses[index(vertex)] += share;
      used[index(vertex)] = 1;
    }
  }
  for (std::size_t v = 0; v < used.size(); ++v) {
    if (!used[v]) {
      throw Error("vertex " + std::to_string(v), std::string("belongs to no ") + kind + ", so it has no mass",
                  "remove it from the mesh");
    }
  }
  return masses;
}

template <std::size_t N>
Components components(std::span<const std::array<int, N>> elements, int vertex_count) {
  // Union-find in which the lowest vertex of a piece is its root; paths are halved on the way.
  std::vector<int> parent(index(vertex_count));
  std::iota(parent.begin(), parent.end(), 0);
  const auto root = [&](int v) {
    while (parent[index(v)] != v) v = parent[index(v)] = parent[index(parent[index(v)])];
    return v;
  };
  for (const auto& element : elements) {
    for (std::size_t i = 1; i < N; ++i) {
      const int a = root(element[0]), b = root(element[i]);
      parent[index(std::max(a, b))] = std::min(a, b);
    }
  }
  Components result;
  result.of_vertex.resize(index(vertex_count));
  for (int v = 0; v < vertex_count; ++v) {
    const int r = root(v);
    result.of_vertex[index(v)] = r == v ? result.count++ : result.of_vertex[index(r)];
  }
  return result;
}

/// Weights of the point of the triangle nearest to p: inside where p projects into the triangle, else
/// on the nearest of the three edges.
std::array<double, 3> nearest_weights(const Vec3d& p, const std::array<Vec3d, 3>& corner) {
  const Vec3d normal = double_area_normal(corner[0], corner[1], corner[2]);
  const double normal_squared = dot(normal, normal);
  if (normal_squared > 0) {
    std::array<double, 3> weights;
    for (std::size_t i = 0; i < 3; ++i) {
      const Vec3d& from = corner[(i + 1) % 3];
      weights[i] = dot(normal, cross(corner[(i + 2) % 3] - from, p - from)) / normal_squared;
    }
    if (weights[0] >= 0 && weights[1] >= 0 && weights[2] >= 0) {
      const double sum = weights[0] + weights[1] + weights[2];  // one up to rounding
      return {weights[0] / sum, weights[1] / sum, weights[2] / sum};
    }
  }
  std::array<double, 3> best{1, 0, 0};
  double best_squared = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < 3; ++i) {
    const std::size_t j = (i + 1) % 3;
    const Vec3d along = corner[j] - corner[i];
    const double along_squared = dot(along, along);
    const double t = along_squared > 0 ? std::clamp(dot(p - corner[i], along) / along_squared, 0.0, 1.0) : 0.0;
    const double squared = length_squared(p - mul_add(along, t, corner[i]));
    if (squared < best_squared) {
      best_squared = squared;
      best = {0, 0, 0};
      best[i] = 1 - t;
      best[j] = t;
    }
  }
  return best;
}

/// Fills position and distance from corners and weights.
void place(MeshPoint& at, std::span<const Vec3d> positions, const Vec3d& point) {
  // Relative to the first corner: no digits are lost far from the origin.
  const Vec3d origin = positions[index(at.corners[0])];
  Vec3d offset{};
  for (int i = 1; i < at.corner_count; ++i) {
    offset += (positions[index(at.corners[index(i)])] - origin) * at.weights[index(i)];
  }
  at.position = origin + offset;
  at.distance = length(point - at.position);
}

MeshPoint nearest_on(const Triangle& t, std::span<const Vec3d> positions, const Vec3d& point) {
  MeshPoint at{.corner_count = 3, .corners = {t[0], t[1], t[2], -1}};
  const auto w = nearest_weights(point, {positions[index(t[0])], positions[index(t[1])], positions[index(t[2])]});
  std::copy(w.begin(), w.end(), at.weights.begin());
  place(at, positions, point);
  return at;
}

MeshPoint nearest_on(const Tet& t, std::span<const Vec3d> positions, const Vec3d& point) {
  std::array<Vec3d, 4> x;
  for (std::size_t i = 0; i < 4; ++i) x[i] = positions[index(t[i])];
  MeshPoint best{.corner_count = 4, .corners = t};
  // The weight of a corner is the volume that the point spans with the opposite face, over the whole.
  const double whole = six_volumes(x[0], x[1], x[2], x[3]);
  bool inside = whole != 0;
  for (std::size_t i = 0; i < 4 && inside; ++i) {
    const auto& face = kTetFaces[i];
    // Outward faces: the corner lies behind them, where the spanned volume counts as negative.
    best.weights[i] = -six_volumes(x[index(face[0])], x[index(face[1])], x[index(face[2])], point) / whole;
    inside = best.weights[i] >= 0;
  }
  if (inside) {
    const double sum = best.weights[0] + best.weights[1] + best.weights[2] + best.weights[3];
    for (double& w : best.weights) w /= sum;
    best.position = point;
    best.distance = 0;
    return best;
  }
  best.distance = std::numeric_limits<double>::infinity();
  for (const auto& face : kTetFaces) {
    const auto w = nearest_weights(point, {x[index(face[0])], x[index(face[1])], x[index(face[2])]});
    MeshPoint at{.corner_count = 4, .corners = t};
    for (std::size_t i = 0; i < 3; ++i) at.weights[index(face[i])] = w[i];
    place(at, positions, point);
    if (at.distance < best.distance) best = at;
  }
  return best;
}

template <std::size_t N>
MeshPoint nearest_of_all(std::span<const std::array<int, N>> elements, std::span<const Vec3d> positions,
                         const Vec3d& point) {
  PLIANT_CHECK(!elements.empty(), "ask for the nearest point of a mesh that has elements");
  MeshPoint best;
  for (std::size_t e = 0; e < elements.size(); ++e) {
    MeshPoint at = nearest_on(elements[e], positions, point);
    at.element = static_cast<int>(e);
    if (e == 0 || at.distance < best.distance) best = at;
  }
  return best;
}

}  // namespace

std::vector<Edge> edges_of(std::span<const Triangle> triangles) {
  return unique_edges(sorted_facets(triangles, kTriangleEdges));
}
std::vector<Edge> edges_of(std::span<const Tet> tets) { return unique_edges(sorted_facets(tets, kTetEdges)); }

std::vector<Hinge> hinges_of(std::span<const Triangle> triangles) {
  std::vector<Hinge> hinges;
  for_each_interior_edge(triangles, [&](const DirectedEdge& first, const DirectedEdge& second) {
    hinges.push_back({first.from, first.to, first.opposite, second.opposite});
  });
  return hinges;
}

std::vector<TrianglePair> neighbours_of(std::span<const Triangle> triangles) {
  std::vector<TrianglePair> pairs;
  for_each_interior_edge(triangles, [&](const DirectedEdge& first, const DirectedEdge& second) {
    pairs.push_back({{first.from, first.to}, first.triangle, second.triangle, first.from == second.to});
  });
  return pairs;
}

Adjacency vertex_to_element(std::span<const Edge> edges, int vertex_count) { return adjacency(edges, vertex_count); }
Adjacency vertex_to_element(std::span<const Triangle> triangles, int vertex_count) {
  return adjacency(triangles, vertex_count);
}
Adjacency vertex_to_element(std::span<const Tet> tets, int vertex_count) { return adjacency(tets, vertex_count); }

std::vector<double> lumped_masses(std::span<const Edge> edges, std::span<const Vec3d> positions, double density) {
  return vertex_masses(edges, positions, density, "segment");
}
std::vector<double> lumped_masses(std::span<const Triangle> triangles, std::span<const Vec3d> positions,
                                  double density) {
  return vertex_masses(triangles, positions, density, "triangle");
}
std::vector<double> lumped_masses(std::span<const Tet> tets, std::span<const Vec3d> positions, double density) {
  return vertex_masses(tets, positions, density, "tet");
}

Components connected_components(std::span<const Edge> edges, int vertex_count) {
  return components(edges, vertex_count);
}
Components connected_components(std::span<const Triangle> triangles, int vertex_count) {
  return components(triangles, vertex_count);
}
Components connected_components(std::span<const Tet> tets, int vertex_count) { return components(tets, vertex_count); }

MeshPoint nearest_point_on(std::span<const Triangle> triangles, std::span<const Vec3d> positions, Vec3d point) {
  return nearest_of_all(triangles, positions, point);
}
MeshPoint nearest_point_on(std::span<const Tet> tets, std::span<const Vec3d> positions, Vec3d point) {
  return nearest_of_all(tets, positions, point);
}

int euler_characteristic(std::span<const Triangle> triangles) {
  std::vector<char> used(vertex_bound(triangles), 0);
  for (const Triangle& t : triangles) {
    for (const int vertex : t) used[index(vertex)] = 1;
  }
  const auto vertices = std::count(used.begin(), used.end(), 1);
  return static_cast<int>(vertices - std::ssize(edges_of(triangles)) + std::ssize(triangles));
}

bool is_closed(std::span<const Triangle> triangles) {
  bool closed = !triangles.empty();
  for_each_run(sorted_facets(triangles, kTriangleEdges), [&](std::span<const Facet<2>> run) {
    closed = closed && run.size() == 2 &&
             directed_edge(triangles, run[0].owner).from == directed_edge(triangles, run[1].owner).to;
  });
  return closed;
}

int rewind_inverted(TetMesh& mesh) {
  int rewound = 0;
  for (Tet& tet : mesh.tets) {
    if (measure(tet, mesh.positions) < 0) {
      std::swap(tet[2], tet[3]);
      ++rewound;
    }
  }
  return rewound;
}

}  // namespace pliant
