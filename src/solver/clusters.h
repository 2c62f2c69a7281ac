#pragma once
// Finds constraints that can be solved together in one gather (constraints/clusters.h).

#include <cstdint>
#include <span>
#include <vector>

#include "constraints/constraint.h"

namespace pliant {

/// Clusters among constraints that are numbered by their order.
struct Clusters {
  std::vector<int32_t> parts;    // three each: which constraints
  std::vector<int32_t> corners;  // three to six each: which particles, in the order of the cluster's pattern
};

/// Sides or hinges of triangles, or triangles or tets in a row (constraints/clusters.h), after what the constraints are
/// made from. Each constraint goes into one cluster at most; those that fit nowhere are left. Linear time.
///
/// particles: 2 each for edges, 3 for triangles, 4 for hinges and tets; numbers below `count`.
Clusters find_clusters(Stencil stencil, std::span<const int32_t> particles, int count);

}  // namespace pliant
