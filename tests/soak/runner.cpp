#include "runner.h"

#include <atomic>
#include <chrono>
#include <cstdio>
#include <exception>
#include <map>
#include <mutex>
#include <thread>
#include <vector>

#include <unistd.h>

namespace pliant::soak {

namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

/// One line on a terminal that is written over; on anything else a line once a minute.
class Progress {
 public:
  explicit Progress(int all) : all_(all) {}
  void show(int done, int failed) {
    const double now = seconds_since(start_);
    if (now - shown_ < (terminal_ ? 0.5 : 60)) return;
    shown_ = now;
    const double left = now / done * (all_ - done);
    std::fprintf(stderr, "%s%d of %d, %d failed, %.0f s, about %.0f s left%s", terminal_ ? "\r\033[K" : "", done, all_,
                 failed, now, left, terminal_ ? "" : "\n");
    std::fflush(stderr);
  }
  void clear() const {
    if (terminal_ && shown_ > 0) std::fprintf(stderr, "\r\033[K");
  }

 private:
  int all_;
  bool terminal_ = isatty(STDERR_FILENO) != 0;
  Clock::time_point start_ = Clock::now();
  double shown_ = 0;
};

Verdict judged(const std::function<Verdict(int)>& judge, int index) {
  try {
    return judge(index);
  } catch (const std::exception& error) {
    return {"refused", "error", error.what()};
  }
}

}  // namespace

int run_cases(const std::string& name, const Options& options, int count, const std::function<Verdict(int)>& judge) {
  if (options.only) {
    const Verdict v = judged(judge, *options.only);
    std::printf("%s\n%s\n", v.description.c_str(), v.symptom.empty() ? "passed" : ("failed: " + v.symptom).c_str());
    return v.symptom.empty() ? 0 : 1;
  }
  const auto start = Clock::now();
  std::mutex mutex;
  std::atomic<int> next{0};
  int done = 0, failed = 0;
  std::map<std::string, std::map<std::string, int>> counts;  // group -> symptom -> how often
  Progress progress(count);
  const auto work = [&] {
    for (int k = next++; k < count; k = next++) {
      const auto began = Clock::now();
      const Verdict v = judged(judge, k);
      const std::lock_guard lock(mutex);
      ++done;
      ++counts[v.group][v.symptom];
      if (!v.symptom.empty()) ++failed;
      if (!v.symptom.empty() || options.list) {
        progress.clear();
        std::printf("%s --seed %llu --case %d: %s: %s (%.1f s)\n", name.c_str(),
                    static_cast<unsigned long long>(options.seed), k, v.symptom.empty() ? "ok" : v.symptom.c_str(),
                    v.description.c_str(), seconds_since(began));
        std::fflush(stdout);
      }
      progress.show(done, failed);
    }
  };
  const int jobs =
      options.jobs > 0 ? options.jobs : static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
  std::vector<std::thread> threads;
  for (int j = 1; j < jobs; ++j) threads.emplace_back(work);
  work();
  for (std::thread& t : threads) t.join();
  progress.clear();

  for (const auto& [group, symptoms] : counts) {
    int all = 0;
    for (const auto& [symptom, n] : symptoms) all += n;
    std::printf("%-32s %4d cases", group.c_str(), all);
    for (const auto& [symptom, n] : symptoms) std::printf(", %d %s", n, symptom.empty() ? "passed" : symptom.c_str());
    std::printf("\n");
  }
  std::printf("%d passed, %d failed, %.0f s\n", count - failed, failed, seconds_since(start));
  return failed == 0 ? 0 : 1;
}

}  // namespace pliant::soak
