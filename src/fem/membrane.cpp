#include "fem/membrane.h"

#include <Eigen/Dense>
#include <Eigen/SparseCholesky>
#include <algorithm>
#include <cmath>
#include <limits>

#include "mesh/topology.h"

namespace pliant::fem {

namespace {

using Vector = Eigen::VectorXd;
using SparseMatrix = Eigen::SparseMatrix<double>;
using Matrix3 = Eigen::Matrix3d;

Eigen::Vector3d to_eigen(const Vec3d& v) { return {v.x, v.y, v.z}; }

struct Element {
  Triangle corners;
  Eigen::Matrix<double, 3, 2> rows;  // m_k: gradients of the shape functions in the frame of weft and warp [1/m]
  double area;
};

struct State {
  Eigen::Matrix<double, 3, 2> F;
  Eigen::Vector3d strain, stress;
};

class Membrane {
 public:
  explicit Membrane(const MembraneProblem& problem) {
    const MembraneMatrix k = membrane_matrix(problem.material);
    for (int i = 0; i < 3; ++i) {
      for (int j = 0; j < 3; ++j) K_(i, j) = k[static_cast<std::size_t>(i)][static_cast<std::size_t>(j)];
    }
    for (const Vec3d& x : problem.mesh.positions) rest_.push_back(to_eigen(x));
    const Eigen::Vector3d direction = to_eigen(problem.material.weft);
    for (const Triangle& t : problem.mesh.triangles) {
      const Eigen::Vector3d e1 = at(t[1]) - at(t[0]), e2 = at(t[2]) - at(t[0]);
      const Eigen::Vector3d normal = e1.cross(e2).normalized();
      const Eigen::Vector3d weft = (direction - normal * normal.dot(direction)).normalized();
      const Eigen::Vector3d warp = normal.cross(weft);
      Eigen::Matrix2d Dm;
      Dm << weft.dot(e1), weft.dot(e2), warp.dot(e1), warp.dot(e2);
      Element element{t, {}, Dm.determinant() / 2};
      element.rows.bottomRows<2>() = Dm.inverse();
      element.rows.row(0) = -(element.rows.row(1) + element.rows.row(2));
      elements_.push_back(element);
    }
  }

  State state(const Element& e, const Vector& u) const {
    State s;
    s.F.setZero();
    for (int k = 0; k < 3; ++k) {
      const int v = e.corners[static_cast<std::size_t>(k)];
      s.F += (at(v) + u.segment<3>(3 * v)) * e.rows.row(k);
    }
    const Eigen::Matrix2d C = s.F.transpose() * s.F;
    s.strain = {(C(0, 0) - 1) / 2, (C(1, 1) - 1) / 2, C(0, 1)};
    s.stress = K_ * s.strain;
    return s;
  }

  double energy(const Vector& u) const {
    double sum = 0;
    for (const Element& e : elements_) {
      const State s = state(e, u);
      sum += 0.5 * e.area * s.strain.dot(s.stress);
    }
    return sum;
  }

  Vector forces(const Vector& u) const {
    Vector out = Vector::Zero(u.size());
    for (const Element& e : elements_) {
      const State s = state(e, u);
      Eigen::Matrix2d S;
      S << s.stress[0], s.stress[2], s.stress[2], s.stress[1];
      const Eigen::Matrix<double, 3, 3> f = e.area * s.F * S * e.rows.transpose();
      for (int k = 0; k < 3; ++k) out.segment<3>(3 * e.corners[static_cast<std::size_t>(k)]) += f.col(k);
    }
    return out;
  }

  /// The lower triangle for the free coordinates. `positive`: stress without its compressive part.
  SparseMatrix stiffness(const Vector& u, const std::vector<int>& free_index, int free_count, bool positive) const {
    std::vector<Eigen::Triplet<double>> triplets;
    for (const Element& e : elements_) {
      const State s = state(e, u);
      Eigen::Matrix2d S;
      S << s.stress[0], s.stress[2], s.stress[2], s.stress[1];
      if (positive) {
        const Eigen::SelfAdjointEigenSolver<Eigen::Matrix2d> eigen(S);
        S = eigen.eigenvectors() * eigen.eigenvalues().cwiseMax(0).asDiagonal() * eigen.eigenvectors().transpose();
      }
      Eigen::Matrix<double, 9, 3> G;  // gradients of the entries
      for (int k = 0; k < 3; ++k) {
        G.block<3, 1>(3 * k, 0) = s.F.col(0) * e.rows(k, 0);
        G.block<3, 1>(3 * k, 1) = s.F.col(1) * e.rows(k, 1);
        G.block<3, 1>(3 * k, 2) = s.F.col(0) * e.rows(k, 1) + s.F.col(1) * e.rows(k, 0);
      }
      Eigen::Matrix<double, 9, 9> H = G * K_ * G.transpose();
      for (int a = 0; a < 3; ++a) {
        for (int b = 0; b < 3; ++b) {
          H.block<3, 3>(3 * a, 3 * b) += (e.rows.row(a) * S * e.rows.row(b).transpose())(0, 0) * Matrix3::Identity();
        }
      }
      for (int i = 0; i < 9; ++i) {
        for (int j = 0; j < 9; ++j) {
          const auto index = [&](int n) {
            return free_index[static_cast<std::size_t>(3 * e.corners[static_cast<std::size_t>(n / 3)] + n % 3)];
          };
          const int row = index(i), column = index(j);
          if (row >= 0 && column >= 0 && row >= column) triplets.emplace_back(row, column, e.area * H(i, j));
        }
      }
    }
    SparseMatrix matrix(free_count, free_count);
    matrix.setFromTriplets(triplets.begin(), triplets.end());
    return matrix;
  }

