// Nanoseconds per constraint and iteration of each registered type, on one thread, against the baseline where that
// has the type. A new type appears here by itself.

#include "benchmarks.h"
#include "constraints/registry.h"
#include "contest.h"

namespace pliant::bench {

void add_constraint_benchmarks(Suite& suite) {
  for (const TypeInfo* type : registered_types()) {
    if (type->parts > 1) continue;            // clusters are measured as what they consist of
    if (type->name == "tet_fiber") continue;  // comes with a material, never alone
    suite.add("constraint/" + type->name, 1, 15, [name = type->name](benchmark::State& state, Row& row) {
      // Every sample does the same work: from the same start.
      run_contest(state, scene_of_type(name),
                  {.threads = 1, .steps_before = 0, .steps_per_sample = 1, .from_start = true}, row);
      row.ms_per_step.reset();  // a step of 100 iterations means nothing to a reader
      row.wall_ms_per_step.reset();
    });
  }
}

}  // namespace pliant::bench
