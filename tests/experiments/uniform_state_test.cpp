// The closed form that sheets under forces at their sides are judged by.
#include "experiments/uniform_state.h"

#include <gtest/gtest.h>

#include <cmath>

#include "experiments/cloths.h"
#include "pliant/error.h"

namespace pliant::experiments {
namespace {

// Central differences leave about 1e-9 in F.
constexpr double kTolerance = 1e-7;

ClothMaterial fabric(double k_weft, double k_warp) {
  return {.model = ClothModel::orthotropic,
          .orthotropic = {
              .k_weft = k_weft, .k_warp = k_warp, .k_shear = 100, .nu_weft = 0.3, .nu_warp = 0.3 * k_warp / k_weft}};
}

// Pulled along x alone, St. Venant-Kirchhoff has a k (a^2 - 1) / 2 = T, and (b^2 - 1) = -nu (a^2 - 1).
TEST(UniformState, PullOfStvkIsThatByHand) {
  const double a = 1.2, T = a * 1000 * (a * a - 1) / 2;
  const PlaneMatrix F = uniform_state(stvk_energy(fabric(1000, 250), 0), {T, 0, 0, 0});
  EXPECT_NEAR(F[0], a, kTolerance);
  EXPECT_NEAR(F[3], std::sqrt(1 - 0.3 * (a * a - 1)), kTolerance);
  EXPECT_NEAR(F[1], 0, kTolerance);
  EXPECT_NEAR(F[2], 0, kTolerance);
}

TEST(UniformState, TurnedByARightAngleTheDirectionsChangePlaces) {
  const PlaneMatrix P{100, 0, 0, 100};
  const PlaneMatrix F = uniform_state(stvk_energy(fabric(1000, 250), 0), P);
  const PlaneMatrix turned = uniform_state(stvk_energy(fabric(1000, 250), std::acos(0.0)), P);
  EXPECT_NEAR(F[0], turned[3], kTolerance);
  EXPECT_NEAR(F[3], turned[0], kTolerance);
  EXPECT_GT(F[3], F[0] + 0.1);
}

TEST(UniformState, EntriesOfTheStrainActAlone) {
  const ClothStrain strain{.weft = {1, 100}, .warp = {1, 1000}, .shear = {1, 50}};
  const PlaneMatrix F = uniform_state(strain_energy(strain), {30, 0, 0, 40});
  EXPECT_NEAR(F[0], 1.3, kTolerance);  // 1 + force per width / modulus
  EXPECT_NEAR(F[3], 1.04, kTolerance);
}

TEST(UniformState, PressureIsRefused) {
  // Little of it ends in a saddle, much of it turns the sheet by 180 degrees.
  for (const double T : {-50.0, -500.0}) {
    EXPECT_THROW(uniform_state(stvk_energy(fabric(1000, 1000), 0), {T, 0, 0, T}), Error) << T;
  }
}

TEST(UniformState, DistanceAndMeanKnowAUniformSheet) {
  const TriMesh mesh = irregular_grid({1.5, 1}, {6, 4}, 0.4);
  const PlaneMatrix F{1.2, 0.1, -0.05, 0.9};
  std::vector<Vec3d> x;
  for (const Vec3d& p : mesh.positions) x.push_back({F[0] * p.x + F[1] * p.z + 3, 7, F[2] * p.x + F[3] * p.z});
  const PlaneMatrix mean = mean_gradient(mesh, x);
  for (std::size_t i = 0; i < 4; ++i) EXPECT_NEAR(mean[i], F[i], 1e-12);
  EXPECT_LT(distance_from_uniform(mesh, x, F).largest, 1e-12);
  x[0].x += 0.01;
  EXPECT_NEAR(distance_from_uniform(mesh, x, F).largest, 0.01, 1e-3);  // less what the centre moves
}

}  // namespace
}  // namespace pliant::experiments
