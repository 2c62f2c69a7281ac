// The engine's own thread pool: fork-join over numbered tasks.
//
// One job runs at a time. Its caller works too; each of the other threads, the workers, joins in when
// it sees the job. The task numbers are cut into one section per thread. Whoever is inside takes the
// numbers of its own section, then helps with the others' (a counter per section): neighbouring tasks
// touch neighbouring memory, and over many loops of the same shape (the colours of a sweep) it stays in
// the cache of one core. With a single counter lines wandered between cores in every loop, and two
// threads took longer than one on a machine whose cores are far from each other.
//
//   caller   describe job, open ──> take tasks ... ──> close ──> wait until nobody is inside
//   worker   see it open, enter (+1 inside) ──> take tasks ... ──> leave (-1 inside)
//
// Opening, entering and closing are changes of one atomic word. A worker enters by a compare-exchange
// that fails unless the job is still open, and the caller does not touch the job's description before
// the last worker has left. So a worker that wakes up late, when its job is over or the next one is
// open, never runs an old task and never takes a number of the new job with the old function. The
// caller does not wait for workers that did not come: one that the system does not schedule costs
// nothing.
//
// Linux wakes a sleeping thread on the processor of the thread that wakes it, where it waits for that one to pause:
// after each pause between frames two threads then shared one processor for milliseconds, beside an idle one
// (measured: 1.0 times the speed of one thread, 1.9 without it). So workers are kept off the caller's processor.
//
// Rejected: counting the threads that reached the end of each job (a barrier). Each job then waits for
// every thread to be scheduled once, which on a machine with more threads than cores takes
// milliseconds.

#include "pliant/jobs.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

#if defined(__linux__)
#include <pthread.h>
#include <sched.h>
#endif

#include "core/aligned.h"
#include "core/assert.h"
#include "pliant/error.h"

namespace pliant {

namespace {

constexpr int kMostThreads = 1024;  // the state word has 16 bits for those inside; no machine needs more

/// Tells the core that this is a waiting loop: saves power and leaves a twin hyper-thread its share.
inline void pause_core() {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__) || defined(__arm__)
  asm volatile("yield");
#endif
}

/// Waits in a loop: first a few pauses (the answer of a running thread takes 0.1 us), then gives the
/// core away each time, so that with more threads than cores the one waited for gets to run.
class Spin {
 public:
  void wait_a_little() {
    if (rounds_ < kPauses) {
      ++rounds_;
      pause_core();
    } else {
      std::this_thread::yield();
    }
  }
  bool yields() const { return rounds_ >= kPauses; }

 private:
  static constexpr int kPauses = 100;  // 1 to 4 us: a pause takes 40 (Zen) to 140 cycles (Skylake)
  int rounds_ = 0;
};

/// How long an idle worker keeps yielding before it sleeps. Waking a sleeper costs the caller about
/// 5 us and the job's start about 50: between the jobs of one step (a few us apart) workers stay
/// awake, between frames (ms) they sleep.
constexpr std::chrono::microseconds kAwake{30};

/// Keeps workers off one processor, where the system lets a program say so and there are others for all of them.
class Elbowroom {
 public:
  /// For that many workers, which inherit the processors of the thread that calls this.
  explicit Elbowroom(int workers) {
#if defined(__linux__)
    usable_ =
        pthread_getaffinity_np(pthread_self(), sizeof(allowed_), &allowed_) == 0 && CPU_COUNT(&allowed_) > workers;
#else
    (void)workers;
#endif
  }

  /// Off the processor that the calling thread is on. Nearly always nothing has changed, which takes a few nanoseconds.
  void give(std::vector<std::thread>& workers) {
#if defined(__linux__)
    if (!usable_) return;
    const int here = sched_getcpu();
    if (here == avoided_ || here < 0) return;
    avoided_ = here;
    cpu_set_t others = allowed_;
    CPU_CLR(static_cast<std::size_t>(here), &others);
    for (std::thread& worker : workers) pthread_setaffinity_np(worker.native_handle(), sizeof(others), &others);
#else
    (void)workers;
#endif
  }

