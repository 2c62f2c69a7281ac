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
  std::function<void(World&, MaterialForm)> fill;
};

constexpr double kDocumentCores = 12;  // two Intel X5650 of 2010

void add_pieces(World& world, const TetMesh& mesh, int count, MaterialForm form) {
  const Material material{.model = MaterialModel::stvk, .form = form, .young = 1e5, .poisson = 0.3, .density = 1000};
  for (int i = 0; i < count; ++i) {
    world.add(Solid{.mesh = mesh,
                    .material = material,
                    .place = {.position = {2.0 * (i % 10), 0, 2.0 * (i / 10)}},
                    .velocity = {0.1 * i, 0, 0}});
  }
}

void add_cloth(World& world, MaterialForm form) {
  Cloth cloth{.mesh = grid({2, 2}, {200, 200})};
  ClothMaterial material{.form = form, .young = 1e4, .bending = 1e-5, .bending_model = BendingModel::isometric};
  if (form == MaterialForm::pbd_energy) {  // bending is projected, too
    cloth.method = Method::pbd;
    cloth.constraints = {{"isometric_bend", {.stiffness = 0.1}}};
    material.bending = 0;
  }
  cloth.material = material;
  const BodyId id = world.add(cloth);
  world.pin(id, {0, 200});
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
       [&](World& world, MaterialForm form) { add_pieces(world, piece, count, form); }},
      {"cloth", "40401 vertices, 80000 triangles", 6.73, add_cloth},
      {"dragon", "2603 vertices, 7278 tets", 2.33,
       [&](World& world, MaterialForm form) { add_pieces(world, dragon_sized_ring(), 1, form); }},
  };
  struct Form {
    const char* name;
    MaterialForm form;
  };
  const Form forms[] = {{"C = E", MaterialForm::pbd_energy}, {"xpbd", MaterialForm::xpbd}};
  const int threads = context.settings().threads > 0 ? context.settings().threads
                                                     : std::max(1, int(std::thread::hardware_concurrency()));
  report.table.columns({"scene", "form", "vertices", "constraints", "ms per step", "document [ms]", "document's size"});
  Plot plot{.title = fmt::format("one step of five iterations, {} threads", threads),
            .x_label = "constraints",
            .y_label = "ms per step",
            .log_x = true,
            .log_y = true,
            .series = {{.title = "here, the document's constraints", .style = Series::Style::points},
                       {.title = "here, physical stiffness", .style = Series::Style::points},
                       {.title = "document, 12 cores of 2010", .style = Series::Style::points}}};
  context.expect(6);
  for (const Row& row : rows) {
    for (int f = 0; f < 2; ++f) {
      World world({.step = 5e-3, .substeps = 1, .iterations = 5, .threads = context.settings().threads});
      row.fill(world, forms[f].form);
      const double ms = median_step(world, context.quick() ? 20 : 60);
      double constraints = 0;
      for (const ConstraintCount& c : world.constraint_counts()) constraints += static_cast<double>(c.constraints);
      report.table.row({row.name, forms[f].name, static_cast<double>(world.particle_count()), constraints, ms,
                        row.document, row.document_size});
      plot.series[f].points.emplace_back(constraints, ms);
      if (f == 0) plot.series[2].points.emplace_back(constraints, row.document);
      report.figures.push_back({.what = fmt::format("{}, {}: time of a step [ms]", row.name, forms[f].name),
                                .value = ms,
                                .document = fmt::format("{:g} ms", row.document)});
      report.figures.push_back(
          {.what = fmt::format("{}, {}: that times threads, over the document's times cores", row.name, forms[f].name),
           .value = ms * threads / (row.document * kDocumentCores),
           .at_most = 1});
      context.did(1);
    }
  }
  report.plots = {plot};
  report.notes.push_back(
      fmt::format("{} threads here, 12 cores (two Xeon X5650, 2.66 GHz) in the document. A step of 5 ms, five "
                  "iterations. C = E are "
                  "the document's constraints, on cloth with its linear bending; xpbd has physical stiffness. The "
                  "dragon is a ring of "
                  "its size.",
                  threads));
  if (context.quick()) report.notes.push_back("Ten armadillos in place of a hundred, and a tenth of their time.");
}

}  // namespace

extern const Experiment bender14_table1 = {
    "bender14_table1", "time per step of a hundred armadillos, a cloth, a dragon", "bender14, table 1", run};

}  // namespace pliant::experiments
