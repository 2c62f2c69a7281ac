// Polygons into triangles.

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "io/mesh_formats.h"
#include "pliant/error.h"

namespace pliant {

namespace {

/// Looking for an ear tests each corner against each reflex one, and there are as many ears as corners:
/// up to a cube of this many steps, still well below a second.
constexpr std::size_t kMostCornersOfConcave = 1000;

/// Twice the signed area of a triangle in the plane; positive: counter-clockwise.
double turn(const Vec2d& a, const Vec2d& b, const Vec2d& c) {
  return (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x);
}

/// The corners in the coordinate plane that their polygon faces most, counter-clockwise there. The
/// normal is the sum over the edges, right for concave and slightly bent polygons too (Newell's).
std::vector<Vec2d> flattened(const std::vector<int>& corners, const std::vector<Vec3d>& positions) {
  const auto at = [&](std::size_t i) { return positions[static_cast<std::size_t>(corners[i % corners.size()])]; };
  const Vec3d origin = at(0);
  Vec3d normal{};
  for (std::size_t i = 0; i < corners.size(); ++i) normal += cross(at(i) - origin, at(i + 1) - origin);
  const int axis = std::abs(normal.x) >= std::max(std::abs(normal.y), std::abs(normal.z)) ? 0
                   : std::abs(normal.y) >= std::abs(normal.z)                             ? 1
                                                                                          : 2;
  const int u = (axis + 1) % 3, v = (axis + 2) % 3;
  std::vector<Vec2d> flat;
  for (std::size_t i = 0; i < corners.size(); ++i) {
    const Vec3d p = at(i) - origin;
    flat.push_back(normal[axis] >= 0 ? Vec2d{p[u], p[v]} : Vec2d{p[v], p[u]});
  }
  return flat;
}

bool contains(const Vec2d& a, const Vec2d& b, const Vec2d& c, const Vec2d& p) {
  return turn(a, b, p) >= 0 && turn(b, c, p) >= 0 && turn(c, a, p) >= 0;
}

double squared_distance(const Vec3d& a, const Vec3d& b) { return length_squared(a - b); }

}  // namespace

void add_polygon(const std::vector<int>& corners, const std::vector<Vec3d>& positions, const std::string& where,
                 std::vector<Triangle>& triangles) {
  const std::size_t count = corners.size();
  if (count < 3) throw Error(where, fmt::format("the face has {} corners", count), "give at least three");
  if (count == 3) {
    triangles.push_back({corners[0], corners[1], corners[2]});
    return;
  }
  const std::vector<Vec2d> x = flattened(corners, positions);
  const auto add = [&](std::size_t a, std::size_t b, std::size_t c) {
    triangles.push_back({corners[a], corners[b], corners[c]});
  };

  if (count == 4) {
    const bool cut_02 = turn(x[0], x[1], x[2]) > 0 && turn(x[0], x[2], x[3]) > 0;
    const bool cut_13 = turn(x[1], x[2], x[3]) > 0 && turn(x[1], x[3], x[0]) > 0;
    const auto at = [&](std::size_t i) { return positions[static_cast<std::size_t>(corners[i])]; };
    const bool shorter_02 = squared_distance(at(0), at(2)) <= squared_distance(at(1), at(3));
    if (cut_02 != cut_13 ? cut_02 : shorter_02) {
      add(0, 1, 2);
      add(0, 2, 3);
    } else {
      add(1, 2, 3);
      add(1, 3, 0);
    }
    return;
  }

  // The polygon that is left, as a ring of corners. Only reflex corners can lie inside of an ear.
  std::vector<std::size_t> next(count), previous(count), reflex;
  for (std::size_t i = 0; i < count; ++i) {
    next[i] = (i + 1) % count;
    previous[i] = (i + count - 1) % count;
    if (turn(x[previous[i]], x[i], x[next[i]]) < 0) reflex.push_back(i);
  }
  if (!reflex.empty() && count > kMostCornersOfConcave) {
    throw Error(where, fmt::format("a concave face with {} corners", count),
                fmt::format("cut it into triangles or into faces of at most {} corners", kMostCornersOfConcave));
  }
  const auto is_ear = [&](std::size_t i) {
    const std::size_t a = previous[i], c = next[i];
    if (!(turn(x[a], x[i], x[c]) > 0)) return false;
    return std::none_of(reflex.begin(), reflex.end(),
                        [&](std::size_t r) { return r != a && r != i && r != c && contains(x[a], x[i], x[c], x[r]); });
  };
  std::size_t at = 0;
  for (std::size_t left = count; left > 3; --left) {
    std::size_t looked_at = 0;
    while (looked_at < left && !is_ear(at)) {
      at = next[at];
      ++looked_at;
    }
    // A polygon without an ear crosses itself or has no area: any cut is as good.
    add(previous[at], at, next[at]);
    next[previous[at]] = next[at];
    previous[next[at]] = previous[at];
    std::erase_if(reflex, [&](std::size_t r) {
      return r == at || ((r == previous[at] || r == next[at]) && turn(x[previous[r]], x[r], x[next[r]]) >= 0);
    });
    at = next[next[at]];  // every other corner: triangles of like size rather than a fan
  }
  add(previous[at], at, next[at]);
}

}  // namespace pliant
