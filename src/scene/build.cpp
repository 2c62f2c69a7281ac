#include "scene/build.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <optional>
#include <type_traits>
#include <utility>
#include <variant>

#include "core/suggest.h"
#include "math/quaternion.h"
#include "pliant/error.h"
#include "scene/hair.h"
#include "scene/select.h"
#include "scene/shapes.h"
#include "scene/tables.h"

namespace pliant::scene {
namespace {

class Builder {
 public:
  Builder(const SceneSpec& scene, const std::string& file, std::vector<std::string>& warnings)
      : scene_(scene), warnings_(warnings), world_(make_world(scene, file)) {
    if (scene.bodies.empty()) {
      throw Error(file + ": bodies", "the scene has no body",
                  "add one, for example {\"name\": \"flag\", \"kind\": "
                  "\"cloth\", \"shape\": {\"grid\": {}}}");
    }
  }

  World build() {
    for (const BodySpec& body : scene_.bodies) add(body);
    for (const PinSpec& pin : scene_.pins) add(pin);
    for (const RiderSpec& rider : scene_.riders) add(rider);
    for (const AttachmentSpec& attachment : scene_.attachments) add(attachment);
    for (const ColliderSpec& collider : scene_.colliders) add(collider);
    refuse_inside();
    return std::move(world_);
  }

 private:
  static World make_world(const SceneSpec& scene, const std::string& file) {
    try {
      return World(scene.options);
    } catch (const Error& error) {
      throw error.inside(file + ": solver");
    }
  }

  // ---------------------------------------------------------------- bodies

  void add(const BodySpec& body) {
    refuse_known(body.name, body);
    const CopiesSpec copies = body.copies.value_or(CopiesSpec{});
    const double count = double(copies.count[0]) * copies.count[1] * copies.count[2];
    refuse_if_too_many(expected_vertices(body.shape, body.kind) * count, body.shape);
    check_kind(body.shape, body.kind);
    refuse_foreign_fields(body);
    if (body.shape.hair || body.shape.skin) {
      add_on_other(body);
      return;
    }
    const Mesh mesh = make_mesh(body.shape, body.kind, warnings_);
    const size_t vertices = std::visit([](const auto& m) { return m.positions.size(); }, mesh);
    refuse_if_too_many(double(vertices) * count, body.shape);  // a file's count is known only now
    vertices_ += double(vertices) * count;

    const std::optional<TriMesh> skin = make_skin(body);

    std::vector<BodyId> group;
    for (int k = 0; k < copies.count[2]; ++k) {
      for (int j = 0; j < copies.count[1]; ++j) {
        for (int i = 0; i < copies.count[0]; ++i) {
          const Vec3d shift{i * copies.spacing.x, j * copies.spacing.y, k * copies.spacing.z};
          const std::string name = body.copies ? fmt::format("{}.{}", body.name, group.size()) : body.name;
          refuse_known(name, body);
          group.push_back(add_one(body, mesh, name, shift));
          if (skin) add_skin(group.back(), *skin, body);
          bodies_[name] = {{group.back()}, body.where};
        }
      }
    }
    bodies_[body.name] = {group, body.where};
    warn_of_unused_strength(body);
  }

  /// Fields that another kind of body has.
  static void refuse_foreign_fields(const BodySpec& body) {
    const auto refuse = [&](const char* field, const char* who) {
      throw Error(body.where + "." + field, fmt::format("only {} has this", who), "leave it out");
    };
    const bool line = body.kind == BodyKind::rope || body.kind == BodyKind::hair;
    if (body.strands && body.kind != BodyKind::hair) refuse("strands", "hair");
    if (body.diameter && !line) refuse("diameter", "a rope or hair");
    if (body.long_range && body.kind == BodyKind::hair) {
      throw Error(body.where + ".long_range", "strands do not stretch", "leave it out");
    }
  }

