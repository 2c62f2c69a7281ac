// Velocity update: v = (x - x_start) / dt, and what is not finite.

#include <algorithm>
#include <cmath>

#include "core/parallel.h"
#include "solver/solver.h"

namespace pliant {

namespace {
constexpr int64_t kParticlesPerChunk = 2048;
}  // namespace

template <class Real>
void Solver<Real>::update_velocities() {
  const Real dt = dt_;
  // From the time in double, as the loss adds up over many substeps; two thirds of it where dt is that (bdf2.cpp).
  const double part = state_.start_is_ahead(options_.integrator) ? 2.0 / 3 : 1.0;
  const Real loss = static_cast<Real>(-std::expm1(-options_.point_damping * options_.step / options_.substeps * part));
  const Real reach = static_cast<Real>(model_.reach);
  const Quad<Real>* base = state_.substeps_on_base <= 1 ? state_.base.data() : nullptr;  // else they are as they were
  const Quad<Real>* offset = state_.offset.data();
  const Quad<Real>* start = state_.start.data();
  Quad<Real>* velocity = state_.velocity.data();
  using V = Pack<Real, 4>;  // a particle's x, y, z and w; motion and velocity have w = 0

  parallel_for(*jobs_, model_.body_begin.back(), kParticlesPerChunk, [&](int64_t begin, int64_t end) {
    V farthest(Real(0));
    for (int64_t i = begin; i < end; ++i) {
      const V o = V::load(&offset[i].x);
      const V motion = o - V::load(&start[i].x);
      auto near = abs(motion) <= V(kTooFar<Real>);
      if (base) near = near & (abs(V::load(&base[i].x)) <= V(kTooFar<Real>));
      if (!all(near)) [[unlikely]] {
        hold(i);
        continue;
      }
      // Divided, not multiplied by 1 / dt: its rounding would change all velocities by the same factor in
      // each substep, which is a per mille after 20000 of them. The damping as v - loss v for the same reason.
      const V v = motion / V(dt);
      neg_mul_add(v, V(loss), v).store(&velocity[i].x);
      farthest = max(farthest, abs(o));
    }
    const Real far = std::max({lane(farthest, 0), lane(farthest, 1), lane(farthest, 2)});
    if (far > reach) left_base_.store(true, std::memory_order_relaxed);
  });
  if (left_base_.exchange(false, std::memory_order_relaxed)) state_.substeps_on_base = kSubstepsOnBase;
}

/// Puts a particle back to its place at the start of the substep and keeps it there: a particle that
/// does not move harms nobody.
template <class Real>
void Solver<Real>::hold(int64_t i) {
  Quad<Real>& s = state_.start[i];
  s.w = Real(0);
  state_.offset[i] = s;
  state_.velocity[i] = {};
  state_.carry[i] = {};
  if (!state_.last_motion.empty()) state_.last_motion[i] = state_.last_velocity[i] = {};
  if (state_.held[i] == 0) state_.held[i] = 1;
  found_bad_.store(true, std::memory_order_relaxed);
}

/// Tells of particles that were held since the last report, each once.
template <class Real>
void Solver<Real>::report_held() {
  if (!found_bad_.exchange(false, std::memory_order_relaxed)) return;
  find_unaligned();
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
      std::vector<std::string> named;
      for (std::size_t g = 0; g < model_.groups.size() && g < 64; ++g) {
        const std::string& type = model_.groups[g].type->part;
        if ((touched[i] >> g & 1) == 0) continue;
        if (std::find(named.begin(), named.end(), type) != named.end()) continue;  // of another group
        named.push_back(type);
        touching += (touching.empty() ? "" : ", ") + type;
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
template void Solver<float>::report_held();
template void Solver<double>::update_velocities();
template void Solver<double>::hold(int64_t);
template void Solver<double>::report_held();

}  // namespace pliant
