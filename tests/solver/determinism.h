#pragma once
// The same scene in many ways, which must all give the same bits. Used by the short and the long test.

#include <gtest/gtest.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "build_kind.h"
#include "mixed_scene.h"

namespace pliant::test {

inline uint64_t hash_after(World world, int steps) {
  for (int k = 0; k < steps; ++k) world.step();
  // Contact tells of roots of hair that stand in the surface they grow from, and of bodies that are flung about.
  for (const Trouble& t : world.troubles()) EXPECT_NE(t.kind, Trouble::Kind::non_finite) << t.message;
  return world.state_hash();
}

inline void expect_threads_do_not_matter(int steps, Integrator integrator = Integrator::euler) {
  WorldOptions options = mixed_options(integrator);
  const uint64_t one = hash_after(mixed_world(options), steps);
  for (int threads : {2, 3, 8}) {
    options.threads = threads;
    EXPECT_EQ(hash_after(mixed_world(options), steps), one) << threads << " threads";
  }
}

inline void expect_widths_do_not_matter(int steps, Integrator integrator = Integrator::euler) {
#ifndef PLIANT_ALL_WIDTHS
  GTEST_SKIP() << "this build has one width only";
#endif
  WorldOptions options = mixed_options(integrator);
  options.threads = 2;
  const uint64_t standard = hash_after(mixed_world(options), steps);
  EXPECT_GE(compiled_widths().size(), 4u);
  for (int width : compiled_widths()) {
    options.simd_width = width;
    EXPECT_EQ(hash_after(mixed_world(options), steps), standard) << width << " lanes";
  }
}

inline void expect_snapshots_do_not_matter(int steps, Integrator integrator = Integrator::euler) {
  World through = mixed_world(mixed_options(integrator));
  for (int k = 0; k < steps / 2; ++k) through.step();
  const std::vector<std::byte> half = through.snapshot();
  for (int k = steps / 2; k < steps; ++k) through.step();

  World resumed = mixed_world(mixed_options(integrator));
  resumed.restore(half);
  EXPECT_EQ(resumed.steps(), steps / 2);
  for (int k = steps / 2; k < steps; ++k) resumed.step();
  EXPECT_EQ(resumed.state_hash(), through.state_hash());
  EXPECT_EQ(resumed.time(), through.time());
}

/// Runs this program once more, for the running test alone, with `variable` set in its environment: that
/// one prints the hash of its run, and this one compares. To be called from a TEST of its own.
inline void expect_second_process_agrees(const char* variable, int steps) {
  const uint64_t hash = hash_after(mixed_world(), steps);
  if (std::getenv(variable) != nullptr) {
    std::printf("state_hash=%016llx\n", static_cast<unsigned long long>(hash));
    return;
  }
  const testing::TestInfo& test = *testing::UnitTest::GetInstance()->current_test_info();
  std::array<char, 4096> self{};
  std::FILE* link = popen("readlink /proc/$PPID/exe", "r");
  ASSERT_NE(link, nullptr);
  ASSERT_NE(std::fgets(self.data(), self.size(), link), nullptr);
  pclose(link);
  std::string program(self.data());
  program.erase(program.find_last_not_of('\n') + 1);
  const std::string command = std::string(variable) + "=1 '" + program + "' --gtest_filter=" + test.test_suite_name() +
                              "." + test.name() + " 2>&1";
  std::FILE* other = popen(command.c_str(), "r");
  ASSERT_NE(other, nullptr);
  std::string output;
  for (std::array<char, 256> line{}; std::fgets(line.data(), line.size(), other) != nullptr;) output += line.data();
  EXPECT_EQ(pclose(other), 0) << output;
  std::array<char, 64> expected{};
  std::snprintf(expected.data(), expected.size(), "state_hash=%016llx\n", static_cast<unsigned long long>(hash));
  EXPECT_NE(output.find(expected.data()), std::string::npos) << "expected " << expected.data() << "in\n" << output;
}

}  // namespace pliant::test
