// The guard: what is free of intersections at the start of a substep is free at its end (docs/contact_theorem.md).
//
// Every particle moves along a straight line from the start of the substep. A pair that would come closer than a small
// part of its thickness on that way (continuous detection) slows its particles down: each makes only the part of its
// motion up to there. That may bring them into the way of others, so all pairs with a particle that was slowed are
// looked at again, until none is left. Parts only shrink, and a particle that does not move at all hits nobody who
// does not come to it: in the worst case all stand where they were, which was free of intersections.
//
// Where so much is near that pairs cannot be told apart, particles are held by their distances instead
// (body_contact_limit.cpp). Only scripted pins and colliders cannot be slowed. Where they force bodies into each other
// it is reported.

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "contact/closest.h"
#include "contact/closest_packs.h"
#include "contact/first_contact.h"
#include "core/parallel.h"
#include "math/lane_bits.h"
#include "solver/body_contact_pair.h"
#include "solver/body_contacts.h"

namespace pliant {

namespace {
constexpr int kPatientRounds = 8;  // afterwards pairs stop altogether
/// Part of the thickness that the guard keeps. The rest is the contact constraints' to work with.
constexpr double kKept = 0.1;
/// A pair that is closer than that already may lose this part of its distance in one substep, and no more.
constexpr double kKeptOfDistance = 0.8;
/// Last digits of a pair's size. What is nearer than that may part or stay, and no more: ends of ways are rounded.
constexpr double kFewDigits = 4;
/// So much less than where contacts begin.
constexpr double kGrace = kContactBand - kGuarded;

void lower(std::atomic<uint32_t>& value, uint32_t to) {
  uint32_t now = value.load(std::memory_order_relaxed);
  while (to < now && !value.compare_exchange_weak(now, to, std::memory_order_relaxed)) {
  }
}
}  // namespace

/// Looks at one pair; slows its particles where they meet. Those are added to `found.touched`.
template <class Real>
template <int kSideA>
void BodyContacts<Real>::guard_pair(const std::array<int32_t, 4>& corner, int round,
                                    typename BodyContactData<Real>::Found& found) {
  BodyContactData<Real>& c = contact_;
  const int32_t with = collider_of(corner);
  if (with >= 0 ? c.any_inside && is_inside(corner) : c.freed.template has<kSideA>(corner)) return;
  const ExactPlaces pair(state_.base.data(), from(), state_.offset.data(), corner);
  const ClosestPair<double> near = closest<kSideA>(pair.x);
  const double d = std::sqrt(near.distance_squared);
  if (!(d > 0)) return;  // touching at the start: nothing to keep
  const double thickness = double(thickness_of(corner));
  const bool far = d > kFewDigits * double(std::numeric_limits<Real>::epsilon()) * pair.size;
  const double keep = far ? std::min(thickness * kKept, d * kKeptOfDistance) : d;
  // Within the distance at which contacts begin: what is farther is not among the pairs.
  const double tolerance = std::min(d - keep, thickness) * 0.1;
  const FirstContact<double> first = first_contact<kSideA>(pair.x, pair.u, keep, tolerance);
  if (!first.hit) return;
  if (first.time == 0) {
    // It may part, along the direction that it has.
    const Vec3d n = near.separation / d;
    double gap = 0, highest = dot(n, pair.x[3]), a = 0, b = dot(n, pair.u[3]);
    for (int k = 1; k < kSideA; ++k) {
      gap = std::min(gap, dot(n, pair.x[k]));
      a = std::min(a, dot(n, pair.u[k]));
    }
    for (int k = kSideA; k < 3; ++k) {
      highest = std::max(highest, dot(n, pair.x[k]));
      b = std::max(b, dot(n, pair.u[k]));
    }
    if (a >= b && gap > highest) return;
  }
  // A little less than up to there, so that the next look finds it free.
  const double part = round < kPatientRounds ? first.time * 0.9 : 0;
  bool slowed = false;
  const int32_t carrier = carrier_of(corner, with);
  for (const int32_t i : corner) {
    if (state_.offset[i].w == Real(0)) continue;
    if (carrier >= 0 && c.carrier[i] < 0) {
      slowed = true;
      found.taken_along.push_back({i, carrier});
      found.touched.push_back(i);
    }
    const uint32_t now = c.last_scale[i];
    if (now == 0) continue;
    slowed = true;
    lower(c.scale[i], static_cast<uint32_t>(now * part));
    found.touched.push_back(i);
  }
  if (with >= 0 && surfaces_[static_cast<std::size_t>(with)].rigid >= 0) {
    const uint32_t now = c.last_scale[surfaces_[static_cast<std::size_t>(with)].first_particle];
    slowed |= now > 0;
    lower(c.rigid_scale[static_cast<std::size_t>(with)], static_cast<uint32_t>(now * part));
  }
  if (watched_) found.stopped.push_back({c.surface.body[corner[0]], c.surface.body[corner[3]]});
  if (slowed) return;
  if (with >= 0) {
    c.caught.fetch_add(1, std::memory_order_relaxed);
  } else if (++found.forced == 1 || corner < found.first_forced) {
    found.first_forced = corner;
  }
}

/// A particle that a scripted collider comes upon must not stay where it was: it is slowed towards going along with the
/// collider, to where on it it was, which is free. So is what is in the way of such a particle.
template <class Real>
int32_t BodyContacts<Real>::carrier_of(const std::array<int32_t, 4>& corner, int32_t with) const {
  if (with >= 0) {
    const ColliderSurface& surface = surfaces_[static_cast<std::size_t>(with)];
    return surface.rigid < 0 && colliders_.moves(surface.collider) ? with : -1;
  }
  int32_t found = -1;
  if (!surfaces_.empty()) {
    for (const int32_t i : corner) found = std::max(found, contact_.carrier[i]);
  }
  return found;
}

/// Takes over what a round has slowed; whether there was any.
template <class Real>
bool BodyContacts<Real>::take_slowed(int round) {
  BodyContactData<Real>& c = contact_;
  bool any = false;
  const auto take = [&](int32_t i, bool anew) {
    const uint32_t now = c.scale[i].load(std::memory_order_relaxed);
    if (now == c.last_scale[i] && !anew) return;
    if (c.last_scale[i] == kWholeMotion) {
      c.slowed_at[i] = static_cast<int32_t>(c.slowed.size());
      c.slowed.push_back(i);
      c.whole.push_back(c.motion[i]);
    }
    c.last_scale[i] = now;
    c.slowed_in[i] = round;
    const Quad<Real>& whole = c.whole[static_cast<std::size_t>(c.slowed_at[i])];
    const Quad<Real> rest = carried(i);
    const Real part = Real(now) / Real(kWholeMotion);
    c.motion[i] = {rest.x + (whole.x - rest.x) * part, rest.y + (whole.y - rest.y) * part,
                   rest.z + (whole.z - rest.z) * part, whole.w};
    const Quad<Real>& start = from()[i];
    Quad<Real>& o = state_.offset[i];
    o = {start.x + c.motion[i].x, start.y + c.motion[i].y, start.z + c.motion[i].z, o.w};
    any = true;
  };
  // Of several colliders that want to take a particle along, the first: codes of candidates are below -1.
  for (const auto& found : c.found) {
    for (const auto& [i, by] : found.taken_along) {
      if (c.carrier[i] < 0) c.carrier[i] = c.carrier[i] == -1 ? -2 - by : std::max(c.carrier[i], -2 - by);
    }
  }
  for (auto& found : c.found) {  // in any order: a part only depends on the pairs
    for (const auto& [i, by] : found.taken_along) {
      if (c.carrier[i] >= 0) continue;
      c.carrier[i] = -2 - c.carrier[i];
      take(i, true);
    }
    found.taken_along.clear();
    for (const int32_t i : found.touched) take(i, false);
    found.touched.clear();
  }
  for (std::size_t k = 0; k < surfaces_.size(); ++k) {  // a rigid body goes as a whole
    const uint32_t now = c.rigid_scale[k].load(std::memory_order_relaxed);
    if (now == c.last_scale[surfaces_[k].first_particle]) continue;
    for (int32_t i = surfaces_[k].first_particle; i < surfaces_[k].end_particle(); ++i) {
      c.scale[i].store(now, std::memory_order_relaxed);
      take(i, false);
    }
  }
  return any;
}

/// Looks at the pairs that are due, along their separating planes; continuously at those that use up their gap. After
/// the first round only at those of particles that were slowed in the round before.
template <class Real>
template <int kSideA>
void BodyContacts<Real>::guard_due(int round, typename BodyContactData<Real>::Found& found) {
  constexpr int W = kContactLanes<Real>;
  using T = Pack<Real, W>;
  BodyContactData<Real>& c = contact_;
  std::vector<BroadPhase::Due>& due = found.due.of[kSideA - 1];
  if (round > 0) {
    std::erase_if(due, [&](const BroadPhase::Due& pair) {
      return std::none_of(pair.corner.begin(), pair.corner.end(),
                          [&](int32_t i) { return c.slowed_in[i] == round - 1; });
    });
  }
  const Quad<Real>*base = state_.base.data(), *from = this->from(), *motion = c.motion.data();
  for (std::size_t k = 0; k < due.size(); k += W) {
    const PairLanes<Real, W> lanes(due, k);
    const PairPacks<Real, W> pair(base, from, motion, lanes);
    const ClosestPacks<T> near = closest_packs<kSideA>(pair.x[1], pair.x[2], pair.x[3]);
    const Vec3<T> n =
        near.separation * (T(Real(1)) / max(sqrt(near.distance_squared), T(std::numeric_limits<Real>::min())));
    const T gap = pair.template gap<kSideA>(n);
    const auto meets = gap - pair.thickness * T(Real(kKept)) <= pair.template approach<kSideA>(n);
    const int used = static_cast<int>(std::min<std::size_t>(W, due.size() - k));
    if (round == 0) {
      Real direction[3][W], left[W];
      store(n.x, direction[0]);
      store(n.y, direction[1]);
      store(n.z, direction[2]);
      store(gap, left);
      for (int l = 0; l < used; ++l) {
        c.broad_phase.seen(due[k + l], cast<float>(Vec3<Real>{direction[0][l], direction[1][l], direction[2][l]}),
                           static_cast<float>(left[l]));
      }
    }
    for (uint32_t bits = bits_of(meets) & ((1u << used) - 1); bits != 0; bits &= bits - 1) {
      const BroadPhase::Due& pair_due = due[k + static_cast<std::size_t>(std::countr_zero(bits))];
      if (!c.broad_phase.are_crowded(pair_due)) guard_pair<kSideA>(pair_due.corner, round, found);
    }
  }
}

/// One look at the pairs of a kind. Whether particles were slowed.
template <class Real>
template <int kSideA>
bool BodyContacts<Real>::guard_pairs(int round) {
  each_chunk([&](auto& found, int64_t, int64_t) { guard_due<kSideA>(round, found); });
  return take_slowed(round);
}

template <class Real>
void BodyContacts<Real>::guard() {
  BodyContactData<Real>& c = contact_;
  take_motion(Motion::made);
  c.broad_phase.look_again();
  bool again = true;
  for (int round = 0; again; ++round) {
    // What is slowed stays on its way, and so in the boxes of the parts; what is taken along stays at the collider.
    for (const int32_t i : c.slowed) {
      if (c.slowed_in[i] != round - 1) continue;
      const Quad<Real>&u = c.whole[static_cast<std::size_t>(c.slowed_at[i])], &left = c.motion[i];
      const Real lost = length(Vec3<Real>{u.x - left.x, u.y - left.y, u.z - left.z});
      c.broad_phase.mark(i, static_cast<float>(lost) * 1.00001f);
    }
    const auto crowded = [&](int64_t k) { return c.broad_phase.are_crowded(c.broad_phase.meeting(k)); };
    c.broad_phase.prepare(*jobs_, static_cast<float>(kGrace), round > 0, [&](int64_t k) { return !crowded(k); });
    each_chunk([&](auto& found, int64_t first, int64_t last) {
      for (auto& due : found.due.of) due.clear();
      if (round == 0) {
        c.broad_phase.find_due(c.surface, first, last, static_cast<float>(kGrace), found.due);
      } else {
        c.broad_phase.find_marked(c.surface, first, last, static_cast<float>(kGrace), found.due);
      }
    });
    c.broad_phase.clear_marks();
    again = false;
    if (c.broad_phase.take_crowded()) {
      if (c.found.empty()) c.found.resize(1);
      limit_crowded(c.found[0]);
      c.crowded = true;
      again = take_slowed(round);
    }
    again |= guard_pairs<1>(round);
    again |= guard_pairs<2>(round);
  }
  for (const int32_t i : c.slowed) {
    c.scale[i].store(kWholeMotion, std::memory_order_relaxed);
    c.last_scale[i] = kWholeMotion;
    c.slowed_in[i] = -1;
    if (!surfaces_.empty()) c.carrier[i] = -1;
    c.slowed_particles += !c.surface.is_collider(c.surface.body[i]);
  }
  for (std::size_t k = 0; k < surfaces_.size(); ++k) {
    const uint32_t part = c.rigid_scale[k].exchange(kWholeMotion, std::memory_order_relaxed);
    if (part < kWholeMotion) colliders_.slow(surfaces_[k].collider, double(part) / kWholeMotion);
  }
  c.slowed.clear();
  c.whole.clear();
  if (watched_) note_touching();
}

template void BodyContacts<float>::guard();
template void BodyContacts<double>::guard();

}  // namespace pliant
