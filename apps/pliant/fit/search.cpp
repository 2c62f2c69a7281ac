#include "fit/search.h"

#include <algorithm>
#include <cmath>
#include <limits>

#ifdef PLIANT_NLOPT
#include <nlopt.h>
#endif

namespace pliant::fit {

namespace {

constexpr double kGolden = 1.6180339887498949;

/// Onto the border where it is nearer than rounding: sums of steps that should be 0 are 1e-18.
double within(double k, const Bounds& bounds) {
  constexpr double kRounding = 1e-12;
  if (k < bounds.low + kRounding) return bounds.low;
  return k > bounds.high - kRounding ? bounds.high : k;
}

/// Pattern search: of the eight neighbours at distance `step` the best is taken, if it is better; if none is the step
/// shrinks by the golden ratio.
void pattern_search(const Objective& error, const Bounds& bounds, double step, double tolerance, Found& best) {
  while (step > tolerance) {
    const Stiffness center = best.stiffness;
    bool better = false;
    for (int i = -1; i <= 1; ++i) {
      for (int j = -1; j <= 1; ++j) {
        if (i == 0 && j == 0) continue;
        const Stiffness k{within(center.distance + i * step, bounds), within(center.volume + j * step, bounds)};
        if (k == center) continue;
        const double e = error(k);
        ++best.evaluations;
        if (e < best.error) {
          best.error = e;
          best.stiffness = k;
          better = true;
        }
      }
    }
    if (!better) step /= kGolden;
  }
}

#ifdef PLIANT_NLOPT
struct Problem {
  const Objective* error;
  Found* best;
};

double evaluate(unsigned, const double* k, double*, void* data) {
  auto& problem = *static_cast<Problem*>(data);
  const double e = (*problem.error)({k[0], k[1]});
  ++problem.best->evaluations;
  if (e < problem.best->error) {
    problem.best->error = e;
    problem.best->stiffness = {k[0], k[1]};
  }
  return std::isfinite(e) ? e : 1e12;  // its model of second order must stay finite
}

void quadratic_search(const Objective& error, const Bounds& bounds, double tolerance, Found& best) {
  Problem problem{&error, &best};
  double k[2] = {best.stiffness.distance, best.stiffness.volume}, e = 0;
  nlopt_opt options = nlopt_create(NLOPT_LN_BOBYQA, 2);
  nlopt_set_lower_bounds1(options, bounds.low);
  nlopt_set_upper_bounds1(options, bounds.high);
  nlopt_set_initial_step1(options, bounds.sweep_step);
  nlopt_set_xtol_abs1(options, tolerance);
  nlopt_set_maxeval(options, 500);
  nlopt_set_min_objective(options, evaluate, &problem);
  nlopt_optimize(options, k, &e);  // what it found on its way is in `best`, however it ends
  nlopt_destroy(options);
}
#endif

}  // namespace

bool has_nlopt() {
#ifdef PLIANT_NLOPT
  return true;
#else
  return false;
#endif
}

Found search(const Objective& error, const Bounds& bounds, [[maybe_unused]] Optimizer optimizer, double tolerance) {
  Found best;
  best.error = std::numeric_limits<double>::infinity();
  const int steps = static_cast<int>(std::lround((bounds.high - bounds.low) / bounds.sweep_step));
  for (int i = 0; i <= steps; ++i) {
    for (int j = 0; j <= steps; ++j) {
      const Stiffness k{bounds.low + (bounds.high - bounds.low) * i / steps,
                        bounds.low + (bounds.high - bounds.low) * j / steps};
      const double e = error(k);
      ++best.evaluations;
      if (e < best.error) {
        best.error = e;
        best.stiffness = k;
      }
    }
  }
  best.sweep_error = best.error;
  if (!std::isfinite(best.error)) return best;
  double step = bounds.sweep_step;
#ifdef PLIANT_NLOPT
  if (optimizer == Optimizer::bobyqa) {
    quadratic_search(error, bounds, tolerance, best);
    step = 10 * tolerance;
  }
#endif
  pattern_search(error, bounds, step, tolerance, best);
  return best;
}

}  // namespace pliant::fit
