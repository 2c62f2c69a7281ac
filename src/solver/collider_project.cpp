// Projects contacts, with friction; the guard against fast motion; velocities after contact.

#include <algorithm>
#include <bit>
#include <cmath>

#include "core/parallel.h"
#include "solver/collider_stage.h"

namespace pliant {

using contact::Pose;
using contact::RigidState;
using contact::turn_between;

namespace {

constexpr int64_t kChunksAtATime = 4;
/// Sweeps over coupled contacts per iteration: all contacts of a rigid body share it, and one sweep leaves those at the
/// beginning open again. They are few against the constraints of bodies.
constexpr int kCoupledSweeps = 4;

template <class Real>
void add(Quad<Real>& o, const Vec3d& d) {
  o.x += static_cast<Real>(d.x);
  o.y += static_cast<Real>(d.y);
  o.z += static_cast<Real>(d.z);
}

/// Coulomb: sticks up to mu_s lambda, slides with mu_k lambda.
Vec3d limited(const Vec3d& friction, double lambda, double stick, double slide) {
  const double size = length(friction);
  return size <= stick * lambda ? friction : friction * (slide * lambda / size);
}

}  // namespace

template <class Real>
void ColliderStage<Real>::project() {
  if (idle()) return;
  if (!coupled_.empty()) {
    for (int sweep = 0; sweep < (any_rigid_ ? kCoupledSweeps : 1); ++sweep) {
      for (std::size_t k = 0; k < swept_once_; ++k) project(coupled_[k]);
    }
    for (std::size_t k = swept_once_; k < coupled_.size(); ++k) project(coupled_[k]);
  }
  parallel_for(jobs_, static_cast<int64_t>(chunks_.size()), kChunksAtATime, [&](int64_t begin, int64_t end) {
    for (int64_t k = begin; k < end; ++k) {
      for (SurfaceContact& contact : chunks_[k].surface) project(contact);
    }
  });
}

template <class Real>
void ColliderStage<Real>::project(SurfaceContact& contact) {
  Quad<Real>& o = state_.offset[contact.particle];
  const double w = o.w;
  if (w == 0) return;  // held
  const Vec3d& n = contact.normal;
  const double C = dot(n, position(contact.particle)) - contact.level;
  const double push = std::max(-contact.lambda, -C / w);
  if (push != 0) {
    contact.lambda += push;
    add(o, n * (w * push));
  }
  if (contact.lambda <= 0 && contact.friction == Vec3d{}) return;
  const ColliderOptions& options = collider(contact.collider).options;
  const Vec3d slid = travelled(contact.particle) - contact.motion;
  const Vec3d along = slid - n * dot(n, slid);
  const Vec3d wanted = limited(contact.friction - along / w, contact.lambda,
                               options.static_friction.value_or(options.friction), options.friction);
  add(o, (wanted - contact.friction) * w);
  contact.friction = wanted;
}

template <class Real>
void ColliderStage<Real>::project(CoupledContact& contact) {
  const Vec3d n = contact.normal;
  const double C = dot(n, touching_point(contact, false) - touched_point(contact, false)) - contact.keep;
  if (C >= 0 && contact.lambda == 0) return;  // only near: most are
  const double w = inverse_mass(contact, n);
  if (!(w > 0)) return;
  const double push = std::max(-contact.lambda, -C / w);
  if (push != 0) {
    contact.lambda += push;
    push_toucher(contact, n * push);
    push_touched(contact, n * -push);
  }
  if (contact.lambda <= 0 && contact.friction == Vec3d{}) return;
  const Vec3d slid = (touching_point(contact, false) - touching_point(contact, true)) -
                     (touched_point(contact, false) - touched_point(contact, true));
  const Vec3d along = slid - n * dot(n, slid);
  const double size = length(along);
  const double w_along = size > 0 ? inverse_mass(contact, along / size) : w;
  const Vec3d wanted = limited(contact.friction - along / w_along, contact.lambda, friction_of(contact, true),
                               friction_of(contact, false));
  push_toucher(contact, wanted - contact.friction);
  push_touched(contact, contact.friction - wanted);
  contact.friction = wanted;
}

template <class Real>
Vec3d ColliderStage<Real>::touching_point(const CoupledContact& contact, bool start) const {
  if (contact.particles[0] < 0) {
    const int r = collider(contact.other).rigid;
    const RigidState& s = start ? rigid_start_[r] : state_.rigid[r];
    return s.position + rotate(s.rotation, contact.arm);
  }
  Vec3d x{};
  for (int k = 0; k < 3 && contact.particles[k] >= 0; ++k) {
    const int32_t i = contact.particles[k];
    const Vec3d at = start ? position(i) - travelled(i) : position(i);
    x += at * contact.weights[k];
  }
  return x;
}

template <class Real>
Vec3d ColliderStage<Real>::touched_point(const CoupledContact& contact, bool start) const {
  const int r = collider(contact.collider).rigid;
  if (r < 0) return start ? contact.place - contact.motion : contact.place;
  const RigidState& s = start ? rigid_start_[r] : state_.rigid[r];
  return s.position + rotate(s.rotation, contact.place);
}

template <class Real>
double ColliderStage<Real>::inverse_mass(const CoupledContact& contact, const Vec3d& direction) const {
  double w = 0;
  const auto of_body = [&](int c, const Vec3d& arm) {
    const ColliderInput& in = collider(c);
    const RigidState& s = state_.rigid[in.rigid];
    return point_inverse_mass(in.body, s, rotate(s.rotation, arm), direction);
  };
  if (contact.particles[0] < 0) w += of_body(contact.other, contact.arm);
  for (int k = 0; k < 3 && contact.particles[k] >= 0; ++k) {
    w += contact.weights[k] * contact.weights[k] * state_.offset[contact.particles[k]].w;
  }
  if (collider(contact.collider).rigid >= 0) w += of_body(contact.collider, contact.place);
  return w;
}

template <class Real>
void ColliderStage<Real>::push_toucher(const CoupledContact& contact, const Vec3d& p) {
  if (contact.particles[0] < 0) {
    const ColliderInput& in = collider(contact.other);
    RigidState& s = state_.rigid[in.rigid];
    push(in.body, s, rotate(s.rotation, contact.arm), p);
    return;
  }
  for (int k = 0; k < 3 && contact.particles[k] >= 0; ++k) {
    Quad<Real>& o = state_.offset[contact.particles[k]];
    add(o, p * (contact.weights[k] * o.w));
  }
}

template <class Real>
void ColliderStage<Real>::push_touched(const CoupledContact& contact, const Vec3d& p) {
  const ColliderInput& in = collider(contact.collider);
  if (in.rigid < 0) return;
  RigidState& s = state_.rigid[in.rigid];
  push(in.body, s, rotate(s.rotation, contact.place), p);
}

/// Where the work on what touches is added up, see coupled_work_.
template <class Real>
std::size_t ColliderStage<Real>::work_on(const CoupledContact& contact) const {
  if (contact.particles[0] < 0) return coupled_work_.size() - 1;
  const auto above = std::upper_bound(model_.body_begin.begin(), model_.body_begin.end(), contact.particles[0]);
  return static_cast<std::size_t>(above - model_.body_begin.begin()) - 1;
}

/// Of two rigid bodies the geometric mean counts; deformable bodies have no coefficient of their own.
template <class Real>
double ColliderStage<Real>::friction_of(const CoupledContact& contact, bool sticking) const {
  const auto of = [&](int c) {
    const ColliderOptions& o = collider(c).options;
    return sticking ? o.static_friction.value_or(o.friction) : o.friction;
  };
  return contact.other < 0 ? of(contact.collider) : std::sqrt(of(contact.collider) * of(contact.other));
}

template <class Real>
double ColliderStage<Real>::restitution_of(const CoupledContact& contact) const {
  const double e = collider(contact.collider).options.restitution;
  return contact.other < 0 ? e : std::max(e, collider(contact.other).options.restitution);
}

/// Looks once more at the whole way of particles: constraints may have taken them through another part of a collider
/// than the one that was found, or into one that was not on their way.
template <class Real>
void ColliderStage<Real>::guard() {
  if (idle()) return;
  parallel_for(jobs_, static_cast<int64_t>(chunks_.size()), kChunksAtATime, [&](int64_t first, int64_t last) {
    for (int64_t k = first; k < last; ++k) {
      const Chunk& chunk = chunks_[k];
      for (const SurfaceContact& contact : chunk.surface) guard(contact.particle, contact.collider);
      for (const CoupledContact& contact : chunk.coupled) guard(contact.particles[0], contact.collider);
      if (chunk.near.empty()) continue;
      for (int32_t begin = chunk.begin; begin < chunk.end; begin += kGroup) {
        const int32_t end = std::min(begin + kGroup, chunk.end);
        uint32_t astray = 0;  // bits of those that have left the margin in which they were searched
        for (int32_t i = begin; i < end; ++i) {
          const Quad<Real>&o = state_.offset[i], &p = predicted_[i], &s = state_.start[i];
          const Vec3d beside{double(o.x) - p.x, double(o.y) - p.y, double(o.z) - p.z};
          const Vec3d way{double(p.x) - s.x, double(p.y) - s.y, double(p.z) - s.z};
          const bool inside = length_squared(beside) < length_squared(way) / 16 + 0.0025 * edge_ * edge_;
          astray |= uint32_t{!inside} << (i - begin);
        }
        if (astray == 0) continue;
        const Swept ways = swept(end - begin, [&](int32_t m) { return begin + m; });
        for (const int32_t c : chunk.near) {
          // The pose of a rigid body has changed since it was placed.
          if (collider(c).rigid < 0 && is_far(c, ways, 0)) continue;
          for (uint32_t bits = astray; bits != 0; bits &= bits - 1) guard(begin + std::countr_zero(bits), c);
        }
      }
    }
  });
}

template <class Real>
void ColliderStage<Real>::guard(int32_t i, int32_t c) {
  if (state_.offset[i].w == Real(0)) return;
  if (exit_of_particle(i, c) != nullptr) return;  // it is in there, and gets out
  const ColliderInput& in = collider(c);
  const Placed& placed = placed_[c];
  // The pose of a rigid body has changed since contacts were searched.
  const Pose now = in.rigid >= 0 ? rigid_pose(in, state_.rigid[in.rigid]) : placed.end;
  const Vec3d a = placed.begin.to_local(begin_position(i));
  // What is turned aside by one wall may go into another one of the same collider: look again. Where that does not end,
  // in a corner, the particle stays at the place of the collider where it was, which is free.
  constexpr int kRounds = 4;
  for (int round = 0; round <= kRounds; ++round) {
    const Vec3d b = now.to_local(position(i));
    if (length(b - a) < 0.01 * edge_) return;
    const auto half = contact::find_half_space(*in.shape, a, b, in.thickness, 0);
    if (!half) return;
    const double keep = contact::least_distance(half->start_distance, in.thickness);
    const double missing = keep - dot(half->normal, b - half->point);
    if (!(missing > 1e-6 * edge_)) return;
    add(state_.offset[i],
        round < kRounds ? rotate(now.rotation, half->normal) * missing : now.to_world(a) - position(i));
  }
}

template <class Real>
void ColliderStage<Real>::update_rigid_velocities() {
  const double part = h_ / step_;
  const double loss = -std::expm1(-options_.point_damping * step_ * part);
  for (std::size_t r = 0; r < state_.rigid.size(); ++r) {
    RigidState& s = state_.rigid[r];
    const RigidState& start = rigid_start_[r];
    s.velocity = (s.position - start.position) / h_;
    s.spin = turn_between(start.rotation, s.rotation) / h_;
    s.velocity -= s.velocity * loss;
    s.spin -= s.spin * loss;
    const double all = length_squared(s.position) + length_squared(s.velocity) + length_squared(s.spin);
    if (!std::isfinite(all)) {  // hold it, as particles are
      s.position = start.position;
      s.rotation = start.rotation;
      s.velocity = s.spin = {};
    }
  }
}

template <class Real>
Vec3d ColliderStage<Real>::relative_velocity(const CoupledContact& contact) const {
  const auto of_body = [&](int c, const Vec3d& arm) {
    const RigidState& s = state_.rigid[collider(c).rigid];
    return s.velocity + cross(s.spin, rotate(s.rotation, arm));
  };
  Vec3d v{};
  if (contact.particles[0] < 0) v = of_body(contact.other, contact.arm);
  for (int k = 0; k < 3 && contact.particles[k] >= 0; ++k) {
    const Quad<Real>& q = state_.velocity[contact.particles[k]];
    v += Vec3d{double(q.x), double(q.y), double(q.z)} * contact.weights[k];
  }
  return v - (collider(contact.collider).rigid >= 0 ? of_body(contact.collider, contact.place) : contact.motion / h_);
}

/// Bounce: where something came on faster than gravity makes it in two substeps, it leaves at `restitution` times that.
template <class Real>
void ColliderStage<Real>::restitute() {
  if (idle()) return;
  update_rigid_velocities();
  const double slow = slow_speed();
  for (const CoupledContact& contact : coupled_) {
    const double e = restitution_of(contact);
    if (e <= 0 || contact.lambda <= 0 || contact.approach >= -slow) continue;
    const Vec3d n = contact.normal;
    const double missing = -e * contact.approach - dot(n, relative_velocity(contact));
    const double w = inverse_mass(contact, n);
    if (missing <= 0 || w <= 0) continue;
    const Vec3d impulse = n * (missing / w);
    if (contact.particles[0] < 0) {
      const ColliderInput& in = collider(contact.other);
      RigidState& s = state_.rigid[in.rigid];
      push_velocity(in.body, s, rotate(s.rotation, contact.arm), impulse);
    }
    for (int k = 0; k < 3 && contact.particles[k] >= 0; ++k) {
      const int32_t i = contact.particles[k];
      add(state_.velocity[i], impulse * (contact.weights[k] * state_.offset[i].w));
    }
    const ColliderInput& touched = collider(contact.collider);
    if (touched.rigid < 0) {
      coupled_work_[work_on(contact)] += dot(impulse, contact.motion) / h_;
    } else {
      RigidState& s = state_.rigid[touched.rigid];
      push_velocity(touched.body, s, rotate(s.rotation, contact.place), -impulse);
    }
  }
  parallel_for(jobs_, static_cast<int64_t>(chunks_.size()), kChunksAtATime, [&](int64_t begin, int64_t end) {
    for (int64_t k = begin; k < end; ++k) {
      for (const SurfaceContact& contact : chunks_[k].surface) {
        const double e = collider(contact.collider).options.restitution;
        if (e <= 0 || contact.lambda <= 0 || contact.approach >= -slow) continue;
        Quad<Real>& q = state_.velocity[contact.particle];
        const Vec3d v = Vec3d{double(q.x), double(q.y), double(q.z)} - contact.motion / h_;
        const double missing = -e * contact.approach - dot(contact.normal, v);
        if (!(missing > 0)) continue;
        add(q, contact.normal * missing);
        chunks_[k].work +=
            missing / double(state_.offset[contact.particle].w) * dot(contact.normal, contact.motion) / h_;
      }
    }
  });
}

/// Adds up forces, and makes the histories that BDF2 needs.
template <class Real>
void ColliderStage<Real>::finish_substep() {
  if (idle()) return;
  ++substeps_done_;
  if (watched_) {
    for (const ContactPoint& p : contacts()) touching_.insert({p.collider, p.body, p.other});
  }
  const double per_time = 1 / (h_ * h_);
  const bool bdf2 = options_.integrator == Integrator::bdf2;
  // A jump of the velocity is no history to extrapolate from: what was hit goes on as if it had always moved so.
  const double slow = slow_speed();
  const auto forget_jump = [&](int32_t i) {
    const Quad<Real>& v = state_.velocity[i];
    const Real dt = static_cast<Real>(step_);
    state_.last_velocity[i] = v;
    state_.last_motion[i] = {v.x * dt, v.y * dt, v.z * dt, Real(0)};
  };
  parallel_for(jobs_, static_cast<int64_t>(chunks_.size()), kChunksAtATime, [&](int64_t begin, int64_t end) {
    for (int64_t k = begin; k < end; ++k) {
      for (const SurfaceContact& contact : chunks_[k].surface) {
        if (contact.lambda <= 0) continue;
        const Vec3d push = contact.normal * contact.lambda + contact.friction;
        chunks_[k].force[contact.collider] -= push * per_time;
        // What is moved out of the surface, where it started, is given energy by it.
        const double out = std::max(0.0, dot(contact.normal, travelled(contact.particle) - contact.motion));
        chunks_[k].work += (dot(push, contact.motion) + contact.lambda * out) * per_time * (step_ / h_);
        if (bdf2 && contact.approach < -slow) forget_jump(contact.particle);
      }
    }
  });
  if (bdf2) {
    for (std::size_t r = 0; r < state_.rigid.size(); ++r) {
      RigidState& s = state_.rigid[r];
      const Pose& begin = placed_[rigid_colliders_[r]].begin;
      const Vec3d from = begin.to_world(collider(rigid_colliders_[r]).body.center);
      s.last_move = s.position - from;
      s.last_turn = turn_between(begin.rotation, s.rotation);
    }
  }
  for (const CoupledContact& contact : coupled_) {
    if (contact.lambda <= 0) continue;
    const Vec3d force = (contact.normal * contact.lambda + contact.friction) * per_time;
    coupled_force_[contact.collider] -= force;
    if (contact.other >= 0) coupled_force_[contact.other] += force;
    const Vec3d apart = (touching_point(contact, false) - touching_point(contact, true)) -
                        (touched_point(contact, false) - touched_point(contact, true));
    double work = contact.lambda * per_time * std::max(0.0, dot(contact.normal, apart));
    if (collider(contact.collider).rigid < 0) work += dot(force, contact.motion);
    coupled_work_[work_on(contact)] += work * (step_ / h_);
    if (!bdf2 || contact.approach >= -slow) continue;
    for (int k = 0; k < 3 && contact.particles[k] >= 0; ++k) forget_jump(contact.particles[k]);
    for (const int c : {contact.other, contact.collider}) {
      if (c < 0 || collider(c).rigid < 0) continue;
      RigidState& s = state_.rigid[collider(c).rigid];
      s.last_velocity = s.velocity;
      s.last_spin = s.spin;
      s.last_move = s.velocity * step_;
      s.last_turn = s.spin * step_;
    }
  }
}

#define PLIANT_MEMBERS(Real)                                                             \
  template void ColliderStage<Real>::project();                                          \
  template void ColliderStage<Real>::guard();                                            \
  template void ColliderStage<Real>::restitute();                                        \
  template void ColliderStage<Real>::finish_substep();                                   \
  template Vec3d ColliderStage<Real>::touching_point(const CoupledContact&, bool) const; \
  template Vec3d ColliderStage<Real>::touched_point(const CoupledContact&, bool) const;
PLIANT_MEMBERS(float)
PLIANT_MEMBERS(double)
#undef PLIANT_MEMBERS

}  // namespace pliant
