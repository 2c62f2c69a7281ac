#pragma once
// What stands in a world and cannot be meant, as a person would see at once: docs/plausibility.md. Settings that are
// wrong are errors and never get here; these are possible, and most likely a unit or a power of ten is amiss.

#include <optional>
#include <string>
#include <vector>

#include "solver/solver.h"

namespace pliant {

/// One line each: which field, its value, why, and what to do. The bounds are those of nature, or those at which the
/// numbers' digits end, so that nobody who means it is told.
std::vector<std::string> doubts(const ModelInput& input, const std::vector<std::optional<ClothMaterial>>& fabrics,
                                const WorldOptions& options, const Loads& loads);

}  // namespace pliant
