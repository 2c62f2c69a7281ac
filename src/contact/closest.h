#pragma once
// The points of two primitives of a surface that are closest to each other: vertex and triangle, edge and edge.
//
// Side a is the vertex, or the first edge; side b the triangle, or the second edge. Four corners in all:
//
//   vertex-triangle   x0 | x1 x2 x3           edge-edge   x0 x1 | x2 x3
//
// Degenerate ones (an edge without length, a triangle without area, parallel edges) have a closest pair like all
// others; where there are several, one of them is given.

#include <algorithm>

#include "pliant/vec.h"

namespace pliant {

template <class Real>
struct ClosestPair {
  Real weight[4];         // of the corners; those of a side are in [0, 1] and sum to one
  Vec3<Real> separation;  // from the point of b to that of a [m]
  Real distance_squared;  // [m^2]
  bool interior;          // the points lie inside of the triangle, or of both edges: no border is closest
};

namespace detail {

template <class Real>
inline Real clamp_unit(Real s) {
  return s > Real(0) ? (s < Real(1) ? s : Real(1)) : Real(0);  // 0 for what is not a number
}

/// Where on the edge a-b the point p is nearest, from 0 (a) to 1 (b).
template <class Real>
inline Real nearest_on_edge(const Vec3<Real>& p, const Vec3<Real>& a, const Vec3<Real>& b) {
  const Vec3<Real> e = b - a;
  const Real square = dot(e, e);
  return square > Real(0) ? clamp_unit(dot(p - a, e) / square) : Real(0);
}

}  // namespace detail

/// By the Voronoi regions of corners, edges and face (Ericson, Real-Time Collision Detection, 5.1.5). A triangle
/// that is too thin for its face to decide is taken as its three edges.
template <class Real>
inline ClosestPair<Real> closest_vertex_triangle(const Vec3<Real> (&x)[4]) {
  const Vec3<Real>&p = x[0], &a = x[1], &b = x[2], &c = x[3];
  ClosestPair<Real> out;
  const auto finish = [&](Real wa, Real wb, Real wc, bool interior) {
    out.weight[0] = Real(1);
    out.weight[1] = wa;
    out.weight[2] = wb;
    out.weight[3] = wc;
    out.separation = (p - a) * wa + (p - b) * wb + (p - c) * wc;
    out.distance_squared = dot(out.separation, out.separation);
    out.interior = interior;
  };
  const Vec3<Real> ab = b - a, ac = c - a, ap = p - a;
  const Real d1 = dot(ab, ap), d2 = dot(ac, ap);
  if (d1 <= Real(0) && d2 <= Real(0)) return finish(Real(1), Real(0), Real(0), false), out;
  const Vec3<Real> bp = p - b;
  const Real d3 = dot(ab, bp), d4 = dot(ac, bp);
  if (d3 >= Real(0) && d4 <= d3) return finish(Real(0), Real(1), Real(0), false), out;
  const Vec3<Real> cp = p - c;
  const Real d5 = dot(ab, cp), d6 = dot(ac, cp);
  if (d6 >= Real(0) && d5 <= d6) return finish(Real(0), Real(0), Real(1), false), out;

  const Vec3<Real> normal = cross(ab, ac);
  const Real longest = std::max({dot(ab, ab), dot(ac, ac), dot(c - b, c - b)});
  const Real double_area_squared = dot(normal, normal);
  // Height / longest edge above 1e-3 (float) or 1e-6: below, the barycentric coordinates lose their digits.
  constexpr Real kThin = sizeof(Real) == 4 ? Real(1e-6) : Real(1e-12);
  if (double_area_squared > kThin * longest * longest) {
    // Barycentric coordinates as areas, from the normal: no difference of large products.
    const Real va = dot(normal, cross(c - b, bp)), vb = dot(normal, cross(a - c, cp)), vc = dot(normal, cross(ab, ap));
    if (va > Real(0) && vb > Real(0) && vc > Real(0)) {
      const Real sum = va + vb + vc;
      finish(va / sum, vb / sum, vc / sum, true);
      // Straight along the normal: the mixture above loses digits where the point is near the plane.
      const Vec3<Real> along = normal * (dot(normal, ap) / double_area_squared);
      out.separation = along;
      out.distance_squared = dot(along, along);
      return out;
    }
  }
  // The nearest of the three edges.
  const Real sab = detail::nearest_on_edge(p, a, b), sbc = detail::nearest_on_edge(p, b, c),
             sca = detail::nearest_on_edge(p, c, a);
  const Vec3<Real> qab = ap - ab * sab, qbc = bp - (c - b) * sbc, qca = cp - (a - c) * sca;
  const Real lab = dot(qab, qab), lbc = dot(qbc, qbc), lca = dot(qca, qca);
  const auto edge = [&](Real wa, Real wb, Real wc, const Vec3<Real>& q, Real square) {
    out = {{Real(1), wa, wb, wc}, q, square, false};
  };
  if (lab <= lbc && lab <= lca) {
    edge(Real(1) - sab, sab, Real(0), qab, lab);
  } else if (lbc <= lca) {
    edge(Real(0), Real(1) - sbc, sbc, qbc, lbc);
  } else {
    edge(sca, Real(0), Real(1) - sca, qca, lca);
  }
  return out;
}

/// The inner solution where the edges are far from parallel, else the best of the four ends against the other edge.
template <class Real>
inline ClosestPair<Real> closest_edge_edge(const Vec3<Real> (&x)[4]) {
  const Vec3<Real> d1 = x[1] - x[0], d2 = x[3] - x[2], r = x[0] - x[2];
  ClosestPair<Real> out;
  const auto finish = [&](Real s, Real t, bool interior) {
    out.weight[0] = Real(1) - s;
    out.weight[1] = s;
    out.weight[2] = Real(1) - t;
    out.weight[3] = t;
    out.separation = r + d1 * s - d2 * t;
    out.distance_squared = dot(out.separation, out.separation);
    out.interior = interior;
  };
  const Vec3<Real> normal = cross(d1, d2);  // |normal|^2 = |d1|^2 |d2|^2 sin^2: no cancellation, unlike a e - b b
  const Real a = dot(d1, d1), e = dot(d2, d2), square = dot(normal, normal);
  constexpr Real kParallel = sizeof(Real) == 4 ? Real(1e-6) : Real(1e-12);  // sin^2 below which s, t have no digits
  if (square > kParallel * a * e && square > Real(0)) {
    // r + s d1 - t d2 is parallel to the normal.
    const Real s = dot(cross(d2, r), normal) / square, t = dot(cross(d1, r), normal) / square;
    if (s > Real(0) && s < Real(1) && t > Real(0) && t < Real(1)) {
      finish(s, t, true);
      const Vec3<Real> along = normal * (dot(normal, r) / square);
      out.separation = along;
      out.distance_squared = dot(along, along);
      return out;
    }
  }
  const Real ends[4][2] = {{Real(0), detail::nearest_on_edge(x[0], x[2], x[3])},
                           {Real(1), detail::nearest_on_edge(x[1], x[2], x[3])},
                           {detail::nearest_on_edge(x[2], x[0], x[1]), Real(0)},
                           {detail::nearest_on_edge(x[3], x[0], x[1]), Real(1)}};
  int best = 0;
  Real least{};
  for (int k = 0; k < 4; ++k) {
    const Vec3<Real> q = r + d1 * ends[k][0] - d2 * ends[k][1];
    const Real d = dot(q, q);
    if (k == 0 || d < least) best = k, least = d;
  }
  finish(ends[best][0], ends[best][1], false);
  return out;
}

/// Corners of side a: 1 is vertex-triangle, 2 is edge-edge.
template <int kSideA, class Real>
inline ClosestPair<Real> closest(const Vec3<Real> (&x)[4]) {
  static_assert(kSideA == 1 || kSideA == 2);
  if constexpr (kSideA == 1) {
    return closest_vertex_triangle(x);
  } else {
    return closest_edge_edge(x);
  }
}

}  // namespace pliant
