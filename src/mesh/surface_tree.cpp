#include "mesh/surface_tree.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>

#include "mesh/measure.h"

namespace pliant {

namespace {

/// Triangles per leaf: fewer make more nodes, more make more exact solid angles.
constexpr int kLeafTriangles = 6;
/// A group of triangles counts as far from beyond this many of its radii. The expansion's error falls with
/// the third power; Barill et al. use 2 with a term of one order more.
constexpr double kFar = 2.3;
/// More than the depth of a tree that is halved at each level.
constexpr int kStack = 64;

std::size_t index(int i) { return static_cast<std::size_t>(i); }

Vec3d min_of(const Vec3d& a, const Vec3d& b) { return {std::min(a.x, b.x), std::min(a.y, b.y), std::min(a.z, b.z)}; }
Vec3d max_of(const Vec3d& a, const Vec3d& b) { return {std::max(a.x, b.x), std::max(a.y, b.y), std::max(a.z, b.z)}; }

/// Solid angle of a triangle seen from the origin, positive from behind (van Oosterom and Strackee 1983).
double solid_angle(const Vec3d& a, const Vec3d& b, const Vec3d& c) {
  const double la = length(a), lb = length(b), lc = length(c);
  const double sine = dot(a, cross(b, c));
  const double cosine = la * lb * lc + dot(a, b) * lc + dot(b, c) * la + dot(c, a) * lb;
  return 2 * std::atan2(sine, cosine);  // atan2(0, 0) is 0: a corner
}

double distance_squared(const Vec3d& p, const Vec3d& low, const Vec3d& high) {
  double sum = 0;
  for (int k = 0; k < 3; ++k) {
    const double outside = std::max({low[k] - p[k], 0.0, p[k] - high[k]});
    sum += outside * outside;
  }
  return sum;
}

/// Weights of the point of a triangle nearest to p: by the region of its plane that p stands above
/// (Ericson, Real-Time Collision Detection, 5.1.5).
std::array<double, 3> nearest_weights(const Vec3d& p, const Vec3d& a, const Vec3d& b, const Vec3d& c) {
  const Vec3d ab = b - a, ac = c - a, ap = p - a, bp = p - b, cp = p - c;
  const double d1 = dot(ab, ap), d2 = dot(ac, ap);
  if (d1 <= 0 && d2 <= 0) return {1, 0, 0};
  const double d3 = dot(ab, bp), d4 = dot(ac, bp);
  if (d3 >= 0 && d4 <= d3) return {0, 1, 0};
  const double d5 = dot(ab, cp), d6 = dot(ac, cp);
  if (d6 >= 0 && d5 <= d6) return {0, 0, 1};
  const double vc = d1 * d4 - d3 * d2;
  if (vc <= 0 && d1 >= 0 && d3 <= 0) {
    const double t = d1 / (d1 - d3);
    return {1 - t, t, 0};
  }
  const double vb = d5 * d2 - d1 * d6;
  if (vb <= 0 && d2 >= 0 && d6 <= 0) {
    const double t = d2 / (d2 - d6);
    return {1 - t, 0, t};
  }
  const double va = d3 * d6 - d5 * d4;
  if (va <= 0 && d4 - d3 >= 0 && d5 - d6 >= 0) {
    const double t = (d4 - d3) / ((d4 - d3) + (d5 - d6));
    return {0, 1 - t, t};
  }
  const double sum = va + vb + vc;
  if (!(sum > 0)) return {1, 0, 0};  // rounding of a sliver
  return {va / sum, vb / sum, vc / sum};
}

/// Whether the segment from p over d meets the box, with some room for rounding.
bool meets_box(const Vec3d& p, const Vec3d& d, const Vec3d& low, const Vec3d& high) {
  double enter = 0, leave = 1;
  for (int k = 0; k < 3; ++k) {
    const double room = 1e-12 * (high[k] - low[k]) + 1e-12 * std::abs(p[k]);
    if (d[k] == 0) {
      if (p[k] < low[k] - room || p[k] > high[k] + room) return false;
      continue;
    }
    const double t0 = (low[k] - room - p[k]) / d[k], t1 = (high[k] + room - p[k]) / d[k];
    enter = std::max(enter, std::min(t0, t1));
    leave = std::min(leave, std::max(t0, t1));
  }
  return enter <= leave;
}

}  // namespace

struct SurfaceTree::Build {
  std::vector<Vec3d> middles;
  std::vector<int> order;
};

SurfaceTree::SurfaceTree(const TriMesh& mesh) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  Vec3d low{kInfinity, kInfinity, kInfinity}, high = -low;
  const auto corner = [&](int v) -> const Vec3d& { return mesh.positions[index(v)]; };
  for (const Triangle& t : mesh.triangles) {
    if (length_squared(double_area_normal(corner(t[0]), corner(t[1]), corner(t[2]))) <= 0) continue;
    for (const int v : t) {
      low = min_of(low, corner(v));
      high = max_of(high, corner(v));
    }
    numbers_.push_back(static_cast<int>(&t - mesh.triangles.data()));
  }
  if (numbers_.empty()) return;
  origin_ = low + (high - low) * 0.5;
  low_ = low - origin_;
  high_ = high - origin_;

