// One step, stage by stage. Each stage is one call and one file.

#include "solver/solver.h"

namespace pliant {

template <class Real>
void Solver<Real>::step() {
  const double dt = options_.step / options_.substeps;
  colliders_.start_step();
  for (int substep = 0; substep < options_.substeps; ++substep) {
    renew_bases();
    start_substep();
    predict();
    move_pins(state_.time + dt * (substep + 1));
    colliders_.move(state_.time + dt * substep, dt, dt_, gravity_);
    colliders_.find_contacts();
    find_body_contacts();
    colliders_.project();  // kept multipliers have pushed what lies on the ground into it: constraints must not see that
    for (int iteration = 0; iteration < options_.iterations; ++iteration) {
      project(iteration);
      project_body_contacts();
      colliders_.project();
    }
    colliders_.guard();
    guard_body_contacts();  // the last word: nothing moves afterwards
    update_velocities();
    colliders_.restitute();
    finish_substep();
    colliders_.finish_substep();
    damp_velocities();
  }
  flow();
  ++state_.steps;
  state_.time += options_.step;
  follow_scene();
  report_held();
  report_body_contacts();
}

template void Solver<float>::step();
template void Solver<double>::step();

}  // namespace pliant
