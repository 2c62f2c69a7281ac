#pragma once
// How a solid moves: implicit Euler, each step solved to rounding by Newton's method.
//
//   v1 = v0 + dt M^-1 (f - dE/dx(x1)),   x1 = x0 + dt v1
//
// x1 is the minimum of E(x) - f . x + 1/(2 dt^2) |x - x0 - dt v0|^2_M. Masses are lumped to the vertices. First order
// in dt: the motion loses energy, the more the longer the step; with short steps it is the reference for dynamics.

#include <memory>
#include <span>
#include <vector>

#include "fem/newton.h"
#include "fem/problem.h"

namespace pliant::fem {

struct DynamicsReport {
  bool converged = false;
  int iterations = 0;
  double residual = 0;
};

struct Energies {
  double kinetic = 0;    // [J]
  double elastic = 0;    // [J]
  double potential = 0;  // [J] of weight and forces: minus their work since the rest shape
  double total() const { return kinetic + elastic + potential; }
};

class Dynamics {
 public:
  /// Begins at the rest shape, at rest, with held vertices at their displacements. Throws Error if the problem is
  /// not valid.
  explicit Dynamics(const Problem& problem, const NewtonOptions& options = {});
  ~Dynamics();
  Dynamics(Dynamics&&) noexcept = default;

  /// Advances by dt [s]. A step that does not converge leaves the state as it was.
  DynamicsReport step(double dt);

  double time() const { return time_; }
  std::vector<Vec3d> displacements() const;  // [m] from the rest shape
  std::vector<Vec3d> velocities() const;     // [m/s]
  /// Held coordinates keep what the supports say.
  void set_displacements(std::span<const Vec3d> displacements);
  void set_velocities(std::span<const Vec3d> velocities);
  Energies energies() const;

 private:
  std::unique_ptr<System> system_;
  std::unique_ptr<Newton> newton_;
  NewtonOptions options_;
  Vector u_, v_;
  double time_ = 0;
};

}  // namespace pliant::fem
