// The public face: hands what was put in to a Solver, steps it, shows its state.

#include "pliant/world.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numeric>

#include "constraints/registry.h"
#include "math/quaternion.h"
#include "solver/collider_surface.h"
#include "solver/long_range.h"
#include "solver/plausible.h"
#include "solver/resolution.h"
#include "solver/world_checks.h"
#include "solver/world_impl.h"

namespace pliant {

const char* element_name(Stencil stencil) {
  switch (stencil) {
    case Stencil::edges:
      return "edges";
    case Stencil::hinges:
      return "hinges";
    case Stencil::triangles:
      return "triangles";
    case Stencil::tets:
      return "tets";
    case Stencil::clusters:
    case Stencil::pairs:
      return "pairs";
  }
  return "";
}

/// The step of implicit Euler that a substep is to its constraints [s]; see bdf2.cpp.
double implicit_step(const WorldOptions& options) {
  return options.step / options.substeps * (options.integrator == Integrator::bdf2 ? 2.0 / 3 : 1.0);
}

bool computes_in_double(const WorldOptions& options) {
#ifdef PLIANT_DOUBLE
  return options.precision != Precision::float32;
#else
  return options.precision == Precision::float64;
#endif
}

void World::Impl::build() {
  input.derived.clear();
  for (const BodyInput& b : input.bodies) {
    if (!b.long_range) continue;
    for (ConstraintInput& c : long_range_constraints(input, b, options.method)) input.derived.push_back(std::move(c));
  }
  for (ColliderInput& c : input.colliders) c.thickness = kept_thickness(c, input);
  std::unique_ptr<AnySolver> made;  // the old one stays when this throws
  if (computes_in_double(options)) {
    made = std::make_unique<Solver<double>>(input, options, jobs);
  } else {
    made = std::make_unique<Solver<float>>(input, options, jobs);
  }
  if (solver) made->take_over(*solver);
  made->refuse_inside(bodies_built, colliders_built);
  solver = std::move(made);
  bodies_built = static_cast<int>(input.bodies.size());
  colliders_built = static_cast<int>(input.colliders.size());
  send_loads();
  stale = false;
}
void World::Impl::send_loads() {
  Loads all = loads;
  for (std::size_t b = 0; b < input.bodies.size(); ++b) {
    const auto& mass = input.bodies[b].mass;
    all.acceleration[b] += body_force[b] / std::accumulate(mass.begin(), mass.end(), 0.0);
  }
  solver->set_loads(all);
}

std::vector<Unresolved> World::Impl::find_unresolved() {
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
      u.softness = softness_at_rest(b, u.elasticity, u.reset, std::move(held), gravity, dt, options.iterations);
    }
    const double enough = std::ceil(options.substeps * std::sqrt(u.largest / u.limit));
    out.push_back({b.name, u.stiffness, u.largest, u.limit, *u.softness, static_cast<int64_t>(enough)});
  }
  return out;
}
World::World(WorldOptions options) : impl_(std::make_unique<Impl>()) {
  check_options(options);
  impl_->options = options;
  impl_->loads.gravity = options.gravity;
  impl_->loads.wind = options.wind;
  impl_->jobs = options.jobs ? options.jobs : make_thread_pool(options.threads);
}
World::~World() = default;
World::World(World&&) noexcept = default;
World& World::operator=(World&&) noexcept = default;

namespace {

std::string warning_of(const Unresolved& u, const WorldOptions& options) {
  struct Words {
    const char *ratio, *effect;
  };
  constexpr Words kWords[] = {
      {"E dt^2 / (density h^2)", "sag"}, {"k dt^2 / (density h^2)", "stretch"}, {"D dt^2 / (density h^4)", "bend"}};
  const Words& words = kWords[static_cast<int>(u.stiffness)];
  const double percent = 100 * u.softness;
  const std::string far = u.softness < 100 ? fmt::format("{:.{}f} % too far", percent,
                                                         percent < 0.1 ? 2
                                                         : percent < 1 ? 1
                                                                       : 0)
                                           : fmt::format("{:.0f} times as far as it should", 1 + u.softness);
  return fmt::format(
      "{}: the material is stiffer than the substeps resolve ({} = {:.3g}, above {:.2g}): at rest it will {} about {}; "
      "use "
      "{} substeps{} or larger elements",
      u.body, words.ratio, u.resolution, u.limit, words.effect, far, u.substeps,
      options.iterations < 10 ? ", more iterations" : "");
}

}  // namespace

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
  impl_->forget_softness();
  if (!impl_->stale) impl_->send_loads();
}

