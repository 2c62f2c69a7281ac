#pragma once
// The elements of a file that may mix all kinds: tets, triangles and lines are taken, others counted by name.

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "io/mesh_formats.h"

namespace pliant {

/// What an element becomes. Elements of second order come with their corners first.
enum class CellKind {
  tet,          // of the first four nodes
  polygon,      // of all nodes, in order around it
  triangle,     // of the first three nodes
  line,         // of the first two nodes
  polyline,     // of all nodes
  strip,        // of triangles
  pixel,        // a quad whose last two nodes are exchanged
  unsupported,  // named and skipped
};

class CellCollector {
 public:
  /// `file` is for messages.
  explicit CellCollector(std::string file) : file_(std::move(file)) {}

  /// Nodes are numbers of positions. `name` is for messages: "hexahedron". Throws Error where a node does not exist.
  void add(CellKind kind, const char* name, std::span<const int64_t> nodes, std::size_t position_count);

  /// What was taken, and a note for each kind that was not.
  MeshParts finish(std::vector<Vec3d> positions);

 private:
  std::string file_;
  int64_t cells_ = 0;
  MeshParts parts_;
  std::vector<std::vector<int>> polygons_;  // cut when positions are known
  std::map<std::string, int64_t> skipped_;
};

/// Leaves out positions that no element uses, and renumbers the elements; returns how many there were.
int64_t drop_unused(std::vector<Vec3d>& positions, std::vector<Tet>& elements);
int64_t drop_unused(std::vector<Vec3d>& positions, std::vector<Triangle>& elements);
int64_t drop_unused(std::vector<Vec3d>& positions, std::vector<Edge>& elements);

}  // namespace pliant
