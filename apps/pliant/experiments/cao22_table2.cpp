// Iterations against substeps: four settings that the document found to look alike, on tets.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>

#include "experiments/bodies.h"
#include "experiments/experiment.h"
#include "experiments/models.h"
#include "fem/statics.h"

namespace pliant::experiments {
namespace {

struct Setting {
  int substeps, iterations;
  double document;  // [s] for 500 frames
};
constexpr Setting kSettings[] = {{2, 60, 12.763}, {4, 15, 8.171}, {10, 3, 5.275}, {21, 1, 6.291}};

/// Held with one hand: the vertices near the one that is furthest out to the side.
Body hanging(const TetMesh& mesh, double grip, const Material& material) {
  Body body{.mesh = mesh, .material = material, .held = {}, .tip = {}};
  const auto& x = mesh.positions;
  const Vec3d hand = *std::max_element(x.begin(), x.end(), [](const Vec3d& a, const Vec3d& b) { return a.x < b.x; });
  double furthest = 0;
  int foot = 0;
  for (std::size_t v = 0; v < x.size(); ++v) {
    const double distance = length(x[v] - hand);
    if (distance < grip) body.held.push_back(static_cast<int>(v));
    if (distance > furthest) {
      furthest = distance;
      foot = static_cast<int>(v);
    }
  }
  body.tip = {foot};
  return body;
}

void run(Context& context, Report& report) {
  const Material material{.model = MaterialModel::neo_hookean, .young = 2e5, .poisson = 0.4, .density = 1000};
  const auto model = armadillo(context, 1, report);
  const Body body = model ? hanging(*model, 0.1, material) : hanging(torus_tets(0.4, 0.1, 36, 3), 0.12, material);
  const int frames = context.quick() ? 200 : 500;
  const Vec3d gravity{0, -9.81, 0};

  fem::StaticsOptions in_steps;
  in_steps.load_steps = 10;
  const fem::StaticsResult statics = fem::solve_statics(reference(body, gravity), in_steps);
  report.table.columns({"substeps", "iterations", "time of all frames [s]", "document [s]", "foot at rest [m]",
                        "difference from finite elements", "engine warns", "all finite"});
  Plot plot{.title = fmt::format("{} hanging by one hand", model ? "armadillo" : "torus"),
            .x_label = "frame",
            .y_label = "distance of the foot from its start [m]",
            .key = "bottom right"};
  context.expect(static_cast<double>(frames) * 2 * (2 * 61 + 4 * 16 + 10 * 4 + 21 * 2));
  double trouble = 0;
  std::vector<std::vector<double>> tracks;
  for (const Setting& s : kSettings) {
    using Clock = std::chrono::steady_clock;
    Stage stage(body, {.step = 1.0 / 60,
                       .substeps = s.substeps,
                       .iterations = s.iterations,
                       .gravity = gravity,
                       .point_damping = context.quick() ? 4.0 : 2.0,
                       .threads = context.settings().threads});
    stage.world.build();
    plot.series.push_back({.title = fmt::format("{} x {}", s.substeps, s.iterations)});
    tracks.emplace_back();
    double seconds = 0;
    for (int i = 0; i < frames; ++i) {
      const auto begin = Clock::now();
      stage.world.step();
      seconds += std::chrono::duration<double>(Clock::now() - begin).count();
      tracks.back().push_back(length(mean(stage.displacements(), body.tip)));
      plot.series.back().points.emplace_back(i + 1, tracks.back().back());
      context.did(2.0 * s.substeps * (s.iterations + 1));
    }
    const double difference = largest_relative_difference(stage.displacements(), statics.displacements);
    trouble += !stage.world.troubles().empty();
    report.table.row({double(s.substeps), double(s.iterations), seconds, s.document, tracks.back().back(), difference,
                      stage.world.warnings().empty() ? "no" : "yes", stage.world.troubles().empty() ? "yes" : "no"});
    report.figures.push_back({.what = fmt::format("{} x {}: time of {} frames [s]", s.substeps, s.iterations, frames),
                              .value = seconds,
                              .document = fmt::format("{} s for 500 frames, meshless, on its machine", s.document)});
    report.figures.push_back(
        {.what = fmt::format("{} x {}: largest difference from finite elements at the end", s.substeps, s.iterations),
         .value = difference,
         // Of the worst vertex. Where the engine warns that it does not resolve the material, so much was to be
         // expected.
         .at_most = stage.world.warnings().empty() ? 0.05 : 0.1});
  }
  // In motion: the largest difference between any two of the four, over the largest distance.
  double apart = 0, size = 0;
  for (std::size_t i = 0; i < tracks[0].size(); ++i) {
    double low = INFINITY, high = 0;
    for (const auto& track : tracks) {
      low = std::min(low, track[i]);
      high = std::max(high, track[i]);
    }
    apart = std::max(apart, high - low);
    size = std::max(size, high);
  }
  report.plots = {plot};
  report.figures.push_back({.what = "largest difference between the four in motion, over the largest distance",
                            .value = apart / size,
                            .at_most = 0.05,
                            .document = "similar simulation results"});
  report.figures.push_back({.what = "settings in which a particle had to be held", .value = trouble, .at_most = 0});
  report.notes.push_back(statics.converged ? "Reference: Newton statics on the same tets." : "The reference failed.");
}

}  // namespace

extern const Experiment cao22_table2 = {"cao22_table2", "substeps against iterations: 2x60, 4x15, 10x3, 21x1",
                                        "cao22, table 2 and figure 10", run};

}  // namespace pliant::experiments