  /// Hair and skin: bodies that are made on other bodies.
  void add_on_other(const BodySpec& body) {
    const std::string where = where_of_shape(body.shape);
    if (body.copies) throw Error(body.where + ".copies", "a body on another one has none", "add it once for each");
    std::optional<BodyId> on;
    const std::optional<std::string> carrier = body.shape.skin ? body.shape.skin->on : body.shape.hair->on;
    if (carrier) {
      const std::vector<BodyId>& ids = find(*carrier, where + ".on");
      if (ids.size() != 1) throw Error(where + ".on", "it has several copies", "name one of them, like 'name.0'");
      on = ids[0];
      if (world_.triangles(*on).empty())
        throw Error(where + ".on", "that body has no surface", "name a cloth or a solid");
      const Placement unset{};
      if (!(body.place.position == unset.position && body.place.rotation == unset.rotation &&
            body.place.scale == unset.scale)) {
        throw Error(body.where + ".place", "it is placed with the body that it is on", "leave it out");
      }
    }
    BodySpec placed = body;
    if (on) {
      placed.place = placements_[static_cast<size_t>(on->index)];
      placed.place.scale = {1, 1, 1};
    }
    std::vector<int> vertex_of;
    BodyId id;
    try {
      if (body.shape.skin) {
        const TriMesh surface = surface_of_body(world_, *on, vertex_of);
        const TetMesh mesh = skin_layer(surface, body.shape.skin->thickness, body.shape.skin->layers);
        refuse_if_too_many(double(mesh.positions.size()), body.shape);
        vertices_ += double(mesh.positions.size());
        id = add_one(placed, mesh, body.name, {});
        std::vector<int> inner(surface.positions.size());
        std::iota(inner.begin(), inner.end(), 0);
        world_.ride(id, inner, *on);
      } else {
        id = add_hair(placed, on);
      }
    } catch (const Error& error) {
      if (error.where().starts_with(body.where)) throw;
      const size_t colon = error.where().find(": ");  // a generator's parameter is a field of the shape
      throw colon == std::string::npos
          ? seen_from_file(error, body.name, body.where)
          : Error(where + "." + error.where().substr(colon + 2), error.problem(), error.remedy());
    }
    bodies_[body.name] = {{id}, body.where};
    warn_of_unused_strength(body);
  }

  BodyId add_hair(const BodySpec& body, std::optional<BodyId> on) {
    if (body.material) throw Error(body.where + ".material", "only a solid has one", "leave it out");
    const Hair hair = make_hair(body, world_, on);
    const double vertices = double(hair.mesh.positions.size());
    refuse_if_too_many(vertices, body.shape);
    vertices_ += vertices;
    const BodyId id = world_.add(hair);
    place_vertices(id, body.place, {});
    if (!(body.force == Vec3d{})) world_.set_force(id, body.force);
    if (!(body.acceleration == Vec3d{})) world_.set_acceleration(id, body.acceleration);
    return id;
  }

  BodyId add_one(const BodySpec& body, const Mesh& mesh, const std::string& name, Vec3d shift) {
    Constraints constraints{{"default", {}}};
    for (const auto& [type, constraint] : body.constraints.listed) constraints[type] = constraint.settings;
    const auto fill = [&](auto kind, const auto& m) {
      kind.name = name;
      kind.mesh = m;
      kind.density = body.density.value_or(default_density(body.kind));
      kind.place = body.place;
      kind.place.position += shift;
      kind.velocity = body.velocity;
      if constexpr (requires { kind.thickness; }) {
        kind.thickness = body.thickness;
        kind.self_contact = body.self_contact;
      }
      kind.method = body.method;
      kind.constraints = constraints;
      kind.without = body.constraints.without;
      kind.color = body.color;
      if constexpr (requires { kind.long_range; }) kind.long_range = body.long_range;
      if constexpr (requires { kind.diameter; }) kind.diameter = body.diameter.value_or(kind.diameter);
      using Kind = decltype(kind);
      if constexpr (std::is_same_v<Kind, Solid>) {
        kind.material = body.material;
        if (kind.material) kind.material->density = kind.density;
        if (body.strain) kind.strain = body.strain->solid;
      } else if (body.material) {
        throw Error(name + ".material", "only a solid has one",
                    std::is_same_v<Kind, Cloth> ? "give the cloth a `fabric`" : "leave it out, or make this a solid");
      }
      if constexpr (std::is_same_v<Kind, Cloth>) {
        kind.material = body.fabric;
        if (body.strain) kind.strain = body.strain->cloth;
      } else if (body.fabric) {
        throw Error(name + ".fabric", "only a cloth has one", "leave it out, or make this a cloth");
      }
      if constexpr (!std::is_same_v<Kind, Cloth> && !std::is_same_v<Kind, Solid>) {
        if (body.strain) throw Error(name + ".strain", "only cloth and solids have one", "leave it out");
      }
      return world_.add(kind);
    };
    BodyId id;
    try {
      switch (body.kind) {
        case BodyKind::cloth:
          id = fill(Cloth{}, std::get<TriMesh>(mesh));
          break;
        case BodyKind::solid:
          id = fill(Solid{}, std::get<TetMesh>(mesh));
          break;
        case BodyKind::rope:
          id = fill(Rope{}, std::get<Curve>(mesh));
          break;
        case BodyKind::hair:  // add_hair
          break;
      }
    } catch (const Error& error) {
      const std::string material = name + ".material";  // which a scene calls the fabric of a cloth
      if (body.kind == BodyKind::cloth && error.where().starts_with(material) && body.fabric) {
        const Error fabric(name + ".fabric" + error.where().substr(material.size()), error.problem(), error.remedy());
        throw seen_from_file(fabric, name, body.where);
      }
      throw seen_from_file(error, name, body.where);
    }
    if (body.kind == BodyKind::solid && body.long_range) {
      try {
        world_.attach_long_range(id, body.long_range);
      } catch (const Error& error) {
        throw seen_from_file(error, name, body.where);
      }
    }
    place_vertices(id, body.place, shift);
    if (!(body.force == Vec3d{})) world_.set_force(id, body.force);
    if (!(body.acceleration == Vec3d{})) world_.set_acceleration(id, body.acceleration);
    return id;
  }

