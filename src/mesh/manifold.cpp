#include "mesh/manifold.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

#include "mesh/facets.h"
#include "mesh/measure.h"
#include "mesh/topology.h"

namespace pliant {

namespace {

std::size_t index(int64_t i) { return static_cast<std::size_t>(i); }

/// Union-find; the root is the lowest number.
class Sets {
 public:
  explicit Sets(std::size_t count) : parent_(count) { std::iota(parent_.begin(), parent_.end(), 0); }
  int root(int i) {
    while (parent_[index(i)] != i) i = parent_[index(i)] = parent_[index(parent_[index(i)])];
    return i;
  }
  void join(int a, int b) {
    a = root(a);
    b = root(b);
    parent_[index(std::max(a, b))] = std::min(a, b);
  }

 private:
  std::vector<int> parent_;
};

double volume_of(const TetMesh& mesh, const Tet& t) {
  const auto at = [&](int v) -> const Vec3d& { return mesh.positions[index(v)]; };
  return six_volumes(at(t[0]), at(t[1]), at(t[2]), at(t[3])) / 6;
}

void keep_tets(TetMesh& mesh, const std::vector<char>& keep) {
  std::size_t kept = 0;
  for (std::size_t t = 0; t < mesh.tets.size(); ++t) {
    if (keep[t]) mesh.tets[kept++] = mesh.tets[t];
  }
  mesh.tets.resize(kept);
}

void remove_crumbs(TetMesh& mesh, double smallest_volume, ManifoldReport& report) {
  const FacePieces pieces = face_pieces(mesh);
  if (pieces.count < 2) return;
  std::vector<double> volumes(index(pieces.count), 0);
  for (std::size_t t = 0; t < mesh.tets.size(); ++t) volumes[index(pieces.of_tet[t])] += volume_of(mesh, mesh.tets[t]);
  const double largest = *std::max_element(volumes.begin(), volumes.end());
  std::vector<char> keep(mesh.tets.size());
  for (std::size_t t = 0; t < mesh.tets.size(); ++t) {
    const double volume = volumes[index(pieces.of_tet[t])];
    keep[t] = volume >= smallest_volume || volume == largest;
  }
  for (const double volume : volumes) {
    if (volume >= smallest_volume || volume == largest) continue;
    ++report.crumbs;
    report.crumb_volume += volume;
  }
  keep_tets(mesh, keep);
}

/// At an edge with four or more boundary triangles the tets around it form several fans. Only the one of most
/// volume stays. Returns how many tets went.
int thin_out_edges(TetMesh& mesh) {
  const std::vector<Triangle> surface = surface_of(mesh);
  std::vector<Edge> bad;
  for_each_run(sorted_facets(std::span<const Triangle>(surface), kTriangleEdges), [&](std::span<const Facet<2>> run) {
    if (run.size() > 2) bad.push_back({run[0].vertices[0], run[0].vertices[1]});
  });
  if (bad.empty()) return 0;
  const Adjacency around = vertex_to_element(mesh.tets, static_cast<int>(mesh.positions.size()));
  std::vector<char> keep(mesh.tets.size(), 1);
  const auto has = [&](int tet, int vertex) {
    const Tet& t = mesh.tets[index(tet)];
    return std::find(t.begin(), t.end(), vertex) != t.end();
  };
  for (const Edge& edge : bad) {
    std::vector<int> tets;
    for (const int t : around.of(edge[0])) {
      if (keep[index(t)] && has(t, edge[1])) tets.push_back(t);
    }
    // Two tets of the edge are neighbours in its fan when they share a third vertex.
    Sets fans(tets.size());
    for (std::size_t i = 0; i < tets.size(); ++i) {
      for (std::size_t j = 0; j < i; ++j) {
        for (const int v : mesh.tets[index(tets[i])]) {
          if (v != edge[0] && v != edge[1] && has(tets[j], v)) fans.join(static_cast<int>(i), static_cast<int>(j));
        }
      }
    }
    std::vector<double> volumes(tets.size(), 0);
    for (std::size_t i = 0; i < tets.size(); ++i) {
      volumes[index(fans.root(static_cast<int>(i)))] += volume_of(mesh, mesh.tets[index(tets[i])]);
    }
    const auto largest = std::max_element(volumes.begin(), volumes.end()) - volumes.begin();
    for (std::size_t i = 0; i < tets.size(); ++i) {
      if (fans.root(static_cast<int>(i)) != largest) keep[index(tets[i])] = 0;
    }
  }
  const auto removed = std::count(keep.begin(), keep.end(), 0);
  keep_tets(mesh, keep);
  return static_cast<int>(removed);
}

/// Gives each group of tets that is connected around a vertex through faces a vertex of its own.
int split_vertices(TetMesh& mesh) {
  const std::size_t count = mesh.positions.size();
  const Adjacency around = vertex_to_element(mesh.tets, static_cast<int>(count));
  // Corner i of tet t is 4 t + i. Corners at the same vertex are one when their tets share a face there.
  Sets corners(4 * mesh.tets.size());
  for_each_run(sorted_facets(std::span<const Tet>(mesh.tets), kTetFaces), [&](std::span<const Facet<3>> run) {
    if (run.size() != 2) return;
    const int64_t a = run[0].owner / 4, b = run[1].owner / 4;
    for (const int vertex : run[0].vertices) {
      const auto corner = [&](int64_t tet) {
        const Tet& t = mesh.tets[index(tet)];
        return static_cast<int>(4 * tet + (std::find(t.begin(), t.end(), vertex) - t.begin()));
      };
      corners.join(corner(a), corner(b));
    }
  });
  int split = 0;
  std::vector<int> number(4 * mesh.tets.size(), -1);  // of each root: its vertex
  for (std::size_t v = 0; v < count; ++v) {
    bool first = true;
    for (const int t : around.of(static_cast<int>(v))) {
      Tet& tet = mesh.tets[index(t)];
      const auto i = std::find(tet.begin(), tet.end(), static_cast<int>(v)) - tet.begin();
      int& own = number[index(corners.root(static_cast<int>(4 * t + i)))];
      if (own < 0) {
        own = first ? static_cast<int>(v) : static_cast<int>(mesh.positions.size());
        if (!first) {
          mesh.positions.push_back(mesh.positions[v]);
          ++split;
        }
        first = false;
      }
      tet[index(i)] = own;
    }
  }
  return split;
}

}  // namespace

FacePieces face_pieces(const TetMesh& mesh) {
  Sets sets(mesh.tets.size());
  for_each_run(sorted_facets(std::span<const Tet>(mesh.tets), kTetFaces), [&](std::span<const Facet<3>> run) {
    for (std::size_t i = 1; i < run.size(); ++i) {
      sets.join(static_cast<int>(run[0].owner / 4), static_cast<int>(run[i].owner / 4));
    }
  });
  FacePieces pieces;
  pieces.of_tet.resize(mesh.tets.size());
  for (std::size_t t = 0; t < mesh.tets.size(); ++t) {
    const int root = sets.root(static_cast<int>(t));  // not above t
    pieces.of_tet[t] = root == static_cast<int>(t) ? pieces.count++ : pieces.of_tet[index(root)];
  }
  return pieces;
}

void drop_unused_vertices(TetMesh& mesh) {
  std::vector<int> number(mesh.positions.size(), -1);
  for (const Tet& tet : mesh.tets) {
    for (const int v : tet) number[index(v)] = 0;
  }
  std::size_t kept = 0;
  for (std::size_t v = 0; v < number.size(); ++v) {
    if (number[v] < 0) continue;
    number[v] = static_cast<int>(kept);
    mesh.positions[kept++] = mesh.positions[v];
  }
  mesh.positions.resize(kept);
  for (Tet& tet : mesh.tets) {
    for (int& v : tet) v = number[index(v)];
  }
}

ManifoldReport make_manifold(TetMesh& mesh, double smallest_volume) {
  ManifoldReport report;
  // Removing tets can make new bad edges; each round removes at least one tet, and few places need a second.
  while (true) {
    remove_crumbs(mesh, smallest_volume, report);
    report.split_vertices += split_vertices(mesh);
    const int removed = thin_out_edges(mesh);
    if (removed == 0) break;
    report.removed_tets += removed;
  }
  drop_unused_vertices(mesh);
  return report;
}

}  // namespace pliant
