#pragma once
// Colliders: what bodies cannot pass through. Fixed, moving along a path, or rigid bodies that are pushed back.
//
//   world.add(pliant::Plane{});                                                   // the ground
//   world.add(pliant::Sphere{.radius = 0.3}, {.position = {0, 1, 0}, .friction = 0.5});
//   auto ball = world.add(pliant::Sphere{.radius = 0.1}, {.position = {0, 2, 0}, .density = 7800});
//   world.step();
//   pliant::Vec3d weight = world.contact_force(ball);
//
// Shapes stand around the origin of their own coordinates, axes along y. SI units.

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "pliant/keyframe.h"
#include "pliant/mesh.h"
#include "pliant/vec.h"

namespace pliant {

/// All points behind a plane are inside.
struct Plane {
  Vec3d normal{0, 1, 0};  // points outward; any length above 0
  Vec3d point{};          // [m] any point of the plane
};
struct Sphere {
  double radius = 0.5;  // [m]
};
struct Box {
  Vec3d size{1, 1, 1};  // [m]
};
/// A cylinder with half balls at its ends.
struct Capsule {
  double radius = 0.25;  // [m]
  double height = 0.5;   // [m] of the cylinder between the balls' centres
};
struct Cylinder {
  double radius = 0.5;  // [m]
  double height = 1;    // [m]
};
/// A solid cone, cut off above where top_radius > 0.
struct Cone {
  double bottom_radius = 0.5;  // [m]
  double top_radius = 0;       // [m]
  double height = 1;           // [m]
};
/// The wall of a cone without bottom and lid: bodies fall through.
struct Funnel {
  double top_radius = 1;       // [m] of the inner side
  double bottom_radius = 0.2;  // [m] of the inner side
  double height = 1;           // [m]
  double wall = 0.05;          // [m] thickness of the wall, measured across the axis
};
/// A rectangle in the xz plane with a height at each node; everything below is inside.
struct HeightField {
  Vec2d size{10, 10};             // [m] along x and z
  int columns = 0, rows = 0;      // nodes along x and z, at least 2 each
  std::vector<double> heights{};  // [m] node (i, j) at place j * columns + i
};
/// The inside of a closed surface.
struct MeshSolid {
  TriMesh mesh{};
};
/// A surface that bodies may touch from both sides.
struct MeshSurface {
  TriMesh mesh{};
};

using ColliderShape =
    std::variant<Plane, Sphere, Box, Capsule, Cylinder, Cone, Funnel, HeightField, MeshSolid, MeshSurface>;

/// What happens to vertices that are inside of a collider when the simulation starts.
enum class StartInside {
  push,    // they are moved out, not faster than push_speed
  refuse,  // World::build throws and names one of them
};

struct ColliderOptions {
  std::string name{};                       // empty: the shape's name and its number
  Vec3d position{};                         // [m]
  Vec3d rotation{};                         // [rad] rotation vector
  double friction = 0.5;                    // Coulomb's coefficient while sliding
  std::optional<double> static_friction{};  // while sticking; absent: the same
  double restitution = 0;                   // 0: no bounce, 1: as fast as before
  std::optional<double> thickness{};        // [m] distance that is kept; absent: a little (docs/contact.md)
  std::vector<Keyframe> path{};             // empty: it stays where it is
  StartInside start_inside = StartInside::push;
  double push_speed = 0.5;  // [m/s] at which what is inside is moved out

  /// One of them makes it a rigid body: it falls, and what it touches pushes it.
  std::optional<double> density{};  // [kg/m^3]
  std::optional<double> mass{};     // [kg]
  Vec3d velocity{};                 // [m/s] of a rigid body
  Vec3d spin{};                     // [rad/s] of a rigid body
};

/// Handle of a collider: its number in the order of adding.
struct ColliderId {
  int index = -1;
  friend bool operator==(ColliderId, ColliderId) = default;
};

/// Where a collider is: x -> position + rotation of x.
struct ColliderPose {
  Vec3d position{};  // [m]
  Vec3d rotation{};  // [rad] rotation vector, at most half a turn
};

/// Motion of a rigid body.
struct RigidMotion {
  double mass = 0;   // [kg]
  Vec3d center{};    // [m] of mass
  Vec3d velocity{};  // [m/s] of the centre of mass
  Vec3d spin{};      // [rad/s]
};

/// One place where something touches a collider, at the end of the last substep.
struct ContactPoint {
  int collider = -1;               // its number
  int body = -1;                   // number of the body that touches it; -1: a rigid body does
  int other = -1;                  // number of that rigid body's collider; -1: a body touches
  int vertices[3] = {-1, -1, -1};  // of the body, the user's numbering: one, or a triangle's three
  Vec3d point{};                   // [m]
  Vec3d normal{};                  // from the collider outward
  Vec3d force{};                   // [N] on the collider
};

/// A body or a rigid body begins or ceases to touch a collider.
struct ContactEvent {
  bool begins = true;
  int collider = -1;  // its number
  int body = -1;      // number of the body; -1: a rigid body
  int other = -1;     // number of that rigid body's collider; -1: a body
};

/// What touched in the last step.
struct ContactReport {
  int64_t contacts = 0;         // in the last substep, those that bear a force
  double deepest = 0;           // [m] the deepest vertex, below its collider's thickness
  std::vector<Vec3d> forces{};  // [N] on each collider, mean over the step
};

}  // namespace pliant
