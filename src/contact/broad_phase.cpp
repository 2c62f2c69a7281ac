#include "contact/broad_phase.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "core/parallel.h"
#include "math/lane_bits.h"
#include "math/simd.h"

namespace pliant {

namespace {

/// Margins of the lists of cluster pairs, as parts of the mean edge length; they reach ahead by so many substeps of the
/// present motion. Wider ones last longer and hold more: flat optima, tried on the pile of 64 bodies.
constexpr float kClusterMargin = 0.7f, kClusterAhead = 4;
/// Of the mean edge length: no particle of a part is farther from the part's own motion since its mark.
constexpr float kMarked = 0.1f;
using Four = Pack<float, 4>;
using Eight = Pack<float, 8>;

/// Squared distances of a pack of boxes to one [m^2].
template <class Boxes>
Eight squared_gaps(const Boxes& pack, const ContactBox& box) {
  Eight sum(0.0f);
  for (int axis = 0; axis < 3; ++axis) {
    const Eight apart = max(
        max(Eight::load(pack.low[axis]) - Eight(box.high[axis]), Eight(box.low[axis]) - Eight::load(pack.high[axis])),
        Eight(0.0f));
    sum = mul_add(apart, apart, sum);
  }
  return sum;
}

/// Distance of two boxes.
float gap_of(const ContactBox& a, const ContactBox& b) {
  const Four apart =
      max(max(Four::load(a.low) - Four::load(b.high), Four::load(b.low) - Four::load(a.high)), Four(0.0f));
  float g[4];
  apart.store(g);
  return std::sqrt(g[0] * g[0] + g[1] * g[1] + g[2] * g[2]);
}

Vec3f vector_of(const Four& v) {
  float s[4];
  v.store(s);
  return {s[0], s[1], s[2]};
}

float length_of(const Four& v) { return length(vector_of(v)) * (1 + 1e-6f); }

}  // namespace

void BroadPhase::build(const ContactSurface& surface, float band, float arriving) {
  tree_.build(surface);
  band_ = band * (1 + kUnused);
  arriving_ = band - arriving;
  const std::size_t particles = surface.body.size(), bodies = surface.body_begin.size() - 1;
  half_thickness_.assign(bodies, 0);
  for (std::size_t i = 0; i < particles; ++i) {
    if (surface.body[i] >= 0) half_thickness_[surface.body[i]] = surface.half_thickness[i];
  }
  edge_length_ = surface.edge_length;
  places_.resize(particles);
  mark_.resize(particles);
  renewed_.assign(bodies, 0);
  normal_.assign(tree_.clusters.size(), {});
  motion_.resize(particles);
  parts_.assign(tree_.parts.size(), {});
  clusters_.assign(tree_.clusters.size(), {});
  box_.resize(tree_.clusters.size());
  int32_t packs = 0;
  part_boxes_begin_.clear();
  for (const ContactTree::Part& part : tree_.parts) {
    part_boxes_begin_.push_back(packs);
    packs += (part.cluster_end - part.cluster_begin + kLeaf - 1) / kLeaf;
  }
  part_boxes_.resize(static_cast<std::size_t>(packs));
  for (Boxes& boxes : part_boxes_) {  // what stays empty is far from everything
    for (int axis = 0; axis < 3; ++axis) {
      std::fill_n(boxes.low[axis], kLeaf, std::numeric_limits<float>::max());
      std::fill_n(boxes.high[axis], kLeaf, -std::numeric_limits<float>::max());
    }
  }
  marked_.assign(tree_.clusters.size(), 0);
  part_of_.resize(tree_.clusters.size());
  for (std::size_t p = 0; p < tree_.parts.size(); ++p) {
    for (int32_t c = tree_.parts[p].cluster_begin; c < tree_.parts[p].cluster_end; ++c) {
      part_of_[c] = static_cast<int32_t>(p);
    }
  }
  part_corners_.clear();
  part_corners_begin_.assign(1, 0);
  for (const ContactTree::Part& part : tree_.parts) {
    const auto from = [&](int32_t k) { return tree_.corners.begin() + k; };
    const auto first = static_cast<std::ptrdiff_t>(part_corners_.size());
    part_corners_.insert(part_corners_.end(), from(tree_.clusters[part.cluster_begin].corners),
                         from(tree_.clusters[part.cluster_end - 1].corners_end));
    std::sort(part_corners_.begin() + first, part_corners_.end());
    part_corners_.erase(std::unique(part_corners_.begin() + first, part_corners_.end()), part_corners_.end());
    part_corners_begin_.push_back(static_cast<int32_t>(part_corners_.size()));
  }
  needed_ = std::vector<std::atomic<uint64_t>>(tree_.parts.size());
  short_.clear();
  short_.reserve(tree_.clusters.size());
  left_out_ = std::vector<std::atomic<uint8_t>>(tree_.parts.size());
  crowded_.assign(tree_.parts.size(), 0);
  has_dropped_.assign(tree_.parts.size(), 0);
  partner_.assign(tree_.parts.size(), {});
  in_space_.resize(tree_.parts.size());
  std::iota(in_space_.begin(), in_space_.end(), 0);
  part_nodes_.reserve(2 * tree_.parts.size());
  part_pairs_.clear();
  free_.clear();
  next_part_tree_ = 0;
  forget();
}

void BroadPhase::forget() {
  fresh_ = true;
  next_part_tree_ = 0;
}

void BroadPhase::look_again() {
  for (std::size_t k = 0; k < crowded_.size(); ++k) {
    left_out_[k].store(has_dropped_[k], std::memory_order_relaxed);
    crowded_[k] = 0;
  }
}

bool BroadPhase::take_crowded() {
  bool any = false;
  for (std::size_t k = 0; k < crowded_.size(); ++k) {
    if (crowded_[k] || left_out_[k].load(std::memory_order_relaxed) == 0) continue;
    crowded_[k] = 1;
    any = true;
  }
  return any;
}

int64_t BroadPhase::listed() const {
  int64_t sum = 0;
  for (const PartPair& p : part_pairs_) {
    if (p.a >= 0) sum += p.pairs.size() - p.unused;
  }
  return sum;
}

// ------------------------------------------------------------------ motion

/// The middle of a range of motions, and how far any is from it.
BroadPhase::Moved BroadPhase::moved_between(const Pack<float, 4>& low, const Pack<float, 4>& high) {
  const Four middle = (low + high) * Four(0.5f);
  // Roundings of the middle: one of the sum.
  const Four most = max(high - middle, middle - low) + max(abs(low), abs(high)) * Four(2.5e-7f);
  return {vector_of(middle), length_of(most)};
}

/// Motion of a part and the box around its ways: one look at each particle.
void BroadPhase::measure_part(int64_t number, bool start) {
  const ContactTree::Part& part = tree_.parts[number];
  PartState& state = parts_[number];
  constexpr float kFar = std::numeric_limits<float>::max();
  const Four far(kFar);
  Four way_low = far, way_high = -far, step_low = far, step_high = -far, last_low = far, last_high = -far;
  const int32_t *begin = part_corners_.data() + part_corners_begin_[number],
                *end = part_corners_.data() + part_corners_begin_[number + 1];
  for (const int32_t* i = begin; i < end; ++i) {
    const Four at = Four::load(&places_[*i].x), u = Four::load(&motion_[*i].x), to = at + u;
    step_low = min(step_low, u);
    step_high = max(step_high, u);
    way_low = min(way_low, min(at, to));
    way_high = max(way_high, max(at, to));
    if (!start) continue;
    const Four m = at - Four::load(&mark_[*i].x);
    last_low = min(last_low, m);
    last_high = max(last_high, m);
  }
  state.step = moved_between(step_low, step_high);
  state.short_by = 0;
  float f[4];
  max(abs(step_low), abs(step_high)).store(f);
  state.still = f[0] == 0 && f[1] == 0 && f[2] == 0 && f[3] == 0;
  way_low.store(state.way.low);
  way_high.store(state.way.high);
  for (int axis = 0; axis < 3; ++axis) {
    const float grow = band_ * half_thickness_[part.body] +
                       5e-7f * std::max(std::abs(state.way.low[axis]), std::abs(state.way.high[axis]));
    state.way.low[axis] -= grow;
    state.way.high[axis] += grow;
  }
  if (!start) return;
  const float most = std::max({std::abs(state.way.low[0]), std::abs(state.way.low[1]), std::abs(state.way.low[2]),
                               std::abs(state.way.high[0]), std::abs(state.way.high[1]), std::abs(state.way.high[2])});
  state.rounding = 2.5e-7f * most;
  state.since = moved_between(last_low, last_high);
  state.since.mean += state.before.mean;
  state.since.most += state.before.most + 5e-7f * most;
}

/// What is not known yet of a cluster in this motion.
void BroadPhase::measure_cluster(int32_t number) {
  const ContactTree::Cluster& cluster = tree_.clusters[number];
  ClusterState& own = clusters_[number];
  constexpr float kFar = std::numeric_limits<float>::max();
  const Four far(kFar);
  const int32_t *begin = tree_.corners.data() + cluster.corners, *end = tree_.corners.data() + cluster.corners_end;
  if (own.placed != substeps_) {
    own.placed = substeps_;
    Four low = far, high = -far, moved_low = far, moved_high = -far;
    for (const int32_t* i = begin; i < end; ++i) {
      const Four at = Four::load(&places_[*i].x), m = at - Four::load(&mark_[*i].x);
      low = min(low, at);
      high = max(high, at);
      moved_low = min(moved_low, m);
      moved_high = max(moved_high, m);
    }
    ContactBox& box = box_[number];
    low.store(box.low);
    high.store(box.high);
    const int32_t part = part_of_[number], place = number - tree_.parts[part].cluster_begin;
    Boxes& boxes = part_boxes_[static_cast<std::size_t>(part_boxes_begin_[part] + place / kLeaf)];
    for (int axis = 0; axis < 3; ++axis) {
      boxes.low[axis][place % kLeaf] = box.low[axis];
      boxes.high[axis][place % kLeaf] = box.high[axis];
    }
    float most[4];
    max(abs(low), abs(high)).store(most);
    own.since = moved_between(moved_low, moved_high);
    own.since.mean += own.before.mean;
    // A difference of rounded places.
    own.since.most += own.before.most + 5e-7f * std::max({most[0], most[1], most[2]});
  }
  if (own.stepped != motions_) {
    own.stepped = motions_;
    Four low = far, high = -far;
    for (const int32_t* i = begin; i < end; ++i) {
      const Four u = Four::load(&motion_[*i].x);
      low = min(low, u);
      high = max(high, u);
    }
    own.step = moved_between(low, high);
  }
}

void BroadPhase::need(int32_t part, uint64_t clusters) {
  std::atomic<uint64_t>& bits = needed_[static_cast<std::size_t>(part)];
  if ((clusters & ~bits.load(std::memory_order_relaxed)) != 0) bits.fetch_or(clusters, std::memory_order_relaxed);
}

void BroadPhase::need_all(const PartPair& p) {
  for (const int32_t part : {p.a, p.b}) {
    needed_[static_cast<std::size_t>(part)].store(~uint64_t{0}, std::memory_order_relaxed);
  }
}

/// Whether nothing can be due of what was not due last time.
bool BroadPhase::is_quiet(const PartPair& p, float grace) const {
  return grace == p.quiet.grace && away(p, p.quiet) + coming(p) < p.quiet.left;
}

/// As find() goes through them.
void BroadPhase::need_clusters(const PartPair& p, float grace, bool marked) {
  if (marked ? parts_[p.a].short_by == 0 && parts_[p.b].short_by == 0 : is_quiet(p, grace)) return;
  const float free = grace * p.thickness * (1 - kUnused), more = coming(p), now = passed(p);
  if (marked && !(now + more < p.valid + free)) {
    need_all(p);
    return;
  }
  uint64_t in_a = p.in_a, in_b = p.in_b;
  const float then = (now + more) * (1 + 1e-6f) - free;
  if (!(then < p.first_wakes)) {
    for (const Sleepers& s : p.asleep) {
      if (then < s.until) continue;
      in_a |= bit_of(p.a, s.a);
      in_b |= bit_of(p.b, s.b);
    }
  }
  need(p.a, in_a);
  need(p.b, in_b);
}

/// The clusters of all parts that need() was called with, each once.
void BroadPhase::measure_needed(JobSystem& jobs) {
  parallel_for(jobs, static_cast<int64_t>(parts_.size()), 4, [&](int64_t first, int64_t last) {
    for (int64_t k = first; k < last; ++k) {
      const ContactTree::Part& part = tree_.parts[k];
      uint64_t bits = needed_[static_cast<std::size_t>(k)].load(std::memory_order_relaxed);
      if (bits == 0) continue;
      needed_[static_cast<std::size_t>(k)].store(0, std::memory_order_relaxed);
      const int32_t many = part.cluster_end - part.cluster_begin;
      if (many < 64) bits &= (uint64_t{1} << many) - 1;
      for (; bits != 0; bits &= bits - 1) measure_cluster(part.cluster_begin + std::countr_zero(bits));
    }
  });
}

void BroadPhase::measure(JobSystem& jobs, bool start) {
  ++motions_;
  for (const int32_t c : short_) clusters_[c].short_by = 0;
  short_.clear();
  parallel_for(jobs, static_cast<int64_t>(parts_.size()), 4, [&](int64_t begin, int64_t end) {
    for (int64_t p = begin; p < end; ++p) measure_part(p, start);
  });
}

/// How much two particles of two parts move against each other in this substep, at most.
float BroadPhase::coming(const PartPair& p) const {
  const Moved &a = parts_[p.a].step, &b = parts_[p.b].step;
  return (length(a.mean - b.mean) + a.most + b.most + parts_[p.a].short_by + parts_[p.b].short_by) * (1 + 1e-5f);
}

BroadPhase::Meeting BroadPhase::meeting(int64_t k) const {
  const int32_t number = meeting_[static_cast<std::size_t>(k)];
  return {number, part_pairs_[number].a, part_pairs_[number].b};
}

std::array<int32_t, 2> BroadPhase::bodies(const Meeting& m) const {
  return {tree_.parts[m.a].body, tree_.parts[m.b].body};
}

float BroadPhase::speed(int64_t k) const {
  const PartPair& p = part_pairs_[meeting_[static_cast<std::size_t>(k)]];
  return coming(p) / p.thickness;
}

BroadPhase::Between BroadPhase::between(const Moved& a, const Moved& before_a, const Moved& b, const Moved& before_b) {
  const float most = (a.most + b.most) * (1 + 1e-6f), before = before_a.most + before_b.most;
  // From a moment before the present mark on: what was away then, and at each mark since, and what is now.
  return {a.mean - b.mean, most, most - 2 * before + before * 1e-6f};
}

BroadPhase::Between BroadPhase::between(const PartPair& p) const {
  const PartState &a = parts_[p.a], &b = parts_[p.b];
  return between(a.since, a.before, b.since, b.before);
}

BroadPhase::Between BroadPhase::between(const ClusterPair& c) const {
  const ClusterState &a = clusters_[c.a], &b = clusters_[c.b];
  return between(a.since, a.before, b.since, b.before);
}

void BroadPhase::note(int64_t k) {
  PartPair& p = part_pairs_[meeting_[static_cast<std::size_t>(k)]];
  const Between now = between(p);
  p.noted = {-now.mean, now.then};
}

float BroadPhase::moved(int64_t k) const {
  const PartPair& p = part_pairs_[meeting_[static_cast<std::size_t>(k)]];
  return away(p, p.noted) / p.thickness;
}

/// How much the particles of two parts are away from where they were against each other then, at most [m].
float BroadPhase::away(const PartPair& p, const Then& then) const {
  const Between now = between(p);
  return (length(then.D + now.mean) + then.e + now.most) * (1 + 1e-5f);
}

/// Of all bodies, or of those that have moved or bent so much since their mark that it makes gaps small: motion is
/// counted from where they are now on.
void BroadPhase::renew_marks(JobSystem& jobs, const ContactSurface& surface, bool all) {
  std::fill(renewed_.begin(), renewed_.end(), static_cast<uint8_t>(all));
  for (std::size_t k = 0; k < parts_.size(); ++k) {
    const int32_t body = tree_.parts[k].body;
    if (parts_[k].since.most - parts_[k].before.most > kMarked * edge_length_[body]) renewed_[body] = 1;
  }
  if (std::find(renewed_.begin(), renewed_.end(), 1) == renewed_.end()) return;
  parallel_for(jobs, static_cast<int64_t>(part_pairs_.size()), kPairsPerChunk, [&](int64_t begin, int64_t end) {
    for (int64_t k = begin; k < end; ++k) {
      const PartPair& p = part_pairs_[static_cast<std::size_t>(k)];
      if (p.a < 0) continue;
      if (renewed_[tree_.parts[p.a].body]) need(p.a, p.in_a);
      if (renewed_[tree_.parts[p.b].body]) need(p.b, p.in_b);
    }
  });
  measure_needed(jobs);
  if (all) {  // sums begin anew, so that they stay small
    parallel_for(jobs, static_cast<int64_t>(part_pairs_.size()), kPairsPerChunk, [&](int64_t begin, int64_t end) {
      for (int64_t k = begin; k < end; ++k) {
        PartPair& p = part_pairs_[static_cast<std::size_t>(k)];
        if (p.a < 0) continue;
        const auto add = [](auto& then, const Between& moved) {
          then.D += moved.mean;
          then.e += moved.most;
        };
        const Between moved = between(p);
        add(p.listed, moved);
        add(p.noted, moved);
        add(p.quiet, moved);
        for (ClusterPair& c : p.clusters) add(c, between(c));
      }
    });
  }
  parallel_for(jobs, static_cast<int64_t>(parts_.size()), 4, [&](int64_t begin, int64_t end) {
    for (int64_t k = begin; k < end; ++k) {
      const ContactTree::Part& part = tree_.parts[k];
      if (!renewed_[part.body]) continue;
      const auto renew = [&](auto& state) {
        if (all) state.since = {};
        state.before = state.since;
      };
      renew(parts_[k]);
      for (int32_t c = part.cluster_begin; c < part.cluster_end; ++c) renew(clusters_[c]);
    }
  });
  parallel_for(jobs, static_cast<int64_t>(renewed_.size()), 1, [&](int64_t begin, int64_t end) {
    for (int64_t body = begin; body < end; ++body) {
      if (!renewed_[body]) continue;
      for (int k = surface.body_begin[body]; k < surface.body_begin[body + 1]; ++k) {
        const int32_t i = surface.vertices[static_cast<std::size_t>(k)];
        mark_[i] = places_[i];
      }
    }
  });
}

void BroadPhase::start(JobSystem& jobs, const ContactSurface& surface, bool new_marks) {
  ++substeps_;
  if (fresh_) {
    mark_ = places_;
    for (PartState& part : parts_) part.before = {};
    for (ClusterState& cluster : clusters_) cluster.before = {};
  }
  measure(jobs, true);
  if (!fresh_) renew_marks(jobs, surface, new_marks);
  for (std::size_t k = 0; k < part_pairs_.size(); ++k) {
    PartPair& p = part_pairs_[k];
    if (p.a < 0) continue;
    if (fresh_) {
      p.clusters.clear();
      p.in_a = p.in_b = 0;
      p.pairs.resize(0);
      p.unused = 0;
      p.valid = -1;
      p.quiet = {};
    }
    // What it knows is out of date, and nobody asks. Nobody: whether a number stays must follow from positions alone.
    if (p.met < substeps_ - 1 && !(passed(p) < p.valid)) {
      std::erase_if(partner_[p.a], [&](const auto& other) { return other.second == static_cast<int32_t>(k); });
      p.a = p.b = -1;
      free_.push_back(static_cast<int32_t>(k));
    }
  }
  fresh_ = false;
  meet_parts(jobs, surface);
  renew(jobs);
}

void BroadPhase::change_motion(JobSystem& jobs, const ContactSurface& surface) {
  measure(jobs, false);
  meet_parts(jobs, surface);
  renew(jobs);
}

// ------------------------------------------------------------------ clusters

/// Lists clusters anew where what is listed does not cover this substep's motion.
void BroadPhase::renew(JobSystem& jobs) {
  const auto is_old = [&](const PartPair& p) { return !(passed(p) + coming(p) < p.valid); };
  parallel_for(jobs, part_pairs(), kPairsPerChunk, [&](int64_t begin, int64_t end) {
    for (int64_t k = begin; k < end; ++k) {
      const PartPair& p = part_pairs_[meeting_[k]];
      if (is_old(p)) need_all(p);
    }
  });
  measure_needed(jobs);
  parallel_for(jobs, part_pairs(), 1, [&](int64_t begin, int64_t end) {
    for (int64_t k = begin; k < end; ++k) {
      PartPair& p = part_pairs_[meeting_[k]];
      if (is_old(p)) list_clusters(p, coming(p));
    }
  });
}

/// All pairs of clusters that are near, and asleep unless they are awake already.
void BroadPhase::list_clusters(PartPair& p, float more) {
  const Between now = between(p);
  p.listed = {-now.mean, now.then};
  p.quiet = {};
  p.valid = std::max(kClusterMargin * p.edge, kClusterAhead * more);
  p.asleep.clear();
  p.partial = false;
  p.first_wakes = std::numeric_limits<float>::max();
  p.in_a = p.in_b = 0;
  constexpr int kMost = ContactTree::kMostClusters;
  const int32_t first_a = tree_.parts[p.a].cluster_begin, first_b = tree_.parts[p.b].cluster_begin;
  std::array<uint64_t, kMost> awake{};  // per cluster of a: bits of those of b
  for (const ClusterPair& c : p.clusters) {
    awake[c.a - first_a] |= uint64_t{1} << (c.b - first_b);
    p.in_a |= bit_of(p.a, c.a);
    p.in_b |= bit_of(p.b, c.b);
  }
  // Those of each part that are near the other part; then these with each other.
  const float round = rounding(p), within = p.band + p.valid + 2 * round, square = within * within * (1 + 1e-6f);
  const int64_t most = share(p, kMostAsleep);
  constexpr int kMostPacks = kMost / kLeaf;
  const Boxes *boxes_a = part_boxes_.data() + part_boxes_begin_[p.a],
              *boxes_b = part_boxes_.data() + part_boxes_begin_[p.b];
  const auto packs = [&](int32_t part) {
    return (tree_.parts[part].cluster_end - tree_.parts[part].cluster_begin + kLeaf - 1) / kLeaf;
  };
  const int packs_a = packs(p.a), packs_b = packs(p.b);
  std::array<uint32_t, kMostPacks> near_b;
  for (int m = 0; m < packs_b; ++m) {
    near_b[m] = bits_of(squared_gaps(boxes_b[m], parts_[p.a].way) <= Eight(square));
  }
  for (int l = 0; l < packs_a; ++l) {
    uint32_t near_a = bits_of(squared_gaps(boxes_a[l], parts_[p.b].way) <= Eight(square));
    for (; near_a != 0; near_a &= near_a - 1) {
      const int32_t in_a = l * kLeaf + std::countr_zero(near_a);
      const ContactBox& box = box_[first_a + in_a];
      for (int m = 0; m < packs_b; ++m) {
        uint32_t bits = near_b[m] & ~static_cast<uint32_t>(awake[in_a] >> (m * kLeaf));
        // Of a part with itself each two once.
        if (p.a == p.b && in_a >= m * kLeaf) bits &= in_a - m * kLeaf < kLeaf ? ~0u << (in_a - m * kLeaf) : 0;
        if (bits == 0) continue;
        const Eight gaps = squared_gaps(boxes_b[m], box);
        bits &= bits_of(gaps <= Eight(square));
        if (bits == 0) continue;
        float each[kLeaf];
        sqrt(gaps).store(each);
        if (static_cast<int64_t>(p.asleep.size()) >= most) {
          p.partial = true;
          p.valid = -1;  // to be listed again each time
          return;
        }
        for (; bits != 0; bits &= bits - 1) {
          const int lane = std::countr_zero(bits);
          p.asleep.push_back({first_a + in_a, first_b + m * kLeaf + lane, each[lane] - 2 * round - p.band});
          p.first_wakes = std::min(p.first_wakes, p.asleep.back().until);
        }
      }
    }
  }
}

/// Of the boxes of two clusters, beyond the band [m].
float BroadPhase::gap_between(const PartPair& p, int32_t a, int32_t b) const {
  return a == b ? -p.band : gap_of(box_[a], box_[b]) - 2 * rounding(p) - p.band;
}

/// Wakes clusters that may come near soon.
void BroadPhase::wake(PartPair& p, float free, float more) {
  const float now = passed(p), then = (now + more) * (1 + 1e-6f) - free;
  if (then < p.first_wakes) return;
  p.first_wakes = std::numeric_limits<float>::max();
  const int64_t most = share(p, kMostAwake);
  for (std::size_t m = 0; m < p.asleep.size();) {
    Sleepers& s = p.asleep[m];
    if (then < s.until) {
      p.first_wakes = std::min(p.first_wakes, s.until);
      ++m;
      continue;
    }
    const float gap = gap_between(p, s.a, s.b);
    if (gap > kSleep * more) {
      s.until = gap - now;  // from here, and from there to where it was when clusters were listed
      p.first_wakes = std::min(p.first_wakes, s.until);
      ++m;
      continue;
    }
    if (static_cast<int64_t>(p.clusters.size()) >= most) {
      leave_out(p);
      p.first_wakes = std::numeric_limits<float>::lowest();  // the others wait for a place
      break;
    }
    ClusterPair& c = p.clusters.emplace_back();
    c.a = s.a;
    c.b = s.b;
    c.gap = gap;
    c.planar = false;
    reset_motion(c);
    p.in_a |= bit_of(p.a, c.a);
    p.in_b |= bit_of(p.b, c.b);
    s = p.asleep.back();
    p.asleep.pop_back();
  }
}

}  // namespace pliant
