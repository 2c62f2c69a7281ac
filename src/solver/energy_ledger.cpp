#include "solver/energy_ledger.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "core/parallel.h"

namespace pliant {

namespace {

constexpr int64_t kParticlesPerChunk = 2048;

/// A look at all particles costs a tenth of a sweep over the constraints of a cloth: one in so many sweeps is below 1 %
/// of them.
constexpr int kSweepsPerLook = 10;
/// A measurement of R costs as much as so many sweeps.
constexpr double kSweepsOfMeasuring = 10;
/// Of the time, at most, for measurements.
constexpr double kPartForMeasuring = 0.004;
/// Allowed above the bound, as a part of all energy that was turned over: work and potentials are those of a
/// substep's end, exact to second order in its length.
double tolerance(const WorldOptions& options) {
  // Backward differences of second order give back some of what they take, a few substeps later.
  return options.integrator == Integrator::bdf2 ? 0.25 : 0.05;
}

}  // namespace

template <class Real>
EnergyLedger<Real>::EnergyLedger(const ModelInput& input, const Model<Real>& model, State<Real>& state,
                                 const WorldOptions& options, JobSystem& jobs, int width)
    : input_(input),
      model_(model),
      state_(state),
      options_(options),
      jobs_(jobs),
      width_(width),
      on_(options.energy_watch != EnergyWatch::off && !input.bodies.empty()) {
  pulled_.resize(model.groups.size());
  if (!on_) return;
  const int sweeps = std::max(1, std::min(options.substeps, 1000000 / options.iterations) * options.iterations);
  stride_ = options.energy_watch == EnergyWatch::limit ? 1 : std::max(1, (kSweepsPerLook + sweeps - 1) / sweeps);
  steps_between_ = std::max(stride_, static_cast<int>(std::ceil(kSweepsOfMeasuring / kPartForMeasuring / sweeps)));
  since_measured_ = steps_between_;
  add_bodies();
  find_units();
  find_pulled();
  views_.resize(model.groups.size());
  put_in_.resize(model.groups.size() + model.balloons.size());
  partial_.resize(chunks_.size());
}

template <class Real>
void EnergyLedger<Real>::add_bodies() {
  bodies_.resize(input_.bodies.size());
  mass_.resize(static_cast<std::size_t>(model_.particles));
  acceleration_.resize(input_.bodies.size());
  for (int i = 0; i < model_.particles; ++i) {
    mass_[i] = model_.inverse_mass[i] > Real(0) ? Real(1) / model_.inverse_mass[i] : Real(0);
  }
  for (std::size_t b = 0; b < input_.bodies.size(); ++b) {
    for (int begin = model_.body_begin[b]; begin < model_.body_begin[b + 1]; begin += kParticlesPerChunk) {
      Chunk& chunk = chunks_.emplace_back();
      chunk.begin = begin;
      chunk.end = std::min<int>(begin + kParticlesPerChunk, model_.body_begin[b + 1]);
      chunk.body = static_cast<int>(b);
      chunk.mass = std::accumulate(mass_.begin() + chunk.begin, mass_.begin() + chunk.end, 0.0);
    }
  }
}

template <class Real>
int EnergyLedger<Real>::body_of(int32_t i) const {
  if (i >= model_.particles) {  // somebody's ghost
    for (const Group<Real>& group : model_.groups) {
      if (const Hub* hub = group.hub_of(i)) return body_of(hub->particle);
    }
    return -1;
  }
  if (i >= model_.body_begin.back()) return -1;  // an anchor, or padding
  return static_cast<int>(std::upper_bound(model_.body_begin.begin(), model_.body_begin.end(), i) -
                          model_.body_begin.begin()) -
         1;
}

/// Bodies with common constraints exchange energy, and all that touch each other do.
template <class Real>
void EnergyLedger<Real>::find_units() {
  const std::size_t count = input_.bodies.size();
  std::vector<std::size_t> root(count);
  std::iota(root.begin(), root.end(), std::size_t{0});
  const auto find = [&](std::size_t b) {
    while (root[b] != b) b = root[b] = root[root[b]];
    return b;
  };
  const auto join = [&](std::size_t a, std::size_t b) {
    root[std::max(find(a), find(b))] = std::min(find(a), find(b));
  };
  with_rigid_ = std::ranges::any_of(input_.colliders, [](const ColliderInput& c) { return c.rigid >= 0; });
  const bool meet = options_.contact.has_value() || with_rigid_;
  const auto is_hair = [&](std::size_t b) { return input_.bodies[b].strands.has_value(); };
  std::size_t first = count;
  for (std::size_t b = 0; meet && b < count; ++b) {
    if (is_hair(b)) continue;
    if (first == count) first = b;
    join(first, b);
  }

  std::size_t most_batches = 0;
  for (const Group<Real>& group : model_.groups) {
    std::vector<int>& of_batch = batch_body_.emplace_back();
    most_batches = std::max(most_batches, static_cast<std::size_t>(group.batches()));
    const int corners = group.type->points * kLanes;
    for (int batch = 0; batch < group.batches(); ++batch) {
      std::vector<int> found;
      int last = -1;
      for (int k = 0; k < corners; ++k) {
        const auto i =
            static_cast<int32_t>(group.particles[static_cast<std::size_t>(batch) * corners + k] / sizeof(Quad<Real>));
        if (last >= 0 && i >= model_.body_begin[last] && i < model_.body_begin[last + 1]) continue;
        const int body = body_of(i);
        if (body < 0) continue;
        last = body;
        if (std::find(found.begin(), found.end(), body) == found.end()) found.push_back(body);
      }
      for (int lane = 0; lane < kLanes && found.size() > 1; ++lane) {
        int other = -1;
        for (int k = 0; k < group.type->points; ++k) {
          const auto at = group.particles[static_cast<std::size_t>(batch) * corners + k * kLanes + lane];
          const int body = body_of(static_cast<int32_t>(at / sizeof(Quad<Real>)));
          if (body >= 0 && other >= 0) join(static_cast<std::size_t>(body), static_cast<std::size_t>(other));
          if (body >= 0) other = body;
        }
      }
      if (found.size() == 1) {
        of_batch.push_back(found[0]);
      } else {
        of_batch.push_back(-2 - static_cast<int>(mixed_.size()));
        mixed_.push_back(std::move(found));
      }
    }
  }
  of_batch_.resize(most_batches);

  unit_.assign(count, 0);
  for (std::size_t b = 0; b < count; ++b) {
    if (find(b) == b) {
      unit_[b] = units_.size();
      units_.emplace_back();
    }
    unit_[b] = unit_[find(b)];
    Unit& unit = units_[unit_[b]];
    unit.bodies.push_back(static_cast<int>(b));
    Vec3d low = input_.bodies[b].rest[0], high = low;
    for (const Vec3d& x : input_.bodies[b].rest) {
      for (int k = 0; k < 3; ++k) {
        low[k] = std::min(low[k], x[k]);
        high[k] = std::max(high[k], x[k]);
      }
    }
    unit.size = std::max(unit.size, length(high - low));
    for (int i = model_.body_begin[b]; i < model_.body_begin[b + 1]; ++i) unit.mass += double(mass_[i]);
    // Strands follow their leaders by geometry and not by forces.
    if (is_hair(b)) units_[unit_[b]].watched = false;
  }
  // What rides on another body is moved by it without a force on it: that work is not known.
  for (const Rider& rider : model_.riders) {
    units_[unit_[static_cast<std::size_t>(body_of(rider.particle))]].watched = false;
  }
  gains_.reserve(count);
}

template <class Real>
void EnergyLedger<Real>::find_pulled() {
  pins_.resize(model_.pins.size());
  pin_of_.assign(static_cast<std::size_t>(model_.particles), -1);
  for (std::size_t p = 0; p < model_.pins.size(); ++p) {
    for (const int32_t i : model_.pins[p].particles) pin_of_[static_cast<std::size_t>(i)] = static_cast<int32_t>(p);
  }
  if (model_.pins.empty()) return;
  for (std::size_t g = 0; g < model_.groups.size(); ++g) {
    const Group<Real>& group = model_.groups[g];
    const int points = group.type->points;
    std::vector<int32_t> pulled(static_cast<std::size_t>(group.batches()), -1);
    bool any = false;
    for (std::size_t batch = 0; batch < pulled.size(); ++batch) {
      const QuadAt* at = &group.particles[batch * static_cast<std::size_t>(points) * kLanes];
      std::array<int, kLanes> bodies{};
      bool here = false;
      for (int lane = 0; lane < kLanes; ++lane) {
        bool pinned = false;
        int body = -1;
        for (int k = 0; k < points; ++k) {
          const auto i = static_cast<int32_t>(at[k * kLanes + lane] / sizeof(Quad<Real>));
          pinned = pinned || (i < model_.particles && pin_of_[static_cast<std::size_t>(i)] >= 0);
          body = std::max(body, body_of(i));
        }
        bodies[static_cast<std::size_t>(lane)] = std::max(body, 0);
        here = here || pinned;
      }
      if (!here) continue;
      any = true;
      pulled[batch] = static_cast<int32_t>(pull_work_.size());
      pull_work_.push_back({});
      pull_body_.push_back(bodies);
    }
    if (any) pulled_[g] = std::move(pulled);
  }
}

template <class Real>
void EnergyLedger<Real>::move_pin(std::size_t pin, Vec3d from, Vec3d to, const Quat<double>& turn) {
  if (!on_) return;
  const bool turns = turn.x != 0 || turn.y != 0 || turn.z != 0;
  pins_[pin] = {from, to, turn, turns || !(from == to)};
  pins_move_ = pins_move_ || pins_[pin].moves;
}

template <class Real>
void EnergyLedger<Real>::take_pins() {
  for (std::size_t k = 0; k < pull_work_.size(); ++k) {
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
      bodies_[static_cast<std::size_t>(pull_body_[k][lane])].work += pull_work_[k][lane];
    }
    pull_work_[k] = {};
  }
}

