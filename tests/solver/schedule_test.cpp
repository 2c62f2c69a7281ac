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
  const Schedule s = schedule_constraints(particles, 2, moves, kParticles + 1);
  EXPECT_EQ(s.phase_begin[1], 16) << "slices";
  EXPECT_EQ(s.phase_begin[2], 16 + 15) << "cuts";
  expect_sound(s, particles, 2, moves);
}

}  // namespace
}  // namespace pliant::test
