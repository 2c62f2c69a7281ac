#pragma once
// Clocks and statistics. On a shared machine a wall clock measures the neighbours too, so a run on one thread is
// timed by the CPU time of that thread; a run on several threads has to be timed by the wall. Both sides of a ratio
// are measured in turn (engine, baseline, engine, baseline, ...), so that a change of clock frequency or load hits
// both, and medians are taken, so that a few disturbed samples do no harm. A virtual machine's processors are taken
// away at times, or are not as many as they seem (probe.h); a wall clock goes on meanwhile, so such samples do not
// count for runs on several threads.

#include <time.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <fstream>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "probe.h"

namespace pliant::bench {

/// The middle of the values; the mean of the two middle ones of an even number. There must be at least one.
inline double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  if (values.size() % 2 == 1) return *middle;
  return 0.5 * (*middle + *std::max_element(values.begin(), middle));
}

/// Median distance of the values from their median, as a part of it.
inline double relative_noise(std::vector<double> values) {
  const double middle = median(values);
  for (double& value : values) value = std::abs(value - middle);
  return median(std::move(values)) / middle;
}

/// CPU time of the calling thread [s].
inline double thread_cpu_seconds() {
  timespec t{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

/// Time that a hypervisor has taken from this machine's processors so far, in ticks of the system (10 ms as a rule);
/// zero where the system does not tell.
inline int64_t stolen_ticks() {
  // cpu  user nice system idle iowait irq softirq steal ...
  std::ifstream file("/proc/stat");
  std::string word;
  int64_t ticks = 0;
  for (int i = 0; i < 8; ++i) file >> word;
  return file >> ticks ? ticks : 0;
}

/// How long something took [s].
struct Duration {
  double wall = 0;
  double cpu = 0;           // of the calling thread
  bool undisturbed = true;  // no processor was taken away meanwhile
  double by_threads(int threads) const { return threads == 1 ? cpu : wall; }
};

/// `prepare` is not timed. What is asked of the system is asked before it: meanwhile threads that it has woken would
/// fall asleep again.
template <class Prepare, class F>
Duration time_of(Prepare&& prepare, F&& f) {
  const int64_t stolen = stolen_ticks();
  prepare();
  const auto wall = std::chrono::steady_clock::now();
  const double cpu = thread_cpu_seconds();
  f();
  const double cpu_end = thread_cpu_seconds();
  const auto wall_end = std::chrono::steady_clock::now();
  return {std::chrono::duration<double>(wall_end - wall).count(), cpu_end - cpu, stolen_ticks() == stolen};
}

template <class F>
Duration time_of(F&& f) {
  return time_of([] {}, f);
}

/// One side of a comparison: `prepare` is not timed.
struct Contestant {
  std::function<void()> prepare;
  std::function<void()> run;
  Duration sample() const { return time_of(prepare, run); }
};

/// Those who take part. Baseline and single may be missing.
struct Contestants {
  const Contestant* engine = nullptr;
  const Contestant* baseline = nullptr;  // the scalar implementation
  const Contestant* single = nullptr;    // the engine on one thread, beside one on several
};

/// By the fastest sample of each side, wherever it fell: what a busy machine does between its other guests.
struct Fastest {
  double seconds = 0;
  std::optional<double> ratio;     // baseline / engine
  std::optional<double> speed_up;  // single / engine
};

/// Medians over the samples [s], and of the ratios within each turn.
struct Comparison {
  double seconds = 0;  // CPU time on one thread, wall on several
  double wall = 0;
  double noise = 0;  // of `seconds`, relative: median distance from the median
  std::optional<double> baseline_seconds;
  std::optional<double> ratio;        // baseline / engine
  std::optional<double> ratio_noise;  // as `noise`
  std::optional<double> speed_up;     // single / engine, both by the wall
  std::optional<double> processors;   // several threads: what the machine gave in the turns that count, median
  Fastest fastest;                    // of all turns
};

/// Takes turns while keep_going() says so.
inline Comparison compare_in_turn(const Contestants& who, int threads, const std::function<bool()>& keep_going,
                                  const std::function<void(double)>& report_engine_seconds) {
  struct Turn {
    Duration engine, baseline, single;
    double processors = 0;  // that the machine gave all the while
    bool undisturbed(int threads) const {
      return engine.undisturbed && baseline.undisturbed && single.undisturbed &&
             (threads == 1 || Probe::enough(processors, threads));
    }
  };
  std::vector<Turn> turns;
  std::optional<Probe> probe;
  if (threads > 1) probe.emplace(threads);
  while (keep_going()) {
    Turn turn;
    Pace before, between, after;
    if (probe) before = probe->wait_for_processors();
    turn.engine = who.engine->sample();
    if (probe) between = after = probe->pace();
    if (who.single) turn.single = who.single->sample();
    if (probe && who.single) after = probe->pace();
    if (probe) turn.processors = Probe::processors({before, between, after}, threads);
    if (who.baseline) turn.baseline = who.baseline->sample();
    report_engine_seconds(turn.engine.by_threads(threads));
    turns.push_back(turn);
  }
  const auto least_of = [&](auto value) {
    double least = INFINITY;
    for (const Turn& turn : turns) least = std::min(least, value(turn));
    return least;
  };
  const auto engine_seconds = [&](const Turn& t) { return t.engine.by_threads(threads); };
  const auto baseline_seconds = [&](const Turn& t) { return t.baseline.by_threads(threads); };
  const auto engine_wall = [](const Turn& t) { return t.engine.wall; };
  Comparison out;
  out.fastest.seconds = least_of(engine_seconds);
  if (who.baseline) out.fastest.ratio = least_of(baseline_seconds) / out.fastest.seconds;
  if (who.single) {
    out.fastest.speed_up = least_of([](const Turn& t) { return t.single.wall; }) / least_of(engine_wall);
  }

  // With too few quiet turns the machine is busy anyway, and all count. CPU time does not contain what was stolen.
  constexpr std::ptrdiff_t kFewest = 3;
  const auto disturbed = [&](const Turn& turn) { return !turn.undisturbed(threads); };
  const auto quiet = static_cast<std::ptrdiff_t>(turns.size()) - std::ranges::count_if(turns, disturbed);
  if (threads > 1 && quiet >= kFewest) std::erase_if(turns, disturbed);

  const auto all_of = [&](auto value) {
    std::vector<double> values;
    for (const Turn& turn : turns) values.push_back(value(turn));
    return values;
  };
  const auto median_of = [&](auto value) { return median(all_of(value)); };
  out.seconds = median_of(engine_seconds);
  out.noise = relative_noise(all_of(engine_seconds));
  out.wall = median_of(engine_wall);
  if (who.baseline) {
    out.baseline_seconds = median_of(baseline_seconds);
    const auto ratio = [&](const Turn& t) { return baseline_seconds(t) / engine_seconds(t); };
    out.ratio = median_of(ratio);
    out.ratio_noise = relative_noise(all_of(ratio));
  }
  if (probe) out.processors = median_of([](const Turn& t) { return t.processors; });
  if (who.single) out.speed_up = median_of([](const Turn& t) { return t.single.wall / t.engine.wall; });
  return out;
}

}  // namespace pliant::bench
