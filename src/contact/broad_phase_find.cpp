// What of the broad phase is due: pairs of clusters whose gap may be used up, and of these the pairs of vertices, edges
// and triangles.

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "contact/broad_phase.h"
#include "core/parallel.h"
#include "math/lane_bits.h"
#include "math/simd.h"

namespace pliant {

namespace {

/// Margins of the lists of pairs, as parts of the mean edge length; they reach ahead by so many substeps of the present
/// motion. Wider ones last longer and hold more: flat optima, tried on the pile of 64 bodies.
constexpr float kPairMargin = 0.1f, kAhead = 5, kSpreadAhead = 3;
/// Parts of the mean edge length per substep: pairs of clusters that move more than that against each other are not
/// listed. Contacts serve for some substeps (six of 1/1200 s), and a list that is left before they are searched for
/// again was made for one look. Of 0.01, 0.03, 0.05 and 0.1 the lowest cost least while armadillos flow through a
/// funnel; with it kPairMargin lasts for ten substeps.
constexpr float kListed = 0.01f;

using Eight = Pack<float, 8>;

}  // namespace

/// Motion between two clusters counts from now on.
void BroadPhase::reset_motion(ClusterPair& c) const {
  const Between moved = between(c);
  c.D = -moved.mean;
  c.e = moved.then;
  c.seen_D = {};
  c.seen_e = 0;
}

/// What is left of the gap of two clusters, as far as what was seen tells, at the start and at the end of a straight
/// way [m]; that of the boundaries of their list is in it. What may be used up beyond the band is `free` at the start,
/// and `end_free` at the end.
BroadPhase::Left BroadPhase::left(const ClusterPair& c, float free, float end_free) const {
  const ClusterState &a = clusters_[c.a], &b = clusters_[c.b];
  const Between moved = between(c);
  const Vec3f D = c.D + moved.mean, then = D + (a.step.mean - b.step.mean);
  const float now_e = c.e + moved.most;
  const float e = now_e + (a.step.most + b.step.most + a.short_by + b.short_by) * (1 + 1e-6f);
  const Vec3f at_start = D - c.seen_D, at_end = then - c.seen_D;
  Left left{c.gap + free - (now_e - c.seen_e), c.gap + end_free - (e - c.seen_e)};
  if (c.planar) {
    left.start += dot(c.normal, at_start);
    left.end += dot(c.normal, at_end);
  } else {
    left.start -= length(at_start) * (1 + 2e-6f);
    left.end -= length(at_end) * (1 + 2e-6f);
  }
  if (c.listed) {
    left.start = std::min(left.start, inside(c, D, now_e - free));
    left.end = std::min(left.end, inside(c, then, e - free));
  }
  return left;
}

/// How far within the boundaries of their list two clusters are that have moved by D, and `by` more.
float BroadPhase::inside(const ClusterPair& c, const Vec3f& D, float by) {
  float least = std::numeric_limits<float>::max();
  for (int axis = 0; axis < 3; ++axis) least = std::min({least, D[axis] - c.low[axis], c.high[axis] - D[axis]});
  return least - by;
}

/// The pairs of two clusters that are due, with the motion of this substep.
void BroadPhase::find_pairs(PartPair& p, int32_t number, int32_t cluster_pair, float free, float end_free, bool marked,
                            DueLists& out) const {
  ClusterPair& c = p.clusters[cluster_pair];
  const ClusterState &a = clusters_[c.a], &b = clusters_[c.b];
  const Between moved = between(c);
  const Vec3f D = c.D + moved.mean, then = D + (a.step.mean - b.step.mean);
  const float now_e = c.e + moved.most;
  const float e = now_e + (a.step.most + b.step.most + a.short_by + b.short_by) * (1 + 1e-6f);
  const auto add = [&](int32_t i) {
    const int section = i < c.turned ? 0 : i < c.edges ? 1 : 2;
    out.of[section == 2].push_back(due_pair(p.pairs.corner[i], section, number, cluster_pair, i));
  };
  constexpr float kFar = std::numeric_limits<float>::max();
  Eight least(kFar);
  const Eight least_start(now_e - free), least_end(e - end_free);
  const float *x = p.pairs.x.data(), *y = p.pairs.y.data(), *z = p.pairs.z.data(), *h = p.pairs.h.data();
  for (int32_t i = c.begin; i < c.end; i += 8) {
    float tail[4][8];
    const float* from[4] = {x + i, y + i, z + i, h + i};
    const int32_t many = std::min(8, c.end - i);
    if (many < 8) {  // what is missing is far
      for (int m = 0; m < 4; ++m) {
        std::fill_n(tail[m], 8, m == 3 ? kFar : 0.0f);
        std::copy_n(from[m], many, tail[m]);
        from[m] = tail[m];
      }
    }
    const Eight nx = Eight::load(from[0]), ny = Eight::load(from[1]), nz = Eight::load(from[2]),
                nh = Eight::load(from[3]);
    const Eight at_start = mul_add(nx, Eight(D.x), mul_add(ny, Eight(D.y), mul_add(nz, Eight(D.z), nh)));
    const Eight at_end = mul_add(nx, Eight(then.x), mul_add(ny, Eight(then.y), mul_add(nz, Eight(then.z), nh)));
    const auto is_quiet = (at_start > least_start) & (at_end > least_end);
    if (all(is_quiet)) {
      least = min(least, at_start);
      continue;
    }
    least = min(least, marked ? at_start : select(is_quiet, at_start, Eight(kFar)));
    for (uint32_t bits = ~bits_of(is_quiet) & ((1u << many) - 1); bits != 0; bits &= bits - 1) {
      add(i + std::countr_zero(bits));
    }
  }
  float each[8];
  least.store(each);
  const float gap = *std::min_element(each, each + 8);
  c.planar = false;
  c.gap = gap < kFar / 2 ? gap - now_e - 1e-5f * (std::abs(gap) + now_e) : kFar / 2;
  c.seen_D = D;
  c.seen_e = c.e - moved.then;
}

/// A plane along the surface of one of two clusters that separates them through this substep. Boxes of surfaces that
/// are askew overlap long before these meet.
bool BroadPhase::find_plane(const PartPair& p, ClusterPair& c, const Vec3f& step, float more, float free,
                            float end_free) const {
  Vec3<Eight> x[2][kMostCornerPacks];
  int packs[2];
  const int32_t number[2] = {c.a, c.b};
  for (int side = 0; side < 2; ++side) {
    const ContactTree::Cluster& cluster = tree_.clusters[number[side]];
    packs[side] = cluster.corner_packs_end - cluster.corner_packs;
    for (int k = 0; k < packs[side]; ++k) {
      x[side][k] = Quads<Eight>::gather(places_.data(), tree_.corner_packs[cluster.corner_packs + k].data()).xyz();
    }
  }
  for (int side = 0; side < 2; ++side) {
    // Outward: it points from one cluster to the other.
    const Vec3f outward = normal_[number[side]], n = side == 0 ? -outward : outward;
    if (dot(n, n) == 0) continue;
    const Vec3<Eight> wide{Eight(n.x), Eight(n.y), Eight(n.z)};
    Eight lowest = dot(wide, x[0][0]), highest = dot(wide, x[1][0]);
    for (int k = 1; k < packs[0]; ++k) lowest = min(lowest, dot(wide, x[0][k]));
    for (int k = 1; k < packs[1]; ++k) highest = max(highest, dot(wide, x[1][k]));
    float low[8], high[8];
    lowest.store(low);
    highest.store(high);
    // Three products of places that are rounded themselves, for both sides.
    const float gap = *std::min_element(low, low + 8) - *std::max_element(high, high + 8) - p.band - 8 * rounding(p);
    if (!(gap + free > 0 && gap + dot(n, step) - more + end_free > 0)) continue;
    c.normal = n;
    c.gap = gap;
    return true;
  }
  return false;
}

/// Mean normals of clusters. They say where to look for planes; any direction would be right.
void BroadPhase::measure_normals(JobSystem& jobs) {
  parallel_for(jobs, static_cast<int64_t>(clusters_.size()), 256, [&](int64_t begin, int64_t end) {
    for (int64_t c = begin; c < end; ++c) {
      const ContactTree::Cluster& cluster = tree_.clusters[static_cast<std::size_t>(c)];
      Vec3f sum{};
      for (int32_t q = cluster.faces; q < cluster.vertices; ++q) {
        const ContactTree::Pack8& lanes = tree_.packs[static_cast<std::size_t>(q)];
        const Vec3<Eight> x = Quads<Eight>::gather(places_.data(), lanes.at[0]).xyz();
        const Vec3<Eight> y = Quads<Eight>::gather(places_.data(), lanes.at[1]).xyz() - x;
        const Vec3<Eight> z = Quads<Eight>::gather(places_.data(), lanes.at[2]).xyz() - x;
        const Vec3<Eight> n = cross(y, z);
        float each[3][8];
        for (int axis = 0; axis < 3; ++axis) n[axis].store(each[axis]);
        for (int l = 0; l < lanes.used; ++l) sum += Vec3f{each[0][l], each[1][l], each[2][l]};
      }
      const float size = length(sum);
      // A little shorter than one, so that a gap along it is never more than the distance.
      normal_[static_cast<std::size_t>(c)] = size > 0 && std::isfinite(size) ? sum * ((1 - 1e-6f) / size) : Vec3f{};
    }
  });
}

/// Sees to it that the list of two clusters has all pairs that may come near in this substep, unless they are too fast
/// for a list. Those that are far apart have none and may go to sleep; another pair then stands in their place.
BroadPhase::Listed BroadPhase::list(const ContactSurface& surface, PartPair& p, ClusterPair& c, float free,
                                    float end_free, float parts_coming) {
  const ClusterState &a = clusters_[c.a], &b = clusters_[c.b];
  const Vec3f step = a.step.mean - b.step.mean;
  const float spread = a.step.most + b.step.most, more = (spread + a.short_by + b.short_by) * (1 + 1e-6f);
  const Between moved = between(c);
  const Vec3f D = c.D + moved.mean;
  const float by = c.e + moved.most + more - free;
  if (c.listed && inside(c, D, by) > 0 && inside(c, D + step, by) > 0) return Listed::all;
  const float gap = gap_between(p, c.a, c.b);
  if (gap > 2 * kSleep * parts_coming && gap > 0) {
    drop_pairs(p, c);
    p.asleep.push_back({c.a, c.b, gap - passed(p)});
    p.first_wakes = std::min(p.first_wakes, p.asleep.back().until);
    c = p.clusters.back();
    p.clusters.pop_back();
    return Listed::none;
  }
  const bool far = gap + free > 0 && length(step) + more < gap + end_free;
  const bool planar = !far && c.a != c.b && find_plane(p, c, step, more, free, end_free);
  const bool fast = length(step) + spread > kListed * p.edge;
  if (far || planar || fast || p.pairs.size() > share(p, kMostListed)) {
    drop_pairs(p, c);
    c.listed = false;
    reset_motion(c);
    c.planar = planar;
    if (!planar) c.gap = gap;
    return far || planar ? Listed::none : Listed::fast;
  }
  Vec3f low, high;
  for (int axis = 0; axis < 3; ++axis) {
    const float margin = kPairMargin * p.edge + kSpreadAhead * spread + more, ahead = kAhead * step[axis];
    low[axis] = std::min(ahead, 0.0f) - margin;
    high[axis] = std::max(ahead, 0.0f) + margin;
  }
  list_pairs(surface, p, c, low, high);
  c.listed = true;
  return Listed::all;
}

void BroadPhase::find(const ContactSurface& surface, int64_t first, int64_t last, float grace, bool marked,
                      DueLists& out) {
  for (int64_t k = first; k < last; ++k) {
    const int32_t number = meeting_[k];
    PartPair& p = part_pairs_[number];
    if (marked && parts_[p.a].short_by + parts_[p.b].short_by == 0) continue;
    if (is_crowded(p.a) && is_crowded(p.b)) continue;
    const float free = grace * p.thickness * (1 - kUnused);
    const float end_free = std::max(grace, arriving_) * p.thickness * (1 - kUnused);
    const float parts_coming = coming(p);
    if (!marked && is_quiet(p, grace)) continue;
    if (marked && !(passed(p) + parts_coming < p.valid + free)) {
      list_clusters(p, parts_coming);
    }
    if (p.partial) leave_out(p);
    if (p.unused * 2 > p.pairs.size()) compact(p);
    wake(p, free, parts_coming);
    // What is left of all gaps now. Nothing can be due before so much has passed between the parts.
    float least = std::min(p.valid, p.first_wakes) - passed(p);
    const std::size_t most = out.of[0].size() + out.of[1].size() + static_cast<std::size_t>(share(p, kMostDue));
    for (std::size_t m = 0; m < p.clusters.size();) {
      if (out.of[0].size() + out.of[1].size() > most) {
        leave_out(p);
        least = -1;
        break;
      }
      ClusterPair& c = p.clusters[m];
      const std::size_t many = p.clusters.size();
      if (!marked || (marked_[c.a] | marked_[c.b])) {
        const Left gap = left(c, free, end_free);
        least = std::min(least, gap.start);
        if (!(gap.start > 0 && gap.end > 0)) {
          least = -1;
          const Listed listed = list(surface, p, c, free, end_free, parts_coming);
          if (listed == Listed::all) find_pairs(p, number, static_cast<int32_t>(m), free, end_free, marked, out);
          if (listed == Listed::fast) find_directly(surface, p, number, static_cast<int32_t>(m), free, marked, out);
        }
      }
      m += many == p.clusters.size();  // else it went to sleep, and another is in its place
    }
    const Between now = between(p);
    p.quiet = {-now.mean, now.then, marked ? -1 : least * (1 - kUnused), grace};
  }
}

void BroadPhase::find_due(const ContactSurface& surface, int64_t first, int64_t last, float grace, DueLists& out) {
  find(surface, first, last, grace, false, out);
}

void BroadPhase::find_marked(const ContactSurface& surface, int64_t first, int64_t last, float grace, DueLists& out) {
  find(surface, first, last, grace, true, out);
}

void BroadPhase::seen(const Due& due, const Vec3f& direction, float gap) {
  PartPair& p = part_pairs_[due.parts];
  ClusterPair& c = p.clusters[due.clusters];
  const float left = gap - p.band;
  c.gap = std::min(c.gap, left);
  if (due.pair < 0) return;
  const Vec3f n = due.turned ? -direction : direction;
  p.pairs.x[due.pair] = n.x;
  p.pairs.y[due.pair] = n.y;
  p.pairs.z[due.pair] = n.z;
  const Between moved = between(c);
  p.pairs.h[due.pair] = left - dot(n, c.D + moved.mean) + (c.e - moved.then);
}

void BroadPhase::mark(int32_t particle, float by) {
  for (int32_t k = tree_.clusters_begin[particle]; k < tree_.clusters_begin[particle + 1]; ++k) {
    const int32_t c = tree_.clusters_of[k];
    if (clusters_[c].short_by == 0 && by > 0) short_.push_back(c);
    clusters_[c].short_by = std::max(clusters_[c].short_by, by);
    float& part = parts_[part_of_[c]].short_by;
    part = std::max(part, by);
    if (marked_[c]) continue;
    marked_[c] = 1;
    marks_.push_back(c);
  }
}

void BroadPhase::clear_marks() {
  for (const int32_t c : marks_) marked_[c] = 0;
  marks_.clear();
}

}  // namespace pliant
