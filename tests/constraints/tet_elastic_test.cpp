// What is special to the elastic tets: forces are the slope of the energy, at every deformation that a model has; an
// element that is squeezed or inverted has more energy than the same one less squeezed, and is pushed back.

#include <gtest/gtest.h>

#include <cstring>

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

template <class C>
class AlignedTet : public testing::Test {};
using AlignedTypes = testing::Types<TetStVK<double>, TetNeoHookean<double>, TetNeoHookeanStable<double>>;
TYPED_TEST_SUITE(AlignedTet, AlignedTypes);

/// One projection of a tet from multipliers near those of its strain, with the whole matrix and by the short way.
template <class C>
struct BothWays {
  double w[4], lambda[2][6];
  Vec3d d[2][4], push[2][4];

  BothWays(Random& random, const Deformed& tet, double strain, const double (&inverse_masses)[4], double poisson) {
    std::copy_n(inverse_masses, 4, w);
    auto rest = C::rest(tet.rest, kMu * 2 * poisson / (1 - 2 * poisson), kMu);
    rest.frame.align(w);
    const double dt = std::pow(10.0, random.uniform(-3, 0));
    for (double& l : lambda[0]) l = dt * dt * kMu * strain * random.uniform(-0.3, 0.3);
    std::copy_n(lambda[0], 6, lambda[1]);
    C::template solve<false, false>(rest, tet.x, w, 0.0, dt, nullptr, lambda[0], d[0], KeptPush<double>{true, push[0]});
    C::template solve<false, true>(rest, tet.x, w, 0.0, dt, nullptr, lambda[1], d[1], KeptPush<double>{true, push[1]});
  }
  static double difference(const Vec3d (&a)[2][4]) {
    double off = 0, size = 0;
    for (int k = 0; k < 4; ++k) {
      off = std::max(off, length(a[0][k] - a[1][k]));
      size = std::max(size, length(a[0][k]));
    }
    return off / size;
  }
};

TYPED_TEST(AlignedTet, FrameMakesMassesDiagonal) {
  Random random(4);
  for (int sample = 0; sample < 50; ++sample) {
    const Deformed tet(random, {1, 1, 1});
    const double w[4] = {1.0, 2.0, 0.5, 1.5};
    auto rest = TypeParam::rest(tet.rest, kLambda, kMu);
    const double before = TypeParam::energy(rest, tet.rest);
    rest.frame.align(w);
    double Q[6];
    typename TypeParam::Tet(rest.frame, tet.x).mass_metric(w, Q);
    for (int e = 3; e < 6; ++e) EXPECT_NEAR(Q[e], 0, 1e-13 * Q[2]);
    EXPECT_LE(Q[0], Q[1]);
    EXPECT_LE(Q[1], Q[2]);
    EXPECT_NEAR(TypeParam::energy(rest, tet.rest), before, 1e-12 * kMu);
    EXPECT_GT((typename TypeParam::Tet(rest.frame, tet.rest).determinant()), 0.999);  // no mirror image
  }
}

/// What the series leaves out is of the second order in the shear, at all compliances: 6 times the sum of the squares
/// of C_ab, each of which is at most twice the strain.
TYPED_TEST(AlignedTet, StepIsNewtons) {
  Random random(5);
  const double masses[4][4] = {{1.0, 2.0, 0.5, 1.5}, {1.0, 0.0, 0.5, 1.5}, {0.0, 1.0, 2.0, 0.0}, {0.0, 0.0, 0.0, 1.0}};
  for (const double strain : {1e-4, 1e-3, 1e-2, 0.05}) {
    for (const double poisson : {0.0, 0.3, 0.49}) {
      for (int sample = 0; sample < 100; ++sample) {
        const auto stretch = [&] { return 1 + random.uniform(-strain, strain); };
        const BothWays<TypeParam> both(random, Deformed(random, {stretch(), stretch(), stretch()}), strain,
                                       masses[sample % 4], poisson);
        EXPECT_LT(both.difference(both.d), 24 * strain * strain + 1e-12) << strain << ' ' << poisson;
        EXPECT_LT(both.difference(both.push), 24 * strain * strain + 1e-12) << strain << ' ' << poisson;
      }
    }
  }
}

/// Sheared, squeezed and inverted elements have the whole matrix: the same bits.
TYPED_TEST(AlignedTet, OthersHaveTheWholeMatrix) {
  Random random(6);
  const auto expect_same = [&](const Vec3d& stretch, const double(&w)[4]) {
    const BothWays<TypeParam> both(random, Deformed(random, stretch), 0.1, w, 0.3);
    EXPECT_EQ(std::memcmp(both.d[0], both.d[1], sizeof(both.d[0])), 0);
    EXPECT_EQ(std::memcmp(both.push[0], both.push[1], sizeof(both.d[0])), 0);
    EXPECT_EQ(std::memcmp(both.lambda[0], both.lambda[1], sizeof(both.lambda[0])), 0);
  };
  for (int sample = 0; sample < 20; ++sample) {
    expect_same({1, 1, -0.5}, {1.0, 2.0, 0.5, 1.5});
    expect_same({1, 1, 0.1}, {1.0, 2.0, 0.5, 1.5});
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
