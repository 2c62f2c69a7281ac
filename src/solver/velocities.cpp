// Velocity update: v = (x - x_start) / dt, the new base, and what is not finite.

#include <algorithm>
#include <cmath>

#include "core/parallel.h"
#include "solver/solver.h"

namespace pliant {

namespace {
constexpr int64_t kParticlesPerChunk = 2048;

/// sum = fl(a + b) and error = a + b - sum, exactly (Knuth). Needs IEEE arithmetic without contraction.
template <class Real>
inline void two_sum(Real a, Real b, Real& sum, Real& error) {
  const Real s = a + b;
  const Real bb = s - a;
  error = (a - (s - bb)) + (b - bb);
  sum = s;
}

/// Moves as many digits as fit from the offset into the base.
template <class Real>
inline void renormalise(Quad<Real>& base, Quad<Real>& offset) {
  two_sum(base.x, offset.x, base.x, offset.x);
  two_sum(base.y, offset.y, base.y, offset.y);
  two_sum(base.z, offset.z, base.z, offset.z);
}
}  // namespace

template <class Real>
void Solver<Real>::update_velocities() {
  const Real dt = dt_;
  const Real loss = static_cast<Real>(-std::expm1(-options_.point_damping * options_.step / options_.substeps));
  Quad<Real>* base = state_.base.data();
  Quad<Real>* offset = state_.offset.data();
  const Quad<Real>* start = state_.start.data();
  Quad<Real>* velocity = state_.velocity.data();

  parallel_for(*jobs_, model_.body_begin.back(), kParticlesPerChunk, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      Quad<Real> o = offset[i];
      const Quad<Real> s = start[i];
      const Vec3<Real> motion{o.x - s.x, o.y - s.y, o.z - s.z};
      Quad<Real> b = base[i];
      renormalise(b, o);
      const Real far = kTooFar<Real> * kTooFar<Real>;
      const Vec3<Real> place{b.x, b.y, b.z};
      if (!(dot(motion, motion) <= far && dot(place, place) <= far)) [[unlikely]] {
        hold(i);
        continue;
      }
      // Divided, not multiplied by 1 / dt: its rounding would change all velocities by the same factor in
      // each substep, which is a per mille after 20000 of them. The damping as v - loss v for the same reason.
      const Vec3<Real> v = motion / dt;
      velocity[i] = {neg_mul_add(v.x, loss, v.x), neg_mul_add(v.y, loss, v.y), neg_mul_add(v.z, loss, v.z), Real(0)};
      base[i] = b;
      offset[i] = o;
    }
  });
}

/// Puts a particle back to its place at the start of the substep and keeps it there: a particle that
/// does not move harms nobody.
template <class Real>
void Solver<Real>::hold(int64_t i) {
  const Quad<Real>& s = state_.start[i];
  state_.offset[i] = {s.x, s.y, s.z, Real(0)};
  state_.velocity[i] = {};
  state_.carry[i] = {};
  if (state_.held[i] == 0) state_.held[i] = 1;
  found_bad_.store(true, std::memory_order_relaxed);
}

/// When the scene has moved far from the origin of its coordinates, moves the origin after it. Far is
/// where the last digit of a base is larger than the motion of many small substeps. Where the scene is
/// is told by the median of some particles: a few that fly away do not take the origin with them.
template <class Real>
void Solver<Real>::follow_scene() {
  constexpr double kFar = 256;  // [m] float: last digit 3e-5 m in the base, 2e-12 m in the offset
  constexpr int kSamples = 31;
  const int64_t count = model_.body_begin.back();
  const int samples = static_cast<int>(std::min<int64_t>(count, kSamples));
  if (samples == 0) return;
  Vec3<Real> shift;  // in the numbers of the State, so that what the origin gains is what the bases lose
  for (int axis = 0; axis < 3; ++axis) {
    Real sample[kSamples] = {};
    for (int k = 0; k < samples; ++k) {
      const Quad<Real>& p = state_.base[count * k / samples];
      sample[k] = axis == 0 ? p.x : axis == 1 ? p.y : p.z;
    }
    std::nth_element(sample, sample + samples / 2, sample + samples);
    shift[axis] = std::round(sample[samples / 2]);
  }
  if (!(length(cast<double>(shift)) > kFar)) return;
  state_.origin += cast<double>(shift);
  for (int i = 0; i < model_.particles; ++i) {
    Quad<Real>&b = state_.base[i], &o = state_.offset[i];
    Quad<Real> rest{};
    two_sum(b.x, -shift.x, b.x, rest.x);
    two_sum(b.y, -shift.y, b.y, rest.y);
    two_sum(b.z, -shift.z, b.z, rest.z);
    o = {o.x + rest.x, o.y + rest.y, o.z + rest.z, o.w};
    renormalise(b, o);
  }
}

/// Tells of particles that were held since the last report, each once.
template <class Real>
void Solver<Real>::report_held() {
  if (!found_bad_.exchange(false, std::memory_order_relaxed)) return;
  // One pass over the constraints for all new ones together: which types touch each.
  std::vector<uint64_t> touched(model_.particles, 0);
  for (std::size_t g = 0; g < model_.groups.size(); ++g) {
    for (const QuadAt& at : model_.groups[g].particles) {
      const std::size_t i = at / sizeof(Quad<Real>);
      if (i < touched.size() && state_.held[i] == 1) touched[i] |= uint64_t{1} << (g % 64);
    }
    for (const Hub& hub : model_.groups[g].hubs) touched[hub.particle] |= uint64_t{1} << (g % 64);
  }
  for (std::size_t body = 0; body < input_.bodies.size(); ++body) {
    for (int i = model_.body_begin[body]; i < model_.body_begin[body + 1]; ++i) {
      if (state_.held[i] != 1) continue;
      state_.held[i] = 2;  // reported
      std::string touching;
      for (std::size_t g = 0; g < model_.groups.size() && g < 64; ++g) {
        if (touched[i] >> g & 1) touching += (touching.empty() ? "" : ", ") + model_.groups[g].type->name;
      }
      Trouble t;
      t.kind = Trouble::Kind::non_finite;
      t.step = state_.steps;
      t.body = input_.bodies[body].name;
      t.vertex = model_.to_user[i] - input_.bodies[body].first_particle;
      t.message = "vertex " + std::to_string(t.vertex) + " of '" + t.body + "' was not finite in step " +
                  std::to_string(t.step) + " and is held at its last finite place" +
                  (touching.empty() ? "" : " (its constraints: " + touching + ")");
      troubles_.push_back(std::move(t));
    }
  }
}

template void Solver<float>::update_velocities();
template void Solver<float>::hold(int64_t);
template void Solver<float>::follow_scene();
template void Solver<float>::report_held();
template void Solver<double>::update_velocities();
template void Solver<double>::hold(int64_t);
template void Solver<double>::follow_scene();
template void Solver<double>::report_held();

}  // namespace pliant
