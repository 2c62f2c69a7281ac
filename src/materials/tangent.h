#pragma once
// The tangent of a stress, dP/dF, as a 9 x 9 matrix in double precision.

#include <array>

#include "math/matrix.h"

namespace pliant {

/// Rows and columns go through the entries of P and F column by column: (r, c) has index 3 c + r.
struct Tangent {
  std::array<std::array<double, 9>, 9> entries{};

  double& operator()(int i, int j) { return entries[static_cast<std::size_t>(i)][static_cast<std::size_t>(j)]; }
  double operator()(int i, int j) const { return entries[static_cast<std::size_t>(i)][static_cast<std::size_t>(j)]; }
};

/// From a function that gives the derivative of the stress along dF.
template <class StressChange>
Tangent tangent_from(const StressChange& stress_change) {
  Tangent result;
  for (int j = 0; j < 9; ++j) {
    Mat3<double> direction{};
    direction(j % 3, j / 3) = 1;
    const Mat3<double> change = stress_change(direction);
    for (int i = 0; i < 9; ++i) result(i, j) = change(i % 3, i / 3);
  }
  return result;
}

/// The nearest symmetric matrix without negative eigenvalues: the energy's curvature where it is curved upward,
/// zero where it is not. A Newton step with it always goes downhill.
Tangent positive_part(const Tangent& tangent);

/// Eigenvalues of the symmetric part, ascending [Pa].
std::array<double, 9> eigenvalues(const Tangent& tangent);

}  // namespace pliant
