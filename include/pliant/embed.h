#pragma once
// A fine surface that rides on a coarse mesh: what is seen has more detail than what is simulated.
//
//   world.add_skin(jelly, fine_surface);
//   world.step();
//   auto x = world.skin_positions(jelly);
//
// or by hand, with Embedding.

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "pliant/jobs.h"
#include "pliant/mesh.h"

namespace pliant {

/// Ties points to a mesh at rest and says where they are when it is deformed.
///
/// A point in a tet, or not far from one, is a mixture of its corners:  x = x0 + sum_i w_i (x_i - x0).
///
/// A point on or above a surface (cloth; what stands out of a volume) is a point of the nearest triangle and a
/// displacement along the surface's normal there, a mixture of the normals at the corners (bender14 5, after Kobbelt
/// et al. 1998):  x = p0 + b1 (p1 - p0) + b2 (p2 - p0) + d n,  n = normalised sum_i c_i n_i.  c are the weights of the
/// nearest point; b1, b2 and d solve this equation at rest, so that the rest shape is kept exactly.
///
/// Both follow any rigid motion exactly, up to rounding.
class Embedding {
 public:
  Embedding() = default;
  /// Meshes must have gone through repair(): numbers in range, positions finite, tets with volume.
  Embedding(std::span<const Vec3d> points, const TetMesh& carrier);
  Embedding(std::span<const Vec3d> points, const TriMesh& carrier);

  std::size_t size() const { return ties_.size(); }
  /// How many points are tied by a displacement from the surface.
  std::size_t raised() const { return raised_.size(); }
  /// Where the points are when the carrier's vertices are at `positions`. Both must have the sizes of the rest state.
  void apply(std::span<const Vec3d> positions, std::span<Vec3d> points, JobSystem& jobs) const;

 private:
  struct Tie {
    std::array<int32_t, 4> corners;
    std::array<double, 3> weights;  // of corners 1 to 3
  };
  struct Raised {
    int32_t point;
    std::array<int32_t, 3> corners;
    std::array<double, 3> normal_weights;  // all zero: the triangle's own normal
    double height;                         // [m]
  };
  class Binder;

  void raise(std::span<const Vec3d> positions, std::span<Vec3d> points, JobSystem& jobs) const;

  std::vector<Tie> ties_;
  std::vector<Raised> raised_;
  std::vector<int32_t> normal_vertices_;  // carrier vertices whose normals are needed
  std::vector<int32_t> normal_number_;    // of each carrier vertex in that list; -1: not needed
  std::vector<int32_t> first_triangle_;   // of each of them in around_; one more at the end
  std::vector<Triangle> around_;          // the carrier's triangles at these vertices
};

/// Unit normals of a surface's vertices, weighted by area; +y where there is none.
void vertex_normals(std::span<const Vec3d> positions, std::span<const Triangle> triangles, std::span<Vec3d> normals);

}  // namespace pliant
