// Which parts of bodies may meet in a substep: neighbours are found with a tree over the parts and stay as long as each
// part stays within a box around its ways of some substeps.

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "contact/broad_phase.h"
#include "math/simd.h"

namespace pliant {

namespace {

/// Parts below a leaf of the tree over them.
constexpr int32_t kPartsPerLeaf = 4;
/// Substeps: what is side by side stays there for long.
constexpr int64_t kPartTreeServes = 16;
/// How far parts are searched for others ahead, in substeps of their present motion, and in mean edges for those that
/// rest: neighbours that do not meet cost one look at two boxes.
constexpr float kPartAhead = 6, kPartMargin = 0.2f;

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

/// Not if anything is not a number.
bool is_within(const ContactBox& a, const ContactBox& b) {
  return a.low[0] >= b.low[0] && a.low[1] >= b.low[1] && a.low[2] >= b.low[2] && a.high[0] <= b.high[0] &&
         a.high[1] <= b.high[1] && a.high[2] <= b.high[2];
}

/// A number that has nothing to do with the two, but is always the same for them.
uint32_t chance(int32_t a, int32_t b) {
  uint64_t x = (static_cast<uint64_t>(a) << 32 | static_cast<uint32_t>(b)) * 0x9e3779b97f4a7c15u;
  x = (x ^ x >> 29) * 0xbf58476d1ce4e5b9u;
  return static_cast<uint32_t>(x >> 32);
}

}  // namespace

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
  p.partial = false;
  p.thickness = half_thickness_[body_a] + half_thickness_[body_b];
  p.band = band_ * p.thickness;
  p.edge = (surface.edge_length[body_a] + surface.edge_length[body_b]) / 2;
  return number;
}

/// The tree over parts [begin, end) of `in_space_`, halved along the longest extent of their middles.
int32_t BroadPhase::build_part_tree(int32_t begin, int32_t end) {
  const int32_t number = static_cast<int32_t>(part_nodes_.size());
  part_nodes_.emplace_back();
  ContactBox box = parts_[in_space_[begin]].around;
  Four low(std::numeric_limits<float>::max()), high(-std::numeric_limits<float>::max());
  for (int32_t k = begin; k < end; ++k) {
    const ContactBox& own = parts_[in_space_[k]].around;
    const Four middle = Four::load(own.low) + Four::load(own.high);
    low = min(low, middle);
    high = max(high, middle);
    box = around(box, own);
  }
  int32_t left = -1, right = -1;
  if (end - begin > kPartsPerLeaf) {
    float extent[4];
    (high - low).store(extent);
    const int axis = extent[0] >= extent[1] && extent[0] >= extent[2] ? 0 : extent[1] >= extent[2] ? 1 : 2;
    const auto middle = [&](int32_t p) { return parts_[p].around.low[axis] + parts_[p].around.high[axis]; };
    const int32_t half = begin + (end - begin) / 2;
    std::nth_element(in_space_.begin() + begin, in_space_.begin() + half, in_space_.begin() + end,
                     [&](int32_t x, int32_t y) { return std::pair(middle(x), x) < std::pair(middle(y), y); });
    left = build_part_tree(begin, half);
    right = build_part_tree(half, end);
  }
  part_nodes_[number] = {box, begin, end, left, right};
  return number;
}

/// Boxes of that tree around the parts of now.
void BroadPhase::refit_part_tree() {
  for (std::size_t n = part_nodes_.size(); n-- > 0;) {  // children stand behind their parent
    PartNode& node = part_nodes_[n];
    if (node.left >= 0) {
      node.box = around(part_nodes_[node.left].box, part_nodes_[node.right].box);
      continue;
    }
    node.box = parts_[in_space_[node.begin]].around;
    for (int32_t k = node.begin + 1; k < node.end; ++k) node.box = around(node.box, parts_[in_space_[k]].around);
  }
}

/// Pairs of parts that can meet in the next substeps: of a tree with itself.
void BroadPhase::find_neighbors(JobSystem& jobs, const ContactSurface& surface) {
  for (std::size_t k = 0; k < parts_.size(); ++k) {
    PartState& part = parts_[k];
    const float most = length(part.step.mean) + part.step.most;
    const float grow = kPartAhead * most + kPartMargin * edge_length_[tree_.parts[k].body];
    for (int axis = 0; axis < 3; ++axis) {
      part.around.low[axis] = part.way.low[axis] - grow;
      part.around.high[axis] = part.way.high[axis] + grow;
    }
  }
  if (substeps_ >= next_part_tree_) {
    measure_normals(jobs);
    part_nodes_.clear();
    build_part_tree(0, static_cast<int32_t>(parts_.size()));
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
  neighbors_.clear();
  std::fill(has_dropped_.begin(), has_dropped_.end(), uint8_t{0});
  const auto drop = [&](const std::pair<int32_t, int32_t>& p) {
    if (!is_out(p)) return false;
    has_dropped_[static_cast<std::size_t>(p.first)] = has_dropped_[static_cast<std::size_t>(p.second)] = 1;
    return true;
  };
  const auto try_parts = [&](int32_t a, int32_t b) {
    if (!surface.may_meet(tree_.parts[a].body, tree_.parts[b].body)) return;
    if (a != b && !boxes_overlap(parts_[a].around, parts_[b].around)) return;
    const std::pair two(std::max(a, b), std::min(a, b));
    if (drop(two)) return;
    neighbors_.push_back(two);
    while (neighbors_.size() > most) {
      below /= 2;
      std::erase_if(neighbors_, drop);
    }
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
}

/// Pairs of parts whose ways meet.
void BroadPhase::meet_parts(JobSystem& jobs, const ContactSurface& surface) {
  meeting_.clear();
  if (parts_.empty()) return;
  const auto has_left = [](const PartState& part) { return !is_within(part.way, part.around); };
  if (substeps_ >= next_part_tree_ || std::any_of(parts_.begin(), parts_.end(), has_left)) {
    find_neighbors(jobs, surface);
  }
  for (PartState& part : parts_) part.meetings = 0;
  for (const auto& [a, b] : neighbors_) {
    if (parts_[a].still && parts_[b].still) continue;
    if (a != b && !boxes_overlap(parts_[a].way, parts_[b].way)) continue;
    const int32_t number = part_pair(surface, a, b);
    part_pairs_[number].met = substeps_;
    meeting_.push_back(number);
    ++parts_[a].meetings;
    ++parts_[b].meetings;
  }
}

/// What two parts may have of a budget.
int64_t BroadPhase::share(const PartPair& p, Budget budget) const {
  constexpr int64_t kFewest = 4;
  const auto of = [&](int32_t part) {
    const int64_t clusters = tree_.parts[part].cluster_end - tree_.parts[part].cluster_begin;
    return budget * clusters / std::max<int64_t>(kFewest, parts_[part].meetings);
  };
  return of(p.a) + of(p.b);
}

}  // namespace pliant
