#include "fem/statics.h"

#include <gtest/gtest.h>

#include <numbers>

#include "fem/bodies.h"
#include "pliant/error.h"

namespace pliant::fem {
namespace {

/// Bottom held, weight.
Problem standing_cube(int cells, const Material& material) {
  Problem problem{.mesh = box_tets({1, 1, 1}, {cells, cells, cells}), .material = material, .gravity = {0, -9.81, 0}};
  problem.supports = hold(problem.mesh, [](const Vec3d& x) { return x.y < -0.49; });
  return problem;
}

/// The boundary is moved by an affine map; inside, the solution is the same map, whatever the mesh.
void expect_patch(const Material& material, const Mat3<double>& F, int load_steps) {
  Problem problem{.mesh = irregular_cube(3), .material = material};
  const auto displacement = [&](const Vec3d& x) { return F * x - x + Vec3d{0.1, -0.2, 0.3}; };
  problem.supports = hold(problem.mesh, [](const Vec3d& x) { return on_boundary(x, {1, 1, 1}); });
  for (Support& s : problem.supports) {
    s.displacement = displacement(problem.mesh.positions[static_cast<std::size_t>(s.vertex)]);
  }
  std::vector<Vec3d> expected;
  for (const Vec3d& x : problem.mesh.positions) expected.push_back(displacement(x));
  const StaticsResult result = solve_statics(problem, {.newton = {}, .load_steps = load_steps});
  EXPECT_TRUE(result.converged) << static_cast<int>(material.model);
  EXPECT_LE(largest_difference(result.displacements, expected), 1e-10) << static_cast<int>(material.model);
  EXPECT_NEAR(result.elastic_energy, ElasticLaw(material).energy(F), 1e-9 * material.young);  // of a cubic metre
  EXPECT_LE(largest_difference(solve_linear_statics(problem).displacements, expected), 1e-12);
}

TEST(Statics, PatchOfLargeStrain) {
  const Mat3<double> F = Mat3<double>::from_rows({1.2, 0.1, -0.05}, {0.0, 0.9, 0.1}, {0.08, 0.0, 1.1});
  for (const Material& material : all_materials()) expect_patch(material, F, 1);
}

TEST(Statics, PatchOfRotationAndStrain) {
  const double a = 1.0;
  const Mat3<double> turn =
      Mat3<double>::from_rows({std::cos(a), -std::sin(a), 0}, {std::sin(a), std::cos(a), 0}, {0, 0, 1});
  for (const Material& material : all_materials()) {
    expect_patch(material, turn * Mat3<double>::diagonal({1.1, 0.95, 1.05}), 5);
  }
}

TEST(Statics, RigidMotionOfTheSupportMovesTheBodyWithoutEnergy) {
  for (const Material& material : all_materials()) {
    if (material.model == MaterialModel::linear) continue;  // a rotation is strain for it
    Problem problem = standing_cube(2, material);
    problem.gravity = {};
    const double a = 2.0;
    const auto displacement = [&](const Vec3d& x) {
      return Vec3d{std::cos(a) * x.x - std::sin(a) * x.z - x.x + 3, -5, std::sin(a) * x.x + std::cos(a) * x.z - x.z};
    };
    for (Support& s : problem.supports) {
      s.displacement = displacement(problem.mesh.positions[static_cast<std::size_t>(s.vertex)]);
    }
    std::vector<Vec3d> expected;
    for (const Vec3d& x : problem.mesh.positions) expected.push_back(displacement(x));
    const StaticsResult result = solve_statics(problem, {.newton = {}, .load_steps = 20});
    EXPECT_TRUE(result.converged) << static_cast<int>(material.model);
    EXPECT_LE(largest_difference(result.displacements, expected), 1e-9) << static_cast<int>(material.model);
    EXPECT_LE(result.elastic_energy, 1e-12 * material.young);
    EXPECT_LE(largest(result.reactions), 1e-8 * material.young);
  }
}

TEST(Statics, ColumnUnderItsWeightConvergesToTheClosedForm) {
  // Poisson's ratio 0: u(top) = -rho g H^2 / 2E. The lumped weight of linear tets errs by a quarter per refinement.
  Material material{.model = MaterialModel::linear, .young = 1e4, .poisson = 0, .density = 10};
  const double exact = 10 * 9.81 / (2 * 1e4);
  double before = 0;
  for (const int cells : {2, 4, 8}) {
    const Problem problem = standing_cube(cells, material);
    double top = 0;
    int count = 0;
    const StaticsResult result = solve_linear_statics(problem);
    for (std::size_t v = 0; v < result.displacements.size(); ++v) {
      if (problem.mesh.positions[v].y < 0.49) continue;
      top -= result.displacements[v].y;
      ++count;
    }
    const double error = std::abs(top / count - exact);
    EXPECT_LT(error, 0.08 * exact / (cells * cells));
    if (before > 0) {
      EXPECT_NEAR(before / error, 4, 0.4);
    }
    before = error;
  }
}

TEST(Statics, SupportsCarryTheWeight) {
  for (const Material& material : all_materials()) {
    const StaticsResult result = solve_statics(standing_cube(2, material));
    ASSERT_TRUE(result.converged);
    Vec3d sum{};
    for (const Vec3d& r : result.reactions) sum += r;
    EXPECT_NEAR(sum.y, 10 * 9.81, 1e-7);
    EXPECT_NEAR(sum.x, 0, 1e-7);
    EXPECT_NEAR(sum.z, 0, 1e-7);
  }
}

/// A cube pulled along x to `stretch`, free to contract: the stretch across and the force [N].
struct Pull {
  double across, force;
};
Pull pulled(const Material& material, double stretch) {
  Problem problem{.mesh = irregular_cube(3), .material = material};
  for (std::size_t v = 0; v < problem.mesh.positions.size(); ++v) {
    const Vec3d& x = problem.mesh.positions[v];
    const Support s{.vertex = static_cast<int>(v),
                    .displacement = {x.x > 0.49 ? stretch - 1 : 0, 0, 0},
                    .x = std::abs(x.x) > 0.49,
                    .y = x.y < -0.49,
                    .z = x.z < -0.49};
    if (s.x || s.y || s.z) problem.supports.push_back(s);
  }
  const StaticsResult result = solve_statics(problem, {.newton = {}, .load_steps = 2});
  EXPECT_TRUE(result.converged);
  Pull pull{};
  for (std::size_t v = 0; v < problem.mesh.positions.size(); ++v) {
    if (problem.mesh.positions[v].y > 0.49) pull.across = 1 + result.displacements[v].y;
    if (problem.mesh.positions[v].x > 0.49) pull.force += result.reactions[v].x;
  }
  return pull;
}

TEST(Statics, PulledCubeOfStVenantKirchhoff) {
  const double s = 1.5, nu = 0.4, young = 2e4;
  const Pull pull = pulled({.model = MaterialModel::stvk, .young = young, .poisson = nu}, s);
  // Without stress across, the Green strain across is -nu times that along; the stress along is E times it.
  EXPECT_NEAR(pull.across, std::sqrt(1 - nu * (s * s - 1)), 1e-10);
  EXPECT_NEAR(pull.force, young * (s * s - 1) / 2 * s, 1e-6);
}

TEST(Statics, PulledCubeOfNeoHookean) {
  const double s = 1.5, nu = 0.4, young = 2e4;
  const Lame c = lame(young, nu);
  const Pull pull = pulled({.model = MaterialModel::neo_hookean, .young = young, .poisson = nu}, s);
  // No stress across: mu (t^2 - 1) + lambda log(s t^2) = 0, by bisection.
  double low = 0.5, high = 1;
  for (int i = 0; i < 60; ++i) {
    const double t = 0.5 * (low + high);
    (c.mu * (t * t - 1) + c.lambda * std::log(s * t * t) > 0 ? high : low) = t;
  }
  EXPECT_NEAR(pull.across, low, 1e-10);
  EXPECT_NEAR(pull.force, c.mu * (s - 1 / s) + c.lambda * std::log(s * low * low) / s, 1e-6);
}

TEST(Statics, SmallLoadsGiveTheLinearAnswerForEveryModel) {
  for (const Material& material : all_materials()) {
    double before = 0;
    for (const double gravity : {-1e-1, -1e-2}) {
      Problem problem = standing_cube(2, material);
      problem.gravity = {0.3 * gravity, gravity, 0};
      const auto linear = solve_linear_statics(problem).displacements;
      const auto exact = solve_statics(problem).displacements;
      const double difference = largest_difference(linear, exact) / largest(linear);
      // The difference is of the order of the strain, about 1e-4, and falls in proportion.
      if (material.model == MaterialModel::linear) {
        EXPECT_LE(difference, 1e-11);
      } else {
        EXPECT_LE(difference, 1e-3);
        if (before > 0) {
          EXPECT_NEAR(before / difference, 10, 0.5) << static_cast<int>(material.model);
        }
      }
      before = difference;
    }
  }
}

TEST(Statics, PotentialFallsInEveryIteration) {
  // Soft enough to bend far in one load step.
  Problem problem{.mesh = box_tets({4, 1, 1}, {8, 2, 2}),
                  .material = {.model = MaterialModel::neo_hookean, .young = 2e3, .poisson = 0.3, .density = 1},
                  .gravity = {0, -9.81, 0}};
  problem.supports = hold(problem.mesh, [](const Vec3d& x) { return x.x < -1.99; });
  const StaticsResult result = solve_statics(problem);
  EXPECT_TRUE(result.converged);
  ASSERT_GT(result.potentials.size(), 4u);
  for (std::size_t i = 1; i < result.potentials.size(); ++i) {
    EXPECT_LE(result.potentials[i], result.potentials[i - 1] + 1e-12 * std::abs(result.potentials[i - 1]));
  }
  EXPECT_LE(result.residual, 1e-10);
}

TEST(Statics, CrushingWeightOnNeoHookeanConverges) {
  // Ten times its height would fit into rho g H / E = 1: the bottom layer is pressed to a fraction.
  const Problem problem =
      standing_cube(4, {.model = MaterialModel::neo_hookean, .young = 10, .poisson = 0.3, .density = 1});
  const StaticsResult result = solve_statics(problem);
  EXPECT_TRUE(result.converged);
  EXPECT_GT(largest(result.displacements), 0.3);
  const StaticsResult gentle = solve_statics(problem, {.newton = {}, .load_steps = 20});
  EXPECT_LE(largest_difference(result.displacements, gentle.displacements), 1e-8);
}

TEST(Statics, LoadThatCannotBeReachedIsTold) {
  // A point pulled by far more than the material can bear: St. Venant-Kirchhoff pushed flat gives way.
  Problem problem = standing_cube(2, {.model = MaterialModel::stvk, .young = 1, .poisson = 0, .density = 1});
  const StaticsResult result = solve_statics(problem, {.newton = {.max_iterations = 3}, .load_steps = 1});
  EXPECT_EQ(result.converged, result.load == 1);
  EXPECT_FALSE(result.converged);
  EXPECT_LT(result.load, 1);
  EXPECT_TRUE(std::isfinite(largest(result.displacements)));
}

TEST(Statics, LooseBodiesAreRefused) {
  Problem problem = standing_cube(2, {});
  problem.supports.resize(1);
  EXPECT_THROW(solve_statics(problem), Error);
  EXPECT_THROW(solve_linear_statics(problem), Error);
  problem.supports = {{.vertex = 0}, {.vertex = 1}};  // still turns about the edge
  EXPECT_THROW(solve_statics(problem), Error);
  problem.supports.clear();
  EXPECT_THROW(solve_statics(problem), Error);
  problem.supports = {{.vertex = 0}, {.vertex = 1}, {.vertex = 3}};
  EXPECT_NO_THROW(solve_statics(problem));
}

TEST(Statics, LoadStepsAreChecked) {
  EXPECT_THROW(solve_statics(standing_cube(2, {}), {.newton = {}, .load_steps = 0}), Error);
}

TEST(Statics, BodyHeldEverywhereNeedsNoSolve) {
  Problem problem = standing_cube(2, {});
  problem.supports = hold(problem.mesh, [](const Vec3d&) { return true; });
  const StaticsResult result = solve_statics(problem);
  EXPECT_TRUE(result.converged);
  EXPECT_EQ(largest(result.displacements), 0);
}

}  // namespace
}  // namespace pliant::fem
