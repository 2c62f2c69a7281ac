// Prediction: where each particle goes without constraints, and the scripted motion of pins.
//
//   v += dt a,  x += dt v + carry                                       bender13 alg. 1, lines 5-7

#include <algorithm>
#include <cmath>

#include "core/parallel.h"
#include "math/quaternion.h"
#include "solver/script.h"
#include "solver/solver.h"

namespace pliant {

namespace {
constexpr int64_t kParticlesPerChunk = 2048;

}  // namespace

template <class Real>
void Solver<Real>::predict() {
  const Real dt = dt_;
  Quad<Real>* offset = state_.offset.data();
  Quad<Real>* start = state_.start.data();
  Quad<Real>* velocity = state_.velocity.data();
  const bool carries = std::any_of(model_.groups.begin(), model_.groups.end(), [](auto& group) { return group.keep; });
  Quad<Real>* carry = carries ? state_.carry.data() : nullptr;  // else it stays zero
  const Quad<Real>* force = vertex_force_.empty() ? nullptr : vertex_force_.data();
  const std::vector<int>& bodies = model_.body_begin;
  using V = Pack<Real, 4>;  // a particle's x, y, z and w; motion and velocity have w = 0

  parallel_for(*jobs_, bodies.back(), kParticlesPerChunk, [&](int64_t begin, int64_t end) {
    std::size_t body = std::upper_bound(bodies.begin(), bodies.end(), begin) - bodies.begin() - 1;
    int64_t i = begin;
    while (i < end) {
      const int64_t stop = std::min<int64_t>(end, bodies[body + 1]);
      const Vec3<Real> dv = acceleration_[body] * dt;
      alignas(4 * sizeof(Real)) const Real dv4[4] = {dv.x, dv.y, dv.z, Real(0)};
      const V gain = V::load(dv4);
      for (; i < stop; ++i) {
        const Real w = offset[i].w;
        const V o = V::load(&offset[i].x);
        o.store(&start[i].x);
        if (w == Real(0)) continue;
        V v = V::load(&velocity[i].x) + gain;
        if (force) v = mul_add(V::load(&force[i].x), V(dt * w), v);
        const V motion = mul_add(v, V(dt), carry ? V::load(&carry[i].x) : V(Real(0)));
        if (!all(abs(motion) <= V(kTooFar<Real>))) [[unlikely]] {
          hold(i);  // here and not after the projection, which would spread it through the whole body
          continue;
        }
        (o + motion).store(&offset[i].x);
        v.store(&velocity[i].x);
        if (carry) V(Real(0)).store(&carry[i].x);
      }
      ++body;
    }
  });
}

template <class Real>
void Solver<Real>::move_pins(double time) {
  for (std::size_t p = 0; p < model_.pins.size(); ++p) {
    const Pin<Real>& pin = model_.pins[p];
    const Keyframe pose = pose_at(pin.path, time);
    const Quat<double> turn = from_rotation_vector(pose.turn);
    const double before = time - options_.step / options_.substeps;
    const Keyframe pose_before = pose_at(pin.path, before);
    pin_turns_[p] = {turn, from_rotation_vector(pose_before.turn)};
    ledger_.move_pin(p, pin.center + pose_before.move, pin.center + pose.move, turn * conjugate(pin_turns_[p][1]));
    for (std::size_t k = 0; k < pin.particles.size(); ++k) {
      const Vec3d target = pin.center + pose.move + rotate(turn, pin.from_center[k]) - state_.origin;
      const int32_t i = pin.particles[k];
      const Quad<Real>& b = state_.base[i];
      Quad<Real>& o = state_.offset[i];
      o.x = static_cast<Real>(target.x - b.x);
      o.y = static_cast<Real>(target.y - b.y);
      o.z = static_cast<Real>(target.z - b.z);
    }
  }
}

template void Solver<float>::predict();
template void Solver<float>::move_pins(double);
template void Solver<double>::predict();
template void Solver<double>::move_pins(double);

}  // namespace pliant
