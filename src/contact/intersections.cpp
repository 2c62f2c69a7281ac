#include "contact/intersections.h"

#include <algorithm>
#include <cmath>

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

/// Boxes by the cells of a grid that they reach into.
class Cells {
 public:
  Cells(std::span<const Box> boxes, double cell) : cell_(cell) {
    for (std::size_t i = 0; i < boxes.size(); ++i) {
      each_cell(boxes[i], [&](uint64_t key) { entries_.push_back({key, static_cast<int>(i)}); });
    }
    std::sort(entries_.begin(), entries_.end());
  }

  template <class F>
  void each_cell(const Box& box, F&& f) const {
    const auto at = [&](double x) { return static_cast<int64_t>(std::floor(x / cell_)); };
    for (int64_t i = at(box.low.x); i <= at(box.high.x); ++i) {
      for (int64_t j = at(box.low.y); j <= at(box.high.y); ++j) {
        for (int64_t k = at(box.low.z); k <= at(box.high.z); ++k) {
          f((static_cast<uint64_t>(i) & 0x1fffff) << 42 | (static_cast<uint64_t>(j) & 0x1fffff) << 21 |
            (static_cast<uint64_t>(k) & 0x1fffff));
        }
      }
    }
  }

  /// Calls f(number) for all boxes that share a cell with this one; some several times.
  template <class F>
  void each_near(const Box& box, F&& f) const {
    each_cell(box, [&](uint64_t key) {
      for (auto e = std::lower_bound(entries_.begin(), entries_.end(), Entry{key, 0});
           e != entries_.end() && e->key == key; ++e) {
        f(e->number);
      }
    });
  }

 private:
  struct Entry {
    uint64_t key;
    int number;
    friend auto operator<=>(const Entry&, const Entry&) = default;
  };
  double cell_;
  std::vector<Entry> entries_;
};

/// Twice the mean extent: a box then reaches into few cells, and a cell holds few boxes.
double cell_size(std::span<const Box> boxes) {
  double sum = 0;
  for (const Box& b : boxes) sum += std::max({b.high.x - b.low.x, b.high.y - b.low.y, b.high.z - b.low.z});
  return sum > 0 ? 2 * sum / static_cast<double>(boxes.size()) : 1.0;
}

/// Rounding to the grid moves a point by less than this share of the scene; boxes must meet for all that.
bool overlap(const Box& a, const Box& b, double slack) {
  for (int k = 0; k < 3; ++k) {
    if (a.low[k] > b.high[k] + slack || b.low[k] > a.high[k] + slack) return false;
  }
  return true;
}

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
  const Cells cells(boxes, cell_size(boxes));
  std::vector<IntersectingPair> out;
  std::vector<int> near;
  for (int i = 0; i < static_cast<int>(triangles.size()); ++i) {
    near.clear();
    cells.each_near(boxes[i], [&](int j) {
      if (j > i && overlap(boxes[i], boxes[j], slack)) near.push_back(j);
    });
    std::sort(near.begin(), near.end());
    near.erase(std::unique(near.begin(), near.end()), near.end());
    for (const int j : near) {
      if (surface.triangles_meet(triangles[i], triangles[j])) out.push_back({i, j});
    }
  }
  return out;
}

std::vector<Piercing> piercing_edges(std::span<const Vec3d> positions, std::span<const Edge> edges,
                                     std::span<const Triangle> triangles) {
  const SnappedSurface surface(positions);
  const std::vector<Box> boxes = boxes_of(positions, triangles), edge_boxes = boxes_of(positions, edges);
  const double slack = slack_of(positions);
  std::vector<Piercing> out;
  if (triangles.empty()) return out;
  const Cells cells(boxes, cell_size(boxes));
  std::vector<int> near;
  for (int i = 0; i < static_cast<int>(edges.size()); ++i) {
    near.clear();
    Box grown = edge_boxes[i];
    grown.low -= Vec3d{slack, slack, slack};
    grown.high += Vec3d{slack, slack, slack};
    cells.each_near(grown, [&](int j) {
      if (overlap(grown, boxes[j], slack)) near.push_back(j);
    });
    std::sort(near.begin(), near.end());
    near.erase(std::unique(near.begin(), near.end()), near.end());
    for (const int j : near) {
      if (surface.edge_meets(edges[i], triangles[j])) out.push_back({i, j});
    }
  }
  return out;
}

}  // namespace pliant
