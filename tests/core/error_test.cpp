#include "pliant/error.h"

#include <gtest/gtest.h>

#include <type_traits>

#include "core/assert.h"

namespace pliant {
namespace {

TEST(Error, TellsWhereWhatAndRemedy) {
  const Error error("scenes/x.json: bodies[0].density", "-3 is negative", "give a density above 0 [kg/m^3]");
  EXPECT_STREQ(error.what(), "scenes/x.json: bodies[0].density: -3 is negative; give a density above 0 [kg/m^3]");
  EXPECT_EQ(error.where(), "scenes/x.json: bodies[0].density");
  EXPECT_EQ(error.problem(), "-3 is negative");
  EXPECT_EQ(error.remedy(), "give a density above 0 [kg/m^3]");
}

TEST(Error, LeavesOutEmptyParts) {
  EXPECT_STREQ(Error("where", "what").what(), "where: what");
  EXPECT_STREQ(Error("", "what", "remedy").what(), "what; remedy");
  EXPECT_STREQ(Error("", "what").what(), "what");
  EXPECT_STREQ(Error("where", "", "remedy").what(), "where; remedy");
  EXPECT_STREQ(Error("", "", "").what(), "");
}

TEST(Error, InsidePutsTheOuterPlaceInFront) {
  const Error inner("density", "-3 is negative", "give more");
  const Error middle = inner.inside("bodies[0]");
  EXPECT_STREQ(middle.inside("x.json").what(), "x.json: bodies[0]: density: -3 is negative; give more");
  EXPECT_EQ(middle.where(), "bodies[0]: density");
  EXPECT_EQ(middle.problem(), inner.problem());
  EXPECT_EQ(middle.remedy(), inner.remedy());
  EXPECT_STREQ(Error("", "what").inside("x.json").what(), "x.json: what");
  EXPECT_STREQ(inner.inside("").what(), inner.what());
}

TEST(Error, IsCaughtAsAStandardException) {
  static_assert(std::is_base_of_v<std::runtime_error, Error>);
  try {
    throw Error("a", "b");
  } catch (const std::exception& caught) {
    EXPECT_STREQ(caught.what(), "a: b");
  }
}

TEST(AssertDeathTest, ChecksStopTheProgramWithAdvice) {
  ::testing::FLAGS_gtest_death_test_style = "threadsafe";
  int grain = 0;
  EXPECT_DEATH(PLIANT_CHECK(grain > 0, "give a grain above 0"), "'grain > 0' does not hold: give a grain above 0");
  PLIANT_CHECK(grain == 0, "never seen");
}

TEST(AssertDeathTest, AssertionsAreChecksInDebugBuildsAndNothingInRelease) {
  ::testing::FLAGS_gtest_death_test_style = "threadsafe";
  int evaluated = 0;
  PLIANT_ASSERT(++evaluated > 0, "never seen");
#if defined(PLIANT_DEBUG) || !defined(NDEBUG)
  EXPECT_EQ(evaluated, 1);
  EXPECT_DEATH(PLIANT_ASSERT(evaluated == 7, "count again"), "'evaluated == 7' does not hold: count again");
#else
  EXPECT_EQ(evaluated, 0);
  PLIANT_ASSERT(evaluated == 7, "not looked at");
#endif
}

}  // namespace
}  // namespace pliant
