#pragma once
// Engine against baseline on one scene.

#include <benchmark/benchmark.h>

#include "report.h"
#include "scene.h"

namespace pliant::bench {

struct ContestSettings {
  int threads = 1;
  int steps_before = 0;      // steps that both do before the first sample; the hash is taken after them, or after one
                             // step where there are none
  int unmeasured_steps = 0;  // of the engine, before each sample: others have used caches and threads meanwhile
  int steps_per_sample = 1;
  bool stage_shares = false;  // tell how the step is divided
  bool memory = false;        // measure what the world takes
  bool from_start = false;    // every sample starts from there; otherwise each goes on where the last one ended
};

/// Times single steps of the scene and fills in all columns but the set-up's. Throws Error when particles had to be
/// held (the figures would be those of a broken scene) or the state depends on the number of threads.
void run_contest(benchmark::State& state, const Scene& scene, const ContestSettings& settings, Row& row);

}  // namespace pliant::bench
