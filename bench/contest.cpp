#include "contest.h"

#include <algorithm>

#include "counters.h"
#include "measure.h"

namespace pliant::bench {

namespace {

uint64_t hash_after(World& world, int steps) {
  for (int s = 0; s < steps; ++s) world.step();
  return world.state_hash();
}

void measure_memory(const Scene& scene, Row& row) {
  const MemoryUse before = memory_use();
  World world = make_world(scene, 1);
  world.build();
  const double peak = memory_use().peak;
  world.step();  // fills buffers that are made when they are needed
  row.peak_memory_bytes = peak - before.resident;
  row.memory_bytes = memory_use().allocated - before.allocated;
}

/// In a run of its own, as clocks cost time.
std::vector<std::pair<std::string, double>> stage_shares(Scene scene, int threads, int steps) {
  scene.options.stage_times = true;
  World world = make_world(scene, threads);
  for (int s = 0; s < steps; ++s) world.step();
  double all = 0;
  for (const StageTime& stage : world.stage_times()) all += stage.seconds;
  std::vector<std::pair<std::string, double>> out;
  for (const StageTime& stage : world.stage_times()) out.push_back({stage.stage, stage.seconds / all});
  return out;
}

}  // namespace

void run_contest(benchmark::State& state, const Scene& scene, const ContestSettings& settings, Row& row) {
  if (settings.memory) measure_memory(scene, row);
  World world = make_world(scene, settings.threads);
  std::optional<baseline::Simulation> simulation = make_baseline(scene);
  int64_t constraints = 0;
  for (const ConstraintCount& c : world.constraint_counts()) constraints += c.constraints;

  // Hash and warm-up in one.
  const std::vector<std::byte> start = world.snapshot();
  const baseline::Particles baseline_start = simulation ? simulation->particles : baseline::Particles{};
  const int warm_up = std::max(1, settings.steps_before);
  row.hash = hash_after(world, warm_up);
  for (int s = 0; simulation && s < warm_up; ++s) simulation->step();
  std::optional<World> alone;
  if (settings.threads > 1) {
    alone = make_world(scene, 1);
    if (hash_after(*alone, warm_up) != *row.hash) {
      throw Error(row.name, "the state differs from that of one thread", "this is a defect of the engine; report it");
    }
  }

  const auto steps_of = [&](World& w) {
    return Contestant{[&] {
                        if (settings.from_start) w.restore(start);
                        for (int s = 0; s < settings.unmeasured_steps; ++s) w.step();
                      },
                      [&] {
                        for (int s = 0; s < settings.steps_per_sample; ++s) w.step();
                      }};
  };
  const Contestant engine = steps_of(world);
  const Contestant single = steps_of(alone ? *alone : world);
  const Contestant baseline{[&] {
                              if (settings.from_start) simulation->particles = baseline_start;
                            },
                            [&] {
                              for (int s = 0; s < settings.steps_per_sample; ++s) simulation->step();
                            }};
  Comparison times = compare_in_turn(
      {&engine, simulation ? &baseline : nullptr, alone ? &single : nullptr}, settings.threads,
      [&] { return state.KeepRunning(); }, [&](double seconds) { state.SetIterationTime(seconds); });
  for (double* seconds : {&times.seconds, &times.wall, &times.fastest.seconds}) *seconds /= settings.steps_per_sample;
  if (times.baseline_seconds) *times.baseline_seconds /= settings.steps_per_sample;
  if (!world.troubles().empty()) {
    throw Error(row.name, world.troubles().front().message, "the scene of this benchmark must be stable; soften it");
  }

  const double projections =
      static_cast<double>(constraints) * scene.options.substeps * scene.options.iterations;  // in one step
  row.constraints = constraints;
  if (settings.stage_shares) row.stages = stage_shares(scene, settings.threads, warm_up);
  if (settings.threads == 1) {
    engine.prepare();
    if (const std::optional<double> count = instructions_of(engine.run)) {
      row.instructions = *count / projections / settings.steps_per_sample;
    }
  }
  row.noise = times.noise;
  row.ratio_noise = times.ratio_noise;
  row.ns_per_constraint_iteration = 1e9 * times.seconds / projections;
  if (times.baseline_seconds) row.baseline_ns = 1e9 * *times.baseline_seconds / projections;
  row.baseline_ratio = times.ratio;
  row.speed_up = times.speed_up;
  row.fastest_ns = 1e9 * times.fastest.seconds / projections;
  row.fastest_ratio = times.fastest.ratio;
  row.fastest_speed_up = times.fastest.speed_up;
  row.processors = times.processors;
  row.ms_per_step = 1e3 * times.seconds;
  row.wall_ms_per_step = 1e3 * times.wall;
}

}  // namespace pliant::bench
