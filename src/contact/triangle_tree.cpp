#include "contact/triangle_tree.h"

#include <algorithm>
#include <numeric>

namespace pliant::contact {

namespace {
constexpr int kLeaf = 4;      // triangles of a leaf
constexpr int kDeepest = 64;  // halving 2^31 triangles takes 31 levels
}  // namespace

Vec3d nearest_in_triangle(const Vec3d& x, const Vec3d& a, const Vec3d& b, const Vec3d& c) {
  const Vec3d ab = b - a, ac = c - a, ap = x - a;
  const double d1 = dot(ab, ap), d2 = dot(ac, ap);
  if (d1 <= 0 && d2 <= 0) return {1, 0, 0};
  const Vec3d bp = x - b;
  const double d3 = dot(ab, bp), d4 = dot(ac, bp);
  if (d3 >= 0 && d4 <= d3) return {0, 1, 0};
  const double vc = d1 * d4 - d3 * d2;
  if (vc <= 0 && d1 >= 0 && d3 <= 0) {
    const double s = d1 / (d1 - d3);
    return {1 - s, s, 0};
  }
  const Vec3d cp = x - c;
  const double d5 = dot(ab, cp), d6 = dot(ac, cp);
  if (d6 >= 0 && d5 <= d6) return {0, 0, 1};
  const double vb = d5 * d2 - d1 * d6;
  if (vb <= 0 && d2 >= 0 && d6 <= 0) {
    const double s = d2 / (d2 - d6);
    return {1 - s, 0, s};
  }
  const double va = d3 * d6 - d5 * d4;
  if (va <= 0 && d4 - d3 >= 0 && d5 - d6 >= 0) {
    const double s = (d4 - d3) / ((d4 - d3) + (d5 - d6));
    return {0, 1 - s, s};
  }
  const double sum = va + vb + vc;
  return {va / sum, vb / sum, vc / sum};
}

TriangleTree::TriangleTree(const TriMesh& mesh) : mesh_(mesh), order_(mesh.triangles.size()) {
  std::iota(order_.begin(), order_.end(), 0);
  std::vector<Vec3d> centers;
  centers.reserve(order_.size());
  for (const Triangle& t : mesh.triangles) {
    centers.push_back((mesh.positions[t[0]] + mesh.positions[t[1]] + mesh.positions[t[2]]) / 3.0);
  }
  nodes_.reserve(2 * order_.size() / kLeaf + 2);
  build(0, static_cast<int>(order_.size()), centers);
}

int TriangleTree::build(int begin, int end, const std::vector<Vec3d>& centers) {
  const int index = static_cast<int>(nodes_.size());
  nodes_.emplace_back();
  Bounds box, middle;
  for (int k = begin; k < end; ++k) {
    for (const int v : mesh_.triangles[order_[k]]) box.add(mesh_.positions[v]);
    middle.add(centers[order_[k]]);
  }
  nodes_[index].box = box;
  if (end - begin <= kLeaf) {
    nodes_[index].first = begin;
    nodes_[index].count = end - begin;
    return index;
  }
  const Vec3d extent = middle.max - middle.min;
  const int axis = extent.x >= extent.y && extent.x >= extent.z ? 0 : extent.y >= extent.z ? 1 : 2;
  const int half = begin + (end - begin) / 2;
  std::nth_element(order_.begin() + begin, order_.begin() + half, order_.begin() + end, [&](int32_t a, int32_t b) {
    return centers[a][axis] < centers[b][axis] || (centers[a][axis] == centers[b][axis] && a < b);
  });
  build(begin, half, centers);
  const int second = build(half, end, centers);
  nodes_[index].first = second;
  return index;
}

TriangleTree::Hit TriangleTree::nearest(const Vec3d& x, double within) const {
  Hit best;
  double limit = within < kInfinity ? within * within : kInfinity;
  int stack[kDeepest];
  int depth = 0;
  stack[depth++] = 0;
  while (depth > 0) {
    const int index = stack[--depth];
    const Node& node = nodes_[index];
    if (node.box.distance_squared(x) > limit) continue;
    if (node.count == 0) {
      const int a = index + 1, b = node.first;
      const bool a_nearer = nodes_[a].box.distance_squared(x) <= nodes_[b].box.distance_squared(x);
      stack[depth++] = a_nearer ? b : a;
      stack[depth++] = a_nearer ? a : b;
      continue;
    }
    for (int k = node.first; k < node.first + node.count; ++k) {
      const Triangle& t = mesh_.triangles[order_[k]];
      const Vec3d &a = mesh_.positions[t[0]], &b = mesh_.positions[t[1]], &c = mesh_.positions[t[2]];
      const Vec3d w = nearest_in_triangle(x, a, b, c);
      const Vec3d point = a * w.x + b * w.y + c * w.z;
      const double square = length_squared(x - point);
      if (square > limit || (best.triangle >= 0 && square >= limit)) continue;
      limit = square;
      best = {order_[k], 0, point, w};
    }
  }
  if (best.triangle >= 0) best.distance = std::sqrt(limit);
  return best;
}

}  // namespace pliant::contact
