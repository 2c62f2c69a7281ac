#include "scene/hair.h"

#include "pliant/error.h"
#include "scene/shapes.h"

namespace pliant::scene {

TriMesh surface_of_body(const World& world, BodyId id, std::vector<int>& vertex_of) {
  TriMesh out;
  const std::vector<Vec3d> rest = world.rest_positions(id);
  std::vector<int> number(rest.size(), -1);
  for (Triangle t : world.triangles(id)) {
    for (int& v : t) {
      int& n = number[static_cast<size_t>(v)];
      if (n < 0) {
        n = static_cast<int>(out.positions.size());
        out.positions.push_back(rest[static_cast<size_t>(v)]);
        vertex_of.push_back(v);
      }
      v = n;
    }
    out.triangles.push_back(t);
  }
  return out;
}

Hair make_hair(const BodySpec& body, const World& world, std::optional<BodyId> on) {
  const HairSpec& spec = *body.shape.hair;
  Hair hair;
  if (on) {
    std::vector<int> vertex_of;
    const TriMesh surface = surface_of_body(world, *on, vertex_of);
    hair.mesh = grow(surface, scatter(surface, spec.count, spec.style.seed), spec.style);
    for (SurfacePoint& root : hair.mesh.roots) {
      for (int& corner : root.corners) corner = vertex_of[static_cast<size_t>(corner)];
    }
    hair.on = on;
  } else {
    if (spec.count_given) {
      throw Error(where_of_shape(body.shape) + ".count", "a grid has a strand at each of its vertices",
                  "leave it out, or change the grid's cells");
    }
    const TriMesh surface = grid(spec.grid->size, spec.grid->cells);
    hair.mesh = grow(surface, vertex_points(surface), spec.style);
    hair.place = body.place;
  }
  hair.name = body.name;
  hair.density = body.density.value_or(hair.density);
  hair.diameter = body.diameter.value_or(hair.diameter);
  hair.velocity = body.velocity;
  hair.method = body.method;
  for (const auto& [type, constraint] : body.constraints.listed) hair.constraints[type] = constraint.settings;
  const StrandsSpec strands = body.strands.value_or(StrandsSpec{});
  hair.dynamic = strands.dynamic;
  hair.leader_push = strands.leader_push;
  hair.shape_frequency = strands.shape_frequency;
  return hair;
}

}  // namespace pliant::scene
