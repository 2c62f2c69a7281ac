// Takes bodies in: checks them, weighs them, makes their constraints.

#include <algorithm>
#include <numeric>

#include "constraints/registry.h"
#include "core/suggest.h"
#include "math/quaternion.h"
#include "mesh/topology.h"
#include "solver/resolution.h"
#include "solver/world_checks.h"
#include "solver/world_impl.h"

namespace pliant {

namespace {

/// A balloon is one constraint per body with a code of its own, which does not know all settings.
void check_balloon(const std::string& where, const ConstraintSettings& s) {
  const char* unknown = s.compression_compliance  ? "compression_compliance"
                        : s.compression_stiffness ? "compression_stiffness"
                        : s.unilateral            ? "unilateral"
                        : s.damping > 0           ? "damping"
                        : s.velocity_damping > 0  ? "velocity_damping"
                        : s.keep_multipliers      ? "keep_multipliers"
                                                  : nullptr;
  if (!unknown) return;
  throw Error(where + "." + unknown, "a balloon does not have this setting",
              "leave it out, or set it for the surface's distance constraints");
}

/// The particles of one constraint per element of a mesh.
std::vector<int32_t> stencils_of(const BodyInput& body, Stencil stencil) {
  std::vector<int32_t> out;
  const auto add = [&](auto... v) { (out.push_back(body.first_particle + v), ...); };
  switch (stencil) {
    case Stencil::edges:
      for (const Edge& e : body.edges) add(e[0], e[1]);
      break;
    case Stencil::hinges:
      for (const Hinge& h : hinges_of(body.triangles)) add(h.edge0, h.edge1, h.opposite0, h.opposite1);
      break;
    case Stencil::triangles:
      for (const Triangle& t : body.triangles) add(t[0], t[1], t[2]);
      break;
    case Stencil::tets:
      for (const Tet& t : body.tets) add(t[0], t[1], t[2], t[3]);
      break;
    case Stencil::pairs:
      break;
  }
  return out;
}

template <class Mesh>
Mesh scaled(Mesh mesh, const Placement& place, const std::string& name) {
  check_finite(name + ".place.scale", place.scale);
  if (place.scale.x == 0 || place.scale.y == 0 || place.scale.z == 0) {
    throw Error(name + ".place.scale", "a factor is 0", "give three factors that are not 0");
  }
  for (Vec3d& x : mesh.positions) x = {x.x * place.scale.x, x.y * place.scale.y, x.z * place.scale.z};
  repair(mesh, name);
  return mesh;
}

void check_density(const std::string& name, double density, const char* unit) {
  check_range(name + ".density", density, density > 0, std::string("give a density above 0 [") + unit + "]");
}

/// Where the thickness is larger than an edge, neighbours would push each other apart.
void check_thickness(const BodyInput& body) {
  if (!body.thickness) return;
  double sum = 0;
  for (const Edge& e : body.edges) sum += length(body.rest[e[0]] - body.rest[e[1]]);
  const double mean = body.edges.empty() ? 0 : sum / static_cast<double>(body.edges.size());
  check_range(body.name + ".thickness", *body.thickness, *body.thickness > 0 && *body.thickness <= mean,
              "give a thickness above 0 and up to the mean edge length, " + std::to_string(mean) +
                  " m, or use a coarser mesh");
}

template <class Body>
std::string label(const Body& body, const char* kind) {
  return body.name.empty() ? kind : body.name;
}

}  // namespace

template <class Kind>
BodyId World::Impl::take(BodyInput body, const Kind& given, std::vector<double> mass) {
  body.name = given.name;
  if (body.name.empty()) body.name = body.kind + std::to_string(input.bodies.size());
  for (const BodyInput& other : input.bodies) {
    if (other.name == body.name) {
      throw Error(body.name, "two bodies have this name", "give each body a name of its own");
    }
  }
  check_finite(body.name + ".velocity", given.velocity);
  check_finite(body.name + ".place.position", given.place.position);
  check_finite(body.name + ".place.rotation", given.place.rotation);
  if (given.color) {
    const auto& [r, g, b] = *given.color;
    for (const double c : {r, g, b}) {
      check_range(body.name + ".color", c, c >= 0 && c <= 1, "give red, green and blue from 0 to 1");
    }
  }
  body.color = given.color;
  if constexpr (requires { given.material; }) body.material = given.material;
  body.velocity = given.velocity;
  if constexpr (requires { given.thickness; }) body.thickness = given.thickness;
  check_thickness(body);
  body.rotation = given.place.rotation;
  body.scale = given.place.scale;
  body.position = given.place.position;
  if constexpr (requires { given.long_range; }) {
    if (given.long_range) check_long_range(body.name + ".long_range", *given.long_range, true);
    body.long_range = given.long_range;
  }
  if constexpr (requires { given.diameter; }) {
    check_range(body.name + ".diameter", given.diameter, given.diameter >= 0, "give 0 or more [m]");
    body.diameter = given.diameter;
  }
  body.mass = std::move(mass);
  body.first_particle = input.particles_of_bodies;
  const Quat<double> turn = from_rotation_vector(given.place.rotation);
  for (const Vec3d& x : body.rest) body.start.push_back(given.place.position + rotate(turn, x));

  const Method method = given.method.value_or(options.method);
  std::vector<ConstraintInput> made;
  std::vector<BalloonInput> balloons;
  for (const auto& [type, settings] : given.constraints) {
    const std::string where = body.name + ".constraints." + type;
    check_settings(where, settings);
    if (const TypeInfo* elastic = find_type(type); elastic && elastic->material) {
      if constexpr (requires { given.material; }) {
        if (given.material && type == elastic_type(*given.material)) continue;  // settings of the material's own
      }
      throw Error(where, "it is the constraint of a material that this body does not have",
                  "give the solid a `material` with this model");
    }
    if (type == "balloon") {
      check_balloon(where, settings);
      if (body.triangles.empty() || !is_closed(body.triangles)) {
        throw Error(where, "the surface is not closed", "a balloon needs a closed surface such as a sphere");
      }
      balloons.push_back({static_cast<int>(input.bodies.size()), method, settings});
    } else {
      made.push_back(constraints_of(body, type, settings, method, where));
    }
  }
  if constexpr (requires { given.material; }) {
    if (given.material) {
      if (auto tets = add_material(body, *given.material, given.constraints, method, made)) {
        const int index = static_cast<int>(input.bodies.size());
        unresolved.push_back({index, elasticity_matrix(*given.material), std::move(*tets), {}});
      }
    }
  }
  // Nothing is kept unless all of it is good.
  input.particles_of_bodies += body.vertices();
  input.bodies.push_back(std::move(body));
  for (ConstraintInput& c : made) input.constraints.push_back(std::move(c));
  for (BalloonInput& b : balloons) input.balloons.push_back(std::move(b));
  loads.acceleration.emplace_back();
  loads.vertex_forces.emplace_back();
  body_force.emplace_back();
  stale = true;
  return {static_cast<int>(input.bodies.size()) - 1};
}

std::optional<ResetTets> World::Impl::add_material(const BodyInput& body, const Material& material,
                                                   const Constraints& settings, Method method,
                                                   std::vector<ConstraintInput>& made) {
  const std::string type = elastic_type(material);
  const auto found = settings.find(type);
  const ConstraintInput all =
      constraints_of(body, type, found == settings.end() ? ConstraintSettings{} : found->second, method,
                     body.name + ".material", lame(material.young, material.poisson));  // not of orthotropic ones
  return add_elastic(body, material, all, implicit_step(options), resolved_limit(options), made);
}

ConstraintInput World::Impl::constraints_of(const BodyInput& body, const std::string& type,
                                            const ConstraintSettings& settings, Method method, const std::string& where,
                                            const Lame& lame_constants) {
  ConstraintInput c;
  c.type = find_type(type);
  if (!c.type || c.type->stencil == Stencil::pairs) {
    std::vector<std::string> names;
    for (const ConstraintType& t : constraint_types()) {
      if (t.elements != "pairs") names.push_back(t.name);
    }
    throw Error(where, c.type ? "it is not made from a mesh" : "there is no such constraint",
                did_you_mean(type, names));
  }
  c.method = method;
  c.settings = settings;
  c.particles = stencils_of(body, c.type->stencil);
  if (c.particles.empty() && (c.type->stencil == Stencil::tets || body.triangles.empty())) {
    throw Error(where, "a " + body.kind + " has no " + element_name(c.type->stencil),
                "leave this constraint out, or use a body that has them");
  }
  const int points = c.type->points;
  const std::size_t fields = c.type->rest_fields.size();
  const std::size_t count = c.particles.size() / points;
  c.rest.resize(count * fields);
  std::vector<Vec3d> x(points);
  for (std::size_t k = 0; k < count; ++k) {
    for (int i = 0; i < points; ++i) x[i] = body.rest[c.particles[k * points + i] - body.first_particle];
    c.type->make_rest(x.data(), lame_constants.lambda, lame_constants.mu, &c.rest[k * fields]);
    for (std::size_t f = 0; f < fields; ++f) {  // rest data that the settings give
      if (c.type->rest_fields[f] == "stretch_min") c.rest[k * fields + f] = settings.stretch_min;
      if (c.type->rest_fields[f] == "stretch_max") c.rest[k * fields + f] = settings.stretch_max;
    }
  }
  return c;
}

BodyId World::add(const Cloth& cloth) {
  const std::string name = label(cloth, "cloth");
  check_density(name, cloth.density, "kg/m^2");
  const TriMesh mesh = scaled(cloth.mesh, cloth.place, name);
  BodyInput body;
  body.kind = "cloth";
  body.rest = mesh.positions;
  body.triangles = mesh.triangles;
  body.texture_coordinates = mesh.texture_coordinates;
  body.edges = edges_of(mesh.triangles);
  return impl_->take(std::move(body), cloth, lumped_masses(mesh.triangles, mesh.positions, cloth.density));
}

BodyId World::add(const Solid& given) {
  const std::string name = label(given, "solid");
  Solid solid = given;
  if (solid.material) {
    check_elastic(*solid.material, name + ".material");
    solid.density = solid.material->density;
  }
  if (solid.constraints.erase("default") > 0 && !solid.material) solid.constraints.merge(Solid::springs());
  check_density(name, solid.density, "kg/m^3");
  const TetMesh mesh = scaled(solid.mesh, solid.place, name);
  BodyInput body;
  body.kind = "solid";
  body.rest = mesh.positions;
  body.tets = mesh.tets;
  body.triangles = surface_of(mesh);
  body.edges = edges_of(mesh.tets);
  if (!solid.masses.empty() && solid.masses.size() != body.rest.size()) {
    throw Error(name + ".masses", "there are " + std::to_string(solid.masses.size()),
                "give one per vertex, " + std::to_string(body.rest.size()) + ", or none");
  }
  for (const double m : solid.masses) check_range(name + ".masses", m, m > 0, "give masses above 0 [kg]");
  std::vector<double> masses =
      solid.masses.empty() ? lumped_masses(mesh.tets, mesh.positions, solid.density) : solid.masses;
  return impl_->take(std::move(body), solid, std::move(masses));
}

BodyId World::add(const Hair& given) {
  const std::string name = label(given, "hair");
  check_density(name, given.density, "kg/m");
  check_range(name + ".leader_push", given.leader_push, given.leader_push >= 0 && given.leader_push <= 1,
              "give 0 to 1, such as 0.9");
  check_range(name + ".shape_frequency", given.shape_frequency, given.shape_frequency >= 0, "give 0 or more [Hz]");
  const int rows = given.mesh.segments + 1;
  if (rows < 2 || given.mesh.positions.empty() || given.mesh.positions.size() % std::size_t(rows) != 0) {
    throw Error(name + ".mesh", "the vertices do not make whole strands",
                "give segments + 1 vertices for each strand, and at least one segment");
  }
  const int strands = static_cast<int>(given.mesh.positions.size()) / rows;
  Curve curve{given.mesh.positions, {}};
  for (int v = 0; v < static_cast<int>(curve.positions.size()); ++v) {
    if (v % rows != 0) curve.edges.push_back({v - 1, v});
  }
  Hair hair = given;
  if (hair.on) {
    const BodyInput& carrier = impl_->body(*hair.on);
    const Placement unset{};
    if (!(hair.place.position == unset.position && hair.place.rotation == unset.rotation &&
          hair.place.scale == unset.scale)) {
      throw Error(name + ".place", "hair on another body is placed with it",
                  "leave it out, and grow the strands on that body's rest shape");
    }
    hair.place.position = carrier.position;
    hair.place.rotation = carrier.rotation;
    if (static_cast<int>(hair.mesh.roots.size()) != strands) {
      throw Error(name + ".mesh.roots", "there are " + std::to_string(hair.mesh.roots.size()) + " of them",
                  "give the surface point of each strand, " + std::to_string(strands));
    }
    for (const SurfacePoint& root : hair.mesh.roots) {
      for (const int corner : root.corners) impl_->vertex_check(carrier, corner);
    }
  }
  const Curve mesh = scaled(std::move(curve), hair.place, name);
  BodyInput body;
  body.kind = "hair";
  body.rest = mesh.positions;
  body.edges = mesh.edges;
  body.strands = StrandsInput{given.mesh.segments, hair.dynamic, hair.leader_push, hair.shape_frequency};
  const BodyId id = impl_->take(std::move(body), hair, lumped_masses(mesh.edges, mesh.positions, hair.density));

  const BodyInput& made = impl_->body(id);
  PinInput roots;
  for (int s = 0; s < strands; ++s) {
    const int32_t root = made.first_particle + s * rows;
    if (hair.on) {
      const BodyInput& carrier = impl_->body(*hair.on);
      RiderInput rider{root, {}, hair.mesh.roots[s].weights, made.start[s * rows], {}};
      for (int k = 0; k < 3; ++k) {
        rider.corners[k] = carrier.first_particle + hair.mesh.roots[s].corners[k];
        rider.corner_start[k] = carrier.start[hair.mesh.roots[s].corners[k]];
      }
      impl_->input.riders.push_back(rider);
    } else {
      roots.particles.push_back(root);
      roots.positions.push_back(made.start[s * rows]);
    }
  }
  if (!roots.particles.empty()) impl_->input.pins.push_back(std::move(roots));
  return id;
}

BodyId World::add(const Rope& rope) {
  const std::string name = label(rope, "rope");
  check_density(name, rope.density, "kg/m");
  const Curve mesh = scaled(rope.mesh, rope.place, name);
  BodyInput body;
  body.kind = "rope";
  body.rest = mesh.positions;
  body.edges = mesh.edges;
  return impl_->take(std::move(body), rope, lumped_masses(mesh.edges, mesh.positions, rope.density));
}

}  // namespace pliant
