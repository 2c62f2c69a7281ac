#pragma once
// Isosurface stuffing (Labelle and Shewchuk 2007): a volume is filled with the tets of a body-centred
// cubic lattice; those at its border are cut to stencils.
//
//   1. The lattice has its vertices at the corners and at the centres of cubes of edge `cell`. Its tets are
//      all alike: two opposite long edges (cell) and four short ones (sqrt(3) / 2 cell), dihedral angles of
//      60 and 90 degrees. 12 of them fill a cube.
//   2. Each vertex is inside or outside; each edge between the two has a cut point on the surface.
//   3. A vertex that a cut point is too close to moves there (it is then on the surface, and its edges are
//      not cut any more). Too close is 0.25 of a long edge, 0.41 of a short one.
//   4. What is left inside of a tet is one to three tets, by the signs of its corners.
//
// Because of 3. no stencil is thin: whatever the surface, the dihedral angles stay between 9.2 and 162
// degrees (by sampling all stencils at 3e6 places; the authors' proof has 10.8 and 164.8). Edges and corners
// of the surface are rounded by up to a cell, and what is thinner than a cell may get lost.

#include <functional>
#include <vector>

#include "mesh/surface_tree.h"
#include "pliant/jobs.h"
#include "pliant/mesh.h"

namespace pliant {

struct Stuffed {
  TetMesh mesh;
  int thickened = 0;  // lattice vertices that count as inside for the sake of a thin part
};

/// Largest number of lattice vertices in the box around a surface. Each takes some 20 bytes.
inline constexpr double kLargestLattice = 134217728;  // 2^27

/// How many lattice vertices the box around the surface would have.
double lattice_size(const SurfaceTree& surface, double cell);

struct StuffingOptions {
  double cell = 0;  // [m]; lattice_size must not be above kLargestLattice
  /// Moves the lattice along x, y and z, in cells. Without it the lattice stands in the middle of the box around the
  /// surface, so that a symmetric surface has a symmetric mesh.
  double shift = 0;
  /// Points in the middle of parts that are too thin for the lattice: the vertex nearest to each counts as inside
  /// and stays where it is, which makes such a part up to a cell thick. Nearest vertices of neighbouring points are
  /// joined by an edge of the lattice, so that parts stay connected.
  std::vector<Vec3d> keep{};
  std::function<void(double)> progress{};  // called with 0 to 1 from the caller's thread
};

/// Fills what the surface's winding number says is inside (|w| > 1/2).
Stuffed stuff(const SurfaceTree& surface, const StuffingOptions& options, JobSystem& jobs);

}  // namespace pliant
