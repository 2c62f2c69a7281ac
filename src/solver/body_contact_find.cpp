// Finds the contacts of a substep, after prediction.
//
// Pairs that may come near are found by boxes around the particles' ways, a little longer and wider than this substep
// needs, and serve until a particle leaves its box. All of them are looked at in each substep, many at once. Where a
// pair is closer than its thickness, or nearly, it becomes a contact with the direction of the closest points; where it
// is not yet, but will be within the substep (continuous detection), with that of the first contact.
//
// What becomes a contact follows from positions and velocities alone, and so does the order (body_contact_project.cpp):
// when pairs were found, and in which order, does not matter.

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
constexpr int64_t kVerticesPerChunk = 1024;

/// Boxes reach this many substeps of the present motion farther than needed; and to all sides by this part of a mean
/// edge length and of the motion. What they save in finding pairs, they cost in pairs: a flat optimum, tried on a pile
/// of 64 bodies at impact.
constexpr double kAhead = 1, kSkin = 0.05, kSkinOfMotion = 0.5;
/// Where not more than one particle in so many has left its box, only their own pairs are found.
constexpr std::size_t kMostStrayed = 16;
/// [s] A pair that is closer than its thickness parts in this time, not at once: pushed out in one substep it would
/// fly.
constexpr double kPartingTime = 0.03;
/// Pairs of one body keep at most this part of their distance at rest, so that a fine mesh with a large thickness does
/// not push itself apart.
constexpr double kOfRest = 0.8;
}  // namespace

/// Way of each particle of the surface in this substep: that of its velocity (the push of kept multipliers, which
/// prediction has added, is taken back by the contacts of the same substep), or the one it has made in the end. Whether
/// the pairs cover it.
template <class Real>
bool BodyContacts<Real>::take_motion(Motion which) {
  BodyContactData<Real>& c = contact_;
  const ContactSurface& s = c.surface;
  const SubstepMotion<Real> motion(state_, options_);
  const int64_t count = static_cast<int64_t>(s.vertices.size());
  const int64_t chunks = chunk_count(count, kVerticesPerChunk);
  if (static_cast<int64_t>(c.strayed_in.size()) < chunks) c.strayed_in.resize(chunks);
  parallel_for_chunks(*jobs_, count, kVerticesPerChunk, [&](int64_t chunk, int64_t begin, int64_t end) {
    std::vector<int32_t>& strayed = c.strayed_in[chunk];
    strayed.clear();
    for (int64_t k = begin; k < end; ++k) {
      const int32_t i = s.vertices[k];
      const Vec3<Real> from = motion.from(i);
      Vec3<Real> u = motion.of(i);
      if (which == Motion::free && state_.offset[i].w > Real(0)) {
        const Quad<Real>&start = state_.start[i], &v = state_.velocity[i];
        const Vec3<Real> free = mul_add(Vec3<Real>{v.x, v.y, v.z}, dt_, Vec3<Real>{start.x, start.y, start.z} - from);
        if (std::isfinite(dot(free, free))) u = free;
      }
      if (!c.from.empty()) c.from[i] = {from.x, from.y, from.z, Real(0)};
      Quad<Real>& kept = c.motion[i];
      kept = {u.x, u.y, u.z, kept.w};
      const Quad<Real>& base = state_.base[i];
      const ContactBox& box = c.cover[i];
      bool covered = true;
      for (int axis = 0; axis < 3; ++axis) {
        const float a = static_cast<float>((&base.x)[axis] + from[axis]);
        const float b = static_cast<float>((&base.x)[axis] + from[axis] + u[axis]);
        covered &= std::min(a, b) >= box.low[axis] && std::max(a, b) <= box.high[axis];
      }
      if (!covered) strayed.push_back(i);
    }
  });
  c.strayed.clear();
  for (int64_t chunk = 0; chunk < chunks; ++chunk) {
    c.strayed.insert(c.strayed.end(), c.strayed_in[chunk].begin(), c.strayed_in[chunk].end());
  }
  return c.strayed.empty() && !c.stale && c.origin == state_.origin;
}

