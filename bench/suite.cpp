#include <algorithm>
#include <exception>

#include "benchmarks.h"

namespace pliant::bench {

namespace {

/// Rows print themselves; Google Benchmark's own table has no place for what is in them.
class SilentReporter : public benchmark::BenchmarkReporter {
 public:
  bool ReportContext(const Context&) override { return true; }
  void ReportRuns(const std::vector<Run>&) override {}
};

}  // namespace

void Suite::add(const std::string& name, int threads, int samples, std::function<void(benchmark::State&, Row&)> body) {
  if (!std::regex_search(name, filter_)) return;
  ++registered_;
  Row& row = report_.add(name, threads);
  const auto run = [this, &row, body = std::move(body)](benchmark::State& state) {
    try {
      body(state, row);
    } catch (const std::exception& e) {
      row.error = e.what();
      state.SkipWithError(row.error.c_str());
    }
    report_.print(row);
  };
  // Three samples are the fewest with a median.
  const int count = quick_ ? std::max(3, samples / 3) : samples;
  benchmark::RegisterBenchmark(name.c_str(), run)->UseManualTime()->Iterations(count);
}

void Suite::run() {
  SilentReporter reporter;
  benchmark::RunSpecifiedBenchmarks(&reporter, "all");
}

}  // namespace pliant::bench
