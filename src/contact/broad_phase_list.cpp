// The lists of the broad phase: all pairs of vertices, edges and triangles of two clusters that may come near on their
// further way, in arrays.

#include <algorithm>
#include <array>
#include <limits>
#include <vector>

#include "contact/broad_phase.h"
#include "math/simd.h"

namespace pliant {

namespace {

using Four = Pack<float, 4>;
using Eight = Pack<float, 8>;

/// Numbers of the boxes of a pack that overlap one.
template <class Boxes>
int overlapping(const Boxes& pack, const float (&low)[3], const float (&high)[3], int (&which)[8]) {
  auto meet = Eight::load(pack.low[0]) <= Eight(high[0]);
  for (int axis = 1; axis < 3; ++axis) meet = meet & (Eight::load(pack.low[axis]) <= Eight(high[axis]));
  for (int axis = 0; axis < 3; ++axis) meet = meet & (Eight::load(pack.high[axis]) >= Eight(low[axis]));
  if (!any(meet)) return 0;
  float lanes[8];
  select(meet, Eight(1.0f), Eight(0.0f)).store(lanes);
  int many = 0;
  for (int l = 0; l < 8; ++l) {
    which[many] = l;
    many += lanes[l] != 0;  // no branch: it would be guessed wrong half of the time
  }
  return many;
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

Four four_of(const Vec3f& v) {
  const float s[4] = {v.x, v.y, v.z, 0};
  return Four::load(s);
}

}  // namespace

/// All pairs of two clusters that come closer than the band, as long as the first one moves within these bounds
/// against the second.
void BroadPhase::list_pairs(const ContactSurface& surface, PartPair& p, ClusterPair& c, const Vec3f& bound_low,
                            const Vec3f& bound_high) {
  constexpr int kMostPacks = 8;  // of a cluster of eight elements: one of faces, three of vertices and of edges at most
  constexpr float kNowhere = std::numeric_limits<float>::max();
  struct Side {
    Boxes packs[kMostPacks];
    int32_t first, vertices, edges, end;  // packs, from `first` on
  };
  const auto fill = [&](int32_t number, const Four& to_low, const Four& to_high, Side& side) {
    const ContactTree::Cluster& cluster = tree_.clusters[number];
    side.first = cluster.faces;
    side.vertices = cluster.vertices - cluster.faces;
    side.edges = cluster.edges - cluster.faces;
    side.end = cluster.end - cluster.faces;
    for (int32_t q = 0; q < side.end; ++q) {
      Boxes& pack = side.packs[q];
      for (int l = 0; l < kLeaf; ++l) {
        const auto& piece = tree_.pieces[int64_t{side.first + q} * kLeaf + l];
        float low[4] = {kNowhere, kNowhere, kNowhere, 0}, high[4] = {-kNowhere, -kNowhere, -kNowhere, 0};
        if (piece[0] >= 0) {
          const Four x = Four::load(&places_[piece[0]].x), y = Four::load(&places_[piece[1]].x),
                     z = Four::load(&places_[piece[2]].x);
          (min(min(x, y), z) + to_low).store(low);
          (max(max(x, y), z) + to_high).store(high);
        }
        for (int axis = 0; axis < 3; ++axis) {
          pack.low[axis][l] = low[axis];
          pack.high[axis][l] = high[axis];
        }
      }
    }
  };
  const bool self = c.a == c.b;
  const float grow = p.band / 2 + rounding_;
  Side side_a, side_b;
  fill(c.a, four_of(bound_low) - Four(grow), four_of(bound_high) + Four(grow), side_a);
  if (!self) fill(c.b, Four(-grow), Four(grow), side_b);
  const Side& other = self ? side_a : side_b;
  const bool same = tree_.parts[p.a].body == tree_.parts[p.b].body;
  const auto apart = [&](const std::array<int32_t, 3>& x, const std::array<int32_t, 3>& y) {
    return same ? !shares(x, y) : surface.tied.empty() || !any_tied(surface, x, y);
  };
  // A pair that was listed before keeps what was seen of it; a new one has the gap of its boxes. Pairs are in the order
  // of their pieces in each section.
  Pairs& pairs = p.pairs;
  const Vec3f moved = c.D;
  const float more = c.e;
  int32_t old = 0, old_end = 0;
  const auto add = [&](const std::array<int32_t, 4>& corner, int i, int j, const Boxes& in_a, int l, const Boxes& in_b,
                       int m) {
    const int key = i << 8 | j;
    while (old < old_end && pairs.pieces[old] < key) ++old;
    if (old < old_end && pairs.pieces[old] == key) {
      const Vec3f n{pairs.x[old], pairs.y[old], pairs.z[old]};
      pairs.add(corner, i, j, n, pairs.h[old] + dot(n, moved) - more);
      return;
    }
    Vec3f n{};
    float gap = -1;
    for (int axis = 0; axis < 3; ++axis) {
      const float above = in_a.low[axis][l] - in_b.high[axis][m] - bound_low[axis] + 2 * grow - p.band;
      const float below = in_b.low[axis][m] - in_a.high[axis][l] + bound_high[axis] + 2 * grow - p.band;
      if (std::max(above, below) > gap) {
        gap = std::max(above, below);
        n = {};
        n[axis] = above > below ? 1.0f : -1.0f;
      }
    }
    pairs.add(corner, i, j, n, gap - 2 * rounding_);
  };
  /// Calls found(part, its box, other, its box) for those that overlap, in order.
  const auto meeting = [&](const Side& x, int32_t begin, int32_t end, const Side& y, int32_t other_begin,
                           int32_t other_end, auto&& found) {
    for (int32_t q = begin; q < end; ++q) {
      const Boxes& pack = x.packs[q];
      for (int l = 0; l < kLeaf; ++l) {
        if (tree_.pieces[(x.first + q) * kLeaf + l][0] < 0) break;  // the rest is empty
        const float low[3] = {pack.low[0][l], pack.low[1][l], pack.low[2][l]};
        const float high[3] = {pack.high[0][l], pack.high[1][l], pack.high[2][l]};
        for (int32_t r = other_begin; r < other_end; ++r) {
          int which[8];
          const int partners = overlapping(y.packs[r], low, high, which);
          for (int m = 0; m < partners; ++m) found(q, l, r, which[m]);
        }
      }
    }
  };
  const auto piece = [&](const Side& side, int32_t q, int l) -> const std::array<int32_t, 3>& {
    return tree_.pieces[(side.first + q) * kLeaf + l];
  };
  const int32_t was[4] = {c.begin, c.turned, c.edges, c.end};
  drop_pairs(p, c);
  c.begin = pairs.size();
  old = was[0], old_end = was[1];
  meeting(side_a, side_a.vertices, side_a.edges, other, 0, other.vertices, [&](int32_t q, int l, int32_t r, int m) {
    const auto &v = piece(side_a, q, l), &t = piece(other, r, m);
    if (apart(v, t)) add({v[0], t[0], t[1], t[2]}, q * kLeaf + l, r * kLeaf + m, side_a.packs[q], l, other.packs[r], m);
  });
  c.turned = pairs.size();
  old = was[1], old_end = was[2];
  if (!self) {
    meeting(side_b, side_b.vertices, side_b.edges, side_a, 0, side_a.vertices, [&](int32_t q, int l, int32_t r, int m) {
      const auto &v = piece(side_b, q, l), &t = piece(side_a, r, m);
      if (apart(v, t)) {
        add({v[0], t[0], t[1], t[2]}, q * kLeaf + l, r * kLeaf + m, side_a.packs[r], m, side_b.packs[q], l);
      }
    });
  }
  c.edges = pairs.size();
  old = was[2], old_end = was[3];
  meeting(side_a, side_a.edges, side_a.end, other, other.edges, other.end, [&](int32_t q, int l, int32_t r, int m) {
    const auto &e = piece(side_a, q, l), &f = piece(other, r, m);
    if (!apart(e, f) || (self && q * kLeaf + l >= r * kLeaf + m)) return;
    add({e[0], e[1], f[0], f[1]}, q * kLeaf + l, r * kLeaf + m, side_a.packs[q], l, other.packs[r], m);
  });
  c.end = pairs.size();
  c.low = bound_low;
  c.high = bound_high;
  c.D = c.seen_D = {};
  c.e = c.seen_e = 0;
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
