#pragma once
// Models that are not part of the project: read from the folder that the user names (--models, PLIANT_MODELS).

#include <optional>
#include <string>

#include "experiments/experiment.h"
#include "pliant/mesh.h"

namespace pliant::experiments {

/// The tetrahedral armadillo of bender14 (armadillo_4k.node and .ele: 1180 vertices, 3717 tets), upright, `height` tall
/// [m], centred. Without a folder, or without that file in it, a line in the notes says so.
std::optional<TetMesh> armadillo(const Context& context, double height, Report& report);

}  // namespace pliant::experiments
