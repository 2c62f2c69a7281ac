// Fine surfaces that ride on bodies.

#include <string>
#include <utility>
#include <vector>

#include "solver/world_checks.h"
#include "solver/world_impl.h"

namespace pliant {

void World::add_skin(BodyId id, const TriMesh& skin) {
  const BodyInput& body = impl_->body(id);
  const std::string where = body.name + ".skin";
  if (body.triangles.empty()) throw Error(where, "a rope has no surface that a skin could ride on", "leave it out");
  if (skin.triangles.empty()) throw Error(where, "the skin has no triangles", "give a surface");
  if (!skin.texture_coordinates.empty() && skin.texture_coordinates.size() != skin.triangles.size()) {
    throw Error(where,
                "it has texture coordinates for " + std::to_string(skin.texture_coordinates.size()) + " of " +
                    std::to_string(skin.triangles.size()) + " triangles",
                "give them for all, or none");
  }
  for (const Triangle& t : skin.triangles) {
    for (const int v : t) {
      if (v >= 0 && v < static_cast<int>(skin.positions.size())) continue;
      throw Error(where, "a triangle uses vertex " + std::to_string(v) + ", which does not exist",
                  "use 0 to " + std::to_string(static_cast<int>(skin.positions.size()) - 1));
    }
  }
  std::vector<Vec3d> points;
  points.reserve(skin.positions.size());
  for (const Vec3d& x : skin.positions) {
    check_finite(where + ".positions", x);
    points.push_back({x.x * body.scale.x, x.y * body.scale.y, x.z * body.scale.z});
  }
  Impl::Skin made;
  made.embedding = body.tets.empty() ? Embedding(points, TriMesh{body.rest, body.triangles})
                                     : Embedding(points, TetMesh{body.rest, body.tets});
  made.triangles = skin.triangles;
  made.texture_coordinates = skin.texture_coordinates;
  // A solid that is mirrored has its tets rewound; its skin faces outward with it.
  if (!body.tets.empty() && body.scale.x * body.scale.y * body.scale.z < 0) {
    for (Triangle& t : made.triangles) std::swap(t[1], t[2]);
    for (auto& corners : made.texture_coordinates) std::swap(corners[1], corners[2]);
  }
  impl_->skins.insert_or_assign(id.index, std::move(made));
}

bool World::has_skin(BodyId id) const {
  impl_->body(id);
  return impl_->skins.contains(id.index);
}

std::vector<Vec3d> World::skin_positions(BodyId id) const {
  const Embedding& embedding = impl_->skin(id).embedding;
  const std::vector<Vec3d> positions = impl_->built().positions(id.index);
  std::vector<Vec3d> points(embedding.size());
  embedding.apply(positions, points, *impl_->jobs);
  return points;
}

std::vector<Vec3d> World::skin_normals(BodyId id) const {
  const std::vector<Vec3d> positions = skin_positions(id);
  std::vector<Vec3d> normals(positions.size());
  vertex_normals(positions, skin_triangles(id), normals);
  return normals;
}

const std::vector<Triangle>& World::skin_triangles(BodyId id) const { return impl_->skin(id).triangles; }

const std::vector<std::array<Vec2d, 3>>& World::skin_texture_coordinates(BodyId id) const {
  return impl_->skin(id).texture_coordinates;
}

}  // namespace pliant
