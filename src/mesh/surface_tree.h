#pragma once
// Questions to a surface of many triangles: where is its nearest point, where does a segment cross it,
// and is a point inside?
//
// Inside is told by the generalised winding number (Jacobson et al. 2013): the solid angle under which the
// point sees all triangles, over 4 pi. For a closed surface it is the number of times that the surface goes
// around the point; where there are holes it passes smoothly from 1 to 0. Triangles that are far away, seen
// from the point, are summed up as one (Barill et al. 2018, fast winding numbers):
//
//   w(q) = 1 / (4 pi) sum_t  a_t n_t . (x_t - q) / |x_t - q|^3
//
// expanded about the centre p of a group of triangles to first order in x_t - p; near ones count exactly.

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "pliant/mesh.h"

namespace pliant {

class SurfaceTree {
 public:
  /// Takes any triangles with finite positions and numbers in range; those without area are left out.
  explicit SurfaceTree(const TriMesh& mesh);

  bool empty() const { return nodes_.empty(); }
  Vec3d low() const { return origin_ + low_; }
  Vec3d high() const { return origin_ + high_; }

  /// Error below 0.02 for any arrangement of triangles that was tried (tests), typically 0.003.
  double winding_number(const Vec3d& point) const;
  /// The sum over all triangles, for comparison.
  double exact_winding_number(const Vec3d& point) const;

  struct Nearest {
    int triangle = -1;  // number in the mesh; -1: nothing within the limit
    std::array<double, 3> weights{};
    Vec3d position{};
    double distance = 0;  // [m]
  };
  /// The nearest point of the surface that is not farther than `limit` [m].
  Nearest nearest(const Vec3d& point, double limit) const;

  struct Crossing {
    double t;     // along the segment, 0 to 1
    int outward;  // +1: from the back of the triangle to its front, -1: the other way
  };
  /// Where the segment passes through triangles, in the order of t.
  void crossings(const Vec3d& from, const Vec3d& to, std::vector<Crossing>& found) const;

 private:
  struct Corners {
    Vec3d a, b, c;  // relative to origin_
  };
  struct Node {
    Vec3d low, high;
    Vec3d center;                // area-weighted
    Vec3d area_normal;           // sum of a_t n_t
    std::array<Vec3d, 3> slope;  // row i: sum of a_t n_t,i (x_t - center)
    double radius = 0;           // of the ball around `center` that holds all corners
    int first = 0, count = 0;    // leaf: triangles first .. first + count; else count = 0
    int right = 0;               // the left child follows its parent
  };
  struct Build;

  int build(Build& build, int first, int count);

  Vec3d origin_{};  // subtracted from everything: no digits are lost far from the origin
  Vec3d low_{}, high_{};
  std::vector<Node> nodes_;
  std::vector<Corners> corners_;
  std::vector<int> numbers_;  // in the mesh
};

}  // namespace pliant
