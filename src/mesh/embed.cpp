#include "pliant/embed.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/assert.h"
#include "core/parallel.h"
#include "mesh/facets.h"
#include "mesh/measure.h"
#include "mesh/quality.h"
#include "mesh/surface_tree.h"
#include "mesh/tet_locator.h"
#include "mesh/topology.h"

namespace pliant {

namespace {

/// A point outside of all tets is a mixture of the nearest one's corners while no weight is below this; farther out
/// such mixtures of neighbouring tets would drift apart, and it stands above the surface.
constexpr double kFarthestMixture = -0.5;
/// Cosine between the mixed normal and the triangle's below which the latter is taken: at very sharp edges.
constexpr double kTooSlanted = 0.2;
constexpr int64_t kGrain = 1024;  // points per task: some 10 microseconds

std::size_t index(int64_t i) { return static_cast<std::size_t>(i); }

Vec3d unit(const Vec3d& v, const Vec3d& otherwise) {
  const double size = length(v);
  return size > 0 ? v / size : otherwise;
}

}  // namespace

void vertex_normals(std::span<const Vec3d> positions, std::span<const Triangle> triangles, std::span<Vec3d> normals) {
  std::fill(normals.begin(), normals.end(), Vec3d{});
  for (const auto& [a, b, c] : triangles) {
    const Vec3d n = double_area_normal(positions[index(a)], positions[index(b)], positions[index(c)]);
    normals[index(a)] += n;
    normals[index(b)] += n;
    normals[index(c)] += n;
  }
  for (Vec3d& n : normals) n = unit(n, {0, 1, 0});
}

class Embedding::Binder {
 public:
  Binder(Embedding& out, const std::vector<Vec3d>& positions, std::vector<Triangle> triangles)
      : out_(out),
        positions_(positions),
        triangles_(std::move(triangles)),
        tree_({positions, triangles_}),
        normals_(positions.size()) {
    vertex_normals(positions_, triangles_, normals_);
  }

  const SurfaceTree& tree() const { return tree_; }

  /// Ties a point to the surface's nearest triangle.
  void raise(int32_t point, const Vec3d& x, const SurfaceTree::Nearest& nearest) {
    const Triangle& t = triangles_[index(nearest.triangle)];
    const Vec3d p0 = positions_[index(t[0])];
    const Vec3d e1 = positions_[index(t[1])] - p0, e2 = positions_[index(t[2])] - p0;
    const Vec3d flat = unit(cross(e1, e2), {0, 1, 0});
    Vec3d mixed{};
    for (std::size_t i = 0; i < 3; ++i) mixed += normals_[index(t[i])] * nearest.weights[i];
    Vec3d n = unit(mixed, flat);
    const bool slanted = !(dot(n, flat) > kTooSlanted);
    if (slanted) n = flat;
    // x - p0 = b1 e1 + b2 e2 + d n
    const double whole = dot(n, cross(e1, e2));
    const Vec3d r = x - p0;
    const double b1 = dot(r, cross(e2, n)) / whole, b2 = dot(r, cross(n, e1)) / whole;
    const double height = dot(r, cross(e1, e2)) / whole;
    out_.ties_.push_back({{t[0], t[1], t[2], t[2]}, {b1, b2, 0}});
    const std::array<double, 3> weights = slanted ? std::array<double, 3>{} : nearest.weights;
    out_.raised_.push_back({point, {t[0], t[1], t[2]}, weights, height});
  }

  /// Lists the triangles around the vertices whose normals are mixed.
  void finish() {
    out_.normal_number_.assign(positions_.size(), -1);
    for (const Raised& r : out_.raised_) {
      for (const int32_t v : r.corners) out_.normal_number_[index(v)] = 0;
    }
    const Adjacency around = vertex_to_element(triangles_, static_cast<int>(positions_.size()));
    for (std::size_t v = 0; v < positions_.size(); ++v) {
      if (out_.normal_number_[v] < 0) continue;
      out_.normal_number_[v] = static_cast<int32_t>(out_.normal_vertices_.size());
      out_.normal_vertices_.push_back(static_cast<int32_t>(v));
      out_.first_triangle_.push_back(static_cast<int32_t>(out_.around_.size()));
      for (const int t : around.of(static_cast<int>(v))) out_.around_.push_back(triangles_[index(t)]);
    }
    out_.first_triangle_.push_back(static_cast<int32_t>(out_.around_.size()));
  }

  void mix(const Tet& tet, const std::array<double, 4>& weights) {
    out_.ties_.push_back({{tet[0], tet[1], tet[2], tet[3]}, {weights[1], weights[2], weights[3]}});
  }

