// What colours can show instead of bodies: speed, strain, stress.
#include <algorithm>
#include <cmath>

#include "math/eigen.h"
#include "math/matrix.h"
#include "render/shape.h"

namespace pliant::render {
namespace {

size_t at(int i) { return static_cast<size_t>(i); }

/// Mean over the elements at a vertex, weighted by their size.
class VertexMean {
 public:
  explicit VertexMean(size_t vertices) : sums_(vertices), weights_(vertices) {}
  template <size_t N>
  void add(const std::array<int, N>& corners, double value, double weight) {
    if (!std::isfinite(value)) return;
    for (const int v : corners) {
      sums_[at(v)] += value * weight;
      weights_[at(v)] += weight;
    }
  }
  std::vector<float> result() const {
    std::vector<float> mean(sums_.size());
    for (size_t v = 0; v < mean.size(); ++v) {
      mean[v] = weights_[v] > 0 ? static_cast<float>(sums_[v] / weights_[v]) : 0.0f;
    }
    return mean;
  }

 private:
  std::vector<double> sums_, weights_;
};

/// The columns of rest edges and of present edges of a tet.
Mat3<double> edges_of(const std::vector<Vec3d>& x, const Tet& t) {
  return {x[at(t[1])] - x[at(t[0])], x[at(t[2])] - x[at(t[0])], x[at(t[3])] - x[at(t[0])]};
}

/// Largest |stretch - 1| of a deformation gradient whose F^T F has these eigenvalues.
double strain_of(double largest, double smallest) {
  return std::max(std::fabs(std::sqrt(std::max(0.0, largest)) - 1), std::fabs(std::sqrt(std::max(0.0, smallest)) - 1));
}

void add_tet_strains(const World& world, BodyId body, VertexMean& mean) {
  const std::vector<Vec3d> x = world.positions(body), rest = world.rest_positions(body);
  for (const Tet& t : world.tets(body)) {
    const Mat3<double> D = edges_of(rest, t);
    const Mat3<double> F = edges_of(x, t) * inverse_or_zero(D);
    const Vec3d c0 = F * Vec3d{1, 0, 0}, c1 = F * Vec3d{0, 1, 0}, c2 = F * Vec3d{0, 0, 1};
    Sym3<double> C;
    C.xx = dot(c0, c0);
    C.yy = dot(c1, c1);
    C.zz = dot(c2, c2);
    C.xy = dot(c0, c1);
    C.xz = dot(c0, c2);
    C.yz = dot(c1, c2);
    const Vec3d values = symmetric_eigen(C).values;
    mean.add(t, strain_of(values.x, values.z), std::fabs(determinant(D)));
  }
}

/// C = F^T F of a triangle in two orthonormal directions of its rest plane, by the metric of its edges.
void add_triangle_strains(const World& world, BodyId body, VertexMean& mean) {
  const std::vector<Vec3d> x = world.positions(body), rest = world.rest_positions(body);
  for (const Triangle& t : world.triangles(body)) {
    const Vec3d a = rest[at(t[1])] - rest[at(t[0])], b = rest[at(t[2])] - rest[at(t[0])];
    const Vec3d p = x[at(t[1])] - x[at(t[0])], q = x[at(t[2])] - x[at(t[0])];
    const double width = length(a), along = dot(a, b) / width, height = length(cross(a, b)) / width;
    // Columns of F in the frame (a/|a|, its normal in the plane): images of the two unit vectors.
    const Vec3d u = p / width, v = (q - u * along) / height;
    const double middle = 0.5 * (dot(u, u) + dot(v, v));
    const double spread = std::hypot(0.5 * (dot(u, u) - dot(v, v)), dot(u, v));
    mean.add(t, strain_of(middle + spread, middle - spread), width * height);
  }
}

void add_edge_strains(const World& world, BodyId body, VertexMean& mean) {
  const std::vector<Vec3d> x = world.positions(body), rest = world.rest_positions(body);
  for (const Edge& e : world.edges(body)) {
    const double now = length(x[at(e[1])] - x[at(e[0])]), then = length(rest[at(e[1])] - rest[at(e[0])]);
    mean.add(e, std::fabs(now / then - 1), then);
  }
}

}  // namespace

std::vector<float> vertex_values(const World& world, BodyId body, ColorBy color_by) {
  if (color_by == ColorBy::speed) {
    std::vector<float> values;
    for (const Vec3d& v : world.velocities(body)) values.push_back(static_cast<float>(length(v)));
    return values;
  }
  VertexMean mean(at(world.vertex_count(body)));
  if (color_by == ColorBy::strain) {
    if (!world.tets(body).empty()) {
      add_tet_strains(world, body, mean);
    } else if (!world.triangles(body).empty()) {
      add_triangle_strains(world, body, mean);
    } else {
      add_edge_strains(world, body, mean);
    }
  }
  return mean.result();
}

}  // namespace pliant::render
