#include "mesh/trace.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace pliant {

namespace {

struct Point {  // in the unfolded plane, the start at the origin and the line along x
  double x = 0, y = 0;
};

int corner_of(const Triangle& t, int a, int b) {  // the one that is neither a nor b
  for (int k = 0; k < 3; ++k) {
    if (t[static_cast<std::size_t>(k)] != a && t[static_cast<std::size_t>(k)] != b) return k;
  }
  return 0;
}

}  // namespace

SurfaceTracer::SurfaceTracer(std::span<const Triangle> triangles, std::span<const Vec3d> positions)
    : triangles_(triangles),
      x_(positions),
      triangles_of_(vertex_to_element(triangles, static_cast<int>(positions.size()))),
      across_(triangles.size(), {-1, -1, -1}) {
  for (const TrianglePair& pair : neighbours_of(triangles)) {
    across_[pair.triangle0][corner_of(triangles[pair.triangle0], pair.edge[0], pair.edge[1])] = pair.triangle1;
    across_[pair.triangle1][corner_of(triangles[pair.triangle1], pair.edge[0], pair.edge[1])] = pair.triangle0;
  }
}

std::optional<SurfaceTracer::End> SurfaceTracer::trace(int vertex, const Vec3d& direction, double reach) const {
  // The triangle at the vertex into which the direction points, once laid into its plane.
  int triangle = -1, a = -1, b = -1;  // the line crosses the edge a b, a to its right and b to its left
  Point at_a, at_b;
  for (const int t : triangles_of_.of(vertex)) {
    const Triangle& tri = triangles_[t];
    const int k = tri[0] == vertex ? 0 : tri[1] == vertex ? 1 : 2;
    const int u = tri[(k + 1) % 3], v = tri[(k + 2) % 3];
    const Vec3d eu = x_[u] - x_[vertex], ev = x_[v] - x_[vertex];
    const Vec3d normal = cross(eu, ev);
    const double area = length(normal);
    if (!(area > 0)) continue;
    const Vec3d n = normal / area;
    const Vec3d flat = direction - n * dot(direction, n);
    const double size = length(flat);
    if (!(size > 1e-6 * length(direction))) continue;
    const Vec3d along = flat / size, aside = cross(n, along);
    const Point pu{dot(eu, along), dot(eu, aside)}, pv{dot(ev, along), dot(ev, aside)};
    // u to the right, v to the left, and the edge between them in front. Rounding decides for lines through a corner.
    const double rounding = 1e-9 * length(eu);
    if (pu.y > rounding || pv.y < -rounding || pu.x * pv.y - pv.x * pu.y <= 0) continue;
    if (pu.y > -rounding && pv.y < rounding) continue;
    triangle = t;
    a = u;
    b = v;
    at_a = pu;
    at_b = pv;
    break;
  }
  if (triangle < 0) return std::nullopt;
  End best;
  double best_gap = std::numeric_limits<double>::infinity();
  const auto consider = [&](int v, const Point& p) {
    const double gap = std::hypot(p.x - reach, p.y);
    if (gap >= best_gap) return;
    best_gap = gap;
    best = {v, std::hypot(p.x, p.y)};
  };
  consider(a, at_a);
  consider(b, at_b);
  // Each triangle is entered once on a straight line; the count is a guard against rounding.
  for (std::size_t steps = 0; steps < triangles_.size(); ++steps) {
    const double gap = at_b.y - at_a.y;
    const double crossing = gap > 0 ? at_a.x - at_a.y * (at_b.x - at_a.x) / gap : std::max(at_a.x, at_b.x);
    if (crossing > reach) break;
    const int next = across_[triangle][corner_of(triangles_[triangle], a, b)];
    if (next < 0) break;
    const int c = triangles_[next][corner_of(triangles_[next], a, b)];
    // c in the plane, on the far side of a b, by its distances.
    const Vec3d ab = x_[b] - x_[a], ac = x_[c] - x_[a];
    const double l = length(ab), s = dot(ac, ab) / l, h = std::sqrt(std::max(0.0, dot(ac, ac) - s * s));
    const Point e{(at_b.x - at_a.x) / l, (at_b.y - at_a.y) / l};
    const Point at_c{at_a.x + s * e.x + h * e.y, at_a.y + s * e.y - h * e.x};
    consider(c, at_c);
    if (at_c.y > 0) {
      b = c;
      at_b = at_c;
    } else {
      a = c;
      at_a = at_c;
    }
    triangle = next;
  }
  if (!(best.distance >= 0.5 * reach)) return std::nullopt;
  return best;
}

}  // namespace pliant
