// A model was made anew, since something was added, pinned or let go: the new solver goes on where the old one is.
//
// Bodies, points to attach to, constraints, balloons and colliders are added behind those that are there, so that their
// numbers as they were put in say who is who. The engine's own numbers (particles, groups, batches, clusters) change.
// Nothing is recomputed: what is untouched goes on with the same bits.

#include <algorithm>
#include <vector>

#include "math/matrix.h"
#include "solver/solver.h"

namespace pliant {

namespace {

/// Where a constraint's multipliers stand.
struct Place {
  int32_t group = -1;
  int64_t at = 0;  // of its first multiplier; the others follow kLanes apart
  int64_t batch = 0;
  int lane = 0;
};

template <class Real>
int multipliers_of_part(const Group<Real>& group) {
  return group.type->entries / group.type->parts;
}

/// Calls f(number, place) for the constraints of a group that are not derived.
template <class Real, class F>
void each_given(const Model<Real>& model, std::size_t g, F&& f) {
  const Group<Real>& group = model.groups[g];
  const int parts = group.type->parts, each = multipliers_of_part(group);
  for (int64_t k = 0; k < static_cast<int64_t>(group.numbers.size()); ++k) {
    const int32_t number = group.numbers[static_cast<std::size_t>(k)];
    if (number < 0 || number >= model.given_constraints) continue;
    const int64_t row = k / kLanes;  // batch and part
    f(number,
      Place{static_cast<int32_t>(g), row * each * kLanes + k % kLanes, row / parts, static_cast<int>(k % kLanes)});
  }
}

/// The rest frame of an elastic tet, rows m_1, m_2, m_3 (constraints/tet_aligned.h).
template <class Real>
Mat3<double> aligned_frame(const Group<Real>& group, const Place& place) {
  const Real* first =
      &group.rest[static_cast<std::size_t>(place.batch * group.type->packed_fields * kLanes + place.lane)];
  const auto field = [&](int k) { return double(first[k * kLanes]); };
  return {{field(0), field(6), field(7)}, {field(1), field(3), field(8)}, {field(2), field(4), field(5)}};
}

/// Multipliers of an elastic tet are a tensor in the axes of its rest frame. These are turned to the masses of its
/// corners, which a pin changes: M = M_old R, and so L = R^T L_old R.
template <class Real>
void turn_multipliers(const Mat3<double>& from, const Mat3<double>& to, Real* first) {
  const auto at = [&](int e) -> Real& { return first[e * kLanes]; };
  const Sym3<double> old{at(0), at(1), at(2), at(5), at(4), at(3)};
  const Mat3<double> R = inverse(from) * to;
  const Sym3<double> now = symmetric_part(transpose(R) * to_matrix(old) * R);
  const double entries[6] = {now.xx, now.yy, now.zz, now.yz, now.xz, now.xy};
  if (!std::all_of(std::begin(entries), std::end(entries), [](double x) { return is_finite(x); })) return;
  for (int e = 0; e < 6; ++e) at(e) = static_cast<Real>(entries[e]);
}

}  // namespace

template <class Real>
void Solver<Real>::take_over_particles(const Solver& old) {
  State<Real>& s = state_;
  const State<Real>& from = old.state_;
  std::vector<uint8_t> goes(static_cast<std::size_t>(model_.particles), 0);  // by itself, along a path or on a body
  for (int i = 0; i < model_.particles; ++i) goes[static_cast<std::size_t>(i)] = model_.inverse_mass[i] > Real(0);
  for (const Pin<Real>& pin : model_.pins) {
    for (const int32_t i : pin.particles) goes[static_cast<std::size_t>(i)] = 1;
  }
  for (const Rider& rider : model_.riders) goes[static_cast<std::size_t>(rider.particle)] = 1;

  const bool histories = !s.last_motion.empty();
  const int known = old.model_.body_begin.back();
  for (int user = 0; user < known; ++user) {
    const auto i = static_cast<std::size_t>(model_.to_engine[static_cast<std::size_t>(user)]);
    const auto j = static_cast<std::size_t>(old.model_.to_engine[static_cast<std::size_t>(user)]);
    s.base[i] = from.base[j];
    s.offset[i] = from.offset[j];
    s.held[i] = from.held[j];
    s.offset[i].w = s.held[i] ? Real(0) : model_.inverse_mass[i];
    if (!goes[i]) continue;  // what was pinned just now has lost its motion
    s.velocity[i] = from.velocity[j];
    s.carry[i] = from.carry[j];
    if (!histories) continue;
    s.last_motion[i] = from.last_motion[j];
    s.last_velocity[i] = from.last_velocity[j];
  }
  // What is new came as fast as it starts: the second-order steps of all others go on.
  const Real substep = static_cast<Real>(options_.step / options_.substeps);
  for (int user = known; histories && user < model_.body_begin.back(); ++user) {
    const auto i = static_cast<std::size_t>(model_.to_engine[static_cast<std::size_t>(user)]);
    const Quad<Real>& v = s.velocity[i];
    s.last_velocity[i] = v;
    s.last_motion[i] = {v.x * substep, v.y * substep, v.z * substep, Real(0)};
  }
}

template <class Real>
void Solver<Real>::take_over_multipliers(const Solver& old) {
  std::vector<Place> places(static_cast<std::size_t>(old.model_.given_constraints));
  for (std::size_t g = 0; g < old.model_.groups.size(); ++g) {
    if (old.state_.multipliers[g].empty()) continue;
    each_given(old.model_, g,
               [&](int32_t number, const Place& place) { places[static_cast<std::size_t>(number)] = place; });
  }
  for (std::size_t g = 0; g < model_.groups.size(); ++g) {
    AlignedVector<Real>& multipliers = state_.multipliers[g];
    if (multipliers.empty()) continue;
    const Group<Real>& group = model_.groups[g];
    const int count = multipliers_of_part(group);
    const bool turns = group.type->aligned_frame && group.plastic.empty() && count == 6;
    each_given(model_, g, [&](int32_t number, const Place& to) {
      if (number >= old.model_.given_constraints) return;
      const Place& from = places[static_cast<std::size_t>(number)];
      if (from.group < 0) return;
      const Group<Real>& other = old.model_.groups[static_cast<std::size_t>(from.group)];
      const AlignedVector<Real>& values = old.state_.multipliers[static_cast<std::size_t>(from.group)];
      Real* first = &multipliers[static_cast<std::size_t>(to.at)];
      for (int e = 0; e < count; ++e) first[e * kLanes] = values[static_cast<std::size_t>(from.at + e * kLanes)];
      if (!turns) return;
      const Mat3<double> frame = aligned_frame(group, to), before = aligned_frame(other, from);
      if (norm_squared(frame - before) > 0) turn_multipliers(before, frame, first);
    });
  }
  std::copy(old.state_.balloon_multipliers.begin(), old.state_.balloon_multipliers.end(),
            state_.balloon_multipliers.begin());
}

template <class Real>
void Solver<Real>::take_over(const AnySolver& other) {
  const auto& old = static_cast<const Solver&>(other);
  State<Real>& s = state_;
  if (old.model_.body_begin.back() > 0 && !(s.origin == old.state_.origin)) {
    // Places of what is new are relative to the origin, which stays where it was.
    s.origin = old.state_.origin;
    for (std::size_t b = 0; b < input_.bodies.size(); ++b) set_positions(static_cast<int>(b), input_.bodies[b].start);
    for (std::size_t a = 0; a < input_.anchors.size(); ++a) {
      place(static_cast<int32_t>(input_.particles_of_bodies + a), input_.anchors[a]);
    }
  }
  s.time = old.state_.time;
  s.steps = old.state_.steps;
  s.substeps_on_base = old.state_.substeps_on_base;
  s.has_history = old.state_.has_history;
  dt_ = old.dt_;
  take_over_particles(old);
  take_over_multipliers(old);
  set_plastic_state(old.plastic_state());

  std::copy(old.state_.rigid.begin(), old.state_.rigid.end(), s.rigid.begin());
  const double substep = options_.step / options_.substeps;
  for (std::size_t r = old.state_.rigid.size(); r < s.rigid.size(); ++r) {
    contact::RigidState& body = s.rigid[r];
    body.last_velocity = body.velocity;
    body.last_spin = body.spin;
    body.last_move = body.velocity * substep;
    body.last_turn = body.spin * substep;
  }
  troubles_ = old.troubles_;
  edges_stale_ = true;
  find_unaligned();
  forget_body_contacts();
  colliders_.forget();
}

template void Solver<float>::take_over(const AnySolver&);
template void Solver<double>::take_over(const AnySolver&);

}  // namespace pliant
