#include "contact/intersections.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

namespace pliant {

namespace {

using Wide = __int128;

struct GridPoint {
  int64_t x, y, z;
  friend GridPoint operator-(const GridPoint& a, const GridPoint& b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
  int64_t operator[](int k) const { return k == 0 ? x : k == 1 ? y : z; }
};

int sign(Wide value) { return value > 0 ? 1 : value < 0 ? -1 : 0; }

/// Side of d on the plane a b c. Coordinates below 2^37: differences 2^38, products 2^76, the sum below 2^117.
int orientation(const GridPoint& a, const GridPoint& b, const GridPoint& c, const GridPoint& d) {
  const GridPoint u = b - a, v = c - a, w = d - a;
  const Wide nx = Wide(u.y) * v.z - Wide(u.z) * v.y;
  const Wide ny = Wide(u.z) * v.x - Wide(u.x) * v.z;
  const Wide nz = Wide(u.x) * v.y - Wide(u.y) * v.x;
  return sign(nx * w.x + ny * w.y + nz * w.z);
}

/// Side of c on the line a b, seen along `axis`.
int orientation(const GridPoint& a, const GridPoint& b, const GridPoint& c, int axis) {
  const int i = (axis + 1) % 3, j = (axis + 2) % 3;
  const GridPoint u = b - a, v = c - a;
  return sign(Wide(u[i]) * v[j] - Wide(u[j]) * v[i]);
}

/// An axis along which the triangle does not vanish, -1 for one without area.
int axis_of(const GridPoint& a, const GridPoint& b, const GridPoint& c) {
  for (int axis = 0; axis < 3; ++axis) {
    if (orientation(a, b, c, axis) != 0) return axis;
  }
  return -1;
}

bool within(const GridPoint& p, const GridPoint& q, const GridPoint& r, int axis) {
  for (const int k : {(axis + 1) % 3, (axis + 2) % 3}) {
    if (r[k] < std::min(p[k], q[k]) || r[k] > std::max(p[k], q[k])) return false;
  }
  return true;
}

/// Two segments of one plane, seen along `axis`.
bool segments_meet(const GridPoint& p, const GridPoint& q, const GridPoint& a, const GridPoint& b, int axis) {
  const int sa = orientation(p, q, a, axis), sb = orientation(p, q, b, axis);
  const int sp = orientation(a, b, p, axis), sq = orientation(a, b, q, axis);
  if (sa * sb < 0 && sp * sq < 0) return true;
  return (sa == 0 && within(p, q, a, axis)) || (sb == 0 && within(p, q, b, axis)) ||
         (sp == 0 && within(a, b, p, axis)) || (sq == 0 && within(a, b, q, axis));
}

bool point_in_triangle(const GridPoint& p, const GridPoint& a, const GridPoint& b, const GridPoint& c, int axis) {
  const int s0 = orientation(a, b, p, axis), s1 = orientation(b, c, p, axis), s2 = orientation(c, a, p, axis);
  return (s0 >= 0 && s1 >= 0 && s2 >= 0) || (s0 <= 0 && s1 <= 0 && s2 <= 0);
}

bool segment_meets_triangle(const GridPoint& p, const GridPoint& q, const GridPoint& a, const GridPoint& b,
                            const GridPoint& c) {
  const int sp = orientation(a, b, c, p), sq = orientation(a, b, c, q);
  if (sp * sq > 0) return false;
  if (sp == 0 && sq == 0) {
    const int axis = axis_of(a, b, c);
    if (axis < 0) return false;
    return point_in_triangle(p, a, b, c, axis) || segments_meet(p, q, a, b, axis) || segments_meet(p, q, b, c, axis) ||
           segments_meet(p, q, c, a, axis);
  }
  const int s0 = orientation(p, q, a, b), s1 = orientation(p, q, b, c), s2 = orientation(p, q, c, a);
  return (s0 >= 0 && s1 >= 0 && s2 >= 0) || (s0 <= 0 && s1 <= 0 && s2 <= 0);
}

class SnappedSurface {
 public:
  explicit SnappedSurface(std::span<const Vec3d> positions) {
    double largest = 0;
    for (const Vec3d& x : positions) {
      largest = std::max({largest, std::abs(x.x), std::abs(x.y), std::abs(x.z)});
    }
    const double unit = std::ldexp(1.0, std::ilogb(largest > 0 ? largest : 1.0) + 1 - 36);  // |coordinate| <= 2^36
    points_.reserve(positions.size());
    for (const Vec3d& x : positions) {
      points_.push_back({std::llround(x.x / unit), std::llround(x.y / unit), std::llround(x.z / unit)});
    }
  }
  const GridPoint& operator[](int i) const { return points_[i]; }

