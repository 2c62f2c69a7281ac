#pragma once
// What of a surface a volume mesh shows.

#include <vector>

#include "mesh/surface_tree.h"
#include "pliant/jobs.h"
#include "pliant/tetrahedralize.h"

namespace pliant {

/// The parts of a surface (vertices at equal places count as one) that are farther than `distance` [m] from all
/// tets, largest area first.
struct LostParts {
  std::vector<LostPart> parts;
  std::vector<Vec3d> places;  // [m] on them, about `distance` apart
};
LostParts find_lost_parts(const TriMesh& surface, const TetMesh& mesh, double distance, JobSystem& jobs);

/// Points in the middle of the parts of a surface around these places (two cells about them) that are thinner than 1.4
/// cells, a quarter of a cell apart.
std::vector<Vec3d> middles_of_thin_parts(const TriMesh& surface, const SurfaceTree& tree,
                                         const std::vector<Vec3d>& places, double cell);

/// Leaves out pieces of the mesh that broke off: of all pieces of a connected part of the surface, those with less
/// than a twentieth of the largest one's volume. Returns how many.
int remove_fragments(TetMesh& mesh, const TriMesh& surface, const SurfaceTree& tree);

}  // namespace pliant
