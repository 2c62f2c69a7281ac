#include "experiments/skin_tube.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

#include <Eigen/Dense>

#include "math/quaternion.h"
#include "mesh/surface_tree.h"

namespace pliant::experiments {
namespace {

std::size_t index(int v) { return static_cast<std::size_t>(v); }

Vec3d unit(const Vec3d& v) { return v / length(v); }

Vec3d twice_area(const Triangle& t, std::span<const Vec3d> x) {
  return cross(x[index(t[1])] - x[index(t[0])], x[index(t[2])] - x[index(t[0])]);
}

/// Both principal stretches of a triangle, the larger first: the roots of the eigenvalues of C = F^T F.
std::pair<double, double> principal_stretches(const Triangle& t, std::span<const Vec3d> rest,
                                              std::span<const Vec3d> x) {
  const Vec3d a = rest[index(t[1])] - rest[index(t[0])], b = rest[index(t[2])] - rest[index(t[0])];
  const Vec3d e1 = x[index(t[1])] - x[index(t[0])], e2 = x[index(t[2])] - x[index(t[0])];
  const double r00 = length(a), r01 = dot(a, b) / r00, r11 = length(cross(a, b)) / r00;
  const Vec3d f0 = e1 / r00, f1 = (e2 - f0 * r01) / r11;
  const double half = (dot(f0, f0) + dot(f1, f1)) / 2, other = (dot(f0, f0) - dot(f1, f1)) / 2;
  const double root = std::hypot(other, dot(f0, f1));
  return {std::sqrt(half + root), std::sqrt(std::max(0.0, half - root))};
}

}  // namespace

TriMesh Tube::mesh() const {
  TriMesh out;
  for (int j = 0; j <= rings; ++j) {
    for (int i = 0; i < segments; ++i) {
      const double angle = 2 * std::numbers::pi * i / segments;
      out.positions.push_back({radius * std::cos(angle), height * (double(j) / rings - 0.5), radius * std::sin(angle)});
    }
  }
  for (int j = 0; j < rings; ++j) {
    for (int i = 0; i < segments; ++i) {
      const int a = j * segments + i, b = j * segments + (i + 1) % segments, c = b + segments, d = a + segments;
      // Diagonals alternate, so that no direction is preferred.
      if ((i + j) % 2 == 0) {
        out.triangles.push_back({a, c, b});
        out.triangles.push_back({a, d, c});
      } else {
        out.triangles.push_back({a, d, b});
        out.triangles.push_back({b, d, c});
      }
    }
  }
  return out;
}

std::vector<int> Tube::ends() const {
  std::vector<int> out(index(2 * segments));
  std::iota(out.begin(), out.begin() + segments, 0);
  std::iota(out.begin() + segments, out.end(), rings * segments);
  return out;
}

double Motion::weight(double y) const {
  const double s = std::clamp(0.5 - y / zone, 0.0, 1.0);
  return s * s * (3 - 2 * s);
}

Vec3d Motion::move(Vec3d p, double done) const {
  const Vec3d twisted = rotate(from_rotation_vector(Vec3d{0, twist * done, 0}), p);
  const Vec3d moved = rotate(from_rotation_vector(Vec3d{0, 0, bend * done}), twisted) - Vec3d{0, pull * done, 0};
  return p + (moved - p) * weight(p.y);
}

std::vector<Frame> tangent_frames(const TriMesh& surface, const TetMesh& layer) {
  std::vector<Frame> out;
  for (std::size_t k = 0; k < layer.tets.size(); ++k) {
    // Layer by layer, three tets on each triangle.
    const Triangle& under = surface.triangles[k / 3 % surface.triangles.size()];
    const Vec3d normal = unit(twice_area(under, surface.positions));
    const Vec3d up{0, 1, 0};
    const Vec3d along = unit(up - normal * dot(normal, up));
    out.push_back({along, cross(normal, along), normal});
  }
  return out;
}

Unevenness unevenness(const TriMesh& rest, std::span<const Vec3d> positions) {
  double sum = 0, mean[2] = {};
  std::vector<std::pair<double, double>> farthest;  // from 1, and area
  for (const Triangle& t : rest.triangles) {
    const double area = length(twice_area(t, rest.positions));
    const auto [s0, s1] = principal_stretches(t, rest.positions, positions);
    sum += area;
    mean[0] += area * s0;
    mean[1] += area * s1;
    farthest.emplace_back(std::max(std::abs(s0 - 1), std::abs(s1 - 1)), area);
  }
  for (double& m : mean) m /= sum;
  Unevenness out;
  for (const Triangle& t : rest.triangles) {
    const double area = length(twice_area(t, rest.positions));
    const auto [s0, s1] = principal_stretches(t, rest.positions, positions);
    out.deviation += area * ((s0 - mean[0]) * (s0 - mean[0]) + (s1 - mean[1]) * (s1 - mean[1])) / (2 * sum);
  }
  out.deviation = std::sqrt(out.deviation);
  std::sort(farthest.rbegin(), farthest.rend());
  double above = 0;
  for (const auto& [distance, area] : farthest) {
    out.largest = distance;
    if ((above += area) > 0.01 * sum) break;
  }
  return out;
}

Sliding sliding(const TriMesh& inner, std::span<const Vec3d> outer, double thickness) {
  std::vector<Vec3d> normals(inner.positions.size());
  for (const Triangle& t : inner.triangles) {
    for (const int v : t) normals[index(v)] += twice_area(t, inner.positions);
  }
  const SurfaceTree tree(inner);
  Sliding out;
  const double count = static_cast<double>(outer.size());
  for (std::size_t v = 0; v < outer.size(); ++v) {
    const Vec3d way = outer[v] - inner.positions[v], normal = unit(normals[v]);
    const double slid = length(way - normal * dot(way, normal));
    out.mean += slid / count;
    out.largest = std::max(out.largest, slid);
    const SurfaceTree::Nearest near = tree.nearest(outer[v], 1e3);
    const Vec3d face = twice_area(inner.triangles[index(near.triangle)], inner.positions);
    const bool behind = dot(outer[v] - near.position, face) < 0;
    out.behind += behind;
    const double error = std::abs((behind ? -near.distance : near.distance) / thickness - 1);
    out.thickness_error += error / count;
    out.worst_thickness = std::max(out.worst_thickness, error);
  }
  return out;
}

std::vector<double> pulled_slide(const Tube& tube, const Motion& motion, double thickness, int layers,
                                 double stretch_modulus, double shear_modulus, int count) {
  using Matrix = Eigen::MatrixXd;
  using Vector = Eigen::VectorXd;
  Matrix M = Matrix::Zero(layers + 1, layers + 1), K = M;
  const double t = thickness / layers;
  for (int l = 0; l < layers; ++l) {
    const double r = tube.radius + l * t;
    M(l, l) += t * (r / 3 + t / 12);
    M(l + 1, l + 1) += t * (r / 3 + t / 4);
    M(l, l + 1) += t * (r / 6 + t / 12);
    M(l + 1, l) += t * (r / 6 + t / 12);
    const double k = (r + t / 2) / t;
    K(l, l) += k, K(l + 1, l + 1) += k, K(l, l + 1) -= k, K(l + 1, l) -= k;
  }
  M *= stretch_modulus;
  K *= shear_modulus;
  // With d_i = u_i - u_0, zero at both ends: M d'' - K d = -M 1 u_0''; K 1 = 0. Second differences along the tube make
  // a block tridiagonal system, solved by elimination: d_j = rest_j - step_j d_(j+1).
  const double h = tube.height / (count - 1);
  const Matrix side = M.bottomRightCorner(layers, layers) / (h * h);
  const Matrix middle = -2 * side - K.bottomRightCorner(layers, layers);
  const Vector drive = M.bottomRows(layers).rowwise().sum() / (h * h);
  const auto inner = [&](int j) { return -motion.pull * motion.weight(-tube.height / 2 + j * h); };  // upwards
  std::vector<Matrix> step(index(count), Matrix::Zero(layers, layers));
  std::vector<Vector> d(index(count), Vector::Zero(layers));
  for (int j = 1; j + 1 < count; ++j) {
    const auto pivot = (middle - side * step[index(j - 1)]).eval().partialPivLu();
    const Vector right = -drive * (inner(j - 1) - 2 * inner(j) + inner(j + 1));
    step[index(j)] = pivot.solve(side);
    d[index(j)] = pivot.solve(right - side * d[index(j - 1)]);
  }
  for (int j = count - 2; j > 0; --j) d[index(j)] -= step[index(j)] * d[index(j + 1)];
  std::vector<double> out;
  for (const Vector& all : d) out.push_back(-all(layers - 1));  // downwards
  return out;
}

}  // namespace pliant::experiments
