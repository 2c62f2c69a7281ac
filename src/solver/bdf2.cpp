// Second-order integration: the backward difference formula of two steps (BDF2), as an option beside implicit Euler.
//
//   v = (3 (x - x_n) - (x_n - x_{n-1})) / (2 dt),   a = (3 v - 4 v_n + v_{n-1}) / (2 dt)
//
// With h = 2 dt / 3 this is a step of implicit Euler of length h that starts from other places and velocities,
//
//   x = x* + h v,  x* = x_n + (x_n - x_{n-1}) / 3        v = v* + h a,  v* = (4 v_n - v_{n-1}) / 3
//
// so that prediction, projection, damping and the velocity update stay as they are: dt_ is h, `start` is x*. The first
// substep, and the first after positions or velocities were set, is Euler's.

#include "core/parallel.h"
#include "solver/solver.h"

namespace pliant {

namespace {
constexpr int64_t kParticlesPerChunk = 2048;
}  // namespace

template <class Real>
void Solver<Real>::start_substep() {
  if (options_.integrator == Integrator::euler) return;
  const double substep = options_.step / options_.substeps;
  set_multiplier_time(static_cast<Real>(state_.has_history ? substep * 2 / 3 : substep));
  if (!state_.has_history) {
    state_.last_velocity = state_.velocity;
    return;
  }
  using V = Pack<Real, 4>;
  parallel_for(*jobs_, model_.body_begin.back(), kParticlesPerChunk, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      const V o = V::load(&state_.offset[i].x), motion = V::load(&state_.last_motion[i].x);
      (o + motion / V(Real(3))).store(&state_.offset[i].x);
      const V v = V::load(&state_.velocity[i].x), last = V::load(&state_.last_velocity[i].x);
      v.store(&state_.last_velocity[i].x);
      (v + (v - last) / V(Real(3))).store(&state_.velocity[i].x);
    }
  });
}

template <class Real>
void Solver<Real>::finish_substep() {
  if (options_.integrator == Integrator::euler) return;
  using V = Pack<Real, 4>;
  const bool shifted = state_.has_history;  // `start` is x*, not x_n
  parallel_for(*jobs_, model_.body_begin.back(), kParticlesPerChunk, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      V motion = V::load(&state_.offset[i].x) - V::load(&state_.start[i].x);
      if (shifted) motion = motion + V::load(&state_.last_motion[i].x) / V(Real(3));
      motion.store(&state_.last_motion[i].x);
    }
  });
  state_.has_history = true;
}

/// Multipliers, and the push that the next prediction takes from them, are forces times dt^2.
template <class Real>
void Solver<Real>::set_multiplier_time(Real dt) {
  if (dt == dt_) return;
  const Real factor = (dt / dt_) * (dt / dt_);
  dt_ = dt;
  for (std::size_t g = 0; g < model_.groups.size(); ++g) {
    if (!model_.groups[g].keep) continue;
    for (Real& lambda : state_.multipliers[g]) lambda *= factor;
  }
  for (int i = 0; i < model_.particles; ++i) {
    Quad<Real>& c = state_.carry[i];
    c = {c.x * factor, c.y * factor, c.z * factor, c.w};
  }
}

template void Solver<float>::start_substep();
template void Solver<float>::finish_substep();
template void Solver<float>::set_multiplier_time(float);
template void Solver<double>::start_substep();
template void Solver<double>::finish_substep();
template void Solver<double>::set_multiplier_time(double);

}  // namespace pliant
