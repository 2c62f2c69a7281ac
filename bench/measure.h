#pragma once
// Clocks and statistics. On a shared machine a wall clock measures the neighbours too, so a run on one thread is
// timed by the CPU time of that thread; a run on several threads has to be timed by the wall. Both sides of a ratio
// are measured in turn (engine, baseline, engine, baseline, ...), so that a change of clock frequency or load hits
// both, and medians are taken, so that a few disturbed samples do no harm.

#include <time.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <optional>
#include <vector>

namespace pliant::bench {

/// The middle of the values; the mean of the two middle ones of an even number. There must be at least one.
inline double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  if (values.size() % 2 == 1) return *middle;
  return 0.5 * (*middle + *std::max_element(values.begin(), middle));
}

/// CPU time of the calling thread [s].
inline double thread_cpu_seconds() {
  timespec t{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

/// How long something took [s].
struct Duration {
  double wall = 0;
  double cpu = 0;  // of the calling thread
  double by_threads(int threads) const { return threads == 1 ? cpu : wall; }
};

template <class F>
Duration time_of(F&& f) {
  const auto wall = std::chrono::steady_clock::now();
  const double cpu = thread_cpu_seconds();
  f();
  const double cpu_end = thread_cpu_seconds();
  return {std::chrono::duration<double>(std::chrono::steady_clock::now() - wall).count(), cpu_end - cpu};
}

/// One side of a comparison: `prepare` is not timed.
struct Contestant {
  std::function<void()> prepare;
  std::function<void()> run;
  Duration sample() const {
    prepare();
    return time_of(run);
  }
};

/// Medians over the samples [s], and of the ratios within each pair of samples.
struct Comparison {
  double seconds = 0;  // CPU time on one thread, wall on several
  double wall = 0;
  std::optional<double> baseline_seconds;
  std::optional<double> ratio;  // baseline / engine
};

/// Takes samples while keep_going() says so; the baseline may be missing.
inline Comparison compare_in_turn(const Contestant& engine, const Contestant* baseline, int threads,
                                  const std::function<bool()>& keep_going,
                                  const std::function<void(double)>& report_engine_seconds) {
  std::vector<double> seconds, wall, baseline_seconds, ratio;
  while (keep_going()) {
    const Duration e = engine.sample();
    report_engine_seconds(e.by_threads(threads));
    seconds.push_back(e.by_threads(threads));
    wall.push_back(e.wall);
    if (!baseline) continue;
    baseline_seconds.push_back(baseline->sample().by_threads(threads));
    ratio.push_back(baseline_seconds.back() / seconds.back());
  }
  Comparison out{median(seconds), median(wall), {}, {}};
  if (baseline) {
    out.baseline_seconds = median(baseline_seconds);
    out.ratio = median(ratio);
  }
  return out;
}

}  // namespace pliant::bench
