#include "io/cells.h"

#include <utility>

#include <fmt/format.h>

#include "pliant/error.h"

namespace pliant {

namespace {

template <std::size_t N>
int64_t drop_unused_of(std::vector<Vec3d>& positions, std::vector<std::array<int, N>>& elements) {
  std::vector<int> number(positions.size(), -1);
  for (const auto& element : elements) {
    for (const int v : element) number[static_cast<std::size_t>(v)] = 0;
  }
  std::size_t kept = 0;
  for (std::size_t v = 0; v < positions.size(); ++v) {
    if (number[v] < 0) continue;
    number[v] = static_cast<int>(kept);
    positions[kept++] = positions[v];
  }
  const auto dropped = static_cast<int64_t>(positions.size() - kept);
  positions.resize(kept);
  for (auto& element : elements) {
    for (int& v : element) v = number[static_cast<std::size_t>(v)];
  }
  return dropped;
}

/// Nodes that a cell of this kind needs at least.
std::size_t fewest_nodes(CellKind kind) {
  switch (kind) {
    case CellKind::tet:
    case CellKind::pixel:
      return 4;
    case CellKind::polygon:
    case CellKind::triangle:
    case CellKind::strip:
      return 3;
    case CellKind::line:
    case CellKind::polyline:
      return 2;
    case CellKind::unsupported:
      return 0;
  }
  return 0;
}

}  // namespace

int64_t drop_unused(std::vector<Vec3d>& positions, std::vector<Tet>& e) { return drop_unused_of(positions, e); }
int64_t drop_unused(std::vector<Vec3d>& positions, std::vector<Triangle>& e) { return drop_unused_of(positions, e); }
int64_t drop_unused(std::vector<Vec3d>& positions, std::vector<Edge>& e) { return drop_unused_of(positions, e); }

void CellCollector::add(CellKind kind, const char* name, std::span<const int64_t> nodes, std::size_t position_count) {
  const int64_t number = cells_++;
  if (kind == CellKind::unsupported) {
    ++skipped_[name];
    return;
  }
  if (nodes.size() < fewest_nodes(kind)) {
    throw Error(fmt::format("{}: cell {}", file_, number), fmt::format("a {} with {} nodes", name, nodes.size()),
                "give all of its nodes");
  }
  std::vector<int> v;
  v.reserve(nodes.size());
  for (const int64_t node : nodes) {
    if (node < 0 || node >= static_cast<int64_t>(position_count)) {
      throw Error(fmt::format("{}: cell {}", file_, number),
                  fmt::format("node {} does not exist; there are {}", node, position_count), "correct it");
    }
    v.push_back(static_cast<int>(node));
  }
  switch (kind) {
    case CellKind::tet:
      parts_.tets.push_back({v[0], v[1], v[2], v[3]});
      break;
    case CellKind::triangle:
      parts_.triangles.push_back({v[0], v[1], v[2]});
      break;
    case CellKind::pixel:
      polygons_.push_back({v[0], v[1], v[3], v[2]});
      break;
    case CellKind::polygon:
      polygons_.push_back(std::move(v));
      break;
    case CellKind::strip:
      for (std::size_t i = 2; i < v.size(); ++i) {
        parts_.triangles.push_back(i % 2 == 0 ? Triangle{v[i - 2], v[i - 1], v[i]}
                                              : Triangle{v[i - 1], v[i - 2], v[i]});
      }
      break;
    case CellKind::line:
      parts_.edges.push_back({v[0], v[1]});
      break;
    case CellKind::polyline:
      for (std::size_t i = 1; i < v.size(); ++i) parts_.edges.push_back({v[i - 1], v[i]});
      break;
    case CellKind::unsupported:
      break;
  }
}

MeshParts CellCollector::finish(std::vector<Vec3d> positions) {
  parts_.positions = std::move(positions);
  for (std::size_t p = 0; p < polygons_.size(); ++p) {
    add_polygon(polygons_[p], parts_.positions, fmt::format("{}: polygon {}", file_, p), parts_.triangles);
  }
  for (const auto& [name, count] : skipped_) {
    parts_.notes.push_back(
        fmt::format("{}: {} cells of type {} were skipped; tets, triangles and lines are read", file_, count, name));
  }
  return std::move(parts_);
}

}  // namespace pliant
