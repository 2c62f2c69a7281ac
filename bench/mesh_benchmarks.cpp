// Surfaces to tets, and skins: setup_ms is the time for a whole mesh; ns per constraint and iteration is here the time
// per vertex of a skin, for one frame.

#include <cstdint>
#include <vector>

#include "benchmarks.h"
#include "core/hash.h"
#include "measure.h"
#include "pliant/embed.h"
#include "pliant/tetrahedralize.h"

namespace pliant::bench {

namespace {

uint64_t hash_of(const std::vector<Vec3d>& positions) {
  return hash_bytes(positions.data(), positions.size() * sizeof(Vec3d));
}

void run_meshing(benchmark::State& state, const TriMesh& surface, int64_t tets, Row& row) {
  const auto jobs = make_thread_pool(1);
  std::vector<double> seconds;
  while (state.KeepRunning()) {
    Tetrahedralized made;
    seconds.push_back(time_of([&] { made = tetrahedralize(surface, {.tets = tets, .jobs = jobs}); }).by_threads(1));
    state.SetIterationTime(seconds.back());
    row.constraints = std::ssize(made.mesh.tets);
    row.hash = hash_of(made.mesh.positions);
  }
  row.setup_ms = 1e3 * median(seconds);
}

template <class Carrier>
void run_skin(benchmark::State& state, const TriMesh& skin, const Carrier& carrier, int threads, Row& row) {
  const auto jobs = make_thread_pool(threads);
  std::vector<Vec3d> points(skin.positions.size());
  Embedding embedding;
  row.setup_ms = 1e3 * time_of([&] { embedding = Embedding(skin.positions, carrier); }).by_threads(1);
  embedding.apply(carrier.positions, points, *jobs);
  constexpr int kFrames = 20;
  std::vector<double> seconds;
  while (state.KeepRunning()) {
    seconds.push_back(time_of([&] {
                        for (int i = 0; i < kFrames; ++i) embedding.apply(carrier.positions, points, *jobs);
                      }).by_threads(threads) /
                      kFrames);
    state.SetIterationTime(seconds.back());
  }
  row.constraints = std::ssize(points);
  row.ns_per_constraint_iteration = 1e9 * median(seconds) / static_cast<double>(points.size());
  row.hash = hash_of(points);
}

}  // namespace

void add_mesh_benchmarks(Suite& suite) {
  suite.add("mesh/torus_20000_tets", 1, 5,
            [](benchmark::State& state, Row& row) { run_meshing(state, torus(1, 0.3, 128, 64), 20000, row); });
  suite.add("mesh/creature_200000_tets", 1, 3,
            [](benchmark::State& state, Row& row) { run_meshing(state, blob(1, 64), 200000, row); });
  suite.add("skin/creature_on_5000_tets", 1, 15, [](benchmark::State& state, Row& row) {
    const TriMesh skin = blob(1, 96);
    run_skin(state, skin, tetrahedralize(skin, {.tets = 5000}).mesh, 1, row);
  });
  suite.add("skin/sheet_on_cloth", 1, 15, [](benchmark::State& state, Row& row) {
    run_skin(state, grid({1, 1}, {300, 300}), grid({1, 1}, {40, 40}), 1, row);
  });
}

}  // namespace pliant::bench
