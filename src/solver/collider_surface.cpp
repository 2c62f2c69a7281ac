#include "solver/collider_surface.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>

#include "contact/shape.h"
#include "solver/model.h"

namespace pliant {

namespace {
/// Sine of the angle between two triangles in a plane, at most: rounding of their corners. A surface that is finely
/// curved is not flat at its edges, since what it is curved by adds up.
constexpr double kFlat = 1e-6;
}  // namespace

std::vector<uint8_t> sharp_edges(const TriMesh& mesh, bool closed) {
  struct Side {
    int triangle, corner;
  };
  std::map<std::array<int, 2>, std::vector<Side>> sides;
  const auto key = [](int a, int b) { return std::array<int, 2>{std::min(a, b), std::max(a, b)}; };
  for (std::size_t t = 0; t < mesh.triangles.size(); ++t) {
    const Triangle& corner = mesh.triangles[t];
    for (int k = 0; k < 3; ++k) sides[key(corner[k], corner[(k + 1) % 3])].push_back({static_cast<int>(t), k});
  }
  const auto normal = [&](int t) {
    const Triangle& c = mesh.triangles[t];
    const Vec3d n = cross(mesh.positions[c[1]] - mesh.positions[c[0]], mesh.positions[c[2]] - mesh.positions[c[0]]);
    return n / length(n);
  };
  std::vector<uint8_t> out(mesh.triangles.size(), 0);
  for (const auto& [edge, at] : sides) {
    bool cuts = true;
    if (at.size() == 2) {
      // The far corner of one triangle, above the plane of the other: below it on a ridge.
      const Side &one = at[0], &two = at[1];
      const Vec3d far = mesh.positions[mesh.triangles[two.triangle][(two.corner + 2) % 3]];
      const Vec3d from = mesh.positions[edge[0]];
      const double above = dot(normal(one.triangle), far - from), size = length(far - from);
      // Turned back onto itself it is sharp, though it lies in one plane.
      const bool folded = dot(normal(one.triangle), normal(two.triangle)) < 0;
      cuts = closed ? above < (folded ? kFlat : -kFlat) * size : folded || std::abs(above) > kFlat * size;
    }
    if (!cuts) continue;
    for (const Side& side : at) {
      out[static_cast<std::size_t>(side.triangle)] =
          static_cast<uint8_t>(out[static_cast<std::size_t>(side.triangle)] | 1 << side.corner);
    }
  }
  return out;
}

namespace {

/// Vertices in the same place are one.
TriMesh welded(const TriMesh& mesh) {
  TriMesh out;
  std::map<std::array<double, 3>, int> number;
  std::vector<int> of;
  for (const Vec3d& x : mesh.positions) {
    const auto [at, is_new] = number.try_emplace({x.x, x.y, x.z}, static_cast<int>(out.positions.size()));
    if (is_new) out.positions.push_back(x);
    of.push_back(at->second);
  }
  for (const Triangle& t : mesh.triangles) {
    const Triangle corner{of[t[0]], of[t[1]], of[t[2]]};
    if (corner[0] != corner[1] && corner[1] != corner[2] && corner[2] != corner[0]) out.triangles.push_back(corner);
  }
  return out;
}

struct EdgesOfBodies {
  double least_mean = std::numeric_limits<double>::max(), longest = 0;  // [m]
};
EdgesOfBodies edges_of_bodies(const ModelInput& input) {
  EdgesOfBodies out;
  for (const BodyInput& body : input.bodies) {
    if (!meets_collider_surfaces(body)) continue;
    double sum = 0;
    int count = 0;
    const auto add = [&](int a, int b) {
      const double size = length(body.rest[a] - body.rest[b]);
      sum += size;
      ++count;
      out.longest = std::max(out.longest, size);
    };
    for (const Triangle& t : body.triangles) {
      for (int k = 0; k < 3; ++k) add(t[k], t[(k + 1) % 3]);
    }
    if (body.triangles.empty()) {
      for (const Edge& e : body.edges) add(e[0], e[1]);
    }
    out.least_mean = std::min(out.least_mean, sum / count);
  }
  return out;
}

/// Whether it can cut a triangle whose corners it keeps out: it bulges somewhere.
bool can_cut(const contact::Shape& shape) { return shape.polyhedral() || !shape.features().empty(); }

constexpr double kThicknessOfEdge = 0.05, kLeastOfEdge = 0.01;
/// Triangles below this part of the radius of a round shape touch it with their corners (collider_triangles.cpp).
constexpr double kSmall = 0.25;

}  // namespace

double kept_thickness(const ColliderInput& collider, const ModelInput& input) {
  if (!can_cut(*collider.shape) || collider.shape->two_sided()) return collider.thickness;
  if (collider.options.thickness.value_or(0) > 0) return *collider.options.thickness;
  const EdgesOfBodies edges = edges_of_bodies(input);
  if (edges.longest == 0) return 0;
  const double thickness = (collider.options.thickness ? kLeastOfEdge : kThicknessOfEdge) * edges.least_mean;
  return collider.shape->polyhedral() ? std::min(thickness, 0.5 * contact::mean_edge(collider.shape->surface()))
                                      : thickness;
}

std::vector<ColliderSurface> collider_surfaces(const ModelInput& input, int32_t first_particle) {
  std::vector<ColliderSurface> out;
  const double longest = edges_of_bodies(input).longest;
  if (longest == 0) return out;
  for (std::size_t c = 0; c < input.colliders.size(); ++c) {
    const ColliderInput& in = input.colliders[c];
    if (!can_cut(*in.shape) || !(in.thickness > 0)) continue;
    if (!in.shape->polyhedral() && longest < kSmall * in.shape->roundness()) continue;
    ColliderSurface& made = out.emplace_back();
    made.collider = static_cast<int>(c);
    made.first_particle = first_particle;
    made.mesh = in.shape->polyhedral() ? in.shape->surface() : welded(in.shape->surface());
    made.sharp = sharp_edges(made.mesh, !in.shape->two_sided());
    made.thickness = in.thickness;
    made.rigid = in.rigid;
    made.round = !in.shape->polyhedral();
    first_particle = made.end_particle();
  }
  return out;
}

}  // namespace pliant
