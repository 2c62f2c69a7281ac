#pragma once
// The nearest triangle of a mesh, by a tree of boxes.

#include <cstdint>
#include <vector>

#include "contact/shape.h"

namespace pliant::contact {

class TriangleTree {
 public:
  explicit TriangleTree(const TriMesh& mesh);

  struct Hit {
    int triangle = -1;            // -1: none is near enough
    double distance = kInfinity;  // [m]
    Vec3d point{};
    Vec3d weights{};  // of the corners; exactly 0 where the point lies on an edge or in a corner
  };
  /// Of equally near ones any, but always the same.
  Hit nearest(const Vec3d& x, double within) const;
  const Bounds& bounds() const { return nodes_[0].box; }

 private:
  struct Node {
    Bounds box;
    int32_t first = 0;  // a leaf: its triangles in order_; else the second child, the first one stands next to it
    int32_t count = 0;  // triangles of a leaf, 0 otherwise
  };
  int build(int begin, int end, const std::vector<Vec3d>& centers);

  const TriMesh& mesh_;
  std::vector<int32_t> order_;
  std::vector<Node> nodes_;
};

/// The point of a triangle nearest to x: weights of its corners, exactly 0 on the far side of an edge. (Ericson,
/// Real-Time Collision Detection, 5.1.5)
Vec3d nearest_in_triangle(const Vec3d& x, const Vec3d& a, const Vec3d& b, const Vec3d& c);

}  // namespace pliant::contact
