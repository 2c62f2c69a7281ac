// The table of damped_kick_test.cpp with more rows: kicks that are small and huge, more of Poisson's ratio.

#include "damped_kick.h"

namespace pliant::test {
namespace {

TEST(DampedKick, OnlyTakesEnergyFromAnyKick) {
  for (const MaterialModel model :
       {MaterialModel::stvk, MaterialModel::neo_hookean, MaterialModel::neo_hookean_stable, MaterialModel::corotated}) {
    for (const double poisson : {0.0, 0.3, 0.45}) {
      for (const double kick : {0.01, 0.1, 1.0}) {
        for (const double damping : {1e-3, 1e-2, 1e-1}) {
          for (const double kappa : {0.1, 0.5, 1.0, 2.0, 10.0, 1e2, 1e3, 1e4}) {
            expect_only_loss({.model = model,
                              .kappa = kappa,
                              .damping = damping,
                              .kick = kick,
                              .poisson = poisson,
                              .cells = 4,
                              .steps = 30});
          }
        }
      }
    }
  }
}

}  // namespace
}  // namespace pliant::test
