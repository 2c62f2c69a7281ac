#pragma once
// Continuous detection: when two primitives that move along straight lines come closer than a given distance.
//
// Conservative advancement along separating planes. At time t let n be the direction between the closest points.
// Since all corners move linearly, the gap between the two sides along the fixed n,
//
//   g(t') = min over a of n . x(t')  -  max over b of n . x(t')  >=  g(t) - (t' - t) w,
//   w     = max over b of n . u      -  min over a of n . u
//
// and the distance is never less than that gap. So nothing happens before t + (g - distance) / w, and never again
// if w <= 0. That is one step of the advancement; it needs no root of a cubic, and is right for any n: a direction
// that is inexact (parallel edges, degenerate triangles, points that nearly touch) only makes the gap smaller and the
// answer earlier. The rounding of g itself is bounded and subtracted. Compared with additive advancement by the largest
// speed (Li et al. 2021, "Codimensional incremental potential contact", alg. 1), motion along the plane and motion in
// common cost nothing, and primitives that separate are done at once.

#include <algorithm>
#include <cmath>
#include <limits>

#include "contact/closest.h"

namespace pliant {

template <class Real>
struct FirstContact {
  bool hit = false;
  Real time{};  // [1] of the step: up to here the distance is larger than asked for. One if there is no hit
};

/// Corners x move to x + u. `kSideA` corners (1: vertex-triangle, 2: edge-edge) against the others. A hit is told where
/// the gap falls to `distance + tolerance` [m]; none is missed where the distance falls to `distance`.
template <int kSideA, class Real>
FirstContact<Real> first_contact(const Vec3<Real> (&x)[4], const Vec3<Real> (&u)[4], Real distance, Real tolerance) {
  // Relative to the first corner: far from the origin, and in fast flight, nothing is lost.
  Vec3<Real> place[4], motion[4];
  Real size = Real(0);
  for (int k = 0; k < 4; ++k) {
    place[k] = x[k] - x[0];
    motion[k] = u[k] - u[0];
    size = std::max({size, std::abs(place[k].x), std::abs(place[k].y), std::abs(place[k].z), std::abs(motion[k].x),
                     std::abs(motion[k].y), std::abs(motion[k].z)});
  }
  // Roundings: two of x + t u in each of three coordinates, four of the product with n, t itself; 16 covers them.
  const Real rounding = Real(16) * std::numeric_limits<Real>::epsilon() * size;
  constexpr int kMostAdvances = 256;
  Real t = Real(0);
  for (int advance = 0; advance < kMostAdvances; ++advance) {
    Vec3<Real> now[4];
    for (int k = 0; k < 4; ++k) now[k] = mul_add(motion[k], t, place[k]);
    const ClosestPair<Real> near = closest<kSideA>(now);
    const Real d = std::sqrt(near.distance_squared);
    if (!(d > distance)) return {true, t};
    const Vec3<Real> n = near.separation / d;
    Real lowest_a = dot(n, now[0]), highest_b = dot(n, now[3]);
    Real slowest_a = dot(n, motion[0]), fastest_b = dot(n, motion[3]);
    for (int k = 1; k < kSideA; ++k) {
      lowest_a = std::min(lowest_a, dot(n, now[k]));
      slowest_a = std::min(slowest_a, dot(n, motion[k]));
    }
    for (int k = kSideA; k < 3; ++k) {
      highest_b = std::max(highest_b, dot(n, now[k]));
      fastest_b = std::max(fastest_b, dot(n, motion[k]));
    }
    const Real gap = lowest_a - highest_b - rounding - distance;
    if (!(gap > tolerance)) return {true, t};
    const Real approach = fastest_b - slowest_a + rounding;
    if (gap > approach * (Real(1) - t)) return {false, Real(1)};
    t = std::min(t + gap / approach, Real(1));
  }
  return {true, t};  // so slow that it touches for all purposes
}

}  // namespace pliant