 private:
  Embedding& out_;
  const std::vector<Vec3d>& positions_;
  const std::vector<Triangle> triangles_;
  const SurfaceTree tree_;
  std::vector<Vec3d> normals_;
};

Embedding::Embedding(std::span<const Vec3d> points, const TetMesh& carrier) {
  PLIANT_CHECK(!carrier.tets.empty(), "embed into a mesh that has tets");
  const TetLocator locator(carrier);
  // Boundary triangles, and the tet behind each.
  std::vector<Triangle> triangles;
  std::vector<int> tet_of_triangle;
  std::vector<char> is_boundary(4 * carrier.tets.size(), 0);
  for_each_run(sorted_facets(std::span<const Tet>(carrier.tets), kTetFaces), [&](std::span<const Facet<3>> run) {
    if (run.size() == 1) is_boundary[index(run[0].owner)] = 1;
  });
  for (std::size_t owner = 0; owner < is_boundary.size(); ++owner) {
    if (!is_boundary[owner]) continue;
    const Tet& tet = carrier.tets[owner / 4];
    const auto& [a, b, c] = kTetFaces[owner % 4];
    triangles.push_back({tet[index(a)], tet[index(b)], tet[index(c)]});
    tet_of_triangle.push_back(static_cast<int>(owner / 4));
  }
  Binder binder(*this, carrier.positions, std::move(triangles));
  ties_.reserve(points.size());
  for (std::size_t i = 0; i < points.size(); ++i) {
    const auto place = locator.find(points[i]);
    if (place.tet >= 0) {
      binder.mix(carrier.tets[index(place.tet)], place.weights);
      continue;
    }
    const auto nearest = binder.tree().nearest(points[i], std::numeric_limits<double>::infinity());
    const Tet& tet = carrier.tets[index(tet_of_triangle[index(nearest.triangle)])];
    const auto weights = tet_weights(corners_of(carrier, tet), points[i]);
    if (*std::min_element(weights.begin(), weights.end()) >= kFarthestMixture) {
      binder.mix(tet, weights);
    } else {
      binder.raise(static_cast<int32_t>(i), points[i], nearest);
    }
  }
  binder.finish();
}

Embedding::Embedding(std::span<const Vec3d> points, const TriMesh& carrier) {
  PLIANT_CHECK(!carrier.triangles.empty(), "embed into a mesh that has triangles");
  Binder binder(*this, carrier.positions, carrier.triangles);
  ties_.reserve(points.size());
  for (std::size_t i = 0; i < points.size(); ++i) {
    binder.raise(static_cast<int32_t>(i), points[i],
                 binder.tree().nearest(points[i], std::numeric_limits<double>::infinity()));
  }
  binder.finish();
}

void Embedding::apply(std::span<const Vec3d> positions, std::span<Vec3d> points, JobSystem& jobs) const {
  PLIANT_CHECK(points.size() == ties_.size() && positions.size() == normal_number_.size(),
               "apply an embedding to as many vertices and points as it was made with");
  parallel_for(jobs, std::ssize(ties_), kGrain, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      const Tie& tie = ties_[index(i)];
      const Vec3d x0 = positions[index(tie.corners[0])];
      Vec3d x = x0;
      for (std::size_t k = 0; k < 3; ++k) {
        x = mul_add(positions[index(tie.corners[k + 1])] - x0, tie.weights[k], x);
      }
      points[index(i)] = x;
    }
  });
  if (!raised_.empty()) raise(positions, points, jobs);
}

void Embedding::raise(std::span<const Vec3d> positions, std::span<Vec3d> points, JobSystem& jobs) const {
  const auto face_normal = [&](const auto& t) {
    return double_area_normal(positions[index(t[0])], positions[index(t[1])], positions[index(t[2])]);
  };
  std::vector<Vec3d> normals(normal_vertices_.size());
  parallel_for(jobs, std::ssize(normals), kGrain, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      Vec3d sum{};
      for (int32_t t = first_triangle_[index(i)]; t < first_triangle_[index(i) + 1]; ++t) {
        sum += face_normal(around_[index(t)]);
      }
      normals[index(i)] = unit(sum, {0, 1, 0});
    }
  });
  parallel_for(jobs, std::ssize(raised_), kGrain, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      const Raised& r = raised_[index(i)];
      Vec3d n{};
      for (std::size_t k = 0; k < 3; ++k) {
        n += normals[index(normal_number_[index(r.corners[k])])] * r.normal_weights[k];
      }
      if (n == Vec3d{}) n = face_normal(r.corners);
      points[index(r.point)] += unit(n, {0, 1, 0}) * r.height;
    }
  });
}

}  // namespace pliant
