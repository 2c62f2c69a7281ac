#pragma once
// Renumbers the vertices of a body so that neighbours stand near one another in memory.

#include <span>
#include <vector>

#include "pliant/mesh.h"

namespace pliant {

/// order[new] = old. Reverse Cuthill-McKee over the mesh's edges, or the given order where that is
/// already as local (measured by the mean distance in memory of an edge's ends). Linear time.
std::vector<int> locality_order(int vertices, std::span<const Edge> edges);

}  // namespace pliant
