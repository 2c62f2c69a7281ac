// The generic solve: block against sequence, the small linear solver, entries in sequence.

#include "constraints/solve.h"

#include <gtest/gtest.h>

#include <cmath>

#include "constraints/distance.h"
#include "random_stencil.h"

namespace pliant::test {
namespace {

/// Three distances of a triangle, as one block and as a sequence.
template <class T, Solve kHow>
struct TriangleEdges {
  using Number = T;
  static constexpr int kPoints = 3;
  static constexpr int kEntries = 3;
  static constexpr Solve kSolve = kHow;
  struct Rest {
    T length[3];
  };

  template <int E>
  static T evaluate_entry(const Rest& rest, const Vec3<T> (&x)[3], Vec3<T> (&gradient)[3]) {
    constexpr int a = E, b = (E + 1) % 3;
    const Vec3<T> e = x[b] - x[a];
    const T l = length(e);
    for (Vec3<T>& g : gradient) g = {T(0), T(0), T(0)};
    gradient[b] = e / l;
    gradient[a] = -gradient[b];
    return l - rest.length[E];
  }
  static void evaluate(const Rest& rest, const Vec3<T> (&x)[3], T (&C)[3], Vec3<T> (&gradient)[3][3]) {
    C[0] = evaluate_entry<0>(rest, x, gradient[0]);
    C[1] = evaluate_entry<1>(rest, x, gradient[1]);
    C[2] = evaluate_entry<2>(rest, x, gradient[2]);
  }
};

template <class C>
void iterate(int count, const typename C::Rest& rest, Vec3d (&x)[3], const double (&w)[3], double compliance,
             double (&lambda)[3]) {
  for (int k = 0; k < count; ++k) {
    Vec3d local[3] = {x[0], x[1], x[2]}, d[3];
    solve_constraint<C, true, false>(rest, local, w, Strength<double>{compliance, 0, 0}, 0.01, nullptr, lambda, d);
    for (int i = 0; i < 3; ++i) x[i] += d[i];
  }
}

TEST(Solve, BlockAndSequenceConvergeToTheSamePlace) {
  Random random(11);
  for (int sample = 0; sample < 50; ++sample) {
    Vec3d x[3], y[3];
    well_shaped(random, x);
    const double w[3] = {1.0, 2.0, 0.5};
    for (int i = 0; i < 3; ++i) y[i] = x[i];
    double lengths[3];
    for (int e = 0; e < 3; ++e) lengths[e] = length(x[(e + 1) % 3] - x[e]) * random.uniform(0.9999, 1.0001);
    double la[3] = {}, lb[3] = {};
    iterate<TriangleEdges<double, Solve::block>>(30, {{lengths[0], lengths[1], lengths[2]}}, x, w, 1e-5, la);
    iterate<TriangleEdges<double, Solve::sequence>>(400, {{lengths[0], lengths[1], lengths[2]}}, y, w, 1e-5, lb);
    for (int e = 0; e < 3; ++e) {
      // C + alpha lambda / dt^2 = 0 at convergence
      const double C = length(x[(e + 1) % 3] - x[e]) - lengths[e];
      EXPECT_NEAR(C + 1e-5 / 1e-4 * la[e], 0, 1e-9);
      // Gradients turn a little between iterations, which leaves a difference of second order in the
      // error of 1e-4.
      EXPECT_NEAR(la[e], lb[e], 1e-7);
      EXPECT_NEAR(la[e], 0, 1e-3);
    }
  }
}

TEST(Solve, SmallLinearSystem) {
  Random random(12);
  for (int sample = 0; sample < 200; ++sample) {
    double B[6][6], A[6][6], copy[6][6], b[6], x[6];
    for (auto& row : B) {
      for (double& v : row) v = random.uniform(-1, 1);
    }
    for (int i = 0; i < 6; ++i) {
      for (int j = 0; j < 6; ++j) {
        A[i][j] = i == j ? 0.1 : 0;
        for (int k = 0; k < 6; ++k) A[i][j] += B[i][k] * B[j][k];
        copy[i][j] = A[i][j];
      }
      b[i] = random.uniform(-1, 1);
      x[i] = b[i];
    }
    detail::solve_symmetric(A, x);
    for (int i = 0; i < 6; ++i) {
      double sum = 0;
      for (int j = 0; j < 6; ++j) sum += copy[i][j] * x[j];
      EXPECT_NEAR(sum, b[i], 1e-10);
    }
  }
}

TEST(Solve, EntryWithoutGradientAndComplianceIsLeftAlone) {
  double A[3][3] = {{2, 0, 0}, {0, 0, 0}, {0, 0, 4}};
  double b[3] = {2, 5, 8};
  detail::solve_symmetric(A, b);
  EXPECT_EQ(b[0], 1);
  EXPECT_EQ(b[1], 0);
  EXPECT_EQ(b[2], 2);
}

TEST(Solve, SlackSideReleasesItsMultiplier) {
  using C = Distance<double>;
  const double w[2] = {1, 1};
  const Strength<double> rope{0.0, -1.0, 0.0};  // acts on stretch only
  Vec3d x[2] = {{0, 0, 0}, {0.5, 0, 0}}, motion[2] = {}, d[2];
  double lambda[1] = {-0.2};  // it pulled before
  solve_constraint<C, true, true>({1.0}, x, w, rope, 0.01, motion, lambda, d);
  EXPECT_EQ(lambda[0], 0);
  // The correction undoes the pull of 0.2: the ends move apart by it.
  EXPECT_NEAR(d[0].x, -0.2, 1e-15);
  EXPECT_NEAR(d[1].x, 0.2, 1e-15);
}

TEST(Solve, CompliantStepEqualsTheClosedForm) {
  using C = Distance<double>;
  const double w[2] = {1, 3}, dt = 0.01, alpha = 1e-3;
  Vec3d x[2] = {{0, 0, 0}, {1.2, 0, 0}}, d[2];
  double lambda[1] = {0};
  solve_constraint<C, true, false>({1.0}, x, w, Strength<double>{alpha, 0, 0}, dt, nullptr, lambda, d);
  EXPECT_NEAR(lambda[0], -0.2 / (4 + alpha / (dt * dt)), 1e-15);
  EXPECT_NEAR(d[0].x, 1 * -lambda[0], 1e-15);
  EXPECT_NEAR(d[1].x, 3 * lambda[0], 1e-15);
}

}  // namespace
}  // namespace pliant::test
