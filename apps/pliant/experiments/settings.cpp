// The rest state does not depend on iterations, substeps or the length of a frame.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "experiments/bodies.h"
#include "experiments/experiment.h"
#include "fem/statics.h"

namespace pliant::experiments {
namespace {

struct Case {
  MaterialModel model;
  double young;  // [Pa], with a density of 1000 kg/m^3
  double frame;  // [s]
  int substeps, iterations;
};

struct Outcome {
  double sag;         // mean displacement of the free face, downwards [m]
  double difference;  // from finite elements, largest of a vertex over the largest displacement
  bool warned, finite;
};

constexpr double kSettling = 1;  // [s] of simulated time
constexpr double kDamping = 40;  // [1/s] amplitudes fall by exp(-20 t); a rest state does not feel it
const Vec3d kGravity{0, -9.81, 0};

Body cube(const Case& c, int cells) {
  return wall_mounted({1, 1, 1}, {cells, cells, cells},
                      {.model = c.model, .young = c.young, .poisson = 0.3, .density = 1000});
}

Outcome settle(const Case& c, int cells, const std::vector<Vec3d>& expected, int threads) {
  const Body body = cube(c, cells);
  Stage stage(body, {.step = c.frame,
                     .substeps = c.substeps,
                     .iterations = c.iterations,
                     .gravity = kGravity,
                     .point_damping = kDamping,
                     .threads = threads});
  const int frames = static_cast<int>(std::lround(kSettling / c.frame));
  for (int i = 0; i < frames; ++i) stage.world.step();
  const std::vector<Vec3d> u = stage.displacements();
  return {-mean(u, body.tip).y, largest_relative_difference(u, expected), !stage.world.warnings().empty(),
          stage.world.troubles().empty()};
}

/// Tets projected, which is about proportional to time.
double work(const Case& c, int cells) {
  return kSettling / c.frame * c.substeps * (c.iterations + 1) * 5.0 * cells * cells * cells;
}

void run(Context& context, Report& report) {
  const int cells = context.quick() ? 2 : 4;
  const std::vector<int> iterations = context.quick() ? std::vector{1, 3} : std::vector{1, 2, 5, 20};
  const std::vector<int> substeps = context.quick() ? std::vector{10, 20} : std::vector{10, 20, 50, 100};
  std::vector<Case> cases;
  for (const MaterialModel model : {MaterialModel::stvk, MaterialModel::neo_hookean}) {
    for (const double young : {1e6, 1e7, 1e8, 1e9}) {
      // The two softer ones are resolved by all of these settings. With the stiff ones the engine warns.
      const bool resolved = young < 5e7;
      for (const double frame : {1.0 / 120, 1.0 / 60, 1.0 / 30}) {
        if (!resolved && frame != 1.0 / 60) continue;
        for (const int s : substeps) {
          for (const int i : iterations) {
            if (resolved || i == iterations.front() || i == iterations.back())
              cases.push_back({model, young, frame, s, i});
          }
        }
      }
    }
  }
  double all_work = 0;
  for (const Case& c : cases) all_work += work(c, cells);
  context.expect(all_work);

  report.table.columns({"model", "young [Pa]", "frame [s]", "substeps", "iterations", "sag [m]", "finite elements [m]",
                        "difference from finite elements", "engine warns", "all finite"});
  Plot plot{.title = "rest state of a wall-mounted cube",
            .x_label = "substeps x iterations per frame",
            .y_label = "sag over that of finite elements",
            .log_x = true,
            .log_y = true,
            .key = "top right"};
  double widest = 0, worst_silent = 0, worst_warned = 0;
  int silent = 0, warned = 0, not_finite = 0, spurious = 0;
  std::vector<Vec3d> expected;
  double expected_sag = 0, low = 0, high = 0;
  for (std::size_t k = 0; k < cases.size(); ++k) {
    const Case& c = cases[k];
    if (k == 0 || c.model != cases[k - 1].model || c.young != cases[k - 1].young) {  // another body
      const Body body = cube(c, cells);
      const fem::StaticsResult statics = fem::solve_statics(reference(body, kGravity));
      expected = statics.displacements;
      expected_sag = statics.converged ? -mean(expected, body.tip).y : std::numeric_limits<double>::quiet_NaN();
      low = std::numeric_limits<double>::infinity();
      high = -low;
    }
    const Outcome o = settle(c, cells, expected, context.settings().threads);
    report.table.row({name_of(c.model), c.young, c.frame, double(c.substeps), double(c.iterations), o.sag, expected_sag,
                      o.difference, o.warned ? "yes" : "no", o.finite ? "yes" : "no"});
    const std::string title = fmt::format("E = {:g} Pa", c.young);
    auto series =
        std::find_if(plot.series.begin(), plot.series.end(), [&](const Series& s) { return s.title == title; });
    if (series == plot.series.end()) {
      plot.series.push_back({.title = title, .style = Series::Style::points});
      series = plot.series.end() - 1;
    }
    series->points.emplace_back(c.substeps * c.iterations, o.sag / expected_sag);
    not_finite += !o.finite;
    if (o.warned) {
      ++warned;
      worst_warned = std::max(worst_warned, o.difference);
      spurious += o.difference < 0.01;
    } else {
      ++silent;
      low = std::min(low, o.sag);
      high = std::max(high, o.sag);
      worst_silent = std::max(worst_silent, o.difference);
      widest = std::max(widest, (high - low) / expected_sag);
    }
    context.did(work(c, cells));
  }
  report.plots = {plot};
  report.figures = {
      {.what = "no warning: spread of the sag over all settings of a material", .value = widest, .at_most = 0.01},
      {.what = "no warning: largest difference from finite elements", .value = worst_silent, .at_most = 0.01},
      {.what = "settings without a warning", .value = double(silent), .at_least = double(8)},
      {.what = "settings with a warning", .value = double(warned), .at_least = 1},
      {.what = "with a warning: largest difference from finite elements", .value = worst_warned},
      {.what = "with a warning, though the difference is below 1 %", .value = double(spurious)},
      {.what = "settings in which a particle had to be held", .value = double(not_finite), .at_most = 0}};
  report.notes = {
      fmt::format("Cube of 1 m, {0}x{0}x{0} cells of five tets, density 1000 kg/m^3, Poisson 0.3; "
                  "{1} s of simulated time with damping of all velocities by {2}/s.",
                  cells, kSettling, kDamping)};
}

}  // namespace

extern const Experiment settings = {"settings", "the rest state does not depend on iterations, substeps and frames", "",
                                    run};

}  // namespace pliant::experiments
