#pragma once
// Volume meshes into files, format by the name's ending.

#include <string>
#include <vector>

#include "pliant/mesh.h"

namespace pliant {

/// .node or .ele (TetGen: both files are written), .msh (Gmsh 2.2, text), .vtk (legacy, text), .vtu (XML, text).
/// Numbers are written so that they are read back exactly. Folders that are missing are made.
void write_tet_mesh(const std::string& path, const TetMesh& mesh);

/// The endings that write_tet_mesh knows, with their dots.
std::vector<std::string> tet_mesh_endings();

}  // namespace pliant
