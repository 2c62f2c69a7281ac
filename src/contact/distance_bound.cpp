#include "contact/distance_bound.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "contact/closest.h"
#include "core/parallel.h"

namespace pliant {

namespace {

constexpr int32_t kLeaf = 4;

double gap_of(const Vec3d& low_a, const Vec3d& high_a, const Vec3d& low_b, const Vec3d& high_b) {
  double sum = 0;
  for (int k = 0; k < 3; ++k) {
    const double apart = std::max({low_a[k] - high_b[k], low_b[k] - high_a[k], 0.0});
    sum += apart * apart;
  }
  return std::sqrt(sum);
}

bool has(const SurfaceElement& e, int32_t v) { return v == e.corner[0] || v == e.corner[1] || v == e.corner[2]; }

/// Least distance of the features of two elements that have no corner in common and are not freed; `most` if that is
/// less.
double distance_of(const SurfaceElement& a, const SurfaceElement& b, const ContactSurface& surface,
                   std::span<const Vec3d> x, const FreedPairs& freed, double most) {
  double least = most * most;
  const bool any_freed = !freed.empty();
  const bool may_be_tied = !surface.tied.empty();
  const auto tied = [&](const std::array<int32_t, 4>& c, int side_a) {
    if (!may_be_tied) return false;
    for (int k = 0; k < side_a; ++k) {
      for (int m = side_a; m < 4; ++m) {
        if (surface.are_tied(c[k], c[m])) return true;
      }
    }
    return false;
  };
  const auto corners = [](const SurfaceElement& e) { return e.face ? 3 : 2; };
  const auto vertices = [&](const SurfaceElement& p, const SurfaceElement& q) {
    if (!q.face) return;
    for (int k = 0; k < corners(p); ++k) {
      const int32_t v = p.corner[k];
      if (has(q, v)) continue;
      const Vec3d at[4] = {x[v], x[q.corner[0]], x[q.corner[1]], x[q.corner[2]]};
      const double d = closest_vertex_triangle(at).distance_squared;
      if (!(d < least)) continue;
      const std::array<int32_t, 4> c{v, q.corner[0], q.corner[1], q.corner[2]};
      if ((any_freed && freed.has<1>(c)) || tied(c, 1)) continue;
      least = d;
    }
  };
  vertices(a, b);
  vertices(b, a);
  const int edges_a = a.face ? 3 : 1, edges_b = b.face ? 3 : 1;
  for (int k = 0; k < edges_a; ++k) {
    const int32_t p = a.corner[k], q = a.corner[(k + 1) % 3];
    for (int m = 0; m < edges_b; ++m) {
      const int32_t r = b.corner[m], s = b.corner[(m + 1) % 3];
      if (p == r || p == s || q == r || q == s) continue;
      const Vec3d at[4] = {x[p], x[q], x[r], x[s]};
      const double d = closest_edge_edge(at).distance_squared;
      if (!(d < least)) continue;
      const std::array<int32_t, 4> c{p, q, r, s};
      if ((any_freed && freed.has<2>(c)) || tied(c, 2)) continue;
      least = d;
    }
  }
  return std::sqrt(least);
}

/// Distance of an element from the plane of a face, if it lies on one side of it.
double above_plane(const SurfaceElement& e, const SurfaceElement& face, const Vec3d& normal, std::span<const Vec3d> x) {
  const Vec3d& from = x[static_cast<std::size_t>(face.corner[0])];
  double low = std::numeric_limits<double>::max(), high = -low;
  for (const int32_t i : e.corner) {
    const double above = dot(normal, x[static_cast<std::size_t>(i)] - from);
    low = std::min(low, above);
    high = std::max(high, above);
  }
  return std::max(low, -high) * (1 - 1e-9);
}

}  // namespace

void DistanceBound::build(int32_t begin, int32_t end) {
  const std::size_t number = nodes_.size();
  const auto of = [&](int32_t k) -> const Box& {
    return boxes_[static_cast<std::size_t>(order_[static_cast<std::size_t>(k)])];
  };
  Box all = of(begin), middles{all.low + all.high, all.low + all.high, {}};
  double unheld = 0;
  for (int32_t k = begin; k < end; ++k) {
    const Box& box = of(k);
    for (int axis = 0; axis < 3; ++axis) {
      const double middle = box.low[axis] + box.high[axis];
      all.low[axis] = std::min(all.low[axis], box.low[axis]);
      all.high[axis] = std::max(all.high[axis], box.high[axis]);
      middles.low[axis] = std::min(middles.low[axis], middle);
      middles.high[axis] = std::max(middles.high[axis], middle);
    }
    unheld = std::max(unheld, unheld_[static_cast<std::size_t>(order_[static_cast<std::size_t>(k)])]);
  }
  nodes_.push_back({all, unheld, begin, end, -1});
  if (end - begin <= kLeaf) return;
  const Vec3d extent = middles.high - middles.low;
  const int axis = extent.x >= extent.y && extent.x >= extent.z ? 0 : extent.y >= extent.z ? 1 : 2;
  const int32_t half = begin + (end - begin) / 2;
  const auto middle = [&](int32_t i) {
    const Box& box = boxes_[static_cast<std::size_t>(i)];
    return std::pair(box.low[axis] + box.high[axis], i);
  };
  std::nth_element(order_.begin() + begin, order_.begin() + half, order_.begin() + end,
                   [&](int32_t i, int32_t j) { return middle(i) < middle(j); });
  build(begin, half);
  nodes_[number].right = static_cast<int32_t>(nodes_.size());
  build(half, end);
}

/// Distance to the nearest other element, or as far as matters if that is less [m].
double DistanceBound::nearest(const ContactSurface& surface, int32_t number, const Motions& motions,
                              const FreedPairs& freed) const {
  const SurfaceElement& own = surface.elements[static_cast<std::size_t>(elements_[static_cast<std::size_t>(number)])];
  double best = 0;  // nothing farther than that has a say
  for (const int32_t i : own.corner) {
    if (!motions.stays[static_cast<std::size_t>(i)]) best = std::max(best, motions.way[static_cast<std::size_t>(i)]);
  }
  if (best == 0) return 0;
  best *= 1.01 / kGamma;
  const Box& box = boxes_[static_cast<std::size_t>(number)];
  const double size = length(box.high - box.low);
  const bool collider = surface.is_collider(own.body);
  const auto let_be = [&](const SurfaceElement& e) {
    for (const int32_t i : e.corner) {
      if (motions.let_be[static_cast<std::size_t>(i)]) return true;
    }
    return false;
  };
  struct Entry {
    int32_t node;
    double gap;
  };
  std::array<Entry, 64> stack;  // halves: as deep as a number has bits
  int many = 0, near = 0, looks = 0;
  const auto push = [&](int32_t n) {
    const Node& node = nodes_[static_cast<std::size_t>(n)];
    const double gap = gap_of(box.low, box.high, node.box.low, node.box.high) - node.unheld;
    if (gap < best) stack[static_cast<std::size_t>(many++)] = {n, gap};
  };
  push(0);
  while (many > 0) {
    const Entry top = stack[static_cast<std::size_t>(--many)];
    if (!(top.gap < best)) continue;
    const Node& node = nodes_[static_cast<std::size_t>(top.node)];
    if (node.right >= 0) {  // the nearer one first
      push(top.node + 1);
      const int before = many;
      push(node.right);
      if (before > 0 && many > before &&
          stack[static_cast<std::size_t>(many - 1)].gap > stack[static_cast<std::size_t>(before - 1)].gap) {
        std::swap(stack[static_cast<std::size_t>(many - 1)], stack[static_cast<std::size_t>(before - 1)]);
      }
      continue;
    }
    for (int32_t k = node.begin; k < node.end; ++k) {
      const int32_t other = order_[static_cast<std::size_t>(k)];
      if (other == number) continue;
      const SurfaceElement& e = surface.elements[static_cast<std::size_t>(elements_[static_cast<std::size_t>(other)])];
      if (!surface.may_meet(own.body, e.body)) continue;
      const Box& b = boxes_[static_cast<std::size_t>(other)];
      const double unheld = unheld_[static_cast<std::size_t>(other)];
      if (!(gap_of(box.low, box.high, b.low, b.high) - unheld < best)) continue;
      if (!motions.let_be.empty() && (collider || surface.is_collider(e.body)) && (let_be(own) || let_be(e))) continue;
      if (++near > kMostNear) return 0;
      if (above_plane(e, own, box.normal, motions.place) - unheld >= best ||
          above_plane(own, e, b.normal, motions.place) - unheld >= best) {
        continue;
      }
      if (++looks > kMostLooks) return 0;
      const double d = distance_of(own, e, surface, motions.place, freed, best + unheld) - unheld;
      if (!(d >= best)) best = d;
      if (!(best > kRounded * size)) return 0;
    }
  }
  return best;
}

void DistanceBound::lower(JobSystem& jobs, const ContactSurface& surface, std::span<const int32_t> elements,
                          const Motions& motions, const FreedPairs& freed, std::span<double> limit) {
  if (elements.empty()) return;
  elements_ = elements;
  const std::size_t count = elements.size();
  boxes_.resize(count);
  unheld_.resize(count);
  distance_.resize(count);
  order_.resize(count);
  std::iota(order_.begin(), order_.end(), 0);
  for (std::size_t k = 0; k < count; ++k) {
    const SurfaceElement& e = surface.elements[static_cast<std::size_t>(elements[k])];
    Box& box = boxes_[k];
    const Vec3d& first = motions.place[static_cast<std::size_t>(e.corner[0])];
    box = {first, first, {}};
    if (e.face) {
      const Vec3d n = cross(motions.place[static_cast<std::size_t>(e.corner[1])] - first,
                            motions.place[static_cast<std::size_t>(e.corner[2])] - first);
      const double size = length(n);
      if (size > 0 && std::isfinite(size)) box.normal = n / size;
    }
    unheld_[k] = 0;
    for (const int32_t i : e.corner) {
      const Vec3d& x = motions.place[static_cast<std::size_t>(i)];
      for (int axis = 0; axis < 3; ++axis) {
        box.low[axis] = std::min(box.low[axis], x[axis]);
        box.high[axis] = std::max(box.high[axis], x[axis]);
      }
      if (motions.stays[static_cast<std::size_t>(i)]) {
        unheld_[k] = std::max(unheld_[k], motions.way[static_cast<std::size_t>(i)]);
      }
    }
  }
  nodes_.clear();
  build(0, static_cast<int32_t>(count));
  parallel_for(jobs, static_cast<int64_t>(count), 32, [&](int64_t begin, int64_t end) {
    for (int64_t k = begin; k < end; ++k) {
      distance_[static_cast<std::size_t>(k)] = nearest(surface, static_cast<int32_t>(k), motions, freed);
    }
  });
  for (std::size_t k = 0; k < count; ++k) {
    for (const int32_t i : surface.elements[static_cast<std::size_t>(elements[k])].corner) {
      double& own = limit[static_cast<std::size_t>(i)];
      own = std::min(own, kGamma * distance_[k]);
    }
  }
}

}  // namespace pliant
