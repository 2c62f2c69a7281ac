#pragma once
// How the elements of a body are deformed, and what its material makes of it: for files and pictures.

#include <array>
#include <vector>

#include "pliant/world.h"

namespace pliant {

/// One entry per element: the tets of a solid, the triangles of a cloth, the segments of a rope.
struct ElementFields {
  /// Largest relative change of a length: max |s - 1| over the stretches s (singular values of F).
  std::vector<double> strain;
  // Of a solid with a material; all others have not a number here. Where it flows: of the elastic part.
  std::vector<double> von_mises;              // [Pa] equivalent stress of von Mises
  std::vector<double> energy_density;         // [J/m^3], per volume at rest
  std::vector<std::array<double, 6>> stress;  // [Pa] Cauchy's, in space: xx, yy, zz, xy, yz, zx
};

ElementFields element_fields(const World& world, BodyId body);

}  // namespace pliant
