#include "contact/contact_tree.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace pliant {

bool ContactSurface::are_tied(int32_t a, int32_t b) const {
  if (!is_tied[a] || !is_tied[b]) return false;
  return std::binary_search(tied.begin(), tied.end(), std::array<int32_t, 2>{std::min(a, b), std::max(a, b)});
}

/// Halves along the longest extent of the centres, at whole clusters.
void ContactTree::build_node(const ContactSurface& surface, int begin, int end, bool in_part) {
  const int count = (end - begin + kLeaf - 1) / kLeaf;
  const bool is_part = !in_part && count <= kMostClusters;
  const int32_t first_cluster = static_cast<int32_t>(clusters.size());
  if (count == 1) {
    build_cluster(surface, begin, end);
  } else {
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
    build_node(surface, begin, middle, in_part || is_part);
    build_node(surface, middle, end, in_part || is_part);
  }
  if (!is_part) return;
  for (int k = begin; k < end; ++k) part_of[static_cast<std::size_t>(order_[k])] = static_cast<int32_t>(parts.size());
  parts.push_back({first_cluster, static_cast<int32_t>(clusters.size()), body_});
}

void ContactTree::build_cluster(const ContactSurface& surface, int begin, int end) {
  Cluster cluster{};
  const auto pad = [&] {
    while (pieces.size() % kLeaf != 0) pieces.push_back({-1, -1, -1});
    return static_cast<int32_t>(pieces.size() / kLeaf);
  };
  cluster.corners = static_cast<int32_t>(corners.size());
  cluster.faces = pad();
  for (int k = begin; k < end; ++k) {
    const SurfaceElement& e = surface.elements[order_[k]];
    corners.insert(corners.end(), e.corner.begin(), e.corner.end());
    if (e.face) pieces.push_back(e.corner);
  }
  std::sort(corners.begin() + cluster.corners, corners.end());
  corners.erase(std::unique(corners.begin() + cluster.corners, corners.end()), corners.end());
  cluster.corners_end = static_cast<int32_t>(corners.size());
  cluster.vertices = pad();
  for (int k = begin; k < end; ++k) {
    const SurfaceElement& e = surface.elements[order_[k]];
    for (int m = 0; m < 3; ++m) {
      if (e.vertices >> m & 1) pieces.push_back({e.corner[m], e.corner[m], e.corner[m]});
    }
  }
  cluster.edges = pad();
  for (int k = begin; k < end; ++k) {
    const SurfaceElement& e = surface.elements[order_[k]];
    for (int m = 0; m < 3; ++m) {
      const int32_t next = e.corner[m == 2 ? 0 : m + 1];
      if (e.edges >> m & 1) pieces.push_back({e.corner[m], next, next});
    }
  }
  cluster.end = pad();
  clusters.push_back(cluster);
}

void ContactTree::build(const ContactSurface& surface) {
  const int bodies = static_cast<int>(surface.body_begin.size()) - 1;
  const int elements = static_cast<int>(surface.elements.size());
  clusters.clear();
  parts.clear();
  corners.clear();
  pieces.clear();
  part_of.assign(surface.elements.size(), 0);
  int begin = 0;
  for (body_ = 0; body_ < bodies; ++body_) {
    int end = begin;
    while (end < elements && surface.elements[end].body == body_) ++end;
    order_.resize(end - begin);
    for (int k = begin; k < end; ++k) order_[k - begin] = k;
    if (end > begin) build_node(surface, 0, end - begin, false);
    begin = end;
  }
  corner_packs.clear();
  for (Cluster& cluster : clusters) {
    cluster.corner_packs = static_cast<int32_t>(corner_packs.size());
    for (int32_t k = cluster.corners; k < cluster.corners_end; k += kLeaf) {
      auto& pack = corner_packs.emplace_back();
      for (int l = 0; l < kLeaf; ++l) pack[l] = quad_at<float>(corners[std::min(k + l, cluster.corners_end - 1)]);
    }
    cluster.corner_packs_end = static_cast<int32_t>(corner_packs.size());
  }
  packs.assign(pieces.size() / kLeaf, {});
  for (std::size_t k = 0; k < packs.size(); ++k) {
    Pack8& pack = packs[k];
    while (pack.used < kLeaf && pieces[k * kLeaf + static_cast<std::size_t>(pack.used)][0] >= 0) ++pack.used;
    for (int l = 0; l < kLeaf && pack.used > 0; ++l) {
      const auto& piece = pieces[k * kLeaf + static_cast<std::size_t>(l < pack.used ? l : 0)];
      for (int m = 0; m < 3; ++m) pack.at[m][l] = quad_at<float>(piece[m]);
    }
  }
  clusters_begin.assign(surface.body.size() + 1, 0);
  for (const int32_t i : corners) ++clusters_begin[i + 1];
  for (std::size_t i = 0; i + 1 < clusters_begin.size(); ++i) clusters_begin[i + 1] += clusters_begin[i];
  clusters_of.resize(corners.size());
  std::vector<int32_t> next(clusters_begin.begin(), clusters_begin.end() - 1);
  for (int32_t c = 0; c < static_cast<int32_t>(clusters.size()); ++c) {
    for (int32_t k = clusters[c].corners; k < clusters[c].corners_end; ++k) clusters_of[next[corners[k]]++] = c;
  }
}

}  // namespace pliant
