// A bar is twisted by a quarter of a turn and let go: what stays.                          bender14 6, fig. 8

#include <gtest/gtest.h>

#include <cmath>

#include "solver/plastic.h"

namespace pliant::test {
namespace {

struct Outcome {
  double twist;   // [degrees]
  double volume;  // relative change
};

Outcome twist_and_release(MaterialModel model, const Plasticity& plasticity) {
  TwistedBar bar(plastic_material(model, plasticity), 8);
  const double before = bar.world.measures().volume;
  bar.run(90);
  bar.world.unpin(bar.bar, bar.turned);
  bar.run(180);
  EXPECT_TRUE(bar.world.troubles().empty());
  return {bar.twist(), bar.world.measures().volume / before - 1};
}

void expect_flow_as_set(MaterialModel model, PlasticModel plastic) {
  const auto outcome = [&](double yield, double creep, double max) {
    const Outcome out = twist_and_release(model, {plastic, yield, creep, max});
    EXPECT_LT(std::abs(out.volume), 0.01);
    return out.twist;
  };
  const double slow = outcome(0.02, 0.5, 1), medium = outcome(0.02, 2, 1);
  EXPECT_GT(slow, 10);
  EXPECT_GT(medium, slow + 10);  // it grows with creep
  EXPECT_LT(medium, 90);
  EXPECT_LT(outcome(0.1, 2, 1), medium - 10);      // it falls with yield
  EXPECT_LT(outcome(0.02, 2, 0.04), medium - 10);  // it is limited by max
  EXPECT_NEAR(outcome(1, 2, 1), 0, 2);             // and an elastic one turns back
}

TEST(TwistedBar, Additive) { expect_flow_as_set(MaterialModel::stvk, PlasticModel::additive); }
TEST(TwistedBar, Multiplicative) { expect_flow_as_set(MaterialModel::neo_hookean, PlasticModel::multiplicative); }

}  // namespace
}  // namespace pliant::test
