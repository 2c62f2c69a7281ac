#include "contact/broad_phase.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "core/parallel.h"
#include "math/simd.h"

namespace pliant {

namespace {

/// Margins of the lists of cluster pairs, as parts of the mean edge length; they reach ahead by so many substeps of the
/// present motion. Wider ones last longer and hold more: flat optima, tried on the pile of 64 bodies.
constexpr float kClusterMargin = 0.7f, kClusterAhead = 4;
/// Of the mean edge length: no particle of a part is farther from the part's own motion since its mark.
constexpr float kMarked = 0.1f;
/// Parts below a leaf of the tree over them.
constexpr int32_t kPartsPerLeaf = 4;
/// Substeps: what is side by side stays there for long.
constexpr int64_t kPartTreeServes = 16;

using Four = Pack<float, 4>;

ContactBox around(const ContactBox& a, const ContactBox& b) {
  ContactBox out;
  min(Four::load(a.low), Four::load(b.low)).store(out.low);
  max(Four::load(a.high), Four::load(b.high)).store(out.high);
  return out;
}

bool boxes_overlap(const ContactBox& a, const ContactBox& b) {
  return a.low[0] <= b.high[0] && a.low[1] <= b.high[1] && a.low[2] <= b.high[2] && b.low[0] <= a.high[0] &&
         b.low[1] <= a.high[1] && b.low[2] <= a.high[2];
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

/// A number that has nothing to do with the two, but is always the same for them.
uint32_t chance(int32_t a, int32_t b) {
  uint64_t x = (static_cast<uint64_t>(a) << 32 | static_cast<uint32_t>(b)) * 0x9e3779b97f4a7c15u;
  x = (x ^ x >> 29) * 0xbf58476d1ce4e5b9u;
  return static_cast<uint32_t>(x >> 32);
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
  box_.resize(tree_.nodes.size());
  leaf_.assign(tree_.clusters.size(), -1);
  for (std::size_t n = 0; n < tree_.nodes.size(); ++n) {
    if (tree_.nodes[n].cluster >= 0) leaf_[tree_.nodes[n].cluster] = static_cast<int32_t>(n);
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
  needed_boxes_ = std::vector<std::atomic<uint8_t>>(tree_.parts.size());
  short_.clear();
  short_.reserve(tree_.clusters.size());
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
  state.since.most += 5e-7f * most;
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
    ContactBox& box = box_[leaf_[number]];
    low.store(box.low);
    high.store(box.high);
    float most[4];
    max(abs(low), abs(high)).store(most);
    own.since = moved_between(moved_low, moved_high);
    own.since.most += 5e-7f * std::max({most[0], most[1], most[2]});  // a difference of rounded places
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
    needed_boxes_[static_cast<std::size_t>(part)].store(1, std::memory_order_relaxed);
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
      if (!needed_boxes_[static_cast<std::size_t>(k)].load(std::memory_order_relaxed)) continue;
      needed_boxes_[static_cast<std::size_t>(k)].store(0, std::memory_order_relaxed);
      if (parts_[k].boxed == substeps_) continue;
      parts_[k].boxed = substeps_;
      for (int32_t n = part.node_end - 1; n >= part.root; --n) {  // children stand behind their parent
        if (tree_.nodes[n].right >= 0) box_[n] = around(box_[n + 1], box_[tree_.nodes[n].right]);
      }
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

BroadPhase::Moved BroadPhase::between(const PartPair& p) const {
  const Moved &a = parts_[p.a].since, &b = parts_[p.b].since;
  return {a.mean - b.mean, (a.most + b.most) * (1 + 1e-6f)};
}

BroadPhase::Moved BroadPhase::between(const ClusterPair& c) const {
  const Moved &a = clusters_[c.a].since, &b = clusters_[c.b].since;
  return {a.mean - b.mean, (a.most + b.most) * (1 + 1e-6f)};
}

void BroadPhase::note(int64_t k) {
  PartPair& p = part_pairs_[meeting_[static_cast<std::size_t>(k)]];
  const Moved now = between(p);
  p.noted = {-now.mean, now.most};
}

float BroadPhase::moved(int64_t k) const {
  const PartPair& p = part_pairs_[meeting_[static_cast<std::size_t>(k)]];
  return away(p, p.noted) / p.thickness;
}

/// How much the particles of two parts are away from where they were against each other then, at most [m].
float BroadPhase::away(const PartPair& p, const Then& then) const {
  const Moved now = between(p);
  return (length(then.D + now.mean) + then.e + now.most) * (1 + 1e-5f);
}

/// Of all bodies, or of those that have moved or bent so much since their mark that it makes gaps small: motion is
/// counted from where they are now on.
void BroadPhase::renew_marks(JobSystem& jobs, const ContactSurface& surface, bool all) {
  std::fill(renewed_.begin(), renewed_.end(), static_cast<uint8_t>(all));
  for (std::size_t k = 0; k < parts_.size(); ++k) {
    const int32_t body = tree_.parts[k].body;
    if (parts_[k].since.most > kMarked * edge_length_[body]) renewed_[body] = 1;
  }
  if (std::find(renewed_.begin(), renewed_.end(), 1) == renewed_.end()) return;
  parallel_for(jobs, static_cast<int64_t>(part_pairs_.size()), kPairsPerChunk, [&](int64_t begin, int64_t end) {
    for (int64_t k = begin; k < end; ++k) {
      const PartPair& p = part_pairs_[static_cast<std::size_t>(k)];
      if (p.a < 0) continue;
      const bool of_a = renewed_[tree_.parts[p.a].body], of_b = renewed_[tree_.parts[p.b].body];
      if (!of_a && !of_b) continue;
      if (of_a) need(p.a, p.in_a);
      if (of_b) need(p.b, p.in_b);
    }
  });
  measure_needed(jobs);
  parallel_for(jobs, static_cast<int64_t>(part_pairs_.size()), kPairsPerChunk, [&](int64_t begin, int64_t end) {
    for (int64_t k = begin; k < end; ++k) {
      PartPair& p = part_pairs_[static_cast<std::size_t>(k)];
      if (p.a < 0) continue;
      const bool of_a = renewed_[tree_.parts[p.a].body], of_b = renewed_[tree_.parts[p.b].body];
      if (!of_a && !of_b) continue;
      const auto add = [&](auto& then, const Moved& a, const Moved& b) {
        if (of_a) then.D += a.mean;
        if (of_b) then.D -= b.mean;
        then.e += ((of_a ? a.most : 0) + (of_b ? b.most : 0)) * (1 + 1e-6f);
      };
      const Moved &a = parts_[p.a].since, &b = parts_[p.b].since;
      add(p.listed, a, b);
      add(p.noted, a, b);
      add(p.quiet, a, b);
      for (ClusterPair& c : p.clusters) add(c, clusters_[c.a].since, clusters_[c.b].since);
    }
  });
  for (std::size_t body = 0; body < renewed_.size(); ++body) {
    if (!renewed_[body]) continue;
    for (int k = surface.body_begin[body]; k < surface.body_begin[body + 1]; ++k) {
      const int32_t i = surface.vertices[static_cast<std::size_t>(k)];
      mark_[i] = places_[i];
    }
  }
  for (std::size_t k = 0; k < parts_.size(); ++k) {
    const ContactTree::Part& part = tree_.parts[k];
    if (!renewed_[part.body]) continue;
    parts_[k].since = {};
    for (int32_t c = part.cluster_begin; c < part.cluster_end; ++c) clusters_[c].since = {};
  }
}

void BroadPhase::start(JobSystem& jobs, const ContactSurface& surface, bool new_marks) {
  ++substeps_;
  if (fresh_) mark_ = places_;
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

// ------------------------------------------------------------------ parts

int32_t BroadPhase::part_pair(const ContactSurface& surface, int32_t a, int32_t b) {
  for (const auto& [other, number] : partner_[a]) {
    if (other == b) return number;
  }
  int32_t number;
  if (free_.empty()) {
    number = static_cast<int32_t>(part_pairs_.size());
    part_pairs_.emplace_back();
  } else {
    number = free_.back();
    free_.pop_back();
  }
  partner_[a].emplace_back(b, number);
  PartPair& p = part_pairs_[number];
  const int32_t body_a = tree_.parts[a].body, body_b = tree_.parts[b].body;
  p.a = a;
  p.b = b;
  p.clusters.clear();
  p.in_a = p.in_b = 0;
  p.pairs.resize(0);
  p.unused = 0;
  p.listed = p.noted = {};
  p.quiet = {};
  p.valid = -1;
  p.thickness = half_thickness_[body_a] + half_thickness_[body_b];
  p.band = band_ * p.thickness;
  p.edge = (surface.edge_length[body_a] + surface.edge_length[body_b]) / 2;
  return number;
}

/// The tree over the ways of parts [begin, end) of `in_space_`, halved along the longest extent of their middles.
int32_t BroadPhase::build_part_tree(int32_t begin, int32_t end) {
  const int32_t number = static_cast<int32_t>(part_nodes_.size());
  part_nodes_.emplace_back();
  ContactBox box = parts_[in_space_[begin]].way;
  Four low(std::numeric_limits<float>::max()), high(-std::numeric_limits<float>::max());
  for (int32_t k = begin; k < end; ++k) {
    const ContactBox& way = parts_[in_space_[k]].way;
    const Four middle = Four::load(way.low) + Four::load(way.high);
    low = min(low, middle);
    high = max(high, middle);
    box = around(box, way);
  }
  int32_t left = -1, right = -1;
  if (end - begin > kPartsPerLeaf) {
    const Vec3f extent = vector_of(high - low);
    const int axis = extent.x >= extent.y && extent.x >= extent.z ? 0 : extent.y >= extent.z ? 1 : 2;
    const auto middle = [&](int32_t p) { return parts_[p].way.low[axis] + parts_[p].way.high[axis]; };
    const int32_t half = begin + (end - begin) / 2;
    std::nth_element(in_space_.begin() + begin, in_space_.begin() + half, in_space_.begin() + end,
                     [&](int32_t x, int32_t y) { return std::pair(middle(x), x) < std::pair(middle(y), y); });
    left = build_part_tree(begin, half);
    right = build_part_tree(half, end);
  }
  part_nodes_[number] = {box, begin, end, left, right};
  return number;
}

/// Boxes of that tree around the ways of now.
void BroadPhase::refit_part_tree() {
  for (std::size_t n = part_nodes_.size(); n-- > 0;) {  // children stand behind their parent
    PartNode& node = part_nodes_[n];
    if (node.left >= 0) {
      node.box = around(part_nodes_[node.left].box, part_nodes_[node.right].box);
      continue;
    }
    node.box = parts_[in_space_[node.begin]].way;
    for (int32_t k = node.begin + 1; k < node.end; ++k) node.box = around(node.box, parts_[in_space_[k]].way);
  }
}

/// Pairs of parts whose ways meet: of a tree with itself.
void BroadPhase::meet_parts(JobSystem& jobs, const ContactSurface& surface) {
  const int32_t count = static_cast<int32_t>(parts_.size());
  meeting_.clear();
  if (count == 0) return;
  if (substeps_ >= next_part_tree_) {
    measure_normals(jobs);
    part_nodes_.clear();
    build_part_tree(0, count);
    next_part_tree_ = substeps_ + kPartTreeServes;
  } else {
    refit_part_tree();
  }
  // Of too many a half, a quarter and so on by chance, fixed for two parts: it follows from places alone.
  const std::size_t most = static_cast<std::size_t>(kMostMeetings) * parts_.size();
  uint32_t below = ~uint32_t{0};
  const auto is_out = [&](const std::pair<int32_t, int32_t>& p) {
    return p.first != p.second && chance(p.first, p.second) > below;
  };
  met_.clear();
  const auto meet = [&](int32_t a, int32_t b) {
    const std::pair two(std::max(a, b), std::min(a, b));
    if (is_out(two)) return;
    met_.push_back(two);
    while (met_.size() > most) {
      crowded_.store(true, std::memory_order_relaxed);
      below /= 2;
      std::erase_if(met_, is_out);
    }
  };
  const auto try_parts = [&](int32_t a, int32_t b) {
    if (parts_[a].still && parts_[b].still) return;
    if (!surface.may_meet(tree_.parts[a].body, tree_.parts[b].body)) return;
    if (a == b || boxes_overlap(parts_[a].way, parts_[b].way)) meet(a, b);
  };
  auto& stack = part_stack_;
  stack.assign(1, {0, 0});
  while (!stack.empty()) {
    const auto [a, b] = stack.back();
    stack.pop_back();
    const PartNode &x = part_nodes_[a], &y = part_nodes_[b];
    if (a != b && !boxes_overlap(x.box, y.box)) continue;
    if (x.left < 0 && y.left < 0) {
      for (int32_t k = x.begin; k < x.end; ++k) {
        for (int32_t m = a == b ? k : y.begin; m < y.end; ++m) try_parts(in_space_[k], in_space_[m]);
      }
    } else if (a == b) {
      stack.insert(stack.end(), {{x.left, x.left}, {x.left, x.right}, {x.right, x.right}});
    } else if (y.left < 0 || (x.left >= 0 && x.end - x.begin >= y.end - y.begin)) {
      stack.insert(stack.end(), {{x.left, b}, {x.right, b}});
    } else {
      stack.insert(stack.end(), {{a, y.left}, {a, y.right}});
    }
  }
  for (PartState& part : parts_) part.meetings = 0;
  for (const auto& [a, b] : met_) {
    const int32_t number = part_pair(surface, a, b);
    part_pairs_[number].met = substeps_;
    meeting_.push_back(number);
    ++parts_[a].meetings;
    ++parts_[b].meetings;
  }
}

/// What two parts may have of a budget.
int64_t BroadPhase::share(const PartPair& p, Budget budget) const {
  constexpr int64_t kFewest = 16;
  const auto of = [&](int32_t part) {
    const int64_t clusters = tree_.parts[part].cluster_end - tree_.parts[part].cluster_begin;
    return budget * clusters / std::max<int64_t>(kFewest, parts_[part].meetings);
  };
  return of(p.a) + of(p.b);
}

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
  const Moved now = between(p);
  p.listed = {-now.mean, now.most};
  p.quiet = {};
  p.valid = std::max(kClusterMargin * p.edge, kClusterAhead * more);
  p.asleep.clear();
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
  const float within = p.band + p.valid + 2 * rounding(p);
  std::array<std::pair<int32_t, int32_t>, 64> stack;  // two trees of seven levels, at most two more for each
  int many = 0;
  const int64_t most = share(p, kMostAsleep);
  stack[many++] = {tree_.parts[p.a].root, tree_.parts[p.b].root};
  while (many > 0) {
    const auto [a, b] = stack[--many];
    const float gap = a == b ? 0 : gap_of(box_[a], box_[b]);
    if (gap > within) continue;
    const ContactTree::Node &na = tree_.nodes[a], &nb = tree_.nodes[b];
    if (na.right < 0 && nb.right < 0) {
      if (awake[na.cluster - first_a] >> (nb.cluster - first_b) & 1) continue;
      if (static_cast<int64_t>(p.asleep.size()) >= most) {
        crowded_.store(true, std::memory_order_relaxed);
        break;
      }
      p.asleep.push_back({na.cluster, nb.cluster, gap - 2 * rounding(p) - p.band});
      p.first_wakes = std::min(p.first_wakes, p.asleep.back().until);
    } else if (a == b) {
      stack[many++] = {na.right, na.right};
      stack[many++] = {a + 1, na.right};
      stack[many++] = {a + 1, a + 1};
    } else if (na.clusters >= nb.clusters) {
      stack[many++] = {na.right, b};
      stack[many++] = {a + 1, b};
    } else {
      stack[many++] = {a, nb.right};
      stack[many++] = {a, b + 1};
    }
  }
}

/// Of the boxes of two clusters, beyond the band [m].
float BroadPhase::gap_between(const PartPair& p, int32_t a, int32_t b) const {
  return a == b ? -p.band : gap_of(box_[leaf_[a]], box_[leaf_[b]]) - 2 * rounding(p) - p.band;
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
      crowded_.store(true, std::memory_order_relaxed);
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
