#include "fem/system.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "mesh/topology.h"

namespace pliant::fem {

namespace {

Problem checked(const Problem& problem) {
  validate(problem, "problem");
  return problem;
}

}  // namespace

std::vector<Vec3d> per_vertex(const Vector& values) {
  std::vector<Vec3d> result(static_cast<std::size_t>(values.size() / 3));
  for (std::size_t v = 0; v < result.size(); ++v) {
    const auto k = static_cast<Eigen::Index>(3 * v);
    result[v] = {values[k], values[k + 1], values[k + 2]};
  }
  return result;
}

System::System(const Problem& problem) : law_(checked(problem).material) {
  const TetMesh& mesh = problem.mesh;
  const auto count = static_cast<Eigen::Index>(mesh.positions.size());

  elements_.reserve(mesh.tets.size());
  for (const Tet& tet : mesh.tets) {
    const Vec3d& origin = mesh.positions[static_cast<std::size_t>(tet[0])];
    Mat3<double> edges;
    for (int i = 0; i < 3; ++i)
      edges.column(i) = mesh.positions[static_cast<std::size_t>(tet[static_cast<std::size_t>(i) + 1])] - origin;
    const Mat3<double> inverse_edges = inverse(edges);
    Element element;
    element.vertices = tet;
    element.volume = determinant(edges) / 6;
    element.gradients[0] = {};
    for (int i = 0; i < 3; ++i) {
      element.gradients[static_cast<std::size_t>(i) + 1] = inverse_edges.row(i);
      element.gradients[0] -= inverse_edges.row(i);
    }
    elements_.push_back(element);
  }

  held_displacements_ = Vector::Zero(3 * count);
  free_index_.assign(static_cast<std::size_t>(3 * count), 0);
  for (const Support& s : problem.supports) {
    const bool axes[3] = {s.x, s.y, s.z};
    for (int axis = 0; axis < 3; ++axis) {
      if (!axes[axis]) continue;
      free_index_[static_cast<std::size_t>(3 * s.vertex + axis)] = -1;
      held_displacements_[3 * s.vertex + axis] = s.displacement[axis];
    }
  }
  for (int& index : free_index_) {
    if (index == 0) index = free_count_++;
  }

  const std::vector<double> masses = lumped_masses(mesh.tets, mesh.positions, problem.material.density);
  masses_.resize(3 * count);
  loads_.resize(3 * count);
  Vec3d low = mesh.positions[0], high = low;
  for (Eigen::Index v = 0; v < count; ++v) {
    const auto i = static_cast<std::size_t>(v);
    for (int axis = 0; axis < 3; ++axis) {
      masses_[3 * v + axis] = masses[i];
      loads_[3 * v + axis] = masses[i] * problem.gravity[axis] + (problem.forces.empty() ? 0 : problem.forces[i][axis]);
      low[axis] = std::min(low[axis], mesh.positions[i][axis]);
      high[axis] = std::max(high[axis], mesh.positions[i][axis]);
    }
  }
  size_ = std::max({high.x - low.x, high.y - low.y, high.z - low.z});

  // The pattern, and where in it each element adds its entries.
  std::vector<Eigen::Triplet<double>> triplets;
  triplets.reserve(elements_.size() * 78);
  const auto visit = [&](const Element& element, auto&& entry) {
    for (int i = 0; i < 12; ++i) {
      for (int j = 0; j < 12; ++j) {
        const int row = free_index(3 * element.vertices[static_cast<std::size_t>(i / 3)] + i % 3);
        const int column = free_index(3 * element.vertices[static_cast<std::size_t>(j / 3)] + j % 3);
        if (row >= 0 && column >= 0 && row >= column) entry(12 * i + j, row, column);
      }
    }
  };
  for (const Element& element : elements_) {
    visit(element, [&](int, int row, int column) { triplets.emplace_back(row, column, 0.0); });
  }
  pattern_.resize(free_count_, free_count_);
  pattern_.setFromTriplets(triplets.begin(), triplets.end());
  pattern_.makeCompressed();
  slots_.resize(elements_.size());
  for (std::size_t e = 0; e < elements_.size(); ++e) {
    slots_[e].fill(-1);
    visit(elements_[e], [&](int k, int row, int column) {
      const int* begin = pattern_.innerIndexPtr() + pattern_.outerIndexPtr()[column];
      const int* end = pattern_.innerIndexPtr() + pattern_.outerIndexPtr()[column + 1];
      slots_[e][static_cast<std::size_t>(k)] =
          static_cast<int>(std::lower_bound(begin, end, row) - pattern_.innerIndexPtr());
    });
  }
}

Mat3<double> System::deformation_gradient(const Element& element, const Vector& u) const {
  Mat3<double> F = Mat3<double>::identity();
  for (std::size_t a = 0; a < 4; ++a) {
    const int k = 3 * element.vertices[a];
    F = F + outer(Vec3d{u[k], u[k + 1], u[k + 2]}, element.gradients[a]);
  }
  return F;
}

double System::energy(const Vector& u) const {
  double sum = 0;
  for (const Element& element : elements_) sum += element.volume * law_.energy(deformation_gradient(element, u));
  return std::isfinite(sum) ? sum : std::numeric_limits<double>::infinity();
}

void System::forces(const Vector& u, Vector& result, Vector* magnitude) const {
  result.setZero(coordinate_count());
  if (magnitude) magnitude->setZero(coordinate_count());
  for (const Element& element : elements_) {
    const Mat3<double> P = law_.stress(deformation_gradient(element, u)) * element.volume;
    for (std::size_t a = 0; a < 4; ++a) {
      const Vec3d force = P * element.gradients[a];
      for (int axis = 0; axis < 3; ++axis) {
        result[3 * element.vertices[a] + axis] += force[axis];
        if (magnitude) (*magnitude)[3 * element.vertices[a] + axis] += std::abs(force[axis]);
      }
    }
  }
}

System::ElementMatrix System::element_stiffness(const Element& element, const Vector& u, Stiffness kind) const {
  Tangent tangent = law_.tangent(deformation_gradient(element, u));
  if (kind == Stiffness::positive) tangent = positive_part(tangent);
  ElementMatrix matrix;
  for (int a = 0; a < 4; ++a) {
    // Half of the product, over the columns of F that corner a moves.
    const Vec3d& g = element.gradients[static_cast<std::size_t>(a)];
    double half[3][9];
    for (int i = 0; i < 3; ++i) {
      for (int j = 0; j < 9; ++j) half[i][j] = g.x * tangent(i, j) + g.y * tangent(3 + i, j) + g.z * tangent(6 + i, j);
    }
    for (int b = 0; b < 4; ++b) {
      const Vec3d& h = element.gradients[static_cast<std::size_t>(b)];
      for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
          matrix(3 * a + i, 3 * b + j) =
              element.volume * (half[i][j] * h.x + half[i][3 + j] * h.y + half[i][6 + j] * h.z);
        }
      }
    }
  }
  return matrix;
}