  bool triangles_meet(const Triangle& s, const Triangle& t) const {
    int common = 0;
    for (const int v : s) common += v == t[0] || v == t[1] || v == t[2];
    if (common == 3) return true;
    if (common == 2) return folded(s, t);
    for (int k = 0; k < 3; ++k) {
      if (edge_meets({s[k], s[(k + 1) % 3]}, t) || edge_meets({t[k], t[(k + 1) % 3]}, s)) return true;
    }
    return false;
  }

  /// False where they have a corner in common.
  bool edge_meets(const Edge& e, const Triangle& t) const {
    for (const int v : e) {
      if (v == t[0] || v == t[1] || v == t[2]) return false;
    }
    return segment_meets_triangle(points_[e[0]], points_[e[1]], points_[t[0]], points_[t[1]], points_[t[2]]);
  }

 private:
  /// Triangles with a common edge: in one plane, on the same side of it.
  bool folded(const Triangle& s, const Triangle& t) const {
    int k = 0, m = 0;
    while (s[k] == t[0] || s[k] == t[1] || s[k] == t[2]) ++k;
    while (t[m] == s[0] || t[m] == s[1] || t[m] == s[2]) ++m;
    const GridPoint &a = points_[s[(k + 1) % 3]], &b = points_[s[(k + 2) % 3]], &p = points_[s[k]], &q = points_[t[m]];
    if (orientation(a, b, p, q) != 0) return false;
    const int axis = axis_of(a, b, p);
    return axis >= 0 && orientation(a, b, p, axis) == orientation(a, b, q, axis);
  }

  std::vector<GridPoint> points_;
};

struct Box {
  Vec3d low, high;
};

template <class Element>
std::vector<Box> boxes_of(std::span<const Vec3d> x, std::span<const Element> elements) {
  std::vector<Box> boxes;
  boxes.reserve(elements.size());
  for (const Element& element : elements) {
    Box box{x[element[0]], x[element[0]]};
    for (const int v : element) {
      for (int k = 0; k < 3; ++k) {
        box.low[k] = std::min(box.low[k], x[v][k]);
        box.high[k] = std::max(box.high[k], x[v][k]);
      }
    }
    boxes.push_back(box);
  }
  return boxes;
}

/// Rounding to the grid moves a point by less than this share of the scene; boxes must meet for all that.
bool overlap(const Box& a, const Box& b, double slack) {
  for (int k = 0; k < 3; ++k) {
    if (a.low[k] > b.high[k] + slack || b.low[k] > a.high[k] + slack) return false;
  }
  return true;
}

/// Boxes halved along the longest extent of their middles. (Not cells of a grid: a box that is a thousand times as long
/// as the others, of a body that has blown up, would reach into 1e9 of them.)
class BoxTree {
 public:
  explicit BoxTree(std::span<const Box> boxes) : boxes_(boxes), order_(boxes.size()) {
    std::iota(order_.begin(), order_.end(), 0);
    if (!order_.empty()) build(0, static_cast<int>(order_.size()));
  }

  /// Calls f(number) for all boxes that overlap this one.
  template <class F>
  void each_near(const Box& box, double slack, F&& f) const {
    int stack[64], many = 0;  // halves: as deep as a number has bits
    if (!nodes_.empty()) stack[many++] = 0;
    while (many > 0) {
      const int n = stack[--many];
      const Node& node = nodes_[static_cast<std::size_t>(n)];
      if (!overlap(box, node.box, slack)) continue;
      if (node.right < 0) {
        for (int k = node.begin; k < node.end; ++k) {
          const int i = order_[static_cast<std::size_t>(k)];
          if (overlap(box, boxes_[static_cast<std::size_t>(i)], slack)) f(i);
        }
      } else {
        stack[many++] = node.right;
        stack[many++] = n + 1;
      }
    }
  }

