#pragma once
// Where the corners of a pair are at the start of a substep, and how they move in it.

#include <algorithm>
#include <array>
#include <cmath>

#include "contact/closest.h"
#include "contact/surface.h"
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
        shift_(options.integrator == Integrator::bdf2 && state.has_history ? state.last_motion.data() : nullptr) {}

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

  PairPlaces(const State<Real>& state, const SubstepMotion<Real>& motion, const std::array<int32_t, 4>& corner) {
    const Quad<Real>& b0 = state.base[corner[0]];
    const Vec3<Real> from0 = motion.from(corner[0]), u0 = motion.of(corner[0]);
    x[0] = u[0] = {};
    for (int k = 1; k < 4; ++k) {
      const Quad<Real>& b = state.base[corner[k]];
      x[k] = Vec3<Real>{b.x - b0.x, b.y - b0.y, b.z - b0.z} + (motion.from(corner[k]) - from0);
      u[k] = motion.of(corner[k]) - u0;
      size = std::max({size, std::abs(x[k].x), std::abs(x[k].y), std::abs(x[k].z)});
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
