#include "experiments/heavy_sphere.h"

#include <algorithm>

namespace pliant::experiments {

Vec3d HeavySphere::press(World& world, BodyId body) {
  const std::vector<Vec3d> x = world.positions(body);
  std::vector<Vec3d> forces(x.size());
  Vec3d sum{};
  for (std::size_t v = 0; v < x.size(); ++v) {
    const Vec3d out = x[v] - center;
    const double distance = length(out);
    if (distance >= radius || distance == 0) continue;
    forces[v] = out * (stiffness * (radius - distance) / distance);
    sum += forces[v];
  }
  world.set_vertex_forces(body, forces);
  const double dt = world.options().step;
  velocity += (gravity - sum / mass) * dt;
  center += velocity * dt;
  return sum;
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

}  // namespace pliant::experiments