void World::set_wind(std::optional<Wind> wind) {
  if (wind) check_wind("wind", *wind);
  impl_->loads.wind = wind;
  if (!impl_->stale) impl_->send_loads();
}

void World::build() { impl_->built(); }
void World::step() {
  AnySolver& solver = impl_->built();
  solver.watch_contacts(static_cast<bool>(impl_->on_contact));
  solver.watch_body_contacts(static_cast<bool>(impl_->on_body_contact));
  solver.step();
  impl_->tell_contacts();
}
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

const std::vector<std::array<Vec2d, 3>>& World::texture_coordinates(BodyId id) const {
  return impl_->body(id).texture_coordinates;
}
const std::optional<Material>& World::material(BodyId id) const { return impl_->body(id).material; }
Vec3d World::color(BodyId id) const {
  // Of like lightness and saturation, neighbours far apart in hue.
  static constexpr Vec3d kPalette[] = {{0.90, 0.45, 0.33}, {0.27, 0.60, 0.75}, {0.94, 0.73, 0.35}, {0.45, 0.68, 0.44},
                                       {0.62, 0.48, 0.73}, {0.30, 0.70, 0.66}, {0.86, 0.52, 0.63}, {0.58, 0.60, 0.65}};
  return impl_->body(id).color.value_or(kPalette[static_cast<std::size_t>(id.index) % std::size(kPalette)]);
}

Measures World::measures() const { return impl_->built().measures(); }
std::vector<Unresolved> World::unresolved() const { return impl_->find_unresolved(); }
namespace {

/// From where on a body that should keep its edges looks wrong.
constexpr double kWideStretch = 0.1, kWideStretchOfOne = 0.5;
}  // namespace

std::vector<std::string> World::warnings() const {
  std::vector<std::string> out = doubts(impl_->input, impl_->fabrics, impl_->options, impl_->loads);
  const int substeps = impl_->options.substeps;
  for (const Impl::BodyByDefault& b : impl_->by_default) {
    const BodyInput& body = impl_->input.bodies[b.body];
    constexpr double kSofterVisibly = 5;  // a sag of a twentieth in place of a hundredth
    if (b.softened > kSofterVisibly) {
      out.push_back(
          fmt::format("{}: its springs are {:.3g} times softer than a body of its size wants, as {} substeps "
                      "follow no more; use {} substeps, larger elements or a material",
                      body.name, b.softened, substeps, std::ceil(substeps * std::sqrt(b.softened))));
    }
    if (!impl_->solver || b.body >= impl_->bodies_built) continue;
    const Stretch s = impl_->solver->most_stretched(b.body);
    if (!(s.mean <= kWideStretch && s.worst <= kWideStretchOfOne)) {
      out.push_back(fmt::format(
          "{}: its edges were up to {:.0f} % too {} on average, one of them {:.0f} %; use {} "
          "substeps or more, or give it settings of its own",
          body.name, 100 * s.mean, body.tets.empty() ? "long" : "long or short", 100 * s.worst, 2 * substeps));
    }
  }
  for (const Unresolved& u : unresolved()) {
    // What is off by 0.1 % is told, and the estimate is right within a factor of three.
    if (u.softness >= 0.001 / 3) out.push_back(warning_of(u, impl_->options));
  }
  out.insert(out.end(), impl_->notes_on_forms.begin(), impl_->notes_on_forms.end());
  return out;
}
std::vector<StageTime> World::stage_times() const {
  std::vector<StageTime> out;
  if (!impl_->options.stage_times) return out;
  const auto& seconds = impl_->built().stage_clock().seconds();
  for (std::size_t i = 0; i < seconds.size(); ++i) out.push_back({kStageNames[i], seconds[i]});
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
      if (t->parts > 1) continue;  // clusters are made by the engine, nobody asks for them
      out.push_back({t->name, t->summary, t->compliance_unit, element_name(t->stencil), t->points, t->entries});
    }
    out.push_back({"balloon", "keeps the volume inside of a closed surface", "m^6/J", "surface", 0, 1});
    return out;
  }();
  return types;
}

const char* version() { return PLIANT_VERSION; }

}  // namespace pliant
