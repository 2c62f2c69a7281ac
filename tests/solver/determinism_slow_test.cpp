// 60 steps of the mixed scene, about 20000 constraints: same bits however it is run.

#include "determinism.h"

namespace pliant::test {
namespace {

int many_steps() { return steps_for_build(60); }

TEST(LongDeterminism, ThreadsDoNotMatter) { expect_threads_do_not_matter(many_steps()); }
TEST(LongDeterminism, WidthsDoNotMatter) { expect_widths_do_not_matter(many_steps()); }
TEST(LongDeterminism, SnapshotsDoNotMatter) { expect_snapshots_do_not_matter(many_steps()); }
TEST(LongDeterminism, SecondProcessAgrees) {
  expect_second_process_agrees("PLIANT_TEST_PRINTS_LONG_HASH", many_steps());
}

}  // namespace
}  // namespace pliant::test
