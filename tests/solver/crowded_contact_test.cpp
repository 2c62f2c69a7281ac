// Contact of bodies that have blown up or lie in the same place: memory and time are bounded by the size of the scene.

#define PLIANT_COUNTED_ELSEWHERE
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "core/allocation_counter.h"
#include "pliant/world.h"

namespace pliant::test {
namespace {

using testing_support::forget_most_held;
using testing_support::held_bytes;
using testing_support::kCountsAllocations;
using testing_support::most_held_bytes;

/// Soft blocks in a row, 3 cm apart.
World blocks(int count, int cells, int threads = 1) {
  World world({.substeps = 4, .gravity = {}, .threads = threads, .contact = ContactOptions{}});
  for (int k = 0; k < count; ++k) {
    world.add(Solid{.mesh = box_tets({0.1, 0.1, 0.1}, {cells, cells, cells}),
                    .material = Material{.young = 1e4, .poisson = 0.3, .density = 1000},
                    .place = {.position = {0.13 * k, 0, 0}}});
  }
  return world;
}

int elements_of(const World& world) {
  int sum = 0;
  for (int b = 0; b < world.body_count(); ++b) sum += static_cast<int>(world.triangles({b}).size());
  return sum;
}

bool is_told(const World& world, Trouble::Kind kind) {
  int told = 0;
  for (const Trouble& t : world.troubles()) told += t.kind == kind;
  EXPECT_LE(told, 1) << "once is enough";
  return told > 0;
}

/// Steps, and sees to it that all stays finite and the memory below what BroadPhase::Budget allows: per element 512
/// pairs of 32 bytes that are due and 512 of 34 that are listed, in vectors that have grown to twice of it and are
/// copied while they grow, and as much for contacts.
void expect_bounded(World& world, int steps = 3) {
  constexpr long kBytesPerElement = 200000;
  const long before = held_bytes();
  forget_most_held();
  for (int k = 0; k < steps; ++k) world.step();
  if (kCountsAllocations) {
    EXPECT_LT(most_held_bytes() - before, kBytesPerElement * elements_of(world));
  }
  for (int b = 0; b < world.body_count(); ++b) {
    for (const Vec3d& x : world.positions({b})) ASSERT_TRUE(std::isfinite(x.x + x.y + x.z));
  }
}

/// Vertices anywhere in a box around the origin, of this size [m].
void scatter(World& world, double size) {
  std::mt19937_64 random(7);
  const auto anywhere = [&] { return size * (static_cast<double>(random() >> 11) * 0x1p-53 - 0.5); };
  for (int b = 0; b < world.body_count(); ++b) {
    std::vector<Vec3d> x = world.positions({b});
    for (Vec3d& p : x) p = {anywhere(), anywhere(), anywhere()};
    world.set_positions({b}, x);
  }
}

TEST(CrowdedContact, ScatteredVertices) {
  for (const double size : {0.3, 1e6}) {
    SCOPED_TRACE(size);
    World world = blocks(6, 4);
    scatter(world, size);
    expect_bounded(world);
    EXPECT_TRUE(is_told(world, Trouble::Kind::tangled_start));
  }
}

TEST(CrowdedContact, ManyBodiesInOnePlace) {
  World world = blocks(24, 2);
  for (int b = 1; b < world.body_count(); ++b) world.set_positions({b}, world.positions({0}));
  expect_bounded(world);
}

TEST(CrowdedContact, BodiesThatAreAPoint) {
  World world = blocks(4, 6);
  for (int b = 0; b < world.body_count(); ++b) {
    world.set_positions({b}, std::vector<Vec3d>(static_cast<std::size_t>(world.vertex_count({b}))));
  }
  expect_bounded(world);
}

TEST(CrowdedContact, AFewVerticesThatAreFarAway) {
  World world = blocks(4, 6);
  std::vector<Vec3d> x = world.positions({0});
  for (std::size_t i = 0; i < x.size(); i += 50) x[i] = x[i] * 1e7;
  world.set_positions({0}, x);
  expect_bounded(world);
}

TEST(CrowdedContact, OneBodyFarAwayDoesNotCrowdTheOthers) {
  // Places are rounded by their distance from the origin: of these bodies, not of the farthest.
  World world = blocks(5, 4);
  for (const double far : {-1e7, 1e7}) {  // so that the origin stays
    world.add(Solid{.mesh = box_tets({0.1, 0.1, 0.1}, {1, 1, 1}), .place = {.position = {far, 0, 0}}});
  }
  expect_bounded(world);
  EXPECT_FALSE(is_told(world, Trouble::Kind::crowded_contact));
  EXPECT_EQ(world.measures().contacts, 0);
}

TEST(CrowdedContact, IsTheSameForAnyNumberOfThreads) {
  uint64_t hash[2];
  for (int k = 0; k < 2; ++k) {
    World world = blocks(6, 4, k == 0 ? 1 : 4);
    scatter(world, 1);
    for (int step = 0; step < 2; ++step) world.step();
    hash[k] = world.state_hash();
  }
  EXPECT_EQ(hash[0], hash[1]);
}

}  // namespace
}  // namespace pliant::test
