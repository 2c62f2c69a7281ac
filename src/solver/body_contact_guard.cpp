// The guard: at the end of a substep, no pair of primitives has passed through each other.
//
// Every particle moves along a straight line from the start of the substep. A pair that would come closer than a small
// part of its thickness on that way (continuous detection) slows its particles down: each makes only the part of its
// motion up to there. That may bring them into the way of others, so all pairs with a particle that was slowed are
// looked at again, until none is left. Parts only shrink, and a particle that does not move at all hits nobody who
// does not come to it: in the worst case all stand where they were, which was free of intersections.
//
// Only scripted pins cannot be slowed. Where they force bodies into each other it is reported.

#include <algorithm>
#include <cmath>
#include <limits>

#include "contact/closest.h"
#include "contact/first_contact.h"
#include "core/parallel.h"
#include "solver/body_contact_pair.h"
#include "solver/body_contacts.h"

namespace pliant {

namespace {
constexpr int64_t kPairsPerChunk = 2048;
constexpr int64_t kNearPerChunk = 256;
constexpr uint64_t kEdgeEdge = uint64_t{1} << 63;
constexpr int kPatientRounds = 8;  // afterwards pairs stop altogether
/// Part of the thickness that the guard keeps. The rest is the contact constraints' to work with.
constexpr double kKept = 0.1;
/// A pair that is closer than that already may lose this part of its distance in one substep, and no more.
constexpr double kKeptOfDistance = 0.8;

void lower(std::atomic<uint32_t>& value, uint32_t to) {
  uint32_t now = value.load(std::memory_order_relaxed);
  while (to < now && !value.compare_exchange_weak(now, to, std::memory_order_relaxed)) {
  }
}
}  // namespace

/// Looks at one pair; slows its particles where they meet. Those are added to `touched`.
template <class Real>
template <int kSideA>
void BodyContacts<Real>::guard_pair(const std::array<int32_t, 4>& corner, int round, std::vector<int32_t>& touched) {
  BodyContactData<Real>& c = contact_;
  if (c.any_tangled && is_tangled(corner)) return;
  const SubstepMotion<Real> motion(state_, options_);
  PairPlaces<Real> pair(state_, motion, corner);
  if (round > 0) {
    Vec3<Real> u[4];
    for (int k = 0; k < 4; ++k) {
      const uint32_t part = c.last_scale[corner[k]];
      u[k] = motion.of(corner[k]);
      if (part != kWholeMotion) u[k] = u[k] * (Real(part) / Real(kWholeMotion));
    }
    for (int k = 0; k < 4; ++k) pair.u[k] = u[k] - u[0];
  }
  const ClosestPair<Real> near = closest<kSideA>(pair.x);
  const Real d = std::sqrt(near.distance_squared);
  if (!(d > Real(0))) return;  // touching at the start: nothing to keep
  const Real thickness = static_cast<Real>(c.surface.half_thickness[corner[0]] + c.surface.half_thickness[corner[3]]);
  const Real keep = std::min(thickness * Real(kKept), d * Real(kKeptOfDistance));
  FirstContact<Real> first = first_contact<kSideA>(pair.x, pair.u, keep, (d - keep) * Real(0.1));
  if (!first.hit) return;
  if (first.time == Real(0) && d < Real(1e-4) * pair.size) {
    // So near that rounding hides the gap: it may part, along the direction that it has.
    const Vec3<Real> n = near.separation / d;
    Real a = dot(n, pair.u[0]), b = dot(n, pair.u[3]);
    for (int k = 1; k < kSideA; ++k) a = std::min(a, dot(n, pair.u[k]));
    for (int k = kSideA; k < 3; ++k) b = std::max(b, dot(n, pair.u[k]));
    if (a >= b) return;
  }
  // A little less than up to there, so that the next look finds it free.
  const Real part = round < kPatientRounds ? first.time * Real(0.9) : Real(0);
  bool slowed = false;
  for (const int32_t i : corner) {
    if (state_.offset[i].w == Real(0)) continue;
    const uint32_t now = c.last_scale[i];
    if (now == 0) continue;
    slowed = true;
    lower(c.scale[i], static_cast<uint32_t>(Real(now) * part));
    touched.push_back(i);
  }
  if (!slowed) c.forced.fetch_add(1, std::memory_order_relaxed);
}

/// Takes over what a round has slowed; whether there was any.
template <class Real>
bool BodyContacts<Real>::take_slowed(int64_t chunks, int round) {
  BodyContactData<Real>& c = contact_;
  bool any = false;
  for (int64_t chunk = 0; chunk < chunks; ++chunk) {
    for (const int32_t i : c.found[chunk].touched) {
      const uint32_t now = c.scale[i].load(std::memory_order_relaxed);
      if (now == c.last_scale[i]) continue;
      if (c.last_scale[i] == kWholeMotion) c.slowed.push_back(i);
      c.last_scale[i] = now;
      c.slowed_in[i] = round;
      any = true;
    }
  }
  return any;
}

template <class Real>
void BodyContacts<Real>::guard() {
  BodyContactData<Real>& c = contact_;
  measure_motion(c.fresh);
  if (pairs_used_up(motion_of_all())) find_pairs();
  if (c.fresh) measure_motion(false);
  const double of_all = motion_of_all();

  // All pairs within reach.
  c.near.clear();
  const auto look = [&](auto side, const std::vector<ContactCandidate>& pairs, const ContactPairs& known) {
    constexpr int kSideA = decltype(side)::value;
    const int64_t count = static_cast<int64_t>(pairs.size()), chunks = chunk_count(count, kPairsPerChunk);
    if (static_cast<int64_t>(c.found.size()) < chunks) c.found.resize(chunks);
    parallel_for_chunks(*jobs_, count, kPairsPerChunk, [&](int64_t chunk, int64_t begin, int64_t end) {
      auto& found = c.found[chunk];
      found.near.clear();
      found.touched.clear();
      for (int64_t k = begin; k < end; ++k) {
        const std::array<int32_t, 4>& corner = pairs[k].corner;
        const int32_t body = c.surface.body[corner[0]];
        const bool self = body == c.surface.body[corner[3]];
        const double moved = self ? c.body_motion[body].since_check + c.largest_motion[body]
                                  : c.world_motion.since_check + of_all;
        if (moved <= double(known.free_until[k])) continue;
        found.near.push_back(static_cast<uint64_t>(k) | (kSideA == 2 ? kEdgeEdge : 0));
        guard_pair<kSideA>(corner, 0, found.touched);
      }
    });
    for (int64_t chunk = 0; chunk < chunks; ++chunk) {
      const auto& near = c.found[chunk].near;
      if (c.near.capacity() < c.near.size() + near.size()) c.near.reserve(2 * (c.near.size() + near.size()));
      c.near.insert(c.near.end(), near.begin(), near.end());
    }
    return chunks;
  };
  // Particles are slowed by vertex-triangle pairs before edge-edge ones are looked at with their whole motion: the
  // parts of both count in the next round.
  bool again = take_slowed(look(std::integral_constant<int, 1>{}, c.broad_phase.vertex_triangle(), c.vertex_triangle), 0);
  again |= take_slowed(look(std::integral_constant<int, 2>{}, c.broad_phase.edge_edge(), c.edge_edge), 0);

  for (int round = 1; again; ++round) {
    const int64_t count = static_cast<int64_t>(c.near.size()), chunks = chunk_count(count, kNearPerChunk);
    if (static_cast<int64_t>(c.found.size()) < chunks) c.found.resize(chunks);
    parallel_for_chunks(*jobs_, count, kNearPerChunk, [&](int64_t chunk, int64_t begin, int64_t end) {
      auto& touched = c.found[chunk].touched;
      touched.clear();
      for (int64_t k = begin; k < end; ++k) {
        const bool edges = c.near[k] & kEdgeEdge;
        const auto& pairs = edges ? c.broad_phase.edge_edge() : c.broad_phase.vertex_triangle();
        const std::array<int32_t, 4>& corner = pairs[c.near[k] & ~kEdgeEdge].corner;
        bool changed = false;
        for (const int32_t i : corner) changed |= c.slowed_in[i] == round - 1;
        if (!changed) continue;
        edges ? guard_pair<2>(corner, round, touched) : guard_pair<1>(corner, round, touched);
      }
    });
    again = take_slowed(chunks, round);
  }

  const SubstepMotion<Real> motion(state_, options_);
  for (const int32_t i : c.slowed) {
    const Vec3<Real> x = mul_add(motion.of(i), Real(c.last_scale[i]) / Real(kWholeMotion), motion.from(i));
    Quad<Real>& o = state_.offset[i];
    o = {x.x, x.y, x.z, o.w};
    c.scale[i].store(kWholeMotion, std::memory_order_relaxed);
    c.last_scale[i] = kWholeMotion;
    c.slowed_in[i] = -1;
  }
  c.slowed_particles += static_cast<int64_t>(c.slowed.size());
  c.slowed.clear();
  count_motion(of_all);
}

/// Tells of scripted pins that push bodies into each other, once.
template <class Real>
void BodyContacts<Real>::report(std::vector<Trouble>& troubles) {
  BodyContactData<Real>& c = contact_;
  const int pairs = c.forced.exchange(0, std::memory_order_relaxed);
  if (pairs == 0) return;
  c.may_be_tangled = true;
  if (c.told_forced) return;
  c.told_forced = true;
  Trouble t;
  t.kind = Trouble::Kind::forced_contact;
  t.step = state_.steps;
  t.message = "scripted pins push bodies into each other in step " + std::to_string(t.step) + " (" +
              std::to_string(pairs) + " pairs); change their path, or let what is in the way move";
  troubles.push_back(std::move(t));
}

template void BodyContacts<float>::guard();
template void BodyContacts<float>::report(std::vector<Trouble>&);
template void BodyContacts<double>::guard();
template void BodyContacts<double>::report(std::vector<Trouble>&);

}  // namespace pliant
