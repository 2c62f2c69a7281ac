#include "solver/long_range.h"

#include <algorithm>

#include "constraints/registry.h"
#include "math/eigen.h"
#include "mesh/geodesic.h"
#include "mesh/topology.h"
#include "mesh/trace.h"

namespace pliant {

namespace {

constexpr int kFree = -1;

/// What holds a vertex: a pin or an anchor.
struct Holder {
  int group = kFree;     // vertices of one group may move relative to those of another
  int32_t particle = 0;  // as in a ConstraintInput
};

std::vector<Holder> holders_of(const ModelInput& input, const BodyInput& body) {
  std::vector<Holder> out(body.rest.size());
  const auto vertex = [&](int32_t particle) -> int {
    const int v = particle - body.first_particle;
    return v >= 0 && v < body.vertices() ? v : -1;
  };
  // What is attached to a point in space is held by that point.
  const TypeInfo* point = find_type("attach_point");
  for (const ConstraintInput& c : input.constraints) {
    if (c.type != point) continue;
    for (std::size_t k = 0; k + 1 < c.particles.size(); k += 2) {
      const int v = vertex(c.particles[k]);
      if (v >= 0 && c.particles[k + 1] < 0) out[v] = {0, c.particles[k + 1]};
    }
  }
  for (const RiderInput& rider : input.riders) {
    if (const int v = vertex(rider.particle); v >= 0) out[v] = {1, rider.particle};
  }
  for (std::size_t p = 0; p < input.pins.size(); ++p) {
    const bool moves = !input.pins[p].path.empty();
    for (int32_t particle : input.pins[p].particles) {
      if (const int v = vertex(particle); v >= 0) out[v] = {moves ? static_cast<int>(p) + 3 : 2, particle};
    }
  }
  return out;
}

/// Connected held vertices that are held by the same.
std::vector<std::vector<int>> islands_of(const BodyInput& body, const std::vector<Holder>& holders) {
  std::vector<Edge> inside;
  for (const Edge& e : body.edges) {
    if (holders[e[0]].group != kFree && holders[e[0]].group == holders[e[1]].group) inside.push_back(e);
  }
  const Components parts = connected_components(inside, body.vertices());
  std::vector<std::vector<int>> islands;
  std::vector<int> number(parts.count, -1);
  for (int v = 0; v < body.vertices(); ++v) {
    if (holders[v].group == kFree) continue;
    int& n = number[parts.of_vertex[v]];
    if (n < 0) {
      n = static_cast<int>(islands.size());
      islands.emplace_back();
    }
    islands[n].push_back(v);
  }
  return islands;
}

/// Directions in which a surface extends: the principal axes of its vertices, without the shortest one.
std::array<Vec3d, 2> main_directions(std::span<const Vec3d> x) {
  Vec3d mean{};
  for (const Vec3d& p : x) mean += p / static_cast<double>(x.size());
  Sym3<double> spread{};
  for (const Vec3d& p : x) {
    const Vec3d d = p - mean;
    spread.xx += d.x * d.x;
    spread.yy += d.y * d.y;
    spread.zz += d.z * d.z;
    spread.xy += d.x * d.y;
    spread.xz += d.x * d.z;
    spread.yz += d.y * d.z;
  }
  const Mat3<double> axes = symmetric_eigen(spread).vectors;  // by falling values
  return {axes.c0, axes.c1};
}

/// Ties from vertex to vertex across the surface, each at most as long as the path between its ends: what a sweep over
/// edges carries from one edge to the next, they carry over many. Level k spans 4^k mean edge lengths.
void add_ties(const BodyInput& body, int levels, double slack, ConstraintInput& c) {
  double mean = 0, size = 0;
  for (const Edge& e : body.edges) mean += length(body.rest[e[1]] - body.rest[e[0]]) / double(body.edges.size());
  for (const Vec3d& x : body.rest) size = std::max(size, length(x - body.rest[0]));
  const SurfaceTracer tracer(body.triangles, body.rest);
  const std::array<Vec3d, 2> directions = main_directions(body.rest);
  double span = mean;
  for (int level = 1; level <= levels; ++level) {
    span *= 4;
    if (span > size / 2) break;
    for (int v = 0; v < body.vertices(); ++v) {
      for (const Vec3d& direction : directions) {
        const auto end = tracer.trace(v, direction, span);
        if (!end) continue;
        c.particles.push_back(body.first_particle + v);
        c.particles.push_back(body.first_particle + end->vertex);
        c.rest.push_back(end->distance * (1 + slack));
      }
    }
  }
}

}  // namespace

std::vector<ConstraintInput> long_range_constraints(const ModelInput& input, const BodyInput& body, Method method) {
  const LongRange& settings = *body.long_range;
  const std::vector<Holder> holders = holders_of(input, body);
  const std::vector<std::vector<int>> islands = islands_of(body, holders);
  const NearestSources nearest =
      settings.kind == LongRange::Kind::geodesic
          ? nearest_sources_along(body.edges, body.triangles, body.rest, islands, settings.count)
          : nearest_sources_straight(body.rest, islands, settings.count);

  ConstraintInput c;
  c.type = find_type("tether");
  c.method = method;
  c.settings.compliance = settings.compliance;
  c.settings.stiffness = settings.stiffness;
  if (settings.ties > 0 && body.tets.empty() && !body.triangles.empty())
    add_ties(body, settings.ties, settings.slack, c);
  for (int v = 0; v < body.vertices(); ++v) {
    if (holders[v].group != kFree) continue;
    for (int k = 0; k < nearest.count; ++k) {
      const std::size_t at = std::size_t(v) * std::size_t(nearest.count) + std::size_t(k);
      if (nearest.source[at] < 0) break;
      c.particles.push_back(holders[nearest.source[at]].particle);
      c.particles.push_back(body.first_particle + v);
      c.rest.push_back(nearest.distance[at] * (1 + settings.slack));
    }
  }
  if (c.particles.empty()) return {};
  return {std::move(c)};
}

}  // namespace pliant
