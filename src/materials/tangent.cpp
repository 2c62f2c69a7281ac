#include "materials/tangent.h"

#include <Eigen/Eigenvalues>

namespace pliant {

namespace {

using Matrix9 = Eigen::Matrix<double, 9, 9>;

Matrix9 symmetric(const Tangent& tangent) {
  Matrix9 matrix;
  for (int i = 0; i < 9; ++i) {
    for (int j = 0; j < 9; ++j) matrix(i, j) = 0.5 * (tangent(i, j) + tangent(j, i));
  }
  return matrix;
}

}  // namespace

Tangent positive_part(const Tangent& tangent) {
  const Eigen::SelfAdjointEigenSolver<Matrix9> solver(symmetric(tangent));
  const auto& vectors = solver.eigenvectors();
  const Matrix9 matrix = vectors * solver.eigenvalues().cwiseMax(0).asDiagonal() * vectors.transpose();
  Tangent result;
  for (int i = 0; i < 9; ++i) {
    for (int j = 0; j < 9; ++j) result(i, j) = matrix(i, j);
  }
  return result;
}

std::array<double, 9> eigenvalues(const Tangent& tangent) {
  const Eigen::SelfAdjointEigenSolver<Matrix9> solver(symmetric(tangent), Eigen::EigenvaluesOnly);
  std::array<double, 9> result;
  for (int i = 0; i < 9; ++i) result[static_cast<std::size_t>(i)] = solver.eigenvalues()(i);
  return result;
}

}  // namespace pliant