/// Boxes of a particle, around its motion of now.
template <class Real>
void BodyContacts<Real>::set_boxes(int32_t i) {
  BodyContactData<Real>& c = contact_;
  const ContactSurface& s = c.surface;
  const Quad<Real>&base = state_.base[i], &start = from()[i], &u = c.motion[i];
  const float motion = static_cast<float>(std::sqrt(u.x * u.x + u.y * u.y + u.z * u.z));
  const float skin = static_cast<float>(kSkin) * s.edge_length[s.body[i]] + static_cast<float>(kSkinOfMotion) * motion;
  const float half_band = static_cast<float>(kContactBand) * s.half_thickness[i];
  ContactBox &cover = c.cover[i], &box = c.boxes[i];
  float square = 0;
  for (int axis = 0; axis < 3; ++axis) {
    const Real at = (&base.x)[axis] + (&start.x)[axis], way = (&u.x)[axis];
    const float a = static_cast<float>(at), b = static_cast<float>(at + way * Real(1 + kAhead));
    // Coordinates in float are off by 6e-8 of their size, differences of two boxes by twice that.
    const float rounding = 2.5e-7f * std::max(std::abs(a), std::abs(b));
    cover.low[axis] = std::min(a, b) - skin - rounding;
    cover.high[axis] = std::max(a, b) + skin + rounding;
    const float out = std::max(a - cover.low[axis], cover.high[axis] - a);
    square += out * out;
    box.low[axis] = cover.low[axis] - half_band - rounding;
    box.high[axis] = cover.high[axis] + half_band + rounding;
  }
  box.low[3] = box.high[3] = 0;
  c.reach[i] = std::sqrt(square) * (1 + 1e-5f);
}

/// Boxes overlap more often than what is in them can meet: of the pairs from `first` on, keeps those whose sides come
/// near wherever in its box each of their corners may go.
template <class Real>
template <int kSideA>
void BodyContacts<Real>::keep_near(std::size_t first) {
  constexpr int W = kContactLanes<Real>;
  using T = Pack<Real, W>;
  BodyContactData<Real>& c = contact_;
  std::vector<ContactCandidate>& known = pairs<kSideA>();
  auto& found = c.found[kSideA - 1];
  const Quad<Real>*base = state_.base.data(), *from = this->from(), *motion = c.motion.data();
  const float* reach = c.reach.data();
  // Pairs are added when particles may be elsewhere in their boxes than where they were.
  const Real reaches = first == 0 ? Real(1) : Real(2);
  const int64_t count = static_cast<int64_t>(known.size() - first), chunks = chunk_count(count, kContactPairsPerChunk);
  if (static_cast<int64_t>(found.size()) < chunks) found.resize(chunks);
  parallel_for_chunks(*jobs_, count, kContactPairsPerChunk, [&](int64_t chunk, int64_t begin, int64_t end) {
    std::vector<ContactCandidate>& kept = found[chunk].pairs;
    kept.resize(kContactPairsPerChunk);
    std::size_t many = 0;
    begin += static_cast<int64_t>(first);
    end += static_cast<int64_t>(first);
    for (int64_t k = begin; k < end; k += W) {
      const PairLanes<Real, W> lanes(known, k, end);
      const PairPacks<Real, W> pair(base, from, motion, lanes);
      const ClosestPacks<T> near = closest_packs<kSideA>(pair.x[1], pair.x[2], pair.x[3]);
      Real left[W];  // distance beyond that at which contacts begin
      store(sqrt(near.distance_squared) - pair.thickness * T(Real(kContactBand * 1.0001)), left);
      const int used = static_cast<int>(std::min<int64_t>(W, end - k));
      for (int l = 0; l < used; ++l) {
        const auto& corner = known[k + l].corner;
        const float a = kSideA == 1 ? reach[corner[0]] : std::max(reach[corner[0]], reach[corner[1]]);
        const float b = kSideA == 1 ? std::max({reach[corner[1]], reach[corner[2]], reach[corner[3]]})
                                    : std::max(reach[corner[2]], reach[corner[3]]);
        kept[many] = known[k + l];
        many += !(left[l] > reaches * Real(a + b));
      }
    }
    kept.resize(many);
  });
  auto to = known.begin() + static_cast<std::ptrdiff_t>(first);
  for (int64_t chunk = 0; chunk < chunks; ++chunk) {
    to = std::copy(found[chunk].pairs.begin(), found[chunk].pairs.end(), to);
  }
  known.resize(static_cast<std::size_t>(to - known.begin()));
}

