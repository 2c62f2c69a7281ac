// The public face: takes bodies in, checks them, and hands them to a Solver.

#include "pliant/world.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "constraints/registry.h"
#include "core/suggest.h"
#include "math/quaternion.h"
#include "mesh/topology.h"
#include "solver/elastic.h"
#include "solver/resolution.h"
#include "solver/solver.h"

namespace pliant {

namespace {

std::string number(double value) {
  std::string text = std::to_string(value);
  if (text.find('.') != std::string::npos) {
    text.erase(text.find_last_not_of('0') + 1);
    if (text.back() == '.') text.pop_back();
  }
  return text;
}

void check_range(const std::string& where, double value, bool good, const std::string& remedy) {
  if (!std::isfinite(value)) throw Error(where, "it is not a finite number", remedy);
  if (!good) throw Error(where, number(value) + " is out of range", remedy);
}

void check_finite(const std::string& where, const Vec3d& v) {
  if (!std::isfinite(v.x) || !std::isfinite(v.y) || !std::isfinite(v.z)) {
    throw Error(where, "a component is not a finite number", "give three finite numbers");
  }
}

void check_options(const WorldOptions& o) {
  check_range("step", o.step, o.step > 0, "give a time step above 0 [s], such as 1/60");
  check_range("substeps", o.substeps, o.substeps >= 1 && o.substeps <= 100000, "use 1 to 100000 substeps");
  check_range("iterations", o.iterations, o.iterations >= 1 && o.iterations <= 100000, "use 1 to 100000 iterations");
  check_finite("gravity", o.gravity);
  check_range("point_damping", o.point_damping, o.point_damping >= 0, "give a rate of 0 or more [1/s]");
  check_range("global_damping", o.global_damping, o.global_damping >= 0, "give a rate of 0 or more [1/s]");
  check_range("threads", o.threads, o.threads >= 0 && o.threads <= 1024, "use 0 (all cores) to 1024 threads");
  const int w = o.simd_width;
  check_range("simd_width", w, w == 0 || w == 1 || w == 4 || w == 8 || w == 16, "use 0 (the build's own), 1, 4, 8 or 16");
}

void check_settings(const std::string& where, const ConstraintSettings& s) {
  const std::string at_least_zero = "give 0 (rigid) or more";
  const std::string zero_to_one = "give a number from 0 (no effect) to 1 (rigid)";
  check_range(where + ".compliance", s.compliance, s.compliance >= 0, at_least_zero);
  check_range(where + ".stiffness", s.stiffness, s.stiffness >= 0 && s.stiffness <= 1, zero_to_one);
  if (const auto& c = s.compression_compliance) {
    check_range(where + ".compression_compliance", *c, *c >= 0, at_least_zero);
  }
  if (const auto& k = s.compression_stiffness) {
    check_range(where + ".compression_stiffness", *k, *k >= 0 && *k <= 1, zero_to_one);
  }
  check_range(where + ".damping", s.damping, s.damping >= 0, "give a time of 0 or more [s]");
  check_range(where + ".velocity_damping", s.velocity_damping, s.velocity_damping >= 0, "give a rate of 0 or more [1/s]");
  check_range(where + ".pressure", s.pressure, s.pressure > 0, "give a factor above 0; 1 keeps the rest volume");
}

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

const char* element_name(Stencil stencil) {
  switch (stencil) {
    case Stencil::edges: return "edges";
    case Stencil::hinges: return "hinges";
    case Stencil::triangles: return "triangles";
    case Stencil::tets: return "tets";
    case Stencil::pairs: return "pairs";
  }
  return "";
}

/// The step of implicit Euler that a substep is to its constraints [s]; see bdf2.cpp.
double implicit_step(const WorldOptions& options) {
  return options.step / options.substeps * (options.integrator == Integrator::bdf2 ? 2.0 / 3 : 1.0);
}

std::string warning_of(const Unresolved& u, const WorldOptions& options) {
  const double percent = 100 * u.softness;
  return fmt::format(
      "{}: the material is stiffer than the substeps resolve (E dt^2 / (density h^2) = {:.3g}, above {}): at rest it will "
      "sag about {:.{}f} % too far; use {} substeps{} or larger elements",
      u.body, u.resolution, resolved_limit(options), percent, percent < 1 ? 1 : 0, u.substeps,
      options.iterations < 10 ? ", more iterations" : "");
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
      if (body.kind == "rope") break;
      for (const Hinge& h : hinges_of(body.triangles)) add(h.edge0, h.edge1, h.opposite0, h.opposite1);
      break;
    case Stencil::triangles:
      for (const Triangle& t : body.triangles) add(t[0], t[1], t[2]);
      break;
    case Stencil::tets:
      for (const Tet& t : body.tets) add(t[0], t[1], t[2], t[3]);
      break;
    case Stencil::pairs: break;
  }
  return out;
}

}  // namespace

