#pragma once
// Meshes from files, format by the name's ending. What comes back has finite positions and vertex
// numbers in range; whether it can be simulated is for repair() to say. Vertices keep the file's order
// and number, also those that no element uses. Mistakes in a file throw Error with file and line.

#include <string>

#include "pliant/mesh.h"

namespace pliant {

/// .obj, .ply, .off, .stl. Polygons are cut into triangles.
TriMesh read_tri_mesh(const std::string& path);

/// TetGen's pair of files: give x.ele or x.node, and the other one is read beside it. Tets are wound
/// to positive volume.
TetMesh read_tet_mesh(const std::string& path);

/// .obj with "l" lines, .ply with edges.
Curve read_curve(const std::string& path);

}  // namespace pliant
