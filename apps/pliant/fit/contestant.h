#pragma once
// A body of position-based methods that comes to rest under a load case.

#include <map>
#include <mutex>
#include <utility>
#include <vector>

#include "fit/load_case.h"

namespace pliant::fit {

/// Stiffness of the distance and of the volume constraints.
struct Stiffness {
  double distance = 0, volume = 0;
  friend auto operator<=>(const Stiffness&, const Stiffness&) = default;
};

enum class Method {
  pbd,            // stiffness 0 to 1 per step, as the thesis
  pbd_unbounded,  // stiffness up to 2, which overshoots: its future work
  mass_spring,    // springs on all edges [N/m] and pressure against a change of volume [Pa]: the third contestant
  xpbd_stvk,      // the engine's own materials with E and nu as they are: nothing is fitted
  xpbd_neo_hookean,
};

struct Stepping {
  double dt = 0.01;  // [s]
  int iterations = 1;
  friend bool operator==(const Stepping&, const Stepping&) = default;
};

/// Where a body comes to rest.
struct Rest {
  std::vector<Vec3d> displacements;  // [m] per vertex
  bool found = false;                // false: it falls, or does not come to rest in kMostSteps
  int steps = 0;
};

/// Rest of a body with fitted constraints (pbd, pbd_unbounded, mass_spring).
///
/// At rest velocities are zero and x = project(x + dt^2 g). So velocities are taken away after each step: the rest is
/// the same, and is reached without swinging. Where a step depends on positions alone (pbd) that equation is solved
/// (fit/fixed_point.h), in some twenty steps where walking would take thousands. Else, and where that finds nothing,
/// the body walks: the rest is found when in one step no vertex moves by more than kStill of the body's size and that,
/// with the rate at which the motion falls, leaves less than ten times as much to go.
Rest rest_of(const LoadCase& load, Method method, const Stepping& stepping, const Stiffness& stiffness);

/// Rest of the engine's own material.
Rest rest_of(const LoadCase& load, Method method, const Stepping& stepping, double young, double poisson);

/// Rests of one load case, each computed once: they depend neither on E nor on nu.
class RestCache {
 public:
  RestCache(LoadCase load, Method method, Stepping stepping)
      : load_(std::move(load)), method_(method), stepping_(stepping) {}
  /// From any thread.
  const Rest& at(const Stiffness& stiffness);
  const LoadCase& load() const { return load_; }

 private:
  LoadCase load_;
  Method method_;
  Stepping stepping_;
  std::mutex mutex_;
  std::map<Stiffness, Rest> rests_;
};

}  // namespace pliant::fit