/// Pairs that may come near in this substep, or in the next ones.
template <class Real>
void BodyContacts<Real>::find_pairs() {
  BodyContactData<Real>& c = contact_;
  const ContactSurface& s = c.surface;
  parallel_for(*jobs_, static_cast<int64_t>(c.still.size()), 1, [&](int64_t first, int64_t last) {
    for (int64_t body = first; body < last; ++body) {
      bool still = true;
      for (int k = s.body_begin[body]; k < s.body_begin[body + 1]; ++k) {
        const int32_t i = s.vertices[k];
        const Quad<Real>& u = c.motion[i];
        still &= state_.offset[i].w == Real(0) && u.x == Real(0) && u.y == Real(0) && u.z == Real(0);
        set_boxes(i);
      }
      c.still[body] = still;
    }
  });
  c.broad_phase.find(*jobs_, s, c.boxes, c.still);
  keep_near<1>(0);
  keep_near<2>(0);
  c.least_pairs[0] = pairs<1>().size();
  c.least_pairs[1] = pairs<2>().size();
  c.origin = state_.origin;
  c.stale = false;
}

/// The motion that was taken is not covered: adds the pairs of those that have strayed, if they are few; else finds all
/// anew. Whether it did that.
template <class Real>
bool BodyContacts<Real>::cover_motion() {
  BodyContactData<Real>& c = contact_;
  const std::size_t vertices = c.surface.vertices.size();
  const bool few = c.strayed.size() * kMostStrayed <= vertices;
  const bool many_pairs = pairs<1>().size() + pairs<2>().size() > 2 * (c.least_pairs[0] + c.least_pairs[1]) + vertices;
  if (c.stale || c.origin != state_.origin || !few || many_pairs) {
    find_pairs();
    return true;
  }
  const std::size_t known[2] = {pairs<1>().size(), pairs<2>().size()};
  for (const int32_t i : c.strayed) set_boxes(i);
  c.broad_phase.add(*jobs_, c.surface, c.boxes, c.strayed);
  keep_near<1>(known[0]);
  keep_near<2>(known[1]);
  return false;
}

template <class Real>
void BodyContacts<Real>::find() {
  BodyContactData<Real>& c = contact_;
  find_tangles();
  if (c.any_tangled) untangle();
  if (!take_motion(Motion::free)) cover_motion();
  look_at_pairs<1>(true);
  look_at_pairs<2>(true);
  color_contacts();
  project();  // kept multipliers have pushed what touches into each other: constraints must not see that
}

