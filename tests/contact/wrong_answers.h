#pragma once
// Counts wrong answers of first_contact; used by the short test and the long one.

#include <gtest/gtest.h>

#include "contact/first_contact.h"
#include "oracle.h"

namespace pliant::test {

template <int kSideA, class Real>
FirstContact<Real> detect(const MovingPair& pair, Real tolerance) {
  Vec3<Real> x[4], u[4];
  for (int k = 0; k < 4; ++k) x[k] = cast<Real>(pair.x[k]), u[k] = cast<Real>(pair.u[k]);
  return first_contact<kSideA>(x, u, Real(0), tolerance);
}

/// How many of pairs that meet exactly are not found, or found too late. All coordinates are exact in either precision.
template <int kSideA, class Real>
int missed_of(int count, uint64_t seed) {
  PairMaker maker(seed);
  int missed = 0;
  for (int k = 0; k < count; ++k) {
    const MovingPair pair = maker.touching<kSideA>(500);
    const FirstContact<Real> found = detect<kSideA, Real>(pair, Real(1e-2));  // of coordinates up to 16000
    missed += !found.hit || found.time > pair.meet;
  }
  return missed;
}

struct Wrong {
  int missed = 0, false_hits = 0, separate = 0, touching = 0;
};

/// Pairs of any kind, judged by the oracle.
template <int kSideA, class Real>
Wrong wrong_of(int count, uint64_t seed) {
  PairMaker maker(seed);
  Wrong wrong;
  for (int k = 0; k < count; ++k) {
    const MovingPair pair = k % 4 ? maker.any(500) : maker.touching<kSideA>(30);
    const bool hit = detect<kSideA, Real>(pair, Real(1e-4)).hit;  // of coordinates up to 500
    const bool touches = Oracle<kSideA>(pair).answer() == Answer::touching;
    ++(touches ? wrong.touching : wrong.separate);
    wrong.missed += touches && !hit;
    wrong.false_hits += !touches && hit;
  }
  return wrong;
}

template <int kSideA, class Real>
void expect_right(int touching, int any) {
  EXPECT_EQ((missed_of<kSideA, Real>(touching, 1)), 0);
  const Wrong wrong = wrong_of<kSideA, Real>(any, 2);
  EXPECT_EQ(wrong.missed, 0);
  EXPECT_LT(wrong.false_hits, 0.01 * wrong.separate);
  EXPECT_GT(wrong.separate, any / 10);
  EXPECT_GT(wrong.touching, any / 10);
  ::testing::Test::RecordProperty("false_hits", wrong.false_hits);
}

}  // namespace pliant::test
