#pragma once
// Whether the substeps can follow an elastic body, and how soft it looks at rest where they cannot.

#include <cstdint>
#include <vector>

#include "solver/model.h"

namespace pliant {

/// Up to which of resolutions() multipliers may be kept from substep to substep: measured, an undamped kick dies out.
/// docs/constraints/tet_elastic.md and docs/integration.md have the figures. What one sweep leaves undone acts as if
/// forces came late, which adds energy; Euler takes more than that out, BDF2 does not.
inline double resolved_limit(const WorldOptions& options) {
  if (options.integrator == Integrator::euler) return 2;
  return options.iterations == 1 ? 0.02 : 0.5;
}

/// For each tet, how stiff it is for its mass and size against what a substep of dt [s] can follow. In the cells of
/// box_tets it is E dt^2 / (density h^2), with h the edge of the cube corner of the element's volume, h^3 = 6 V.
/// `young` [Pa] is the largest of the material.
std::vector<double> resolutions(const BodyInput& body, double young, double dt);

/// How much further than finite elements a body sags at rest (1: twice as far), because the tets marked in `reset`
/// start each substep with multipliers of zero. An estimate, right within a factor of two to three. `held` marks
/// vertices that do not move; where there are none, the body is taken to stand on its lowest ones. `gravity` gives the
/// direction of the load in the frame of the rest shape.
double softness_at_rest(const BodyInput& body, const ElasticityMatrix& stiffness, const std::vector<uint8_t>& reset,
                        std::vector<uint8_t> held, Vec3d gravity, double dt, int iterations);

}  // namespace pliant
