#pragma once
// Meshes from files, format by the name's ending. What comes back has finite positions and vertex
// numbers in range; whether it can be simulated is for repair() to say. Mistakes in a file throw Error with file and
// place.
//
// Vertices keep the file's order and number, with two exceptions: .stl and glTF, which repeat vertices, have those at
// equal places once; .msh, .vtk and .vtu, which mix elements of all kinds, have those only that the wanted kind uses.

#include <string>
#include <vector>

#include "pliant/mesh.h"

namespace pliant {

// `notes` receives what was left out, for a person: "a.msh: 3 cells of type pyramid were skipped".

/// .obj, .ply, .off, .stl, .gltf, .glb; triangles of .msh, .vtk, .vtu, .vtp. Polygons are cut into triangles. Texture
/// coordinates of .obj and glTF are kept.
TriMesh read_tri_mesh(const std::string& path, std::vector<std::string>* notes = nullptr);

/// .msh, .vtk, .vtu, and TetGen's pair of files: give x.ele or x.node, and the other one is read beside it. Tets are
/// wound to positive volume; those of second order are read by their corners.
TetMesh read_tet_mesh(const std::string& path, std::vector<std::string>* notes = nullptr);

/// .obj with "l" lines, .ply with edges; lines of .gltf, .glb, .msh, .vtk, .vtu, .vtp.
Curve read_curve(const std::string& path, std::vector<std::string>* notes = nullptr);

/// Whether this file's ending is one of those that hold tets.
bool may_have_tets(const std::string& path);

}  // namespace pliant
