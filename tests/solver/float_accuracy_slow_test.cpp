// Rest states in float32 against float64 at many substeps per frame, where a substep's motion under
// gravity is 3e-7 m (100 substeps) and 2e-8 m (400).

#include "float_accuracy.h"

#include "build_kind.h"

namespace pliant::test {
namespace {

void check(int substeps, bool keep_multipliers) {
  if (kSanitized) GTEST_SKIP() << "arithmetic only, and slow there";
  expect_float_equals_double_at_rest(substeps, keep_multipliers);
}

TEST(FloatAccuracySlow, OfALatticeWith100Substeps) { check(100, false); }
TEST(FloatAccuracySlow, OfALatticeWith400Substeps) { check(400, false); }
TEST(FloatAccuracySlow, OfALatticeThatKeepsItsMultipliers) { check(100, true); }

}  // namespace
}  // namespace pliant::test
