#pragma once
// Where a held and loaded solid comes to rest.

#include <vector>

#include "fem/newton.h"
#include "fem/problem.h"

namespace pliant::fem {

struct StaticsOptions {
  NewtonOptions newton;
  /// Loads and supports grow in this many equal steps. One that fails is halved, down to 1e-4 of the whole. Large
  /// rotations want several: a single step may end in another equilibrium than the one that growing loads lead to.
  int load_steps = 1;
};

struct StaticsResult {
  std::vector<Vec3d> displacements;  // [m] per vertex
  std::vector<Vec3d> reactions;      // [N] what the supports do to the solid; zero where it is free
  bool converged = false;            // at full load
  double load = 0;                   // part of the load that was reached: 1 if converged
  int load_steps = 0;
  int iterations = 0;
  double residual = 0;             // see NewtonReport
  double elastic_energy = 0;       // [J]
  std::vector<double> potentials;  // [J] elastic energy minus work of the loads, along the last load step
};

/// Equilibrium with the problem's own material. Throws Error if the problem is not valid or some motion of the
/// solid meets no resistance; a solution that is not found is told by the result.
StaticsResult solve_statics(const Problem& problem, const StaticsOptions& options = {});

/// The same to first order: small strains and rotations, stiffness of the rest shape. One linear solve.
StaticsResult solve_linear_statics(const Problem& problem);

}  // namespace pliant::fem
