#pragma once
// What of a surface a volume mesh shows.

#include <vector>

#include "mesh/surface_tree.h"
#include "pliant/jobs.h"
#include "pliant/tetrahedralize.h"

namespace pliant {

/// The parts of `surface` (vertices at equal places count as one) that are farther than `distance` [m] from all
/// tets, largest area first.
std::vector<LostPart> find_lost_parts(const TriMesh& surface, const TetMesh& mesh, double distance, JobSystem& jobs);

/// Leaves out pieces of the mesh that broke off: of all pieces of a connected part of the surface, those with less
/// than a twentieth of the largest one's volume. Returns how many.
int remove_fragments(TetMesh& mesh, const TriMesh& surface, const SurfaceTree& tree);

}  // namespace pliant
