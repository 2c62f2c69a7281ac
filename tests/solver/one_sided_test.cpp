// Constraints that act on one side only, or differently on the two.

#include <gtest/gtest.h>

#include "build_kind.h"
#include "springs.h"

namespace pliant::test {
namespace {

constexpr double kGravity = 9.81;

TEST(OneSided, SlackRopeFallsFreelyAndThenHolds) {
  for (Method method : {Method::xpbd, Method::pbd}) {
    SCOPED_TRACE(method == Method::xpbd ? "xpbd" : "pbd");
    const double dt = 1.0 / 600;
    MassOnSpring spring({.step = dt, .substeps = 1, .method = method, .threads = 1}, 1, {0, -1, 0},
                        {.unilateral = true});
    spring.move_end({0, -0.5, 0});
    // Free for sqrt(2 * 0.5 / g) = 0.319 s = 191 steps: y = -0.5 - g dt^2 n (n + 1) / 2.
    for (int n = 1; n <= 185; ++n) {
      spring.world.step();
      const double y = -0.5 - kGravity * dt * dt * n * (n + 1) / 2;
      // Speeds below 4 m/s are rounded in each step: n^2 / 2 roundings of 4 m/s over dt.
      ASSERT_NEAR(spring.end().y, y, 2 * n * n * kRounding * dt + 2 * kRounding) << "step " << n;
    }
    for (int n = 0; n < 600; ++n) {
      spring.world.step();
      ASSERT_LE(spring.length(), 1 + 4 * kRounding);
    }
    EXPECT_NEAR(spring.end().y, -1, 4 * kRounding) << "it hangs";
    // (The projection takes the speed away: nothing throws it up again.)
  }
}

TEST(OneSided, RopeNeverPushes) {
  MassOnSpring rope({.step = 0.01, .substeps = 4, .gravity = {}, .threads = 1}, 1, {0, -1, 0},
                    {.compliance = 1e-3, .unilateral = true});
  rope.move_end({0, -0.3, 0.1});
  for (int k = 0; k < 50; ++k) rope.world.step();
  EXPECT_EQ(rope.end(), rope.world.positions(rope.id)[1]);
  EXPECT_NEAR(rope.end().y, -0.3, 2 * kRounding);
  EXPECT_NEAR(rope.end().z, 0.1, kRounding);
  EXPECT_EQ(rope.world.measures().elastic_energy, 0) << "slack stores nothing";
  // Two-sided, the same spring pushes.
  MassOnSpring rod({.step = 0.01, .substeps = 4, .gravity = {}, .threads = 1}, 1, {0, -1, 0}, {.compliance = 1e-3});
  rod.move_end({0, -0.3, 0.1});
  rod.world.step();
  EXPECT_LT(rod.end().y, -0.31);
}

TEST(OneSided, CompressionHasItsOwnCompliance) {
  // A mass above its support: it presses on the spring. Hanging it pulls.
  const double mass = 0.5, weight = mass * kGravity;
  const ConstraintSettings settings{.compliance = 1 / 800.0, .compression_compliance = 1 / 200.0};
  for (double side : {1.0, -1.0}) {
    MassOnSpring spring({.step = 0.005, .substeps = 2, .point_damping = 10, .threads = 1}, mass, {0, side, 0},
                        settings);
    spring.run(4);
    const double change = side > 0 ? -weight / 200 : weight / 800;
    EXPECT_NEAR(spring.length() - 1, change, 1e-3 * std::abs(change));
    // Energy k d^2 / 2 with the stiffness of that side.
    EXPECT_NEAR(spring.world.measures().elastic_energy, 0.5 * weight * std::abs(change),
                2e-3 * weight * std::abs(change));
  }
}

TEST(OneSided, CompressionHasItsOwnStiffness) {
  for (double elongation : {0.2, -0.2}) {
    World world({.step = 0.01, .substeps = 1, .iterations = 4, .method = Method::pbd, .gravity = {}, .threads = 1});
    const BodyId id = world.add(dumbbell(1, {1, 0, 0}, {.stiffness = 0.9, .compression_stiffness = 0.25}));
    world.set_positions(id, std::vector<Vec3d>{{}, {1 + elongation, 0, 0}});
    world.step();
    const std::vector<Vec3d> x = world.positions(id);
    EXPECT_NEAR((length(x[1] - x[0]) - 1) / elongation, elongation > 0 ? 0.1 : 0.75, 40 * kRounding);
  }
}

TEST(OneSided, UnilateralIgnoresCompressionSettings) {
  MassOnSpring spring({.step = 0.01, .substeps = 1, .gravity = {}, .threads = 1}, 1, {0, -1, 0},
                      {.compression_compliance = 0, .unilateral = true});
  spring.move_end({0, -0.5, 0});
  for (int k = 0; k < 20; ++k) spring.world.step();
  EXPECT_NEAR(spring.end().y, -0.5, 2 * kRounding);
}

}  // namespace
}  // namespace pliant::test
