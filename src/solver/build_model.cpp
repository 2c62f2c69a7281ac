// ModelInput -> Model: renumber particles, gather constraints into groups, colour and pack them.

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <tuple>

#include "constraints/registry.h"
#include "solver/clusters.h"
#include "solver/model.h"
#include "solver/ordering.h"
#include "solver/riders.h"
#include "solver/schedule.h"

namespace pliant {

namespace {

/// Constraints that go into one group, not yet coloured.
struct Draft {
  const TypeInfo* type = nullptr;
  std::vector<int32_t> particles;
  std::vector<double> rest;
  std::vector<double> strength[3];  // see Strength; of clusters the first only, type->parts each
  std::vector<double> velocity_damping;
  std::vector<double> plastic[3];  // yield, creep, max; empty: elastic
  std::vector<int32_t> numbers;    // as Group has them, type->parts each
  std::vector<int64_t> plastic_number;
  int64_t count() const { return static_cast<int64_t>(particles.size()) / type->points; }
};

bool needs_general(const ConstraintInput& c) {
  return c.settings.unilateral || c.settings.damping > 0 ||
         (c.method == Method::xpbd ? c.settings.compression_compliance.has_value()
                                   : c.settings.compression_stiffness.has_value());
}

/// Without compliance the multiplier has no part in a projection: -(C + a lambda) / (s + a) with a = 0. Such a
/// constraint is projected as pbd of stiffness 1 is, which neither reads nor writes one: a tenth of a distance's
/// time, a quarter of a linear bend's.
bool is_rigid(const ConstraintInput& c) {
  return c.method == Method::xpbd && c.settings.compliance == 0 && c.compliances.empty() &&
         !c.settings.keep_multipliers && !needs_general(c) && (c.type->entries == 1 || c.type->linear) &&
         c.type->template kernels<float>().project[width_slot(kDefaultWidth<float>)][false][false];
}

/// k' = 1 - (1 - k)^(1/n): n iterations of k' leave (1 - k) of the error.  bender13 3.3
/// Above 1 each iteration overshoots by the same part.
double stiffness_per_iteration(double k, int iterations) {
  return 1 - std::copysign(std::pow(std::abs(1 - k), 1.0 / iterations), 1 - k);
}

void append(Draft& draft, const ConstraintInput& c, int iterations, const ModelInput& input,
            const std::vector<int32_t>& to_engine, int64_t& plastic_constraints, int32_t& number) {
  for (int32_t p : c.particles) draft.particles.push_back(to_engine[input.particle(p)]);
  draft.rest.insert(draft.rest.end(), c.rest.begin(), c.rest.end());
  draft.rest.insert(draft.rest.end(), c.rest_rounded.begin(), c.rest_rounded.end());
  const ConstraintSettings& s = c.settings;
  double positive, negative;
  if (is_rigid(c)) {
    positive = negative = 1;
  } else if (c.method == Method::xpbd) {
    positive = s.compliance;
    negative = s.unilateral ? -1 : s.compression_compliance.value_or(s.compliance);
  } else {
    positive = stiffness_per_iteration(s.stiffness, iterations);
    negative = s.unilateral ? 0 : stiffness_per_iteration(s.compression_stiffness.value_or(s.stiffness), iterations);
  }
  const std::size_t n = draft.count();
  if (!c.compliances.empty() && c.method == Method::xpbd) {
    for (std::vector<double>* side : {&draft.strength[0], &draft.strength[1]}) {
      side->insert(side->end(), c.compliances.begin(), c.compliances.end());
    }
  }
  draft.strength[0].resize(n, positive);
  draft.strength[1].resize(n, negative);
  draft.strength[2].resize(n, s.damping);
  draft.velocity_damping.resize(n, s.velocity_damping);
  for (std::size_t k = draft.numbers.size(); k < n; ++k) draft.numbers.push_back(number++);
  if (c.plasticity) {
    draft.plastic[0].resize(n, c.plasticity->yield);
    draft.plastic[1].resize(n, c.plasticity->creep);
    draft.plastic[2].resize(n, c.plasticity->max);
    while (draft.plastic_number.size() < n) draft.plastic_number.push_back(plastic_constraints++);
  }
}

/// Constraint numbers ordered by their lowest particle: neighbours in memory stand together. Static
/// particles do not count, or all constraints on one anchor would look like neighbours.
std::vector<int32_t> by_lowest_particle(const Draft& draft, const std::vector<uint8_t>& moves) {
  const int points = draft.type->points;
  const int64_t count = draft.count();
  std::vector<int32_t> key(count);
  std::vector<int32_t> place(moves.size() + 2, 0);
  for (int64_t c = 0; c < count; ++c) {
    int32_t lowest = std::numeric_limits<int32_t>::max();
    for (int i = 0; i < points; ++i) {
      const int32_t p = draft.particles[c * points + i];
      if (moves[p]) lowest = std::min(lowest, p);
    }
    key[c] = std::min<int32_t>(lowest, static_cast<int32_t>(moves.size()));
    ++place[key[c] + 1];
  }
  std::partial_sum(place.begin(), place.end(), place.begin());
  std::vector<int32_t> order(count);
  for (int64_t c = 0; c < count; ++c) order[place[key[c]]++] = static_cast<int32_t>(c);
  return order;
}

/// Static particles and padding per batch and corner. What stands behind `moves` are ghosts, which move.
template <class Real>
AlignedVector<uint16_t> statics_of(const Group<Real>& g, const std::vector<uint8_t>& moves) {
  const int points = g.type->points;
  AlignedVector<uint16_t> statics(g.batches(), 0);
  for (int64_t b = 0; b < g.batches(); ++b) {
    for (int i = 0; i < points; ++i) {
      int count = 0;
      for (int l = 0; l < kLanes; ++l) {
        const std::size_t p = g.particles[(b * points + i) * kLanes + l] / sizeof(Quad<Real>);
        count += p < moves.size() && !moves[p];
      }
      if (count > 0) statics[b] |= static_bits(i, count == kLanes ? kAllLanes : kSomeLanes);
    }
  }
  return statics;
}

/// Which batches move a particle that the next one moves, too (kSharesWithNext).
template <class Real>
void mark_shared(Group<Real>& g, const std::vector<uint8_t>& moves) {
  const int64_t corners = int64_t{g.type->points} * kLanes;
  const auto number = [](QuadAt at) { return static_cast<std::size_t>(at / sizeof(Quad<Real>)); };
  std::vector<int64_t> moved_by;  // the last batch so far
  for (const QuadAt at : g.particles) moved_by.resize(std::max(moved_by.size(), number(at) + 1), -2);
  for (int64_t b = 0; b < g.batches(); ++b) {
    for (int64_t k = b * corners; k < (b + 1) * corners; ++k) {
      const std::size_t p = number(g.particles[static_cast<std::size_t>(k)]);
      if (p < moves.size() && !moves[p]) continue;
      if (moved_by[p] == b - 1) g.statics[static_cast<std::size_t>(b - 1)] |= kSharesWithNext;
      moved_by[p] = b;
    }
  }
}

template <class Real>
Group<Real> pack(const Draft& draft, const Model<Real>& model, const std::vector<uint8_t>& moves, int first_ghost,
                 int& ghosts) {
  const TypeInfo& type = *draft.type;
  const int points = type.points;
  const int fields = type.packed_fields;
  const std::size_t made_fields = type.rest_fields.size();
  const int64_t count = draft.count();

  const std::vector<int32_t> order = by_lowest_particle(draft, moves);
  std::vector<int32_t> particles(draft.particles.size());
  for (int64_t c = 0; c < count; ++c) {
    for (int i = 0; i < points; ++i) particles[c * points + i] = draft.particles[int64_t{order[c]} * points + i];
  }
  const Schedule schedule = schedule_constraints(particles, points, type.parts, moves, first_ghost);
  ghosts = std::max(ghosts, schedule.ghosts);  // groups are swept one after another and share the ghosts' places

  Group<Real> g;
  g.type = &type;
  g.constraints = count;
  g.hubs = schedule.hubs;
  g.task_begin = schedule.task_begin;
  g.phase_begin = schedule.phase_begin;
  const int64_t batches = g.batches();
  const bool damped =
      std::any_of(draft.velocity_damping.begin(), draft.velocity_damping.end(), [](double rate) { return rate > 0; });
  g.particles.assign(batches * points * kLanes, quad_at<Real>(model.padding()));
  g.rest.assign(batches * fields * kLanes, Real(1));
  const int strengths = type.parts > 1 ? type.parts : 3;
  g.equal_strength = std::ranges::all_of(draft.strength, [](const std::vector<double>& side) {
    return std::ranges::adjacent_find(side, std::not_equal_to()) == side.end();
  });
  g.strength.assign((g.equal_strength ? 1 : batches) * strengths * kLanes, Real(0));  // narrowed below if plain
  g.velocity_damping.assign(damped ? batches * kLanes : 0, Real(0));
  const bool is_plastic = !draft.plastic_number.empty();
  g.plastic.assign(is_plastic ? batches * 3 * kLanes : 0, Real(0));
  g.plastic_number.assign(is_plastic ? batches * kLanes : 0, -1);

  g.numbers.assign(batches * type.parts * kLanes, -1);

  std::vector<double> packed(fields);
  for (int64_t slot = 0; slot < batches * kLanes; ++slot) {
    const int64_t c = schedule.slots[slot];
    if (c < 0) continue;
    const int64_t b = slot / kLanes, l = slot % kLanes;
    const int64_t from = order[c];
    for (int i = 0; i < points; ++i) {
      const int32_t p = particles[c * points + i];
      g.particles[(b * points + i) * kLanes + l] = quad_at<Real>(p);
    }
    const double* made = &draft.rest[from * made_fields];
    for (std::size_t f = 0; f < made_fields; ++f) {
      if (!is_finite(static_cast<Real>(made[f]))) {
        throw Error(type.name, "the rest " + type.rest_fields[f] + " of a constraint is too large for this precision",
                    "use a smaller mesh, or double precision");
      }
    }
    type.pack_rest(made, nullptr, packed.data());
    for (int f = 0; f < fields; ++f) g.rest[(b * fields + f) * kLanes + l] = static_cast<Real>(packed[f]);
    for (int k = 0; k < strengths; ++k) {
      const double value = type.parts > 1 ? draft.strength[0][from * type.parts + k] : draft.strength[k][from];
      Real* of_batch = &g.strength[((g.equal_strength ? 0 : b) * strengths + k) * kLanes];
      of_batch[l] = static_cast<Real>(value);
    }
    for (int k = 0; k < type.parts; ++k) {
      g.numbers[(b * type.parts + k) * kLanes + l] = draft.numbers[from * type.parts + k];
    }
    if (is_plastic) {
      for (int k = 0; k < 3; ++k) g.plastic[(b * 3 + k) * kLanes + l] = static_cast<Real>(draft.plastic[k][from]);
      g.plastic_number[b * kLanes + l] = draft.plastic_number[from];
    }
    if (damped) g.velocity_damping[b * kLanes + l] = static_cast<Real>(draft.velocity_damping[from]);
  }
  if (g.equal_strength) {  // a batch that is not full must not leave a lane of the others without
    for (int k = 0; k < strengths; ++k) std::fill_n(&g.strength[k * kLanes], kLanes, g.strength[k * kLanes]);
  }
  g.statics = statics_of(g, moves);
  if (type.parts > 1) mark_shared(g, moves);
  return g;
}

/// Takes those constraints out of `draft` that go into clusters.
Draft take_clusters(const TypeInfo& cluster, Draft& draft, int particles) {
  Draft out;
  out.type = &cluster;
  const Clusters found = find_clusters(draft.type->stencil, draft.particles, particles);
  if (found.parts.empty()) return out;
  out.particles = found.corners;
  const int points = draft.type->points;
  const int fields = static_cast<int>(draft.type->rest_fields.size());
  std::vector<uint8_t> taken(draft.count(), 0);
  std::vector<int> order(points);
  for (std::size_t k = 0; k < found.parts.size(); ++k) {
    const int64_t c = found.parts[k];
    taken[c] = 1;
    const auto part = static_cast<int>(k) % cluster.parts;
    const int32_t* corners = &found.corners[k / cluster.parts * cluster.points];
    const int32_t* own = &draft.particles[c * points];
    for (int i = 0; i < points; ++i) {
      order[i] = static_cast<int>(std::find(own, own + points, corners[cluster.part_corners[part * points + i]]) - own);
    }
    out.rest.insert(out.rest.end(), &draft.rest[c * fields], &draft.rest[c * fields] + fields);
    draft.type->permute_rest(&out.rest[out.rest.size() - fields], order.data());
    out.strength[0].push_back(draft.strength[0][c]);
    out.numbers.push_back(draft.numbers[c]);
  }
  int64_t left = 0;
  for (int64_t c = 0; c < static_cast<int64_t>(taken.size()); ++c) {
    if (taken[c]) continue;
    std::copy_n(&draft.particles[c * points], points, &draft.particles[left * points]);
    std::copy_n(&draft.rest[c * fields], fields, &draft.rest[left * fields]);
    for (std::vector<double>& side : draft.strength) side[left] = side[c];
    draft.numbers[left] = draft.numbers[c];
    ++left;
  }
  draft.particles.resize(left * points);
  draft.rest.resize(left * fields);
  for (std::vector<double>& side : draft.strength) side.resize(left);
  draft.velocity_damping.resize(left);
  draft.numbers.resize(left);
  return out;
}

template <class Real>
void keep_first_strength_only(Group<Real>& g) {
  const int64_t batches = g.equal_strength ? 1 : g.batches();
  AlignedVector<Real> first(static_cast<std::size_t>(batches) * kLanes);
  for (int64_t b = 0; b < batches; ++b) {
    std::copy_n(&g.strength[b * 3 * kLanes], kLanes, &first[b * kLanes]);
  }
  g.strength = std::move(first);
}

template <class Real>
Balloon<Real> build_balloon(const BalloonInput& in, const ModelInput& input, const Model<Real>& model, int iterations) {
  const BodyInput& body = input.bodies[in.body];
  Balloon<Real> out;
  out.body = in.body;
  // The fan of each vertex, vertices in the engine's order for locality.
  const int n = body.vertices();
  std::vector<std::vector<int32_t>> fans(n);
  TriMesh rest{body.rest, body.triangles};
  for (const Triangle& t : body.triangles) {
    for (int k = 0; k < 3; ++k) {
      const auto engine = [&](int v) { return model.to_engine[body.first_particle + v]; };
      auto& fan = fans[engine(t[k]) - body.first_particle];
      fan.push_back(engine(t[(k + 1) % 3]));
      fan.push_back(engine(t[(k + 2) % 3]));
    }
  }
  out.fan_begin.push_back(0);
  for (int v = 0; v < n; ++v) {
    if (fans[v].empty()) continue;
    out.vertices.push_back(body.first_particle + v);
    out.fan.insert(out.fan.end(), fans[v].begin(), fans[v].end());
    out.fan_begin.push_back(static_cast<int32_t>(out.fan.size()));
  }
  out.target = static_cast<Real>(in.settings.pressure * enclosed_volume(rest));
  out.compliant = in.method == Method::xpbd;
  out.strength = static_cast<Real>(out.compliant ? in.settings.compliance
                                                 : stiffness_per_iteration(in.settings.stiffness, iterations));
  return out;
}

}  // namespace

template <class Real>
Model<Real> build_model(const ModelInput& input, int iterations) {
  Model<Real> model;
  model.particles = input.particles();

  // Bodies keep their ranges; inside one, vertices are put in an order in which neighbours are near.
  model.to_engine.resize(model.particles);
  model.to_user.resize(model.particles);
  model.body_begin.push_back(0);
  for (const BodyInput& body : input.bodies) {
    const std::vector<int> order = body.strands ? strand_order(body) : locality_order(body.vertices(), body.edges);
    for (int i = 0; i < body.vertices(); ++i) {
      model.to_user[body.first_particle + i] = body.first_particle + order[i];
      model.to_engine[body.first_particle + order[i]] = body.first_particle + i;
    }
    model.body_begin.push_back(body.first_particle + body.vertices());
  }
  for (int p = input.particles_of_bodies; p < model.particles; ++p) model.to_engine[p] = model.to_user[p] = p;

  model.reach = std::numeric_limits<Real>::max();
  for (const BodyInput& body : input.bodies) {
    double sum = 0;
    for (const Edge& e : body.edges) sum += length(body.rest[e[1]] - body.rest[e[0]]);
    if (sum > 0) model.reach = std::min(model.reach, sum / static_cast<double>(body.edges.size()));
  }

  // Masses. Anchors, pinned vertices and padding do not move.
  model.mass.assign(model.particles, 0);
  for (const BodyInput& body : input.bodies) {
    for (int v = 0; v < body.vertices(); ++v) model.mass[model.to_engine[body.first_particle + v]] = body.mass[v];
  }
  std::vector<uint8_t> moves(model.particles + 1, 0);
  for (int p = 0; p < input.particles_of_bodies; ++p) moves[p] = model.mass[p] > 0;
  for (const PinInput& pin : input.pins) {
    for (int32_t p : pin.particles) moves[model.to_engine[p]] = 0;
  }
  for (const RiderInput& rider : input.riders) moves[model.to_engine[rider.particle]] = 0;
  model.inverse_mass.assign(model.particles + 1, Real(0));
  for (int p = 0; p < model.particles; ++p) {
    if (moves[p]) model.inverse_mass[p] = static_cast<Real>(1 / model.mass[p]);
  }
  for (const PinInput& in : input.pins) {
    if (in.path.empty()) continue;
    Pin<Real> pin;
    pin.path = in.path;
    for (const Vec3d& x : in.positions) pin.center += x * (1.0 / static_cast<double>(in.positions.size()));
    for (std::size_t k = 0; k < in.particles.size(); ++k) {
      pin.particles.push_back(model.to_engine[in.particles[k]]);
      pin.from_center.push_back(in.positions[k] - pin.center);
    }
    model.pins.push_back(std::move(pin));
  }

  for (const RiderInput& in : input.riders) {
    Rider rider;
    rider.particle = model.to_engine[in.particle];
    for (int k = 0; k < 3; ++k) rider.corners[k] = model.to_engine[in.corners[k]];
    rider.weights = in.weights;
    const Vec3d x[3] = {in.corner_start[0], in.corner_start[1], in.corner_start[2]};
    rider.start = triangle_frame(x);
    rider.offset = rotate(conjugate(rider.start), in.start - rider_point(in.weights, x));
    model.riders.push_back(rider);
  }
  for (const BodyInput& body : input.bodies) {
    if (body.strands) model.strands.push_back(build_strands(input, body, model));
  }

  // Groups, in the order of the registry: a sweep projects them in this order.
  // Type, compliant, general, keep, plastic, small strains.
  std::map<std::tuple<int, bool, bool, bool, bool, bool>, Draft> drafts;
  const auto types = registered_types();
  std::vector<const ConstraintInput*> all;
  for (const ConstraintInput& c : input.constraints) all.push_back(&c);
  for (const ConstraintInput& c : input.derived) all.push_back(&c);
  int32_t number = 0;
  for (const ConstraintInput* given : all) {
    if (!input.derived.empty() && given == &input.derived.front()) model.given_constraints = number;
    const ConstraintInput& c = *given;
    const int type = static_cast<int>(std::find(types.begin(), types.end(), c.type) - types.begin());
    const bool compliant = c.method == Method::xpbd && !is_rigid(c);
    const bool keep = compliant && c.settings.keep_multipliers;
    Draft& draft = drafts[{type, compliant, needs_general(c), keep, c.plasticity.has_value(), c.small_strains}];
    draft.type = c.type;
    append(draft, c, iterations, input, model.to_engine, model.plastic_constraints, number);
  }
  if (input.derived.empty()) model.given_constraints = number;
  for (std::size_t cluster = 0; cluster < types.size(); ++cluster) {
    if (types[cluster]->parts == 1) continue;
    const int part = static_cast<int>(
        std::find_if(types.begin(), types.end(), [&](auto* t) { return t->name == types[cluster]->part; }) -
        types.begin());
    for (bool compliant : {false, true}) {
      const auto draft = drafts.find({part, compliant, false, false, false, false});
      if (draft == drafts.end()) continue;
      const std::vector<double>& damping = draft->second.velocity_damping;
      if (std::any_of(damping.begin(), damping.end(), [](double rate) { return rate > 0; })) continue;
      drafts[{static_cast<int>(cluster), compliant, false, false, false, false}] =
          take_clusters(*types[cluster], draft->second, model.particles);
    }
  }
  const int first_ghost = model.particles + 1;
  int ghosts = 0;
  for (const auto& [key, draft] : drafts) {
    if (draft.count() == 0) continue;
    Group<Real> g = pack(draft, model, moves, first_ghost, ghosts);
    g.compliant = std::get<1>(key);
    g.general = std::get<2>(key);
    g.keep = std::get<3>(key);
    g.small_strains = std::get<5>(key);
    if (!g.general && g.type->parts == 1) keep_first_strength_only(g);
    model.groups.push_back(std::move(g));
  }
  model.all_particles = first_ghost + ghosts;
  model.surfaces = collider_surfaces(input, model.all_particles);
  if (!model.surfaces.empty()) model.all_particles = model.surfaces.back().end_particle();
  for (const BalloonInput& b : input.balloons) model.balloons.push_back(build_balloon(b, input, model, iterations));
  return model;
}

template Model<float> build_model<float>(const ModelInput&, int);
template Model<double> build_model<double>(const ModelInput&, int);

}  // namespace pliant
