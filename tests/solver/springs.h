#pragma once
// Two particles and what is between them: the smallest body, with closed forms for everything.

#include <cmath>
#include <vector>

#include "pliant/world.h"

namespace pliant::test {

/// A rope of one segment from the origin along `direction` (of unit length), 1 m long, each end of mass
/// `mass`, joined by a distance constraint.
inline Rope dumbbell(double mass, Vec3d direction, ConstraintSettings distance) {
  return {.mesh = rope({}, direction, 1), .density = 2 * mass, .constraints = {{"distance", distance}}};
}

/// The same with its first end pinned: a mass on a spring.
struct MassOnSpring {
  World world;
  BodyId id;

  MassOnSpring(WorldOptions options, double mass, Vec3d direction, ConstraintSettings distance)
      : world(options), id(world.add(dumbbell(mass, direction, distance))) {
    world.pin(id, {0});
  }
  Vec3d end() const { return world.positions(id)[1]; }
  double length() const { return pliant::length(world.positions(id)[1] - world.positions(id)[0]); }
  void move_end(Vec3d x, Vec3d v = {}) {
    world.set_positions(id, std::vector<Vec3d>{{}, x});
    world.set_velocities(id, std::vector<Vec3d>{{}, v});
  }
  void run(double seconds) {
    const int steps = static_cast<int>(std::lround(seconds / world.options().step));
    for (int k = 0; k < steps; ++k) world.step();
  }
};

}  // namespace pliant::test
