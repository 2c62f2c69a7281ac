#pragma once
// What the benchmarks found: a table for people, JSON for programs.

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace pliant::bench {

/// One line of the table. What does not apply stays empty.
struct Row {
  std::string name;
  int threads = 1;
  std::optional<double> ns_per_constraint_iteration;
  std::optional<double> baseline_ns;     // the same of the baseline
  std::optional<double> baseline_ratio;  // baseline / engine: above 1 the engine is faster
  std::optional<double> speed_up;        // against one thread, by the wall clock
  std::optional<double> processors;      // that the machine gave to several threads meanwhile; see probe.h
  std::optional<double> fastest_ns;      // the first, third and fourth by the fastest samples alone; see measure.h
  std::optional<double> fastest_ratio;
  std::optional<double> fastest_speed_up;
  std::optional<double> ms_per_step;
  std::optional<double> wall_ms_per_step;
  std::optional<double> setup_ms;
  std::optional<double> noise;                         // of the times, relative; see measure.h
  std::optional<double> ratio_noise;                   // of the ratio to the baseline
  std::optional<double> memory_bytes;                  // of the world while it steps
  std::optional<double> peak_memory_bytes;             // while it was made
  std::optional<double> instructions;                  // per constraint and iteration, where the processor tells
  std::optional<double> peer_ns;                       // per constraint and iteration of another engine
  std::optional<double> peer_ratio;                    // peer / engine
  std::vector<std::pair<std::string, double>> stages;  // share of the step, by name
  std::vector<std::pair<std::string, double>> growth;  // time of a stage over that of half the scene, taken in turn
  std::optional<int64_t> constraints;
  std::optional<uint64_t> hash;  // of the state after a fixed amount of work
  std::string error;             // not empty: the benchmark failed
};

class Report {
 public:
  /// A row to be filled in; stays where it is.
  Row& add(const std::string& name, int threads);
  /// Prints a row (and before the first one the table's head).
  void print(const Row& row);
  /// What failed, one line each.
  std::string errors() const;
  /// Machine, build, and a list of objects, one per row.
  std::string json() const;
  const std::deque<Row>& rows() const { return rows_; }

 private:
  std::deque<Row> rows_;
  bool head_printed_ = false;
};

/// Processor, threads, load, compiler, flags, width: what the figures depend on.
std::string machine_facts();

}  // namespace pliant::bench
