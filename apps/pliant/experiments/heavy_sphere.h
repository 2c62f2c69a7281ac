#pragma once
// A heavy, rigid, frictionless sphere that lies on a body, for experiments that need one before the engine has contact.
//
// Each vertex that is inside of the sphere is pushed out along the radius by a spring, and pushes back. Forces are
// renewed once per step, so steps have to be short: step^2 * stiffness below the mass of a vertex.

#include "pliant/world.h"

namespace pliant::experiments {

struct HeavySphere {
  double radius = 0.5;     // [m]
  double mass = 100;       // [kg]
  double stiffness = 1e5;  // [N/m] of a vertex
  Vec3d center{}, velocity{};
  Vec3d gravity{0, -9.81, 0};  // [m/s^2] that of the sphere; the body's own weight is the world's affair

  /// Sets the forces on the body's vertices, moves the sphere on by the world's step, returns the force on the body
  /// [N]. To be called before each step.
  Vec3d press(World& world, BodyId body);
  /// Lowest point [m].
  double bottom() const { return center.y - radius; }
};

/// Vertices at the bottom of a mesh, up to this height above the lowest [m].
std::vector<int> at_bottom(const TetMesh& mesh, double height);
/// Largest y of these positions [m].
double top(const std::vector<Vec3d>& positions);

}  // namespace pliant::experiments
