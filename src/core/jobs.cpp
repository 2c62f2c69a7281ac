// The engine's own thread pool: fork-join over numbered tasks.
//
// One job runs at a time. Its caller works too; each of the other threads, the workers, joins in when
// it sees the job. The task numbers are cut into one section per thread. Whoever joins takes the
// numbers of its own section, then helps with the others' (a counter per section): neighbouring tasks
// touch neighbouring memory, and over many loops of the same shape (the colours of a sweep) it stays in
// the cache of one core. With a single counter lines wandered between cores in every loop, and two
// threads took longer than one on a machine whose cores are far from each other.
//
//   caller   describe job, give it a number ──> take tasks ... ──> wait until all tasks are done
//   worker   see a new number, read the description ──> take tasks ... ──> add to the count of done ones
//
// Between cores a line of memory takes 0.1 to 0.3 us, and how many times it has to wander one after another is what a
// job costs. So the description stands in the same line as the number that workers look at, and nobody says that he
// comes or goes: a task is taken by changing its section's counter, which carries the number of the job it belongs to.
// A worker that is late, when its job is over or the next one begun, finds nothing to take: tasks of its job are all
// taken, and a counter that has gone on carries another number. It cannot have read half of one description and half of
// the next, since it looks at the job's number before and after. The caller waits for tasks, not for workers: one that
// the system does not schedule costs nothing. (Before, workers counted themselves in and out, and the caller laid out
// the sections: 1.6 to 2.5 us per job of two threads on an EPYC, 0.7 to 1.2 us now.)
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
  // The state word: flags, and the job's number, which tells a worker that it has seen this one. (It may wrap: a worker
  // that slept through 2^32 jobs misses one.)
  static constexpr uint64_t kStop = 1;
  static constexpr uint64_t kChanging = 2;  // the description is that of no job
  static constexpr uint64_t kOneJob = uint64_t{1} << 32;
  static uint32_t job_number(uint64_t state) { return static_cast<uint32_t>(state >> 32); }

  struct Job {
    uint64_t state = 0;
    int count = 0;
    void (*task)(void*, int) = nullptr;
    void* context = nullptr;
  };

  /// A task that throws ends the program (noexcept), on whichever thread it runs.
  void run_alone(int count, void (*task)(void* context, int i), void* context) noexcept {
    if (workers_.empty() || count <= 1) {
      for (int i = 0; i < count; ++i) task(context, i);
      return;
    }
    elbowroom_.give(workers_);
    const uint64_t before = state_.load(std::memory_order_relaxed);
    state_.store(before | kChanging, std::memory_order_relaxed);
    // release: who sees one of these sees that they change, or what comes after.
    task_.store(task, std::memory_order_release);
    context_.store(context, std::memory_order_release);
    count_.store(count, std::memory_order_release);
    const uint64_t now = before + kOneJob;
    state_.store(now, std::memory_order_seq_cst);
    wake(count - 1);

    const Job job{now, count, task, context};
    int own = 0;
    each_section(0, [&](int s) { own += take_tasks(s, job); });
    done_before_ += count - own;
    // acquire: what the workers did before they counted is visible here, and to our caller.
    for (Spin spin; done_.load(std::memory_order_acquire) != done_before_;) spin.wait_a_little();
  }

  /// The thread's own first.
  template <class F>
  void each_section(int thread, F&& f) {
    const auto sections = static_cast<int>(sections_.size());
    for (int k = 0; k < sections; ++k) f(thread + k < sections ? thread + k : thread + k - sections);
  }

  /// Takes and does the tasks that are left of a section. How many that were.
  int take_tasks(int s, const Job& job) noexcept {
    const auto sections = static_cast<int64_t>(sections_.size());
    const auto begin = static_cast<uint32_t>(job.count * int64_t{s} / sections);
    const auto end = static_cast<uint32_t>(job.count * (int64_t{s} + 1) / sections);
    if (begin == end) return 0;
    std::atomic<uint64_t>& next = sections_[static_cast<std::size_t>(s)].next;
    int done = 0;
    for (uint64_t seen = next.load(std::memory_order_acquire);;) {
      uint32_t i = static_cast<uint32_t>(seen);
      if (job_number(seen) != job_number(job.state)) {
        // Nobody has taken any yet, or the job is over. It cannot be over without this counter having changed, so that
        // the exchange below fails if it ends now; and who has changed it for the next job had seen that one's state,
        // and so do we (acquire and release).
        if (state_.load(std::memory_order_relaxed) != job.state) return done;
        i = begin;
      }
      if (i >= end) return done;
      const uint64_t taken = (job.state & ~(kOneJob - 1)) | (i + 1);
      if (!next.compare_exchange_weak(seen, taken, std::memory_order_acq_rel, std::memory_order_acquire)) continue;
      job.task(job.context, static_cast<int>(i));
      ++done;
      seen = next.load(std::memory_order_acquire);
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

  static bool is_news(uint64_t state, uint32_t seen) {
    return (job_number(state) != seen && (state & kChanging) == 0) || (state & kStop) != 0;
  }

  void sleep(uint32_t seen) {
    std::unique_lock lock(mutex_);
    sleepers_.fetch_add(1, std::memory_order_seq_cst);
    wake_up_.wait(lock, [&] { return is_news(state_.load(std::memory_order_seq_cst), seen); });
    sleepers_.fetch_sub(1, std::memory_order_seq_cst);
  }

  /// Until there is a job with another number than `seen`, or the end: spin, yield, sleep.
  void wait_for_news(uint32_t seen) {
    using Clock = std::chrono::steady_clock;
    Clock::time_point asleep_at{};
    for (Spin spin;;) {
      const uint64_t state = state_.load(std::memory_order_relaxed);
      if (is_news(state, seen)) return;
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
      // acquire: what the caller did before the job.
      wait_for_news(seen);
      const uint64_t state = state_.load(std::memory_order_acquire);
      if ((state & kStop) != 0) return;
      if ((state & kChanging) != 0) continue;
      seen = job_number(state);
      // acquire: the look at the state below comes after these.
      const Job job{state, count_.load(std::memory_order_acquire), task_.load(std::memory_order_acquire),
                    context_.load(std::memory_order_acquire)};
      if (state_.load(std::memory_order_relaxed) != state) continue;  // over meanwhile
      each_section(thread, [&](int s) {
        if (const int done = take_tasks(s, job); done > 0) done_.fetch_add(done, std::memory_order_release);
      });
    }
  }

  /// The tasks that one thread takes first: the job's number, and the next task of it.
  struct alignas(kCacheLine) Section {
    std::atomic<uint64_t> next{0};
  };

  // In one line: what everybody polls, and what is read once per job. In lines of their own: what is counted.
  alignas(kCacheLine) std::atomic<uint64_t> state_{0};
  std::atomic<void (*)(void*, int)> task_{nullptr};
  std::atomic<void*> context_{nullptr};
  std::atomic<int> count_{0};
  alignas(kCacheLine) std::atomic<int64_t> done_{0};  // tasks that workers have done, ever
  alignas(kCacheLine) int64_t done_before_ = 0;       // and are to have done when the last job is over: the caller's
  std::vector<Section> sections_;
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
