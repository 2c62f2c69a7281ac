#pragma once
// Surfaces become volumes:
//
//   auto made = pliant::tetrahedralize(surface, {.tets = 5000});
//   world.add(pliant::Solid{.mesh = made.mesh, .material = pliant::Material{}});
//
// The surface need not be perfect. Holes, gaps, triangles that cross and parts that overlap are all right:
// inside is what its triangles go around (generalised winding numbers). A closed part inside of another one is
// a cavity when its triangles face the other way, and filled otherwise.

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "pliant/jobs.h"
#include "pliant/mesh.h"

namespace pliant {

struct TetrahedralizeOptions {
  /// [m] Edge of the lattice's cubes, of 12 tets each; 0: what makes about `tets` tets.
  double cell = 0;
  int64_t tets = 20000;  // within 10 %, where the shape allows; the report says how many there are
  /// Shifts the boundary by small parts of a cell so that the volume is kept. Without it, the boundary's vertices
  /// are exactly on the surface, and the volume of a round body is too small by a percent or two.
  bool keep_volume = true;
  /// Makes parts that the lattice would lose thicker, up to a cell, so that they stay.
  bool keep_thin = true;
  std::shared_ptr<JobSystem> jobs{};       // none: one thread per core. The result does not depend on it
  std::function<void(double)> progress{};  // called with 0 to 1, from the caller's thread
};

/// A part of the surface that has no tets within a cell: it is thinner than the lattice can show.
struct LostPart {
  Vec3d center{};   // [m]
  double size = 0;  // [m] largest extent
  double area = 0;  // [m^2]
  int triangles = 0;
};

struct Tetrahedralized {
  TetMesh mesh;
  double cell = 0;                               // [m] that was used
  double smallest_angle = 0, largest_angle = 0;  // [degrees] dihedral angles
  int pieces = 0;                                // that are not connected with each other
  int fragments = 0;                             // pieces that broke off at thin places and were left out
  int thickened = 0;                             // places where a thin part was made thicker
  std::vector<LostPart> lost;                    // largest area first

  /// What a person should know, in plain words; empty when all is well.
  std::vector<std::string> warnings() const;
};

/// Fills a surface with well-shaped tets: isosurface stuffing on a body-centred cubic lattice. Dihedral angles are
/// above 9 degrees by construction, and above 15 in practice. Sharp edges are rounded by up to a cell.
/// Throws Error (where = `name`) when the surface has positions that are not finite, numbers out of range, nothing
/// inside, or when the cell is so small that the lattice would not fit the memory.
Tetrahedralized tetrahedralize(const TriMesh& surface, const TetrahedralizeOptions& options = {},
                               const std::string& name = "tetrahedralize");

}  // namespace pliant
