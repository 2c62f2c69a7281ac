#pragma once
// The equations of a finite-element problem: energy, forces and stiffness of all tets together, as functions of the
// displacements of the vertices.
//
// Linear tets: F = I + sum_a u_a (x) g_a with g_a the gradient of corner a's shape function, so that
//   E = sum V psi(F),   dE/du_a = V P g_a,   d2E/du_a du_b = V g_a . dP/dF . g_b
//
// Displacements are one vector of 3 numbers per vertex. A coordinate is free or held; the stiffness matrix has rows
// for the free ones only, numbered in their order.

#include <Eigen/SparseCore>
#include <array>
#include <vector>

#include "fem/problem.h"
#include "materials/elastic_law.h"

namespace pliant::fem {

using Vector = Eigen::VectorXd;
using SparseMatrix = Eigen::SparseMatrix<double>;  // the lower triangle of a symmetric matrix

/// The three coordinates of each vertex.
std::vector<Vec3d> per_vertex(const Vector& values);

enum class Stiffness {
  exact,     // the second derivative of the energy, definite or not
  positive,  // each element's own without its negative eigenvalues
};

class System {
 public:
  /// Throws Error if the problem is not valid.
  explicit System(const Problem& problem);

  int coordinate_count() const { return static_cast<int>(free_index_.size()); }
  int free_count() const { return free_count_; }
  /// Position of a coordinate (3 vertex + axis) among the free ones, -1 if it is held.
  int free_index(int coordinate) const { return free_index_[static_cast<std::size_t>(coordinate)]; }
  /// What the supports ask for, zero for free coordinates [m].
  const Vector& held_displacements() const { return held_displacements_; }
  /// Weight and forces [N].
  const Vector& loads() const { return loads_; }
  /// Of each coordinate's vertex [kg].
  const Vector& masses() const { return masses_; }
  /// Largest extent of the rest shape [m].
  double size() const { return size_; }

  /// Elastic energy [J]; infinite where the material is not defined.
  double energy(const Vector& u) const;
  /// The derivative of the energy for all coordinates [N]. `magnitude`, if given, gets for each coordinate the sum
  /// of the absolute values that were added up: what rounding errors are to be measured by.
  void forces(const Vector& u, Vector& result, Vector* magnitude = nullptr) const;
  /// The stiffness matrix of the free coordinates [N/m]; its pattern never changes.
  void stiffness(const Vector& u, Stiffness kind, SparseMatrix& result) const;
  /// Forces on all coordinates by small displacements du, with the same stiffness [N].
  Vector stiffness_times(const Vector& u, Stiffness kind, const Vector& du) const;

 private:
  struct Element {
    std::array<int, 4> vertices;
    std::array<Vec3d, 4> gradients;  // of the shape functions [1/m]
    double volume;                   // [m^3]
  };
  using ElementMatrix = Eigen::Matrix<double, 12, 12>;

  Mat3<double> deformation_gradient(const Element& element, const Vector& u) const;
  ElementMatrix element_stiffness(const Element& element, const Vector& u, Stiffness kind) const;

  ElasticLaw law_;
  std::vector<Element> elements_;
  std::vector<int> free_index_;
  int free_count_ = 0;
  double size_ = 0;
  Vector held_displacements_, loads_, masses_;
  SparseMatrix pattern_;
  std::vector<std::array<int, 144>> slots_;  // of each element's entries among the pattern's values, -1: none
};

}  // namespace pliant::fem
