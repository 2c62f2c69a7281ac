#pragma once
// The benchmarks, registered with Google Benchmark, which calls them; each fills in its row of the report.

#include <benchmark/benchmark.h>

#include <functional>
#include <regex>
#include <string>

#include "report.h"

namespace pliant::bench {

/// Registers benchmarks whose names match.
class Suite {
 public:
  Suite(Report& report, std::regex filter, bool quick) : report_(report), filter_(std::move(filter)), quick_(quick) {}

  /// `body` runs the loop of `state` and fills in the row. It may throw Error. `samples` in the long run, a third
  /// of it in the quick one.
  void add(const std::string& name, int threads, int samples, std::function<void(benchmark::State&, Row&)> body);
  int registered() const { return registered_; }
  /// Runs all that was added; rows are printed as they come.
  void run();

 private:
  Report& report_;
  std::regex filter_;
  bool quick_;
  int registered_ = 0;
};

void add_constraint_benchmarks(Suite& suite);  // one registered type each
void add_step_benchmarks(Suite& suite);        // whole steps of a cloth and of a beam
void add_scene_benchmarks(Suite& suite);       // solids, cloth and strands of the sizes that people ask for
void add_contact_benchmarks(Suite& suite);     // piles of soft bodies
void add_setup_benchmarks(Suite& suite);       // colouring and packing; stars
void add_mesh_benchmarks(Suite& suite);        // surfaces to tets; skins

}  // namespace pliant::bench
