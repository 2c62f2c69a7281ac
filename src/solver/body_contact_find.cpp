// Finds the contacts of a substep, after prediction.
//
// The broad phase tells which pairs have moved so much since they were seen last that they may be near. These are
// looked at, many at once. Where a pair is closer than its thickness, or nearly, it becomes a contact with the
// direction of the closest points; where it is not yet, but will be within the substep (continuous detection), with
// that of the first contact.
//
// What becomes a contact follows from positions and velocities alone, and so does the order (body_contact_project.cpp):
// which pairs were looked at, and in which order, does not matter.

#include <algorithm>
#include <cmath>
#include <limits>

#include "contact/closest.h"
#include "contact/closest_packs.h"
#include "contact/first_contact.h"
#include "core/parallel.h"
#include "solver/body_contact_pair.h"
#include "solver/body_contacts.h"

namespace pliant {

namespace {
constexpr int64_t kVerticesPerChunk = 1024, kBlocksPerChunk = 64;
/// Thicknesses per substep. Parts of which any two particles may move more than that against each other get their
/// contacts anew in every substep; those of slower ones serve for kContactTime. Of 0.3, 0.7 and 1.5 this one cost least
/// on scenes/contact_pile.json; nothing else speaks for it. Contacts that are out of date push along an old direction,
/// or are missing for a pair that came near meanwhile: then the guard stops more particles, which takes momentum. That
/// nothing passes through does not depend on it: in every substep the guard looks at all pairs that may come near, by
/// what the particles have moved, whether there is a contact or not.
constexpr float kFast = 1.5f;
/// Thicknesses. Contacts serve on, for a step at most, while no two particles of the parts move more than that against
/// each other: a pair that is none, farther than where contacts begin, does not come near enough for the guard.
constexpr float kServing = static_cast<float>(kContactBand - kGuarded);
/// Of contacts before the first iteration, until they are settled.
constexpr int kMostSweeps = 10;
/// [s] A pair that is closer than its thickness parts in this time, not at once: pushed out in one substep it would
/// fly.
constexpr double kPartingTime = 0.03;
/// Pairs of one body keep at most this part of their distance at rest, so that a fine mesh with a large thickness does
/// not push itself apart.
constexpr double kOfRest = 0.8;
}  // namespace

/// Way of each particle of the surface in this substep: that of its velocity (the push of kept multipliers, which
/// prediction has added, is taken back by the contacts of the same substep), or the one it has made in the end.
template <class Real>
void BodyContacts<Real>::take_motion(Motion which) {
  BodyContactData<Real>& c = contact_;
  const ContactSurface& s = c.surface;
  const SubstepMotion<Real> motion(state_, options_);
  const bool ahead = which == Motion::free, starts = !c.started;
  const bool fresh = c.stale || c.origin != state_.origin;
  Quad<float>*places = c.broad_phase.places(), *ways = c.broad_phase.motion();
  parallel_for(*jobs_, static_cast<int64_t>(s.vertices.size()), kVerticesPerChunk, [&](int64_t begin, int64_t end) {
    for (int64_t k = begin; k < end; ++k) {
      const int32_t i = s.vertices[k];
      const bool moves = state_.offset[i].w > Real(0);
      const Vec3<Real> from = motion.from(i);
      Vec3<Real> u = motion.of(i);
      // What is not finite will be put back to where it was (velocities.cpp).
      if (!(std::abs(u.x) <= kTooFar<Real> && std::abs(u.y) <= kTooFar<Real> && std::abs(u.z) <= kTooFar<Real>)) u = {};
      if (ahead && moves) {
        const Quad<Real>&start = state_.start[i], &v = state_.velocity[i];
        const Vec3<Real> free = mul_add(Vec3<Real>{v.x, v.y, v.z}, dt_, Vec3<Real>{start.x, start.y, start.z} - from);
        if (std::isfinite(dot(free, free))) u = free;
      }
      Quad<Real>& kept = c.motion[i];
      kept = {u.x, u.y, u.z, kept.w};
      const Vec3f way = cast<float>(u);
      ways[i] = {way.x, way.y, way.z, moves ? 1.0f : 0.0f};
      if (!starts) continue;
      if (!c.from.empty()) c.from[i] = {from.x, from.y, from.z, Real(0)};
      const Quad<Real>& base = state_.base[i];
      places[i] = {static_cast<float>(base.x + from.x), static_cast<float>(base.y + from.y),
                   static_cast<float>(base.z + from.z), 0};
    }
  });
  if (!starts) {
    c.broad_phase.change_motion(*jobs_, s);
    return;
  }
  if (fresh) c.broad_phase.forget();
  c.origin = state_.origin;
  c.stale = false;
  c.started = true;
  c.broad_phase.start(*jobs_, s, c.first_substep);
}

/// Whether the contacts of two parts must be found anew: at the start of a step, so that it goes on from a snapshot
/// with the same bits; where the parts had not met; where they move fast; and, now and then, where they have moved or
/// will have moved too much until the next time. Those that are found between these times have a set of their own.
template <class Real>
bool BodyContacts<Real>::is_out_of_date(int64_t meeting, int substep, typename BodyContactData<Real>::Found& found) {
  BodyContactData<Real>& c = contact_;
  const BroadPhase::Meeting parts = c.broad_phase.meeting(meeting);
  auto& own = c.of_parts[static_cast<std::size_t>(parts.number)];
  const bool known = own.parts == parts && own.substep == c.substep - 1;
  const bool now_and_then = c.freed.any_tangled || !c.nested.empty() || substep % serves_ == 0;
  const float speed = c.broad_phase.speed(meeting);
  own.substep = c.substep;
  const int before = known ? own.set : -1;
  bool anew = !known || before == 1 || speed > kFast;
  if (now_and_then) {
    const int until_next = std::min(serves_, options_.substeps - substep);
    anew = anew || c.freed.any_tangled || !c.nested.empty() || substep == 0 ||
           c.broad_phase.moved(meeting) + speed * static_cast<float>(until_next) > kServing;
  }
  if (!anew) return false;
  own.parts = parts;
  c.broad_phase.note(meeting);
  own.set = now_and_then && !(speed > kFast) ? 0 : 1;
  const std::array<int32_t, 2> bodies = c.broad_phase.bodies(parts);
  own.collider = c.surface.is_collider(bodies[0]) || c.surface.is_collider(bodies[1]);
  if (own.collider) return true;
  found.anew[own.set] = true;
  if (before >= 0) found.anew[before] = true;
  return true;
}

template <class Real>
void BodyContacts<Real>::find(int substep) {
  BodyContactData<Real>& c = contact_;
  c.started = false;
  if (substep == 0) touching_.clear();
  find_tangles(substep);
  if (c.freed.any_tangled || !c.nested.empty()) untangle();
  find_inside();
  c.first_substep = substep == 0;
  take_motion(Motion::free);
  ++c.substep;
  const int64_t many = c.broad_phase.part_pairs();
  std::size_t numbers = 0;
  for (int64_t k = 0; k < many; ++k) {
    numbers = std::max(numbers, static_cast<std::size_t>(c.broad_phase.meeting(k).number) + 1);
  }
  if (c.of_parts.size() < numbers) c.of_parts.resize(numbers + numbers / 2);
  for (auto& found : c.found) found.anew = {};
  const auto of = [&](int64_t k) -> auto& {
    return c.of_parts[static_cast<std::size_t>(c.broad_phase.meeting(k).number)];
  };
  c.broad_phase.look_again();  // where too much is near these are some of the contacts, and the guard has the last word
  each_chunk([&](auto& found, int64_t first, int64_t last) {
    for (int64_t k = first; k < last; ++k) of(k).anew = is_out_of_date(k, substep, found);
  });
  c.broad_phase.prepare(*jobs_, 0, false, [&](int64_t k) { return of(k).anew; });
  each_chunk([&](auto& found, int64_t first, int64_t last) {
    for (int64_t k = first; k < last; ++k) {
      auto& own = of(k);
      if (!own.anew) continue;
      for (int kind = 0; kind < 2; ++kind) {
        found.due.of[kind].clear();
        own.contacts[kind].clear();
      }
      c.broad_phase.find_due(c.surface, k, k + 1, 0, found.due);
      look_at_pairs<1>(found.due.of[0], own.contacts[0]);
      look_at_pairs<2>(found.due.of[1], own.contacts[1]);
      for (auto& contacts : own.contacts) {
        std::sort(contacts.begin(), contacts.end(), [](const auto& p, const auto& q) { return p.corner < q.corner; });
      }
    }
  });
  for (int set = 0; set < 2; ++set) {
    // At the start of a step: parts that no longer meet leave the first set. The second is made anew as long as there
    // is one.
    const bool anew = (set == 0 ? substep == 0 : c.sets[1].contacts > 0) ||
                      std::any_of(c.found.begin(), c.found.end(), [&](const auto& found) { return found.anew[set]; });
    if (anew) color_contacts(set);
  }
  collect_with_colliders();
  set_distances();
}

/// Kept multipliers have pushed what touches into each other: constraints must not see that.
template <class Real>
void BodyContacts<Real>::settle() {
  for (int sweep = 0; sweep < kMostSweeps && project(); ++sweep) {
  }
}

/// What contacts keep in this substep, from the places at its start.
template <class Real>
void BodyContacts<Real>::set_distances() {
  constexpr int W = kContactLanes<Real>;
  using T = Pack<Real, W>;
  const Quad<Real>*base = state_.base.data(), *from = this->from();
  const T parting(static_cast<Real>(std::min(1.0, double(dt_) / kPartingTime)));
  for (auto& set : contact_.sets) {
    parallel_for(*jobs_, static_cast<int64_t>(set.blocks.size()), kBlocksPerChunk, [&](int64_t begin, int64_t end) {
      for (int64_t k = begin; k < end; ++k) {
        BodyContactBlock<Real>& block = set.blocks[static_cast<std::size_t>(k)];
        const auto b0 = Quads<T>::gather(base, block.at[0]), f0 = Quads<T>::gather(from, block.at[0]);
        const T zero(Real(0));
        // The places with the offsets of now left out: bases relative to the first.
        Vec3<T> bases{zero, zero, zero}, places = bases;
        for (int m = 1; m < 4; ++m) {
          const auto apart = Quads<T>::gather(base, block.at[m]) - b0;
          const T weight = load<T>(block.weight[m]);
          bases = mul_add(apart.xyz(), weight, bases);
          places = mul_add((apart + (Quads<T>::gather(from, block.at[m]) - f0)).xyz(), weight, places);
        }
        const Vec3<T> n{load<T>(block.normal[0]), load<T>(block.normal[1]), load<T>(block.normal[2])};
        const T keep = load<T>(block.keep), now = dot(n, places);
        store(dot(n, bases) - select(now < keep, mul_add(keep - now, parting, now), keep), block.gap);
        store(zero, block.lambda);
        for (auto& friction : block.friction) store(zero, friction);
      }
    });
  }
}

/// Distances of the pairs that are due, at the start of the substep; contacts of those that are near.
template <class Real>
template <int kSideA>
void BodyContacts<Real>::look_at_pairs(const std::vector<BroadPhase::Due>& due,
                                       std::vector<BodyContactPoint<Real>>& contacts) {
  constexpr int W = kContactLanes<Real>;
  using T = Pack<Real, W>;
  BodyContactData<Real>& c = contact_;
  const Quad<Real>*base = state_.base.data(), *from = this->from(), *motion = c.motion.data();
  for (std::size_t k = 0; k < due.size(); k += W) {
    const PairLanes<Real, W> lanes(due, k);
    const PairPacks<Real, W> pair(base, from, motion, lanes);
    const ClosestPacks<T> near = closest_packs<kSideA>(pair.x[1], pair.x[2], pair.x[3]);
    const T d = sqrt(near.distance_squared);
    const Vec3<T> n = near.separation * (T(Real(1)) / max(d, T(std::numeric_limits<Real>::min())));
    const T gap = pair.template gap<kSideA>(n);
    const int used = static_cast<int>(std::min<std::size_t>(W, due.size() - k));
    Real direction[3][W], left[W];
    store(n.x, direction[0]);
    store(n.y, direction[1]);
    store(n.z, direction[2]);
    store(gap, left);
    for (int l = 0; l < used; ++l) {
      c.broad_phase.seen(due[k + l], cast<float>(Vec3<Real>{direction[0][l], direction[1][l], direction[2][l]}),
                         static_cast<float>(left[l]));
    }
    const T thickness = pair.thickness;
    const auto is_near = d <= thickness * T(Real(kContactBand));
    const auto comes = gap - thickness * T(Real(kArriving)) <= pair.template approach<kSideA>(n);
    const auto wanted = is_near | comes;
    if (!any(wanted)) continue;
    Real flag[W], distance[W], weight[4][W], inside[W];
    store(select(wanted, T(Real(1)), T(Real(0))), flag);
    store(select(near.interior, T(Real(1)), T(Real(0))), inside);
    store(d, distance);
    for (int m = 0; m < 4; ++m) store(near.weight[m], weight[m]);
    for (int l = 0; l < used; ++l) {
      if (flag[l] == Real(0)) continue;
      Seen seen{distance[l],
                {weight[0][l], weight[1][l], weight[2][l], weight[3][l]},
                {direction[0][l], direction[1][l], direction[2][l]},
                inside[l] != Real(0)};
      make_contact<kSideA>(due[k + l].corner, seen, contacts);
    }
  }
}

/// The contact of a pair that is near or may come near, if it is one.
template <class Real>
template <int kSideA>
void BodyContacts<Real>::make_contact(const std::array<int32_t, 4>& corner, const Seen& at_start,
                                      std::vector<BodyContactPoint<Real>>& contacts) const {
  const BodyContactData<Real>& c = contact_;
  const ContactSurface& s = c.surface;
  const int32_t body = s.body[corner[0]], other = s.body[corner[3]];
  const bool collider = s.is_collider(body) || s.is_collider(other);
  if (collider) {
    if (c.any_inside && is_inside(corner)) return;
    if (surfaces_[static_cast<std::size_t>(collider_of(corner))].round) return;
    if (kSideA == 1 && !s.is_collider(body)) return;  // a vertex has its own contact (collider_find.cpp)
  } else if ((c.freed.any_tangled && is_tangled(corner)) || c.freed.template has<kSideA>(corner)) {
    return;
  }
  const Real thickness = thickness_of(corner);
  Real keep = thickness;
  if (body == other) {
    const auto &r0 = s.rest[corner[0]], &r3 = s.rest[corner[3]];
    const double x = r0[0] - r3[0], y = r0[1] - r3[1], z = r0[2] - r3[2];
    const double far = 2 * double(s.longest_edge[body]) + double(thickness) / kOfRest;
    if (x * x + y * y + z * z < far * far)
      keep = std::min(keep, Real(kOfRest) * rest_distance<kSideA, Real>(s, corner));
  }
  const Real d = at_start.distance;
  Seen seen = at_start;
  // What contacts of two parts serve for (kServing) is counted in both half thicknesses.
  const Real both = static_cast<Real>(s.half_thickness[corner[0]] + s.half_thickness[corner[3]]);
  if (d > (collider ? both : keep) * Real(kContactBand)) {
    const PairPlaces<Real> pair(state_.base.data(), from(), c.motion.data(), corner);
    const FirstContact<Real> first = first_contact<kSideA>(pair.x, pair.u, keep, keep * Real(0.05));
    if (!first.hit) return;
    Vec3<Real> then[4];
    for (int m = 0; m < 4; ++m) then[m] = mul_add(pair.u[m], first.time, pair.x[m]);
    const ClosestPair<Real> near = closest<kSideA>(then);
    seen.distance = std::sqrt(near.distance_squared);
    if (!(seen.distance > Real(1e-6) * pair.size)) return;  // no direction
    seen.direction = near.separation / seen.distance;
    std::copy_n(near.weight, 4, seen.weight);
    seen.interior = near.interior;
  }
  if (kSideA == 2 && !seen.interior && !(s.is_rope(body) || s.is_rope(other))) {
    return;  // an end of an edge: vertex-triangle has it
  }
  if (!(seen.distance > Real(1e-4) * thickness)) return;  // no direction: tangled
  BodyContactPoint<Real>& made = contacts.emplace_back();
  made.corner = corner;
  made.normal = seen.direction;
  for (int m = 0; m < 4; ++m) made.weight[m] = m < kSideA ? seen.weight[m] : -seen.weight[m];
  made.keep = keep;
}

template <class Real>
bool BodyContacts<Real>::is_tangled(const std::array<int32_t, 4>& corner) const {
  const auto& t = contact_.freed.tangled;
  return t[corner[0]] || t[corner[1]] || t[corner[2]] || t[corner[3]];
}

#define PLIANT_INSTANTIATE(Real)                         \
  template void BodyContacts<Real>::take_motion(Motion); \
  template void BodyContacts<Real>::find(int);           \
  template void BodyContacts<Real>::settle();            \
  template bool BodyContacts<Real>::is_tangled(const std::array<int32_t, 4>&) const;
PLIANT_INSTANTIATE(float)
PLIANT_INSTANTIATE(double)

}  // namespace pliant
