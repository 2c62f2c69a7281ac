// The same body from a millimetre to a hundred metres, with equal dimensionless groups.
//
//   density g L / E,   E dt^2 / (density L^2),   Poisson's ratio
//
// Keeping g and the density: E grows with L, times with sqrt(L). Keeping the time step and the density: g grows with L,
// E with L^2. Either way all displacements over L are the same numbers.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "experiments/bodies.h"
#include "experiments/experiment.h"

namespace pliant::experiments {
namespace {

struct Scaling {
  const char* kept;  // beside the density
  double edge;       // L [m]
  double young;      // [Pa]
  double gravity;    // [m/s^2]
  double frame;      // [s]
};

struct Track {
  std::vector<double> sag;  // of the free face over L, frame by frame
  std::vector<Vec3d> rest;  // displacements over L at the end of a damped run
  bool warned = false, finite = true;
};

constexpr int kFrames = 120;

Track follow(const Scaling& s, MaterialModel model, int cells, int threads) {
  const Body body = wall_mounted({s.edge, s.edge, s.edge}, {cells, cells, cells},
                                 {.model = model, .young = s.young, .poisson = 0.3, .density = 1000});
  const Vec3d gravity{0, -s.gravity, 0};
  Track track;
  Stage free(body, {.step = s.frame, .substeps = 20, .gravity = gravity, .threads = threads});
  // Damping is a rate: as many per frame at every size.
  Stage damped(
      body, {.step = s.frame, .substeps = 20, .gravity = gravity, .point_damping = 0.2 / s.frame, .threads = threads});
  for (int i = 0; i < kFrames; ++i) {
    free.world.step();
    damped.world.step();
    track.sag.push_back(-mean(free.displacements(), body.tip).y / s.edge);
  }
  track.rest = damped.displacements();
  for (Vec3d& u : track.rest) u = u / s.edge;
  track.warned = !free.world.warnings().empty();
  track.finite = free.world.troubles().empty() && damped.world.troubles().empty();
  return track;
}

void run(Context& context, Report& report) {
  const int cells = context.quick() ? 2 : 4;
  constexpr double kYoung = 1e6, kGravity = 9.81, kFrame = 1.0 / 60;  // of the cube of 1 m
  std::vector<Scaling> scalings = {{"gravity", 1, kYoung, kGravity, kFrame}};
  for (const double L : {1e-3, 1e-2, 0.1, 10.0, 100.0}) {
    scalings.push_back({"gravity", L, kYoung * L, kGravity, kFrame * std::sqrt(L)});
    scalings.push_back({"time step", L, kYoung * L * L, kGravity * L, kFrame});
  }
  report.table.columns({"model", "kept", "edge [m]", "young [Pa]", "gravity [m/s^2]", "frame [s]", "largest sag / edge",
                        "difference in motion", "difference at rest", "engine warns", "all finite"});
  Plot plot{.title = "St. Venant-Kirchhoff cube under its weight",
            .x_label = "frame",
            .y_label = "sag of the free face / edge",
            .key = "top right"};
  context.expect(2.0 * static_cast<double>(scalings.size()));
  double worst_motion = 0, worst_rest = 0, trouble = 0;
  for (const MaterialModel model : {MaterialModel::stvk, MaterialModel::neo_hookean}) {
    Track metre;
    for (const Scaling& s : scalings) {
      const Track track = follow(s, model, cells, context.settings().threads);
      if (s.edge == 1) metre = track;
      const double size = *std::max_element(metre.sag.begin(), metre.sag.end());
      double difference = 0;
      for (std::size_t i = 0; i < track.sag.size(); ++i) {
        difference = std::max(difference, std::abs(track.sag[i] - metre.sag[i]) / size);
      }
      const double at_rest = largest_relative_difference(track.rest, metre.rest);
      report.table.row({name_of(model), s.kept, s.edge, s.young, s.gravity, s.frame, size, difference, at_rest,
                        track.warned ? "yes" : "no", track.finite ? "yes" : "no"});
      worst_motion = std::max(worst_motion, difference);
      worst_rest = std::max(worst_rest, at_rest);
      trouble += track.warned || !track.finite;
      if (model == MaterialModel::stvk && (s.edge == 1 || s.edge == 1e-3 || s.edge == 100)) {
        plot.series.push_back({.title = s.edge == 1 ? "1 m" : fmt::format("{:g} m, same {}", s.edge, s.kept)});
        for (std::size_t i = 0; i < track.sag.size(); ++i) {
          plot.series.back().points.emplace_back(i + 1, track.sag[i]);
        }
      }
      context.did(1);
    }
  }
  report.plots = {plot};
  report.figures = {{.what = "largest difference of the sag in motion from the cube of 1 m, over the largest sag",
                     .value = worst_motion,
                     .at_most = 0.01},
                    {.what = "largest difference of a vertex at rest, over the largest displacement",
                     .value = worst_rest,
                     .at_most = 0.01},
                    {.what = "cases with a warning or a particle that had to be held", .value = trouble, .at_most = 0}};
}

}  // namespace

extern const Experiment scale = {"scale", "the same body from a millimetre to a hundred metres", "", run};

}  // namespace pliant::experiments
