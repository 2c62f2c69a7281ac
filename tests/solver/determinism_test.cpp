// Same bits for any number of threads, any SIMD width, after a snapshot, in another process: a few steps
// of the mixed scene. determinism_slow_test.cpp makes many.

#include "determinism.h"

#include "core/denormals.h"

namespace pliant::test {
namespace {

int few_steps() { return steps_for_build(6); }

TEST(Determinism, SceneHasWhatItIsMeantToHave) {
  World world = mixed_world();
  int64_t constraints = 0;
  std::vector<std::string> types;
  for (const ConstraintCount& count : world.constraint_counts()) {
    constraints += count.constraints;
    types.push_back(count.type);
  }
  EXPECT_GE(constraints, 20000);
  for (int k = 0; k < few_steps(); ++k) world.step();
  EXPECT_GT(world.contact_report().contacts, 0);
  EXPECT_GT(world.measures().contacts, 0);
  for (const ConstraintType& type : constraint_types()) {
    EXPECT_NE(std::find(types.begin(), types.end(), type.name), types.end()) << type.name << " is missing in the scene";
  }
  const uint64_t before = world.state_hash();
  world.step();
  EXPECT_NE(world.state_hash(), before);
}

TEST(Determinism, ThreadsDoNotMatter) { expect_threads_do_not_matter(few_steps()); }
TEST(Determinism, ThreadsDoNotMatterOfSecondOrder) { expect_threads_do_not_matter(few_steps(), Integrator::bdf2); }
TEST(Determinism, WidthsDoNotMatter) { expect_widths_do_not_matter(few_steps()); }
TEST(Determinism, WidthsDoNotMatterOfSecondOrder) { expect_widths_do_not_matter(few_steps(), Integrator::bdf2); }
TEST(Determinism, SnapshotsDoNotMatter) { expect_snapshots_do_not_matter(few_steps()); }
TEST(Determinism, SnapshotsDoNotMatterOfSecondOrder) { expect_snapshots_do_not_matter(few_steps(), Integrator::bdf2); }
TEST(Determinism, SecondProcessAgrees) { expect_second_process_agrees("PLIANT_TEST_PRINTS_HASH", few_steps()); }

TEST(Determinism, OneDigitMatters) {
  // The hash sees a change of one unit in the last place of one coordinate.
  World a = mixed_world(), b = mixed_world();
  std::vector<Vec3d> x = a.positions({0});
  EXPECT_EQ(a.state_hash(), b.state_hash());
  x[700].z += 1e-12;  // float: far below the base's last digit, kept by the offset
  b.set_positions({0}, x);
  EXPECT_NE(a.state_hash(), b.state_hash());
}

/// What the host does with denormal numbers on its own threads is neither seen nor changed.
TEST(Determinism, HostsDenormalsDoNotMatter) {
  uint64_t hashes[2];
  for (const bool flush : {false, true}) {
    const FlushDenormals host(flush);
    World world({.substeps = 4, .gravity = {0, -1e-37, 0}, .threads = 2});
    world.add(Cloth{.mesh = grid({1, 1}, {40, 40}), .density = 0.2});
    for (int i = 0; i < 5; ++i) world.step();
    EXPECT_EQ(FlushDenormals::on(), flush);
    hashes[flush] = world.state_hash();
  }
  EXPECT_EQ(hashes[0], hashes[1]);
}

}  // namespace
}  // namespace pliant::test
