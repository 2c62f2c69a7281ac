// What was added, pinned, let go or attached makes the model anew. All others go on as if nothing had been.

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>

#include "mixed_scene.h"

namespace pliant::test {
namespace {

/// Of all of it: the same State, and the same steps from there. (A pin that comes and goes makes the model anew.)
void expect_same_bits(Integrator integrator) {
  WorldOptions options = mixed_options(integrator);
  options.threads = 2;
  World through = mixed_world(options, 2), anew = mixed_world(options, 2);
  for (int round = 0; round < 3; ++round) {
    for (int k = 0; k < 3; ++k) {
      through.step();
      anew.step();
    }
    ASSERT_EQ(anew.state_hash(), through.state_hash()) << "round " << round;
    EXPECT_EQ(anew.time(), through.time());
    EXPECT_EQ(anew.snapshot(), through.snapshot());
    const BodyId gel = *anew.find("gel");
    anew.pin(gel, {3});
    anew.unpin(gel, std::array{3});
    EXPECT_EQ(anew.positions(gel), through.positions(gel));  // of the new model
  }
}
TEST(Rebuild, ChangesNoBit) { expect_same_bits(Integrator::euler); }
TEST(Rebuild, ChangesNoBitOfSecondOrder) { expect_same_bits(Integrator::bdf2); }

/// The bar of tension_test, pulled by half of its length and at rest, a weight on a thread and a rag far from it. With
/// BDF2 it is softer: multipliers of the other are not kept there, and its rest depends on the order of its elements.
struct Scene {
  World world;
  BodyId bar, weight, rag;
  std::vector<Vec3d> places;

  explicit Scene(Integrator integrator)
      : world({.substeps = 20, .integrator = integrator, .gravity = {}, .point_damping = 100, .threads = 2}) {
    const TetMesh mesh = box_tets({2, 1, 1}, {8, 4, 4});
    const double young = integrator == Integrator::euler ? 4e7 : 4e6;
    bar = world.add(Solid{.name = "bar", .mesh = mesh, .material = Material{.young = young, .poisson = 0.3}});
    for (const double side : {-1.0, 1.0}) {
      std::vector<int> end;
      for (std::size_t v = 0; v < mesh.positions.size(); ++v) {
        if (mesh.positions[v].x * side > 0.999) end.push_back(static_cast<int>(v));
      }
      world.pin(bar, end, {{.time = 0}, {.time = 0.5, .move = {0.5 * side, 0, 0}}});
    }
    weight = world.add(Rope{.name = "weight", .mesh = rope({0, 9, 0}, {0, 10, 0}, 6)});
    rag = world.add(Cloth{.name = "rag", .mesh = grid({1, 1}, {4, 4}), .place = {.position = {0, -10, 0}}});
    world.pin(rag, {0});
    EXPECT_TRUE(world.warnings().empty()) << world.warnings()[0];
    for (int k = 0; k < 90; ++k) world.step();
    places = world.positions(bar);
  }

  /// Makes the change and some steps; the bar must not notice.
  void expect_at_rest_through(const char* what, const std::function<void()>& change) {
    SCOPED_TRACE(what);
    change();
    double speed = 0, moved = 0;
    for (int k = 0; k < 5; ++k) {
      world.step();
      for (const Vec3d& v : world.velocities(bar)) speed = std::max(speed, length(v));
    }
    const std::vector<Vec3d> now = world.positions(bar);
    for (std::size_t v = 0; v < now.size(); ++v) moved = std::max(moved, length(now[v] - places[v]));
    EXPECT_LT(speed, 1e-3);  // 50 m/s where multipliers are lost; 1.5e-5 m/s at rest, which is rounding
    EXPECT_LT(moved, 1e-6);
  }
};

void expect_bar_to_rest(Integrator integrator) {
  Scene s(integrator);
  World& w = s.world;
  s.expect_at_rest_through("nothing", [] {});
  s.expect_at_rest_through("add", [&] { w.add(Rope{.mesh = rope({10, 0, 0}, {11, 0, 0}, 5)}); });
  s.expect_at_rest_through("add a solid of the same type", [&] {
    w.add(Solid{
        .mesh = box_tets({1, 1, 1}, {2, 2, 2}), .material = w.material(s.bar), .place = {.position = {0, 20, 0}}});
  });
  s.expect_at_rest_through("pin", [&] { w.pin(s.weight, {0}); });
  s.expect_at_rest_through("attach", [&] { w.attach(s.weight, 3, {0, 9.4, 0}, {.compliance = 1e-3}); });
  s.expect_at_rest_through("attach to another", [&] { w.attach_nearest(s.weight, 6, s.rag, {.compliance = 1}); });
  s.expect_at_rest_through("unpin", [&] { w.unpin(s.weight, std::array{0}); });
  s.expect_at_rest_through("ride", [&] { w.ride(s.weight, std::array{6}, s.rag); });
  s.expect_at_rest_through("add a collider", [&] { w.add(Plane{.point = {0, -20, 0}}); });
  // Of itself: its middle stays where it is, and its frames are turned to other masses.
  s.expect_at_rest_through("pin inside", [&] { w.pin(s.bar, {112}); });
  s.expect_at_rest_through("unpin inside", [&] { w.unpin(s.bar, std::array{112}); });
}
TEST(Rebuild, StrainedBarStaysAtRest) { expect_bar_to_rest(Integrator::euler); }
TEST(Rebuild, StrainedBarStaysAtRestOfSecondOrder) { expect_bar_to_rest(Integrator::bdf2); }

/// A balloon that has its multiplier does not swell or shrink.
TEST(Rebuild, KeepsWhatSnapshotsKeep) {
  World world({.step = 0.01, .substeps = 1, .threads = 1});
  world.add(Cloth{.mesh = sphere(0.5, 1), .constraints = {{"balloon", {.compliance = 1e-3, .pressure = 1.2}}}});
  world.step();
  const double residual = world.measures().largest_residual;
  world.add(Rope{.mesh = rope({10, 0, 0}, {11, 0, 0}, 5), .constraints = {}});
  EXPECT_EQ(world.measures().largest_residual, residual);
}

/// A body that is added to a world of second order goes on as fast as it came, and falls as all others do.
TEST(Rebuild, NewBodiesJoinSecondOrder) {
  World world({.step = 1.0 / 60, .substeps = 10, .integrator = Integrator::bdf2, .threads = 1});
  world.add(Rope{.mesh = rope({0, 0, 0}, {1, 0, 0}, 2)});
  for (int k = 0; k < 10; ++k) world.step();
  const BodyId late = world.add(Rope{.mesh = rope({0, 0, 0}, {1, 0, 0}, 2), .velocity = {3, 0, 0}});
  const ColliderId ball = world.add(Sphere{.radius = 0.1}, {.position = {0, 0, 5}, .mass = 1, .velocity = {0, 0, 2}});
  for (int k = 0; k < 60; ++k) world.step();
  // Half a substep late: it came as fast as it starts, and was not falling then.
  for (const Vec3d& v : world.velocities(late)) {
    EXPECT_NEAR(v.x, 3, 1e-4);
    EXPECT_NEAR(v.y, -9.81, 9.81 / 1200 + 3e-4);
  }
  EXPECT_NEAR(world.rigid_motion(ball).velocity.z, 2, 1e-4);
  EXPECT_NEAR(world.rigid_motion(ball).velocity.y, -9.81, 9.81 / 1200 + 3e-4);
}

}  // namespace
}  // namespace pliant::test
