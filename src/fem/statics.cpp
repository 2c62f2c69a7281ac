#include "fem/statics.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "pliant/error.h"

namespace pliant::fem {

namespace {

// A body that can move has zero pivots, which rounding makes about 1e-16; a long thin one of 1000 elements, held at
// one end, has about 1e-9.
constexpr double kSmallestPivot = 1e-13;
constexpr double kSmallestLoadStep = 1e-4;

[[noreturn]] void refuse_loose_body() {
  throw Error("problem.supports", "the body can move without deforming",
              "hold at least three vertices that are not on a line, or coordinates that stop every motion");
}

std::vector<Vec3d> reactions(const System& system, const Vector& internal_forces) {
  Vector result = Vector::Zero(system.coordinate_count());
  for (int i = 0; i < system.coordinate_count(); ++i) {
    if (system.free_index(i) < 0) result[i] = internal_forces[i] - system.loads()[i];
  }
  return per_vertex(result);
}

}  // namespace

StaticsResult solve_statics(const Problem& problem, const StaticsOptions& options) {
  if (options.load_steps < 1) {
    throw Error("load_steps", fmt::format("{} is less than one", options.load_steps), "give a count from 1");
  }
  const System system(problem);
  Newton newton(system);
  StaticsResult result;
  Vector u = Vector::Zero(system.coordinate_count());

  const double full_step = 1.0 / options.load_steps;
  double step = full_step;
  while (result.load < 1) {
    // The last step ends at 1 exactly; a remainder of rounding is no step of its own.
    const double target = result.load + step > 1 - 1e-9 ? 1 : result.load + step;
    const double growth = target - result.load;
    newton.set_loads(target * system.loads());
    const auto predicted = newton.response(u, growth * system.held_displacements(), growth * system.loads());
    if (result.load == 0 && system.free_count() > 0 &&
        (!predicted || newton.smallest_relative_pivot() < kSmallestPivot)) {
      refuse_loose_body();
    }
    bool reached = false;
    if (predicted) {
      Vector trial = u + *predicted;
      NewtonReport report = newton.minimise(trial, options.newton);
      result.iterations += report.iterations + 1;  // the prediction is one, too
      result.residual = report.residual;
      if (report.converged) {
        reached = true;
        u = std::move(trial);
        result.load = target;
        result.potentials = std::move(report.potentials);
        ++result.load_steps;
      }
    }
    step = reached ? std::min(full_step, 2 * step) : 0.5 * growth;
    if (step < kSmallestLoadStep) break;
  }

  result.converged = result.load == 1;
  result.displacements = per_vertex(u);
  result.elastic_energy = system.energy(u);
  Vector forces;
  system.forces(u, forces);
  result.reactions = reactions(system, forces);
  return result;
}

StaticsResult solve_linear_statics(const Problem& problem) {
  const System system(problem);
  Newton newton(system);
  const Vector rest = Vector::Zero(system.coordinate_count());
  const auto u = newton.response(rest, system.held_displacements(), system.loads());
  if (!u || (system.free_count() > 0 && newton.smallest_relative_pivot() < kSmallestPivot)) refuse_loose_body();
  const Vector forces = system.stiffness_times(rest, Stiffness::exact, *u);
  StaticsResult result;
  result.displacements = per_vertex(*u);
  result.reactions = reactions(system, forces);
  result.load = 1;
  result.load_steps = 1;
  result.iterations = 1;
  result.elastic_energy = 0.5 * u->dot(forces);
  double left = 0;
  for (int i = 0; i < system.coordinate_count(); ++i) {
    if (system.free_index(i) >= 0) left = std::max(left, std::abs(forces[i] - system.loads()[i]));
  }
  const double in_balance = std::max(forces.cwiseAbs().maxCoeff(), system.loads().cwiseAbs().maxCoeff());
  result.residual = in_balance > 0 ? left / in_balance : 0;
  // A linear solve is as good as its rounding: 1e-16 times the condition number, which is below 1e8 here.
  result.converged = result.residual <= 1e-8;
  return result;
}

}  // namespace pliant::fem
