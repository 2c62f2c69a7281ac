// Colliders: takes them in, and shows them.

#include <array>
#include <cmath>
#include <set>
#include <utility>

#include "contact/shape.h"
#include "math/quaternion.h"
#include "solver/world_checks.h"
#include "solver/world_impl.h"

namespace pliant {

namespace {

const ColliderInput& collider(const ModelInput& input, ColliderId id) {
  if (id.index < 0 || id.index >= static_cast<int>(input.colliders.size())) {
    throw Error("collider", "there is no collider number " + std::to_string(id.index), "use what World::add returned");
  }
  return input.colliders[id.index];
}

void check_collider(const std::string& name, const ColliderOptions& o) {
  check_finite(name + ".position", o.position);
  check_finite(name + ".rotation", o.rotation);
  check_range(name + ".friction", o.friction, o.friction >= 0, "give a coefficient of 0 or more");
  if (o.static_friction) {
    check_range(name + ".static_friction", *o.static_friction, *o.static_friction >= o.friction,
                "give a coefficient not below `friction`");
  }
  check_range(name + ".restitution", o.restitution, o.restitution >= 0 && o.restitution <= 1, "give 0 to 1");
  if (o.thickness) check_range(name + ".thickness", *o.thickness, *o.thickness >= 0, "give a length of 0 or more [m]");
  check_range(name + ".push_speed", o.push_speed, o.push_speed > 0, "give a speed above 0 [m/s]");
  check_path(name + ".path", o.path);
  check_finite(name + ".velocity", o.velocity);
  check_finite(name + ".spin", o.spin);
  if (o.density) check_range(name + ".density", *o.density, *o.density > 0, "give a density above 0 [kg/m^3]");
  if (o.mass) check_range(name + ".mass", *o.mass, *o.mass > 0, "give a mass above 0 [kg]");
  if (o.density && o.mass) throw Error(name, "it has both a density and a mass", "give one of them");
  const bool rigid = o.density || o.mass;
  if (rigid && !o.path.empty()) {
    throw Error(name + ".path", "a rigid body moves by itself", "leave out the path, or the density and the mass");
  }
  if (!rigid && (!(o.velocity == Vec3d{}) || !(o.spin == Vec3d{}))) {
    throw Error(name + ".velocity", "only a rigid body has one", "give a density or a mass, or a path instead");
  }
}

contact::RigidBody weigh(const contact::Shape& shape, const ColliderOptions& o, const std::string& name) {
  if (shape.features().empty()) {
    throw Error(name, "this shape cannot be a rigid body",
                "use a sphere, box, capsule, cylinder, cone or closed mesh, or leave out density and mass");
  }
  const contact::MassProperties unit = shape.mass();
  const double density = o.density ? *o.density : *o.mass / unit.volume;
  contact::RigidBody body;
  body.inverse_mass = 1 / (density * unit.volume);
  body.inertia = unit.inertia * density;
  body.inverse_inertia = inverse(body.inertia);
  body.center = unit.center;
  return body;
}

/// A mesh's layer must not be coarser than the mesh: folds would close.
double usable_thickness(const ColliderShape& shape, const ColliderOptions& o, const std::string& name) {
  const TriMesh* mesh = nullptr;
  double otherwise = 0;
  if (const auto* solid = std::get_if<MeshSolid>(&shape)) mesh = &solid->mesh;
  if (const auto* surface = std::get_if<MeshSurface>(&shape)) mesh = &surface->mesh;
  if (!mesh) return o.thickness.value_or(0);
  const double edge = contact::mean_edge(*mesh);
  if (std::holds_alternative<MeshSurface>(shape)) otherwise = 0.05 * edge;  // a surface needs some depth
  const double thickness = o.thickness.value_or(otherwise);
  if (thickness > edge) {
    throw Error(name + ".thickness",
                std::to_string(thickness) + " m is more than the mesh's mean edge, " + std::to_string(edge) + " m",
                "use a smaller thickness or a coarser mesh");
  }
  if (std::holds_alternative<MeshSurface>(shape) && thickness == 0) {
    throw Error(name + ".thickness", "a surface with two sides needs some", "give a thickness above 0 [m], or none");
  }
  return thickness;
}

}  // namespace

ColliderId World::add(const ColliderShape& shape, const ColliderOptions& options) {
  ColliderInput in;
  in.name = options.name;
  if (in.name.empty()) in.name = contact::shape_name(shape) + std::to_string(impl_->input.colliders.size());
  for (const ColliderInput& other : impl_->input.colliders) {
    if (other.name == in.name) throw Error(in.name, "two colliders have this name", "give each a name of its own");
  }
  check_collider(in.name, options);
  in.options = options;
  in.shape = contact::make_shape(shape, in.name);
  in.thickness = usable_thickness(shape, options, in.name);
  if (options.density || options.mass) {
    in.body = weigh(*in.shape, options, in.name);
    in.rigid = 0;
    for (const ColliderInput& other : impl_->input.colliders) in.rigid += other.rigid >= 0;
  }
  impl_->input.colliders.push_back(std::move(in));
  impl_->stale = true;
  return {static_cast<int>(impl_->input.colliders.size()) - 1};
}

int World::collider_count() const { return static_cast<int>(impl_->input.colliders.size()); }
const std::string& World::name(ColliderId id) const { return collider(impl_->input, id).name; }
const ColliderOptions& World::options(ColliderId id) const { return collider(impl_->input, id).options; }
std::optional<ColliderId> World::find_collider(const std::string& name) const {
  for (std::size_t c = 0; c < impl_->input.colliders.size(); ++c) {
    if (impl_->input.colliders[c].name == name) return ColliderId{static_cast<int>(c)};
  }
  return std::nullopt;
}
TriMesh World::collider_shape(ColliderId id) const { return collider(impl_->input, id).shape->surface(); }
ColliderPose World::collider_pose(ColliderId id) const {
  collider(impl_->input, id);
  return impl_->built().collider_pose(id.index);
}
RigidMotion World::rigid_motion(ColliderId id) const {
  collider(impl_->input, id);
  return impl_->built().rigid_motion(id.index);
}
void World::set_rigid_motion(ColliderId id, Vec3d velocity, Vec3d spin) {
  const ColliderInput& in = collider(impl_->input, id);
  if (in.rigid < 0) throw Error(in.name + ".velocity", "it is no rigid body", "give it a density or a mass");
  check_finite(in.name + ".velocity", velocity);
  check_finite(in.name + ".spin", spin);
  impl_->built().set_rigid_motion(id.index, velocity, spin);
}
Vec3d World::contact_force(ColliderId id) const {
  collider(impl_->input, id);
  return impl_->built().contact_force(id.index);
}
ContactReport World::contact_report() const { return impl_->built().contact_report(); }
std::vector<ContactPoint> World::contacts() const { return impl_->built().contacts(); }

void World::on_contact(std::function<void(const ContactEvent&)> f) {
  impl_->on_contact = std::move(f);
  impl_->touching.clear();
}
void World::on_body_contact(std::function<void(const BodyContactEvent&)> f) {
  impl_->on_body_contact = std::move(f);
  impl_->touching_bodies.clear();
}

namespace {
/// Tells `f` of what touched before and does not now, and the other way round; event(begins, which) is what is told.
template <class Event, class Touching, class F>
void tell(const std::function<void(const Event&)>& f, Touching& told, const Touching& now, F event) {
  const Touching before = std::exchange(told, now);
  const std::function<void(const Event&)> own = f;  // what it does may end it, while it runs
  for (const auto& which : before) {
    if (f && !now.contains(which)) own(event(false, which));
  }
  for (const auto& which : now) {
    if (f && !before.contains(which)) own(event(true, which));
  }
}
}  // namespace

void World::Impl::tell_contacts() {
  // Both first: what is told may change the world.
  const std::set<std::array<int, 3>> now = on_contact ? solver->touching() : std::set<std::array<int, 3>>{};
  const std::set<std::array<int, 2>> bodies =
      on_body_contact ? solver->touching_bodies() : std::set<std::array<int, 2>>{};
  const bool tell_bodies = static_cast<bool>(on_body_contact);
  if (on_contact) {
    tell(on_contact, touching, now, [](bool begins, const std::array<int, 3>& t) {
      return ContactEvent{begins, t[0], t[1], t[2]};
    });
  }
  if (tell_bodies && on_body_contact) {
    tell(on_body_contact, touching_bodies, bodies, [](bool begins, const std::array<int, 2>& t) {
      return BodyContactEvent{begins, t[0], t[1]};
    });
  }
}

}  // namespace pliant
