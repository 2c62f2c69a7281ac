#pragma once
// The mesh formats behind mesh_reader.h: bytes in, mesh out, one file each. `file` is for messages.

#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "pliant/mesh.h"

namespace pliant {

/// What a file can hold; any of them may be empty.
struct MeshParts {
  std::vector<Vec3d> positions;
  std::vector<Triangle> triangles;
  std::vector<Edge> edges;
  std::vector<Tet> tets{};
  std::vector<std::array<Vec2d, 3>> texture_coordinates{};  // of all triangles, or of none
  std::vector<std::string> notes{};                         // what was left out, for a person
};

MeshParts parse_obj(std::string_view text, const std::string& file);
MeshParts parse_ply(std::string_view bytes, const std::string& file);
MeshParts parse_off(std::string_view text, const std::string& file);
MeshParts parse_stl(std::string_view bytes, const std::string& file);
/// Gmsh's .msh, version 2.2 or 4.1, text or binary.
MeshParts parse_gmsh(std::string_view bytes, const std::string& file);
/// VTK's legacy files with an unstructured grid or polygons, text or binary.
MeshParts parse_vtk(std::string_view bytes, const std::string& file);
/// VTK's XML files with an unstructured grid or polygons (.vtu, .vtp).
MeshParts parse_vtu(std::string_view bytes, const std::string& file);
/// glTF 2.0, as JSON (.gltf) or with its buffer (.glb). `read_beside` gives the bytes of another file that it names.
MeshParts parse_gltf(std::string_view bytes, const std::string& file,
                     const std::function<std::string(const std::string&)>& read_beside);
TetMesh parse_tetgen(std::string_view nodes, const std::string& node_file, std::string_view elements,
                     const std::string& element_file);

/// Cuts a polygon into triangles of its own winding: along the shorter diagonal where it has four
/// corners and both will do, by ears where it has more; concave ones too. Throws Error (where = `where`)
/// for fewer than three corners, and for a concave polygon with very many.
void add_polygon(const std::vector<int>& corners, const std::vector<Vec3d>& positions, const std::string& where,
                 std::vector<Triangle>& triangles);

}  // namespace pliant
