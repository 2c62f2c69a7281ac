// What is told about colliders and contacts.

#include <algorithm>

#include "solver/collider_stage.h"
#include "solver/script.h"

namespace pliant {

using contact::Pose;
using contact::RigidState;
using contact::turned;

template <class Real>
ColliderPose ColliderStage<Real>::pose(int c) const {
  const ColliderInput& in = collider(c);
  const Pose at = in.rigid >= 0 ? rigid_pose(in, state_.rigid[in.rigid]) : scripted(in, state_.time);
  return {at.position, to_rotation_vector(at.rotation)};
}

template <class Real>
RigidMotion ColliderStage<Real>::motion(int c) const {
  const ColliderInput& in = collider(c);
  if (in.rigid < 0) return {0, pose(c).position, {}, {}};
  const RigidState& s = state_.rigid[in.rigid];
  return {1 / in.body.inverse_mass, s.position, s.velocity, s.spin};
}

template <class Real>
Vec3d ColliderStage<Real>::force(int c) const {
  Vec3d sum = coupled_force_[c];
  for (const Chunk& chunk : chunks_) sum += chunk.force[c];
  return sum / static_cast<double>(std::max(1, substeps_done_));
}

template <class Real>
ContactReport ColliderStage<Real>::report() const {
  ContactReport out;
  for (std::size_t c = 0; c < input_.colliders.size(); ++c) out.forces.push_back(force(static_cast<int>(c)));
  for (const Chunk& chunk : chunks_) {
    for (const SurfaceContact& contact : chunk.surface) out.contacts += contact.lambda > 0;
  }
  for (const CoupledContact& contact : coupled_) out.contacts += contact.lambda > 0;
  for (std::size_t c = 0; c < input_.colliders.size(); ++c) {
    const ColliderInput& in = collider(static_cast<int>(c));
    const Pose at = in.rigid >= 0 ? rigid_pose(in, state_.rigid[in.rigid]) : scripted(in, state_.time);
    for (int32_t i = 0; i < model_.body_begin.back(); ++i) {
      if (state_.offset[i].w == Real(0)) continue;
      const double d = in.shape->nearest(at.to_local(position(i)), in.thickness).distance;
      out.deepest = std::max(out.deepest, in.thickness - d);
    }
  }
  return out;
}

template <class Real>
std::vector<ContactPoint> ColliderStage<Real>::contacts() const {
  std::vector<ContactPoint> out;
  const double per_time = h_ > 0 ? 1 / (h_ * h_) : 0;
  const auto name_vertex = [&](ContactPoint& p, int k, int32_t i) {
    const auto body =
        std::upper_bound(model_.body_begin.begin(), model_.body_begin.end(), i) - model_.body_begin.begin() - 1;
    p.body = static_cast<int>(body);
    p.vertices[k] = model_.to_user[i] - input_.bodies[body].first_particle;
  };
  for (const Chunk& chunk : chunks_) {
    for (const SurfaceContact& contact : chunk.surface) {
      if (contact.lambda <= 0) continue;
      ContactPoint p;
      p.collider = contact.collider;
      name_vertex(p, 0, contact.particle);
      p.point = position(contact.particle);
      p.normal = contact.normal;
      p.force = (contact.normal * contact.lambda + contact.friction) * -per_time;
      out.push_back(p);
    }
  }
  for (const CoupledContact& contact : coupled_) {
    if (contact.lambda <= 0) continue;
    ContactPoint p;
    p.collider = contact.collider;
    p.other = contact.other;
    for (int k = 0; k < 3 && contact.particles[k] >= 0; ++k) name_vertex(p, k, contact.particles[k]);
    p.point = touching_point(contact, false);
    p.normal = contact.normal;
    p.force = (contact.normal * contact.lambda + contact.friction) * -per_time;
    out.push_back(p);
  }
  return out;
}

template <class Real>
void ColliderStage<Real>::add_measures(const Vec3d& gravity, Measures& out) const {
  for (std::size_t r = 0; r < state_.rigid.size(); ++r) {
    const ColliderInput& in = collider(rigid_colliders_[r]);
    const RigidState& s = state_.rigid[r];
    const double m = 1 / in.body.inverse_mass;
    const Vec3d L = turned(s.rotation, in.body.inertia, s.spin);
    out.mass += m;
    out.kinetic_energy += 0.5 * (m * dot(s.velocity, s.velocity) + dot(s.spin, L));
    out.gravity_energy -= m * dot(gravity, s.position);
    out.linear_momentum += s.velocity * m;
    out.angular_momentum += cross(s.position, s.velocity) * m + L;
  }
}

#define PLIANT_MEMBERS(Real)                                                \
  template ColliderPose ColliderStage<Real>::pose(int) const;               \
  template RigidMotion ColliderStage<Real>::motion(int) const;              \
  template Vec3d ColliderStage<Real>::force(int) const;                     \
  template ContactReport ColliderStage<Real>::report() const;               \
  template std::vector<ContactPoint> ColliderStage<Real>::contacts() const; \
  template void ColliderStage<Real>::add_measures(const Vec3d&, Measures&) const;
PLIANT_MEMBERS(float)
PLIANT_MEMBERS(double)
#undef PLIANT_MEMBERS

}  // namespace pliant