/// Distances and separating planes of all pairs at the start of the substep; contacts of those that are near.
template <class Real>
template <int kSideA>
void BodyContacts<Real>::look_at_pairs(bool for_contacts, int64_t first) {
  constexpr int W = kContactLanes<Real>;
  using T = Pack<Real, W>;
  BodyContactData<Real>& c = contact_;
  const std::vector<ContactCandidate>& known = pairs<kSideA>();
  AlignedVector<Quad<Real>>& planes = c.planes[kSideA - 1];
  auto& found = c.found[kSideA - 1];
  const Quad<Real>*base = state_.base.data(), *from = this->from(), *motion = c.motion.data();
  const int64_t count = static_cast<int64_t>(known.size()), chunks = chunk_count(count, kContactPairsPerChunk);
  if (static_cast<int64_t>(found.size()) < chunks) found.resize(chunks);
  first -= first % kContactPairsPerChunk;  // whole chunks
  const std::size_t padded = static_cast<std::size_t>(count + W);
  if (planes.size() < padded) planes.resize(padded + padded / 2);

  parallel_for_chunks(*jobs_, count - first, kContactPairsPerChunk, [&](int64_t chunk, int64_t begin, int64_t end) {
    auto& contacts = found[chunk].contacts;
    if (for_contacts) contacts.clear();
    begin += first;
    end += first;
    for (int64_t k = begin; k < end; k += W) {
      const PairLanes<Real, W> lanes(known, k, end);
      const PairPacks<Real, W> pair(base, from, motion, lanes);
      const ClosestPacks<T> near = closest_packs<kSideA>(pair.x[1], pair.x[2], pair.x[3]);
      const T d = sqrt(near.distance_squared);
      const Vec3<T> n = near.separation * (T(Real(1)) / max(d, T(std::numeric_limits<Real>::min())));
      const T gap = pair.template gap<kSideA>(n);
      Quads<T>::from(n, gap).scatter(planes.data() + k, kPlacesInOrder<Real, W>.data());
      if (!for_contacts) continue;
      const T thickness = pair.thickness;
      const auto is_near = d <= thickness * T(Real(kContactBand));
      const auto comes = gap - thickness * T(Real(1.1)) <= pair.template approach<kSideA>(n);
      const auto wanted = is_near | comes;
      if (!any(wanted)) continue;
      Real flag[W], distance[W], weight[4][W], direction[3][W], inside[W];
      store(select(wanted, T(Real(1)), T(Real(0))), flag);
      store(select(near.interior, T(Real(1)), T(Real(0))), inside);
      store(d, distance);
      for (int m = 0; m < 4; ++m) store(near.weight[m], weight[m]);
      store(n.x, direction[0]);
      store(n.y, direction[1]);
      store(n.z, direction[2]);
      const int lanes_used = static_cast<int>(std::min<int64_t>(W, end - k));
      for (int l = 0; l < lanes_used; ++l) {
        if (flag[l] == Real(0)) continue;
        Seen seen{distance[l],
                  {weight[0][l], weight[1][l], weight[2][l], weight[3][l]},
                  {direction[0][l], direction[1][l], direction[2][l]},
                  inside[l] != Real(0)};
        make_contact<kSideA>(known[k + l].corner, seen, contacts);
      }
    }
  });
}

/// The contact of a pair that is near or may come near, if it is one.
template <class Real>
template <int kSideA>
void BodyContacts<Real>::make_contact(const std::array<int32_t, 4>& corner, const Seen& at_start,
                                      std::vector<BodyContactPoint<Real>>& contacts) const {
  const BodyContactData<Real>& c = contact_;
  const ContactSurface& s = c.surface;
  if (c.any_tangled && is_tangled(corner)) return;
  const int32_t body = s.body[corner[0]], other = s.body[corner[3]];
  const Real thickness = static_cast<Real>(s.half_thickness[corner[0]] + s.half_thickness[corner[3]]);
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
  if (d > keep * Real(kContactBand)) {
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
  made.lambda = 0;
  made.friction = {};
  const Real parting = static_cast<Real>(std::min(1.0, double(dt_) / kPartingTime));
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

template <class Real>
bool BodyContacts<Real>::is_tangled(const std::array<int32_t, 4>& corner) const {
  const auto& t = contact_.tangled;
  return t[corner[0]] || t[corner[1]] || t[corner[2]] || t[corner[3]];
}

#define PLIANT_INSTANTIATE(Real)                                     \
  template bool BodyContacts<Real>::take_motion(Motion);             \
  template void BodyContacts<Real>::find_pairs();                    \
  template void BodyContacts<Real>::find();                          \
  template void BodyContacts<Real>::look_at_pairs<1>(bool, int64_t); \
  template void BodyContacts<Real>::look_at_pairs<2>(bool, int64_t); \
  template bool BodyContacts<Real>::cover_motion();                  \
  template void BodyContacts<Real>::set_boxes(int32_t);              \
  template bool BodyContacts<Real>::is_tangled(const std::array<int32_t, 4>&) const;
PLIANT_INSTANTIATE(float)
PLIANT_INSTANTIATE(double)

}  // namespace pliant
