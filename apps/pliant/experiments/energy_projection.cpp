#include "experiments/energy_projection.h"

#include <Eigen/SparseCholesky>
#include <Eigen/SparseCore>

#include "math/matrix.h"

namespace pliant::experiments {
namespace {

/// (x1 - x4, x2 - x4, x3 - x4)
Mat3<double> shape_matrix(const Tet& t, const std::vector<Vec3d>& x) {
  const Vec3d& last = x[static_cast<std::size_t>(t[3])];
  return {x[static_cast<std::size_t>(t[0])] - last, x[static_cast<std::size_t>(t[1])] - last,
          x[static_cast<std::size_t>(t[2])] - last};
}

}  // namespace

EnergyProjection::EnergyProjection(const TetMesh& mesh, const Material& material, std::vector<double> inverse_masses)
    : law_(material), inverse_masses_(std::move(inverse_masses)) {
  for (const Tet& tet : mesh.tets) {
    const Mat3<double> rest = shape_matrix(tet, mesh.positions);
    // The document's edges run to the last corner, which turns the sign of the determinant.
    elements_.push_back({tet, inverse(rest), std::abs(determinant(rest)) / 6});
  }
}

double EnergyProjection::evaluate(std::size_t element, const std::vector<Vec3d>& x,
                                  std::array<Vec3d, 4>& gradient) const {
  const Element& e = elements_[element];
  const Mat3<double> F = shape_matrix(e.vertices, x) * e.inverse_rest;
  const Mat3<double> H = mul_transpose(law_.stress(F), e.inverse_rest) * e.volume;
  gradient = {H.c0, H.c1, H.c2, -(H.c0 + H.c1 + H.c2)};
  return e.volume * law_.energy(F);
}

double EnergyProjection::energy(const std::vector<Vec3d>& x) const {
  double sum = 0;
  for (const Element& e : elements_) sum += e.volume * law_.energy(shape_matrix(e.vertices, x) * e.inverse_rest);
  return sum;
}

void EnergyProjection::gauss_seidel(std::vector<Vec3d>& x) const {
  std::array<Vec3d, 4> g;
  for (std::size_t k = 0; k < elements_.size(); ++k) {
    const double C = evaluate(k, x, g);
    double weight = 0;
    for (std::size_t i = 0; i < 4; ++i) {
      weight += inverse_masses_[static_cast<std::size_t>(elements_[k].vertices[i])] * dot(g[i], g[i]);
    }
    if (!(weight > 0)) continue;  // at rest, or held all over
    for (std::size_t i = 0; i < 4; ++i) {
      const auto v = static_cast<std::size_t>(elements_[k].vertices[i]);
      x[v] -= g[i] * (inverse_masses_[v] * C / weight);
    }
  }
}

void EnergyProjection::newton(std::vector<Vec3d>& x) const {
  const auto count = static_cast<Eigen::Index>(elements_.size());
  const auto coordinates = static_cast<Eigen::Index>(3 * x.size());
  Eigen::VectorXd C(count), W(coordinates);
  for (Eigen::Index i = 0; i < coordinates; ++i) W[i] = inverse_masses_[static_cast<std::size_t>(i / 3)];
  std::vector<Eigen::Triplet<double>> entries;
  entries.reserve(elements_.size() * 12);
  std::array<Vec3d, 4> g;
  for (Eigen::Index k = 0; k < count; ++k) {
    C[k] = evaluate(static_cast<std::size_t>(k), x, g);
    for (std::size_t i = 0; i < 4; ++i) {
      for (int axis = 0; axis < 3; ++axis) {
        entries.emplace_back(k, 3 * elements_[static_cast<std::size_t>(k)].vertices[i] + axis, g[i][axis]);
      }
    }
  }
  Eigen::SparseMatrix<double> J(count, coordinates);
  J.setFromTriplets(entries.begin(), entries.end());
  Eigen::SparseMatrix<double> A = J * W.asDiagonal() * J.transpose();
  // There can be more constraints than coordinates, and the gradient vanishes at rest: A is then singular. A small
  // part of its diagonal makes it definite and leaves the solution of least change.
  constexpr double kRegularisation = 1e-8;
  const double floor = kRegularisation * A.diagonal().maxCoeff();
  for (Eigen::Index k = 0; k < count; ++k) A.coeffRef(k, k) += kRegularisation * A.coeff(k, k) + 1e-6 * floor;
  Eigen::SimplicialLDLT<Eigen::SparseMatrix<double>> factor(A);
  const Eigen::VectorXd dx = W.asDiagonal() * (J.transpose() * factor.solve(-C));
  for (std::size_t v = 0; v < x.size(); ++v) {
    const auto i = static_cast<Eigen::Index>(3 * v);
    x[v] += Vec3d{dx[i], dx[i + 1], dx[i + 2]};
  }
}

void EnergyProjection::constant_multiplier(std::vector<Vec3d>& x, double lambda) const {
  std::vector<Vec3d> sum(x.size());
  std::array<Vec3d, 4> g;
  for (std::size_t k = 0; k < elements_.size(); ++k) {
    evaluate(k, x, g);
    for (std::size_t i = 0; i < 4; ++i) sum[static_cast<std::size_t>(elements_[k].vertices[i])] += g[i];
  }
  for (std::size_t v = 0; v < x.size(); ++v) x[v] += sum[v] * (inverse_masses_[v] * lambda);
}

}  // namespace pliant::experiments
