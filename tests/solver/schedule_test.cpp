// Schedules: the lanes of a batch and the tasks of a phase share no moving particle, whatever spans a cut.

#include "solver/schedule.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "constraints/constraint.h"

namespace pliant::test {
namespace {

std::size_t at(int64_t i) { return static_cast<std::size_t>(i); }

void expect_sound(const Schedule& s, const std::vector<int32_t>& particles, int points,
                  const std::vector<uint8_t>& moves) {
  std::vector<int> seen(particles.size() / at(points), 0);
  ASSERT_EQ(s.slots.size(), at(s.task_begin.back()) * kLanes);
  for (std::size_t phase = 0; phase + 1 < s.phase_begin.size(); ++phase) {
    std::map<int32_t, int> task_of;
    for (int task = s.phase_begin[phase]; task < s.phase_begin[phase + 1]; ++task) {
      for (int64_t b = s.task_begin[at(task)]; b < s.task_begin[at(task + 1)]; ++b) {
        std::set<int32_t> taken;
        for (int64_t l = 0; l < kLanes; ++l) {
          const int32_t c = s.slots[at(b * kLanes + l)];
          if (c < 0) continue;
          ++seen[at(c)];
          for (int i = 0; i < points; ++i) {
            const int32_t p = particles[at(int64_t{c} * points + i)];
            if (at(p) < moves.size() && !moves[at(p)]) continue;
            EXPECT_TRUE(taken.insert(p).second) << "twice in batch " << b;
            EXPECT_EQ(task_of.emplace(p, task).first->second, task) << "two tasks of phase " << phase;
          }
        }
      }
    }
  }
  for (const int count : seen) ASSERT_EQ(count, 1);
}

/// A band of 8192 particles, each joined to the next and to the one 40 further on, and by a few chords of length 520 to
/// others, which reach over a whole slice: from its first half across a cut, or into the second half behind it.
TEST(Schedule, WhatReachesTooFarGoesToTheRest) {
  constexpr int kParticles = 8192;
  std::vector<std::pair<int32_t, int32_t>> pairs;
  for (int i = 0; i < kParticles; ++i) {
    for (const int reach : {1, 40}) {
      if (i + reach < kParticles) pairs.push_back({i, i + reach});
    }
    if (i % 23 == 0 && i + 520 < kParticles) pairs.push_back({i, i + 520});
  }
  std::ranges::sort(pairs);
  std::vector<int32_t> particles;
  for (const auto& [a, b] : pairs) particles.insert(particles.end(), {a, b});
  std::vector<uint8_t> moves(kParticles + 1, 1);
  moves[100] = moves[4096] = 0;
  const Schedule s = schedule_constraints(particles, 2, 1, moves, kParticles + 1);
  EXPECT_EQ(s.phase_begin[1], 16) << "slices";
  EXPECT_EQ(s.phase_begin[2], 16 + 15) << "cuts";
  expect_sound(s, particles, 2, moves);
}

/// The work of each thread's part of the tasks.
std::vector<int> work_of_parts(const std::vector<int>& work, int threads) {
  const std::vector<int> order = balanced_order(work, threads);
  EXPECT_EQ(std::set<int>(order.begin(), order.end()).size(), work.size()) << "each task once";
  EXPECT_EQ(order.size(), work.size());
  std::vector<int> sums(at(threads), 0);
  for (int t = 0; t < threads; ++t) {
    const int64_t n = static_cast<int64_t>(order.size());
    for (int64_t k = n * t / threads; k < n * (t + 1) / threads; ++k) sums[at(t)] += work[at(order[at(k)])];
  }
  return sums;
}

// As they stand the parts have 82 and 126, 163 and 174.
TEST(Schedule, ThreadsGetEqualWork) {
  EXPECT_EQ(work_of_parts({27, 27, 28, 28, 27, 29, 42}, 2), (std::vector{97, 111}));
  EXPECT_EQ(work_of_parts({82, 81, 81, 93}, 2), (std::vector{163, 174}));
  EXPECT_EQ(work_of_parts({90, 10, 10, 10, 10, 10, 10, 90}, 4), (std::vector{100, 20, 20, 100}));
  EXPECT_EQ(balanced_order(std::vector{5, 9}, 2), (std::vector{0, 1})) << "one each";
  EXPECT_EQ(balanced_order(std::vector{5, 9, 7}, 1), (std::vector{0, 1, 2})) << "nothing to share";
}

}  // namespace
}  // namespace pliant::test
