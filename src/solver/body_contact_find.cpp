// Finds the contacts of a substep, after prediction.
//
// Pairs that are near are found now and then and kept (broad phase with a skin). For each pair it is known up to which
// motion it stays out of reach, so that in most substeps most pairs cost one comparison. What comes into reach is
// looked at: where it is closer than its thickness, or nearly, it becomes a contact with the direction of the closest
// points; where it is not yet, but will be within the substep (continuous detection), with that of the first contact.

#include <algorithm>
#include <cmath>

#include "contact/closest.h"
#include "contact/first_contact.h"
#include "core/parallel.h"
#include "solver/body_contact_pair.h"
#include "solver/body_contacts.h"

namespace pliant {

namespace {
constexpr int64_t kVerticesPerChunk = 1024;
constexpr int64_t kPairsPerChunk = 2048;

/// Half of the skin: for that many substeps of the present motion, within these parts of the mean edge length. Within a
/// body a wide skin takes in all neighbours: with 0.75, eight bodies at impact had 60000 and 150000 pairs of their own.
constexpr double kSubstepsOfSkin = 5, kLeastSkin = 0.1, kMostSkin[2] = {0.15, 0.4};
/// [s] A pair that is closer than its thickness parts in this time, not at once: pushed out in one substep it would
/// fly.
constexpr double kPartingTime = 0.03;
/// Pairs of one body keep at most this part of their distance at rest, so that a fine mesh with a large thickness does
/// not push itself apart.
constexpr double kOfRest = 0.8;

template <class Real>
inline Real dot_of(const Quad<Real>& q) {
  return mul_add(q.z, q.z, mul_add(q.y, q.y, q.x * q.x));
}
}  // namespace

/// Motion of the particles in this substep, body by body: the mean, and the largest deviation from it.
template <class Real>
void BodyContacts<Real>::measure_motion() {
  BodyContactData<Real>& c = contact_;
  const ContactSurface& s = c.surface;
  const SubstepMotion<Real> motion(state_, options_);
  parallel_for(*jobs_, static_cast<int64_t>(c.mean_motion.size()), 1, [&](int64_t begin, int64_t end) {
    for (int64_t b = begin; b < end; ++b) {
      const int first = s.body_begin[b], last = s.body_begin[b + 1];
      Vec3d sum{};
      for (int k = first; k < last; ++k) {
        const Vec3<Real> u = motion.of(s.vertices[k]);
        c.motion[s.vertices[k]] = {u.x, u.y, u.z, Real(0)};
        sum += cast<double>(u);
      }
      const Vec3<Real> common = last > first ? cast<Real>(sum / double(last - first)) : Vec3<Real>{};
      Real largest = 0;
      for (int k = first; k < last; ++k) {
        const Quad<Real>& q = c.motion[s.vertices[k]];
        const Vec3<Real> u = Vec3<Real>{q.x, q.y, q.z} - common;
        largest = std::max(largest, dot(u, u));
      }
      c.mean_motion[b] = cast<double>(common);
      c.sets[0].motion[b].now = std::sqrt(double(largest)) * (1 + 1e-5);  // roundings of Real included
    }
  });
  // The frame of all: that of what moves.
  const std::vector<BodyMotion>& within = c.sets[0].motion;
  Vec3d mean{};
  double count = 0;
  for (std::size_t b = 0; b < within.size(); ++b) {
    if (within[b].now == 0 && c.mean_motion[b] == Vec3d{}) continue;
    const double n = s.body_begin[b + 1] - s.body_begin[b];
    mean += c.mean_motion[b] * n;
    count += n;
  }
  if (count > 0) mean = mean / count;
  for (std::size_t b = 0; b < within.size(); ++b) {
    c.sets[1].motion[b].now = length(c.mean_motion[b] - mean) * (1 + 1e-5) + within[b].now;
  }
}

/// The same for the substep in which the pairs were found: how far particles are from the way that the boxes cover.
template <class Real>
void BodyContacts<Real>::measure_outside(ContactPairSet<Real>& set) {
  const ContactSurface& s = contact_.surface;
  const SubstepMotion<Real> motion(state_, options_);
  parallel_for(*jobs_, static_cast<int64_t>(set.motion.size()), 1, [&](int64_t begin, int64_t end) {
    for (int64_t b = begin; b < end; ++b) {
      Real largest = 0;
      for (int k = s.body_begin[b]; k < s.body_begin[b + 1]; ++k) {
        const Vec3<Real> u = motion.of(s.vertices[k]), way{set.predicted[k].x, set.predicted[k].y, set.predicted[k].z};
        const Real square = dot(way, way);
        const Real part = square > Real(0) ? std::clamp(dot(u, way) / square, Real(0), Real(1)) : Real(0);
        const Vec3<Real> out = u - way * part;
        largest = std::max(largest, dot(out, out));
      }
      set.motion[b].now = std::sqrt(double(largest)) * (1 + 1e-5);
    }
  });
}

/// Pairs that may come near in this substep or the next ones: of boxes around the way of each particle.
template <class Real>
void BodyContacts<Real>::find_pairs(ContactPairSet<Real>& set) {
  BodyContactData<Real>& c = contact_;
  const ContactSurface& s = c.surface;
  const SubstepMotion<Real> motion(state_, options_);
  // Fast bodies get a wider skin, so that it serves for some substeps.
  const double most = kMostSkin[set.wanted == BroadPhase::Wanted::within_bodies ? 0 : 1];
  for (std::size_t b = 0; b < set.half_skin.size(); ++b) {
    const double edge = s.edge_length[b];
    set.half_skin[b] = std::clamp(kSubstepsOfSkin * set.motion[b].now, kLeastSkin * edge, most * edge);
  }
  parallel_for(*jobs_, static_cast<int64_t>(s.vertices.size()), kVerticesPerChunk, [&](int64_t begin, int64_t end) {
    for (int64_t k = begin; k < end; ++k) {
      const int32_t i = s.vertices[k];
      const Vec3<Real> from = motion.from(i), u = motion.of(i);
      const Quad<Real>& base = state_.base[i];
      const Real at[3] = {base.x + from.x, base.y + from.y, base.z + from.z};
      ContactBox& box = c.boxes[i];
      const float reach = static_cast<float>(set.half_skin[s.body[i]]) + s.half_thickness[i];
      for (int axis = 0; axis < 3; ++axis) {
        const float a = static_cast<float>(at[axis]), b = static_cast<float>(at[axis] + u[axis]);
        // Coordinates in float are off by 6e-8 of their size, differences of two boxes by twice that.
        const float grow = reach + 2.5e-7f * std::max(std::abs(a), std::abs(b));
        box.low[axis] = std::min(a, b) - grow;
        box.high[axis] = std::max(a, b) + grow;
      }
      box.low[3] = box.high[3] = 0;
      set.predicted[k] = {u.x, u.y, u.z, Real(0)};
    }
  });
  set.broad_phase.find(*jobs_, s, c.boxes, set.wanted);
  for (BodyMotion& m : set.motion) m.since_found = m.outside = 0;
  keep_near<1>(set, set.broad_phase.vertex_triangle(), set.vertex_triangle);
  keep_near<2>(set, set.broad_phase.edge_edge(), set.edge_edge);
  set.stale = false;
  set.fresh = true;
}

/// Boxes overlap far more often than what is in them is near: keeps the pairs whose sides come within thickness and
/// skin wherever on their way each of their corners may stop.
template <class Real>
template <int kSideA>
void BodyContacts<Real>::keep_near(const ContactPairSet<Real>& set, const std::vector<ContactCandidate>& found,
                                   ContactPairs& kept) {
  BodyContactData<Real>& c = contact_;
  const ContactSurface& s = c.surface;
  const SubstepMotion<Real> motion(state_, options_);
  const int64_t count = static_cast<int64_t>(found.size()), chunks = chunk_count(count, kPairsPerChunk);
  if (static_cast<int64_t>(c.found.size()) < chunks) c.found.resize(chunks);
  parallel_for_chunks(*jobs_, count, kPairsPerChunk, [&](int64_t chunk, int64_t begin, int64_t end) {
    ContactPairs& out = c.found[chunk].pairs;
    out.pairs.clear();
    out.free_until.clear();
    for (int64_t k = begin; k < end; ++k) {
      const std::array<int32_t, 4>& corner = found[k].corner;
      const PairPlaces<Real> pair(state_, motion, corner);
      const double d = std::sqrt(double(closest<kSideA>(pair.x).distance_squared));
      const double band = kContactBand * double(s.half_thickness[corner[0]] + s.half_thickness[corner[3]]);
      Real way[4];
      for (int m = 0; m < 4; ++m) way[m] = dot_of(c.motion[corner[m]]);
      const Real a = kSideA == 1 ? way[0] : std::max(way[0], way[1]);
      const Real b = kSideA == 1 ? std::max({way[1], way[2], way[3]}) : std::max(way[2], way[3]);
      const double ways = std::sqrt(double(a)) + std::sqrt(double(b));
      if (d - ways > band + set.half_skin[s.body[corner[0]]] + set.half_skin[s.body[corner[3]]]) continue;
      out.pairs.push_back(found[k]);
      out.free_until.push_back(rounded_down(0.5 * (d - band)));
    }
  });
  kept.pairs.clear();
  kept.free_until.clear();
  std::size_t sum = 0;
  for (int64_t chunk = 0; chunk < chunks; ++chunk) sum += c.found[chunk].pairs.pairs.size();
  if (kept.pairs.capacity() < sum) {
    kept.pairs.reserve(2 * sum);
    kept.free_until.reserve(2 * sum);
  }
  for (int64_t chunk = 0; chunk < chunks; ++chunk) {
    const ContactPairs& out = c.found[chunk].pairs;
    kept.pairs.insert(kept.pairs.end(), out.pairs.begin(), out.pairs.end());
    kept.free_until.insert(kept.free_until.end(), out.free_until.begin(), out.free_until.end());
  }
}

/// Whether motion of this substep, on top of what was before, leaves what the pairs cover.
template <class Real>
bool BodyContacts<Real>::used_up(const ContactPairSet<Real>& set) const {
  for (std::size_t b = 0; b < set.motion.size(); ++b) {
    if (set.motion[b].outside + set.motion[b].now > set.half_skin[b]) return true;
  }
  return false;
}

template <class Real>
void BodyContacts<Real>::find() {
  BodyContactData<Real>& c = contact_;
  find_tangles();
  if (c.any_tangled) untangle();
  measure_motion();
  c.contacts.clear();
  for (ContactPairSet<Real>& set : c.sets) {
    set.fresh = false;
    if (set.stale || used_up(set)) find_pairs(set);
    find_among<1>(set, set.vertex_triangle);
    find_among<2>(set, set.edge_edge);
  }
  color_contacts();
}

template <class Real>
template <int kSideA>
void BodyContacts<Real>::find_among(const ContactPairSet<Real>& set, ContactPairs& known) {
  BodyContactData<Real>& c = contact_;
  const ContactSurface& s = c.surface;
  const SubstepMotion<Real> motion(state_, options_);
  const Real parting = static_cast<Real>(std::min(1.0, double(dt_) / kPartingTime));
  const int64_t count = static_cast<int64_t>(known.pairs.size());
  const int64_t chunks = chunk_count(count, kPairsPerChunk);
  if (static_cast<int64_t>(c.found.size()) < chunks) c.found.resize(chunks);

  parallel_for_chunks(*jobs_, count, kPairsPerChunk, [&](int64_t chunk, int64_t begin, int64_t end) {
    auto& contacts = c.found[chunk].contacts;
    contacts.clear();
    for (int64_t k = begin; k < end; ++k) {
      const std::array<int32_t, 4>& corner = known.pairs[k].corner;
      const int32_t body = s.body[corner[0]], other = s.body[corner[3]];
      const bool self = body == other;
      const auto [before, after] = set.motion_of(body, other);
      if (after <= double(known.free_until[k])) continue;
      if (Real(2) * static_cast<Real>(known.free_until[k] - before) >= c.relative_motion(corner)) continue;

      const PairPlaces<Real> pair(state_, motion, corner);
      ClosestPair<Real> near = closest<kSideA>(pair.x);
      const Real d = std::sqrt(near.distance_squared);
      const Real thickness = static_cast<Real>(s.half_thickness[corner[0]] + s.half_thickness[corner[3]]);
      const Real band = thickness * Real(kContactBand);
      known.free_until[k] = rounded_down(before + 0.5 * double(d - band));
      if (Real(2) * static_cast<Real>(known.free_until[k] - before) >= c.relative_motion(corner)) continue;
      if (c.any_tangled && is_tangled(corner)) continue;

      Real keep = thickness;
      if (self) keep = std::min(keep, Real(kOfRest) * rest_distance<kSideA, Real>(s, corner));
      if (d > keep * Real(kContactBand)) {
        const FirstContact<Real> first = first_contact<kSideA>(pair.x, pair.u, keep, keep * Real(0.05));
        if (!first.hit) continue;
        Vec3<Real> then[4];
        for (int m = 0; m < 4; ++m) then[m] = mul_add(pair.u[m], first.time, pair.x[m]);
        near = closest<kSideA>(then);
      }
      if (kSideA == 2 && !near.interior && !(s.is_rope(body) || s.is_rope(other))) {
        continue;  // an end of an edge: vertex-triangle has it
      }
      const Real distance = std::sqrt(near.distance_squared);
      if (!(distance > Real(1e-6) * pair.size)) continue;  // no direction: tangled
      BodyContactPoint<Real>& made = contacts.emplace_back();
      made.corner = corner;
      made.normal = near.separation / distance;
      for (int m = 0; m < 4; ++m) made.weight[m] = m < kSideA ? near.weight[m] : -near.weight[m];
      made.lambda = 0;
      made.friction = {};
      const Real target = d < keep ? d + (keep - d) * parting : keep;
      // The places with the offsets of now left out: bases relative to the first.
      const Quad<Real>& b0 = state_.base[corner[0]];
      Vec3<Real> sum{};
      for (int m = 1; m < 4; ++m) {
        const Quad<Real>& b = state_.base[corner[m]];
        sum += Vec3<Real>{b.x - b0.x, b.y - b0.y, b.z - b0.z} * made.weight[m];
      }
      made.gap = dot(made.normal, sum) - target;
    }
  });
  for (int64_t chunk = 0; chunk < chunks; ++chunk) {
    const auto& found = c.found[chunk].contacts;
    if (c.contacts.capacity() < c.contacts.size() + found.size()) {
      c.contacts.reserve((c.contacts.size() + found.size()) * 2);
    }
    c.contacts.insert(c.contacts.end(), found.begin(), found.end());
  }
}

template <class Real>
bool BodyContacts<Real>::is_tangled(const std::array<int32_t, 4>& corner) const {
  const auto& t = contact_.tangled;
  return t[corner[0]] || t[corner[1]] || t[corner[2]] || t[corner[3]];
}

/// The motion of this substep is over: adds it up.
template <class Real>
void BodyContacts<Real>::count_motion() {
  measure_motion();
  for (ContactPairSet<Real>& set : contact_.sets) {
    for (BodyMotion& m : set.motion) m.since_found += m.now;
    if (set.fresh) measure_outside(set);
    for (BodyMotion& m : set.motion) m.outside += m.now;
  }
}

#define PLIANT_INSTANTIATE(Real)                                                     \
  template void BodyContacts<Real>::measure_motion();                                \
  template void BodyContacts<Real>::measure_outside(ContactPairSet<Real>&);          \
  template void BodyContacts<Real>::find_pairs(ContactPairSet<Real>&);               \
  template bool BodyContacts<Real>::used_up(const ContactPairSet<Real>&) const;      \
  template void BodyContacts<Real>::find();                                          \
  template bool BodyContacts<Real>::is_tangled(const std::array<int32_t, 4>&) const; \
  template void BodyContacts<Real>::count_motion();
PLIANT_INSTANTIATE(float)
PLIANT_INSTANTIATE(double)

}  // namespace pliant
