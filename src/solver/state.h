#pragma once
// The part of a simulation that changes.

#include <cstdint>
#include <vector>

#include "contact/rigid_body.h"
#include "core/aligned.h"
#include "math/quads.h"
#include "pliant/vec.h"
#include "pliant/world.h"

namespace pliant {

/// x rounded to the engine's precision, and what is left of it. Volatile, because g++ 12 (-O2 and above,
/// in its vectoriser of straight-line code) takes (double)(float)x to be x where that is done to two
/// coordinates side by side: nothing would be left.
template <class Real>
inline void split(double x, Real& rounded, Real& left) {
  volatile Real through_memory = static_cast<Real>(x);
  rounded = through_memory;
  left = static_cast<Real>(x - static_cast<double>(rounded));
}

/// All that changes. Position of particle i = origin + base[i] + offset[i].
///
/// The base is the position rounded to the precision in use and the offset what is left, so that the
/// two together carry twice the digits. Within a substep only the offset changes; a step of 1e-9 m
/// is not lost on a coordinate of 1 m. Bases are renewed after a few substeps (bases.cpp), and the origin
/// follows the scene when it travels far.
template <class Real>
struct State {
  Vec3d origin{};                      // [m]
  AlignedVector<Quad<Real>> base;      // [m] w: 0
  AlignedVector<Quad<Real>> offset;    // [m] w: inverse mass [1/kg]
  AlignedVector<Quad<Real>> start;     // offset at the start of the substep
  AlignedVector<Quad<Real>> velocity;  // [m/s] w: 0
  AlignedVector<Quad<Real>> carry;     // [m] push of kept multipliers, applied by the next prediction
  // BDF2 only, empty otherwise: motion in the last substep, and the velocity before it.
  AlignedVector<Quad<Real>> last_motion;          // [m] w: 0
  AlignedVector<Quad<Real>> last_velocity;        // [m/s] w: 0
  uint8_t has_history = 0;                        // these two are known
  std::vector<AlignedVector<Real>> multipliers;   // per group
  std::vector<AlignedVector<Real>> plastic_rest;  // per group: rest data that flows; empty where the model's own counts
  std::vector<Real> balloon_multipliers;
  std::vector<uint8_t> held;               // was not finite and is held in place; 1: not yet reported, 2: reported
  int32_t substeps_on_base = 0;            // since the bases were renewed
  std::vector<contact::RigidState> rigid;  // bodies among the colliders
  double time = 0;                         // [s]
  int64_t steps = 0;

  /// With BDF2 `start` is not where the last substep has ended: it lies a third of `last_motion` ahead (bdf2.cpp).
  bool start_is_ahead(Integrator integrator) const { return integrator == Integrator::bdf2 && has_history; }
};

/// Beyond this many metres, in one substep or from the origin, a particle counts as not finite: kernels
/// form fourth powers of edge lengths (the squared gradient of a volume), which then would overflow.
template <class Real>
inline constexpr Real kTooFar = sizeof(Real) == 4 ? Real(1e9) : Real(1e75);

/// A base serves this many substeps at most. The offsets then hold the motion of few substeps, of which 1e-7 is
/// rounded away; new bases and what the kernels keep of them cost about a third of a sweep.
inline constexpr int kSubstepsOnBase = 8;

}  // namespace pliant
