#include "mesh/tet_locator.h"

#include <algorithm>
#include <cmath>

#include "mesh/measure.h"
#include "mesh/quality.h"

namespace pliant {

namespace {

std::size_t index(int64_t i) { return static_cast<std::size_t>(i); }

/// A point on a face belongs to both tets; rounding must not let it fall between them.
constexpr double kRoom = 1e-9;

}  // namespace

std::array<double, 4> tet_weights(const std::array<Vec3d, 4>& x, const Vec3d& point) {
  const Vec3d a = x[1] - x[0], b = x[2] - x[0], c = x[3] - x[0], p = point - x[0];
  const double whole = dot(a, cross(b, c));
  const double u = dot(p, cross(b, c)) / whole, v = dot(a, cross(p, c)) / whole, w = dot(a, cross(b, p)) / whole;
  return {1 - u - v - w, u, v, w};
}

TetLocator::TetLocator(const TetMesh& mesh) : mesh_(mesh) {
  const auto bounds = [&](const Tet& tet, Vec3d& low, Vec3d& high) {
    low = high = mesh.positions[index(tet[0])];
    for (const int v : tet) {
      for (int k = 0; k < 3; ++k) {
        low[k] = std::min(low[k], mesh.positions[index(v)][k]);
        high[k] = std::max(high[k], mesh.positions[index(v)][k]);
      }
    }
  };
  if (mesh.tets.empty()) return;
  Vec3d low, high;
  bounds(mesh.tets[0], low_, high_);
  for (const Tet& tet : mesh.tets) {
    bounds(tet, low, high);
    for (int k = 0; k < 3; ++k) {
      low_[k] = std::min(low_[k], low[k]);
      high_[k] = std::max(high_[k], high[k]);
    }
  }
  const Vec3d size = high_ - low_;
  const double edge = std::cbrt(size.x * size.y * size.z / static_cast<double>(mesh.tets.size()));
  for (int k = 0; k < 3; ++k) {
    count_[index(k)] = static_cast<int64_t>(std::clamp(std::floor(size[k] / edge), 1.0, 256.0));
    box_size_[k] = size[k] / static_cast<double>(count_[index(k)]);
  }
  first_.assign(index(count_[0] * count_[1] * count_[2] + 1), 0);
  const auto for_each_box = [&](const Tet& tet, auto visit) {
    bounds(tet, low, high);
    const auto from = box_of(low), to = box_of(high);
    for (int64_t k = from[2]; k <= to[2]; ++k) {
      for (int64_t j = from[1]; j <= to[1]; ++j) {
        for (int64_t i = from[0]; i <= to[0]; ++i) visit(index((k * count_[1] + j) * count_[0] + i));
      }
    }
  };
  for (const Tet& tet : mesh.tets) for_each_box(tet, [&](std::size_t box) { ++first_[box + 1]; });
  for (std::size_t b = 1; b < first_.size(); ++b) first_[b] += first_[b - 1];
  tets_.resize(index(first_.back()));
  std::vector<int32_t> next(first_.begin(), first_.end() - 1);
  for (std::size_t t = 0; t < mesh.tets.size(); ++t) {
    for_each_box(mesh.tets[t], [&](std::size_t box) { tets_[index(next[box]++)] = static_cast<int32_t>(t); });
  }
}

std::array<int64_t, 3> TetLocator::box_of(const Vec3d& point) const {
  std::array<int64_t, 3> box;
  for (int k = 0; k < 3; ++k) {
    const double place = std::floor((point[k] - low_[k]) / box_size_[k]);
    box[index(k)] = static_cast<int64_t>(std::clamp(place, 0.0, static_cast<double>(count_[index(k)] - 1)));
  }
  return box;
}

TetLocator::Place TetLocator::find(const Vec3d& point) const {
  Place best;
  double best_depth = -kRoom;
  if (first_.empty()) return best;
  for (int k = 0; k < 3; ++k) {
    const double room = kRoom * (high_[k] - low_[k]);
    if (!(point[k] >= low_[k] - room && point[k] <= high_[k] + room)) return best;
  }
  const auto [i, j, k] = box_of(point);
  const std::size_t box = index((k * count_[1] + j) * count_[0] + i);
  for (int32_t n = first_[box]; n < first_[box + 1]; ++n) {
    const int32_t t = tets_[index(n)];
    const auto weights = tet_weights(corners_of(mesh_, mesh_.tets[index(t)]), point);
    const double depth = *std::min_element(weights.begin(), weights.end());
    if (!(depth > best_depth)) continue;
    best_depth = depth;
    best = {t, weights};
  }
  return best;
}

}  // namespace pliant
