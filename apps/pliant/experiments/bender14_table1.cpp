// Time per step of the document's three scenes, without collisions.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <functional>
#include <thread>

#include "experiments/bodies.h"
#include "experiments/experiment.h"
#include "experiments/models.h"
#include "pliant/world.h"

namespace pliant::experiments {
namespace {

struct Row {
  const char* name;
  const char* document_size;
  double document;  // [ms] per step
  std::function<void(World&)> fill;
};

constexpr double kDocumentCores = 12;  // two Intel X5650 of 2010

const Material kMaterial{.model = MaterialModel::stvk, .young = 1e5, .poisson = 0.3, .density = 1000};

void add_pieces(World& world, const TetMesh& mesh, int count) {
  for (int i = 0; i < count; ++i) {
    world.add(Solid{.mesh = mesh,
                    .material = kMaterial,
                    .place = {.position = {2.0 * (i % 10), 0, 2.0 * (i / 10)}},
                    .velocity = {0.1 * i, 0, 0}});
  }
}

/// [ms] the median over some steps. One step of 5 ms with five iterations, as in the document.
double median_step(World& world, int steps) {
  using Clock = std::chrono::steady_clock;
  world.build();
  world.step();  // warms up
  std::vector<double> times;
  for (int i = 0; i < steps; ++i) {
    const auto begin = Clock::now();
    world.step();
    times.push_back(std::chrono::duration<double, std::milli>(Clock::now() - begin).count());
  }
  std::nth_element(times.begin(), times.begin() + steps / 2, times.end());
  return times[static_cast<std::size_t>(steps / 2)];
}

void run(Context& context, Report& report) {
  const auto model = armadillo(context, 1, report);
  // 1120 vertices and 3720 tets.
  const TetMesh piece = model ? *model : box_tets({1.55, 0.3, 0.2}, {31, 6, 4});
  const int count = context.quick() ? 10 : 100;
  const Row rows[] = {
      {"armadillos", "118000 vertices, 371700 tets", 152.41 * count / 100,
       [&](World& world) { add_pieces(world, piece, count); }},
      {"cloth", "40401 vertices, 80000 triangles", 6.73,
       [&](World& world) {
         const BodyId cloth = world.add(Cloth{.mesh = grid({2, 2}, {200, 200})});
         world.pin(cloth, {0, 200});
       }},
      {"dragon", "2603 vertices, 7278 tets", 2.33, [&](World& world) { add_pieces(world, dragon_sized_ring(), 1); }},
  };
  const int threads = context.settings().threads > 0 ? context.settings().threads
                                                     : std::max(1, int(std::thread::hardware_concurrency()));
  report.table.columns({"scene", "vertices", "constraints", "ms per step", "document [ms]", "document's size"});
  Plot plot{.title = fmt::format("one step of five iterations, {} threads", threads),
            .x_label = "constraints",
            .y_label = "ms per step",
            .log_x = true,
            .log_y = true,
            .series = {{.title = "here", .style = Series::Style::points},
                       {.title = "document, 12 cores of 2010", .style = Series::Style::points}}};
  context.expect(3);
  for (const Row& row : rows) {
    World world({.step = 5e-3, .substeps = 1, .iterations = 5, .threads = context.settings().threads});
    row.fill(world);
    const double ms = median_step(world, context.quick() ? 20 : 60);
    double constraints = 0;
    for (const ConstraintCount& c : world.constraint_counts()) constraints += static_cast<double>(c.constraints);
    report.table.row(
        {row.name, static_cast<double>(world.particle_count()), constraints, ms, row.document, row.document_size});
    plot.series[0].points.emplace_back(constraints, ms);
    plot.series[1].points.emplace_back(constraints, row.document);
    report.figures.push_back({.what = fmt::format("{}: time of a step [ms]", row.name),
                              .value = ms,
                              .document = fmt::format("{:g} ms", row.document)});
    report.figures.push_back({.what = fmt::format("{}: that times threads, over the document's times cores", row.name),
                              .value = ms * threads / (row.document * kDocumentCores),
                              .at_most = 1});
    context.did(1);
  }
  report.plots = {plot};
  report.notes.push_back(fmt::format(
      "{} threads here, 12 cores (two Xeon X5650, 2.66 GHz) in the document. A step of 5 ms, five iterations. The "
      "cloth "
      "has distance and bending constraints on edges here, triangle energies and bending there; the dragon is a ring "
      "of its size.",
      threads));
  if (context.quick()) report.notes.push_back("Ten armadillos in place of a hundred, and a tenth of their time.");
}

}  // namespace

extern const Experiment bender14_table1 = {
    "bender14_table1", "time per step of a hundred armadillos, a cloth, a dragon", "bender14, table 1", run};

}  // namespace pliant::experiments
