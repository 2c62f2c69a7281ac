#pragma once
// Does the baseline compute what the engine computes? If not, comparing their speed means nothing.

#include <string>
#include <vector>

namespace pliant::bench {

struct Agreement {
  std::string name;
  double difference = 0;                               // largest distance between the two results / largest motion
  double bound = 0;                                    // what is tolerated
  bool agrees() const { return difference <= bound; }  // false also for what is not a number
};

/// Small scenes simulated by both: single constraints, meshes of one type each, and two bodies in motion.
std::vector<Agreement> compare_with_baseline();

}  // namespace pliant::bench