  /// Of a force [N].
  double rounding() const {
    double side = 0;
    for (const Element& e : elements_) side = std::max(side, std::sqrt(2 * e.area));
    return 16 * std::numeric_limits<double>::epsilon() * K_.maxCoeff() * side;
  }

 private:
  const Eigen::Vector3d& at(int v) const { return rest_[static_cast<std::size_t>(v)]; }
  Matrix3 K_;
  std::vector<Eigen::Vector3d> rest_;
  std::vector<Element> elements_;
};

}  // namespace

MembraneResult solve_membrane(const MembraneProblem& problem, int load_steps, double tolerance) {
  validate(problem.material, "membrane.material");
  const Membrane membrane(problem);
  const auto count = static_cast<Eigen::Index>(problem.mesh.positions.size());
  Vector loads = Vector::Zero(3 * count), held = Vector::Zero(3 * count);
  std::vector<int> free_index(static_cast<std::size_t>(3 * count), 0);
  if (problem.density > 0) {
    const auto mass = lumped_masses(problem.mesh.triangles, problem.mesh.positions, problem.density);
    for (Eigen::Index v = 0; v < count; ++v) {
      loads.segment<3>(3 * v) += mass[static_cast<std::size_t>(v)] * to_eigen(problem.gravity);
    }
  }
  for (std::size_t v = 0; v < problem.forces.size(); ++v) {
    loads.segment<3>(3 * static_cast<Eigen::Index>(v)) += to_eigen(problem.forces[v]);
  }
  for (const Support& s : problem.supports) {
    const bool axes[3] = {s.x, s.y, s.z};
    for (int axis = 0; axis < 3; ++axis) {
      if (!axes[axis]) continue;
      free_index[static_cast<std::size_t>(3 * s.vertex + axis)] = -1;
      held[3 * s.vertex + axis] = s.displacement[axis];
    }
  }
  int free_count = 0;
  for (int& index : free_index) {
    if (index == 0) index = free_count++;
  }

  MembraneResult result;
  Vector u = Vector::Zero(3 * count), f;
  constexpr int kMostIterations = 60;
  for (int step = 1; step <= load_steps; ++step) {
    const double part = static_cast<double>(step) / load_steps;
    for (Eigen::Index i = 0; i < u.size(); ++i) {
      if (free_index[static_cast<std::size_t>(i)] < 0) u[i] = part * held[i];
    }
    const auto potential = [&](const Vector& v) { return membrane.energy(v) - part * loads.dot(v); };
    result.converged = false;
    for (int iteration = 0; iteration < kMostIterations; ++iteration, ++result.iterations) {
      f = membrane.forces(u);
      double left = 0;
      const double balance = std::max(f.lpNorm<Eigen::Infinity>(), part * loads.lpNorm<Eigen::Infinity>());
      Vector right(free_count);
      for (Eigen::Index i = 0; i < u.size(); ++i) {
        const int k = free_index[static_cast<std::size_t>(i)];
        if (k < 0) continue;
        right[k] = part * loads[i] - f[i];
        left = std::max(left, std::abs(right[k]));
      }
      result.residual = balance > 0 ? left / balance : 0;
      // Strains are differences of numbers of order one: what rounding leaves of the forces does not get smaller.
      if (left <= tolerance * balance + membrane.rounding()) {
        result.converged = true;
        break;
      }
      Eigen::SimplicialLLT<SparseMatrix> factor(membrane.stiffness(u, free_index, free_count, false));
      if (factor.info() != Eigen::Success) factor.compute(membrane.stiffness(u, free_index, free_count, true));
      if (factor.info() != Eigen::Success) return result;
      const Vector du = factor.solve(right);
      Vector next = u;
      const double before = potential(u), slope = -right.dot(du);
      // Near the end rounding of the energy hides the descent: full steps then.
      double length = 1;
      for (int halving = 0; halving < 30; ++halving, length /= 2) {
        for (Eigen::Index i = 0; i < u.size(); ++i) {
          const int k = free_index[static_cast<std::size_t>(i)];
          if (k >= 0) next[i] = u[i] + length * du[k];
        }
        if (potential(next) <= before + 1e-4 * length * slope + 1e-12 * std::abs(before)) break;
      }
      u = next;
    }
    if (!result.converged) break;
  }
  f = membrane.forces(u);
  for (Eigen::Index v = 0; v < count; ++v) {
    result.displacements.push_back({u[3 * v], u[3 * v + 1], u[3 * v + 2]});
    Vec3d reaction{};
    for (int axis = 0; axis < 3; ++axis) {
      if (free_index[static_cast<std::size_t>(3 * v + axis)] < 0)
        reaction[axis] = f[3 * v + axis] - loads[3 * v + axis];
    }
    result.reactions.push_back(reaction);
  }
  result.elastic_energy = membrane.energy(u);
  return result;
}

}  // namespace pliant::fem
