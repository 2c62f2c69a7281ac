// Takes bodies in: checks them, weighs them, makes their constraints.

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "constraints/registry.h"
#include "core/suggest.h"
#include "math/quaternion.h"
#include "mesh/topology.h"
#include "solver/defaults.h"
#include "solver/fabric.h"
#include "solver/form_warnings.h"
#include "solver/kept.h"
#include "solver/resolution.h"
#include "solver/strains.h"
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

/// Stands for the vertex across an edge at the border, which is not there.
constexpr int32_t kNoVertex = std::numeric_limits<int32_t>::min();

/// The vertices across the edges of each triangle, opposite to its corners 0, 1 and 2; kNoVertex at the border.
std::vector<std::array<int32_t, 3>> across_edges(const std::vector<Triangle>& triangles) {
  std::vector<std::array<int32_t, 3>> out(triangles.size(), {kNoVertex, kNoVertex, kNoVertex});
  const auto corner_off = [&](int triangle, const Edge& e) {
    const Triangle& t = triangles[triangle];
    for (int k = 0; k < 3; ++k) {
      if (t[k] != e[0] && t[k] != e[1]) return k;
    }
    return 0;
  };
  for (const TrianglePair& pair : neighbours_of(triangles)) {
    const int k0 = corner_off(pair.triangle0, pair.edge), k1 = corner_off(pair.triangle1, pair.edge);
    out[pair.triangle0][k0] = triangles[pair.triangle1][k1];
    out[pair.triangle1][k1] = triangles[pair.triangle0][k0];
  }
  return out;
}

/// The particles of one constraint per element of a mesh.
std::vector<int32_t> stencils_of(const BodyInput& body, const TypeInfo& type) {
  std::vector<int32_t> out;
  const auto add = [&](auto... v) { (out.push_back(body.first_particle + v), ...); };
  switch (type.stencil) {
    case Stencil::edges:
      for (const Edge& e : body.edges) add(e[0], e[1]);
      break;
    case Stencil::hinges:
      for (const Hinge& h : hinges_of(body.triangles)) add(h.edge0, h.edge1, h.opposite0, h.opposite1);
      break;
    case Stencil::triangles:
      if (type.points == 3) {
        for (const Triangle& t : body.triangles) add(t[0], t[1], t[2]);
      } else {  // with the neighbours across the edges
        const auto across = across_edges(body.triangles);
        for (std::size_t k = 0; k < body.triangles.size(); ++k) {
          const Triangle& t = body.triangles[k];
          add(t[0], t[1], t[2]);
          for (const int32_t v : across[k]) out.push_back(v == kNoVertex ? v : body.first_particle + v);
        }
      }
      break;
    case Stencil::tets:
      for (const Tet& t : body.tets) add(t[0], t[1], t[2], t[3]);
      break;
    case Stencil::clusters:
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
  check_range(
      body.name + ".thickness", *body.thickness, *body.thickness > 0 && *body.thickness <= mean,
      "give a thickness above 0 and up to the mean edge length, " + std::to_string(mean) + " m, or use a coarser mesh");
}

template <class Body>
std::string label(const Body& body, const char* kind) {
  return body.name.empty() ? kind : body.name;
}

}  // namespace

namespace {

constexpr const char *kClothStrain = "tri_strain", *kSolidStrain = "tet_strain";

/// Whether a type belongs to the material or the strains of a body, so that its settings are those of their own.
template <class Kind>
bool is_of_material(const BodyInput& body, const Kind& given, const std::string& type) {
  if constexpr (requires { given.strain; }) {
    if (given.strain && type == (std::is_same_v<Kind, Cloth> ? kClothStrain : kSolidStrain)) return true;
  }
  if constexpr (std::is_same_v<Kind, Solid>) return given.material && type == elastic_type(*given.material);
  if constexpr (std::is_same_v<Kind, Cloth>) {
    return given.material && (type == membrane_type(*given.material) || type == bending_type(body, *given.material));
  }
  return false;
}

}  // namespace

