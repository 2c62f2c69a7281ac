#include "fem/newton.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace pliant::fem {

namespace {

constexpr double kEpsilon = std::numeric_limits<double>::epsilon();
// Armijo's condition asks for this part of the decrease that the slope promises: the customary value.
constexpr double kArmijo = 1e-4;
// A step of 2^-40 of Newton's changes nothing that matters; then there is no way down in this direction.
constexpr int kHalvings = 40;

}  // namespace

Newton::Newton(const System& system) : system_(system), loads_(system.loads()) {
  system_.stiffness(Vector::Zero(system.coordinate_count()), Stiffness::exact, matrix_);
  factor_.analyzePattern(matrix_);
}

void Newton::set_inertia(Vector masses_over_step_squared, Vector target) {
  inertia_ = std::move(masses_over_step_squared);
  target_ = std::move(target);
}

double Newton::potential(const Vector& u) const {
  double sum = system_.energy(u) - loads_.dot(u);
  if (inertia_) sum += 0.5 * inertia_->dot((u - *target_).cwiseAbs2());
  return sum;
}

double Newton::gradient(const Vector& u, Vector& result) const {
  Vector magnitude;
  system_.forces(u, result, &magnitude);
  result -= loads_;
  magnitude += loads_.cwiseAbs();
  if (inertia_) {
    const Vector inertial = inertia_->cwiseProduct(u - *target_);
    result += inertial;
    magnitude += inertial.cwiseAbs();
  }
  return magnitude.maxCoeff();
}

double Newton::largest_free(const Vector& forces) const {
  double largest = 0;
  for (int i = 0; i < system_.coordinate_count(); ++i) {
    if (system_.free_index(i) >= 0) largest = std::max(largest, std::abs(forces[i]));
  }
  return largest;
}

bool Newton::factorise(const Vector& u, Stiffness kind) {
  system_.stiffness(u, kind, matrix_);
  if (inertia_) {
    for (int i = 0; i < system_.coordinate_count(); ++i) {
      if (const int k = system_.free_index(i); k >= 0) matrix_.coeffRef(k, k) += (*inertia_)[i];
    }
  }
  factor_.factorize(matrix_);
  return factor_.info() == Eigen::Success;
}

double Newton::smallest_relative_pivot() const {
  const SparseMatrix& lower = factor_.matrixL().nestedExpression();
  const auto& permutation = factor_.permutationP().indices();
  double smallest = std::numeric_limits<double>::infinity();
  for (int k = 0; k < matrix_.rows(); ++k) {
    const int row = permutation[k];
    const double root = lower.coeff(row, row);
    smallest = std::min(smallest, root * root / matrix_.coeff(k, k));
  }
  return smallest;
}

Vector Newton::solve(const Vector& right_side) const {
  Vector compact(system_.free_count());
  for (int i = 0; i < system_.coordinate_count(); ++i) {
    if (const int k = system_.free_index(i); k >= 0) compact[k] = right_side[i];
  }
  compact = factor_.solve(compact);
  Vector result = Vector::Zero(system_.coordinate_count());
  for (int i = 0; i < system_.coordinate_count(); ++i) {
    if (const int k = system_.free_index(i); k >= 0) result[i] = compact[k];
  }
  return result;
}

std::optional<Vector> Newton::response(const Vector& u, const Vector& held, const Vector& loads) {
  Stiffness kind = Stiffness::exact;
  if (!factorise(u, kind)) {
    kind = Stiffness::positive;
    if (!factorise(u, kind)) return {};
  }
  return Vector(held + solve(loads - system_.stiffness_times(u, kind, held)));
}

NewtonReport Newton::minimise(Vector& u, const NewtonOptions& options) {
  NewtonReport report;
  Vector g;
  double in_balance = gradient(u, g);
  double left = largest_free(g);
  double value = potential(u);
  report.potentials.push_back(value);
  if (system_.free_count() == 0) {
    report.converged = std::isfinite(value);
    return report;
  }

  while (true) {
    report.residual = in_balance > 0 ? left / in_balance : 0;
    if (!std::isfinite(value) || !std::isfinite(left)) return report;
    if (left <= options.tolerance * in_balance) {
      report.converged = true;
      return report;
    }
    if (report.iterations >= options.max_iterations) return report;

    if (!factorise(u, Stiffness::exact)) {
      ++report.positive_parts;
      if (!factorise(u, Stiffness::positive)) return report;
    }
    // F = I + H is rounded to about kEpsilon, which the stiffness turns into a force of kEpsilon times stiffness times
    // size: no iteration gets below that, and where loads are tiny it is above the tolerance.
    const double residual_limit = 4 * kEpsilon * matrix_.diagonal().maxCoeff() * system_.size();
    if (left <= residual_limit) {
      report.converged = true;
      return report;
    }

    const Vector du = solve(-g);
    const double slope = g.dot(du);
    // Near the minimum a step changes Pi by less than its rounding; there the force left decides.
    const double rounding = 1e3 * kEpsilon * (std::abs(value) + std::abs(loads_.dot(u)));
    bool moved = false;
    double step = 1;
    for (int halving = 0; halving <= kHalvings; ++halving, step *= 0.5) {
      Vector trial = u + step * du;
      const double trial_value = potential(trial);
      if (!std::isfinite(trial_value)) continue;
      const bool falls = trial_value <= value + kArmijo * step * slope;
      const bool below_rounding = std::abs(step * slope) <= rounding;
      if (!falls && !below_rounding) continue;
      Vector trial_g;
      const double trial_in_balance = gradient(trial, trial_g);
      const double trial_left = largest_free(trial_g);
      if (!falls && !(trial_left < left)) continue;
      u = std::move(trial);
      g = std::move(trial_g);
      value = trial_value;
      in_balance = trial_in_balance;
      left = trial_left;
      moved = true;
      break;
    }
    if (!moved) return report;
    ++report.iterations;
    report.potentials.push_back(value);
  }
}

}  // namespace pliant::fem
