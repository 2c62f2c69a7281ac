#pragma once
// Finds constraints that can be solved together in one gather (constraints/clusters.h).

#include <cstdint>
#include <span>
#include <vector>

namespace pliant {

/// Clusters among constraints that are numbered by their order: ThreeDistances of distances, ThreeBends of bends.
struct Clusters {
  std::vector<int32_t> parts;    // three each: which constraints
  std::vector<int32_t> corners;  // three or six each: which particles
};

/// Each constraint goes into one cluster at most; those that fit nowhere are left. Linear time.
///
/// particles: of constraints on edges (points = 2) or hinges (points = 4), numbers below `count`.
Clusters find_clusters(std::span<const int32_t> particles, int points, int count);

}  // namespace pliant