 private:
#if defined(__linux__)
  cpu_set_t allowed_{};
  bool usable_ = false;
  int avoided_ = -1;
#endif
};

class ThreadPool final : public JobSystem {
 public:
  explicit ThreadPool(int threads) : sections_(static_cast<std::size_t>(threads)), elbowroom_(threads - 1) {
#if !defined(__EMSCRIPTEN__) || defined(__EMSCRIPTEN_PTHREADS__)
    workers_.reserve(static_cast<std::size_t>(threads - 1));
    try {
      for (int i = 1; i < threads; ++i) workers_.emplace_back([this, i] { work(i); });
    } catch (const std::system_error&) {
      // The system gives no more threads (limits of a container): work with those that exist.
    }
#endif
  }

  ~ThreadPool() override {
    state_.fetch_or(kStop);
    { const std::lock_guard lock(mutex_); }  // see wake()
    wake_up_.notify_all();
    for (std::thread& worker : workers_) worker.join();
  }

  int threads() const override { return static_cast<int>(workers_.size()) + 1; }

  void run(int count, void (*task)(void* context, int i), void* context) override {
    PLIANT_CHECK(!busy_.exchange(true, std::memory_order_relaxed),
                 "one job at a time: do not start a parallel loop from inside of another, nor from two threads");
    run_alone(count, task, context);
    busy_.store(false, std::memory_order_relaxed);
  }

 private:
  // The state word: how many workers are inside, flags, and the job's number, which tells a worker
  // that it has seen this one. (It may wrap: a worker that slept through 2^32 jobs misses one.)
  static constexpr uint64_t kInside = 0xffff;
  static constexpr uint64_t kOpen = uint64_t{1} << 16;
  static constexpr uint64_t kStop = uint64_t{1} << 17;
  static constexpr uint64_t kOneJob = uint64_t{1} << 32;
  static uint32_t job_number(uint64_t state) { return static_cast<uint32_t>(state >> 32); }

  /// A task that throws ends the program (noexcept), on whichever thread it runs.
  void run_alone(int count, void (*task)(void* context, int i), void* context) noexcept {
    if (workers_.empty() || count <= 1) {
      for (int i = 0; i < count; ++i) task(context, i);
      return;
    }
    elbowroom_.give(workers_);
    // The job is closed and nobody is inside: only this thread reads and writes these.
    task_ = task;
    context_ = context;
    const auto sections = static_cast<int64_t>(sections_.size());
    for (int64_t s = 0; s < sections; ++s) {
      sections_[static_cast<std::size_t>(s)].next.store(count * s / sections, std::memory_order_relaxed);
      sections_[static_cast<std::size_t>(s)].end = count * (s + 1) / sections;
    }
    state_.store((state_.load(std::memory_order_relaxed) + kOneJob) | kOpen, std::memory_order_seq_cst);
    wake(count - 1);

    take_tasks(0);

    state_.fetch_and(~kOpen, std::memory_order_relaxed);
    // acquire: what the workers wrote before they left is visible here, and to our caller.
    for (Spin spin; (state_.load(std::memory_order_acquire) & kInside) != 0;) spin.wait_a_little();
  }

  void take_tasks(int thread) noexcept {
    const auto task = task_;
    void* const context = context_;
    const std::size_t sections = sections_.size();
    for (std::size_t s = 0; s < sections; ++s) {
      Section& section = sections_[(static_cast<std::size_t>(thread) + s) % sections];
      const int64_t end = section.end;
      // 64 bits: every thread takes one number past the end, and that may be the largest int.
      for (int64_t i; (i = section.next.fetch_add(1, std::memory_order_relaxed)) < end;) {
        task(context, static_cast<int>(i));
      }
    }
  }

