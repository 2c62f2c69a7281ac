#include "probe.h"

#include <algorithm>
#include <chrono>
#include <thread>
#include <vector>

#include "core/parallel.h"
#include "math/simd.h"

namespace pliant::bench {

namespace {

using Clock = std::chrono::steady_clock;

/// Keeps the arithmetic units of a core busy for about 400 us: ten chains, more than their latency times their number.
/// Nothing of it touches memory, so that it tells of processors and not of caches.
float exercise(float seed) {
  using V = Pack<float, 8>;
  V chain[10];
  for (int c = 0; c < 10; ++c) chain[c] = V(seed + static_cast<float>(c));
  const V a(0.999f), b(0.001f);
  for (int i = 0; i < 300'000; ++i) {
    for (V& x : chain) x = mul_add(x, a, b);
  }
  float sum = 0;
  for (const V& x : chain) sum += lane(x, 0);
  return sum;
}

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

}  // namespace

struct Probe::Impl {
  std::shared_ptr<JobSystem> jobs;
  std::vector<float> results;  // so that nothing is optimised away
};

Probe::Probe(int threads) : impl_(std::make_unique<Impl>()) {
  impl_->jobs = make_thread_pool(threads);
  impl_->results.assign(static_cast<std::size_t>(threads), 1.0f);
}
Probe::~Probe() = default;

Pace Probe::pace() {
  const auto threads = static_cast<int64_t>(impl_->results.size());
  const auto all = [&] {
    parallel_for(*impl_->jobs, threads, 1,
                 [&](int64_t i, int64_t) { impl_->results[i] = exercise(impl_->results[i]); });
  };
  all();  // wakes them
  // The shorter of two: one interruption is no neighbour.
  Pace out{1e9, 1e9};
  for (int k = 0; k < 2; ++k) {
    Clock::time_point start = Clock::now();
    impl_->results[0] = exercise(impl_->results[0]);
    out.alone = std::min(out.alone, seconds_since(start));
    start = Clock::now();
    all();
    out.together = std::min(out.together, seconds_since(start));
  }
  return out;
}

double Probe::processors(std::initializer_list<Pace> paces, int threads) {
  double fastest = 1e9, slowest = 0;
  for (const Pace& p : paces) {
    fastest = std::min({fastest, p.alone, p.together});
    slowest = std::max({slowest, p.alone, p.together});
  }
  return threads * fastest / slowest;
}

Pace Probe::wait_for_processors() {
  const auto threads = static_cast<int>(impl_->results.size());
  Pace found = pace();
  for (int tries = 0; tries < 40 && !enough(processors({found}, threads), threads); ++tries) {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    found = pace();
  }
  return found;
}

}  // namespace pliant::bench
