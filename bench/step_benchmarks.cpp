// Whole steps as a user takes them: ten substeps of one iteration, prediction and velocities included.

#include "benchmarks.h"
#include "contest.h"
#include "measure.h"

namespace pliant::bench {

namespace {

constexpr int kStepsBeforeHash = 10;

/// 201 x 201 particles held at two corners. Distance on the edges of the triangles, which are the sides of the cells
/// and one diagonal of each (a cloth has no second diagonal), bending over every inner edge.
Scene cloth_scene() {
  const TriMesh mesh = cloth_mesh(200);
  Scene scene;
  scene.bodies.push_back({mesh, Cloth::springs(), {0, 200}, {}});
  return scene;
}

/// 50 x 10 x 10 particles held at one end: distance on all edges, volume of all tets.
Scene beam_scene() {
  const TetMesh mesh = beam_mesh({49, 9, 9});
  Scene scene;
  scene.bodies.push_back({mesh, Solid::springs(), beam_end(mesh), {}});
  return scene;
}

void run_steps(benchmark::State& state, const Scene& scene, int threads, Row& row) {
  // From the user's meshes to a world that is ready to step.
  row.setup_ms = 1e3 * time_of([&] { make_world(scene, threads); }).by_threads(1);
  // In a row, as in a simulation: the baseline, which takes its turn between samples, leaves cold caches and a sleeping
  // thread behind.
  run_contest(state, scene,
              {.threads = threads,
               .steps_before = kStepsBeforeHash,
               .unmeasured_steps = 1,
               .steps_per_sample = 2,
               .from_start = false},
              row);
}

}  // namespace

void add_step_benchmarks(Suite& suite) {
  for (int threads : {1, 2}) {
    suite.add("step/cloth_201x201", threads, 15,
              [=](benchmark::State& state, Row& row) { run_steps(state, cloth_scene(), threads, row); });
  }
  for (int threads : {1, 2}) {
    suite.add("step/beam_49x9x9", threads, 30,
              [=](benchmark::State& state, Row& row) { run_steps(state, beam_scene(), threads, row); });
  }
}

}  // namespace pliant::bench
