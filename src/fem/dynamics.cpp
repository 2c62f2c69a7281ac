#include "fem/dynamics.h"

#include <fmt/format.h>

#include <cmath>
#include <utility>

#include "pliant/error.h"

namespace pliant::fem {

namespace {

/// Overwrites the free coordinates of `values`.
void set_free(const System& system, std::span<const Vec3d> given, Vector& values, const char* where) {
  if (3 * given.size() != static_cast<std::size_t>(values.size())) {
    throw Error(where, fmt::format("{} vectors for {} vertices", given.size(), values.size() / 3),
                "give one per vertex");
  }
  for (int i = 0; i < values.size(); ++i) {
    if (system.free_index(i) >= 0) values[i] = given[static_cast<std::size_t>(i / 3)][i % 3];
  }
}

}  // namespace

Dynamics::Dynamics(const Problem& problem, const NewtonOptions& options)
    : system_(std::make_unique<System>(problem)), newton_(std::make_unique<Newton>(*system_)), options_(options) {
  u_ = system_->held_displacements();
  v_ = Vector::Zero(u_.size());
}

Dynamics::~Dynamics() = default;

DynamicsReport Dynamics::step(double dt) {
  if (!(dt > 0) || !std::isfinite(dt))
    throw Error("dt", fmt::format("{} is not a positive number", dt), "give a step above 0 [s]");
  newton_->set_inertia(system_->masses() / (dt * dt), u_ + dt * v_);
  Vector next = u_;
  const NewtonReport report = newton_->minimise(next, options_);
  if (report.converged) {
    v_ = (next - u_) / dt;
    u_ = std::move(next);
    time_ += dt;
  }
  return {report.converged, report.iterations, report.residual};
}

std::vector<Vec3d> Dynamics::displacements() const { return per_vertex(u_); }
std::vector<Vec3d> Dynamics::velocities() const { return per_vertex(v_); }
void Dynamics::set_displacements(std::span<const Vec3d> displacements) {
  set_free(*system_, displacements, u_, "displacements");
}
void Dynamics::set_velocities(std::span<const Vec3d> velocities) { set_free(*system_, velocities, v_, "velocities"); }

Energies Dynamics::energies() const {
  return {0.5 * system_->masses().dot(v_.cwiseAbs2()), system_->energy(u_), -system_->loads().dot(u_)};
}

}  // namespace pliant::fem