/// Kinetic and potential energy of every body.
template <class Real>
void EnergyLedger<Real>::look() {
  using V = Pack<Real, 4>;
  const Quad<Real>*base = state_.base.data(), *offset = state_.offset.data(), *velocity = state_.velocity.data();
  const Quad<Real>* force = forces_ && !forces_->empty() ? forces_->data() : nullptr;
  const Real* mass = mass_.data();
  const auto sum3 = [](const V& v) { return Vec3d{double(lane(v, 0)), double(lane(v, 1)), double(lane(v, 2))}; };
  parallel_for(jobs_, static_cast<int64_t>(chunks_.size()), 1, [&](int64_t first, int64_t last) {
    for (int64_t c = first; c < last; ++c) {
      Chunk& chunk = chunks_[static_cast<std::size_t>(c)];
      double kinetic = 0;
      Vec3d moment{}, pushed{};
      // In the numbers of the State where few are added up, in double where many are.
      constexpr int32_t kRun = 32;
      for (int32_t begin = chunk.begin; begin < chunk.end; begin += kRun) {
        const int32_t end = std::min(begin + kRun, chunk.end);
        V k(Real(0)), mx(Real(0));
        for (int32_t i = begin; i < end; ++i) {
          const V m(mass[i]), v = V::load(&velocity[i].x);
          k = mul_add(v * v, m, k);
          mx = mul_add(V::load(&base[i].x) + V::load(&offset[i].x), m, mx);
        }
        const Vec3d squares = sum3(k);
        kinetic += squares.x + squares.y + squares.z;
        moment += sum3(mx);
      }
      for (int32_t i = chunk.begin; force && i < chunk.end; ++i) {
        if (mass[i] == Real(0)) continue;
        const Quad<Real>&b = base[i], &o = offset[i], &f = force[i];
        pushed.x += double(f.x) * (state_.origin.x + b.x + o.x);
        pushed.y += double(f.y) * (state_.origin.y + b.y + o.y);
        pushed.z += double(f.z) * (state_.origin.z + b.z + o.z);
      }
      chunk.kinetic = kinetic / 2;
      chunk.moment = moment;
      chunk.forces = pushed.x + pushed.y + pushed.z;
    }
  });
  for (Body& body : bodies_) body.kinetic = body.potential = body.weight = 0;
  for (const Chunk& chunk : chunks_) {
    Body& body = bodies_[static_cast<std::size_t>(chunk.body)];
    const Vec3d a = cast<double>(acceleration_[static_cast<std::size_t>(chunk.body)]);
    body.kinetic += chunk.kinetic;
    // The origin follows a scene that travels far.
    body.potential -= dot(a, chunk.moment + state_.origin * chunk.mass) + chunk.forces;
    body.weight += length(a) * length(chunk.moment);
  }
}

