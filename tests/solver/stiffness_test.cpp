// What compliance and stiffness mean: xpbd gives a spring's elongation for any step and count, pbd
// removes its fraction of the error per step for any count.

#include <gtest/gtest.h>

#include "build_kind.h"
#include "springs.h"

namespace pliant::test {
namespace {

TEST(Stiffness, HangingMassStretchesByItsWeightOverStiffness) {
  // k = 500 N/m, m = 1 kg: 19.62 mm. Rounding of a length of 1 m is 6e-8 m, a thousandth is 2e-5 m.
  const double mass = 1, stiffness = 500, stretch = mass * 9.81 / stiffness;
  for (int iterations : {1, 5, 50}) {
    for (double step : {0.001, 0.005, 0.020}) {
      MassOnSpring spring({.step = step, .substeps = 1, .iterations = iterations, .point_damping = 10, .threads = 1},
                          mass, {0, -1, 0}, {.compliance = 1 / stiffness});
      spring.run(4);  // the amplitude has fallen by exp(-5 * 4)
      EXPECT_NEAR(spring.length() - 1, stretch, 1e-3 * stretch) << iterations << " iterations, step " << step;
    }
  }
}

TEST(Stiffness, RigidDistanceDoesNotStretch) {
  MassOnSpring spring({.step = 0.01, .substeps = 4, .point_damping = 5, .threads = 1}, 1, {0, -1, 0}, {});
  spring.run(2);
  EXPECT_NEAR(spring.length(), 1, 4 * kRounding);
}

/// What is left of an initial elongation of 0.2 m after one step.
double remaining_error(double stiffness, int iterations, double elongation) {
  World world(
      {.step = 0.01, .substeps = 1, .iterations = iterations, .method = Method::pbd, .gravity = {}, .threads = 1});
  const BodyId id = world.add(dumbbell(1, {1, 0, 0}, {.stiffness = stiffness}));
  world.set_positions(id, std::vector<Vec3d>{{}, {1 + elongation, 0, 0}});
  world.step();
  const std::vector<Vec3d> x = world.positions(id);
  return (length(x[1] - x[0]) - 1) / elongation;
}

TEST(Stiffness, PbdRemovesItsFractionInOneStep) {
  for (double k : {0.0, 0.1, 0.5, 0.9, 1.0}) {
    for (int iterations : {1, 4, 16}) {
      // Each iteration rounds a length of 1 m (two units of 6e-8 m of an elongation of 0.2 m).
      const double tolerance = iterations * 10 * kRounding + 1e-12;
      EXPECT_NEAR(remaining_error(k, iterations, 0.2), 1 - k, tolerance) << k << ", " << iterations << " iterations";
      EXPECT_NEAR(remaining_error(k, iterations, -0.2), 1 - k, tolerance) << k << ", " << iterations << " iterations";
    }
  }
}

TEST(Stiffness, XpbdStepIsImplicitEuler) {
  // One constraint is solved exactly by one iteration: x1 = (x0 + dt v0 + dt^2 g) / (1 + dt^2 k/m).
  const double dt = 0.01, stiffness = 300, mass = 2;
  for (int iterations : {1, 3}) {
    MassOnSpring spring({.step = dt, .substeps = 1, .iterations = iterations, .threads = 1}, mass, {0, -1, 0},
                        {.compliance = 1 / stiffness});
    spring.move_end({0, -1.1, 0}, {0, -0.5, 0});
    spring.world.step();
    const double elongation = (0.1 + dt * 0.5 + dt * dt * 9.81) / (1 + dt * dt * stiffness / mass);
    EXPECT_NEAR(spring.length() - 1, elongation, 8 * kRounding) << iterations << " iterations";
    EXPECT_NEAR(spring.world.velocities(spring.id)[1].y, -(elongation - 0.1) / dt, 8 * kRounding / dt);
  }
}

TEST(Stiffness, BalloonStepIsThatOfASpring) {
  // An icosahedron stays one while it breathes: one unknown, its radius r. V = V0 (r / r0)^3, the mass M
  // moves along r alone, and a projection is d_lambda = -(V - V0 + a lambda) / (V'^2 / M + a), dr = V' d_lambda / M.
  const TriMesh ball = sphere(0.5, 0);
  const double volume = enclosed_volume(ball), density = 2, mass = density * area(ball), compliance = 2e-4, dt = 0.01;
  for (int iterations : {1, 4}) {
    World world({.step = dt, .substeps = 1, .iterations = iterations, .gravity = {}, .threads = 1});
    const BodyId id =
        world.add(Cloth{.mesh = ball, .density = density, .constraints = {{"balloon", {.compliance = compliance}}}});
    std::vector<Vec3d> x = world.positions(id);
    for (Vec3d& p : x) p *= 1.04;
    world.set_positions(id, x);
    double r = 0.52, v = 0;
    for (int step = 0; step < 40; ++step) {
      const double start = r, a = compliance / (dt * dt);
      double lambda = 0;
      r += dt * v;
      for (int k = 0; k < iterations; ++k) {
        const double slope = 3 * volume * r * r / 0.125;
        const double change = -(volume * r * r * r / 0.125 - volume + a * lambda) / (slope * slope / mass + a);
        lambda += change;
        r += slope * change / mass;
      }
      v = (r - start) / dt;
      world.step();
      // Float: a radius is rounded by 3e-8 m, which a swing of 40 steps multiplies by less than 10.
      ASSERT_NEAR(length(world.positions(id)[3]), r, 10 * kRounding) << "step " << step;
    }
    EXPECT_LT(std::abs(r - 0.5), 0.02) << "it has swung";
  }
}

TEST(Stiffness, MassesShareACorrectionByTheirInverse) {
  // A chain of two segments of different length: masses 1, 4 and 3 kg. The long one is stretched.
  World world({.step = 0.01, .substeps = 1, .method = Method::pbd, .gravity = {}, .threads = 1});
  Curve curve{{{0, 0, 0}, {2, 0, 0}, {8, 0, 0}}, {{0, 1}, {1, 2}}};
  const BodyId id = world.add(Rope{.mesh = curve, .density = 1, .constraints = {{"distance", {}}}});
  EXPECT_EQ(world.masses(id), (std::vector<double>{1, 4, 3}));
  world.set_positions(id, std::vector<Vec3d>{{0, 0, 0}, {2, 0, 0}, {8.7, 0, 0}});
  world.set_velocities(id, std::vector<Vec3d>(3));
  world.step();
  // Segment 1-2 first or last, the centre of mass stays where it was.
  const std::vector<Vec3d> x = world.positions(id);
  EXPECT_NEAR((1 * x[0].x + 4 * x[1].x + 3 * x[2].x) / 8, (4 * 2 + 3 * 8.7) / 8, 16 * kRounding);
}

}  // namespace
}  // namespace pliant::test
