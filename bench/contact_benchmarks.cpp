// Layers of soft bodies, of twice as many each: what contact costs beside elasticity, and how that grows.

#include <fmt/format.h>

#include <numeric>

#include "benchmarks.h"
#include "measure.h"
#include "pliant/world.h"

namespace pliant::bench {

namespace {

constexpr int kLayers = 2;
constexpr int kFewestColumns = 16;
constexpr int kStepsBeforeHash = 24;  // the bodies have fallen upon each other

/// Two layers of cubes in a bin, all of the same density: twice the bodies are twice the bin. It is long and two cubes
/// wide, so that a body has as many neighbours in each: what stands at its ends has fewer.
World pile(int columns, int rows, int threads, bool stage_times) {
  WorldOptions options;
  options.substeps = 12;
  options.threads = threads;
  options.stage_times = stage_times;
  options.contact = ContactOptions{.self = false, .friction = 0.3};
  World world(options);
  constexpr double kPitch = 0.1;
  const Vec3d size{columns * kPitch + 0.02, 0.4, rows * kPitch + 0.02};
  const BodyId bin = world.add(Cloth{.name = "bin",
                                     .mesh = box_surface(size, {columns * 3, 10, rows * 3}),
                                     .thickness = 0.004,
                                     .place = {.position = {0, size.y / 2, 0}}});
  std::vector<int> all(static_cast<std::size_t>(world.vertex_count(bin)));
  std::iota(all.begin(), all.end(), 0);
  world.pin(bin, all);
  for (int k = 0; k < columns * rows * kLayers; ++k) {
    const int i = k % columns, j = k / columns % rows, layer = k / columns / rows;
    const int kind = i + 3 * j + 7 * layer;  // how it lies: the same beside the same neighbours in bins of any length
    world.add(
        Solid{.name = fmt::format("cube{}", k),
              .mesh = box_tets({0.08, 0.08, 0.08}, {6, 6, 6}),
              .material = Material{.young = 5e4, .poisson = 0.4, .density = 1000},
              .thickness = 0.003,
              .place = {.position = {kPitch * (i - (columns - 1) / 2.0) + 0.002 * (kind % 3 - 1), 0.06 + 0.1 * layer,
                                     kPitch * (j - (rows - 1) / 2.0) + 0.002 * (kind % 5 - 2)},
                        .rotation = {0.05 * (kind % 4), 0.1 * (kind % 3), 0.05 * (kind % 5)}}});
  }
  return world;
}

/// Time so far of finding contacts with the guard against what was missed, and of elasticity [s].
struct Spent {
  double finding = 0, elasticity = 0;
  explicit Spent(const World& world) {
    for (const StageTime& stage : world.stage_times()) {
      if (stage.stage == "find contacts" || stage.stage == "guard") finding += stage.seconds;
      if (stage.stage == "project") elasticity += stage.seconds;
    }
  }
};

/// How the cost of finding contacts grows with the number of bodies: this bin and one of half its length, step by step
/// in turn, so that whatever else the machine does meets both.
std::vector<std::pair<std::string, double>> growth(int columns, int rows, int threads) {
  constexpr int kTurns = 24;
  World half = pile(columns / 2, rows, threads, true), whole = pile(columns, rows, threads, true);
  for (World* world : {&half, &whole}) {
    for (int s = 0; s < kStepsBeforeHash; ++s) world->step();
  }
  const auto step = [](World& world) {
    const Spent before(world);
    world.step();
    Spent spent(world);
    spent.finding -= before.finding;
    spent.elasticity -= before.elasticity;
    return spent;
  };
  std::vector<double> finding, elasticity;
  for (int turn = 0; turn < kTurns; ++turn) {
    const Spent less = step(half), more = step(whole);
    finding.push_back(more.finding / less.finding);
    elasticity.push_back(more.elasticity / less.elasticity);
  }
  return {{"finding and guarding", median(finding)}, {"elasticity", median(elasticity)}};
}

void run_pile(benchmark::State& state, int columns, int rows, int threads, Row& row) {
  World world = pile(columns, rows, threads, false);
  for (int s = 0; s < kStepsBeforeHash; ++s) world.step();
  row.hash = world.state_hash();
  const std::vector<std::byte> start = world.snapshot();
  // Each sample takes the same steps. The first step after a restore finds all anew, and does not count.
  const auto go_back = [&] {
    world.restore(start);
    world.step();
  };
  constexpr int kSteps = 3;
  const Contestant engine{go_back, [&] {
                            for (int s = 0; s < kSteps; ++s) world.step();
                          }};
  const Comparison times = compare_in_turn(
      {.engine = &engine}, threads, [&] { return state.KeepRunning(); },
      [&](double seconds) { state.SetIterationTime(seconds); });
  int64_t constraints = 0;
  for (const ConstraintCount& c : world.constraint_counts()) constraints += c.constraints;
  row.constraints = constraints;
  const double projections = static_cast<double>(constraints) * world.options().substeps;
  row.ns_per_constraint_iteration = 1e9 * times.seconds / kSteps / projections;
  row.noise = times.noise;
  row.ms_per_step = 1e3 * times.seconds / kSteps;
  row.wall_ms_per_step = 1e3 * times.wall / kSteps;
  World timed = pile(columns, rows, threads, true);
  for (int s = 0; s < kStepsBeforeHash + kSteps; ++s) timed.step();
  double sum = 0;
  for (const StageTime& stage : timed.stage_times()) sum += stage.seconds;
  for (const StageTime& stage : timed.stage_times()) row.stages.push_back({stage.stage, stage.seconds / sum});
  if (columns > kFewestColumns) row.growth = growth(columns, rows, threads);
}

}  // namespace

void add_contact_benchmarks(Suite& suite) {
  struct Size {
    int columns, rows;
  };
  for (const Size size : {Size{kFewestColumns, 2}, Size{32, 2}, Size{64, 2}}) {
    for (const int threads : {1, 2}) {
      suite.add(fmt::format("contact/layer_{}", size.columns * size.rows * kLayers), threads, 9,
                [=](benchmark::State& state, Row& row) { run_pile(state, size.columns, size.rows, threads, row); });
    }
  }
}

}  // namespace pliant::bench
