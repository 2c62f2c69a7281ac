#include "experiments/bodies.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace pliant::experiments {

Body wall_mounted(Vec3d size, std::array<int, 3> cells, const Material& material) {
  Body body{.mesh = box_tets(size, cells), .material = material, .held = {}, .tip = {}};
  const double near = 1e-6 * size.x;
  for (std::size_t v = 0; v < body.mesh.positions.size(); ++v) {
    const double x = body.mesh.positions[v].x;
    if (x < -size.x / 2 + near) body.held.push_back(static_cast<int>(v));
    if (x > size.x / 2 - near) body.tip.push_back(static_cast<int>(v));
  }
  return body;
}

TetMesh dragon_sized_ring() { return torus_tets(4, 0.15, 303, 2); }

const char* name_of(MaterialModel model) {
  for (const MaterialModelInfo& info : material_models()) {
    if (info.model == model) return info.name.c_str();
  }
  return "?";
}

namespace {

/// A body of a few hundred tets is slower on several threads than on one; the result is the same.
WorldOptions on_one_thread(WorldOptions options, const TetMesh& mesh) {
  if (mesh.tets.size() < 2000) options.threads = 1;
  return options;
}

}  // namespace

Stage::Stage(const Body& given, const WorldOptions& options) : world(on_one_thread(options, given.mesh)) {
  body = world.add(Solid{.mesh = given.mesh, .material = given.material});
  if (!given.held.empty()) world.pin(body, given.held);
  rest = world.positions(body);
}

std::vector<Vec3d> Stage::displacements() const {
  std::vector<Vec3d> u = world.positions(body);
  for (std::size_t v = 0; v < u.size(); ++v) u[v] -= rest[v];
  return u;
}

std::vector<int> at_bottom(const TetMesh& mesh, double height) {
  double low = mesh.positions.at(0).y;
  for (const Vec3d& x : mesh.positions) low = std::min(low, x.y);
  std::vector<int> found;
  for (std::size_t v = 0; v < mesh.positions.size(); ++v) {
    if (mesh.positions[v].y <= low + height) found.push_back(static_cast<int>(v));
  }
  return found;
}

double top(const std::vector<Vec3d>& positions) {
  double high = positions.at(0).y;
  for (const Vec3d& x : positions) high = std::max(high, x.y);
  return high;
}

fem::Problem reference(const Body& body, Vec3d gravity) {
  fem::Problem problem{.mesh = body.mesh, .material = body.material, .gravity = gravity};
  for (const int v : body.held) problem.supports.push_back({.vertex = v});
  return problem;
}

Vec3d mean(std::span<const Vec3d> displacements, const std::vector<int>& vertices) {
  Vec3d sum{};
  for (const int v : vertices) sum += displacements[static_cast<std::size_t>(v)];
  return sum / static_cast<double>(vertices.size());
}

double largest_relative_difference(std::span<const Vec3d> found, std::span<const Vec3d> expected) {
  double difference = 0, size = 0;
  for (std::size_t v = 0; v < expected.size(); ++v) {
    const double d = length(found[v] - expected[v]);
    if (!std::isfinite(d)) return std::numeric_limits<double>::infinity();
    difference = std::max(difference, d);
    size = std::max(size, length(expected[v]));
  }
  return difference / size;
}

}  // namespace pliant::experiments