void System::stiffness(const Vector& u, Stiffness kind, SparseMatrix& result) const {
  if (result.nonZeros() != pattern_.nonZeros() || result.rows() != pattern_.rows()) result = pattern_;
  double* values = result.valuePtr();
  std::fill(values, values + result.nonZeros(), 0.0);
  for (std::size_t e = 0; e < elements_.size(); ++e) {
    const ElementMatrix matrix = element_stiffness(elements_[e], u, kind);
    for (int k = 0; k < 144; ++k) {
      const int slot = slots_[e][static_cast<std::size_t>(k)];
      if (slot >= 0) values[slot] += matrix(k / 12, k % 12);
    }
  }
}

Vector System::stiffness_times(const Vector& u, Stiffness kind, const Vector& du) const {
  Vector result = Vector::Zero(coordinate_count());
  for (const Element& element : elements_) {
    Eigen::Matrix<double, 12, 1> local;
    for (int i = 0; i < 12; ++i) local[i] = du[3 * element.vertices[static_cast<std::size_t>(i / 3)] + i % 3];
    if (local.isZero(0)) continue;
    local = element_stiffness(element, u, kind) * local;
    for (int i = 0; i < 12; ++i) result[3 * element.vertices[static_cast<std::size_t>(i / 3)] + i % 3] += local[i];
  }
  return result;
}

}  // namespace pliant::fem