  void add_skin(BodyId id, const TriMesh& skin, const BodySpec& body) {
    try {
      world_.add_skin(id, skin);
    } catch (const Error& error) {
      throw seen_from_file(error, world_.name(id), body.where);
    }
  }

  /// The engine's message names the body ("flag.constraints.bend"); a reader of the file looks for
  /// its place there ("scene.json: bodies[0].constraints.bend").
  static Error seen_from_file(const Error& error, const std::string& name, const std::string& where) {
    if (!error.where().starts_with(name)) return error.inside(where);
    return Error(where + error.where().substr(name.size()), error.problem(), error.remedy());
  }

  /// Where the vertices start. World::positions would tell, too, but it would build the model each time.
  void place_vertices(BodyId id, const Placement& place, Vec3d shift) {
    const Quatd turn = from_rotation_vector(place.rotation);
    std::vector<Vec3d> positions = world_.rest_positions(id);
    for (Vec3d& x : positions) x = place.position + shift + rotate(turn, x);
    positions_.push_back(std::move(positions));
    placements_.push_back(place);
    placements_.back().position += shift;
  }
  const std::vector<Vec3d>& positions(BodyId id) const { return positions_[static_cast<size_t>(id.index)]; }

  void refuse_known(const std::string& name, const BodySpec& body) const {
    const auto found = bodies_.find(name);
    if (found == bodies_.end()) return;
    throw Error(body.where + ".name", fmt::format("'{}' is the name of another body ({})", name, found->second.where),
                "give each body its own name");
  }

  void refuse_if_too_many(double more, const ShapeSpec& shape) const {
    if (vertices_ + more <= kMostVertices) return;
    throw Error(
        where_of_shape(shape),
        fmt::format("the scene would have {:.0f} vertices, above the limit of {:.0f}", vertices_ + more, kMostVertices),
        "use fewer cells, segments or copies");
  }

  /// A number that the body's method does not look at.
  void warn_of_unused_strength(const BodySpec& body) {
    const Method method = body.method.value_or(scene_.options.method);
    for (const auto& [type, constraint] : body.constraints.listed) warn_of_unused_strength(constraint, method);
  }
  void warn_of_unused_strength(const ConstraintSpec& c, Method method) {
    if (method == Method::xpbd && c.stiffness_given && !c.compliance_given) {
      warnings_.push_back(c.where + ".stiffness: has no effect with method xpbd; give 'compliance', or use method pbd");
    }
    if (method == Method::pbd && c.compliance_given && !c.stiffness_given) {
      warnings_.push_back(c.where + ".compliance: has no effect with method pbd; give 'stiffness', or use method xpbd");
    }
  }

  const std::vector<BodyId>& find(const std::string& name, const std::string& where) const {
    if (const auto found = bodies_.find(name); found != bodies_.end()) return found->second.ids;
    std::vector<std::string> names;
    for (const auto& [known, ids] : bodies_) names.push_back(known);
    throw Error(where, fmt::format("there is no body '{}'", name), did_you_mean(name, names));
  }

  // ---------------------------------------------------------------- pins

