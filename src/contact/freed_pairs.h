#pragma once
// Pairs of a vertex and a triangle, or of two edges, that may pass through each other: those of which both sides belong
// to an edge that goes through a triangle, or to such a triangle, so that they get out of each other again; and those
// by which an edge can leave a triangle that it goes through at rest, which is how a body is made. All others are
// guarded.

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>
#include <vector>

namespace pliant {

class FreedPairs {
 public:
  using Corners = std::array<int32_t, 4>;  // as in BroadPhase::Due

  std::vector<uint8_t> tangled;  // per particle: of an edge or a triangle that intersect
  bool any_tangled = false;
  std::vector<std::array<int32_t, 2>> nested;  // bodies, the lower first, ascending
  const std::vector<int32_t>* body = nullptr;  // per particle

  bool empty() const { return !any_tangled && nested.empty() && pairs_[0].empty() && pairs_[1].empty(); }
  /// This edge goes through this triangle at rest: an end of it may pass the triangle, and it may pass the triangle's
  /// edges. finish() must follow.
  void add_at_rest(const std::array<int32_t, 2>& edge, const std::array<int32_t, 3>& triangle) {
    for (const int32_t v : edge) pairs_[0].push_back(key<1>({v, triangle[0], triangle[1], triangle[2]}));
    for (int k = 0; k < 3; ++k) pairs_[1].push_back(key<2>({edge[0], edge[1], triangle[k], triangle[(k + 1) % 3]}));
  }
  void finish() {
    for (auto& pairs : pairs_) {
      std::sort(pairs.begin(), pairs.end());
      pairs.erase(std::unique(pairs.begin(), pairs.end()), pairs.end());
    }
  }
  /// kSideA 1: a vertex and a triangle, 2: two edges.
  template <int kSideA>
  bool has(const Corners& corner) const {
    if (any_tangled) {
      uint8_t a = 0, b = 0;
      for (int k = 0; k < 4; ++k) (k < kSideA ? a : b) |= tangled[static_cast<std::size_t>(corner[k])];
      if (a && b) return true;
    }
    if (!nested.empty()) {
      const int32_t a = (*body)[static_cast<std::size_t>(corner[0])], b = (*body)[static_cast<std::size_t>(corner[3])];
      if (std::binary_search(nested.begin(), nested.end(), std::array<int32_t, 2>{std::min(a, b), std::max(a, b)})) {
        return true;
      }
    }
    const auto& pairs = pairs_[kSideA - 1];
    return !pairs.empty() && std::binary_search(pairs.begin(), pairs.end(), key<kSideA>(corner));
  }

 private:
  /// One form, in whichever order the corners come.
  template <int kSideA>
  static Corners key(Corners c) {
    std::sort(c.begin() + kSideA, c.end());
    if constexpr (kSideA == 2) {
      if (c[1] < c[0]) std::swap(c[0], c[1]);
      if (std::pair(c[2], c[3]) < std::pair(c[0], c[1])) c = {c[2], c[3], c[0], c[1]};
    }
    return c;
  }

  std::vector<Corners> pairs_[2];
};

}  // namespace pliant
