// Does the error of a motion keep falling, however short the substeps? In float a position of 1 m has digits of 6e-8 m,
// and gravity moves it by 1.7e-8 m in a substep of 1/24000 s: positions of one part would be lost long before.
// Positions in two parts (base and offset) must follow the curve of double precision.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>

#include "experiments/bodies.h"
#include "experiments/experiment.h"

namespace pliant::experiments {
namespace {

struct Run {
  std::vector<Vec3d> tip;  // mean displacement of the free end, frame by frame [m]
  double ns_per_tet = 0;   // and substep, wall time
};

Run swing(const Body& body, WorldOptions options, int frames) {
  options.step = 1.0 / 60;
  options.gravity = {0, -9.81, 0};
  Stage stage(body, options);
  Run run;
  const auto begin = std::chrono::steady_clock::now();
  for (int i = 0; i < frames; ++i) {
    stage.world.step();
    run.tip.push_back(mean(stage.displacements(), body.tip));
  }
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  run.ns_per_tet = 1e9 * seconds / frames / options.substeps / static_cast<double>(body.mesh.tets.size());
  return run;
}

/// Root mean square of the difference over that of the motion.
double difference(const Run& found, const Run& expected) {
  double error = 0, size = 0;
  for (std::size_t i = 0; i < expected.tip.size(); ++i) {
    error += length_squared(found.tip[i] - expected.tip[i]);
    size += length_squared(expected.tip[i]);
  }
  return std::sqrt(error / size);
}

void run(Context& context, Report& report) {
  const int frames = context.quick() ? 10 : 30;
  const std::array<int, 3> cells = context.quick() ? std::array<int, 3>{8, 2, 2} : std::array<int, 3>{20, 5, 5};
  const Body body = wall_mounted({1, 0.25, 0.25}, cells,
                                 {.model = MaterialModel::neo_hookean, .young = 1e6, .poisson = 0.4, .density = 1000});
  const int counts[] = {10, 20, 50, 100, 200, 400};
  const int threads = context.settings().threads;
  double work = 400;
  for (const int n : counts) work += 2 * n;
  context.expect(work);
  // Of second order in time: its own error at 400 substeps is far below all others.
  const Run exact = swing(
      body, {.substeps = 400, .integrator = Integrator::bdf2, .threads = threads, .precision = Precision::float64},
      frames);
  context.did(400);

  report.table.columns(
      {"substeps", "precision", "error of the motion", "difference of both precisions", "ns per tet and substep"});
  Plot plot{.title = "cantilever let fall, tip against a converged motion",
            .x_label = "substeps per 1/60 s",
            .y_label = "error (rms, relative)",
            .log_x = true,
            .log_y = true,
            .key = "top right",
            .series = {{.title = "float", .style = Series::Style::both},
                       {.title = "double", .style = Series::Style::both},
                       {.title = "float against double", .style = Series::Style::both}}};
  double before = 0, worst_fall = 0, worst_difference = 0, float_ns = 0, double_ns = 0;
  for (const int n : counts) {
    const Run in_double = swing(body, {.substeps = n, .threads = threads, .precision = Precision::float64}, frames);
    const Run in_float = swing(body, {.substeps = n, .threads = threads, .precision = Precision::float32}, frames);
    context.did(2 * n);
    const double error = difference(in_float, exact), both = difference(in_float, in_double);
    report.table.row({static_cast<double>(n), "float", error, both, in_float.ns_per_tet});
    report.table.row({static_cast<double>(n), "double", difference(in_double, exact), both, in_double.ns_per_tet});
    plot.series[0].points.emplace_back(n, error);
    plot.series[1].points.emplace_back(n, difference(in_double, exact));
    plot.series[2].points.emplace_back(n, both);
    if (n > 20) worst_fall = std::max(worst_fall, error / before);  // with fewer the order does not show yet
    before = error;
    worst_difference = std::max(worst_difference, both);
    float_ns = in_float.ns_per_tet;
    double_ns = in_double.ns_per_tet;
  }
  report.plots = {plot};
  report.figures = {// Implicit Euler is of first order: twice the substeps, half the error.
                    {.what = "from 20 substeps on, error over that with half of them (or two fifths), the largest",
                     .value = worst_fall,
                     .at_most = 0.75},
                    {.what = "difference of float and double, the largest of all substeps",
                     .value = worst_difference,
                     .at_most = 1e-3},
                    {.what = "error with 400 substeps in float", .value = before},
                    {.what = "float: time per tet and substep [ns]", .value = float_ns},
                    {.what = "double: time per tet and substep [ns]", .value = double_ns}};
}

}  // namespace

extern const Experiment substeps = {"substeps", "the error of a motion falls to 400 substeps per frame, in float too",
                                    "", run};

}  // namespace pliant::experiments
