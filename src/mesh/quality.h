#pragma once
// How well shaped tets are, by the angles between their faces.

#include <array>

#include "mesh/facets.h"
#include "pliant/mesh.h"

namespace pliant {

struct DihedralAngles {
  double smallest = 0, largest = 0;  // [degrees]; 0 and 180 for a tet without volume or inside out
};
DihedralAngles dihedral_angles(const std::array<Vec3d, 4>& corners);
/// Over all tets of a mesh; 180 and 0 where there are none.
DihedralAngles dihedral_angles(const TetMesh& mesh);

/// The smallest sine of a dihedral angle, negative for a tet that is inside out: 0.943 for a regular tet, small
/// for flat and for thin ones alike (Freitag and Ollivier-Gooch 1997).
double smallest_sine(const std::array<Vec3d, 4>& corners);

inline std::array<Vec3d, 4> corners_of(const TetMesh& mesh, const Tet& tet) {
  const auto at = [&](int v) { return mesh.positions[static_cast<std::size_t>(v)]; };
  return {at(tet[0]), at(tet[1]), at(tet[2]), at(tet[3])};
}

}  // namespace pliant
