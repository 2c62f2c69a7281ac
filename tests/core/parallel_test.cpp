#include "core/parallel.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "core/allocation_counter.h"

namespace pliant {
namespace {

using testing_support::allocations;

const int kThreadCounts[] = {1, 2, 3, 8};

using Chunk = std::pair<int64_t, int64_t>;

std::vector<Chunk> chunks_of(JobSystem& jobs, int64_t count, int64_t grain) {
  std::mutex mutex;
  std::vector<Chunk> chunks;
  parallel_for(jobs, count, grain, [&](int64_t begin, int64_t end) {
    const std::lock_guard lock(mutex);
    chunks.emplace_back(begin, end);
  });
  std::sort(chunks.begin(), chunks.end());
  return chunks;
}

TEST(ParallelFor, CutsByCountAndGrainAlone) {
  for (const int threads : kThreadCounts) {
    const auto jobs = make_thread_pool(threads);
    EXPECT_EQ(chunks_of(*jobs, 10, 4), (std::vector<Chunk>{{0, 4}, {4, 8}, {8, 10}}));
    EXPECT_EQ(chunks_of(*jobs, 8, 4), (std::vector<Chunk>{{0, 4}, {4, 8}}));
    EXPECT_EQ(chunks_of(*jobs, 4, 4), (std::vector<Chunk>{{0, 4}}));
    EXPECT_EQ(chunks_of(*jobs, 1, 1000), (std::vector<Chunk>{{0, 1}}));
    EXPECT_TRUE(chunks_of(*jobs, 0, 4).empty());
    EXPECT_TRUE(chunks_of(*jobs, -5, 4).empty());
  }
}

TEST(ParallelFor, ReachesEveryElementOnce) {
  for (const int threads : kThreadCounts) {
    const auto jobs = make_thread_pool(threads);
    for (const int64_t count : {1, 63, 64, 65, 1000, 100003}) {
      for (const int64_t grain : {1, 7, 64, 4096}) {
        std::vector<int> visits(static_cast<std::size_t>(count), 0);
        parallel_for(*jobs, count, grain, [&](int64_t begin, int64_t end) {
          for (int64_t i = begin; i < end; ++i) ++visits[static_cast<std::size_t>(i)];
        });
        ASSERT_EQ(std::count(visits.begin(), visits.end(), 1), count) << threads << " threads, grain " << grain;
      }
    }
  }
}

/// Tells whether it was used, and how finely.
class CountingJobs final : public JobSystem {
 public:
  int threads() const override { return 1; }
  void run(int count, void (*task)(void*, int), void* context) override {
    tasks += count;
    if (call) {
      for (int i = 0; i < count; ++i) task(context, i);
    }
  }
  int64_t tasks = 0;
  bool call = true;
};

TEST(ParallelFor, OneChunkRunsInline) {
  CountingJobs jobs;
  int calls = 0;
  parallel_for(jobs, 100, 100, [&](int64_t begin, int64_t end) { calls += begin == 0 && end == 100 ? 1 : 0; });
  EXPECT_EQ(calls, 1);
  EXPECT_EQ(jobs.tasks, 0);
  parallel_for(jobs, 101, 100, [&](int64_t, int64_t) { ++calls; });
  EXPECT_EQ(calls, 3);
  EXPECT_EQ(jobs.tasks, 2);
}

TEST(ParallelFor, TakesRangesLargerThanAnInt) {
  CountingJobs jobs;
  jobs.call = false;  // nobody has time for 2^40 elements
  const int64_t count = int64_t{1} << 40;
  parallel_for(jobs, count, 1, [](int64_t, int64_t) {});
  EXPECT_EQ(jobs.tasks, int64_t{1} << 30);
  EXPECT_EQ(jobs.tasks, chunk_count(count, 1));
}

TEST(ParallelFor, PassesTheBodyByReference) {
  struct Body {
    Body() = default;
    Body(const Body&) = delete;
    void operator()(int64_t begin, int64_t end) { sum.fetch_add(end - begin); }
    std::atomic<int64_t> sum{0};
  } body;
  const auto jobs = make_thread_pool(2);
  parallel_for(*jobs, 1000, 10, body);
  EXPECT_EQ(body.sum.load(), 1000);
  const auto constant = [&](int64_t begin, int64_t end) { body.sum.fetch_add(end - begin); };
  parallel_for(*jobs, 1000, 10, constant);
  EXPECT_EQ(body.sum.load(), 2000);
}

TEST(ChunkCount, MatchesTheLoop) {
  EXPECT_EQ(chunk_count(0, 5), 0);
  EXPECT_EQ(chunk_count(-1, 5), 0);
  EXPECT_EQ(chunk_count(1, 5), 1);
  EXPECT_EQ(chunk_count(5, 5), 1);
  EXPECT_EQ(chunk_count(6, 5), 2);
  EXPECT_EQ(chunk_count(int64_t{1} << 60, 1), int64_t{1} << 30);
}

TEST(ChunkedSum, HasTheSameBitsForAnyNumberOfThreads) {
  std::vector<float> numbers(100003);
  for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = std::sin(static_cast<float>(i)) * 1e3f;
  const auto count = static_cast<int64_t>(numbers.size());
  std::vector<float> partials(static_cast<std::size_t>(chunk_count(count, 256)));
  const auto sum_of = [&](int64_t begin, int64_t end) {
    float sum = 0;
    for (int64_t i = begin; i < end; ++i) sum += numbers[static_cast<std::size_t>(i)];
    return sum;
  };
  float in_order = 0;
  for (int64_t begin = 0; begin < count; begin += 256) in_order += sum_of(begin, std::min(begin + 256, count));
  ASSERT_NE(in_order, sum_of(0, count)) << "a sum that rounds the same in any order proves nothing";
  for (const int threads : kThreadCounts) {
    const auto jobs = make_thread_pool(threads);
    for (int repeat = 0; repeat < 50; ++repeat) {
      ASSERT_EQ(chunked_sum(*jobs, count, 256, std::span<float>(partials), sum_of), in_order);
    }
  }
}

TEST(ChunkedReduce, CombinesInOrder) {
  const auto jobs = make_thread_pool(3);
  std::vector<std::string> partials(10);
  const std::string text = chunked_reduce(
      *jobs, 26, 3, std::span<std::string>(partials), std::string(">"),
      [](int64_t begin, int64_t end) {
        std::string letters;
        for (int64_t i = begin; i < end; ++i) letters += static_cast<char>('a' + i);
        return letters;
      },
      [](const std::string& a, const std::string& b) { return a + b; });
  EXPECT_EQ(text, ">abcdefghijklmnopqrstuvwxyz");
  EXPECT_EQ(chunked_sum(*jobs, 0, 3, std::span<int>(), [](int64_t, int64_t) { return 1; }), 0);
}

TEST(ChunkedReduceDeathTest, RefusesABufferThatIsTooSmall) {
  ::testing::FLAGS_gtest_death_test_style = "threadsafe";
  const auto jobs = make_thread_pool(1);
  std::vector<int> partials(2);
  EXPECT_DEATH(chunked_sum(*jobs, 7, 3, std::span<int>(partials), [](int64_t, int64_t) { return 1; }), "chunk_count");
}

TEST(ParallelLoops, AllocateNothing) {
  if (!testing_support::kCountsAllocations) GTEST_SKIP() << "nobody counts allocations in this build";
  const auto jobs = make_thread_pool(2);
  std::vector<double> partials(100);
  std::vector<double> numbers(10000, 1.0);
  const long before = allocations();
  double sum = 0;
  for (int repeat = 0; repeat < 100; ++repeat) {
    parallel_for(*jobs, 10000, 100, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) numbers[static_cast<std::size_t>(i)] *= 1.01;
    });
    sum += chunked_sum(*jobs, 10000, 100, std::span<double>(partials),
                       [&](int64_t begin, int64_t) { return numbers[static_cast<std::size_t>(begin)]; });
  }
  EXPECT_EQ(allocations(), before);
  EXPECT_GT(sum, 0);
  numbers.push_back(0);
  EXPECT_GT(allocations(), before) << "the counter counts";
}

}  // namespace
}  // namespace pliant
