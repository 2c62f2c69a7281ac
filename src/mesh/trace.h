#pragma once
// Straight lines on a surface: from a vertex in a direction, triangle after triangle unfolded into one plane.

#include <optional>
#include <span>
#include <vector>

#include "mesh/topology.h"
#include "pliant/mesh.h"

namespace pliant {

class SurfaceTracer {
 public:
  /// The surface must outlive the tracer. Every edge has at most two triangles.
  SurfaceTracer(std::span<const Triangle> triangles, std::span<const Vec3d> positions);

  struct End {
    int vertex = -1;
    double distance = 0;  // [m] along the surface from the start
  };
  /// The vertex nearest to the end of a line of the given length [m], of those next to the line. Nothing where the line
  /// does not enter the surface or leaves it before half of its length. `direction` is turned into the surface.
  std::optional<End> trace(int vertex, const Vec3d& direction, double length) const;

 private:
  std::span<const Triangle> triangles_;
  std::span<const Vec3d> x_;
  Adjacency triangles_of_;
  std::vector<std::array<int, 3>> across_;  // the triangle behind the edge opposite of each corner, or -1
};

}  // namespace pliant
