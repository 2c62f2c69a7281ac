#include "experiments/uniform_state.h"

#include <algorithm>
#include <cmath>

#include "pliant/error.h"

namespace pliant::experiments {
namespace {

/// A y = b by elimination with pivots. False where A is singular.
bool solve(std::array<std::array<double, 4>, 4> A, PlaneMatrix b, PlaneMatrix& y) {
  for (std::size_t j = 0; j < 4; ++j) {
    std::size_t pivot = j;
    for (std::size_t i = j + 1; i < 4; ++i) {
      if (std::abs(A[i][j]) > std::abs(A[pivot][j])) pivot = i;
    }
    if (!(std::abs(A[pivot][j]) > 0)) return false;
    std::swap(A[j], A[pivot]);
    std::swap(b[j], b[pivot]);
    for (std::size_t i = j + 1; i < 4; ++i) {
      const double factor = A[i][j] / A[j][j];
      for (std::size_t k = j; k < 4; ++k) A[i][k] -= factor * A[j][k];
      b[i] -= factor * b[j];
    }
  }
  for (std::size_t j = 4; j-- > 0;) {
    y[j] = b[j];
    for (std::size_t k = j + 1; k < 4; ++k) y[j] -= A[j][k] * y[k];
    y[j] /= A[j][j];
  }
  return true;
}

/// By the pivots of an elimination in order.
bool positive_definite(std::array<std::array<double, 4>, 4> A) {
  for (std::size_t j = 0; j < 4; ++j) {
    if (!(A[j][j] > 0)) return false;
    for (std::size_t i = j + 1; i < 4; ++i) {
      const double factor = A[i][j] / A[j][j];
      for (std::size_t k = j; k < 4; ++k) A[i][k] -= factor * A[j][k];
    }
  }
  return true;
}

/// Of a triangle's rest shape in the plane: twice its signed area, and F from it and the positions.
double gradient_of(const Triangle& t, const std::vector<Vec3d>& rest, const std::vector<Vec3d>& x, PlaneMatrix& F) {
  const auto at = [](const std::vector<Vec3d>& p, int v) { return p[static_cast<std::size_t>(v)]; };
  const Vec3d a = at(rest, t[1]) - at(rest, t[0]), b = at(rest, t[2]) - at(rest, t[0]);
  const Vec3d p = at(x, t[1]) - at(x, t[0]), q = at(x, t[2]) - at(x, t[0]);
  const double det = a.x * b.z - b.x * a.z;
  F = {(p.x * b.z - q.x * a.z) / det, (q.x * a.x - p.x * b.x) / det, (p.z * b.z - q.z * a.z) / det,
       (q.z * a.x - p.z * b.x) / det};
  return det;
}

}  // namespace

PlaneEnergy stvk_energy(const ClothMaterial& material, double angle) {
  const MembraneMatrix K = rotated(membrane_matrix(material), angle);
  return [K](const PlaneMatrix& F) {
    const double e[3] = {(F[0] * F[0] + F[2] * F[2] - 1) / 2, (F[1] * F[1] + F[3] * F[3] - 1) / 2,
                         F[0] * F[1] + F[2] * F[3]};
    double sum = 0;
    for (std::size_t i = 0; i < 3; ++i) {
      for (std::size_t j = 0; j < 3; ++j) sum += 0.5 * e[i] * K[i][j] * e[j];
    }
    return sum;
  };
}

PlaneEnergy strain_energy(const ClothStrain& strain) {
  return [strain](const PlaneMatrix& F) {
    const double l0 = std::hypot(F[0], F[2]), l1 = std::hypot(F[1], F[3]);
    const double c0 = l0 - strain.rest_stretch.x, c1 = l1 - strain.rest_stretch.y;
    const double c2 = (F[0] * F[1] + F[2] * F[3]) / (l0 * l1);
    return 0.5 * (strain.weft.modulus * c0 * c0 + strain.warp.modulus * c1 * c1 + strain.shear.modulus * c2 * c2);
  };
}

PlaneMatrix uniform_state(const PlaneEnergy& energy, const PlaneMatrix& P) {
  const auto total = [&](const PlaneMatrix& F) {
    double sum = energy(F);
    for (std::size_t i = 0; i < 4; ++i) sum -= P[i] * F[i];
    return sum;
  };
  const auto moved = [](PlaneMatrix F, std::size_t i, double by) {
    F[i] += by;
    return F;
  };
  // Errors of the first derivative are h^2 and rounding / h, both about 1e-10 of the stiffness. The second derivative
  // only decides how fast it converges.
  constexpr double h = 1e-5, h2 = 1e-4;
  PlaneMatrix F{1, 0, 0, 1};
  for (int k = 0; k < 100; ++k) {
    PlaneMatrix down{};
    std::array<std::array<double, 4>, 4> A{};
    for (std::size_t i = 0; i < 4; ++i) {
      down[i] = -(total(moved(F, i, h)) - total(moved(F, i, -h))) / (2 * h);
      for (std::size_t j = 0; j <= i; ++j) {
        A[i][j] = (total(moved(moved(F, i, h2), j, h2)) - total(moved(moved(F, i, h2), j, -h2)) -
                   total(moved(moved(F, i, -h2), j, h2)) + total(moved(moved(F, i, -h2), j, -h2))) /
                  (4 * h2 * h2);
        A[j][i] = A[i][j];
      }
    }
    PlaneMatrix step{};
    if (!solve(A, down, step)) break;
    double slope = 0, size = 0;  // how steep the sum is along the step, and how far it goes
    for (std::size_t i = 0; i < 4; ++i) {
      slope += step[i] * down[i];
      size = std::max(size, std::abs(step[i]));
    }
    if (size < 1e-9) {
      // A saddle would turn over, and what is pressed hard already has.
      if (!positive_definite(A) || F[0] + F[3] <= 0) break;
      return F;
    }
    const double sign = slope < 0 ? -1 : 1;  // not convex here: the other way it falls
    double part = std::min(1.0, 0.3 / size);
    PlaneMatrix next = F;
    for (int halving = 0; halving < 40; ++halving, part /= 2) {
      for (std::size_t i = 0; i < 4; ++i) next[i] = F[i] + sign * part * step[i];
      if (total(next) <= total(F)) break;
    }
    F = next;
  }
  throw Error("uniform_state", "these forces have no stable state near the rest shape", "pull in both directions");
}

PlaneMatrix mean_gradient(const TriMesh& rest, const std::vector<Vec3d>& positions) {
  PlaneMatrix sum{};
  double area = 0;
  for (const Triangle& t : rest.triangles) {
    PlaneMatrix F;
    const double a = std::abs(gradient_of(t, rest.positions, positions, F));
    for (std::size_t i = 0; i < 4; ++i) sum[i] += a * F[i];
    area += a;
  }
  for (double& f : sum) f /= area;
  return sum;
}

Deviation distance_from_uniform(const TriMesh& rest, const std::vector<Vec3d>& positions, const PlaneMatrix& F) {
  // Centres by area, so that those of a mesh that is not regular are the sheet's.
  Vec3d center{}, rest_center{};
  double area = 0;
  for (const Triangle& t : rest.triangles) {
    PlaneMatrix ignored;
    const double a = std::abs(gradient_of(t, rest.positions, positions, ignored)) / 3;
    for (const int v : t) {
      center += positions[static_cast<std::size_t>(v)] * a;
      rest_center += rest.positions[static_cast<std::size_t>(v)] * a;
      area += a;
    }
  }
  center = center / area;
  rest_center = rest_center / area;
  Deviation out;
  for (std::size_t v = 0; v < positions.size(); ++v) {
    const Vec3d X = rest.positions[v] - rest_center;
    const Vec3d there{F[0] * X.x + F[1] * X.z, 0, F[2] * X.x + F[3] * X.z};
    const double d = length(positions[v] - center - there);
    out.largest = std::max(out.largest, d);
    out.mean += d / static_cast<double>(positions.size());
  }
  return out;
}

}  // namespace pliant::experiments
