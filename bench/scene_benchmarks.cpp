// Whole scenes of the sizes that people ask for: five projections per step, as bender14 has them in table 1.

#include <fmt/format.h>

#include "benchmarks.h"
#include "bullet.h"
#include "contest.h"
#include "measure.h"
#include "pliant/tetrahedralize.h"

namespace pliant::bench {

namespace {

constexpr int kStepsBeforeHash = 5;
constexpr int kIterations = 5;

WorldOptions five_iterations() {
  WorldOptions options;
  options.step = 1.0 / 600;  // what the materials below are resolved by
  options.substeps = 1;
  options.iterations = kIterations;
  options.gravity = {0, -9.81, 0};
  return options;
}

Material soft(MaterialModel model, MaterialForm form = MaterialForm::xpbd) {
  Material material;
  material.model = model;
  material.form = form;
  material.young = 1e5;
  material.poisson = 0.4;
  return material;
}

/// Bodies side by side, each moved by waves of its own phase.
Scene solids(const TetMesh& mesh, int copies, const Material& material) {
  Scene scene;
  scene.options = five_iterations();
  for (int i = 0; i < copies; ++i) {
    TetMesh one = mesh;
    for (Vec3d& x : one.positions) x = x + Vec3d{0.5 * (i % 10), 0.5 * (i / 100), 0.5 * (i / 10 % 10)};
    scene.bodies.push_back({one, {}, {}, with_waves(one.positions, 0.2, 0.05), material});
  }
  return scene;
}

/// About 3717 tets, as the armadillo of bender14 has.
TetMesh creature_tets() { return tetrahedralize(blob(0.4, 40), {.tets = 3717}).mesh; }

Scene fabric(int cells) {
  Scene scene;
  scene.options = five_iterations();
  const TriMesh mesh = cloth_mesh(cells);
  scene.bodies.push_back({mesh, {}, {0, cells}, {}});
  ClothMaterial material;
  material.model = ClothModel::isotropic;
  material.young = 1e4;
  material.bending = 1e-5;
  material.bending_model = BendingModel::isometric;
  scene.bodies.back().fabric = material;
  return scene;
}

void run_scene(benchmark::State& state, const Scene& scene, int threads, Row& row) {
  row.setup_ms = 1e3 * time_of([&] { make_world(scene, threads).build(); }).by_threads(1);
  run_contest(state, scene,
              {.threads = threads,
               .steps_before = kStepsBeforeHash,
               .unmeasured_steps = 1,
               .steps_per_sample = 2,
               .stage_shares = true,
               .memory = threads == 1},
              row);
}

/// Strands of 16 segments that swing; they have no constraints, so figures are per segment.
void run_strands(benchmark::State& state, int strands, int threads, Row& row) {
  constexpr int kSegments = 16;
  Hair hair;
  hair.mesh.segments = kSegments;
  for (int s = 0; s < strands; ++s) {
    for (int k = 0; k <= kSegments; ++k) {
      hair.mesh.positions.push_back({0.001 * (s % 300) + 0.01 * k, 0, 0.001 * (s / 300)});
    }
  }
  WorldOptions options;
  options.substeps = 1;
  options.threads = threads;
  World world(options);
  world.add(hair);
  for (int s = 0; s < kStepsBeforeHash; ++s) world.step();
  row.hash = world.state_hash();
  const Contestant engine{[&] { world.step(); }, [&] { world.step(); }};
  const Comparison times = compare_in_turn(
      {.engine = &engine}, threads, [&] { return state.KeepRunning(); },
      [&](double seconds) { state.SetIterationTime(seconds); });
  row.constraints = int64_t{strands} * kSegments;
  row.ns_per_constraint_iteration = 1e9 * times.seconds / static_cast<double>(*row.constraints);
  row.noise = times.noise;
  row.ms_per_step = 1e3 * times.seconds;
  row.wall_ms_per_step = 1e3 * times.wall;
}

}  // namespace

void add_scene_benchmarks(Suite& suite) {
  const auto add = [&](const std::string& name, int samples, const std::function<Scene()>& make) {
    for (const int threads : {1, 2}) {
      suite.add("scene/" + name, threads, samples,
                [=](benchmark::State& state, Row& row) { run_scene(state, make(), threads, row); });
    }
  };
  struct Law {
    const char* name;
    Material material;
  };
  const Law laws[] = {{"stvk", soft(MaterialModel::stvk)},
                      {"neo_hookean", soft(MaterialModel::neo_hookean)},
                      {"stvk_pbd_energy", soft(MaterialModel::stvk, MaterialForm::pbd_energy)}};
  for (const Law& law : laws) {
    const std::string name = law.name;
    add("beam_19845_tets_" + name, 61, [=] { return solids(beam_mesh({49, 9, 9}), 1, law.material); });
    add("100_creatures_371700_tets_" + name, 9, [=] { return solids(creature_tets(), 100, law.material); });
  }
  const Material neo_hookean = laws[1].material;
  add("1000_bodies_of_1000_tets", 5, [=] { return solids(beam_mesh({10, 10, 2}), 1000, neo_hookean); });
  add("block_10000_tets", 61, [=] { return solids(beam_mesh({10, 10, 20}), 1, neo_hookean); });
  add("block_100000_tets", 9, [=] { return solids(beam_mesh({20, 25, 40}), 1, neo_hookean); });
  add("block_1000000_tets", 5, [=] { return solids(beam_mesh({50, 50, 80}), 1, neo_hookean); });
  const Material energy = soft(MaterialModel::neo_hookean, MaterialForm::pbd_energy);
  add("block_1000000_tets_pbd_energy", 5, [=] { return solids(beam_mesh({50, 50, 80}), 1, energy); });
  add("fabric_201x201", 15, [] { return fabric(200); });
  add("fabric_1001x1001", 5, [] { return fabric(1000); });
  for (const int threads : {1, 2}) {
    suite.add("scene/100000_strands_of_16", threads, 9,
              [=](benchmark::State& state, Row& row) { run_strands(state, 100000, threads, row); });
  }
  if (has_bullet()) {
    suite.add("peer/bullet_cloth_201x201", 1, 9, run_against_bullet);
  } else {
    fmt::print("Bullet is not installed (libbullet-dev): no comparison with it\n");
  }
}

}  // namespace pliant::bench
