// Set-up of contact with colliders, and the motion of colliders in a substep.

#include "solver/collider_stage.h"

#include <algorithm>
#include <cmath>

#include "core/parallel.h"
#include "solver/script.h"

namespace pliant {

using contact::Pose;
using contact::RigidState;
using contact::turn_by;
using contact::turned;

template <class Real>
ColliderStage<Real>::ColliderStage(const ModelInput& input, const Model<Real>& model, State<Real>& state,
                                   const WorldOptions& options, JobSystem& jobs)
    : input_(input), model_(model), state_(state), options_(options), jobs_(jobs) {
  if (idle()) return;
  placed_.resize(input.colliders.size());
  has_surface_.resize(input.colliders.size());
  for (const ColliderSurface& surface : model.surfaces) has_surface_[surface.collider] = !surface.round;
  coupled_force_.resize(input.colliders.size());
  coupled_work_.resize(input.bodies.size() + 1);
  for (std::size_t c = 0; c < input.colliders.size(); ++c) {
    if (collider(static_cast<int>(c)).rigid < 0) continue;
    rigid_colliders_.push_back(static_cast<int32_t>(c));
    features_.push_back(collider(static_cast<int>(c)).shape->features());
  }
  any_rigid_ = !rigid_colliders_.empty();
  predicted_.resize(static_cast<std::size_t>(model.body_begin.back()));
  edge_ = model.reach < 1e30 ? model.reach : 0;

  for (std::size_t body = 0; body < input.bodies.size(); ++body) {
    const int first = model.body_begin[body], last = model.body_begin[body + 1];
    for (int begin = first; begin < last; begin += kParticlesPerChunk) {
      Chunk& chunk = chunks_.emplace_back();
      chunk.begin = begin;
      chunk.body = static_cast<int32_t>(body);
      chunk.end = std::min(begin + kParticlesPerChunk, last);
      chunk.force.resize(input.colliders.size());
      chunk.near.reserve(input.colliders.size());
      // Room for each particle on one collider; more is rare and grows once.
      chunk.surface.reserve(static_cast<std::size_t>(chunk.end - chunk.begin));
      if (any_rigid_) chunk.coupled.reserve(static_cast<std::size_t>(chunk.end - chunk.begin));
    }
    const BodyInput& in = input.bodies[body];
    std::vector<std::array<int32_t, 3>> found;
    const auto rest = [&](int32_t i) { return in.rest[model.to_user[i] - in.first_particle]; };
    for (const Triangle& t : in.triangles) {
      std::array<int32_t, 3> corners;
      for (int k = 0; k < 3; ++k) corners[k] = model.to_engine[in.first_particle + t[k]];
      std::rotate(corners.begin(), std::min_element(corners.begin(), corners.end()), corners.end());
      found.push_back(corners);
    }
    if (in.triangles.empty() &&
        meets_collider_surfaces(in)) {  // segments, as triangles whose last corner is twice there
      for (const Edge& e : in.edges) {
        const int32_t a = model.to_engine[in.first_particle + e[0]], b = model.to_engine[in.first_particle + e[1]];
        found.push_back({std::min(a, b), std::max(a, b), std::max(a, b)});
      }
    }
    std::sort(found.begin(), found.end());  // near in memory, near in space
    for (std::size_t begin = 0; begin < found.size(); begin += kTrianglesPerChunk) {
      TriangleChunk& chunk = triangle_chunks_.emplace_back();
      chunk.begin = static_cast<int32_t>(triangles_.size() + begin);
      chunk.end = static_cast<int32_t>(triangles_.size() + std::min(begin + kTrianglesPerChunk, found.size()));
      chunk.coupled.reserve(64);
      for (std::size_t t = begin; t < std::min(begin + kTrianglesPerChunk, found.size()); ++t) {
        for (int k = 0; k < 3; ++k) {
          chunk.size = std::max(chunk.size, length(rest(found[t][k]) - rest(found[t][(k + 1) % 3])));
        }
      }
      const std::size_t end = std::min(begin + kTrianglesPerChunk, found.size());
      std::fill(std::begin(chunk.corners), std::end(chunk.corners), static_cast<int32_t>(triangle_corners_.size()));
      for (std::size_t g = 0; begin + g * kGroup < end; ++g) {
        const auto first = static_cast<std::ptrdiff_t>(triangle_corners_.size());
        for (std::size_t t = begin + g * kGroup; t < std::min(begin + (g + 1) * kGroup, end); ++t) {
          triangle_corners_.insert(triangle_corners_.end(), found[t].begin(), found[t].end());
        }
        std::sort(triangle_corners_.begin() + first, triangle_corners_.end());
        triangle_corners_.erase(std::unique(triangle_corners_.begin() + first, triangle_corners_.end()),
                                triangle_corners_.end());
        chunk.corners[g + 1] = static_cast<int32_t>(triangle_corners_.size());
      }
    }
    triangles_.insert(triangles_.end(), found.begin(), found.end());
  }
  if (any_rigid_) coupled_.reserve(static_cast<std::size_t>(model.body_begin.back()) + 256);
}

template <class Real>
Pose ColliderStage<Real>::start_pose(const ColliderInput& c) const {
  return {c.options.position, from_rotation_vector(c.options.rotation)};
}

template <class Real>
Pose ColliderStage<Real>::scripted(const ColliderInput& c, double time) const {
  const Pose start = start_pose(c);
  if (c.options.path.empty()) return start;
  const Keyframe key = pose_at(c.options.path, time);
  return {start.position + key.move, normalize(from_rotation_vector(key.turn) * start.rotation)};
}

template <class Real>
Pose ColliderStage<Real>::rigid_pose(const ColliderInput& c, const RigidState& s) const {
  return {s.position - rotate(s.rotation, c.body.center), s.rotation};
}

template <class Real>
void ColliderStage<Real>::reset() {
  state_.rigid.assign(rigid_colliders_.size(), {});
  rigid_start_.assign(rigid_colliders_.size(), {});
  for (std::size_t r = 0; r < rigid_colliders_.size(); ++r) {
    const ColliderInput& c = collider(rigid_colliders_[r]);
    const Pose start = start_pose(c);
    RigidState& s = state_.rigid[r];
    s.position = start.to_world(c.body.center);
    s.rotation = start.rotation;
    s.velocity = c.options.velocity;
    s.spin = c.options.spin;
  }
  forget();
}

template <class Real>
void ColliderStage<Real>::forget() {
  for (Chunk& chunk : chunks_) {
    chunk.surface.clear();
    chunk.coupled.clear();
  }
  for (TriangleChunk& chunk : triangle_chunks_) chunk.coupled.clear();
  coupled_.clear();
  swept_once_ = 0;
  surfaces_placed_ = false;
  exits_.clear();
  may_be_inside_ = true;
  clear_reports();
}

template <class Real>
void ColliderStage<Real>::start_step() {
  clear_reports();
  find_exits();
}

template <class Real>
void ColliderStage<Real>::clear_reports() {
  substeps_done_ = 0;
  touching_.clear();
  std::fill(coupled_force_.begin(), coupled_force_.end(), Vec3d{});
  std::fill(coupled_work_.begin(), coupled_work_.end(), 0.0);
  for (Chunk& chunk : chunks_) {
    std::fill(chunk.force.begin(), chunk.force.end(), Vec3d{});
    chunk.work = 0;
  }
}

template <class Real>
void ColliderStage<Real>::refuse_inside(int first_body, int first_collider) const {
  for (std::size_t c = 0; c < input_.colliders.size(); ++c) {
    const ColliderInput& in = collider(static_cast<int>(c));
    if (in.options.start_inside != StartInside::refuse || in.shape->two_sided()) continue;
    const Pose at = in.rigid >= 0 ? rigid_pose(in, state_.rigid[in.rigid]) : scripted(in, state_.time);
    for (std::size_t b = 0; b < input_.bodies.size(); ++b) {
      if (static_cast<int>(b) < first_body && static_cast<int>(c) < first_collider) continue;
      const BodyInput& body = input_.bodies[b];
      for (int v = 0; v < body.vertices(); ++v) {
        const double d =
            in.shape->nearest(at.to_local(position(model_.to_engine[body.first_particle + v])), 0).distance;
        if (d >= -1e-6 * (1 + edge_)) continue;  // rounding of positions
        throw Error(
            in.name + ".start_inside",
            "vertex " + std::to_string(v) + " of '" + body.name + "' starts " + std::to_string(-d) + " m inside of it",
            "move one of them, or let start_inside be `push`");
      }
    }
  }
}

/// Where colliders are at both ends of the substep; rigid bodies as if nothing touched them.
template <class Real>
void ColliderStage<Real>::move(double time, double step, double h, const Vec3d& gravity) {
  if (idle()) return;
  step_ = step;
  h_ = h;
  gravity_ = gravity;
  const bool shifted = state_.start_is_ahead(options_.integrator);
  for (std::size_t i = 0; i < placed_.size(); ++i) {
    const ColliderInput& c = collider(static_cast<int>(i));
    Placed& placed = placed_[i];
    if (c.rigid < 0) {
      placed.begin = scripted(c, time);
      placed.end = scripted(c, time + step);
    } else {
      RigidState& s = state_.rigid[c.rigid];
      placed.begin = rigid_pose(c, s);
      const Vec3d velocity = s.velocity, spin = s.spin;
      if (shifted) {  // as bdf2.cpp does to particles
        s.position += s.last_move / 3.0;
        s.rotation = turn_by(s.rotation, s.last_turn / 3.0);
        s.velocity += (s.velocity - s.last_velocity) / 3.0;
        s.spin += (s.spin - s.last_spin) / 3.0;
      }
      s.last_velocity = velocity;
      s.last_spin = spin;
      rigid_start_[c.rigid] = s;
      s.velocity += gravity * h;
      const Vec3d L = turned(s.rotation, c.body.inertia, s.spin);
      s.spin -= turned(s.rotation, c.body.inverse_inertia, cross(s.spin, L)) * h;
      s.position += s.velocity * h;
      s.rotation = turn_by(s.rotation, s.spin * h);
      placed.end = rigid_pose(c, s);
    }
    const Quatd &before = placed.begin.rotation, &after = placed.end.rotation;
    const bool turns = before.x != after.x || before.y != after.y || before.z != after.z || before.w != after.w;
    placed.moved = placed.moves;
    placed.moves = turns || !(placed.begin.position == placed.end.position);
    // |R x - R' x| = 2 sin(angle / 2) r
    placed.turn = turns ? 2 * length((conjugate(before) * after).vector()) * (1 + 1e-9) : 0;
    const contact::Bounds local = c.shape->bounds();
    placed.box = {};
    for (int corner = 0; corner < 8; ++corner) {
      const Vec3d x{corner & 1 ? local.max.x : local.min.x, corner & 2 ? local.max.y : local.min.y,
                    corner & 4 ? local.max.z : local.min.z};
      placed.box.add(placed.begin.to_world(x));
      placed.box.add(placed.end.to_world(x));
    }
    placed.box.grow(c.thickness);
    for (int a = 0; a < 3; ++a) {  // infinity turned is not a number: such a shape is everywhere
      const bool bounded = std::isfinite(local.min.x) && std::isfinite(local.min.y) && std::isfinite(local.min.z) &&
                           std::isfinite(local.max.x) && std::isfinite(local.max.y) && std::isfinite(local.max.z);
      if (bounded) continue;
      placed.box.min[a] = -contact::kInfinity;
      placed.box.max[a] = contact::kInfinity;
    }
  }
  place_surfaces();
}

/// Particles of the colliders' surfaces, from the start of the substep to its end.
template <class Real>
void ColliderStage<Real>::place_surfaces() {
  const bool all = !surfaces_placed_ || surfaces_origin_ != state_.origin;
  surfaces_placed_ = true;
  surfaces_origin_ = state_.origin;
  for (const ColliderSurface& surface : model_.surfaces) {
    const Placed& placed = placed_[surface.collider];
    if (!all && !placed.moves && !placed.moved) continue;
    parallel_for(jobs_, static_cast<int64_t>(surface.mesh.positions.size()), 1024, [&](int64_t first, int64_t last) {
      for (int64_t v = first; v < last; ++v) {
        const int64_t i = surface.first_particle + v;
        const Vec3d& local = surface.mesh.positions[v];
        const Vec3d begin = placed.begin.to_world(local) - state_.origin;
        const Vec3d way = placed.moves ? placed.end.to_world(local) - placed.begin.to_world(local) : Vec3d{};
        Quad<Real>&b = state_.base[i], &s = state_.start[i], &o = state_.offset[i];
        split(begin.x, b.x, s.x);
        split(begin.y, b.y, s.y);
        split(begin.z, b.z, s.z);
        o = {static_cast<Real>(s.x + way.x), static_cast<Real>(s.y + way.y), static_cast<Real>(s.z + way.z), Real(0)};
      }
    });
  }
}

/// Before the guard: contacts have moved rigid bodies.
template <class Real>
void ColliderStage<Real>::follow_surfaces() {
  for (const ColliderSurface& surface : model_.surfaces) {
    if (surface.rigid < 0) continue;
    const Placed& placed = placed_[surface.collider];
    const Pose now = rigid_pose(collider(surface.collider), state_.rigid[surface.rigid]);
    for (std::size_t v = 0; v < surface.mesh.positions.size(); ++v) {
      const std::size_t i = static_cast<std::size_t>(surface.first_particle) + v;
      const Vec3d& local = surface.mesh.positions[v];
      const Vec3d way = now.to_world(local) - placed.begin.to_world(local);
      const Quad<Real>& s = state_.start[i];
      state_.offset[i] = {static_cast<Real>(s.x + way.x), static_cast<Real>(s.y + way.y),
                          static_cast<Real>(s.z + way.z), Real(0)};
    }
  }
}

/// The guard lets a rigid body make only a part of its motion.
template <class Real>
void ColliderStage<Real>::slow(int c, double part) {
  const ColliderInput& in = collider(c);
  RigidState& s = state_.rigid[in.rigid];
  const Pose& begin = placed_[c].begin;
  const Vec3d from = begin.to_world(in.body.center);
  s.position = from + (s.position - from) * part;
  s.rotation = turn_by(begin.rotation, contact::turn_between(begin.rotation, s.rotation) * part);
}

template <class Real>
bool ColliderStage<Real>::starts_inside(int c, int32_t i) const {
  const ColliderInput& in = collider(c);
  return !in.shape->two_sided() && in.shape->nearest(placed_[c].begin.to_local(begin_position(i)), 0).distance < 0;
}

/// How far the collider's motion takes a particle, from where it is at the start of the substep [m].
template <class Real>
Vec3d ColliderStage<Real>::carried(int c, int32_t i) const {
  const Vec3d from = begin_position(i);
  return placed_[c].end.to_world(placed_[c].begin.to_local(from)) - from;
}

template <class Real>
Vec3d ColliderStage<Real>::position(int32_t i) const {
  const Quad<Real>&b = state_.base[i], &o = state_.offset[i];
  return state_.origin + Vec3d{double(b.x) + o.x, double(b.y) + o.y, double(b.z) + o.z};
}

template <class Real>
Vec3d ColliderStage<Real>::begin_position(int32_t i) const {
  const Quad<Real>&b = state_.base[i], &o = state_.start[i];
  Vec3d x = state_.origin + Vec3d{double(b.x) + o.x, double(b.y) + o.y, double(b.z) + o.z};
  if (state_.start_is_ahead(options_.integrator)) {
    const Quad<Real>& m = state_.last_motion[i];
    x -= Vec3d{double(m.x), double(m.y), double(m.z)} / 3.0;
  }
  return x;
}

template <class Real>
Vec3d ColliderStage<Real>::travelled(int32_t i) const {
  const Quad<Real>&o = state_.offset[i], &s = state_.start[i];
  return {double(o.x) - s.x, double(o.y) - s.y, double(o.z) - s.z};
}

template class ColliderStage<float>;
template class ColliderStage<double>;

}  // namespace pliant
