#pragma once
// Which tet is a point in?

#include <array>
#include <cstdint>
#include <vector>

#include "pliant/mesh.h"

namespace pliant {

/// Weights of a tet's corners for a point, negative outside; they sum to one. The tet must have volume.
std::array<double, 4> tet_weights(const std::array<Vec3d, 4>& corners, const Vec3d& point);

/// A grid of boxes, each with the tets that touch it: about one tet per box.
class TetLocator {
 public:
  /// Keeps a reference to the mesh.
  explicit TetLocator(const TetMesh& mesh);

  struct Place {
    int tet = -1;  // -1: in none
    std::array<double, 4> weights{};
  };
  /// The tet that holds the point, with room for rounding; of several the one it is deepest in.
  Place find(const Vec3d& point) const;

 private:
  std::array<int64_t, 3> box_of(const Vec3d& point) const;

  const TetMesh& mesh_;
  Vec3d low_{}, high_{}, box_size_{};
  std::array<int64_t, 3> count_{};
  std::vector<int32_t> first_, tets_;
};

}  // namespace pliant
