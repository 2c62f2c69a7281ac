#pragma once
// Finds the stiffness that comes nearest to the reference.                                          real17 3.2

#include <functional>

#include "fit/contestant.h"

namespace pliant::fit {

struct Found {
  Stiffness stiffness;
  double error = 0;        // of real17's measure
  double sweep_error = 0;  // the best of the sweep
  int evaluations = 0;
};

struct Bounds {
  double low = 0, high = 1;
  double sweep_step = 0.05;
};

/// Error at a stiffness; infinite where the body does not come to rest.
using Objective = std::function<double(const Stiffness&)>;

enum class Optimizer {
  pattern,  // the thesis's: pattern search, all eight neighbours, steps divided by the golden ratio
  bobyqa,   // NLopt's BOBYQA from the same start, then the pattern search
};

/// The thesis's sweep over a grid, then a search from its best point. Never worse than the sweep, and the same bits
/// every time.
Found search(const Objective& error, const Bounds& bounds, Optimizer optimizer = Optimizer::pattern,
             double tolerance = 1e-5);

/// Whether the program was built with NLopt.
bool has_nlopt();

}  // namespace pliant::fit
