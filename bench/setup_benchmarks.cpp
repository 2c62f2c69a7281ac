// Set-up: how long it takes from the user's mesh to coloured and packed constraints, at a size where anything that is
// not linear shows, and for stars, where one particle has all constraints.

#include <cmath>
#include <functional>
#include <vector>

#include "benchmarks.h"
#include "contest.h"
#include "measure.h"

namespace pliant::bench {

namespace {

constexpr int kRays = 20000;

/// A grid of a x b cells has 3 a b + a + b edges: this one has exactly a million.
Cloth million_edges() {
  Cloth cloth;
  cloth.mesh = grid({2.84, 11.72}, {284, 1172});
  cloth.constraints = {{"distance", {}}};
  return cloth;
}

/// Particles on a sphere around one in the middle, each held to it by a distance, which is as much as the others'
/// waves let it be off.
Scene star_scene(bool fixed) {
  Curve star;
  star.positions.push_back({0, 0, 0});
  for (int i = 1; i <= kRays; ++i) {
    // A spiral of equal steps in height covers the sphere evenly.
    const double y = 1 - 2 * (i - 0.5) / kRays, r = std::sqrt(1 - y * y), turn = 2.399963 * i;
    star.positions.push_back({r * std::cos(turn), y, r * std::sin(turn)});
    star.edges.push_back({0, i});
  }
  Scene scene;
  const std::vector<Vec3d> start = with_waves(star.positions, 0.1, 0.05);
  scene.bodies.push_back({star, {{"distance", {}}}, fixed ? std::vector<int>{0} : std::vector<int>{}, start});
  return scene;
}

void run_star(benchmark::State& state, bool fixed, Row& row) {
  const Scene scene = star_scene(fixed);
  row.setup_ms = 1e3 * time_of([&] { make_world(scene); }).by_threads(1);
  run_contest(state, scene, {.threads = 1, .steps_before = 10, .steps_per_sample = 1, .from_start = false}, row);
}

/// `timed` gets a new world each time.
void run_setup(benchmark::State& state, Row& row, const std::function<Duration(World&, const Cloth&)>& timed) {
  const Cloth cloth = million_edges();
  WorldOptions options;
  options.threads = 1;
  options.precision = Precision::float32;
  std::vector<double> seconds;
  while (state.KeepRunning()) {
    World world(options);
    seconds.push_back(timed(world, cloth).by_threads(1));
    state.SetIterationTime(seconds.back());
    row.constraints = world.constraint_counts().at(0).constraints;
  }
  row.setup_ms = 1e3 * median(seconds);
}

}  // namespace

void add_setup_benchmarks(Suite& suite) {
  // Checks, edges, masses and rest data.
  suite.add("setup/add_1000000_distances", 1, 5, [](benchmark::State& state, Row& row) {
    run_setup(state, row, [](World& world, const Cloth& cloth) { return time_of([&] { world.add(cloth); }); });
  });
  // Renumbering, colours, batches, the state.
  suite.add("setup/build_1000000_distances", 1, 5, [](benchmark::State& state, Row& row) {
    run_setup(state, row, [](World& world, const Cloth& cloth) {
      world.add(cloth);
      return time_of([&] { world.build(); });
    });
  });
  suite.add("star/fixed_20000", 1, 15, [](benchmark::State& state, Row& row) { run_star(state, true, row); });
  suite.add("star/moving_20000", 1, 15, [](benchmark::State& state, Row& row) { run_star(state, false, row); });
}

}  // namespace pliant::bench
