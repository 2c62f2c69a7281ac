#pragma once
// Which source vertices are nearest to each vertex, and how far: straight through space, or along a surface.
//
// Sources come in islands (a row of pinned vertices is one). A vertex gets at most one source of an island, so that
// "the two nearest" are two different sides and not two neighbours.

#include <span>
#include <vector>

#include "pliant/mesh.h"

namespace pliant {

struct NearestSources {
  int count = 0;                 // entries per vertex
  std::vector<int> source;       // [vertex][count], by rising distance; -1: there is none
  std::vector<double> distance;  // [m] [vertex][count]
};

/// Straight distances.
NearestSources nearest_sources_straight(std::span<const Vec3d> positions, const std::vector<std::vector<int>>& islands,
                                        int count);

/// Distances along triangles, and along edges where there are no triangles (a rope).
///
/// A front runs outward from the sources by rising distance. A triangle whose corners a and b it has reached is
/// unfolded into the plane together with the point that the distances of a and b come from, and c gets its distance
/// from that point if the straight line to it crosses the edge a b; otherwise the path bends at a or b. On flat pieces
/// this is exact up to where a path bends (the end of a slit), on curved ones it converges with the mesh. O(count n
/// log n).
NearestSources nearest_sources_along(std::span<const Edge> edges, std::span<const Triangle> triangles,
                                     std::span<const Vec3d> positions, const std::vector<std::vector<int>>& islands,
                                     int count);

}  // namespace pliant
