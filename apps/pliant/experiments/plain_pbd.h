#pragma once
// Position-based dynamics as in real17's listing: one constraint after another, in an order that is exactly what is
// asked for. (The engine colours and packs in its own.)

#include <optional>
#include <vector>

#include "fit/contestant.h"
#include "fit/load_case.h"

namespace pliant::experiments {

/// A distance constraint (two corners) or a volume constraint (four).
struct PlainConstraint {
  std::vector<int> corners;
  double rest;          // [m] or [m^3]
  double strength = 1;  // its part of the stiffness that is asked for
};

/// A distance of each edge, then a volume of each tet, in the mesh's own order. `distances`: how many are of the first.
std::vector<PlainConstraint> plain_constraints(const TetMesh& mesh, std::size_t& distances);
PlainConstraint plain_distance(const TetMesh& mesh, int a, int b);
PlainConstraint plain_volume(const TetMesh& mesh, const Tet& tet);

/// Displacements at rest [m], or nothing if there is none. Of n iterations each has the stiffness 1 - (1 - k)^(1/n), as
/// real17 2.3.2. `load.masses` are those of the vertices. Velocities are taken away after each step (fit/contestant.h).
std::optional<std::vector<Vec3d>> plain_rest(const fit::LoadCase& load, const std::vector<PlainConstraint>& constraints,
                                             const fit::Stiffness& k, const fit::Stepping& stepping);

}  // namespace pliant::experiments
