// Pins and attachments.

#include <algorithm>
#include <array>
#include <cmath>

#include "constraints/registry.h"
#include "mesh/topology.h"
#include "solver/resolution.h"
#include "solver/world_checks.h"
#include "solver/world_impl.h"

namespace pliant {

void World::Impl::attach(int32_t particle, std::vector<int32_t> corners, std::vector<double> weights,
                         const ConstraintSettings& settings, const std::string& where) {
  check_settings(where, settings);
  ConstraintInput c;
  c.type = find_type(corners.size() == 1 ? "attach_point" : corners.size() == 3 ? "attach_triangle" : "attach_tet");
  c.method = options.method;
  c.settings = settings;
  c.particles = {particle};
  c.particles.insert(c.particles.end(), corners.begin(), corners.end());
  if (settings.keep_multipliers && c.method == Method::xpbd) {
    // As of other constraints (kept.h), with the stiffness of this one alone: few corners are attached twice.
    const double dt = implicit_step(options);
    double mobility = 0;  // [1/kg]
    for (std::size_t i = 0; i < c.particles.size(); ++i) {
      const double share = i == 0 ? 1 : weights[i - 1];
      for (const BodyInput& body : input.bodies) {
        const int32_t vertex = c.particles[i] - body.first_particle;
        if (vertex >= 0 && vertex < body.vertices()) mobility += share * share / body.mass[vertex];
      }
    }
    if (!(mobility * dt * dt * (1 + settings.damping / dt) <= resolved_limit(options) * settings.compliance)) {
      c.settings.keep_multipliers = false;
      const std::string note = where + ": keep_multipliers does not act, the substeps do not follow an attachment as " +
                               "stiff as this; take more of them, or a larger compliance";
      if (std::find(notes_on_forms.begin(), notes_on_forms.end(), note) == notes_on_forms.end()) {
        notes_on_forms.push_back(note);
      }
    }
  }
  c.rest = std::move(weights);
  input.constraints.push_back(std::move(c));
  stale = true;
}

void World::pin(BodyId id, std::span<const int> vertices, std::vector<Keyframe> path) {
  const BodyInput& body = impl_->body(id);
  check_path(body.name + ".path", path);
  const std::vector<Vec3d> now = impl_->present_positions(id);
  PinInput pin;
  for (int v : vertices) {
    impl_->vertex_check(body, v);
    pin.particles.push_back(body.first_particle + v);
    pin.positions.push_back(now[v]);
  }
  if (pin.particles.empty()) throw Error(body.name, "no vertices to pin were given", "name at least one");
  unpin(id, vertices);
  pin.path = std::move(path);
  impl_->input.pins.push_back(std::move(pin));
  impl_->forget_softness();
  impl_->stale = true;
}

void World::pin(BodyId id, std::initializer_list<int> vertices, std::vector<Keyframe> path) {
  pin(id, std::span<const int>(vertices.begin(), vertices.size()), std::move(path));
}

void World::unpin(BodyId id, std::span<const int> vertices) {
  const BodyInput& body = impl_->body(id);
  std::vector<uint8_t> remove(body.vertices(), 0);
  for (int v : vertices) {
    impl_->vertex_check(body, v);
    remove[v] = 1;
  }
  for (PinInput& pin : impl_->input.pins) {
    std::size_t kept = 0;
    for (std::size_t k = 0; k < pin.particles.size(); ++k) {
      const int v = pin.particles[k] - body.first_particle;
      if (v >= 0 && v < body.vertices() && remove[v]) continue;
      pin.particles[kept] = pin.particles[k];
      pin.positions[kept++] = pin.positions[k];
    }
    if (kept != pin.particles.size()) {
      impl_->forget_softness();
      impl_->stale = true;
    }
    pin.particles.resize(kept);
    pin.positions.resize(kept);
  }
  const auto rides = [&](const RiderInput& rider) {
    const int v = rider.particle - body.first_particle;
    return v >= 0 && v < body.vertices() && remove[v];
  };
  if (std::erase_if(impl_->input.riders, rides) > 0) impl_->stale = true;
  std::erase_if(impl_->input.pins, [](const PinInput& pin) { return pin.particles.empty(); });
}

void World::ride(BodyId id, std::span<const int> vertices, BodyId other_id) {
  const BodyInput& body = impl_->body(id);
  const BodyInput& other = impl_->body(other_id);
  if (id == other_id) throw Error(body.name + ".ride", "a body cannot ride on itself", "name another body");
  if (other.triangles.empty()) {
    throw Error(body.name + ".ride", "a " + other.kind + " has no surface", "name a cloth or a solid");
  }
  for (int v : vertices) impl_->vertex_check(body, v);
  if (!vertices.empty()) unpin(id, vertices);
  const std::vector<Vec3d> now = impl_->present_positions(id), x = impl_->present_positions(other_id);
  for (int v : vertices) {
    const MeshPoint at = nearest_point_on(other.triangles, x, now[v]);
    RiderInput rider{body.first_particle + v, {}, {at.weights[0], at.weights[1], at.weights[2]}, now[v], {}};
    for (int k = 0; k < 3; ++k) {
      rider.corners[k] = other.first_particle + at.corners[k];
      rider.corner_start[k] = x[at.corners[k]];
    }
    impl_->input.riders.push_back(rider);
  }
  impl_->forget_softness();
  impl_->stale = true;
}

void World::attach_long_range(BodyId id, std::optional<LongRange> settings) {
  BodyInput& body = impl_->body(id);
  if (settings) check_long_range(body.name + ".long_range", *settings, body.tets.empty());
  body.long_range = settings;
  impl_->stale = true;
}

void World::attach(BodyId id, int vertex, Vec3d point, ConstraintSettings settings) {
  const BodyInput& body = impl_->body(id);
  impl_->vertex_check(body, vertex);
  check_finite(body.name + ".attach.point", point);
  impl_->input.anchors.push_back(point);
  const auto anchor = static_cast<int32_t>(impl_->input.anchors.size());
  impl_->attach(body.first_particle + vertex, {-anchor}, {1.0}, settings, body.name + ".attach");
}

void World::attach(BodyId id, int vertex, BodyId other_id, std::span<const int> corners,
                   std::span<const double> weights, ConstraintSettings settings) {
  const BodyInput& body = impl_->body(id);
  const BodyInput& other = impl_->body(other_id);
  impl_->vertex_check(body, vertex);
  const std::string where = body.name + ".attach";
  if ((corners.size() != 3 && corners.size() != 4 && corners.size() != 1) || weights.size() != corners.size()) {
    throw Error(where, "one, three or four corners with a weight each are needed",
                "name a vertex, a triangle or a tet");
  }
  double sum = 0;
  std::vector<int32_t> particles;
  for (std::size_t k = 0; k < corners.size(); ++k) {
    impl_->vertex_check(other, corners[k]);
    if (id == other_id && corners[k] == vertex) {
      throw Error(where, "vertex " + std::to_string(vertex) + " would be attached to itself", "name other corners");
    }
    for (std::size_t j = 0; j < k; ++j) {
      if (corners[j] == corners[k]) {
        throw Error(where, "corner " + std::to_string(corners[k]) + " is named twice", "name different corners");
      }
    }
    check_range(where + ".weights", weights[k], true, "give finite weights");
    sum += weights[k];
    particles.push_back(other.first_particle + corners[k]);
  }
  check_range(where + ".weights", sum, std::abs(sum - 1) < 1e-6, "let the weights sum to 1");
  impl_->attach(body.first_particle + vertex, std::move(particles), {weights.begin(), weights.end()}, settings, where);
}

void World::attach_nearest(BodyId id, int vertex, BodyId other_id, ConstraintSettings settings) {
  const BodyInput& body = impl_->body(id);
  const BodyInput& other = impl_->body(other_id);
  impl_->vertex_check(body, vertex);
  if (id == other_id) {
    throw Error(body.name + ".attach", "a body would be attached to itself", "name another body");
  }
  const Vec3d point = impl_->present_positions(id)[vertex];
  const std::vector<Vec3d> x = impl_->present_positions(other_id);
  if (other.triangles.empty()) {  // a rope: its nearest vertex
    int nearest = 0;
    for (int v = 1; v < other.vertices(); ++v) {
      if (length_squared(x[v] - point) < length_squared(x[nearest] - point)) nearest = v;
    }
    attach(id, vertex, other_id, std::array{nearest}, std::array{1.0}, settings);
    return;
  }
  const MeshPoint at =
      other.tets.empty() ? nearest_point_on(other.triangles, x, point) : nearest_point_on(other.tets, x, point);
  attach(id, vertex, other_id, std::span(at.corners).first(at.corner_count),
         std::span(at.weights).first(at.corner_count), settings);
}

}  // namespace pliant
