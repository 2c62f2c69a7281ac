#pragma once
// Where a held and loaded membrane comes to rest: the reference for cloth.
//
// Linear triangles in space, St. Venant-Kirchhoff with any elasticity matrix K [N/m] in the frame of weft and warp:
//
//   F = [x1-x0, x2-x0] Dm^-1 (3x2),  e = (E_ww, E_ff, 2 E_wf),  E = (F^T F - I) / 2
//   energy  sum A/2 e . K e,  solved to rounding by Newton's method in double precision
//
// It has no bending: a membrane without tension has no stiffness across its plane, so hold that coordinate or pull.

#include <vector>

#include "fem/problem.h"
#include "pliant/cloth.h"

namespace pliant::fem {

struct MembraneProblem {
  TriMesh mesh{};  // the rest shape
  ClothMaterial material{};
  double density = 0;           // [kg/m^2] for the weight
  Vec3d gravity{};              // [m/s^2]
  std::vector<Vec3d> forces{};  // [N] on each vertex; empty: none
  std::vector<Support> supports{};
};

struct MembraneResult {
  std::vector<Vec3d> displacements;  // [m]
  std::vector<Vec3d> reactions;      // [N] what the supports do to the cloth; zero where it is free
  bool converged = false;
  int iterations = 0;
  double residual = 0;        // largest force left on a free coordinate / largest force in balance
  double elastic_energy = 0;  // [J]
};

/// Loads and supports grow in `load_steps` equal steps. Throws Error if the material is not valid.
MembraneResult solve_membrane(const MembraneProblem& problem, int load_steps = 1, double tolerance = 1e-11);

}  // namespace pliant::fem