  void add(const PinSpec& pin) {
    check_path(pin);
    bool any = false;
    for (const BodyId id : find(pin.body, pin.where + ".body")) {
      const std::vector<int> vertices = select_vertices(pin.select, positions(id));
      take_for_pin(id, vertices, pin);
      if (vertices.empty()) continue;
      any = true;
      world_.pin(id, vertices, pin.path);
    }
    if (!any) refuse_empty(pin.select, pin.body);
  }

  /// A vertex that two pins want would follow the later one; refuse it instead.
  void take_for_pin(BodyId id, const std::vector<int>& vertices, const PinSpec& pin) {
    std::vector<const PinSpec*>& pinned_by = pinned_by_[id.index];
    pinned_by.resize(positions(id).size());
    for (const int vertex : vertices) {
      const PinSpec*& owner = pinned_by[static_cast<size_t>(vertex)];
      if (owner) {
        throw Error(pin.where + ".select",
                    fmt::format("vertex {} of '{}' is pinned already ({})", vertex, world_.name(id), owner->where),
                    "pin each vertex once");
      }
      owner = &pin;
    }
  }

  static void check_path(const PinSpec& pin) {
    for (size_t i = 1; i < pin.path.size(); ++i) {
      if (pin.path[i].time > pin.path[i - 1].time) continue;
      throw Error(fmt::format("{}.path[{}].time", pin.where, i),
                  fmt::format("{} does not come after {}", pin.path[i].time, pin.path[i - 1].time),
                  "order the keyframes by ascending time");
    }
  }

  void add(const RiderSpec& rider) {
    const std::vector<BodyId>& others = find(rider.on, rider.where + ".on");
    if (others.size() != 1)
      throw Error(rider.where + ".on", "it has several copies", "name one of them, like 'name.0'");
    bool any = false;
    for (const BodyId id : find(rider.body, rider.where + ".body")) {
      const std::vector<int> vertices = select_vertices(rider.select, positions(id));
      if (vertices.empty()) continue;
      any = true;
      try {
        world_.ride(id, vertices, others[0]);
      } catch (const Error& error) {
        throw seen_from_file(error, world_.name(id), rider.where);
      }
    }
    if (!any) refuse_empty(rider.select, rider.body);
  }

  [[noreturn]] void refuse_empty(const SelectionSpec& select, const std::string& body) const {
    Vec3d low{INFINITY, INFINITY, INFINITY}, high = -low;
    for (const BodyId id : bodies_.at(body).ids) {
      for (const Vec3d& x : positions(id)) {
        for (int k = 0; k < 3; ++k) {
          low[k] = std::min(low[k], x[k]);
          high[k] = std::max(high[k], x[k]);
        }
      }
    }
    throw Error(select.where, fmt::format("no vertex of '{}' is selected", body),
                fmt::format("it reaches from [{:g}, {:g}, {:g}] to [{:g}, {:g}, {:g}]", low.x, low.y, low.z, high.x,
                            high.y, high.z));
  }

  // ---------------------------------------------------------------- attachments

  void add(const AttachmentSpec& attachment) {
    const std::vector<BodyId> bodies = find(attachment.body, attachment.where + ".body");
    std::vector<BodyId> others;
    if (attachment.to.body) others = find_anchors(attachment, bodies);
    bool any = false;
    for (size_t i = 0; i < bodies.size(); ++i) {
      for (const int vertex : vertices_of(attachment, bodies[i])) {
        any = true;
        try {
          if (attachment.to.point) {
            world_.attach(bodies[i], vertex, *attachment.to.point, attachment.strength.settings);
          } else {
            world_.attach_nearest(bodies[i], vertex, others.size() == 1 ? others[0] : others[i],
                                  attachment.strength.settings);
          }
        } catch (const Error& error) {
          throw seen_from_file(error, world_.name(bodies[i]), attachment.where);
        }
      }
    }
    if (!any) refuse_empty(*attachment.select, attachment.body);
    warn_of_unused_strength(attachment.strength, scene_.options.method);
  }

  std::vector<int> vertices_of(const AttachmentSpec& attachment, BodyId id) const {
    if (attachment.vertex) {
      return {vertex_number(*attachment.vertex, world_.vertex_count(id), attachment.where + ".vertex")};
    }
    return select_vertices(*attachment.select, positions(id));
  }

