// A step allocates nothing once it is warm. This file replaces the global operator new of the program.

#include <gtest/gtest.h>

#include "core/allocation_counter.h"
#include "mixed_scene.h"

namespace pliant::test {
namespace {

using testing_support::allocations;

TEST(Allocation, CounterCounts) {
  const long before = allocations();
  std::vector<int> made(1000);
  EXPECT_GT(allocations(), before);
  EXPECT_EQ(made.size(), 1000u);
}

TEST(Allocation, NoneOnceWarm) {
  for (int threads : {1, 2}) {
    WorldOptions options = mixed_options();
    options.threads = threads;
    options.contact.reset();  // hair roots stand in the ball: while bodies stand in each other, each step looks for it
    World world = mixed_world(options, 2);
    for (int k = 0; k < 60; ++k) world.step();  // lists of what is near grow while bodies fall
    const long before = allocations();
    for (int k = 0; k < 20; ++k) world.step();
    const long after = allocations();
    EXPECT_EQ(after, before) << threads << " threads";
  }
}

TEST(Allocation, NoneWhenTheSceneTravels) {
  // Fast enough to move the origin every few steps.
  World world({.step = 1.0 / 60, .gravity = {}, .threads = 1});
  world.add(Cloth{.mesh = grid({1, 1}, {8, 8}), .velocity = {9000, 0, 0}});
  for (int k = 0; k < 3; ++k) world.step();
  const long before = allocations();
  for (int k = 0; k < 20; ++k) world.step();
  EXPECT_EQ(allocations(), before);
}

}  // namespace
}  // namespace pliant::test
