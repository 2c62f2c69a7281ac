#pragma once
// Which triangles of a surface intersect, exactly: the judge of the contact code, which shares nothing with it.
//
// Positions are put on a grid of 2^-36 of the scene's size (1 m: 1.5e-11 m); from there on all is integer arithmetic
// that cannot overflow, so that every answer is exact for the positions on the grid. What touches, intersects.

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "pliant/mesh.h"

namespace pliant {

/// Numbers of two triangles, the lower one first.
using IntersectingPair = std::array<int, 2>;

/// All pairs that intersect, ascending. Triangles with a common corner intersect where the opposite edge of one meets
/// the other; with a common edge, where they lie on each other. A triangle without area has its edges only.
std::vector<IntersectingPair> intersecting_triangles(std::span<const Vec3d> positions,
                                                     std::span<const Triangle> triangles);

/// An edge that goes through a triangle.
struct Piercing {
  int edge;
  int triangle;
};
/// All of them, ascending, for edges and triangles without a common corner; or the first `most`.
std::vector<Piercing> piercing_edges(std::span<const Vec3d> positions, std::span<const Edge> edges,
                                     std::span<const Triangle> triangles, std::size_t most = SIZE_MAX);

}  // namespace pliant
