#pragma once
// Newton's method for the potential of a finite-element system:
//
//   Pi(u) = E(u) - f . u  [ + 1/2 sum m/dt^2 |u - target|^2 ]       [J]
//
// E is the elastic energy, f the loads; the bracket belongs to a step of implicit Euler. Each iteration solves
// K du = -dPi/du for the free coordinates by a sparse Cholesky factorisation and goes along du as far as Pi falls
// (halving, Armijo's condition). Where K is not positive definite, each element's negative curvature is left out.

#include <Eigen/SparseCholesky>
#include <optional>
#include <vector>

#include "fem/system.h"

namespace pliant::fem {

struct NewtonOptions {
  /// Converged when no free coordinate has a force left above this part of the largest force that is in balance
  /// (or above what rounding makes of it, see residual_limit in newton.cpp).
  double tolerance = 1e-10;
  int max_iterations = 100;  // of one load step or time step
};

struct NewtonReport {
  bool converged = false;
  int iterations = 0;
  double residual = 0;             // largest force left on a free coordinate / largest force in balance
  std::vector<double> potentials;  // [J] before the first and after each iteration
  int positive_parts = 0;          // iterations in which negative curvature was left out
};

class Newton {
 public:
  explicit Newton(const System& system);

  /// Weight and forces that act; those of the system by default [N].
  void set_loads(Vector loads) { loads_ = std::move(loads); }
  /// For implicit Euler: masses / dt^2 [kg/s^2] and where each coordinate would go without elasticity [m].
  void set_inertia(Vector masses_over_step_squared, Vector target);

  double potential(const Vector& u) const;
  /// Changes the free coordinates of u.
  NewtonReport minimise(Vector& u, const NewtonOptions& options);

  /// Small displacements that answer, to first order, a change of the loads and of the held coordinates (`held`
  /// is zero for the free ones), beginning in equilibrium at u. Empty if the stiffness cannot be factorised.
  std::optional<Vector> response(const Vector& u, const Vector& held, const Vector& loads);

  /// The smallest pivot of the last factorisation over its diagonal entry: about zero if some motion meets no
  /// resistance.
  double smallest_relative_pivot() const;

 private:
  /// dPi/du for all coordinates; returns the largest force in balance.
  double gradient(const Vector& u, Vector& result) const;
  bool factorise(const Vector& u, Stiffness kind);
  Vector solve(const Vector& right_side) const;  // all coordinates in, zero for the held ones out
  double largest_free(const Vector& forces) const;

  const System& system_;
  Vector loads_;
  std::optional<Vector> inertia_, target_;
  SparseMatrix matrix_;
  Eigen::SimplicialLLT<SparseMatrix> factor_;
};

}  // namespace pliant::fem