  std::vector<BodyId> find_anchors(const AttachmentSpec& attachment, const std::vector<BodyId>& bodies) const {
    const std::string where = attachment.where + ".to.body";
    const std::vector<BodyId>& others = find(*attachment.to.body, where);
    for (const BodyId id : others) {
      if (std::find(bodies.begin(), bodies.end(), id) != bodies.end()) {
        throw Error(where, fmt::format("'{}' cannot be attached to itself", *attachment.to.body),
                    "name another body, or give a point");
      }
    }
    if (others.size() != 1 && others.size() != bodies.size()) {
      throw Error(where, fmt::format("{} copies cannot be paired with {}", bodies.size(), others.size()),
                  "name a single body, or one with as many copies");
    }
    return others;
  }

  // ---------------------------------------------------------------- colliders

  void add(const ColliderSpec& c) {
    ColliderShape shape;
    const char* field = "plane";
    const auto take = [&](const char* name, const auto& given) {
      if (!given) return;
      shape = *given;
      field = name;
    };
    take("plane", c.plane);
    take("sphere", c.sphere);
    take("box", c.box);
    take("capsule", c.capsule);
    take("cylinder", c.cylinder);
    take("cone", c.cone);
    take("funnel", c.funnel);
    take("height_field", c.height_field);
    if (c.solid) {
      shape = MeshSolid{make_collider_mesh(*c.solid)};
      field = "solid";
    }
    if (c.surface) {
      shape = MeshSurface{make_collider_mesh(*c.surface)};
      field = "surface";
    }
    ColliderOptions options = c.options;
    if (options.name.empty()) options.name = fmt::format("{}{}", field, world_.collider_count());
    try {
      world_.add(shape, options);
    } catch (const Error& error) {
      throw collider_seen_from_file(error, options.name, c.where, field);
    }
  }

  /// Its vertices count like those of bodies: they need as much memory.
  TriMesh make_collider_mesh(const ShapeSpec& shape) {
    refuse_if_too_many(expected_vertices(shape, BodyKind::cloth), shape);
    TriMesh mesh = std::get<TriMesh>(make_mesh(shape, BodyKind::cloth, warnings_));
    vertices_ += double(mesh.positions.size());
    return mesh;
  }

  /// The fields of a shape ("ball.radius") stand in an object of their own in the file ("colliders[0].sphere.radius"),
  /// and a mesh ("ring.mesh") is that object.
  static Error collider_seen_from_file(const Error& error, const std::string& name, const std::string& where,
                                       const std::string& shape) {
    static const std::vector<std::string> kOfShape = {"normal",  "point",         "radius",     "size", "height",
                                                      "heights", "bottom_radius", "top_radius", "wall"};
    const std::string inside = error.where().starts_with(name) ? error.where().substr(name.size()) : "";
    const std::string first = inside.substr(0, inside.find_first_of(":[", 1));
    if (first == ".mesh") {
      return Error(where + "." + shape + inside.substr(first.size()), error.problem(), error.remedy());
    }
    const bool of_shape =
        std::any_of(kOfShape.begin(), kOfShape.end(), [&](const auto& f) { return first == "." + f; });
    return seen_from_file(error, name, of_shape ? where + "." + shape : where);
  }

  /// Lets the engine look for vertices inside of colliders that refuse them, while the file's place is known.
  void refuse_inside() {
    for (int k = 0; k < world_.collider_count(); ++k) {
      if (world_.options(ColliderId{k}).start_inside != StartInside::refuse) continue;
      try {
        world_.build();
      } catch (const Error& error) {
        for (int c = 0; c < world_.collider_count(); ++c) {
          const std::string& name = world_.name(ColliderId{c});
          if (error.where() != name + ".start_inside") continue;
          throw seen_from_file(error, name, scene_.colliders[static_cast<size_t>(c)].where);
        }
        throw;
      }
      return;
    }
  }

  struct Named {
    std::vector<BodyId> ids;  // one, or all copies
    std::string where;
  };

  const SceneSpec& scene_;
  std::vector<std::string>& warnings_;
  World world_;
  double vertices_ = 0;
  std::map<std::string, Named> bodies_;
  std::vector<std::vector<Vec3d>> positions_;             // of each body [m]
  std::vector<Placement> placements_;                     // of each body; its rest shape is scaled already
  std::map<int, std::vector<const PinSpec*>> pinned_by_;  // body -> what holds each vertex
};

}  // namespace

World build_world(const SceneSpec& scene, const std::string& file, std::vector<std::string>& warnings) {
  return Builder(scene, file, warnings).build();
}

}  // namespace pliant::scene
