#pragma once
// What each entry of mueller14's strain is in a deformed solid, in frames of its own for each tet (mueller14 3.6).

#include <array>
#include <span>
#include <vector>

#include "pliant/mesh.h"

namespace pliant::experiments {

/// Unit vectors at right angles in the rest shape.
using Frame = std::array<Vec3d, 3>;

/// Root mean squares over the rest volume.
struct StrainEntries {
  std::array<double, 3> stretch{};  // |f_i| - 1 along the axes 1, 2, 3 (eq. 14)
  std::array<double, 3> shear{};    // cosine of the angle between the axes 2 and 3, 3 and 1, 1 and 2 (eq. 15)
  double volume = 0;                // det F - 1 of the elements (eq. 16)
  double whole_volume = 0;          // of all, over that at rest, less 1: has a sign
  int inverted = 0;                 // elements

  double all_stretch() const;  // of all three
  double all_shear() const;
};

/// `frames`: one per tet.
StrainEntries strain_entries(const TetMesh& rest, std::span<const Frame> frames, std::span<const Vec3d> positions);

}  // namespace pliant::experiments
