// One step, stage by stage. Each stage is one call and one file.

#include "solver/solver.h"

namespace pliant {

template <class Real>
void Solver<Real>::step() {
  const double dt = options_.step / options_.substeps;
  for (int substep = 0; substep < options_.substeps; ++substep) {
    renew_bases();
    start_substep();
    blow(state_.time + dt * substep);
    predict();
    move_pins(state_.time + dt * (substep + 1));
    move_riders();
    for (int iteration = 0; iteration < options_.iterations; ++iteration) project(iteration);
    move_riders();  // to where the projection has brought what they ride on
    follow_leaders();
    update_velocities();
    push_leaders();
    finish_substep();
    damp_velocities();
  }
  flow();
  ++state_.steps;
  state_.time += options_.step;
  follow_scene();
  report_held();
}

template void Solver<float>::step();
template void Solver<double>::step();

}  // namespace pliant