namespace {

/// [N/m] of an elastic cloth, or of its softest strain; 0: it is none, or not by xpbd.
template <class Kind>
double sheet_modulus(const Kind& given) {
  if constexpr (std::is_same_v<Kind, Cloth>) {
    if (given.material) return membrane_matrix(*given.material)[0][0];
    if (given.strain) return std::min(given.strain->weft.modulus, given.strain->warp.modulus);
  }
  return 0;
}

}  // namespace

template <class Kind>
BodyId World::Impl::take(BodyInput body, const Kind& given, std::vector<double> mass, double softened) {
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
  if constexpr (std::is_same_v<Kind, Solid>) body.material = given.material;
  body.velocity = given.velocity;
  if constexpr (requires { given.thickness; }) {
    body.thickness = given.thickness;
    body.self_contact = given.self_contact;
  }
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
  std::vector<UnresolvedBody> too_stiff;
  std::vector<std::string> notes;
  for (const auto& [type, settings] : given.constraints) {
    const std::string where = body.name + ".constraints." + type;
    check_settings(where, settings);
    if (const TypeInfo* elastic = find_type(type); elastic && elastic->material) {
      if (is_of_material(body, given, type)) continue;  // settings of the material's own
      throw Error(where, "it is the constraint of a material that this body does not have",
                  elastic->stencil == Stencil::tets ? "give the solid a `material` with this model"
                                                    : "give the cloth a `material` with this form");
    }
    if (is_of_material(body, given, type)) continue;
    if (type == kClothStrain || type == kSolidStrain) {
      throw Error(where, "it is the constraint of strains that this body does not have", "give the body a `strain`");
    }
    if (type == "balloon") {
      check_balloon(where, settings);
      if (body.triangles.empty() || !is_closed(body.triangles)) {
        throw Error(where, "the surface is not closed", "a balloon needs a closed surface such as a sphere");
      }
      balloons.push_back({static_cast<int>(input.bodies.size()), method, settings});
    } else {
      made.push_back(constraints_of(body, type, settings, method, where));
      if (type == "triangle_bend") {  // has its stiffness in its rest data
        check_range(where + ".compliance", settings.compliance, settings.compliance > 0,
                    "give a value above 0, the inverse of a bending stiffness [1/(N m)]");
        scale_rest(made.back(), 1 / std::sqrt(settings.compliance));
        made.back().method = Method::xpbd;
      }
      if (made.back().settings.keep_multipliers && made.back().method == Method::xpbd) {
        const ConstraintInput all = std::move(made.back());
        made.pop_back();
        const auto not_kept = add_kept_where_resolved(body, all, implicit_step(options), resolved_limit(options), made);
        if (not_kept) notes.push_back(warning_of(*not_kept, body.name, type, options.substeps));
      }
    }
  }
  if constexpr (std::is_same_v<Kind, Cloth>) {
    if (given.material) add_material(body, given, method, made, too_stiff);
  }
  if constexpr (requires { given.strain; }) {
    if (given.strain) add_strain(body, given, method, made);
  }
  if constexpr (std::is_same_v<Kind, Solid>) {
    if (given.material) {
      if (auto tets = add_material(body, *given.material, given.constraints, method, made)) {
        const int index = static_cast<int>(input.bodies.size());
        too_stiff.push_back({index,
                             Stiffness::solid,
                             tets->largest,
                             tets->limit,
                             {},
                             elasticity_matrix(*given.material),
                             std::move(tets->reset)});
      }
    }
  }
  for (std::string& note : form_warnings(body, made, sheet_modulus(given), implicit_step(options)))
    notes.push_back(std::move(note));
  // What is across the border does not exist: a particle that does not move, and whose share is zero.
  const int32_t nothing = -1 - static_cast<int32_t>(input.anchors.size());
  bool has_border = false;
  for (ConstraintInput& c : made) {
    for (int32_t& p : c.particles) {
      if (p != kNoVertex) continue;
      p = nothing;
      has_border = true;
    }
  }
  // Nothing is kept unless all of it is good.
  if (has_border) input.anchors.push_back(body.start[0]);
  input.particles_of_bodies += body.vertices();
  input.bodies.push_back(std::move(body));
  fabrics.emplace_back();
  if constexpr (std::is_same_v<Kind, Cloth>) fabrics.back() = given.material;
  for (ConstraintInput& c : made) {
    if (!computes_in_double(options)) {
      c.rest_rounded.assign(c.rest.begin(), c.rest.end());
      c.rest = std::vector<double>();  // {} would keep the memory
    }
    input.constraints.push_back(std::move(c));
  }
  for (UnresolvedBody& u : too_stiff) unresolved.push_back(std::move(u));
  if (softened > 0) by_default.push_back({static_cast<int>(input.bodies.size()) - 1, softened});
  notes_on_forms.insert(notes_on_forms.end(), notes.begin(), notes.end());
  for (BalloonInput& b : balloons) input.balloons.push_back(std::move(b));
  loads.acceleration.emplace_back();
  loads.vertex_forces.emplace_back();
  body_force.emplace_back();
  stale = true;
  return {static_cast<int>(input.bodies.size()) - 1};
}

