#pragma once
// Surfaces filled with tets, once: the result is kept in a cache.

#include <string>
#include <vector>

#include "pliant/tetrahedralize.h"

namespace pliant::scene {

struct FilledSurface {
  TetMesh mesh;
  std::vector<std::string> warnings;  // of Tetrahedralized
};

/// tetrahedralize(), or what it gave for the same surface and options before. The cache is the folder that the
/// environment's PLIANT_CACHE names (empty: no cache), else `pliant` in XDG_CACHE_HOME or in ~/.cache. Its files are
/// named by a hash of what went in; they can be deleted at any time. A file that is damaged, or of another version, is
/// made anew; a folder that cannot be written to does not matter.
FilledSurface fill_surface(const TriMesh& surface, const TetrahedralizeOptions& options, const std::string& name);

/// The cache's folder; empty: there is none.
std::string mesh_cache_folder();

}  // namespace pliant::scene
