#include "core/denormals.h"

#include <gtest/gtest.h>

#include <atomic>
#include <limits>

#include "core/parallel.h"

namespace pliant {
namespace {

/// Half of the smallest normal number, at run time.
float half_of_smallest() {
  volatile float smallest = std::numeric_limits<float>::min(), half = 0.5f;
  return smallest * half;
}

#if defined(__x86_64__) || defined(__aarch64__)
constexpr bool kKnown = true;
#else
constexpr bool kKnown = false;
#endif

TEST(Denormals, AreZeroAsLongAsOneWants) {
  const bool before = FlushDenormals::on();
  {
    const FlushDenormals flush;
    EXPECT_EQ(FlushDenormals::on(), kKnown);
    EXPECT_EQ(half_of_smallest() == 0.0f, kKnown);
    {
      const FlushDenormals none(false);
      EXPECT_GT(half_of_smallest(), 0.0f);
    }
    EXPECT_EQ(half_of_smallest() == 0.0f, kKnown);
  }
  EXPECT_EQ(FlushDenormals::on(), before);
  EXPECT_GT(half_of_smallest(), 0.0f);
}

TEST(Denormals, LoopsDoAsTheirCaller) {
  const std::shared_ptr<JobSystem> jobs = make_thread_pool(3);
  for (const bool wanted : {true, false, true}) {
    const FlushDenormals flush(wanted);
    std::atomic<int> zeros{0};
    parallel_for(*jobs, 1000, 1, [&](int64_t, int64_t) { zeros += half_of_smallest() == 0.0f; });
    EXPECT_EQ(zeros, wanted && kKnown ? 1000 : 0);
  }
}

}  // namespace
}  // namespace pliant
