// What is special to edge_limit, tether and triangle_limit: the free range between the limits, and the clamped shape.

#include <gtest/gtest.h>

#include <cmath>

#include "constraints/edge_limit.h"
#include "constraints/solve.h"
#include "constraints/tether.h"
#include "constraints/triangle_limit.h"
#include "random_stencil.h"

namespace pliant::test {
namespace {

template <class C, int N>
void project(const typename C::Rest& rest, Vec3d (&x)[N], const double (&w)[N]) {
  Vec3d d[N], at[N];
  double lambda[entries_of<C>()] = {};
  for (int i = 0; i < N; ++i) at[i] = x[i];
  solve_constraint<C, false, false>(rest, at, w, Strength<double>{1, 1, 0}, 1.0, nullptr, lambda, d);
  for (int i = 0; i < N; ++i) x[i] += d[i];
}

/// Principal stretches by the singular values of F from the invariants.
std::pair<double, double> stretches(const TriangleLimit<double>::Rest& r, const Vec3d (&x)[3]) {
  const Vec3d f1 = (x[1] - x[0]) * r.b00, f2 = (x[2] - x[0]) * r.b11 + (x[1] - x[0]) * r.b01;
  const double trace = dot(f1, f1) + dot(f2, f2), area = length(cross(f1, f2));
  const double sum = std::sqrt(trace + 2 * area), difference = std::sqrt(std::max(0.0, trace - 2 * area));
  return {(sum + difference) / 2, (sum - difference) / 2};
}

TEST(EdgeLimit, FreeBetweenItsLimits) {
  EdgeLimit<double>::Rest rest{1, 0.9, 1.1};
  const double w[2] = {1, 2};
  for (const auto& [before, after] : {std::pair{0.5, 0.9}, {0.9, 0.9}, {1.05, 1.05}, {1.1, 1.1}, {2.0, 1.1}}) {
    Vec3d x[2] = {{0, 0, 0}, {before, 0, 0}};
    project<EdgeLimit<double>>(rest, x, w);
    EXPECT_NEAR(length(x[1] - x[0]), after, 1e-12);
    if (before == after) {
      EXPECT_EQ(x[0], (Vec3d{0, 0, 0}));
    }
  }
}

TEST(Tether, PullsAndDoesNotPush) {
  const double w[2] = {1, 2};
  for (const auto& [before, after] : {std::pair{0.0, 0.0}, {0.5, 0.5}, {1.0, 1.0}, {2.0, 1.0}}) {
    Vec3d x[2] = {{0, 0, 0}, {before, 0, 0}};
    project<Tether<double>>({1}, x, w);
    EXPECT_NEAR(length(x[1] - x[0]), after, 1e-12);
    EXPECT_NEAR(x[1].x + 2 * x[0].x, before, 1e-12);  // the lighter one goes twice as far
  }
}

TEST(Tether, GivesItsMultiplierBackWhenItGoesSlack) {
  double lambda = 0;
  const auto pull = [&](double l) { return Tether<double>::pull<true>({1.0}, Vec3d{l, 0, 0}, 3.0, 0.5, 1.0, lambda); };
  const double q = pull(2);
  EXPECT_NEAR(lambda, -1 / 3.5, 1e-15);
  EXPECT_NEAR(q, 1 / 3.5 / 2, 1e-15);
  EXPECT_NEAR(pull(0.5), -1 / 3.5 / 0.5, 1e-15);  // what was pulled is pushed back
  EXPECT_NEAR(lambda, 0, 1e-15);
  EXPECT_EQ(pull(0), 0);
}

TEST(TriangleLimit, FreeBetweenItsLimits) {
  Random random(7);
  for (int sample = 0; sample < 1000; ++sample) {
    Vec3d x[3];
    well_shaped(random, x);
    auto rest = TriangleLimit<double>::rest(x);
    rest.stretch_min = 0.9;
    rest.stretch_max = 1.1;
    // A stretch and a shear of up to five percent.
    const Vec3d along = random.point() * 0.05, across = random.point();
    Vec3d moved[3];
    for (int i = 0; i < 3; ++i) moved[i] = x[i] + along * dot(across, x[i]) * 0.5;
    const auto [s1, s2] = stretches(rest, moved);
    if (s1 > 1.0999 || s2 < 0.9001) continue;
    Vec3d after[3] = {moved[0], moved[1], moved[2]};
    project<TriangleLimit<double>>(rest, after, {1, 1, 1});
    for (int i = 0; i < 3; ++i) EXPECT_EQ(after[i], moved[i]);
  }
}

TEST(TriangleLimit, ProjectionsReachTheLimits) {
  Random random(8);
  for (int sample = 0; sample < 1000; ++sample) {
    Vec3d rest_x[3], x[3];
    well_shaped(random, rest_x);
    auto rest = TriangleLimit<double>::rest(rest_x);
    rest.stretch_min = 0.8;
    rest.stretch_max = 1.2;
    well_shaped(random, x);
    const double w[3] = {random.uniform(0.2, 3), random.uniform(0.2, 3), random.uniform(0.2, 3)};
    for (int k = 0; k < 40; ++k) project<TriangleLimit<double>>(rest, x, w);
    const auto [s1, s2] = stretches(rest, x);
    EXPECT_LE(s1, 1.2 + 1e-6) << sample;
    EXPECT_GE(s2, 0.8 - 1e-6) << sample;
  }
}

TEST(TriangleLimit, LeavesTheOtherStretchAlone) {
  // Twice as long along x: clamped there, and as wide as before.
  const Vec3d rest_x[3] = {{0, 0, 0}, {1, 0, 0}, {0.2, 1, 0}};
  auto rest = TriangleLimit<double>::rest(rest_x);
  rest.stretch_min = 0.5;
  rest.stretch_max = 1.5;
  Vec3d x[3];
  for (int i = 0; i < 3; ++i) x[i] = {2 * rest_x[i].x, rest_x[i].y, 0};
  for (int k = 0; k < 10; ++k) project<TriangleLimit<double>>(rest, x, {1, 1, 1});
  const auto [s1, s2] = stretches(rest, x);
  EXPECT_NEAR(s1, 1.5, 1e-9);
  EXPECT_NEAR(s2, 1, 0.01);
}

}  // namespace
}  // namespace pliant::test