void World::Impl::add_material(const BodyInput& body, const Cloth& cloth, Method method,
                               std::vector<ConstraintInput>& made, std::vector<UnresolvedBody>& too_stiff) {
  const ClothMaterial& material = *cloth.material;
  const auto constraints = [&](const std::string& type) {
    const auto found = cloth.constraints.find(type);
    return constraints_of(body, type, found == cloth.constraints.end() ? ConstraintSettings{} : found->second, method,
                          body.name + ".material");
  };
  const std::vector<WeftAndWarp> frames =
      weft_and_warp(body, material.weft,
                    texture_of_corners(body, cloth.texture, material.weft_from_texture, body.name + ".material"));
  const Substep substep{implicit_step(options), resolved_limit(options), options.iterations, options.integrator};
  const int index = static_cast<int>(input.bodies.size());
  if (const auto u = add_membrane(body, material, frames, constraints(membrane_type(material)), substep, made)) {
    too_stiff.push_back({index, Stiffness::membrane, u->largest, u->limit, u->softness});
  }
  if (const std::string type = bending_type(body, material); !type.empty()) {
    ConstraintInput bending = constraints(type);
    bending.method = Method::xpbd;  // a stiffness in N m has no other meaning
    if (const auto u = add_bending(body, bending_stiffness(material), bending, substep, made)) {
      too_stiff.push_back({index, Stiffness::bending, u->largest, u->limit, u->softness});
    }
  }
}

template <class Kind>
void World::Impl::add_strain(const BodyInput& body, const Kind& given, Method method,
                             std::vector<ConstraintInput>& made) {
  const std::string where = body.name + ".strain";
  const std::string type = std::is_same_v<Kind, Cloth> ? kClothStrain : kSolidStrain;
  const auto found = given.constraints.find(type);
  ConstraintInput c = constraints_of(
      body, type, found == given.constraints.end() ? ConstraintSettings{} : found->second, method, where);
  if constexpr (std::is_same_v<Kind, Cloth>) {
    check_strain(*given.strain, where);
    const auto texture = texture_of_corners(body, given.texture, given.strain->weft_from_texture, where);
    const auto frames = weft_and_warp(body, given.strain->direction, texture);
    set_strains(body, *given.strain, frames, options.iterations, c);
  } else {
    check_strain(*given.strain, body.tets.size(), where);
    set_strains(body, *given.strain, options.iterations, c);
  }
  if (c.settings.keep_multipliers) {
    c.settings.keep_multipliers = false;
    notes_on_forms.push_back(where + ": keep_multipliers does not act on strains, it would make energy; leave it out");
  }
  made.push_back(std::move(c));
}

std::optional<ResetElements> World::Impl::add_material(const BodyInput& body, const Material& material,
                                                       const Constraints& settings, Method method,
                                                       std::vector<ConstraintInput>& made) {
  const std::string type = elastic_type(material);
  const auto found = settings.find(type);
  const ConstraintInput all =
      constraints_of(body, type, found == settings.end() ? ConstraintSettings{} : found->second, method,
                     body.name + ".material", lame(material.young, material.poisson));  // not of orthotropic ones
  return add_elastic(body, material, all, options, implicit_step(options), made);
}

