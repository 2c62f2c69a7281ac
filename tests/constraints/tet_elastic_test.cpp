// What is special to the elastic tets: forces are the slope of the energy, at every deformation that a model has; an
// element that is squeezed or inverted has more energy than the same one less squeezed, and is pushed back.

#include <gtest/gtest.h>

#include "constraints/tet_corotated.h"
#include "constraints/tet_neo_hookean.h"
#include "constraints/tet_orthotropic.h"
#include "constraints/tet_stvk.h"
#include "math/quaternion.h"
#include "random_stencil.h"

namespace pliant::test {
namespace {

constexpr double kLambda = 300, kMu = 200;

template <class C>
class ElasticTet : public testing::Test {};
using ElasticTypes = testing::Types<TetStVK<double>, TetNeoHookean<double>, TetNeoHookeanStable<double>,
                                    TetCorotated<double>, TetOrthotropic<double>>;
TYPED_TEST_SUITE(ElasticTet, ElasticTypes);

/// A rest tet and positions of it stretched by factors along turned axes, then turned.
struct Deformed {
  Vec3d rest[4], x[4];
  Deformed(Random& random, const Vec3d& stretch) {
    do {
      for (Vec3d& p : rest) p = random.point();
    } while (smallest_feature(rest) < 0.3 || dot(rest[1] - rest[0], cross(rest[2] - rest[0], rest[3] - rest[0])) < 0);
    const Quat<double> axes = from_rotation_vector(random.point() * 3.0);
    const Quat<double> turn = from_rotation_vector(random.point() * 3.0);
    const Quat<double> back{-axes.x, -axes.y, -axes.z, axes.w};
    for (int i = 0; i < 4; ++i) {
      const Vec3d along = rotate(axes, rest[i]);
      x[i] = rotate(turn, rotate(back, {along.x * stretch.x, along.y * stretch.y, along.z * stretch.z}));
    }
  }
};

/// In a substep that is very short the projection is an explicit step: d = -w dt^2 grad energy.
TYPED_TEST(ElasticTet, ForceIsTheSlopeOfTheEnergy) {
  using C = TypeParam;
  Random random(1);
  const double dt = 1e-5, w[4] = {1, 2, 0.5, 1};
  for (int sample = 0; sample < 200; ++sample) {
    // Above what counts as squeezed, for all of them: a stretch of 0.58, half of the volume.
    const Deformed tet(random, {random.uniform(0.8, 1.6), random.uniform(0.8, 1.6), random.uniform(0.8, 1.6)});
    const auto rest = C::rest(tet.rest, kLambda, kMu);
    Vec3d d[4];
    double lambda[6] = {};
    C::template solve<false>(rest, tet.x, w, 0.0, dt, nullptr, lambda, d, NoPush{});
    double error = 0, size = 0;
    for (int i = 0; i < 4; ++i) {
      for (int k = 0; k < 3; ++k) {
        const auto energy = [&](double step) {
          Vec3d moved[4] = {tet.x[0], tet.x[1], tet.x[2], tet.x[3]};
          moved[i][k] += step;
          return C::energy(rest, moved);
        };
        const double h = 1e-4;
        const double slope = (8 * (energy(h) - energy(-h)) - (energy(2 * h) - energy(-2 * h))) / (12 * h);
        size = std::max(size, std::abs(slope));
        error = std::max(error, std::abs(slope + d[i][k] / (w[i] * dt * dt)));
      }
    }
    // dt^2 w V K / h^2 = 1e-10 * 1e3 of the force is what the implicit step leaves out.
    EXPECT_LT(error, 1e-5 * size);
  }
}

TYPED_TEST(ElasticTet, EnergyGrowsThroughFlatIntoInversion) {
  using C = TypeParam;
  Random random(2);
  for (int sample = 0; sample < 50; ++sample) {
    double last = -1;
    const uint64_t seed = 100 + static_cast<uint64_t>(sample);
    // Not beyond -0.8: an element as much inverted as it is wide is closest to another rotation.
    for (double s = 0.8; s >= -0.8; s -= 0.05) {
      Random same(seed);
      const Deformed tet(same, {0.95, 0.9, s});
      const double energy = C::energy(C::rest(tet.rest, kLambda, kMu), tet.x);
      EXPECT_TRUE(std::isfinite(energy));
      EXPECT_GT(energy, last) << s;
      last = energy;
    }
  }
}

/// A projection without compliance to speak of brings an inverted or flat element nearly back to rest.
TYPED_TEST(ElasticTet, PushesBackWhatIsInverted) {
  using C = TypeParam;
  Random random(3);
  const double w[4] = {1, 2, 0.5, 1};
  for (const Vec3d stretch : {Vec3d{1, 1, -0.5}, Vec3d{1.1, 0.9, 0.0}, Vec3d{1.2, 0.0, 0.0}, Vec3d{}}) {
    for (int sample = 0; sample < 50; ++sample) {
      Deformed tet(random, stretch);
      const auto rest = C::rest(tet.rest, kLambda, kMu);
      const double before = C::energy(rest, tet.x);
      for (int k = 0; k < 20; ++k) {
        Vec3d d[4];
        double lambda[6] = {1e-3, 1e-3, 1e-3, 1e-3, 1e-3, 1e-3};  // of another time: to be forgotten
        if (k > 0) std::fill(std::begin(lambda), std::end(lambda), 0.0);
        C::template solve<false>(rest, tet.x, w, 0.0, 1e3, nullptr, lambda, d, NoPush{});
        if (k == 0) {
          for (double l : lambda) EXPECT_EQ(l, 0);
        }
        for (int i = 0; i < 4; ++i) tet.x[i] += d[i];
      }
      EXPECT_LT(C::energy(rest, tet.x), 1e-12 * before);
      EXPECT_GT(dot(tet.x[1] - tet.x[0], cross(tet.x[2] - tet.x[0], tet.x[3] - tet.x[0])), 0);
    }
  }
}

/// The force of the corotated model against its formula, P = R (2 mu (S - I) + lambda tr(S - I) I): by hand for a
/// stretch along an axis of a corner of a cube.
TEST(TetCorotated, StretchAlongOneAxis) {
  const Vec3d rest[4] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  const Vec3d x[4] = {{0, 0, 0}, {1.2, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  using C = TetCorotated<double>;
  const auto data = C::rest(rest, kLambda, kMu);
  EXPECT_NEAR(C::energy(data, x), (kMu * 0.04 + kLambda / 2 * 0.04) / 6, 1e-12);
  Vec3d d[4];
  double lambda[6] = {}, w[4] = {1, 1, 1, 1};
  const double dt = 1e-6;
  C::solve<false>(data, x, w, 0.0, dt, nullptr, lambda, d, NoPush{});
  EXPECT_NEAR(d[1].x / (dt * dt), -(2 * kMu + kLambda) * 0.2 / 6, 1e-6);
  EXPECT_NEAR(d[2].y / (dt * dt), -kLambda * 0.2 / 6, 1e-6);
}

}  // namespace
}  // namespace pliant::test
