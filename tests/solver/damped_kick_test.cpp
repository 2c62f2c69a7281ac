// Rayleigh damping of elastic tets takes energy out, however strong it is and however little the substeps resolve.

#include "damped_kick.h"

namespace pliant::test {
namespace {

constexpr MaterialModel kModels[] = {MaterialModel::stvk, MaterialModel::neo_hookean, MaterialModel::neo_hookean_stable,
                                     MaterialModel::corotated};

TEST(DampedKick, OnlyTakesEnergy) {
  // 1e-1 s is 60 substeps. Multipliers are kept at kappa 0.5, where Neo-Hookean ones ended with 1e24 J.
  for (const MaterialModel model : kModels) {
    for (const double damping : {1e-3, 1e-2, 1e-1}) {
      for (const double kappa : {0.5, 2.0, 100.0, 1e4}) {
        expect_only_loss({.model = model, .kappa = kappa, .damping = damping, .kick = 1, .cells = 4, .steps = 30});
      }
    }
  }
}

TEST(DampedKick, OnlyTakesEnergyWhereItIsHeldAndTouchesItself) {
  for (const MaterialModel model : kModels) {
    expect_only_loss({.model = model, .kappa = 0.5, .damping = 1e-2, .kick = 1, .contact = true});
  }
}

}  // namespace
}  // namespace pliant::test