template <class Real>
void EnergyLedger<Real>::loads_change(bool have_changed, std::span<const Vec3<Real>> acceleration,
                                      const AlignedVector<Quad<Real>>& forces) {
  if (!on_) return;
  if (have_changed) {
    std::copy(acceleration.begin(), acceleration.end(), acceleration_.begin());
    forces_ = &forces;
  }
  if (!known_) return;
  look();
  for (Body& body : bodies_) body.work += have_changed ? body.potential : -body.potential;
}

template <class Real>
double EnergyLedger<Real>::kinetic_energy(int body) const {
  if (!on_) return 0;
  double sum = 0;
  for (int i = model_.body_begin[body]; i < model_.body_begin[body + 1]; ++i) {
    const Quad<Real>& v = state_.velocity[i];
    sum += double(mass_[i]) * (double(v.x) * v.x + double(v.y) * v.y + double(v.z) * v.z);
  }
  return sum / 2;
}

// ------------------------------------------------------------------ the ledger

/// S
template <class Real>
double EnergyLedger<Real>::level(const Unit& unit) const {
  double sum = with_rigid_ ? rigid_energy_ - rigid_work_ : 0;
  for (const int b : unit.bodies) {
    const Body& body = bodies_[static_cast<std::size_t>(b)];
    sum += body.kinetic + body.potential - body.work;
  }
  return sum;
}

