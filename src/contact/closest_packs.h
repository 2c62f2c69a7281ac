#pragma once
// The closest points of two primitives as in closest.h, for many pairs at once: the same cases, all of them computed,
// and selected at the end. Positions are relative to the first corner, which is the origin.

#include "math/simd.h"
#include "pliant/vec.h"

namespace pliant {

template <class T>
struct ClosestPacks {
  T weight[4];         // of the corners; those of a side are in [0, 1] and sum to one
  Vec3<T> separation;  // from the point of b to that of a [m]
  T distance_squared;  // [m^2]
  MaskOf<T> interior;  // the points lie inside of the triangle, or of both edges
};

namespace detail {

template <class T>
inline Vec3<T> choose(const MaskOf<T>& m, const Vec3<T>& a, const Vec3<T>& b) {
  return {select(m, a.x, b.x), select(m, a.y, b.y), select(m, a.z, b.z)};
}

/// Where on an edge of this direction and squared length the point is nearest, from 0 to 1.
template <class T>
inline T nearest_on(const Vec3<T>& from_start, const Vec3<T>& edge, const T& square) {
  // Where there is no length: 0 / tiny.
  const T s = dot(from_start, edge) / max(square, T(ScalarOf<T>(1e-36)));
  return max(min(s, T(ScalarOf<T>(1))), T(ScalarOf<T>(0)));
}

/// Sine squared (of edges), or height / longest edge squared (of triangles), below which the inner solution has no
/// digits.
template <class T>
inline constexpr ScalarOf<T> kFlat = sizeof(ScalarOf<T>) == 4 ? ScalarOf<T>(1e-6) : ScalarOf<T>(1e-12);

}  // namespace detail

/// Vertex at the origin, triangle a, b, c.
template <class T>
inline ClosestPacks<T> closest_vertex_triangle(const Vec3<T>& a, const Vec3<T>& b, const Vec3<T>& c) {
  using S = ScalarOf<T>;
  const T zero(S(0)), one(S(1));
  const Vec3<T> ab = b - a, bc = c - b, ca = a - c;
  const Vec3<T> normal = cross(ab, bc);
  const T square = dot(normal, normal);
  const T lab = dot(ab, ab), lbc = dot(bc, bc), lca = dot(ca, ca);
  const T longest = max(max(lab, lbc), lca);
  const T va = dot(normal, cross(b, bc)), vb = dot(normal, cross(c, ca)), vc = dot(normal, cross(a, ab));
  ClosestPacks<T> out;
  out.interior = (square > T(detail::kFlat<T>) * longest * longest) & (va > zero) & (vb > zero) & (vc > zero);
  const T sum = max(va + vb + vc, T(S(1e-36)));
  const Vec3<T> along = normal * (-dot(normal, a) / max(square, T(S(1e-36))));
  // The nearest of the three edges.
  const T sab = detail::nearest_on(-a, ab, lab), sbc = detail::nearest_on(-b, bc, lbc),
          sca = detail::nearest_on(-c, ca, lca);
  const Vec3<T> qab = -mul_add(ab, sab, a), qbc = -mul_add(bc, sbc, b), qca = -mul_add(ca, sca, c);
  const T dab = dot(qab, qab), dbc = dot(qbc, qbc), dca = dot(qca, qca);
  const auto second = dbc < dab;
  const T d2 = min(dbc, dab);
  const auto third = dca < d2;
  const Vec3<T> edge = detail::choose<T>(third, qca, detail::choose<T>(second, qbc, qab));
  const T wa = select(third, sca, select(second, zero, one - sab));
  const T wb = select(third, zero, select(second, one - sbc, sab));
  out.weight[0] = one;
  out.weight[1] = select(out.interior, va / sum, wa);
  out.weight[2] = select(out.interior, vb / sum, wb);
  out.weight[3] = one - out.weight[1] - out.weight[2];
  out.separation = detail::choose<T>(out.interior, along, edge);
  out.distance_squared = dot(out.separation, out.separation);
  return out;
}

/// Edge from the origin to a, edge from b to c.
template <class T>
inline ClosestPacks<T> closest_edge_edge(const Vec3<T>& a, const Vec3<T>& b, const Vec3<T>& c) {
  using S = ScalarOf<T>;
  const T zero(S(0)), one(S(1));
  const Vec3<T> d2 = c - b;
  const Vec3<T> r = -b;
  const Vec3<T> normal = cross(a, d2);
  const T la = dot(a, a), le = dot(d2, d2), square = dot(normal, normal);
  const T inverse = one / max(square, T(S(1e-36)));
  const T s = dot(cross(d2, r), normal) * inverse, t = dot(cross(a, r), normal) * inverse;
  ClosestPacks<T> out;
  out.interior =
      (square > T(detail::kFlat<T>) * la * le) & (s > zero) & (s < one) & (t > zero) & (t < one) & (square > zero);
  // The four ends against the other edge.
  const T t0 = detail::nearest_on(r, d2, le), t1 = detail::nearest_on(a - b, d2, le);
  const T s0 = detail::nearest_on(b, a, la), s1 = detail::nearest_on(c, a, la);
  const Vec3<T> q0 = r - d2 * t0, q1 = (a - b) - d2 * t1, q2 = a * s0 - b, q3 = a * s1 - c;
  const T e0 = dot(q0, q0), e1 = dot(q1, q1), e2 = dot(q2, q2), e3 = dot(q3, q3);
  const auto first = e1 < e0, second = e3 < e2;
  const T e01 = min(e1, e0), e23 = min(e3, e2);
  const auto later = e23 < e01;
  const T end_s = select(later, select(second, s1, s0), select(first, one, zero));
  const T end_t = select(later, select(second, one, zero), select(first, t1, t0));
  const Vec3<T> end = detail::choose<T>(later, detail::choose<T>(second, q3, q2), detail::choose<T>(first, q1, q0));
  const Vec3<T> along = normal * (dot(normal, r) * inverse);
  out.weight[1] = select(out.interior, s, end_s);
  out.weight[0] = one - out.weight[1];
  out.weight[3] = select(out.interior, t, end_t);
  out.weight[2] = one - out.weight[3];
  out.separation = detail::choose<T>(out.interior, along, end);
  out.distance_squared = dot(out.separation, out.separation);
  return out;
}

template <int kSideA, class T>
inline ClosestPacks<T> closest_packs(const Vec3<T>& x1, const Vec3<T>& x2, const Vec3<T>& x3) {
  static_assert(kSideA == 1 || kSideA == 2);
  if constexpr (kSideA == 1) {
    return closest_vertex_triangle(x1, x2, x3);
  } else {
    return closest_edge_edge(x1, x2, x3);
  }
}

}  // namespace pliant