 private:
  static constexpr int kLeaf = 8;
  struct Node {
    Box box;
    int begin, end;  // in order_
    int right;       // the left child is the next node; -1: a leaf
  };

  void build(int begin, int end) {
    const std::size_t number = nodes_.size();
    const auto of = [&](int k) -> const Box& {
      return boxes_[static_cast<std::size_t>(order_[static_cast<std::size_t>(k)])];
    };
    Box all = of(begin), middles{all.low + all.high, all.low + all.high};
    for (int k = begin; k < end; ++k) {
      const Box& box = of(k);
      for (int axis = 0; axis < 3; ++axis) {
        const double middle = box.low[axis] + box.high[axis];
        all.low[axis] = std::min(all.low[axis], box.low[axis]);
        all.high[axis] = std::max(all.high[axis], box.high[axis]);
        middles.low[axis] = std::min(middles.low[axis], middle);
        middles.high[axis] = std::max(middles.high[axis], middle);
      }
    }
    nodes_.push_back({all, begin, end, -1});
    if (end - begin <= kLeaf) return;
    const Vec3d extent = middles.high - middles.low;
    const int axis = extent.x >= extent.y && extent.x >= extent.z ? 0 : extent.y >= extent.z ? 1 : 2;
    const int half = begin + (end - begin) / 2;
    const auto middle = [&](int i) {
      const Box& box = boxes_[static_cast<std::size_t>(i)];
      return std::pair(box.low[axis] + box.high[axis], i);
    };
    std::nth_element(order_.begin() + begin, order_.begin() + half, order_.begin() + end,
                     [&](int i, int j) { return middle(i) < middle(j); });
    build(begin, half);
    nodes_[number].right = static_cast<int>(nodes_.size());
    build(half, end);
  }

  std::span<const Box> boxes_;
  std::vector<int> order_;
  std::vector<Node> nodes_;
};

double slack_of(std::span<const Vec3d> positions) {
  double largest = 0;
  for (const Vec3d& x : positions) largest = std::max({largest, std::abs(x.x), std::abs(x.y), std::abs(x.z)});
  return largest * 0x1p-34;
}

}  // namespace

std::vector<IntersectingPair> intersecting_triangles(std::span<const Vec3d> positions,
                                                     std::span<const Triangle> triangles) {
  const SnappedSurface surface(positions);
  std::vector<Box> boxes = boxes_of(positions, triangles);
  const double slack = slack_of(positions);
  for (Box& box : boxes) {
    box.low -= Vec3d{slack, slack, slack};
    box.high += Vec3d{slack, slack, slack};
  }
  const BoxTree tree(boxes);
  std::vector<IntersectingPair> out;
  std::vector<int> near;
  for (int i = 0; i < static_cast<int>(triangles.size()); ++i) {
    near.clear();
    tree.each_near(boxes[i], slack, [&](int j) {
      if (j > i) near.push_back(j);
    });
    std::sort(near.begin(), near.end());
    for (const int j : near) {
      if (surface.triangles_meet(triangles[i], triangles[j])) out.push_back({i, j});
    }
  }
  return out;
}

std::vector<Piercing> piercing_edges(std::span<const Vec3d> positions, std::span<const Edge> edges,
                                     std::span<const Triangle> triangles, std::size_t most) {
  const SnappedSurface surface(positions);
  const std::vector<Box> boxes = boxes_of(positions, triangles), edge_boxes = boxes_of(positions, edges);
  const double slack = slack_of(positions);
  std::vector<Piercing> out;
  const BoxTree tree(boxes);
  std::vector<int> near;
  for (int i = 0; i < static_cast<int>(edges.size()); ++i) {
    near.clear();
    Box grown = edge_boxes[i];
    grown.low -= Vec3d{slack, slack, slack};
    grown.high += Vec3d{slack, slack, slack};
    tree.each_near(grown, slack, [&](int j) { near.push_back(j); });
    std::sort(near.begin(), near.end());
    for (const int j : near) {
      if (!surface.edge_meets(edges[i], triangles[j])) continue;
      if (out.size() == most) return out;
      out.push_back({i, j});
    }
  }
  return out;
}

}  // namespace pliant
