#include "solver/solver.h"

#include <algorithm>
#include <cmath>

#include "solver/body_contacts.h"

namespace pliant {

template <class Real>
Solver<Real>::Solver(const ModelInput& input, const WorldOptions& options, std::shared_ptr<JobSystem> jobs)
    : input_(input),
      options_(options),
      clock_(options.stage_times),
      jobs_(std::move(jobs)),
      model_(build_model<Real>(input, options.iterations)),
      dt_(static_cast<Real>(options.step / options.substeps)),
      width_(options.simd_width == 0 ? kDefaultWidth<Real> : options.simd_width),
      stretch_(input_, model_),
      ledger_(input_, model_, state_, options_, *jobs_, width_),
      colliders_(input_, model_, state_, options_, *jobs_) {
  for (const Group<Real>& group : model_.groups) {
    if (!group.type->template kernels<Real>().project[width_slot(width_)][group.compliant][group.general]) {
      throw Error("simd_width", "this build has no kernels of width " + std::to_string(width_),
                  "use 0, or build with PLIANT_ALL_WIDTHS");
    }
  }
  align_frames(model_, input_, *jobs_);
  for (Group<Real>& group : model_.groups) group.share_among(jobs_->threads());
  state_.multipliers.resize(model_.groups.size());
  base_edges_.resize(model_.groups.size());
  tense_.resize(model_.groups.size());
  any_tense_.assign(model_.groups.size(), 0);
  pulls_.resize(model_.groups.size());
  slack_.resize(model_.groups.size());
  pressed_.resize(model_.groups.size());
  any_pressed_.assign(model_.groups.size(), 0);
  for (std::size_t g = 0; g < model_.groups.size(); ++g) {
    const Group<Real>& group = model_.groups[g];
    const Kernels<Real>& kernels = group.type->template kernels<Real>();
    // Strains of the bases are for small ones only; kernels do without where there are none.
    const bool read = kernels.gathers_bases ? group.small_strains : !group.general;
    const int numbers = read ? kernels.base_edge_numbers : 0;
    base_edges_[g].resize(static_cast<std::size_t>(group.batches()) * kLanes * static_cast<std::size_t>(numbers));
    prepare_tension(g);
    if (may_be_pressed(group)) pressed_[g].resize(static_cast<std::size_t>(group.batches()));
  }
  state_.plastic_rest.resize(model_.groups.size());
  if (options.contact || !model_.surfaces.empty()) {
    body_contacts_ = std::make_unique<BodyContacts<Real>>(input, model_, options_, *jobs_, state_, colliders_, dt_);
  }
  int64_t strand_particles = 0;
  for (const StrandSet<Real>& set : model_.strands) {
    strand_particles += int64_t{set.strands} * set.rows;
    for (auto* frames : {&strand_upright_, &strand_turn_}) {
      frames->emplace_back(set.groups() * kLanes, Quad<Real>{Real(0), Real(0), Real(0), Real(1)});
    }
  }
  strand_correction_.assign(strand_particles, {});
  pin_turns_.assign(model_.pins.size(), {Quat<double>::identity(), Quat<double>::identity()});
  reset();
}

template <class Real>
Solver<Real>::~Solver() = default;

template <class Real>
void Solver<Real>::reset() {
  State<Real>& s = state_;
  s.time = 0;
  s.steps = 0;
  s.substeps_on_base = 0;
  dt_ = static_cast<Real>(options_.step / options_.substeps);
  const int with_history = options_.integrator == Integrator::bdf2 ? model_.all_particles : 0;
  for (auto* array : {&s.last_motion, &s.last_velocity}) array->assign(with_history, {});
  for (auto* array : {&s.base, &s.offset, &s.start, &s.velocity, &s.carry}) array->assign(model_.all_particles, {});
  s.held.assign(model_.particles, 0);
  find_unaligned();
  for (std::size_t g = 0; g < model_.groups.size(); ++g) {
    const Group<Real>& group = model_.groups[g];
    s.multipliers[g].assign(
        group.compliant ? static_cast<std::size_t>(group.batches()) * group.type->entries * kLanes : 0, Real(0));
  }
  for (std::size_t g = 0; g < model_.groups.size(); ++g) {
    if (!model_.groups[g].plastic.empty()) s.plastic_rest[g] = model_.groups[g].rest;
  }
  s.balloon_multipliers.assign(model_.balloons.size(), Real(0));
  troubles_.clear();
  stretch_.forget();

  // The origin: the middle of all bodies, in whole metres.
  Vec3d lo{}, hi{};
  bool first = true;
  for (const BodyInput& body : input_.bodies) {
    for (const Vec3d& x : body.start) {
      if (first) lo = hi = x;
      first = false;
      lo = {std::min(lo.x, x.x), std::min(lo.y, x.y), std::min(lo.z, x.z)};
      hi = {std::max(hi.x, x.x), std::max(hi.y, x.y), std::max(hi.z, x.z)};
    }
  }
  const Vec3d middle = (lo + hi) * 0.5;
  s.origin = {std::round(middle.x), std::round(middle.y), std::round(middle.z)};

  for (int i = 0; i <= model_.particles; ++i) s.offset[i].w = model_.inverse_mass[i];
  for (std::size_t b = 0; b < input_.bodies.size(); ++b) {
    const BodyInput& body = input_.bodies[b];
    set_positions(static_cast<int>(b), body.start);
    set_velocities(static_cast<int>(b), std::vector<Vec3d>(body.start.size(), body.velocity));
  }
  for (std::size_t a = 0; a < input_.anchors.size(); ++a) {
    place(static_cast<int32_t>(input_.particles_of_bodies + a), input_.anchors[a]);
  }
  colliders_.reset();
  ledger_.forget();
}

template <class Real>
void Solver<Real>::place(int32_t i, Vec3d position) {
  const Vec3d x = position - state_.origin;
  Quad<Real>&b = state_.base[i], &o = state_.offset[i];
  split(x.x, b.x, o.x);
  split(x.y, b.y, o.y);
  split(x.z, b.z, o.z);
  b.w = Real(0);
  edges_stale_ = true;
  forget_body_contacts();
}

template <class Real>
Vec3d Solver<Real>::position(int32_t i) const {
  const Quad<Real>&b = state_.base[i], &o = state_.offset[i];
  return state_.origin + Vec3d{double(b.x) + o.x, double(b.y) + o.y, double(b.z) + o.z};
}

template <class Real>
std::vector<Vec3d> Solver<Real>::positions(int body) const {
  const BodyInput& in = input_.bodies[body];
  std::vector<Vec3d> x(in.rest.size());
  for (int v = 0; v < in.vertices(); ++v) x[v] = position(model_.to_engine[in.first_particle + v]);
  return x;
}

template <class Real>
std::vector<Vec3d> Solver<Real>::velocities(int body) const {
  const BodyInput& in = input_.bodies[body];
  std::vector<Vec3d> out(in.rest.size());
  for (int v = 0; v < in.vertices(); ++v) {
    const Quad<Real>& q = state_.velocity[model_.to_engine[in.first_particle + v]];
    out[v] = {double(q.x), double(q.y), double(q.z)};
  }
  return out;
}

template <class Real>
void Solver<Real>::set_positions(int body, std::span<const Vec3d> x) {
  const BodyInput& in = input_.bodies[body];
  for (int v = 0; v < in.vertices(); ++v) place(model_.to_engine[in.first_particle + v], x[v]);
  state_.has_history = 0;
  ledger_.forget();
}

template <class Real>
void Solver<Real>::set_velocities(int body, std::span<const Vec3d> velocity) {
  const BodyInput& in = input_.bodies[body];
  const double before = ledger_.kinetic_energy(body);
  for (int v = 0; v < in.vertices(); ++v) {
    const int32_t i = model_.to_engine[in.first_particle + v];
    const bool moves = state_.offset[i].w > Real(0);
    state_.velocity[i] = moves ? Quad<Real>{static_cast<Real>(velocity[v].x), static_cast<Real>(velocity[v].y),
                                            static_cast<Real>(velocity[v].z), Real(0)}
                               : Quad<Real>{};
  }
  ledger_.add_work(body, ledger_.kinetic_energy(body) - before);
  state_.has_history = 0;
}

template <class Real>
void Solver<Real>::set_loads(const Loads& loads) {
  ledger_.loads_change(false, acceleration_, vertex_force_);
  const double rigid = rigid_energy();
  gravity_ = loads.gravity;
  wind_ = loads.wind;
  if (wind_ && sails_.begin.empty()) sails_ = build_sails(input_, model_);
  const std::size_t triangles = sails_.share.size();
  wind_drag_.assign(triangles + sails_.diameter.size(), {});
  wind_lift_.assign(triangles, {});
  acceleration_.clear();
  bool forces = false;
  for (std::size_t b = 0; b < input_.bodies.size(); ++b) {
    acceleration_.push_back(cast<Real>(loads.gravity + loads.acceleration[b]));
    forces = forces || !loads.vertex_forces[b].empty();
  }
  vertex_force_.assign(forces ? model_.particles : 0, {});
  for (std::size_t b = 0; forces && b < input_.bodies.size(); ++b) {
    for (std::size_t v = 0; v < loads.vertex_forces[b].size(); ++v) {
      const Vec3<Real> f = cast<Real>(loads.vertex_forces[b][v]);
      vertex_force_[model_.to_engine[input_.bodies[b].first_particle + v]] = {f.x, f.y, f.z, Real(0)};
    }
  }
  ledger_.loads_change(true, acceleration_, vertex_force_);
  ledger_.add_rigid_work(rigid_energy() - rigid);
}

template <class Real>
void Solver<Real>::set_rigid_motion(int collider, Vec3d velocity, Vec3d spin) {
  const double before = rigid_energy();
  contact::RigidState& body = state_.rigid[input_.colliders[collider].rigid];
  body.velocity = velocity;
  body.spin = spin;
  ledger_.add_rigid_work(rigid_energy() - before);
  state_.has_history = 0;
}

template <class Real>
GroupView<Real> Solver<Real>::view(std::size_t g) const {
  const Group<Real>& group = model_.groups[g];
  return {group.particles.data(),
          state_.plastic_rest[g].empty() ? group.rest.data() : state_.plastic_rest[g].data(),
          group.strength.data(),
          state_.multipliers[g].data(),
          group.statics.data(),
          group.velocity_damping.empty() ? nullptr : group.velocity_damping.data(),
          base_edges_[g].empty() ? nullptr : base_edges_[g].data(),
          group.frame_rounding.empty() ? nullptr : group.frame_rounding.data(),
          group.equal_strength};
}

template <class Real>
ParticlesView<Real> Solver<Real>::particles() const {
  return {state_.base.data(), state_.offset.data(), state_.start.data(), state_.carry.data(), state_.velocity.data()};
}

template class Solver<float>;
template class Solver<double>;

}  // namespace pliant