ConstraintInput World::Impl::constraints_of(const BodyInput& body, const std::string& type,
                                            const ConstraintSettings& settings, Method method, const std::string& where,
                                            const Lame& lame_constants) {
  ConstraintInput c;
  c.type = find_type(type);
  if (!c.type || c.type->stencil == Stencil::pairs || c.type->stencil == Stencil::clusters) {
    std::vector<std::string> names;
    for (const ConstraintType& t : constraint_types()) {
      if (t.elements != "pairs") names.push_back(t.name);
    }
    throw Error(where, c.type ? "it is not made from a mesh" : "there is no such constraint",
                did_you_mean(type, names));
  }
  c.method = method;
  c.settings = settings;
  c.particles = stencils_of(body, *c.type);
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
    for (int i = 0; i < points; ++i) {
      int32_t p = c.particles[k * points + i];
      if (p == kNoVertex) p = c.particles[k * points + i - 3];  // triangle_bend.h: a corner without a place of its own
      x[i] = body.rest[p - body.first_particle];
    }
    c.type->make_rest(x.data(), lame_constants.lambda, lame_constants.mu, &c.rest[k * fields]);
    for (std::size_t f = 0; f < fields; ++f) {  // rest data that the settings give
      if (c.type->rest_fields[f] == "stretch_min") c.rest[k * fields + f] = settings.stretch_min;
      if (c.type->rest_fields[f] == "stretch_max") c.rest[k * fields + f] = settings.stretch_max;
    }
  }
  return c;
}

namespace {

/// Puts constraints and long range attachments in the place of "default"; see docs/defaults.md. Returns how many times
/// softer they are than meant, 0 where the body has none of them.
template <class Kind>
double add_defaults(BodyInput& body, const std::vector<double>& mass, const WorldOptions& options,
                    const std::string& name, Kind& given) {
  bool wanted = given.constraints.erase("default") > 0;
  if constexpr (requires { given.material; }) wanted = wanted && !given.material && !given.strain;
  if (!wanted) return 0;
  body.held_by_default = true;
  DefaultConstraints defaults = default_constraints(body, mass, given.constraints, given.without, options, name);
  given.constraints.merge(defaults.constraints);
  if constexpr (requires { given.long_range; }) {
    if (!given.long_range) given.long_range = defaults.long_range;
  }
  return defaults.softened;
}

}  // namespace

BodyId World::add(const Cloth& given) {
  const std::string name = label(given, "cloth");
  Cloth cloth = given;
  if (cloth.material) validate(*cloth.material, name + ".material");
  check_density(name, cloth.density, "kg/m^2");
  const TriMesh mesh = scaled(cloth.mesh, cloth.place, name);
  BodyInput body;
  body.kind = "cloth";
  body.rest = mesh.positions;
  body.triangles = mesh.triangles;
  body.texture_coordinates = mesh.texture_coordinates;
  body.edges = edges_of(mesh.triangles);
  std::vector<double> masses = lumped_masses(mesh.triangles, mesh.positions, cloth.density);
  const double softened = add_defaults(body, masses, impl_->options, name, cloth);
  return impl_->take(std::move(body), cloth, std::move(masses), softened);
}

BodyId World::add(const Solid& given) {
  const std::string name = label(given, "solid");
  Solid solid = given;
  if (solid.material) {
    check_elastic(*solid.material, name + ".material");
    solid.density = solid.material->density;
  }
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
  const double softened = add_defaults(body, masses, impl_->options, name, solid);
  return impl_->take(std::move(body), solid, std::move(masses), softened);
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

BodyId World::add(const Rope& given) {
  const std::string name = label(given, "rope");
  Rope rope = given;
  check_density(name, rope.density, "kg/m");
  const Curve mesh = scaled(rope.mesh, rope.place, name);
  BodyInput body;
  body.kind = "rope";
  body.rest = mesh.positions;
  body.edges = mesh.edges;
  std::vector<double> masses = lumped_masses(mesh.edges, mesh.positions, rope.density);
  const double softened = add_defaults(body, masses, impl_->options, name, rope);
  return impl_->take(std::move(body), rope, std::move(masses), softened);
}

}  // namespace pliant
