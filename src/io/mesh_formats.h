#pragma once
// The mesh formats behind mesh_reader.h: bytes in, mesh out, one file each. `file` is for messages.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "pliant/mesh.h"

namespace pliant {

/// What a file of surfaces and lines can hold; triangles or edges may be empty.
struct MeshParts {
  std::vector<Vec3d> positions;
  std::vector<Triangle> triangles;
  std::vector<Edge> edges;
};

MeshParts parse_obj(std::string_view text, const std::string& file);
MeshParts parse_ply(std::string_view bytes, const std::string& file);
MeshParts parse_off(std::string_view text, const std::string& file);
MeshParts parse_stl(std::string_view bytes, const std::string& file);
TetMesh parse_tetgen(std::string_view nodes, const std::string& node_file, std::string_view elements,
                     const std::string& element_file);

/// Cuts a polygon into triangles of its own winding: along the shorter diagonal where it has four
/// corners and both will do, by ears where it has more; concave ones too. Throws Error (where = `where`)
/// for fewer than three corners, and for a concave polygon with very many.
void add_polygon(const std::vector<int>& corners, const std::vector<Vec3d>& positions, const std::string& where,
                 std::vector<Triangle>& triangles);

}  // namespace pliant
