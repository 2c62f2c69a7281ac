#include <gtest/gtest.h>

#include <cmath>

#include "solver/plastic.h"

namespace pliant::test {
namespace {

const Plasticity kSoft{.yield = 0.02, .creep = 8, .max = 1};

TEST(Plasticity, IsStateThatSnapshotsAndRebuildsKeep) {
  for (PlasticModel model : {PlasticModel::additive, PlasticModel::multiplicative}) {
    Plasticity plasticity = kSoft;
    plasticity.model = model;
    TwistedBar bar(plastic_material(MaterialModel::stvk, plasticity), 5);
    bar.run(10);
    const std::vector<std::byte> early = bar.world.snapshot();
    bar.run(30);
    const uint64_t hash = bar.world.state_hash();
    bar.world.restore(early);
    EXPECT_NE(bar.world.state_hash(), hash);
    bar.run(30);
    EXPECT_EQ(bar.world.state_hash(), hash);

    // Letting go makes the engine build anew; what has flowed stays.
    bar.world.unpin(bar.bar, bar.turned);
    bar.run(60);
    EXPECT_GT(std::abs(bar.twist()), 20);
    // Back at the start there is none.
    bar.world.reset();
    bar.run(20);
    EXPECT_NEAR(bar.twist(), 0, 1e-3);
  }
}

TEST(Plasticity, DoesNotFlowBelowTheYieldLimit) {
  Plasticity plasticity = kSoft;
  plasticity.yield = 10;
  TwistedBar plastic(plastic_material(MaterialModel::neo_hookean, plasticity), 5);
  Material elastic_material = plastic_material(MaterialModel::neo_hookean, plasticity);
  elastic_material.plasticity.reset();
  TwistedBar elastic(elastic_material, 5);
  plastic.run(20);
  elastic.run(20);
  // Frames that flow are not turned to the masses: the same steps, rounded another way.
  const Vec3d off = plastic.world.positions(plastic.bar)[20] - elastic.world.positions(elastic.bar)[20];
  EXPECT_LT(length(off), 1e-6);
}

TEST(Plasticity, RefusesWhatItCannotDo) {
  const auto add = [](const Material& material) {
    World world;
    world.add(Solid{.mesh = box_tets({1, 1, 1}, {1, 1, 1}), .material = material});
  };
  EXPECT_THROW(add(plastic_material(MaterialModel::neo_hookean, {.model = PlasticModel::additive})), Error);
  EXPECT_THROW(add(plastic_material(MaterialModel::stvk, {.yield = -1})), Error);
  EXPECT_THROW(add(plastic_material(MaterialModel::stvk, {.creep = std::nan("")})), Error);
  EXPECT_THROW(add(plastic_material(MaterialModel::stvk, {.max = 0})), Error);
  Material energy = plastic_material(MaterialModel::stvk, {});
  energy.form = MaterialForm::pbd_energy;
  EXPECT_THROW(add(energy), Error);
}

}  // namespace
}  // namespace pliant::test
