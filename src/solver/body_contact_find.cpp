// Finds the contacts of a substep, after prediction.
//
// Pairs that are near are found now and then and kept (broad phase with a skin). For each pair it is known up to which
// motion it stays out of reach, so that in most substeps most pairs cost one comparison. What comes into reach is looked
// at: where it is closer than its thickness, or nearly, it becomes a contact with the direction of the closest points;
// where it is not yet, but will be within the substep (continuous detection), with that of the first contact.

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

/// A pair becomes a contact at this part of its thickness: what is a little farther may be pushed there by the elastic
/// constraints of the same substep.
constexpr double kBand = 1.25;
/// [s] A pair that is closer than its thickness parts in this time, not at once: pushed out in one substep it would fly.
constexpr double kPartingTime = 0.03;
/// Pairs of one body keep at most this part of their distance at rest, so that a fine mesh with a large thickness does
/// not push itself apart.
constexpr double kOfRest = 0.8;
}  // namespace

/// Motion of the particles in this substep, body by body: the mean, and the largest deviation from it.
template <class Real>
void BodyContacts<Real>::measure_motion(bool beyond_boxes) {
  BodyContactData<Real>& c = contact_;
  const ContactSurface& s = c.surface;
  const SubstepMotion<Real> motion(state_, options_);
  parallel_for(*jobs_, static_cast<int64_t>(c.body_motion.size()), 1, [&](int64_t begin, int64_t end) {
    for (int64_t b = begin; b < end; ++b) {
      const int first = s.body_begin[b], last = s.body_begin[b + 1];
      const auto moved = [&](int k) {
        Vec3<Real> u = motion.of(s.vertices[k]);
        if (beyond_boxes) u -= Vec3<Real>{c.predicted[k].x, c.predicted[k].y, c.predicted[k].z};
        return u;
      };
      Vec3d sum{};
      for (int k = first; k < last; ++k) sum += cast<double>(moved(k));
      const Vec3d mean = last > first ? sum / double(last - first) : Vec3d{};
      const Vec3<Real> common = cast<Real>(mean);
      Real largest = 0;
      for (int k = first; k < last; ++k) {
        const Vec3<Real> u = moved(k) - common;
        largest = std::max(largest, dot(u, u));
      }
      c.mean_motion[b] = cast<double>(common);
      c.largest_motion[b] = std::sqrt(double(largest)) * (1 + 1e-5);  // roundings of Real included
    }
  });
}

/// The largest deviation of a particle from the mean motion of all bodies.
template <class Real>
double BodyContacts<Real>::motion_of_all() const {
  const BodyContactData<Real>& c = contact_;
  Vec3d mean{};
  double count = 0;
  for (std::size_t b = 0; b < c.mean_motion.size(); ++b) {
    const double n = c.surface.body_begin[b + 1] - c.surface.body_begin[b];
    mean += c.mean_motion[b] * n;
    count += n;
  }
  if (count > 0) mean = mean / count;
  double largest = 0;
  for (std::size_t b = 0; b < c.mean_motion.size(); ++b) {
    largest = std::max(largest, length(c.mean_motion[b] - mean) + c.largest_motion[b]);
  }
  return largest;
}

/// Pairs that may come near in this substep or the next ones: of boxes around the way of each particle.
template <class Real>
void BodyContacts<Real>::find_pairs() {
  BodyContactData<Real>& c = contact_;
  const ContactSurface& s = c.surface;
  const SubstepMotion<Real> motion(state_, options_);
  const float half_skin = static_cast<float>(c.skin) / 2;
  parallel_for(*jobs_, static_cast<int64_t>(s.vertices.size()), kVerticesPerChunk, [&](int64_t begin, int64_t end) {
    for (int64_t k = begin; k < end; ++k) {
      const int32_t i = s.vertices[k];
      const Vec3<Real> from = motion.from(i), u = motion.of(i);
      const Quad<Real>& base = state_.base[i];
      const Real at[3] = {base.x + from.x, base.y + from.y, base.z + from.z};
      ContactBox& box = c.boxes[i];
      for (int axis = 0; axis < 3; ++axis) {
        const float a = static_cast<float>(at[axis]), b = static_cast<float>(at[axis] + u[axis]);
        // Coordinates in float are off by 6e-8 of their size, differences of two boxes by twice that.
        const float grow = half_skin + s.half_thickness[i] + 2.5e-7f * std::max(std::abs(a), std::abs(b));
        box.low[axis] = std::min(a, b) - grow;
        box.high[axis] = std::max(a, b) + grow;
      }
      box.low[3] = box.high[3] = 0;
      c.predicted[k] = {u.x, u.y, u.z, Real(0)};
    }
  });
  c.broad_phase.find(*jobs_, s, c.boxes);
  c.vertex_triangle.free_until.assign(c.broad_phase.vertex_triangle().size(), -1.0f);
  c.edge_edge.free_until.assign(c.broad_phase.edge_edge().size(), -1.0f);
  for (BodyMotion& m : c.body_motion) m = {};
  c.world_motion = {};
  c.stale = false;
  c.fresh = true;
}