  /// Wakes as many sleepers as the job can use beside the workers that are awake.
  void wake(int useful) {
    // Pairs with sleep(): it counts itself a sleeper, then looks at state_; we wrote state_, then look
    // at the sleepers. Both in the one order of all seq_cst operations, so one of us sees the other.
    const int sleepers = sleepers_.load(std::memory_order_seq_cst);
    if (sleepers == 0) return;
    const int workers = static_cast<int>(workers_.size());
    const int wanted = std::min(useful, workers) - (workers - sleepers);
    if (wanted <= 0) return;
    // A worker that looked at state_ too early holds the mutex until it waits: once we had the mutex,
    // the notification reaches it.
    { const std::lock_guard lock(mutex_); }
    if (wanted >= sleepers) {
      wake_up_.notify_all();
    } else {
      for (int i = 0; i < wanted; ++i) wake_up_.notify_one();
    }
  }

  static bool is_news(uint64_t state, uint32_t seen) { return job_number(state) != seen || (state & kStop) != 0; }

  void sleep(uint32_t seen) {
    std::unique_lock lock(mutex_);
    sleepers_.fetch_add(1, std::memory_order_seq_cst);
    wake_up_.wait(lock, [&] { return is_news(state_.load(std::memory_order_seq_cst), seen); });
    sleepers_.fetch_sub(1, std::memory_order_seq_cst);
  }

  /// Until there is a job with another number than `seen`, or the end: spin, yield, sleep.
  uint64_t wait_for_news(uint32_t seen) {
    using Clock = std::chrono::steady_clock;
    Clock::time_point asleep_at{};
    for (Spin spin;;) {
      const uint64_t state = state_.load(std::memory_order_relaxed);
      if (is_news(state, seen)) return state;
      if (spin.yields()) {
        const Clock::time_point now = Clock::now();
        if (asleep_at == Clock::time_point{}) asleep_at = now + kAwake;
        if (now >= asleep_at) sleep(seen);
      }
      spin.wait_a_little();
    }
  }

  /// What a worker does all its life.
  void work(int thread) {
    for (uint32_t seen = 0;;) {
      uint64_t state = wait_for_news(seen);
      if ((state & kStop) != 0) return;
      seen = job_number(state);
      // Enter, unless the job is over meanwhile. acquire: the job's description.
      while ((state & kOpen) != 0 && job_number(state) == seen) {
        if (!state_.compare_exchange_weak(state, state + 1, std::memory_order_acquire, std::memory_order_relaxed)) {
          continue;
        }
        take_tasks(thread);
        state_.fetch_sub(1, std::memory_order_release);
        break;
      }
    }
  }

  /// The tasks that one thread does first.
  struct alignas(kCacheLine) Section {
    std::atomic<int64_t> next{0};
    int64_t end = 0;
  };

  // Each on its own cache line: what everybody polls, what those inside fight for, and what is read once per job.
  alignas(kCacheLine) std::atomic<uint64_t> state_{0};
  std::vector<Section> sections_;
  alignas(kCacheLine) void (*task_)(void*, int) = nullptr;
  void* context_ = nullptr;
  std::atomic<bool> busy_{false};
  Elbowroom elbowroom_;

  std::atomic<int> sleepers_{0};
  std::mutex mutex_;
  std::condition_variable wake_up_;
  std::vector<std::thread> workers_;
};

}  // namespace

std::shared_ptr<JobSystem> make_thread_pool(int threads) {
  if (threads < 0 || threads > kMostThreads) {
    throw Error("threads", std::to_string(threads) + " is outside of 0.." + std::to_string(kMostThreads),
                "use 0 for one per core");
  }
  if (threads == 0) threads = std::clamp(static_cast<int>(std::thread::hardware_concurrency()), 1, kMostThreads);
  return std::make_shared<ThreadPool>(threads);
}

}  // namespace pliant
