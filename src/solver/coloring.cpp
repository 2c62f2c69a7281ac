#include "solver/coloring.h"

#include <algorithm>
#include <array>
#include <bit>

namespace pliant {

namespace {

constexpr int kWords = kMaxColors / 64;
using Mask = std::array<uint64_t, kWords>;

/// Constraints of one ghost. They are swept one after another (Gauss-Seidel); the ghosts among
/// themselves are averaged. More per ghost converges faster and takes more colours.
constexpr int kConstraintsPerGhost = 8;

Mask used_colors(const int32_t* corners, int points, const std::vector<Mask>& masks, std::span<const uint8_t> moves) {
  Mask used{};
  for (int i = 0; i < points; ++i) {
    const auto p = static_cast<std::size_t>(corners[i]);
    if (p < moves.size() && !moves[p]) continue;
    for (int k = 0; k < kWords; ++k) used[k] |= masks[p][k];
  }
  return used;
}

void set_color(const int32_t* corners, int points, std::vector<Mask>& masks, std::span<const uint8_t> moves, int color,
               bool on) {
  for (int i = 0; i < points; ++i) {
    const auto p = static_cast<std::size_t>(corners[i]);
    if (p < moves.size() && !moves[p]) continue;
    const uint64_t bit = uint64_t{1} << (color % 64);
    if (on) {
      masks[p][color / 64] |= bit;
    } else {
      masks[p][color / 64] &= ~bit;
    }
  }
}

}  // namespace

Hubs split_hubs(std::span<int32_t> particles, int points, std::span<const uint8_t> moves, int first_ghost) {
  Hubs out;
  std::vector<int32_t> degree(moves.size(), 0);
  for (int32_t p : particles) ++degree[p];
  const int limit = 1 + (kMaxColors - 1) / points;
  std::vector<int32_t> hub_of(moves.size(), -1);
  for (std::size_t p = 0; p < moves.size(); ++p) {
    if (!moves[p] || degree[p] <= limit) continue;
    hub_of[p] = static_cast<int32_t>(out.hubs.size());
    const int ghosts = (degree[p] + kConstraintsPerGhost - 1) / kConstraintsPerGhost;
    out.hubs.push_back({static_cast<int>(p), first_ghost + out.ghosts, ghosts});
    out.ghosts += ghosts;
  }
  if (out.hubs.empty()) return out;
  std::vector<int32_t> given(out.hubs.size(), 0);
  for (int32_t& p : particles) {
    const int32_t h = hub_of[p];
    if (h < 0) continue;
    p = out.hubs[h].first_ghost + given[h]++ / kConstraintsPerGhost;
  }
  return out;
}

Coloring color_first_fit(std::span<const int32_t> particles, int points, std::span<const uint8_t> moves,
                         int64_t all_particles) {
  Coloring out;
  const int64_t count = static_cast<int64_t>(particles.size()) / points;
  std::vector<Mask> masks(all_particles, Mask{});
  out.color.resize(count);
  for (int64_t c = 0; c < count; ++c) {
    const int32_t* corners = &particles[c * points];
    const Mask used = used_colors(corners, points, masks, moves);
    int color = 0;
    while (used[color / 64] == ~uint64_t{0}) color += 64;
    color += std::countr_one(used[color / 64]);
    set_color(corners, points, masks, moves, color, true);
    out.color[c] = color;
    out.colors = std::max(out.colors, color + 1);
  }
  return out;
}

void balance(std::span<const int32_t> particles, int points, std::span<const uint8_t> moves, int64_t all_particles,
             Coloring& coloring) {
  const auto count = static_cast<int64_t>(coloring.color.size());
  if (count == 0) return;
  std::vector<Mask> masks(all_particles, Mask{});
  std::vector<int64_t> size(coloring.colors, 0);
  for (int64_t c = 0; c < count; ++c) {
    set_color(&particles[c * points], points, masks, moves, coloring.color[c], true);
    ++size[coloring.color[c]];
  }
  const int64_t mean = (count + coloring.colors - 1) / coloring.colors;
  int next = 0;  // where to look first for room, so that the free colours fill evenly
  for (int64_t c = count - 1; c >= 0; --c) {
    const int from = coloring.color[c];
    if (size[from] <= mean) continue;
    const int32_t* corners = &particles[c * points];
    const Mask used = used_colors(corners, points, masks, moves);
    for (int k = 0; k < coloring.colors; ++k) {
      const int to = (next + k) % coloring.colors;
      if (size[to] >= mean || (used[to / 64] >> (to % 64) & 1)) continue;
      set_color(corners, points, masks, moves, from, false);
      set_color(corners, points, masks, moves, to, true);
      coloring.color[c] = to;
      --size[from];
      ++size[to];
      next = to;
      break;
    }
  }
}

}  // namespace pliant
