// Bodies that were flattened or mirrored come back to their shape.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "experiments/bodies.h"
#include "experiments/deformation.h"
#include "experiments/experiment.h"
#include "experiments/models.h"

namespace pliant::experiments {
namespace {

struct Form {
  const char* name;
  MaterialModel model;
  MaterialForm form;
};
constexpr Form kForms[] = {{"stvk", MaterialModel::stvk, MaterialForm::xpbd},
                           {"neo_hookean", MaterialModel::neo_hookean, MaterialForm::xpbd},
                           {"corotated", MaterialModel::corotated, MaterialForm::xpbd},
                           {"stvk, C = E", MaterialModel::stvk, MaterialForm::pbd_energy},
                           {"neo_hookean, C = E", MaterialModel::neo_hookean, MaterialForm::pbd_energy}};

struct Start {
  const char* name;
  double y;  // every y-coordinate is multiplied by it
};
constexpr Start kStarts[] = {{"flat (y = 0)", 0}, {"mirrored", -1}};

constexpr double kDamping = 5;  // [1/s]

void run(Context& context, Report& report) {
  const auto model = armadillo(context, 1, report);
  // A beam and not a ring: a ring that was mirrored may come back with a twist in it.
  const TetMesh mesh = model             ? *model
                       : context.quick() ? box_tets({0.24, 0.08, 0.08}, {12, 4, 4})
                                         : box_tets({0.98, 0.18, 0.18}, {49, 9, 9});
  const int steps = context.quick() ? 150 : 300;
  context.expect(steps * double(std::size(kForms)) * double(std::size(kStarts)));
  report.table.columns({"start", "form", "step", "distance from the rest shape", "inverted elements"});
  report.plots.clear();
  double held = 0;
  for (const Start& start : kStarts) {
    Plot plot{.title = start.name,
              .x_label = "time [s]",
              .y_label = "distance from the rest shape",
              .log_y = true,
              .key = "top right"};
    for (const Form& form : kForms) {
      const Body body{.mesh = mesh,
                      .material = {.model = form.model, .form = form.form, .young = 1e5, .poisson = 0.4},
                      .held = {},
                      .tip = {}};
      Stage stage(body, {.step = 1.0 / 60,
                         .substeps = 20,
                         .gravity = {},
                         .point_damping = kDamping,
                         .threads = context.settings().threads});
      std::vector<Vec3d> x = stage.rest;
      for (Vec3d& p : x) p.y *= start.y;
      stage.world.set_positions(stage.body, x);
      Series series{.title = form.name};
      int last_inverted = 0;
      Deformation d;
      for (int i = 0; i < steps; ++i) {
        stage.world.step();
        d = deformation(mesh, stage.world.positions(stage.body));
        if (d.inverted > 0) last_inverted = i + 1;
        // Every third is enough for a picture of the slow part.
        if (i < 30 || i % 3 == 2) series.points.emplace_back((i + 1) / 60.0, d.distance);
        report.table.row({start.name, form.name, double(i + 1), d.distance, double(d.inverted)});
        context.did(1);
      }
      plot.series.push_back(series);
      held += !stage.world.troubles().empty();
      Figure steps_needed{.what = fmt::format("{}, {}: steps until no element is inverted", start.name, form.name),
                          .value = last_inverted == steps ? INFINITY : double(last_inverted),
                          .document = "recovers"};
      Figure distance{.what = fmt::format("{}, {}: distance from the rest shape at the end", start.name, form.name),
                      .value = d.distance};
      if (form.form == MaterialForm::xpbd) {  // the document's form is told and not judged
        steps_needed.at_most = steps - 1;
        distance.at_most = 1e-3;
      }
      report.figures.push_back(steps_needed);
      report.figures.push_back(distance);
    }
    report.plots.push_back(plot);
  }
  report.figures.push_back({.what = "runs in which a particle had to be held", .value = held, .at_most = 0});
  report.notes.push_back(
      fmt::format("{} tets of 1e5 Pa, Poisson 0.4, 1000 kg/m^3; steps of 1/60 s of 20 substeps, damping {}/s, no "
                  "gravity. Distance: "
                  "root mean square of the principal stretches minus one, that of an inverted element being negative.",
                  mesh.tets.size(), kDamping));
}

}  // namespace

extern const Experiment bender14_fig6 = {"bender14_fig6", "flattened and mirrored bodies recover", "bender14, figure 6",
                                         run};

}  // namespace pliant::experiments