struct World::Impl {
  WorldOptions options;
  std::shared_ptr<JobSystem> jobs;
  ModelInput input;
  Loads loads;
  std::vector<Vec3d> body_force;  // [N]
  std::unique_ptr<AnySolver> solver;
  /// A body that the substeps do not resolve. The softness is worked out when it is asked for, with the pins of then.
  struct UnresolvedBody {
    int body;
    ElasticityMatrix stiffness;
    ResetTets tets;
    std::optional<double> softness;
  };
  std::vector<UnresolvedBody> unresolved;
  bool stale = true;  // something was added or pinned since the solver was made

  AnySolver& built() {
    if (stale) build();
    return *solver;
  }

  void build() {
    std::unique_ptr<AnySolver> made;  // the old one stays when this throws
    const bool wide = options.precision == Precision::float64
#ifdef PLIANT_DOUBLE
                      || options.precision == Precision::standard
#endif
        ;
    if (wide) {
      made = std::make_unique<Solver<double>>(input, options, jobs);
    } else {
      made = std::make_unique<Solver<float>>(input, options, jobs);
    }
    if (solver) {
      for (int b = 0; b < bodies_built; ++b) {
        made->set_positions(b, solver->positions(b));
        made->set_velocities(b, solver->velocities(b));
        made->set_held(b, solver->held(b));
      }
      made->set_plastic_state(solver->plastic_state());
      made->set_clock(solver->time(), solver->steps());
      made->set_troubles(solver->troubles());
    }
    solver = std::move(made);
    bodies_built = static_cast<int>(input.bodies.size());
    send_loads();
    stale = false;
  }
  int bodies_built = 0;

  void send_loads() {
    Loads all = loads;
    for (std::size_t b = 0; b < input.bodies.size(); ++b) {
      const auto& mass = input.bodies[b].mass;
      all.acceleration[b] += body_force[b] / std::accumulate(mass.begin(), mass.end(), 0.0);
    }
    solver->set_loads(all);
  }

  std::vector<Unresolved> find_unresolved() {
    const double dt = implicit_step(options);
    std::vector<Unresolved> out;
    for (UnresolvedBody& u : unresolved) {
      const BodyInput& b = input.bodies[u.body];
      if (!u.softness) {
        std::vector<uint8_t> held(b.rest.size(), 0);
        for (const PinInput& pin : input.pins) {
          for (int32_t p : pin.particles) {
            if (p >= b.first_particle && p < b.first_particle + b.vertices()) held[p - b.first_particle] = 1;
          }
        }
        const Vec3d gravity = rotate(from_rotation_vector(b.rotation * -1.0), loads.gravity);
        u.softness = softness_at_rest(b, u.stiffness, u.tets.reset, std::move(held), gravity, dt, options.iterations);
      }
      const double enough = std::ceil(options.substeps * std::sqrt(u.tets.largest / resolved_limit(options)));
      out.push_back({b.name, u.tets.largest, *u.softness, static_cast<int64_t>(enough)});
    }
    return out;
  }
  /// Pins have changed.
  void forget_softness() {
    for (UnresolvedBody& u : unresolved) u.softness.reset();
  }

  /// Where a body's vertices are, without building anew for what was added since.
  std::vector<Vec3d> present_positions(BodyId id) {
    return id.index < bodies_built ? solver->positions(id.index) : body(id).start;
  }

  BodyInput& body(BodyId id) {
    if (id.index < 0 || id.index >= static_cast<int>(input.bodies.size())) {
      throw Error("body", "there is no body number " + std::to_string(id.index), "use what World::add returned");
    }
    return input.bodies[id.index];
  }
  const std::string& vertex_check(const BodyInput& b, int vertex) const {
    if (vertex < 0 || vertex >= b.vertices()) {
      throw Error(b.name, "vertex " + std::to_string(vertex) + " does not exist",
                  "use 0 to " + std::to_string(b.vertices() - 1));
    }
    return b.name;
  }

