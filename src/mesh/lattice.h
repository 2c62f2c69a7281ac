#pragma once
// The body-centred cubic lattice of stuffing.h: its vertices and edges by number.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "pliant/vec.h"

namespace pliant {

/// Vertices of the lattice by number. Cube (i, j, k) has the vertices 2 cube (its lowest corner) and
/// 2 cube + 1 (its centre). Each vertex owns edges to others: slots 0 to 2 are long ones along x, y, z; a
/// centre has slots 3 to 10 for the short ones to the corners of its cube.
class Lattice {
 public:
  static constexpr int kSlots = 11;

  Lattice(const Vec3d& low, const Vec3d& high, double cell, double shift) : cell_(cell) {
    for (int axis = 0; axis < 3; ++axis) {
      // One cube more on each side, half of one for the shift, and the outermost centres are not used: the outer
      // layers are outside.
      count_[axis] = static_cast<int64_t>(std::ceil((high[axis] - low[axis]) / cell)) + 4;
      const double middle = low[axis] + (high[axis] - low[axis]) / 2;
      low_[axis] = middle - cell * (static_cast<double>(count_[axis] - 1) / 2 - shift);
    }
    step_[0] = 1;
    step_[1] = count_[0];
    step_[2] = count_[0] * count_[1];
  }

  int64_t cubes() const { return count_[0] * count_[1] * count_[2]; }
  int64_t nodes() const { return 2 * cubes(); }
  std::array<int64_t, 3> place(int64_t cube) const {
    return {cube % count_[0], cube / step_[1] % count_[1], cube / step_[2]};
  }
  Vec3d position(int64_t node) const {
    const auto [i, j, k] = place(node / 2);
    const double half = node % 2 ? 0.5 : 0;
    return low_ +
           Vec3d{static_cast<double>(i) + half, static_cast<double>(j) + half, static_cast<double>(k) + half} * cell_;
  }
  /// All neighbours of a vertex that does not touch the border exist.
  bool touches_border(int64_t node) const {
    const auto p = place(node / 2);
    for (std::size_t axis = 0; axis < 3; ++axis) {
      if (p[axis] == 0 || p[axis] >= count_[axis] - 1 - node % 2) return true;
    }
    return false;
  }
  int slots(int64_t node) const { return node % 2 ? kSlots : 3; }
  static bool is_long(int slot) { return slot < 3; }
  /// The other end of the edge in a slot of `node`.
  int64_t across(int64_t node, int slot) const {
    if (slot < 3) return node + 2 * step_[index(slot)];
    return node - 1 + 2 * corner_step(slot - 3);
  }
  /// Who owns an edge of `node`: numbers 0 to 2 are its own long ones, 3 to 5 the long ones that end at it,
  /// 6 to 13 the short ones.
  std::pair<int64_t, int> edge(int64_t node, int number) const {
    if (number < 3) return {node, number};
    if (number < 6) return {node - 2 * step_[index(number - 3)], number - 3};
    if (node % 2) return {node, number - 3};
    return {node + 1 - 2 * corner_step(number - 6), number - 3};
  }
  int64_t nearest_node(const Vec3d& x) const {
    int64_t corner = 0, center = 0;
    for (int axis = 0; axis < 3; ++axis) {
      const double place = (x[axis] - low_[axis]) / cell_, last = static_cast<double>(count_[index(axis)] - 1);
      corner += step_[index(axis)] * static_cast<int64_t>(std::clamp(std::round(place), 0.0, last));
      center += step_[index(axis)] * static_cast<int64_t>(std::clamp(std::floor(place), 0.0, last));
    }
    const bool corner_is_nearer =
        length_squared(position(2 * corner) - x) < length_squared(position(2 * center + 1) - x);
    return corner_is_nearer ? 2 * corner : 2 * center + 1;
  }
  int64_t step(int axis) const { return step_[index(axis)]; }
  int64_t count(int axis) const { return count_[index(axis)]; }

 private:
  static std::size_t index(int64_t i) { return static_cast<std::size_t>(i); }
  int64_t corner_step(int bits) const {
    return (bits & 1 ? step_[0] : 0) + (bits & 2 ? step_[1] : 0) + (bits & 4 ? step_[2] : 0);
  }

  double cell_;
  Vec3d low_{};
  std::array<int64_t, 3> count_{}, step_{};
};

}  // namespace pliant
