#pragma once
// Where the corners of a pair are at the start of a substep, and how they move in it.

#include <algorithm>
#include <array>
#include <cmath>

#include <limits>
#include <vector>

#include "contact/broad_phase.h"
#include "contact/closest.h"
#include "contact/surface.h"
#include "math/quads.h"
#include "solver/body_contacts.h"
#include "solver/solver.h"

namespace pliant {

/// Motion of particles from the end of the last substep to where they are now. BDF2 starts from another place
/// (bdf2.cpp); nothing has been there.
template <class Real>
class SubstepMotion {
 public:
  SubstepMotion(const State<Real>& state, const WorldOptions& options)
      : offset_(state.offset.data()),
        start_(state.start.data()),
        shift_(state.start_is_ahead(options.integrator) ? state.last_motion.data() : nullptr) {}

  /// Offset at the start of the substep [m].
  Vec3<Real> from(int32_t i) const {
    const Quad<Real>& s = start_[i];
    Vec3<Real> x{s.x, s.y, s.z};
    if (shift_) x -= Vec3<Real>{shift_[i].x, shift_[i].y, shift_[i].z} / Real(3);
    return x;
  }
  /// From there to the present [m].
  Vec3<Real> of(int32_t i) const {
    const Quad<Real>& o = offset_[i];
    return Vec3<Real>{o.x, o.y, o.z} - from(i);
  }

 private:
  const Quad<Real>* offset_;
  const Quad<Real>* start_;
  const Quad<Real>* shift_;
};

/// Relative to the first corner.
template <class Real>
struct PairPlaces {
  Vec3<Real> x[4], u[4];  // [m] at the start, and the motion from there
  Real size = 0;          // [m] largest coordinate difference

  PairPlaces(const Quad<Real>* base, const Quad<Real>* from, const Quad<Real>* motion,
             const std::array<int32_t, 4>& corner) {
    const Quad<Real>&b0 = base[corner[0]], &f0 = from[corner[0]], &u0 = motion[corner[0]];
    x[0] = u[0] = {};
    for (int k = 1; k < 4; ++k) {
      const Quad<Real>&b = base[corner[k]], &f = from[corner[k]], &m = motion[corner[k]];
      x[k] = {(b.x - b0.x) + (f.x - f0.x), (b.y - b0.y) + (f.y - f0.y), (b.z - b0.z) + (f.z - f0.z)};
      u[k] = {m.x - u0.x, m.y - u0.y, m.z - u0.z};
      size = std::max({size, std::abs(x[k].x), std::abs(x[k].y), std::abs(x[k].z)});
    }
  }
};

/// The same in double, to where the particles are now: places are what they are stored as, nothing is rounded.
struct ExactPlaces {
  Vec3d x[4], u[4];  // [m] at the start, and the motion from there
  double size = 0;   // [m] largest coordinate difference

  template <class Real>
  ExactPlaces(const Quad<Real>* base, const Quad<Real>* from, const Quad<Real>* offset,
              const std::array<int32_t, 4>& corner) {
    const auto vector = [](const Quad<Real>& q) { return Vec3d{double(q.x), double(q.y), double(q.z)}; };
    const Vec3d b0 = vector(base[corner[0]]), f0 = vector(from[corner[0]]);
    const Vec3d u0 = vector(offset[corner[0]]) - f0;
    x[0] = u[0] = {};
    for (int k = 1; k < 4; ++k) {
      const Vec3d f = vector(from[corner[k]]);
      x[k] = (vector(base[corner[k]]) - b0) + (f - f0);
      u[k] = (vector(offset[corner[k]]) - f) - u0;
      size = std::max({size, std::abs(x[k].x), std::abs(x[k].y), std::abs(x[k].z)});
    }
  }
};

/// Corners of W pairs; what is missing at the end repeats the last.
template <class Real, int W>
struct PairLanes {
  QuadAt at[4][W];
  PairLanes(const std::vector<BroadPhase::Due>& pairs, std::size_t first) {
    for (int l = 0; l < W; ++l) {
      const auto& corner = pairs[std::min(first + l, pairs.size() - 1)].corner;
      for (int k = 0; k < 4; ++k) at[k][l] = quad_at<Real>(corner[k]);
    }
  }
};

/// PairPlaces of W pairs.
template <class Real, int W>
struct PairPacks {
  using T = Pack<Real, W>;
  Vec3<T> x[4], u[4];
  T thickness;

  PairPacks(const Quad<Real>* base, const Quad<Real>* from, const Quad<Real>* motion, const PairLanes<Real, W>& lanes) {
    const auto b0 = Quads<T>::gather(base, lanes.at[0]), f0 = Quads<T>::gather(from, lanes.at[0]);
    for (int k = 1; k < 4; ++k) {
      x[k] = ((Quads<T>::gather(base, lanes.at[k]) - b0) + (Quads<T>::gather(from, lanes.at[k]) - f0)).xyz();
    }
    take_motion(motion, lanes);
  }

  /// Least distance of the sides along a direction, roundings taken off (first_contact.h).
  template <int kSideA>
  T gap(const Vec3<T>& n) const {
    T lowest_a(Real(0)), highest_b = dot(n, x[3]), size(Real(0));
    for (int k = 1; k < kSideA; ++k) lowest_a = min(lowest_a, dot(n, x[k]));
    for (int k = kSideA; k < 3; ++k) highest_b = max(highest_b, dot(n, x[k]));
    for (int k = 1; k < 4; ++k) size = max(size, max(max(abs(x[k].x), abs(x[k].y)), abs(x[k].z)));
    return lowest_a - highest_b - T(Real(16) * std::numeric_limits<Real>::epsilon()) * size;
  }
  /// How much of that the motion uses up at most, rounded up.
  template <int kSideA>
  T approach(const Vec3<T>& n) const {
    T slowest_a(Real(0)), fastest_b = dot(n, u[3]), size(Real(0));
    for (int k = 1; k < kSideA; ++k) slowest_a = min(slowest_a, dot(n, u[k]));
    for (int k = kSideA; k < 3; ++k) fastest_b = max(fastest_b, dot(n, u[k]));
    for (int k = 1; k < 4; ++k) size = max(size, max(max(abs(u[k].x), abs(u[k].y)), abs(u[k].z)));
    return fastest_b - slowest_a + T(Real(32) * std::numeric_limits<Real>::epsilon()) * size;
  }

 private:
  void take_motion(const Quad<Real>* motion, const PairLanes<Real, W>& lanes) {
    const auto u0 = Quads<T>::gather(motion, lanes.at[0]);
    for (int k = 1; k < 4; ++k) {
      const auto uk = Quads<T>::gather(motion, lanes.at[k]);
      u[k] = (uk - u0).xyz();
      if (k == 3) thickness = (uk + u0).w();
    }
  }
};

/// Distance of the two primitives in the rest shape [m]; for pairs of one body.
template <int kSideA, class Real>
inline Real rest_distance(const ContactSurface& s, const std::array<int32_t, 4>& corner) {
  Vec3<double> x[4];
  for (int k = 0; k < 4; ++k) {
    const auto& r = s.rest[corner[k]];
    x[k] = {r[0], r[1], r[2]};
  }
  return static_cast<Real>(std::sqrt(closest<kSideA>(x).distance_squared));
}

}  // namespace pliant