  /// Names, places and weighs a body; the kind's add() has filled kind, rest, edges, triangles, tets.
  template <class Kind>
  BodyId take(BodyInput body, const Kind& given, std::vector<double> mass) {
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
    body.velocity = given.velocity;
    body.rotation = given.place.rotation;
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

  std::optional<ResetTets> add_material(const BodyInput& body, const Material& material, const Constraints& settings,
                                        Method method, std::vector<ConstraintInput>& made) {
    const std::string type = elastic_type(material);
    const auto found = settings.find(type);
    const ConstraintInput all =
        constraints_of(body, type, found == settings.end() ? ConstraintSettings{} : found->second, method,
                       body.name + ".material", lame(material.young, material.poisson));  // not of orthotropic ones
    return add_elastic(body, material, all, implicit_step(options), resolved_limit(options), made);
  }

  static ConstraintInput constraints_of(const BodyInput& body, const std::string& type,
                                        const ConstraintSettings& settings, Method method, const std::string& where,
                                        const Lame& lame_constants = {1, 1}) {
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
    if (c.particles.empty() && (c.type->stencil == Stencil::tets || body.kind == "rope")) {
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
    }
    return c;
  }

  void attach(int32_t particle, std::vector<int32_t> corners, std::vector<double> weights,
              const ConstraintSettings& settings, const std::string& where) {
    check_settings(where, settings);
    ConstraintInput c;
    c.type = find_type(corners.size() == 1 ? "attach_point" : corners.size() == 3 ? "attach_triangle" : "attach_tet");
    c.method = options.method;
    c.settings = settings;
    c.particles = {particle};
    c.particles.insert(c.particles.end(), corners.begin(), corners.end());
    c.rest = std::move(weights);
    input.constraints.push_back(std::move(c));
    stale = true;
  }
};

namespace {

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

template <class Body>
std::string label(const Body& body, const char* kind) {
  return body.name.empty() ? kind : body.name;
}

}  // namespace

World::World(WorldOptions options) : impl_(std::make_unique<Impl>()) {
  check_options(options);
  impl_->options = options;
  impl_->loads.gravity = options.gravity;
  impl_->jobs = options.jobs ? options.jobs : make_thread_pool(options.threads);
}
World::~World() = default;
World::World(World&&) noexcept = default;
World& World::operator=(World&&) noexcept = default;

BodyId World::add(const Cloth& cloth) {
  const std::string name = label(cloth, "cloth");
  check_density(name, cloth.density, "kg/m^2");
  const TriMesh mesh = scaled(cloth.mesh, cloth.place, name);
  BodyInput body;
  body.kind = "cloth";
  body.rest = mesh.positions;
  body.triangles = mesh.triangles;
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
  return impl_->take(std::move(body), solid, lumped_masses(mesh.tets, mesh.positions, solid.density));
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

void World::pin(BodyId id, std::span<const int> vertices, std::vector<Keyframe> path) {
  const BodyInput& body = impl_->body(id);
  for (std::size_t k = 0; k < path.size(); ++k) {
    const std::string where = body.name + ".path[" + std::to_string(k) + "]";
    check_range(where + ".time", path[k].time, k == 0 || path[k].time > path[k - 1].time, "let times ascend");
    check_finite(where + ".move", path[k].move);
    check_finite(where + ".turn", path[k].turn);
  }
  const std::vector<Vec3d> now = impl_->present_positions(id);
  PinInput pin;
  for (int v : vertices) {
    impl_->vertex_check(body, v);
    pin.particles.push_back(body.first_particle + v);
    pin.positions.push_back(now[v]);
  }
  if (pin.particles.empty()) throw Error(body.name, "no vertices to pin were given", "name at least one");
  unpin(id, vertices);
  pin.path = std::move(path);
  impl_->input.pins.push_back(std::move(pin));
  impl_->forget_softness();
  impl_->stale = true;
}

void World::pin(BodyId id, std::initializer_list<int> vertices, std::vector<Keyframe> path) {
  pin(id, std::span<const int>(vertices.begin(), vertices.size()), std::move(path));
}

void World::unpin(BodyId id, std::span<const int> vertices) {
  const BodyInput& body = impl_->body(id);
  std::vector<uint8_t> remove(body.vertices(), 0);
  for (int v : vertices) {
    impl_->vertex_check(body, v);
    remove[v] = 1;
  }
  for (PinInput& pin : impl_->input.pins) {
    std::size_t kept = 0;
    for (std::size_t k = 0; k < pin.particles.size(); ++k) {
      const int v = pin.particles[k] - body.first_particle;
      if (v >= 0 && v < body.vertices() && remove[v]) continue;
      pin.particles[kept] = pin.particles[k];
      pin.positions[kept++] = pin.positions[k];
    }
    if (kept != pin.particles.size()) {
      impl_->forget_softness();
      impl_->stale = true;
    }
    pin.particles.resize(kept);
    pin.positions.resize(kept);
  }
  std::erase_if(impl_->input.pins, [](const PinInput& pin) { return pin.particles.empty(); });
}

void World::attach(BodyId id, int vertex, Vec3d point, ConstraintSettings settings) {
  const BodyInput& body = impl_->body(id);
  impl_->vertex_check(body, vertex);
  check_finite(body.name + ".attach.point", point);
  impl_->input.anchors.push_back(point);
  const auto anchor = static_cast<int32_t>(impl_->input.anchors.size());
  impl_->attach(body.first_particle + vertex, {-anchor}, {1.0}, settings, body.name + ".attach");
}

void World::attach(BodyId id, int vertex, BodyId other_id, std::span<const int> corners,
                   std::span<const double> weights, ConstraintSettings settings) {
  const BodyInput& body = impl_->body(id);
  const BodyInput& other = impl_->body(other_id);
  impl_->vertex_check(body, vertex);
  const std::string where = body.name + ".attach";
  if ((corners.size() != 3 && corners.size() != 4 && corners.size() != 1) || weights.size() != corners.size()) {
    throw Error(where, "one, three or four corners with a weight each are needed", "name a vertex, a triangle or a tet");
  }
  double sum = 0;
  std::vector<int32_t> particles;
  for (std::size_t k = 0; k < corners.size(); ++k) {
    impl_->vertex_check(other, corners[k]);
    if (id == other_id && corners[k] == vertex) {
      throw Error(where, "vertex " + std::to_string(vertex) + " would be attached to itself", "name other corners");
    }
    for (std::size_t j = 0; j < k; ++j) {
      if (corners[j] == corners[k]) {
        throw Error(where, "corner " + std::to_string(corners[k]) + " is named twice", "name different corners");
      }
    }
    check_range(where + ".weights", weights[k], true, "give finite weights");
    sum += weights[k];
    particles.push_back(other.first_particle + corners[k]);
  }
  check_range(where + ".weights", sum, std::abs(sum - 1) < 1e-6, "let the weights sum to 1");
  impl_->attach(body.first_particle + vertex, std::move(particles), {weights.begin(), weights.end()}, settings, where);
}

void World::attach_nearest(BodyId id, int vertex, BodyId other_id, ConstraintSettings settings) {
  const BodyInput& body = impl_->body(id);
  const BodyInput& other = impl_->body(other_id);
  impl_->vertex_check(body, vertex);
  if (id == other_id) {
    throw Error(body.name + ".attach", "a body would be attached to itself", "name another body");
  }
  const Vec3d point = impl_->present_positions(id)[vertex];
  const std::vector<Vec3d> x = impl_->present_positions(other_id);
  if (other.triangles.empty()) {  // a rope: its nearest vertex
    int nearest = 0;
    for (int v = 1; v < other.vertices(); ++v) {
      if (length_squared(x[v] - point) < length_squared(x[nearest] - point)) nearest = v;
    }
    attach(id, vertex, other_id, std::array{nearest}, std::array{1.0}, settings);
    return;
  }
  const MeshPoint at = other.tets.empty() ? nearest_point_on(other.triangles, x, point)
                                          : nearest_point_on(other.tets, x, point);
  attach(id, vertex, other_id, std::span(at.corners).first(at.corner_count),
         std::span(at.weights).first(at.corner_count), settings);
}

void World::set_acceleration(BodyId id, Vec3d a) {
  check_finite(impl_->body(id).name + ".acceleration", a);
  impl_->loads.acceleration[id.index] = a;
  if (!impl_->stale) impl_->send_loads();
}
void World::set_force(BodyId id, Vec3d force) {
  check_finite(impl_->body(id).name + ".force", force);
  impl_->body_force[id.index] = force;
  if (!impl_->stale) impl_->send_loads();
}
void World::set_vertex_forces(BodyId id, std::span<const Vec3d> forces) {
  const BodyInput& body = impl_->body(id);
  if (!forces.empty() && static_cast<int>(forces.size()) != body.vertices()) {
    throw Error(body.name + ".vertex_forces", "there are " + std::to_string(forces.size()) + " forces",
                "give one per vertex, " + std::to_string(body.vertices()) + ", or none");
  }
  for (const Vec3d& f : forces) check_finite(body.name + ".vertex_forces", f);
  impl_->loads.vertex_forces[id.index].assign(forces.begin(), forces.end());
  if (!impl_->stale) impl_->send_loads();
}
void World::set_gravity(Vec3d gravity) {
  check_finite("gravity", gravity);
  impl_->loads.gravity = gravity;
  if (!impl_->stale) impl_->send_loads();
}

void World::build() { impl_->built(); }
void World::step() { impl_->built().step(); }
void World::reset() { impl_->built().reset(); }

const WorldOptions& World::options() const { return impl_->options; }
double World::time() const { return impl_->solver ? impl_->solver->time() : 0; }
int64_t World::steps() const { return impl_->solver ? impl_->solver->steps() : 0; }
int World::body_count() const { return static_cast<int>(impl_->input.bodies.size()); }
const std::string& World::name(BodyId id) const { return impl_->body(id).name; }
std::optional<BodyId> World::find(const std::string& name) const {
  for (std::size_t b = 0; b < impl_->input.bodies.size(); ++b) {
    if (impl_->input.bodies[b].name == name) return BodyId{static_cast<int>(b)};
  }
  return std::nullopt;
}
int World::vertex_count(BodyId id) const { return impl_->body(id).vertices(); }

std::vector<Vec3d> World::positions(BodyId id) const {
  impl_->body(id);
  return impl_->built().positions(id.index);
}
std::vector<Vec3d> World::velocities(BodyId id) const {
  impl_->body(id);
  return impl_->built().velocities(id.index);
}
std::vector<Vec3d> World::rest_positions(BodyId id) const { return impl_->body(id).rest; }
std::vector<double> World::masses(BodyId id) const { return impl_->body(id).mass; }

namespace {
void check_state(const BodyInput& body, const char* what, std::span<const Vec3d> values) {
  if (static_cast<int>(values.size()) != body.vertices()) {
    throw Error(body.name + "." + what, "there are " + std::to_string(values.size()),
                "give one per vertex, " + std::to_string(body.vertices()));
  }
  for (const Vec3d& v : values) check_finite(body.name + "." + what, v);
}
}  // namespace

void World::set_positions(BodyId id, std::span<const Vec3d> x) {
  check_state(impl_->body(id), "positions", x);
  impl_->built().set_positions(id.index, x);
}
void World::set_velocities(BodyId id, std::span<const Vec3d> v) {
  check_state(impl_->body(id), "velocities", v);
  impl_->built().set_velocities(id.index, v);
}
const std::vector<Triangle>& World::triangles(BodyId id) const { return impl_->body(id).triangles; }
const std::vector<Tet>& World::tets(BodyId id) const { return impl_->body(id).tets; }
const std::vector<Edge>& World::edges(BodyId id) const { return impl_->body(id).edges; }

Measures World::measures() const { return impl_->built().measures(); }
std::vector<Unresolved> World::unresolved() const { return impl_->find_unresolved(); }
std::vector<std::string> World::warnings() const {
  std::vector<std::string> out;
  for (const Unresolved& u : unresolved()) {
    if (u.softness >= 0.001) out.push_back(warning_of(u, impl_->options));
  }
  return out;
}
std::vector<ConstraintCount> World::constraint_counts() const { return impl_->built().constraint_counts(); }
int64_t World::particle_count() const { return impl_->input.particles_of_bodies; }
const std::vector<Trouble>& World::troubles() const { return impl_->built().troubles(); }

uint64_t World::state_hash() const { return impl_->built().state_hash(); }
std::vector<std::byte> World::snapshot() const { return impl_->built().snapshot(); }
void World::restore(std::span<const std::byte> bytes) { impl_->built().restore(bytes); }

const std::vector<ConstraintType>& constraint_types() {
  static const std::vector<ConstraintType> types = [] {
    std::vector<ConstraintType> out;
    for (const TypeInfo* t : registered_types()) {
      out.push_back({t->name, t->summary, t->compliance_unit, element_name(t->stencil), t->points, t->entries});
    }
    out.push_back({"balloon", "keeps the volume inside of a closed surface", "m^6/J", "surface", 0, 1});
    return out;
  }();
  return types;
}

const char* version() { return PLIANT_VERSION; }

}  // namespace pliant