  Build work;
  for (const int number : numbers_) {
    const Triangle& t = mesh.triangles[index(number)];
    corners_.push_back({corner(t[0]) - origin_, corner(t[1]) - origin_, corner(t[2]) - origin_});
    work.middles.push_back((corners_.back().a + corners_.back().b + corners_.back().c) / 3.0);
  }
  work.order.resize(numbers_.size());
  std::iota(work.order.begin(), work.order.end(), 0);
  nodes_.reserve(2 * numbers_.size() / kLeafTriangles + 2);
  build(work, 0, static_cast<int>(numbers_.size()));
  // Triangles in the order of the leaves.
  std::vector<Corners> corners;
  std::vector<int> numbers;
  for (const int i : work.order) {
    corners.push_back(corners_[index(i)]);
    numbers.push_back(numbers_[index(i)]);
  }
  corners_ = std::move(corners);
  numbers_ = std::move(numbers);
}

int SurfaceTree::build(Build& work, int first, int count) {
  const auto begin = work.order.begin() + first, end = begin + count;
  const int self = static_cast<int>(nodes_.size());
  Node node;
  {
    const Vec3d& x = corners_[index(*begin)].a;
    node.low = node.high = x;
  }
  double area = 0;
  Vec3d plain_sum{};
  for (auto i = begin; i != end; ++i) {
    const auto& [a, b, c] = corners_[index(*i)];
    node.low = min_of(node.low, min_of(a, min_of(b, c)));
    node.high = max_of(node.high, max_of(a, max_of(b, c)));
    const Vec3d area_normal = double_area_normal(a, b, c) * 0.5;
    const double size = length(area_normal);
    area += size;
    node.area_normal += area_normal;
    node.center += work.middles[index(*i)] * size;
    plain_sum += work.middles[index(*i)];
  }
  node.center = area > 0 ? node.center / area : plain_sum / static_cast<double>(count);
  for (auto i = begin; i != end; ++i) {
    const auto& [a, b, c] = corners_[index(*i)];
    const Vec3d area_normal = double_area_normal(a, b, c) * 0.5;
    const Vec3d offset = work.middles[index(*i)] - node.center;
    for (int k = 0; k < 3; ++k) node.slope[index(k)] += offset * area_normal[k];
    for (const Vec3d& x : {a, b, c}) node.radius = std::max(node.radius, length_squared(x - node.center));
  }
  node.radius = std::sqrt(node.radius);
  nodes_.push_back(node);
  if (count <= kLeafTriangles) {
    nodes_[index(self)].first = first;
    nodes_[index(self)].count = count;
    return self;
  }
  // Halves along the longest side of the box around the triangles' middles; equal ones by number.
  Vec3d low = work.middles[index(*begin)], high = low;
  for (auto i = begin; i != end; ++i) {
    low = min_of(low, work.middles[index(*i)]);
    high = max_of(high, work.middles[index(*i)]);
  }
  const Vec3d side = high - low;
  const int axis = side.x >= side.y && side.x >= side.z ? 0 : side.y >= side.z ? 1 : 2;
  const int half = count / 2;
  std::nth_element(begin, begin + half, end, [&](int i, int j) {
    const double a = work.middles[index(i)][axis], b = work.middles[index(j)][axis];
    return a != b ? a < b : i < j;
  });
  build(work, first, half);
  const int right = build(work, first + half, count - half);
  nodes_[index(self)].right = right;
  return self;
}

