// One step, stage by stage. Each stage is one call and one file.

#include "core/denormals.h"
#include "solver/body_contacts.h"
#include "solver/solver.h"

namespace pliant {

template <class Real>
void Solver<Real>::step() {
  const FlushDenormals flush;
  const double dt = options_.step / options_.substeps;
  clock_.start();
  colliders_.start_step();
  open_ledger();
  find_tension();
  for (int substep = 0; substep < options_.substeps; ++substep) {
    renew_bases();
    start_substep();
    ledger_.start_substep();
    blow(state_.time + dt * substep);
    predict();
    move_pins(state_.time + dt * (substep + 1));
    move_riders();
    colliders_.move(state_.time + dt * substep, dt, dt_, gravity_);
    clock_.done(Stage::predict);
    colliders_.find_contacts();
    find_body_contacts(substep);
    clock_.done(Stage::find_contacts);
    // Kept multipliers have pushed what touches, and what lies on the ground, into each other: constraints must not see
    // that.
    if (body_contacts_) body_contacts_->settle();
    if (substep == 0) find_pressed();
    colliders_.project();
    for (int iteration = 0; iteration < options_.iterations; ++iteration) {
      clock_.done(Stage::project_contacts);
      project(iteration);
      clock_.done(Stage::project);
      project_body_contacts();
      if (!body_contacts_) clock_.done(Stage::project_contacts);
      if (project_pressed()) project_body_contacts();
      if (!body_contacts_) clock_.done(Stage::project);
      colliders_.project();
    }
    clock_.done(Stage::project_contacts);
    colliders_.guard();
    guard_body_contacts();  // the last word: no surface moves afterwards
    clock_.done(Stage::guard);
    move_riders();  // to where the projection has brought what they ride on
    follow_leaders();
    update_velocities();
    push_leaders();
    colliders_.restitute();
    finish_substep();
    colliders_.finish_substep();
    damp_velocities();
    clock_.done(Stage::velocities);
  }
  flow();
  ++state_.steps;
  state_.time += options_.step;
  follow_scene();
  stretch_.look(state_, *jobs_);
  watch_energy();
  report_held();
  report_body_contacts();
  clock_.done(Stage::end);
}

template void Solver<float>::step();
template void Solver<double>::step();

}  // namespace pliant
