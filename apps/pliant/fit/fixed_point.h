#pragma once
// Finds x = g(x) in far fewer evaluations than by going x = g(g(g(...))).

#include <functional>
#include <vector>

namespace pliant::fit {

struct FixedPointOptions {
  double tolerance = 1e-9;  // of |g(x) - x|, largest entry; ten times as much is left of the way to the solution
  double farthest = 2;      // from the start, largest entry: further away it is given up
  int most_evaluations = 400;
  int window = 60;  // so many directions are kept, then the older half is dropped
};

struct FixedPoint {
  std::vector<double> x;
  bool found = false;
  int evaluations = 0;
};

/// Anderson's acceleration (Walker and Ni 2011, type II): the next x is the combination of the last ones whose g(x) - x
/// is the least, which for an affine g of n unknowns is the solution after n + 1 evaluations. Its way from x is that
/// of a quasi-Newton step, so it tells how far the solution is where the iteration itself creeps.
FixedPoint fixed_point(std::vector<double> start,
                       const std::function<std::vector<double>(const std::vector<double>&)>& g,
                       const FixedPointOptions& options);

}  // namespace pliant::fit
