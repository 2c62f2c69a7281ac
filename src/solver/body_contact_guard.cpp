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
  if (!c.slowed.empty()) {
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
  for (int64_t chunk = 0; chunk < chunks; ++chunk) {  // in any order: a part only depends on the pairs
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

/// One look at the pairs of a kind: in the first round at those within reach, later at those of particles that were
/// slowed in the round before. Whether particles were slowed.
template <class Real>
template <int kSideA>
bool BodyContacts<Real>::guard_pairs(const ContactPairSet<Real>& set, ContactPairs& known, int round) {
  BodyContactData<Real>& c = contact_;
  const int64_t count = static_cast<int64_t>(known.pairs.size()), chunks = chunk_count(count, kPairsPerChunk);
  if (static_cast<int64_t>(c.found.size()) < chunks) c.found.resize(chunks);
  parallel_for_chunks(*jobs_, count, kPairsPerChunk, [&](int64_t chunk, int64_t begin, int64_t end) {
    std::vector<int32_t>& touched = c.found[chunk].touched;
    touched.clear();
    for (int64_t k = begin; k < end; ++k) {
      const std::array<int32_t, 4>& corner = known.pairs[k].corner;
      if (round == 0) {
        const auto [before, after] = set.motion_of(c.surface.body[corner[0]], c.surface.body[corner[3]]);
        if (after <= double(known.free_until[k])) continue;
        const double left = double(known.free_until[k]) - before - 0.5 * double(c.relative_motion(corner));
        if (left >= 0) {
          known.free_until[k] = rounded_down(after + left);
          continue;
        }
      } else {
        bool changed = false;
        for (const int32_t i : corner) changed |= c.slowed_in[i] == round - 1;
        if (!changed) continue;
        known.free_until[k] = -1;  // what was known of it counted with its whole motion
      }
      guard_pair<kSideA>(corner, round, touched);
    }
  });
  return take_slowed(chunks, round);
}

/// Slows particles until no pair meets. Whether there were any.
template <class Real>
bool BodyContacts<Real>::guard_rounds() {
  BodyContactData<Real>& c = contact_;
  bool again = true;
  for (int round = 0; again; ++round) {
    again = false;
    for (ContactPairSet<Real>& set : c.sets) {
      again |= guard_pairs<1>(set, set.vertex_triangle, round);
      again |= guard_pairs<2>(set, set.edge_edge, round);
    }
  }
  if (c.slowed.empty()) return false;
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
  return true;
}

template <class Real>
void BodyContacts<Real>::guard() {
  BodyContactData<Real>& c = contact_;
  // A particle that is slowed moves against the frame of its body, which the bounds of motion have not counted with: if
  // the pairs do not cover that, there is another pass with others. Each makes motions smaller.
  for (bool again = true; again;) {
    measure_motion();
    for (ContactPairSet<Real>& set : c.sets) {
      if (set.fresh) measure_outside(set);
      if (used_up(set)) find_pairs(set);
    }
    measure_motion();
    if (!guard_rounds()) break;
    measure_motion();
    again = false;
    for (const ContactPairSet<Real>& set : c.sets) again |= !set.fresh && used_up(set);  // fresh: covered at any speed
  }
  count_motion();
}

template void BodyContacts<float>::guard();
template void BodyContacts<double>::guard();

}  // namespace pliant
