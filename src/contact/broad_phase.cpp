#include "contact/broad_phase.h"

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

#include "core/parallel.h"
#include "math/simd.h"

namespace pliant {

namespace {

constexpr int64_t kNodesPerChunk = 64;
/// A walk is cut into this many parts at least, where it is large enough, and done in this many chunks at most.
constexpr std::size_t kLeastWalks = 128;
constexpr int64_t kMostChunks = 64;

using Four = Pack<float, 4>;
using Eight = Pack<float, 8>;

ContactBox around(const ContactBox& a, const ContactBox& b) {
  ContactBox out;
  min(Four::load(a.low), Four::load(b.low)).store(out.low);
  max(Four::load(a.high), Four::load(b.high)).store(out.high);
  return out;
}

bool boxes_overlap(const ContactBox& a, const ContactBox& b) {
  return all((Four::load(a.low) <= Four::load(b.high)) & (Four::load(b.low) <= Four::load(a.high)));
}

}  // namespace

bool ContactSurface::are_tied(int32_t a, int32_t b) const {
  if (!is_tied[a] || !is_tied[b]) return false;
  return std::binary_search(tied.begin(), tied.end(), std::array<int32_t, 2>{std::min(a, b), std::max(a, b)});
}

// ------------------------------------------------------------------ trees

/// Halves along the longest extent of the centres, at whole clusters.
int32_t BroadPhase::build_node(const ContactSurface& surface, int begin, int end) {
  const int32_t number = static_cast<int32_t>(nodes_.size());
  nodes_.emplace_back();
  const int count = (end - begin + kLeaf - 1) / kLeaf;
  nodes_[number].clusters = count;
  if (count == 1) {
    nodes_[number].cluster = static_cast<int32_t>(clusters_.size());
    build_cluster(surface, begin, end);
    return number;
  }
  const auto centre = [&](int32_t e, int axis) {
    const auto& c = surface.elements[e].corner;
    return surface.rest[c[0]][axis] + surface.rest[c[1]][axis] + surface.rest[c[2]][axis];
  };
  int longest = 0;
  double extent = -1;
  for (int axis = 0; axis < 3; ++axis) {
    double low = std::numeric_limits<double>::max(), high = -low;
    for (int k = begin; k < end; ++k) {
      low = std::min(low, centre(order_[k], axis));
      high = std::max(high, centre(order_[k], axis));
    }
    if (high - low > extent) longest = axis, extent = high - low;
  }
  const int middle = begin + (count + 1) / 2 * kLeaf;
  std::nth_element(order_.begin() + begin, order_.begin() + middle, order_.begin() + end, [&](int32_t a, int32_t b) {
    return std::pair(centre(a, longest), a) < std::pair(centre(b, longest), b);
  });
  build_node(surface, begin, middle);
  const int32_t right = build_node(surface, middle, end);
  nodes_[number].right = right;
  return number;
}

void BroadPhase::build_cluster(const ContactSurface& surface, int begin, int end) {
  Cluster cluster;
  const auto pad = [&] {
    while (parts_.size() % kLeaf != 0) parts_.push_back({-1, -1, -1});
    return static_cast<int32_t>(parts_.size() / kLeaf);
  };
  cluster.corners = static_cast<int32_t>(corners_.size());
  cluster.faces = pad();
  for (int k = begin; k < end; ++k) {
    const SurfaceElement& e = surface.elements[order_[k]];
    corners_.insert(corners_.end(), e.corner.begin(), e.corner.end());
    if (e.face) parts_.push_back(e.corner);
  }
  std::sort(corners_.begin() + cluster.corners, corners_.end());
  corners_.erase(std::unique(corners_.begin() + cluster.corners, corners_.end()), corners_.end());
  cluster.corners_end = static_cast<int32_t>(corners_.size());
  cluster.vertices = pad();
  for (int k = begin; k < end; ++k) {
    const SurfaceElement& e = surface.elements[order_[k]];
    for (int m = 0; m < 3; ++m) {
      if (e.vertices >> m & 1) parts_.push_back({e.corner[m], e.corner[m], e.corner[m]});
    }
  }
  cluster.edges = pad();
  for (int k = begin; k < end; ++k) {
    const SurfaceElement& e = surface.elements[order_[k]];
    for (int m = 0; m < 3; ++m) {
      const int32_t next = e.corner[m == 2 ? 0 : m + 1];
      if (e.edges >> m & 1) parts_.push_back({e.corner[m], next, next});
    }
  }
  cluster.end = pad();
  clusters_.push_back(cluster);
}

void BroadPhase::build(const ContactSurface& surface) {
  const int bodies = static_cast<int>(surface.body_begin.size()) - 1;
  const int elements = static_cast<int>(surface.elements.size());
  nodes_.clear();
  clusters_.clear();
  corners_.clear();
  parts_.clear();
  root_.clear();
  int begin = 0;
  for (int b = 0; b < bodies; ++b) {
    int end = begin;
    while (end < elements && surface.elements[end].body == b) ++end;
    root_.push_back(static_cast<int32_t>(nodes_.size()));
    order_.resize(end - begin);
    for (int k = begin; k < end; ++k) order_[k - begin] = k;
    if (end > begin) build_node(surface, 0, end - begin);
    begin = end;
  }
  root_.push_back(static_cast<int32_t>(nodes_.size()));
  box_.resize(nodes_.size());
  packs_.resize(parts_.size() / kLeaf);
  parent_.assign(nodes_.size(), -1);
  leaf_.assign(clusters_.size(), -1);
  for (int32_t n = 0; n < static_cast<int32_t>(nodes_.size()); ++n) {
    if (nodes_[n].cluster >= 0) {
      leaf_[nodes_[n].cluster] = n;
    } else {
      parent_[n + 1] = parent_[nodes_[n].right] = n;
    }
  }
  build_stars(static_cast<int>(surface.body.size()));
  wanted_.assign(clusters_.size(), 0);
  by_low_.reserve(bodies);
}

void BroadPhase::build_stars(int particles) {
  // A vertex stands in all three places of its part, an edge's end in two.
  const auto each = [&](auto&& f) {
    for (int32_t part = 0; part < static_cast<int32_t>(parts_.size()); ++part) {
      const auto& p = parts_[part];
      if (p[0] < 0) continue;
      f(p[0], part);
      if (p[1] != p[0]) f(p[1], part);
      if (p[2] != p[1]) f(p[2], part);
    }
  };
  star_begin_.assign(particles + 1, 0);
  each([&](int32_t particle, int32_t) { ++star_begin_[particle + 1]; });
  for (int i = 0; i < particles; ++i) star_begin_[i + 1] += star_begin_[i];
  star_.resize(star_begin_.back());
  std::vector<int32_t> next(star_begin_.begin(), star_begin_.end() - 1);
  each([&](int32_t particle, int32_t part) { star_[next[particle]++] = part; });
}

void BroadPhase::refit(JobSystem& jobs, std::span<const ContactBox> boxes) {
  parallel_for(jobs, static_cast<int64_t>(nodes_.size()), kNodesPerChunk, [&](int64_t begin, int64_t end) {
    for (int64_t n = begin; n < end; ++n) {
      if (nodes_[n].cluster < 0) continue;
      const Cluster& cluster = clusters_[nodes_[n].cluster];
      ContactBox all = boxes[corners_[cluster.corners]];
      for (int32_t k = cluster.corners + 1; k < cluster.corners_end; ++k) all = around(all, boxes[corners_[k]]);
      box_[n] = all;
    }
  });
  for (int32_t n = static_cast<int32_t>(nodes_.size()) - 1; n >= 0; --n) {  // children stand behind their parent
    if (nodes_[n].right >= 0) box_[n] = around(box_[n + 1], box_[nodes_[n].right]);
  }
}

// ------------------------------------------------------------------ the walk

/// Pairs of bodies that overlap, and bodies that touch themselves: ascending.
void BroadPhase::find_bodies(const ContactSurface& surface, std::span<const uint8_t> still) {
  const int bodies = static_cast<int>(root_.size()) - 1;
  pairs_.clear();
  by_low_.clear();
  for (int b = 0; b < bodies; ++b) {
    if (root_[b] < root_[b + 1]) by_low_.push_back(b);
  }
  const auto low = [&](int32_t b) { return box_[root_[b]].low[0]; };
  std::sort(by_low_.begin(), by_low_.end(),
            [&](int32_t a, int32_t b) { return std::pair(low(a), a) < std::pair(low(b), b); });
  for (std::size_t k = 0; k < by_low_.size(); ++k) {
    const int32_t a = by_low_[k];
    if (surface.touches_itself[a] && !still[a]) pairs_.push_back({a, a});
    const ContactBox& box = box_[root_[a]];
    for (std::size_t m = k + 1; m < by_low_.size() && low(by_low_[m]) <= box.high[0]; ++m) {
      const int32_t b = by_low_[m];
      if (still[a] && still[b]) continue;
      if (boxes_overlap(box, box_[root_[b]])) pairs_.push_back({std::max(a, b), std::min(a, b)});
    }
  }
  std::sort(pairs_.begin(), pairs_.end(),
            [](const NodePair& p, const NodePair& q) { return std::pair(p.a, p.b) < std::pair(q.a, q.b); });
  for (NodePair& pair : pairs_) pair = {root_[pair.a], root_[pair.b]};
}

bool BroadPhase::overlap(const NodePair& pair) const {
  return pair.a == pair.b || boxes_overlap(box_[pair.a], box_[pair.b]);
}

int BroadPhase::split(const NodePair& pair, NodePair (&into)[3]) const {
  const Node &a = nodes_[pair.a], &b = nodes_[pair.b];
  if (a.right < 0 && b.right < 0) return 0;
  if (pair.a == pair.b) {
    const int32_t left = pair.a + 1, right = a.right;
    into[0] = {left, left};
    into[1] = {left, right};
    into[2] = {right, right};
    return 3;
  }
  if (a.clusters >= b.clusters) {  // by what is constant, so that the order is
    into[0] = {pair.a + 1, pair.b};
    into[1] = {a.right, pair.b};
  } else {
    into[0] = {pair.a, pair.b + 1};
    into[1] = {pair.a, b.right};
  }
  return 2;
}

void BroadPhase::walk(const NodePair& from, Found& found) {
  found.stack.clear();
  found.stack.push_back(from);
  while (!found.stack.empty()) {
    const NodePair pair = found.stack.back();
    found.stack.pop_back();
    NodePair into[3];
    const int many = split(pair, into);
    if (many == 0) found.leaves.push_back(pair);
    for (int k = many - 1; k >= 0; --k) {
      if (overlap(into[k])) found.stack.push_back(into[k]);
    }
  }
}

/// All pairs of leaves that overlap, in the order of the trees.
void BroadPhase::find_leaves(JobSystem& jobs) {
  // One large pair must not keep one thread busy.
  for (bool more = true; more && pairs_.size() < kLeastWalks;) {
    more = false;
    split_pairs_.clear();
    for (const NodePair& pair : pairs_) {
      NodePair into[3];
      const int many = split(pair, into);
      if (many == 0) split_pairs_.push_back(pair);
      for (int k = 0; k < many; ++k) {
        if (overlap(into[k])) split_pairs_.push_back(into[k]);
      }
      more |= many > 0;
    }
    pairs_.swap(split_pairs_);
  }
  const int64_t count = static_cast<int64_t>(pairs_.size());
  const int64_t grain = std::max<int64_t>(1, (count + kMostChunks - 1) / kMostChunks);
  const int64_t chunks = chunk_count(count, grain);
  if (static_cast<int64_t>(found_.size()) < chunks) found_.resize(chunks);
  parallel_for_chunks(jobs, count, grain, [&](int64_t chunk, int64_t begin, int64_t end) {
    found_[chunk].leaves.clear();
    for (int64_t k = begin; k < end; ++k) walk(pairs_[k], found_[chunk]);
  });
  leaves_.clear();
  for (int64_t chunk = 0; chunk < chunks; ++chunk) {
    const auto& some = found_[chunk].leaves;
    leaves_.insert(leaves_.end(), some.begin(), some.end());
  }
}

/// Boxes of the parts of all leaves that meet another.
void BroadPhase::fill_boxes(JobSystem& jobs, std::span<const ContactBox> boxes) {
  std::fill(wanted_.begin(), wanted_.end(), uint8_t{0});
  for (const NodePair& pair : leaves_) wanted_[nodes_[pair.a].cluster] = wanted_[nodes_[pair.b].cluster] = 1;
  constexpr float kNowhere = std::numeric_limits<float>::max();
  static constexpr ContactBox kEmpty{{kNowhere, kNowhere, kNowhere, 0}, {-kNowhere, -kNowhere, -kNowhere, 0}};
  parallel_for(jobs, static_cast<int64_t>(clusters_.size()), kNodesPerChunk, [&](int64_t begin, int64_t end) {
    for (int64_t c = begin; c < end; ++c) {
      if (!wanted_[c]) continue;
      for (int32_t p = clusters_[c].faces; p < clusters_[c].end; ++p) {
        Boxes& pack = packs_[p];
        for (int l = 0; l < kLeaf; ++l) {
          const auto& part = parts_[int64_t{p} * kLeaf + l];
          ContactBox box = kEmpty;
          if (part[0] >= 0) box = around(around(boxes[part[0]], boxes[part[1]]), boxes[part[2]]);
          for (int axis = 0; axis < 3; ++axis) {
            pack.low[axis][l] = box.low[axis];
            pack.high[axis][l] = box.high[axis];
          }
        }
      }
    }
  });
}

namespace {

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

/// A pair has one form, however it was found.
ContactCandidate edge_pair(const std::array<int32_t, 3>& p, const std::array<int32_t, 3>& q) {
  return p[0] < q[0] || (p[0] == q[0] && p[1] < q[1]) ? ContactCandidate{{p[0], p[1], q[0], q[1]}}
                                                      : ContactCandidate{{q[0], q[1], p[0], p[1]}};
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

/// Calls found(part, other) for the parts in some packs that overlap parts in others, which are all within a box.
template <class F>
void BroadPhase::meeting(int32_t begin, int32_t end, const ContactBox& others, int32_t other_begin, int32_t other_end,
                         F&& found) const {
  const float low[3] = {others.low[0], others.low[1], others.low[2]};
  const float high[3] = {others.high[0], others.high[1], others.high[2]};
  for (int32_t p = begin; p < end; ++p) {
    int inside[8];
    const int many = overlapping(packs_[p], low, high, inside);
    for (int k = 0; k < many; ++k) {
      const int l = inside[k];
      const Boxes& pack = packs_[p];
      const float part_low[3] = {pack.low[0][l], pack.low[1][l], pack.low[2][l]};
      const float part_high[3] = {pack.high[0][l], pack.high[1][l], pack.high[2][l]};
      for (int32_t q = other_begin; q < other_end; ++q) {
        int which[8];
        const int partners = overlapping(packs_[q], part_low, part_high, which);
        for (int m = 0; m < partners; ++m) found(p * kLeaf + l, q * kLeaf + which[m]);
      }
    }
  }
}

/// Pairs of parts of two leaves, as far as their boxes overlap and nothing ties them.
void BroadPhase::compare(const ContactSurface& surface, const NodePair& leaves, Found& found) const {
  const Cluster &a = clusters_[nodes_[leaves.a].cluster], &b = clusters_[nodes_[leaves.b].cluster];
  const ContactBox &box_a = box_[leaves.a], &box_b = box_[leaves.b];
  const bool self = leaves.a == leaves.b;
  const bool same = surface.body[corners_[a.corners]] == surface.body[corners_[b.corners]];
  const auto apart = [&](const std::array<int32_t, 3>& p, const std::array<int32_t, 3>& q) {
    return same ? !shares(p, q) : surface.tied.empty() || !any_tied(surface, p, q);
  };
  const auto vertex_face = [&](int32_t i, int32_t j) {
    const auto &v = parts_[i], &t = parts_[j];
    if (apart(v, t)) found.vertex_triangle.push_back({{v[0], t[0], t[1], t[2]}});
  };
  meeting(a.vertices, a.edges, box_b, b.faces, b.vertices, vertex_face);
  if (!self) meeting(b.vertices, b.edges, box_a, a.faces, a.vertices, vertex_face);
  meeting(a.edges, a.end, box_b, b.edges, b.end, [&](int32_t i, int32_t j) {
    const auto &p = parts_[i], &q = parts_[j];
    if (apart(p, q) && (!self || i < j)) found.edge_edge.push_back(edge_pair(p, q));
  });
}

void BroadPhase::find(JobSystem& jobs, const ContactSurface& surface, std::span<const ContactBox> boxes,
                      std::span<const uint8_t> still) {
  vertex_triangle_.clear();
  edge_edge_.clear();
  if (nodes_.empty()) return;
  refit(jobs, boxes);
  find_bodies(surface, still);
  find_leaves(jobs);
  fill_boxes(jobs, boxes);
  const int64_t count = static_cast<int64_t>(leaves_.size());
  const int64_t grain = std::max<int64_t>(16, (count + kMostChunks - 1) / kMostChunks);
  const int64_t chunks = chunk_count(count, grain);
  if (static_cast<int64_t>(found_.size()) < chunks) found_.resize(chunks);
  parallel_for_chunks(jobs, count, grain, [&](int64_t chunk, int64_t begin, int64_t end) {
    Found& found = found_[chunk];
    found.vertex_triangle.clear();
    found.edge_edge.clear();
    for (int64_t k = begin; k < end; ++k) compare(surface, leaves_[k], found);
  });
  append(chunks);
}

void BroadPhase::append(int64_t chunks) {
  for (const auto& [part, all] :
       {std::pair{&Found::vertex_triangle, &vertex_triangle_}, std::pair{&Found::edge_edge, &edge_edge_}}) {
    std::size_t sum = all->size();
    for (int64_t chunk = 0; chunk < chunks; ++chunk) sum += (found_[chunk].*part).size();
    if (all->capacity() < sum) all->reserve(sum + sum / 2);
    for (int64_t chunk = 0; chunk < chunks; ++chunk) {
      all->insert(all->end(), (found_[chunk].*part).begin(), (found_[chunk].*part).end());
    }
  }
}

// ------------------------------------------------------------------ single particles

/// All pairs of parts that one particle belongs to.
void BroadPhase::find_around(const ContactSurface& surface, std::span<const ContactBox> boxes, int32_t particle,
                             Found& found) const {
  const auto box_of = [&](const std::array<int32_t, 3>& p) {
    return around(around(boxes[p[0]], boxes[p[1]]), boxes[p[2]]);
  };
  const std::span<const int32_t> star(&star_[star_begin_[particle]], star_begin_[particle + 1] - star_begin_[particle]);
  if (star.empty()) return;
  ContactBox all = boxes[particle];
  for (const int32_t part : star) all = around(all, box_of(parts_[part]));
  const int32_t body = surface.body[particle];
  const auto apart = [&](const std::array<int32_t, 3>& p, const std::array<int32_t, 3>& q) {
    return surface.body[p[0]] == surface.body[q[0]] ? !shares(p, q) : surface.tied.empty() || !any_tied(surface, p, q);
  };
  const auto is_vertex = [](const std::array<int32_t, 3>& p) { return p[0] == p[1]; };
  const auto is_edge = [](const std::array<int32_t, 3>& p) { return p[0] != p[1] && p[1] == p[2]; };
  for (std::size_t b = 0; b + 1 < root_.size(); ++b) {
    if (root_[b] == root_[b + 1]) continue;
    if (static_cast<int32_t>(b) == body && !surface.touches_itself[body]) continue;
    if (!boxes_overlap(all, box_[root_[b]])) continue;
    found.nodes.assign(1, root_[b]);
    while (!found.nodes.empty()) {
      const int32_t n = found.nodes.back();
      found.nodes.pop_back();
      if (!boxes_overlap(all, box_[n])) continue;
      if (nodes_[n].right >= 0) {
        found.nodes.push_back(nodes_[n].right);
        found.nodes.push_back(n + 1);
        continue;
      }
      const Cluster& cluster = clusters_[nodes_[n].cluster];
      for (int32_t k = cluster.faces * kLeaf; k < cluster.end * kLeaf; ++k) {
        const auto& other = parts_[k];
        if (other[0] < 0) continue;
        const ContactBox box = box_of(other);
        if (!boxes_overlap(all, box)) continue;
        for (const int32_t part : star) {
          const auto& own = parts_[part];
          if (is_edge(own) != is_edge(other) || (!is_edge(own) && is_vertex(own) == is_vertex(other))) continue;
          if (!boxes_overlap(box_of(own), box) || !apart(own, other)) continue;
          if (is_edge(own)) {
            found.edge_edge.push_back(edge_pair(own, other));
          } else {
            const auto &v = is_vertex(own) ? own : other, &t = is_vertex(own) ? other : own;
            found.vertex_triangle.push_back({{v[0], t[0], t[1], t[2]}});
          }
        }
      }
    }
  }
}

void BroadPhase::add(JobSystem& jobs, const ContactSurface& surface, std::span<const ContactBox> boxes,
                     std::span<const int32_t> changed) {
  for (const int32_t i : changed) {
    for (int32_t k = star_begin_[i]; k < star_begin_[i + 1]; ++k) {
      // Up to the root: as large as it must be, until all are refitted.
      const auto& p = parts_[star_[k]];
      const ContactBox box = around(around(boxes[p[0]], boxes[p[1]]), boxes[p[2]]);
      const auto at = std::upper_bound(clusters_.begin(), clusters_.end(), star_[k] / kLeaf,
                                       [](int32_t pack, const Cluster& c) { return pack < c.faces; });
      for (int32_t n = leaf_[at - clusters_.begin() - 1]; n >= 0; n = parent_[n]) box_[n] = around(box_[n], box);
    }
  }
  constexpr int64_t kParticlesPerChunk = 8;
  const int64_t count = static_cast<int64_t>(changed.size());
  const int64_t grain = std::max(kParticlesPerChunk, (count + kMostChunks - 1) / kMostChunks);
  const int64_t chunks = chunk_count(count, grain);
  if (static_cast<int64_t>(found_.size()) < chunks) found_.resize(chunks);
  parallel_for_chunks(jobs, count, grain, [&](int64_t chunk, int64_t begin, int64_t end) {
    found_[chunk].vertex_triangle.clear();
    found_[chunk].edge_edge.clear();
    for (int64_t k = begin; k < end; ++k) find_around(surface, boxes, changed[k], found_[chunk]);
  });
  append(chunks);
}

}  // namespace pliant
