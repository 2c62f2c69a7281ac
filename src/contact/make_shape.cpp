// Checks of what a user gives as a collider's shape.

#include <cmath>

#include "contact/shape.h"
#include "mesh/topology.h"
#include "pliant/error.h"

namespace pliant::contact {

namespace {

void check_length(const std::string& where, double value, bool zero_allowed = false) {
  if (!std::isfinite(value)) throw Error(where, "it is not a finite number", "give a length in metres");
  if (value < 0 || (value == 0 && !zero_allowed)) {
    throw Error(where, std::to_string(value) + " is out of range",
                zero_allowed ? "give a length of 0 or more [m]" : "give a length above 0 [m]");
  }
}

void check_vector(const std::string& where, const Vec3d& v) {
  if (!std::isfinite(v.x) || !std::isfinite(v.y) || !std::isfinite(v.z)) {
    throw Error(where, "a component is not a finite number", "give three finite numbers");
  }
}

struct Maker {
  const std::string& where;

  std::shared_ptr<const Shape> operator()(const Plane& plane) const {
    check_vector(where + ".normal", plane.normal);
    check_vector(where + ".point", plane.point);
    if (length(plane.normal) == 0)
      throw Error(where + ".normal", "it has no length", "give the direction away from the ground");
    return make_plane(plane);
  }
  std::shared_ptr<const Shape> operator()(const Sphere& sphere) const {
    check_length(where + ".radius", sphere.radius);
    return make_sphere(sphere);
  }
  std::shared_ptr<const Shape> operator()(const Box& box) const {
    for (int a = 0; a < 3; ++a) check_length(where + ".size", box.size[a]);
    return make_box(box);
  }
  std::shared_ptr<const Shape> operator()(const Capsule& capsule) const {
    check_length(where + ".radius", capsule.radius);
    check_length(where + ".height", capsule.height, true);
    return make_capsule(capsule);
  }
  std::shared_ptr<const Shape> operator()(const Cylinder& cylinder) const {
    check_length(where + ".radius", cylinder.radius);
    check_length(where + ".height", cylinder.height);
    return make_cylinder(cylinder);
  }
  std::shared_ptr<const Shape> operator()(const Cone& cone) const {
    check_length(where + ".bottom_radius", cone.bottom_radius, true);
    check_length(where + ".top_radius", cone.top_radius, true);
    check_length(where + ".height", cone.height);
    if (cone.bottom_radius == 0 && cone.top_radius == 0) {
      throw Error(where, "both radii are 0", "let at least one of them be above 0");
    }
    return make_cone(cone);
  }
  std::shared_ptr<const Shape> operator()(const Funnel& funnel) const {
    check_length(where + ".top_radius", funnel.top_radius);
    check_length(where + ".bottom_radius", funnel.bottom_radius);
    check_length(where + ".height", funnel.height);
    check_length(where + ".wall", funnel.wall);
    return make_funnel(funnel);
  }
  std::shared_ptr<const Shape> operator()(const HeightField& field) const {
    check_length(where + ".size", field.size.x);
    check_length(where + ".size", field.size.y);
    if (field.columns < 2 || field.rows < 2) {
      throw Error(where, "a height field needs at least 2 by 2 nodes", "give more columns and rows");
    }
    const std::size_t nodes = static_cast<std::size_t>(field.columns) * static_cast<std::size_t>(field.rows);
    if (field.heights.size() != nodes) {
      throw Error(where + ".heights", "there are " + std::to_string(field.heights.size()),
                  "give columns times rows of them, " + std::to_string(nodes));
    }
    for (std::size_t k = 0; k < nodes; ++k) {
      if (!std::isfinite(field.heights[k])) {
        throw Error(where + ".heights[" + std::to_string(k) + "]", "it is not a finite number",
                    "give heights in metres");
      }
    }
    return make_height_field(field);
  }
  std::shared_ptr<const Shape> operator()(const MeshSolid& solid) const {
    TriMesh mesh = solid.mesh;
    repair(mesh, where + ".mesh");
    if (!is_closed(mesh.triangles)) {
      throw Error(where + ".mesh", "the surface is not closed, so it has no inside",
                  "close it, or use it as a surface with two sides");
    }
    if (enclosed_volume(mesh) < 0) {
      for (Triangle& t : mesh.triangles) std::swap(t[1], t[2]);
    }
    return make_mesh_solid(std::move(mesh));
  }
  std::shared_ptr<const Shape> operator()(const MeshSurface& surface) const {
    TriMesh mesh = surface.mesh;
    repair(mesh, where + ".mesh");
    return make_mesh_surface(std::move(mesh));
  }
};

}  // namespace

std::shared_ptr<const Shape> make_shape(const ColliderShape& given, const std::string& where) {
  return std::visit(Maker{where}, given);
}

const char* shape_name(const ColliderShape& shape) {
  constexpr const char* kNames[] = {"plane", "sphere", "box",          "capsule",    "cylinder",
                                    "cone",  "funnel", "height_field", "mesh_solid", "mesh_surface"};
  static_assert(std::size(kNames) == std::variant_size_v<ColliderShape>);
  return kNames[shape.index()];
}

}  // namespace pliant::contact
