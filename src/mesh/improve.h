#pragma once
// Makes a mesh of stuffing.h better by moving vertices: first the shape of its worst tets, then how closely its
// boundary follows the surface.

#include "mesh/surface_tree.h"
#include "pliant/jobs.h"
#include "pliant/mesh.h"

namespace pliant {

/// Moves vertices of tets with a dihedral angle below `angle` degrees (or as far from 180) so that the worst angle
/// around each gets better. Boundary vertices move along the surface, or as far as they are from it.
void improve_worst(TetMesh& mesh, const SurfaceTree& surface, double cell, double angle);

/// A mesh whose vertices are on a curved surface is too small: its faces are chords. Shifts boundary vertices
/// along their normals, by less than a fifth of a cell, until the faces are as much outside as inside of the
/// surface, on the average around each vertex. No dihedral angle gets worse than `angle` degrees by that.
void fit_boundary(TetMesh& mesh, const SurfaceTree& surface, double cell, double angle, JobSystem& jobs);

}  // namespace pliant