template <class Real>
void EnergyLedger<Real>::begin(double dt) {
  look();
  measure(dt);
  rigid_work_ = 0;
  for (Body& body : bodies_) {
    body.work = 0;
    body.at_start = body.kinetic + body.potential;
  }
  for (Unit& unit : units_) {
    unit.lowest = level(unit);
    unit.released = unit.peak = unit.work_before = unit.work_done = 0;
    for (const int b : unit.bodies) {
      unit.released += bodies_[static_cast<std::size_t>(b)].released;
      unit.peak += bodies_[static_cast<std::size_t>(b)].kinetic;
    }
    unit.bound = unit.lowest + unit.released;
  }
  known_ = begun_ = true;
}

template <class Real>
void EnergyLedger<Real>::begin_step(double dt, double rigid_energy) {
  if (!on_ || known_) return;
  rigid_energy_ = rigid_energy;
  if (begun_ && since_measured_ < steps_between_) return;
  for (auto& work : pull_work_) work = {};
  begin(dt);
}

/// What of S may be rounding [J].
template <class Real>
double EnergyLedger<Real>::rounding(const Unit& unit) const {
  double sum = 0;
  for (const int b : unit.bodies) {
    const Body& body = bodies_[static_cast<std::size_t>(b)];
    const double a = length(cast<double>(acceleration_[static_cast<std::size_t>(b)]));
    sum += body.weight + a * unit.mass * unit.size + body.kinetic;
  }
  // Runs of 32 numbers, and the positions themselves.
  sum *= 8 * double(std::numeric_limits<Real>::epsilon());
  // Motion by a thousandth of an edge in a step is not seen.
  const double unseen = 1e-3 * std::min(model_.reach, unit.size) / options_.step;
  return sum + unit.mass * unseen * unseen / 2;
}

