// Nothing passes through colliders, however fast.

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "pliant/world.h"

namespace pliant::test {
namespace {

/// Shoots a body of 2 cm at a target around the origin from 200 directions at 1 to 300 m/s. `passed` tells from the
/// start and the end of a vertex whether it is where it cannot be.
template <class AddBody, class AddTarget, class Passed>
void shoot(const AddBody& add_body, const AddTarget& add_target, const Passed& passed) {
  std::mt19937 random(11);
  std::normal_distribution<double> normal;
  std::uniform_real_distribution<double> u(0, 1);
  World world({.step = 1.0 / 60, .substeps = 4, .gravity = {}, .threads = 1});
  const BodyId body = add_body(world);
  add_target(world);
  const std::vector<Vec3d> placed = world.positions(body);
  for (int shot = 0; shot < 200; ++shot) {
    Vec3d from{normal(random), normal(random), normal(random)};
    from = from / length(from);
    const Vec3d spot = Vec3d{u(random) - 0.5, u(random) - 0.5, u(random) - 0.5} * 0.2;
    const double speed = std::pow(300, u(random));
    world.reset();
    std::vector<Vec3d> start = placed;
    for (Vec3d& x : start) x += from * 0.6 + spot;
    world.set_positions(body, start);
    world.set_velocities(body, std::vector<Vec3d>(start.size(), from * -speed));
    const int steps = std::min(60, 3 + static_cast<int>(60 * 0.7 / speed * 1.3));
    for (int k = 0; k < steps; ++k) {
      world.step();
      const std::vector<Vec3d> x = world.positions(body);
      for (std::size_t v = 0; v < x.size(); ++v) {
        ASSERT_FALSE(passed(start[v], x[v]))
            << "shot " << shot << " at " << speed << " m/s, vertex " << v << ", step " << k;
      }
    }
    ASSERT_TRUE(world.troubles().empty());
  }
}

BodyId add_cube(World& world) {
  return world.add(Solid{.mesh = box_tets({0.02, 0.02, 0.02}, {1, 1, 1}),
                         .material = Material{.young = 1e5, .poisson = 0.3, .density = 1000},
                         .place = {.rotation = {0.4, 0.3, 0.2}}});
}
BodyId add_cloth_corner(World& world) {
  return world.add(Cloth{.mesh = grid({0.02, 0.02}, {2, 2}), .place = {.rotation = {0.8, 0.6, 0.2}}});
}

TEST(FastColliders, NoneEntersABall) {
  const auto target = [](World& w) { w.add(Sphere{0.3}); };
  const auto inside = [](const Vec3d&, const Vec3d& x) { return length(x) < 0.3 - 1e-3; };
  shoot(add_cube, target, inside);
  shoot(add_cloth_corner, target, inside);
}

TEST(FastColliders, NonePassesAThinPlate) {
  // Two metres wide, one millimetre thick: what is near the middle cannot go around it.
  const auto target = [](World& w) { w.add(Box{{2, 0.001, 2}}); };
  const auto passed = [](const Vec3d& start, const Vec3d& x) {
    if (std::abs(start.y) < 0.02) return false;  // it may start on either side
    return std::abs(x.x) < 0.9 && std::abs(x.z) < 0.9 && x.y * (start.y > 0 ? 1 : -1) < -1e-3;
  };
  shoot(add_cube, target, passed);
  shoot(add_cloth_corner, target, passed);
}

TEST(FastColliders, NonePassesAnOpenMesh) {
  const auto target = [](World& w) { w.add(MeshSurface{grid({2, 2}, {7, 7})}, {.thickness = 0.002}); };
  const auto passed = [](const Vec3d& start, const Vec3d& x) {
    if (std::abs(start.y) < 0.02) return false;
    return std::abs(x.x) < 0.9 && std::abs(x.z) < 0.9 && x.y * (start.y > 0 ? 1 : -1) < 0;
  };
  shoot(add_cube, target, passed);
  shoot(add_cloth_corner, target, passed);
}

TEST(FastColliders, NoneEntersAClosedMesh) {
  const TriMesh ring = torus(0.25, 0.1, 24, 12);
  const auto target = [&](World& w) { w.add(MeshSolid{ring}); };
  const auto inside = [](const Vec3d&, const Vec3d& x) {
    return std::hypot(std::hypot(x.x, x.z) - 0.25, x.y) < 0.1 - 8e-3;  // the mesh is up to 6.4 mm inside of the torus
  };
  shoot(add_cube, target, inside);
}

}  // namespace
}  // namespace pliant::test
