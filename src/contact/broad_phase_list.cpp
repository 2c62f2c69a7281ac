// The lists of the broad phase: all pairs of vertices, edges and triangles of two clusters that may come near on their
// further way, in arrays.

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <vector>

#include "contact/broad_phase.h"
#include "math/lane_bits.h"
#include "math/simd.h"

namespace pliant {

namespace {

using Eight = Pack<float, 8>;

/// Substeps of the present motion that a direct look reaches ahead where what is wanted is nearer than the band: what
/// is farther than that need not be looked at for so long.
constexpr float kDirectAhead = 3;

/// Bits of the boxes of a pack that overlap one.
template <class Boxes>
uint32_t overlapping(const Boxes& pack, const float (&low)[3], const float (&high)[3]) {
  auto meet = Eight::load(pack.low[0]) <= Eight(high[0]);
  for (int axis = 1; axis < 3; ++axis) meet = meet & (Eight::load(pack.low[axis]) <= Eight(high[axis]));
  for (int axis = 0; axis < 3; ++axis) meet = meet & (Eight::load(pack.high[axis]) >= Eight(low[axis]));
  return bits_of(meet);
}

bool shares(const std::array<int32_t, 3>& a, const std::array<int32_t, 3>& b) {
  for (const int32_t v : a) {
    if (v == b[0] || v == b[1] || v == b[2]) return true;
  }
  return false;
}

bool any_tied(const ContactSurface& surface, const std::array<int32_t, 3>& a, const std::array<int32_t, 3>& b) {
  for (const int32_t v : a) {
    for (const int32_t w : b) {
      if (surface.are_tied(v, w)) return true;
    }
  }
  return false;
}

}  // namespace

/// Boxes around the pieces of a cluster, grown; those of them are near that overlap the box of the other one, grown as
/// its pieces will be.
void BroadPhase::fill_side(int32_t number, int32_t other, const Vec3f& to_low, const Vec3f& to_high,
                           const Vec3f& other_low, const Vec3f& other_high, Side& side) const {
  const ContactBox& around = box_[static_cast<std::size_t>(other)];
  float around_low[3], around_high[3];
  for (int axis = 0; axis < 3; ++axis) {
    around_low[axis] = around.low[axis] + other_low[axis];
    around_high[axis] = around.high[axis] + other_high[axis];
  }
  constexpr float kNowhere = std::numeric_limits<float>::max();
  const ContactTree::Cluster& cluster = tree_.clusters[number];
  side.first = cluster.faces;
  side.vertices = cluster.vertices - cluster.faces;
  side.edges = cluster.edges - cluster.faces;
  side.end = cluster.end - cluster.faces;
  for (int32_t q = 0; q < side.end; ++q) {
    const ContactTree::Pack8& lanes = tree_.packs[static_cast<std::size_t>(side.first + q)];
    const int corners = q < side.vertices ? 3 : q < side.edges ? 1 : 2;
    Vec3<Eight> low = Quads<Eight>::gather(places_.data(), lanes.at[0]).xyz(), high = low;
    for (int m = 1; m < corners; ++m) {
      const Vec3<Eight> x = Quads<Eight>::gather(places_.data(), lanes.at[m]).xyz();
      low = {min(low.x, x.x), min(low.y, x.y), min(low.z, x.z)};
      high = {max(high.x, x.x), max(high.y, x.y), max(high.z, x.z)};
    }
    Boxes& pack = side.packs[q];
    for (int axis = 0; axis < 3; ++axis) {
      (low[axis] + Eight(to_low[axis])).store(pack.low[axis]);
      (high[axis] + Eight(to_high[axis])).store(pack.high[axis]);
    }
    for (int l = lanes.used; l < kLeaf; ++l) pack.low[0][l] = kNowhere, pack.high[0][l] = -kNowhere;
    side.near[q] = overlapping(pack, around_low, around_high);
  }
}

/// Calls found(section, corners, place in a, place in b) for all pairs of two clusters whose boxes overlap: in section
/// 0 vertices of a with faces of b, in 1 vertices of b with faces of a, in 2 edges; each section in order.
template <class Found>
void BroadPhase::each_overlap(const ContactSurface& surface, const PartPair& p, const ClusterPair& c,
                              const Side& side_a, const Side& side_b, Found&& found) const {
  const bool self = c.a == c.b;
  const bool same = tree_.parts[p.a].body == tree_.parts[p.b].body;
  const auto apart = [&](const std::array<int32_t, 3>& x, const std::array<int32_t, 3>& y) {
    return same ? !shares(x, y) : surface.tied.empty() || !any_tied(surface, x, y);
  };
  const auto meeting = [&](const Side& x, int32_t begin, int32_t end, const Side& y, int32_t other_begin,
                           int32_t other_end, auto&& meet) {
    for (int32_t q = begin; q < end; ++q) {
      const Boxes& pack = x.packs[q];
      for (uint32_t near = x.near[q]; near != 0; near &= near - 1) {
        const int l = std::countr_zero(near);
        const float low[3] = {pack.low[0][l], pack.low[1][l], pack.low[2][l]};
        const float high[3] = {pack.high[0][l], pack.high[1][l], pack.high[2][l]};
        for (int32_t r = other_begin; r < other_end; ++r) {
          if (y.near[r] == 0) continue;
          for (uint32_t bits = overlapping(y.packs[r], low, high); bits != 0; bits &= bits - 1) {
            const int m = std::countr_zero(bits);
            const auto &first = tree_.pieces[static_cast<std::size_t>((x.first + q) * kLeaf + l)],
                       &second = tree_.pieces[static_cast<std::size_t>((y.first + r) * kLeaf + m)];
            if (apart(first, second)) meet(first, second, q * kLeaf + l, r * kLeaf + m);
          }
        }
      }
    }
  };
  meeting(side_a, side_a.vertices, side_a.edges, side_b, 0, side_b.vertices,
          [&](const auto& v, const auto& t, int i, int j) {
            found(0, std::array{v[0], t[0], t[1], t[2]}, i, j);
          });
  if (!self) {
    meeting(side_b, side_b.vertices, side_b.edges, side_a, 0, side_a.vertices,
            [&](const auto& v, const auto& t, int i, int j) {
              found(1, std::array{v[0], t[0], t[1], t[2]}, i, j);
            });
  }
  meeting(side_a, side_a.edges, side_a.end, side_b, side_b.edges, side_b.end,
          [&](const auto& e, const auto& f, int i, int j) {
            if (!self || i < j) found(2, std::array{e[0], e[1], f[0], f[1]}, i, j);
          });
}

/// All pairs of two clusters that come closer than the band, as long as the first one moves within these bounds
/// against the second.
void BroadPhase::list_pairs(const ContactSurface& surface, PartPair& p, ClusterPair& c, const Vec3f& bound_low,
                            const Vec3f& bound_high) {
  const float grow = p.band / 2 + rounding(p);
  const Vec3f by{grow, grow, grow};
  Side side_a, side_b;
  fill_side(c.a, c.b, bound_low - by, bound_high + by, -by, by, side_a);
  if (c.a != c.b) fill_side(c.b, c.a, -by, by, bound_low - by, bound_high + by, side_b);
  const Side& other = c.a == c.b ? side_a : side_b;
  // A pair that was listed before keeps what was seen of it; a new one has the gap of its boxes. Pairs are in the order
  // of their pieces in each section.
  Pairs& pairs = p.pairs;
  const Between since = between(c);
  const Vec3f moved = c.D + since.mean;
  const float more = c.e + since.most;
  const int32_t was[4] = {c.begin, c.turned, c.edges, c.end};
  drop_pairs(p, c);
  const int32_t begin = pairs.size();
  int32_t section_begin[4] = {begin, begin, begin, begin};
  int32_t old = was[0], old_end = was[1];
  int now = 0;
  each_overlap(surface, p, c, side_a, other, [&](int section, const std::array<int32_t, 4>& corner, int i, int j) {
    while (now < section) {
      ++now;
      section_begin[now] = pairs.size();
      old = was[now];
      old_end = was[now + 1];
    }
    const int key = i << 8 | j;
    while (old < old_end && pairs.pieces[old] < key) ++old;
    if (old < old_end && pairs.pieces[old] == key) {
      const Vec3f n{pairs.x[old], pairs.y[old], pairs.z[old]};
      pairs.add(corner, i, j, n, pairs.h[old] + dot(n, moved) - more);
      return;
    }
    const int in_a = section == 1 ? j : i, in_b = section == 1 ? i : j;
    const Boxes &box_a = side_a.packs[in_a / kLeaf], &box_b = other.packs[in_b / kLeaf];
    const int l = in_a % kLeaf, m = in_b % kLeaf;
    Vec3f n{};
    float gap = -1;
    for (int axis = 0; axis < 3; ++axis) {
      const float above = box_a.low[axis][l] - box_b.high[axis][m] - bound_low[axis] + 2 * grow - p.band;
      const float below = box_b.low[axis][m] - box_a.high[axis][l] + bound_high[axis] + 2 * grow - p.band;
      if (std::max(above, below) > gap) {
        gap = std::max(above, below);
        n = {};
        n[axis] = above > below ? 1.0f : -1.0f;
      }
    }
    pairs.add(corner, i, j, n, gap - 2 * rounding(p));
  });
  while (now < 3) section_begin[++now] = pairs.size();
  c.begin = begin;
  c.turned = section_begin[1];
  c.edges = section_begin[2];
  c.end = section_begin[3];
  c.low = bound_low;
  c.high = bound_high;
  reset_motion(c);
}

/// The pairs of two clusters whose boxes meet on the way of this substep. Of fast ones no list is kept: it would hold
/// nearly all pairs, and not for long. All others are farther apart than where boxes begin to meet, and of these seen()
/// will be called: so much is known of the gap of the two clusters.
void BroadPhase::find_directly(const ContactSurface& surface, PartPair& p, int32_t number, int32_t cluster_pair,
                               float free, bool marked, DueLists& out) const {
  ClusterPair& c = p.clusters[static_cast<std::size_t>(cluster_pair)];
  const ClusterState &a = clusters_[c.a], &b = clusters_[c.b];
  const Vec3f step = a.step.mean - b.step.mean;
  const float more = (a.step.most + b.step.most + a.short_by + b.short_by) * (1 + 1e-6f);
  if (!marked) free = std::max(0.0f, free - kDirectAhead * (length(step) + more));
  const float grow = (p.band - free) / 2 + rounding(p);
  Vec3f low, high;
  for (int axis = 0; axis < 3; ++axis) {
    const float reach = grow + more + 1e-6f * std::abs(step[axis]);
    low[axis] = std::min(step[axis], 0.0f) - reach;
    high[axis] = std::max(step[axis], 0.0f) + reach;
  }
  if (!marked) c.gap = -free;
  Side side_a, side_b;
  const Vec3f by{grow, grow, grow};
  fill_side(c.a, c.b, low, high, -by, by, side_a);
  if (c.a != c.b) fill_side(c.b, c.a, -by, by, low, high, side_b);
  each_overlap(surface, p, c, side_a, c.a == c.b ? side_a : side_b,
               [&](int section, const std::array<int32_t, 4>& corner, int, int) {
                 out.of[section == 2].push_back(due_pair(corner, section, number, cluster_pair, -1));
               });
}

/// A pair has one form, however it was found.
BroadPhase::Due BroadPhase::due_pair(const std::array<int32_t, 4>& x, int section, int32_t number, int32_t cluster_pair,
                                     int32_t pair) {
  if (section < 2) return {x, number, cluster_pair, pair, section == 1};
  const bool turned = x[2] < x[0] || (x[2] == x[0] && x[3] < x[1]);
  return {turned ? std::array<int32_t, 4>{x[2], x[3], x[0], x[1]} : x, number, cluster_pair, pair, turned};
}

void BroadPhase::Pairs::resize(int32_t count) {
  const std::size_t n = static_cast<std::size_t>(count);
  corner.resize(n);
  pieces.resize(n);
  for (auto* numbers : {&x, &y, &z, &h}) numbers->resize(n);
}

void BroadPhase::Pairs::add(const std::array<int32_t, 4>& corners, int a, int b, const Vec3f& n, float gap) {
  corner.push_back(corners);
  pieces.push_back(static_cast<uint16_t>(a << 8 | b));
  x.push_back(n.x);
  y.push_back(n.y);
  z.push_back(n.z);
  h.push_back(gap);
}

void BroadPhase::Pairs::copy(int32_t from, int32_t to) {
  corner[to] = corner[from];
  pieces[to] = pieces[from];
  for (auto* numbers : {&x, &y, &z, &h}) (*numbers)[to] = (*numbers)[from];
}

void BroadPhase::drop_pairs(PartPair& p, ClusterPair& c) {
  p.unused += c.end - c.begin;
  c.begin = c.turned = c.edges = c.end = 0;
}

/// Takes out pairs that no cluster pair has any more.
void BroadPhase::compact(PartPair& p) {
  // Lists were appended in any order: move them to the front in the order of their places.
  thread_local std::vector<int32_t> order;
  order.clear();
  for (std::size_t k = 0; k < p.clusters.size(); ++k) {
    if (p.clusters[k].end > p.clusters[k].begin) order.push_back(static_cast<int32_t>(k));
  }
  std::sort(order.begin(), order.end(),
            [&](int32_t a, int32_t b) { return p.clusters[a].begin < p.clusters[b].begin; });
  int32_t to = 0;
  for (const int32_t k : order) {
    ClusterPair& c = p.clusters[k];
    const int32_t by = c.begin - to;
    for (int32_t i = c.begin; i < c.end; ++i) p.pairs.copy(i, i - by);
    c.begin -= by;
    c.turned -= by;
    c.edges -= by;
    c.end -= by;
    to = c.end;
  }
  p.pairs.resize(to);
  p.unused = 0;
}

}  // namespace pliant
