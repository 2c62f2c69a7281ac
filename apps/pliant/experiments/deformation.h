#pragma once
// How far a body of tets is from its rest shape, in terms that hold for flat and inverted elements too.

#include <span>

#include "math/svd.h"
#include "pliant/mesh.h"

namespace pliant::experiments {

/// Stretches s0 >= s1 >= |s2| of one tet; s2 is negative if it is inverted.
Vec3d stretches(const TetMesh& rest, const Tet& tet, std::span<const Vec3d> positions);

struct Deformation {
  double distance = 0;         // from the closest rotations: root of the mean over the volume of sum_i (s_i - 1)^2
  int inverted = 0;            // elements without positive volume
  double smallest_volume = 0;  // of an element over that at rest
  double volume = 0;           // of all over that at rest
};
Deformation deformation(const TetMesh& rest, std::span<const Vec3d> positions);

}  // namespace pliant::experiments
