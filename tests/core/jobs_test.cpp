#include "pliant/jobs.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>
#include <type_traits>
#include <vector>

#if defined(__linux__)
#include <pthread.h>
#include <sched.h>
#include <sys/resource.h>
#endif

#include "pliant/error.h"

#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
#define PLIANT_TEST_SANITIZED 1
#else
#define PLIANT_TEST_SANITIZED 0
#endif

namespace pliant {
namespace {

// Sanitizers and shared machines make every job slower; these tests are about order, not speed.
constexpr int kManyJobs = PLIANT_TEST_SANITIZED ? 10000 : 100000;

/// Calls f(i) for i in [0, count) as one job.
template <class F>
void run(JobSystem& jobs, int count, F&& f) {
  using Body = std::remove_reference_t<F>;
  jobs.run(
      count, [](void* body, int i) { (*static_cast<Body*>(body))(i); }, &f);
}

class Pool : public ::testing::TestWithParam<int> {
 protected:
  std::shared_ptr<JobSystem> jobs = make_thread_pool(GetParam());
};

TEST_P(Pool, HasTheThreadsThatWereAskedFor) { EXPECT_EQ(jobs->threads(), GetParam()); }

TEST_P(Pool, RunsEveryTaskOnce) {
  for (const int count : {0, 1, 2, 3, 7, 8, 9, 1000, 50000}) {
    std::vector<int> runs(static_cast<std::size_t>(count), 0);  // plain: a task run twice is a race as well
    run(*jobs, count, [&](int i) { ++runs[static_cast<std::size_t>(i)]; });
    for (int i = 0; i < count; ++i) ASSERT_EQ(runs[static_cast<std::size_t>(i)], 1) << "task " << i << " of " << count;
  }
}

TEST_P(Pool, ANegativeCountIsNoWork) {
  run(*jobs, -3, [](int) { FAIL(); });
}

TEST_P(Pool, WhatTasksWroteIsVisibleAfterwards) {
  // Plain memory, handed from job to job and to the caller: each job reads what the last one wrote.
  std::vector<int> a(64), b(64);
  for (int round = 0; round < 1000; ++round) {
    run(*jobs, 64, [&](int i) { b[static_cast<std::size_t>(i)] = a[static_cast<std::size_t>((i + 1) % 64)] + 1; });
    run(*jobs, 64, [&](int i) { a[static_cast<std::size_t>(i)] = b[static_cast<std::size_t>(i)]; });
  }
  for (const int value : a) ASSERT_EQ(value, 1000);
}

// A worker that comes late must not run an old task, nor take a task of the new job with the old
// context. Each job has a context of its own on a stack that the next job overwrites.
TEST_P(Pool, ManySmallJobsDoNotMixUp) {
  struct Context {
    int job;
    int wrong;
    int runs[4];
  };
  int bad = 0;
  for (int job = 0; job < kManyJobs; ++job) {
    Context context{job, 0, {0, 0, 0, 0}};
    const int count = 1 + job % 4;
    run(*jobs, count, [&context, job](int i) {
      if (context.job != job) ++context.wrong;
      ++context.runs[i];
    });
    bad += context.wrong;
    for (int i = 0; i < 4; ++i) bad += context.runs[i] == (i < count ? 1 : 0) ? 0 : 1;
    context.job = -1;
  }
  EXPECT_EQ(bad, 0);
}

TEST_P(Pool, WakesUpAfterEveryKindOfPause) {
  // Pauses around the time after which workers fall asleep.
  std::atomic<int> runs{0};
  int expected = 0;
  for (int round = 0; round < 300; ++round) {
    std::this_thread::sleep_for(std::chrono::microseconds(round % 3 == 0 ? 0 : 10 * (round % 12)));
    run(*jobs, 5, [&](int) { runs.fetch_add(1); });
    expected += 5;
    ASSERT_EQ(runs.load(), expected);
  }
}

TEST_P(Pool, LongTasksAreWaitedFor) {
  std::vector<int> done(16, 0);
  run(*jobs, 16, [&](int i) {
    if (i % 4 == 3) std::this_thread::sleep_for(std::chrono::milliseconds(5));
    done[static_cast<std::size_t>(i)] = 1;
  });
  EXPECT_EQ(done, std::vector<int>(16, 1));
}

TEST_P(Pool, AllThreadsTakePart) {
  // As many tasks as threads, each waiting for the others: ends only if they run at the same time.
  const int threads = jobs->threads();
  for (int round = 0; round < 20; ++round) {
    std::atomic<int> arrived{0};
    std::vector<std::thread::id> ids(static_cast<std::size_t>(threads));
    run(*jobs, threads, [&](int i) {
      ids[static_cast<std::size_t>(i)] = std::this_thread::get_id();
      arrived.fetch_add(1);
      while (arrived.load() < threads) std::this_thread::yield();
    });
    ASSERT_EQ(std::set<std::thread::id>(ids.begin(), ids.end()).size(), static_cast<std::size_t>(threads));
    if (round % 2 == 0) std::this_thread::sleep_for(std::chrono::milliseconds(1));  // let them fall asleep
  }
}

TEST_P(Pool, MayBeUsedFromOneThreadAfterAnother) {
  int sum = 0;
  for (int round = 0; round < 10; ++round) {
    std::thread user([&] {
      std::atomic<int> runs{0};
      run(*jobs, 100, [&](int) { runs.fetch_add(1); });
      sum += runs.load();
    });
    user.join();
  }
  EXPECT_EQ(sum, 1000);
}

INSTANTIATE_TEST_SUITE_P(Threads, Pool, ::testing::Values(1, 2, 3, 8));

TEST(ThreadPool, ZeroMeansOnePerCore) {
  EXPECT_EQ(make_thread_pool(0)->threads(), std::max(1, static_cast<int>(std::thread::hardware_concurrency())));
}

TEST(ThreadPool, RefusesImpossibleCounts) {
  EXPECT_THROW(make_thread_pool(-1), Error);
  EXPECT_THROW(make_thread_pool(100000), Error);
}

TEST(ThreadPool, EndsAtAnyTime) {
  for (int round = 0; round < 200; ++round) {
    const auto jobs = make_thread_pool(1 + round % 4);
    for (int job = 0; job < round % 3; ++job) run(*jobs, 4, [](int) {});
    if (round % 20 == 0) std::this_thread::sleep_for(std::chrono::milliseconds(1));  // workers asleep
  }
}

TEST(ThreadPool, SeveralPoolsLiveSideBySide) {
  const auto a = make_thread_pool(2);
  const auto b = make_thread_pool(2);
  std::atomic<int> runs{0};
  std::thread user([&] {
    for (int i = 0; i < 1000; ++i) run(*a, 3, [&](int) { runs.fetch_add(1); });
  });
  for (int i = 0; i < 1000; ++i) run(*b, 3, [&](int) { runs.fetch_add(1); });
  user.join();
  EXPECT_EQ(runs.load(), 6000);
}

TEST(ThreadPool, IdleWorkersSleep) {
  const auto jobs = make_thread_pool(4);
  run(*jobs, 16, [](int) {});
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  const std::clock_t before = std::clock();  // processor time of all threads
  std::this_thread::sleep_for(std::chrono::milliseconds(200));
  const double busy = double(std::clock() - before) / CLOCKS_PER_SEC;
  EXPECT_LT(busy, 0.05) << "of 0.2 s, that would be 0.6 s if the three workers span";
}

// Many more threads than cores must not be much slower than one: idle ones give their core away, then
// sleep. Measured on two cores with 16 threads: 1.0 to 1.5 times the time of one thread; without the
// yields 6 times, without yields and sleep 18 times. The best of several runs, since machines are shared.
TEST(ThreadPool, MoreThreadsThanCoresDoNotCollapse) {
  const auto best_seconds = [](int threads) {
    const auto jobs = make_thread_pool(threads);
    double best = 1e9;
    for (int repeat = 0; repeat < 5; ++repeat) {
      const auto start = std::chrono::steady_clock::now();
      for (int job = 0; job < 500; ++job) {
        run(*jobs, 16, [](int i) {
          volatile double work = i;
          for (int k = 0; k < 500; ++k) work = work * 1.0001 + 1;
        });
      }
      best = std::min(best, std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
    }
    return best;
  };
  const int many = std::min(128, 8 * std::max(1, static_cast<int>(std::thread::hardware_concurrency())));
  const double time_of_one = best_seconds(1);
  const double time_of_many = best_seconds(many);
  std::printf("16 tasks: %.1f us per job with 1 thread, %.1f with %d\n", time_of_one / 500 * 1e6,
              time_of_many / 500 * 1e6, many);
  EXPECT_LT(time_of_many, 4 * time_of_one);
}

// Jobs that come just when a worker falls asleep, and need it: a lost wake-up would never end.
TEST(ThreadPool, NoWakeUpIsLost) {
  const auto jobs = make_thread_pool(2);
  for (int round = 0; round < 1000; ++round) {
    const auto until = std::chrono::steady_clock::now() + std::chrono::microseconds(20 + round % 40);
    while (std::chrono::steady_clock::now() < until) {
    }
    std::atomic<int> arrived{0};
    run(*jobs, 2, [&](int) {
      arrived.fetch_add(1);
      while (arrived.load() < 2) std::this_thread::yield();
    });
  }
}

TEST(ThreadPoolDeathTest, NestedLoopsAreRefused) {
  ::testing::FLAGS_gtest_death_test_style = "threadsafe";
  for (const int threads : {1, 2}) {
    for (const int count : {1, 4}) {
      EXPECT_DEATH(
          {
            const auto jobs = make_thread_pool(threads);
            run(*jobs, count, [&](int) { run(*jobs, 2, [](int) {}); });
          },
          "one job at a time");
    }
  }
}

TEST(ThreadPoolDeathTest, ATaskThatThrowsEndsTheProgram) {
  ::testing::FLAGS_gtest_death_test_style = "threadsafe";
  const auto survive = [](int threads) {
    try {
      const auto jobs = make_thread_pool(threads);
      run(*jobs, 4, [](int) { throw std::runtime_error("from a task"); });
    } catch (const std::runtime_error&) {
      std::exit(0);
    }
  };
  EXPECT_DEATH(survive(1), "");
  EXPECT_DEATH(survive(2), "");
}

#if defined(__linux__) && !PLIANT_TEST_SANITIZED

[[noreturn]] void use_eight_threads_where_one_stack_fits() {
  long pages = 0;
  std::ifstream("/proc/self/statm") >> pages;
  rlimit limit{};
  limit.rlim_cur = static_cast<rlim_t>(pages) * 4096 + (12u << 20);  // one stack of 8 MB fits, two do not
  limit.rlim_max = RLIM_INFINITY;
  if (setrlimit(RLIMIT_AS, &limit) != 0) std::exit(3);
  const auto jobs = make_thread_pool(8);
  std::atomic<int> runs{0};
  run(*jobs, 100, [&](int) { runs.fetch_add(1); });
  std::exit(jobs->threads() < 8 && runs.load() == 100 ? 0 : 4);
}

TEST(ThreadPoolDeathTest, WorksWithFewerThreadsWhenTheSystemGivesNoMore) {
  ::testing::FLAGS_gtest_death_test_style = "threadsafe";
  EXPECT_EXIT(use_eight_threads_where_one_stack_fits(), ::testing::ExitedWithCode(0), "");
}

#endif

}  // namespace
#if defined(__linux__)
// A sleeper is woken on the processor of the one who wakes it, and waits there: workers must not be allowed on it.
TEST(ThreadPool, WorkersKeepOffTheCallersProcessor) {
  cpu_set_t allowed;
  ASSERT_EQ(pthread_getaffinity_np(pthread_self(), sizeof(allowed), &allowed), 0);
  if (CPU_COUNT(&allowed) < 2) GTEST_SKIP() << "one processor";
  const auto jobs = make_thread_pool(2);
  int seen = 0;
  for (int round = 0; round < 200 && seen < 5; ++round) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    struct Context {
      std::thread::id caller = std::this_thread::get_id();
      std::atomic<int> running{0};
      std::atomic<bool> worker_came{false};
      cpu_set_t workers{};
    } context;
    const int before = sched_getcpu();
    jobs->run(
        2,
        [](void* p, int) {
          Context& c = *static_cast<Context*>(p);
          if (std::this_thread::get_id() != c.caller) {
            pthread_getaffinity_np(pthread_self(), sizeof(c.workers), &c.workers);
            c.worker_came = true;
          }
          // Time for the other one to come, so that each takes a task.
          ++c.running;
          for (int i = 0; i < 1000 && c.running < 2; ++i) std::this_thread::sleep_for(std::chrono::microseconds(10));
        },
        &context);
    if (!context.worker_came || sched_getcpu() != before) continue;  // a caller that was moved proves nothing
    ++seen;
    EXPECT_FALSE(CPU_ISSET(static_cast<std::size_t>(before), &context.workers));
    EXPECT_EQ(CPU_COUNT(&context.workers), CPU_COUNT(&allowed) - 1);
  }
  EXPECT_GT(seen, 0);
}
#endif

}  // namespace pliant
