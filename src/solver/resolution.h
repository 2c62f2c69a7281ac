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

/// What the sweeps of a substep follow of a body as a whole, beside resolved_limit(). A sweep solves a part 1 / p of
/// what slow motions need, and what it leaves comes a substep late. That adds energy, more than the substep takes out
/// where p is above 2. Waves of pressure are the worst: bodies that are nearly incompressible and many cells thick
/// rang, and blew up, from a tenth of resolved_limit() on. Long and flat bodies of a few cells bend slowly.
struct SweepLimits {
  double kept = 0;     // the resolution up to which elements may keep their multipliers
  bool twice = false;  // they have to be swept twice in each substep
  bool none = false;   // the body is beyond: no element keeps them, as few that do between many that do not blow up
};
/// `stiffness` [Pa] is that of the material, `young` [Pa] its largest modulus, `resolution` that of all elements.
SweepLimits sweep_limits(const BodyInput& body, const ElasticityMatrix& stiffness, double young,
                         std::vector<double> resolution, const WorldOptions& options);

/// Elements that start each substep with multipliers of zero, as the substeps do not resolve them.
struct ResetElements {
  double largest = 0;          // resolution of all elements, more where damping is stronger than elasticity
  double limit = 0;            // up to which it is resolved
  std::vector<uint8_t> reset;  // per element
};

/// Puts constraints into `made`: those marked in `reset`, and the others with multipliers kept from substep to substep.
void add_kept_and_reset(const ConstraintInput& all, const std::vector<uint8_t>& reset,
                        std::vector<ConstraintInput>& made);

/// How much further than it should a body goes at rest whose constraints start at zero in each substep. `alone` is how
/// much softer each of them is by itself when projected once: dt^2 sum_i w_i |f_i|^2 / (f . u), f the forces on its
/// corners, weighted with energy; `q` is dt^2 omega^2 of the shape at rest; `speed` is how well further iterations
/// help, which was fitted.
double softness_of(double alone, double q, int iterations, double speed = 0.75);

/// How far a body's rest state is from that of finite elements, because the tets marked in `reset` start each substep
/// with multipliers of zero: the largest distance over the largest displacement (1: it sags twice as far). An estimate,
/// right within a factor of three for any deflection: the body is brought to rest under its weight (ElasticBody), and
/// once more with each of these tets as much softer as softness_of() says for the forces that it bears then. `held`
/// marks vertices that do not move; where there are none, the body is taken to stand on its lowest ones. `gravity` is
/// seen from the frame of the rest shape [m/s^2].
double softness_at_rest(const BodyInput& body, const ElasticityMatrix& stiffness, const std::vector<uint8_t>& reset,
                        std::vector<uint8_t> held, Vec3d gravity, double dt, int iterations);

}  // namespace pliant
