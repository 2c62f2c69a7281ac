#pragma once
// Constraints that make energy because nothing holds what they leave free, and what is said of them.

#include <string>
#include <vector>

#include "solver/model.h"

namespace pliant {

/// Of the constraints `made` for a body, in plain words.
///
/// An angle between triangles, or a volume, does not change when elements grow in other ways, so that what a projection
/// does to these adds up. Where nothing holds lengths, or holds them so softly that elements collapse before it acts,
/// energy comes of it (docs/constraints/stability.md). dt [s] is that of a substep; `sheet_modulus` [N/m] that of a
/// cloth's material or strains.
std::vector<std::string> form_warnings(const BodyInput& body, const std::vector<ConstraintInput>& made,
                                       double sheet_modulus, double dt);

}  // namespace pliant