template <class Real>
std::span<const typename EnergyLedger<Real>::Gain> EnergyLedger<Real>::end_step(double dt, double rigid_energy) {
  gains_.clear();
  if (!on_) return {};
  ++since_measured_;
  ++since_looked_;
  if (!known_ || (since_looked_ < stride_ && !attributes_)) return {};
  since_looked_ = 0;
  rigid_energy_ = rigid_energy;
  take_pins();
  look();
  bool rises = false, attributes = false;
  for (std::size_t u = 0; u < units_.size(); ++u) {
    Unit& unit = units_[u];
    if (!unit.watched || (unit.told && options_.energy_watch == EnergyWatch::report)) continue;
    double kinetic = with_rigid_ ? std::abs(rigid_energy_) : 0, work = 0;
    for (const int b : unit.bodies) {
      kinetic += bodies_[static_cast<std::size_t>(b)].kinetic;
      work += bodies_[static_cast<std::size_t>(b)].work;
    }
    unit.peak = std::max(unit.peak, kinetic);
    unit.work_done += std::abs(work - unit.work_before);
    unit.work_before = work;
    const double S = level(unit);
    unit.lowest = std::min(unit.lowest, S);
    const double unseen = rounding(unit);
    const double allowed = tolerance(options_) * (unit.released + unit.peak + unit.work_done) + unseen;
    if (S > unit.bound + allowed) {
      Gain gain;
      double most = -1;
      for (const int b : unit.bodies) {
        const Body& body = bodies_[static_cast<std::size_t>(b)];
        const double more = body.kinetic + body.potential - body.work - body.at_start;
        if (gain.body >= 0 && more <= most) continue;
        gain.body = b;
        most = more;
      }
      gain.joules = S - unit.bound;
      gain.all = unit.bound - unit.lowest;
      gain.attributed = attributes_ && accused_ == u;
      gains_.push_back(gain);
    }
    if (!attributes && !unit.told && S > unit.bound + allowed / 2) {
      attributes = true;
      if (!attributes_ || accused_ != u) std::fill(put_in_.begin(), put_in_.end(), 0.0);
      accused_ = u;
    }
    rises = rises || S - unit.lowest > unseen + 0.01 * (unit.released + unit.peak + unit.work_done);
  }
  attributes_ = attributes;
  if (rises && !attributes && since_measured_ >= steps_between_) begin(dt);
  return gains_;
}

// ------------------------------------------------------------------ whose doing it is

/// [J] of the accused bodies, if the substep ended now.
template <class Real>
double EnergyLedger<Real>::unit_kinetic(double dt) {
  return chunked_sum<double>(jobs_, static_cast<int64_t>(chunks_.size()), 1, partial_, [&](int64_t c, int64_t) {
    const Chunk& chunk = chunks_[static_cast<std::size_t>(c)];
    double sum = 0;
    if (unit_[static_cast<std::size_t>(chunk.body)] != accused_) return sum;
    for (int32_t i = chunk.begin; i < chunk.end; ++i) {
      const Quad<Real>&o = state_.offset[i], &s = state_.start[i];
      const Vec3d d{double(o.x) - s.x, double(o.y) - s.y, double(o.z) - s.z};
      sum += double(mass_[i]) * dot(d, d);
    }
    return sum / (2 * dt * dt);
  });
}

template <class Real>
void EnergyLedger<Real>::start_sweeps(double dt) {
  kinetic_before_ = unit_kinetic(dt);
}

template <class Real>
void EnergyLedger<Real>::swept(std::size_t group, double dt) {
  const double kinetic = unit_kinetic(dt);
  put_in_[group] += kinetic - kinetic_before_;
  kinetic_before_ = kinetic;
}

template <class Real>
typename EnergyLedger<Real>::Culprit EnergyLedger<Real>::culprit() const {
  Culprit out;
  double most = 0;
  const std::size_t groups = model_.groups.size();
  for (std::size_t g = 0; g < groups; ++g) {
    // Constraints of one type may stand in several groups.
    const TypeInfo& type = *model_.groups[g].type;
    double sum = 0;
    for (std::size_t k = 0; k < groups; ++k) {
      if (model_.groups[k].type->part == type.part) sum += put_in_[k];
    }
    if (!(sum > most)) continue;
    most = sum;
    out = {type.part.c_str(), model_.groups[g].compliant, type.material};
  }
  for (std::size_t b = 0; b < model_.balloons.size(); ++b) {
    if (!(put_in_[groups + b] > most)) continue;
    most = put_in_[groups + b];
    out = {"balloon", model_.balloons[b].compliant, false};
  }
  return out;
}

template class EnergyLedger<float>;
template class EnergyLedger<double>;

}  // namespace pliant
