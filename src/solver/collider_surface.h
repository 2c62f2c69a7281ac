#pragma once
// Colliders made of triangles, as contact of bodies sees them: surfaces whose vertices are particles that go where the
// collider goes. So the edges of bodies meet the edges of a collider, and their triangles its corners, by the same
// search, continuous detection and guard by which bodies meet each other.

#include <cstdint>
#include <vector>

#include "pliant/mesh.h"

namespace pliant {

struct ColliderInput;
struct ModelInput;

struct ColliderSurface {
  int collider = -1;
  int32_t first_particle = 0;  // of its vertices, behind all other particles
  TriMesh mesh;                // in the collider's coordinates [m]
  /// Per triangle, bit k: the edge from corner k to the next can cut into a body. One in a plane cannot, since what
  /// comes to it has met a neighbour before; one in a hollow of a solid neither, for the same reason.
  std::vector<uint8_t> sharp;
  double thickness = 0;  // [m] distance that it keeps
  int rigid = -1;        // as in ColliderInput
  /// Flat pieces in place of what is round: only the guard looks at them. Contacts are with the shape itself
  /// (collider_triangles.cpp), or what slides on it would be caught by edges that it does not have.
  bool round = false;

  int32_t end_particle() const { return first_particle + static_cast<int32_t>(mesh.positions.size()); }
};

/// Distance that a collider keeps [m]. With none there would be nothing between touching and being inside, and what its
/// edges cut could not be told; so it is a part of the edges of the finest body: 5 % unless one is given, 1 % where 0
/// is given. A surface keeps what it is given. A plane and a funnel, which no triangle that they hold can cut, keep
/// none unless it is given.
double kept_thickness(const ColliderInput& collider, const ModelInput& input);

/// Of all colliders that are made of triangles, and of round ones that are small against some triangle: these in as
/// many flat pieces as they are drawn with. Vertices are numbered from `first_particle` on.
std::vector<ColliderSurface> collider_surfaces(const ModelInput& input, int32_t first_particle);

/// Bits of the edges that can cut, per triangle. `closed`: the mesh has an inside, behind its triangles.
std::vector<uint8_t> sharp_edges(const TriMesh& mesh, bool closed);

}  // namespace pliant