/// Whether motion of this substep, on top of what was before, leaves what the pairs cover.
template <class Real>
bool BodyContacts<Real>::pairs_used_up(double of_all) const {
  const double half = 0.5 * double(contact_.skin);
  if (contact_.world_motion.outside + of_all > half) return true;
  for (std::size_t b = 0; b < contact_.body_motion.size(); ++b) {
    if (contact_.surface.touches_itself[b] && contact_.body_motion[b].outside + contact_.largest_motion[b] > half) {
      return true;
    }
  }
  return false;
}

template <class Real>
void BodyContacts<Real>::find() {
  BodyContactData<Real>& c = contact_;
  c.fresh = false;
  measure_motion(false);
  double of_all = motion_of_all();
  if (c.stale || pairs_used_up(of_all)) find_pairs();
  c.contacts.clear();
  find_among<1>(c.broad_phase.vertex_triangle(), c.vertex_triangle, of_all);
  find_among<2>(c.broad_phase.edge_edge(), c.edge_edge, of_all);
  color_contacts();
}

template <class Real>
template <int kSideA>
void BodyContacts<Real>::find_among(const std::vector<ContactCandidate>& pairs, ContactPairs& known, double of_all) {
  BodyContactData<Real>& c = contact_;
  const ContactSurface& s = c.surface;
  const SubstepMotion<Real> motion(state_, options_);
  const Real parting = static_cast<Real>(std::min(1.0, double(dt_) / kPartingTime));
  const int64_t count = static_cast<int64_t>(pairs.size());
  const int64_t chunks = chunk_count(count, kPairsPerChunk);
  if (static_cast<int64_t>(c.found.size()) < chunks) c.found.resize(chunks);

  parallel_for_chunks(*jobs_, count, kPairsPerChunk, [&](int64_t chunk, int64_t begin, int64_t end) {
    auto& contacts = c.found[chunk].contacts;
    contacts.clear();
    for (int64_t k = begin; k < end; ++k) {
      const std::array<int32_t, 4>& corner = pairs[k].corner;
      const int32_t body = s.body[corner[0]];
      const bool self = body == s.body[corner[3]];
      const double before = self ? c.body_motion[body].since_check : c.world_motion.since_check;
      const double now = self ? c.largest_motion[body] : of_all;
      if (before + now <= double(known.free_until[k])) continue;

      const PairPlaces<Real> pair(state_, motion, corner);
      ClosestPair<Real> near = closest<kSideA>(pair.x);
      const Real d = std::sqrt(near.distance_squared);
      const Real thickness = static_cast<Real>(s.half_thickness[corner[0]] + s.half_thickness[corner[3]]);
      const Real band = thickness * Real(kBand);
      // Rounded down, for the sums of motion are rounded too.
      known.free_until[k] = static_cast<float>((before + 0.5 * double(d - band)) * (1 - 1e-5) - 1e-9);
      if (before + now <= double(known.free_until[k])) continue;
      if (c.any_tangled && is_tangled(corner)) continue;

      Real keep = thickness;
      if (self) keep = std::min(keep, Real(kOfRest) * rest_distance<kSideA, Real>(s, corner));
      if (d > keep * Real(kBand)) {
        const FirstContact<Real> first = first_contact<kSideA>(pair.x, pair.u, keep, keep * Real(0.05));
        if (!first.hit) continue;
        Vec3<Real> then[4];
        for (int m = 0; m < 4; ++m) then[m] = mul_add(pair.u[m], first.time, pair.x[m]);
        near = closest<kSideA>(then);
      }
      if (kSideA == 2 && !near.interior && !(s.is_rope(body) || s.is_rope(s.body[corner[3]]))) {
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

/// The motion of this substep is over: adds it up. `of_all` as measured at its end.
template <class Real>
void BodyContacts<Real>::count_motion(double of_all) {
  BodyContactData<Real>& c = contact_;
  c.world_motion.since_check += of_all;
  for (std::size_t b = 0; b < c.body_motion.size(); ++b) c.body_motion[b].since_check += c.largest_motion[b];
  if (c.fresh) {
    measure_motion(true);
    of_all = motion_of_all();
  }
  c.world_motion.outside += of_all;
  for (std::size_t b = 0; b < c.body_motion.size(); ++b) c.body_motion[b].outside += c.largest_motion[b];
}

#define PLIANT_INSTANTIATE(Real)                                            \
  template void BodyContacts<Real>::measure_motion(bool);                 \
  template double BodyContacts<Real>::motion_of_all() const;              \
  template void BodyContacts<Real>::find_pairs();                         \
  template bool BodyContacts<Real>::pairs_used_up(double) const;          \
  template void BodyContacts<Real>::find();                         \
  template bool BodyContacts<Real>::is_tangled(const std::array<int32_t, 4>&) const; \
  template void BodyContacts<Real>::count_motion(double);
PLIANT_INSTANTIATE(float)
PLIANT_INSTANTIATE(double)

}  // namespace pliant