double SurfaceTree::winding_number(const Vec3d& point) const {
  if (nodes_.empty()) return 0;
  const Vec3d q = point - origin_;
  double angle = 0;
  int stack[kStack], top = 0;
  stack[top++] = 0;
  while (top > 0) {
    const int i = stack[--top];
    const Node& node = nodes_[index(i)];
    const Vec3d d = node.center - q;
    const double squared = length_squared(d);
    if (squared > kFar * kFar * node.radius * node.radius) {
      // f(x) = (x - q) / |x - q|^3;  df_i/dx_j = delta_ij / r^3 - 3 d_i d_j / r^5
      const double r2 = 1 / squared, r3 = r2 * std::sqrt(r2);
      const double trace = node.slope[0].x + node.slope[1].y + node.slope[2].z;
      const Vec3d sd{dot(node.slope[0], d), dot(node.slope[1], d), dot(node.slope[2], d)};
      angle += r3 * (dot(node.area_normal, d) + trace - 3 * r2 * dot(d, sd));
    } else if (node.count > 0) {
      for (int t = node.first; t < node.first + node.count; ++t) {
        const auto& [a, b, c] = corners_[index(t)];
        angle += solid_angle(a - q, b - q, c - q);
      }
    } else {
      stack[top++] = node.right;
      stack[top++] = i + 1;
    }
  }
  return angle / (4 * std::numbers::pi);
}

double SurfaceTree::exact_winding_number(const Vec3d& point) const {
  const Vec3d q = point - origin_;
  double angle = 0;
  for (const auto& [a, b, c] : corners_) angle += solid_angle(a - q, b - q, c - q);
  return angle / (4 * std::numbers::pi);
}

SurfaceTree::Nearest SurfaceTree::nearest(const Vec3d& point, double limit) const {
  Nearest best;
  if (nodes_.empty()) return best;
  const Vec3d q = point - origin_;
  double best_squared = limit * limit;
  struct Entry {
    int node;
    double squared;
  } stack[kStack];
  int top = 0;
  stack[top++] = {0, distance_squared(q, low_, high_)};
  while (top > 0) {
    const auto [i, squared] = stack[--top];
    if (squared > best_squared) continue;
    const Node& node = nodes_[index(i)];
    if (node.count == 0) {
      const Node &left = nodes_[index(i) + 1], &right = nodes_[index(node.right)];
      const Entry l{i + 1, distance_squared(q, left.low, left.high)};
      const Entry r{node.right, distance_squared(q, right.low, right.high)};
      stack[top++] = l.squared < r.squared ? r : l;  // the nearer one is looked at first
      stack[top++] = l.squared < r.squared ? l : r;
      continue;
    }
    for (int t = node.first; t < node.first + node.count; ++t) {
      const auto& [a, b, c] = corners_[index(t)];
      const auto w = nearest_weights(q, a, b, c);
      const Vec3d x = a * w[0] + b * w[1] + c * w[2];
      const double d = length_squared(x - q);
      if (d > best_squared || (d == best_squared && best.triangle >= 0 && numbers_[index(t)] > best.triangle)) continue;
      best_squared = d;
      best = {numbers_[index(t)], w, x, 0};
    }
  }
  best.position += origin_;
  best.distance = std::sqrt(best_squared);
  return best;
}

void SurfaceTree::crossings(const Vec3d& from, const Vec3d& to, std::vector<Crossing>& found) const {
  found.clear();
  if (nodes_.empty()) return;
  const Vec3d p = from - origin_, d = to - from;
  int stack[kStack], top = 0;
  stack[top++] = 0;
  while (top > 0) {
    const int i = stack[--top];
    const Node& node = nodes_[index(i)];
    if (!meets_box(p, d, node.low, node.high)) continue;
    if (node.count == 0) {
      stack[top++] = node.right;
      stack[top++] = i + 1;
      continue;
    }
    for (int t = node.first; t < node.first + node.count; ++t) {
      // The line passes inside of the triangle when it passes all edges on the same side.
      const Vec3d a = corners_[index(t)].a - p, b = corners_[index(t)].b - p, c = corners_[index(t)].c - p;
      const double u = dot(d, cross(b, c)), v = dot(d, cross(c, a)), w = dot(d, cross(a, b));
      const double sum = u + v + w;
      const bool same_side = (u >= 0 && v >= 0 && w >= 0) || (u <= 0 && v <= 0 && w <= 0);
      if (!same_side || sum == 0) continue;
      // dot(d, normal) = sum, and the plane is at dot(a, normal): t = a . n / d . n
      const double at = dot(a, double_area_normal(a, b, c)) / sum;
      if (at >= 0 && at <= 1) found.push_back({at, sum > 0 ? 1 : -1});
    }
  }
  std::sort(found.begin(), found.end(), [](const Crossing& a, const Crossing& b) { return a.t < b.t; });
}

}  // namespace pliant
