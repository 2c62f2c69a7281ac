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

/// Small scenes, one per constraint type of the baseline and two that combine them, simulated by both.
std::vector<Agreement> compare_with_baseline();

}  // namespace pliant::bench
