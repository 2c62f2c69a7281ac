#include "solver/collider_surface.h"

#include <algorithm>
#include <array>
#include <cmath>
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

std::vector<ColliderSurface> collider_surfaces(const ModelInput& input, int32_t first_particle) {
  std::vector<ColliderSurface> out;
  const bool any_body = std::any_of(input.bodies.begin(), input.bodies.end(),
                                    [](const BodyInput& b) { return meets_collider_surfaces(b); });
  if (!any_body) return out;
  for (std::size_t c = 0; c < input.colliders.size(); ++c) {
    const ColliderInput& in = input.colliders[c];
    if (!in.shape->polyhedral() || !(in.thickness > 0)) continue;
    ColliderSurface& made = out.emplace_back();
    made.collider = static_cast<int>(c);
    made.first_particle = first_particle;
    made.mesh = in.shape->surface();
    made.sharp = sharp_edges(made.mesh, !in.shape->two_sided());
    made.thickness = in.thickness;
    made.rigid = in.rigid;
    first_particle = made.end_particle();
  }
  return out;
}

}  // namespace pliant
