// Finds what touches colliders in this substep: particles, and rigid bodies among themselves. Triangles are in
// collider_triangles.cpp.

#include <algorithm>
#include <cmath>

#include "core/parallel.h"
#include "solver/body_contacts.h"
#include "solver/collider_stage.h"

namespace pliant {

using contact::Bounds;
using contact::Feature;
using contact::HalfSpace;
using contact::Pose;
using contact::RigidState;

template <class Real>
void ColliderStage<Real>::find_contacts() {
  if (idle()) return;
  parallel_for(jobs_, static_cast<int64_t>(chunks_.size()), 1, [&](int64_t begin, int64_t end) {
    for (int64_t k = begin; k < end; ++k) find_particle_contacts(chunks_[k]);
  });
  parallel_for(jobs_, static_cast<int64_t>(triangle_chunks_.size()), 1, [&](int64_t begin, int64_t end) {
    for (int64_t k = begin; k < end; ++k) find_triangle_contacts(triangle_chunks_[k]);
  });
  coupled_.clear();
  for (const Chunk& chunk : chunks_) coupled_.insert(coupled_.end(), chunk.coupled.begin(), chunk.coupled.end());
  for (const TriangleChunk& chunk : triangle_chunks_) {
    coupled_.insert(coupled_.end(), chunk.coupled.begin(), chunk.coupled.end());
  }
  for (const int32_t c : rigid_colliders_) find_rigid_contacts(c);
  swept_once_ = coupled_.size();
}

template <class Real>
void ColliderStage<Real>::add_contacts(const std::vector<ColliderTouch>& touches) {
  for (const bool rigid : {true, false}) {
    if (!rigid) swept_once_ = coupled_.size();
    for (const ColliderTouch& touch : touches) {
      const ColliderSurface& surface = model_.surfaces[static_cast<std::size_t>(touch.surface)];
      if ((surface.rigid >= 0) != rigid) continue;
      const Placed& placed = placed_[surface.collider];
      Vec3d begin{}, end{}, velocity{};
      for (int k = 0; k < 3 && touch.particles[k] >= 0; ++k) {
        const Quad<Real>& v = state_.velocity[touch.particles[k]];
        begin += begin_position(touch.particles[k]) * touch.weights[k];
        end += position(touch.particles[k]) * touch.weights[k];
        velocity += Vec3d{double(v.x), double(v.y), double(v.z)} * touch.weights[k];
      }
      const double start = dot(touch.normal, begin - placed.begin.to_world(touch.point));
      const double fall = start - dot(touch.normal, end - placed.end.to_world(touch.point));
      HalfSpace half{touch.point, rotate(conjugate(placed.begin.rotation), touch.normal), start};
      if (fall > 0) half.time = std::clamp((start - surface.thickness) / fall, 0.0, 1.0);
      CoupledContact found = coupled_contact(surface.collider, half, velocity);
      for (int k = 0; k < 3; ++k) {
        found.particles[k] = touch.particles[k];
        found.weights[k] = touch.weights[k];
      }
      coupled_.push_back(found);
    }
  }
}

template <class Real>
void ColliderStage<Real>::find_near(const Bounds& box, std::vector<int32_t>& near) const {
  near.clear();
  for (std::size_t c = 0; c < placed_.size(); ++c) {
    if (placed_[c].box.overlaps(box)) near.push_back(static_cast<int32_t>(c));
  }
}

/// In the coordinates of the collider all stays in a ball: around where the middle is in the end, with the way of the
/// middle and its radius.
template <class Real>
typename ColliderStage<Real>::Ball ColliderStage<Real>::reach_of(int c, const Swept& swept, double beside) const {
  const Placed& placed = placed_[c];
  const Vec3d middle = (swept.box.min + swept.box.max) * 0.5;
  const double radius = 0.5 * length(swept.box.max - swept.box.min) * (1 + 1e-9);
  const Vec3d at = placed.end.to_local(middle);
  double passes = 0;  // [m] the middle
  if (placed.moves) passes = length(placed.begin.to_local(middle) - at);
  const double way = swept.way + passes + placed.turn * radius;
  return {at, radius + passes + collider(c).thickness + 0.5 * way + beside};
}

/// Nothing of what is swept comes nearer to a collider than its thickness, half of the way that it makes against it,
/// and `beside` [m].
template <class Real>
bool ColliderStage<Real>::is_far(int c, const Swept& swept, double beside) const {
  const Ball ball = reach_of(c, swept, beside);
  return collider(c).shape->nearest(ball.middle, ball.radius).distance > ball.radius;
}

/// What of a collider comes that near is flat or hollow.
template <class Real>
bool ColliderStage<Real>::is_hollow(int c, const Swept& swept, double beside) const {
  const Ball ball = reach_of(c, swept, beside);
  return collider(c).shape->hollow(ball.middle) > ball.radius;
}

/// What is deeper inside than it can be moved out in this substep may stay that deep.
template <class Real>
double ColliderStage<Real>::keep_distance(const ColliderInput& c, double start_distance) const {
  const double missing = c.thickness - start_distance;
  return c.thickness - std::max(0.0, missing - c.options.push_speed * step_);
}

/// Of the collider's own point, mean over the substep.
template <class Real>
Vec3d ColliderStage<Real>::surface_velocity(int c, const Vec3d& local) const {
  return (placed_[c].end.to_world(local) - placed_[c].begin.to_world(local)) / step_;
}

template <class Real>
CoupledContact ColliderStage<Real>::coupled_contact(int c, const HalfSpace& half, const Vec3d& velocity) const {
  const ColliderInput& in = collider(c);
  const Pose& end = placed_[c].end;
  CoupledContact out;
  out.collider = c;
  out.normal = rotate(end.rotation, half.normal);
  out.keep = keep_distance(in, half.start_distance);
  const Vec3d surface = surface_velocity(c, half.point);
  if (in.rigid >= 0) {
    out.place = half.point - in.body.center;
    out.approach = dot(velocity - surface, out.normal);  // both fall alike
  } else {
    out.place = end.to_world(half.point);
    out.motion = surface * h_;
    out.approach = dot(velocity - gravity_ * (h_ * (1 - half.time)) - surface, out.normal);
  }
  return out;
}

template <class Real>
void ColliderStage<Real>::find_particle_contacts(Chunk& chunk) {
  chunk.surface.clear();
  chunk.coupled.clear();
  Swept groups[kParticlesPerChunk / kGroup], all;
  for (int32_t begin = chunk.begin, g = 0; begin < chunk.end; begin += kGroup, ++g) {
    groups[g] = swept(std::min(kGroup, chunk.end - begin), [&](int32_t k) { return begin + k; });
    all.add(groups[g]);
  }
  const double widest = margin(all.way), beside = margin(0);
  Bounds box = all.box;
  box.grow(widest);
  find_near(box, chunk.near);
  if (chunk.near.empty()) return;
  std::copy(state_.offset.begin() + chunk.begin, state_.offset.begin() + chunk.end, predicted_.begin() + chunk.begin);

  for (const int32_t c : chunk.near) {
    if (is_far(c, all, beside)) continue;
    const ColliderInput& in = collider(c);
    const Placed& placed = placed_[c];
    const Mat3<double> begin_turn = to_matrix(placed.begin.rotation), end_turn = to_matrix(placed.end.rotation);
    const Exit* exit = in.rigid < 0 ? exit_of(chunk.body, c) : nullptr;
    Bounds reach = placed.box;
    reach.grow(widest);
    for (int32_t i = chunk.begin; i < chunk.end; ++i) {
      if ((i - chunk.begin) % kGroup == 0 && is_far(c, groups[(i - chunk.begin) / kGroup], beside)) {
        i += kGroup - 1;
        continue;
      }
      const Vec3d begin = begin_position(i), end = position(i);
      Bounds way;
      way.add(begin);
      way.add(end);
      if (!reach.overlaps(way)) continue;
      if (in.rigid < 0 && !(state_.offset[i].w > Real(0))) continue;
      const Vec3d a = transpose_mul(begin_turn, begin - placed.begin.position);
      const Vec3d b = transpose_mul(end_turn, end - placed.end.position);
      const auto half = contact::find_half_space(*in.shape, a, b, in.thickness, margin(length(b - a)));
      if (!half) continue;
      const Quad<Real>& v = state_.velocity[i];
      CoupledContact found = coupled_contact(c, *half, {double(v.x), double(v.y), double(v.z)});
      if (in.rigid >= 0) {
        found.particles[0] = i;
        chunk.coupled.push_back(found);
      } else {
        SurfaceContact s;
        s.particle = i;
        s.collider = c;
        s.normal = found.normal;
        s.level = dot(found.normal, found.place) + found.keep;
        s.motion = found.motion;
        s.approach = found.approach;
        if (exit) {
          const Vec3d out = end_turn * exit->direction;
          if (half->start_distance < 0) {  // on along with the collider, and out
            s.normal = out;
            s.level = dot(out, placed.end.to_world(a)) + in.options.push_speed * step_;
          } else if (exit->most && dot(s.normal, out) <= 0) {
            continue;  // it would have to stay on the far side
          }
        }
        chunk.surface.push_back(s);
      }
    }
  }
}

/// A rigid body's corners and edges against all other colliders.
template <class Real>
void ColliderStage<Real>::find_rigid_contacts(int c) {
  for (std::size_t k = 0; k < placed_.size(); ++k) {
    const int other = static_cast<int>(k);
    if (other == c || !placed_[other].box.overlaps(placed_[c].box)) continue;
    const ColliderInput& touched = collider(other);
    const auto& features = features_[collider(c).rigid];
    // Two balls see each other; once is enough.
    const bool both_points = touched.rigid >= 0 && features.size() == 1 && features_[touched.rigid].size() == 1;
    if (both_points && other < c) continue;
    for (const Feature& feature : features) {
      if (feature.a == feature.b) {
        find_rigid_contact(c, feature, 0, other);
        continue;
      }
      // The nearest point of an edge: distances to convex shapes have one valley along a line. Its ends are features of
      // their own.
      const auto distance = [&](double s) {
        const Vec3d x = placed_[c].end.to_world(feature.a + (feature.b - feature.a) * s);
        return touched.shape->nearest(placed_[other].end.to_local(x), contact::kInfinity).distance;
      };
      const double size = length(feature.b - feature.a);
      const double way = length(placed_[c].end.position - placed_[c].begin.position);
      if (distance(0.5) > 0.5 * size + feature.radius + collider(c).thickness + touched.thickness + way) continue;
      double low = 0, high = 1;
      for (int step = 0; step < 24; ++step) {
        const double s = low + (high - low) / 3, t = high - (high - low) / 3;
        (distance(s) < distance(t) ? high : low) = distance(s) < distance(t) ? t : s;
      }
      const double s = 0.5 * (low + high);
      if (distance(s) < std::min(distance(0), distance(1)) - 1e-3 * size) find_rigid_contact(c, feature, s, other);
    }
  }
}

template <class Real>
void ColliderStage<Real>::find_rigid_contact(int c, const Feature& feature, double along, int other) {
  const ColliderInput &in = collider(c), &touched = collider(other);
  const Vec3d local = feature.a + (feature.b - feature.a) * along;
  const Vec3d from = placed_[c].begin.to_world(local), to = placed_[c].end.to_world(local);
  const Vec3d a = placed_[other].begin.to_local(from), b = placed_[other].end.to_local(to);
  // Each keeps its thickness off, so that what lies between them has room; one of them alone would squeeze it.
  const double radius = feature.radius + in.thickness;
  const auto half = contact::find_half_space(*touched.shape, a, b, touched.thickness + radius, 0.5 * length(b - a));
  if (!half) return;
  const RigidState& s = state_.rigid[in.rigid];
  const Vec3d velocity = s.velocity + cross(s.spin, to - s.position);
  HalfSpace skin = *half;
  skin.start_distance -= radius;
  CoupledContact found = coupled_contact(other, skin, velocity);
  found.other = c;
  const Vec3d point = to - found.normal * radius;
  found.arm = rotate(conjugate(s.rotation), point - s.position);
  coupled_.push_back(found);
}

#define PLIANT_MEMBERS(Real)                                                                               \
  template void ColliderStage<Real>::add_contacts(const std::vector<ColliderTouch>&);                      \
  template void ColliderStage<Real>::find_contacts();                                                      \
  template CoupledContact ColliderStage<Real>::coupled_contact(int, const HalfSpace&, const Vec3d&) const; \
  template void ColliderStage<Real>::find_near(const Bounds&, std::vector<int32_t>&) const;                \
  template bool ColliderStage<Real>::is_far(int, const Swept&, double) const;                              \
  template bool ColliderStage<Real>::is_hollow(int, const Swept&, double) const;                           \
  template double ColliderStage<Real>::keep_distance(const ColliderInput&, double) const;
PLIANT_MEMBERS(float)
PLIANT_MEMBERS(double)
#undef PLIANT_MEMBERS

}  // namespace pliant
