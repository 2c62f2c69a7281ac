// Bodies whose vertices start anywhere come back to their shape: flat, mirrored, a line, a point, at random.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <random>

#include "experiments/bodies.h"
#include "experiments/deformation.h"
#include "experiments/experiment.h"
#include "experiments/models.h"

namespace pliant::experiments {
namespace {

constexpr double kDamping = 2;        // [1/s]; a strong one freezes tangles before they come apart
constexpr int kMostSteps = 500;       // until no element is inverted
constexpr double kEnergyLeft = 1e-6;  // over that of the start

/// Rest positions are relative to the middle of the body's box; `half` is half of its size.
struct Start {
  const char* name;
  std::function<Vec3d(const Vec3d& rest, const Vec3d& half, std::mt19937_64& random)> place;
};

const Start kStarts[] = {{"flat",
                          [](const Vec3d& x, const Vec3d&, std::mt19937_64&) {
                            return Vec3d{x.x, 0, x.z};
                          }},
                         {"mirrored",
                          [](const Vec3d& x, const Vec3d&, std::mt19937_64&) {
                            return Vec3d{x.x, -x.y, x.z};
                          }},
                         {"line",
                          [](const Vec3d& x, const Vec3d&, std::mt19937_64&) {
                            return Vec3d{x.x, 0, 0};
                          }},
                         {"point", [](const Vec3d&, const Vec3d&, std::mt19937_64&) { return Vec3d{}; }},
                         {"random", [](const Vec3d&, const Vec3d& half, std::mt19937_64& random) {
                            // Not by a distribution of the library: these differ from one to the next.
                            const auto uniform = [&] { return static_cast<double>(random() >> 11) * 0x1p-52 - 1; };
                            const double x = uniform(), y = uniform(), z = uniform();
                            return Vec3d{half.x * x, half.y * y, half.z * z};
                          }}};

/// The box around some points.
struct Extent {
  Vec3d middle, half;
  explicit Extent(const std::vector<Vec3d>& points) {
    Vec3d low = points.front(), high = low;
    for (const Vec3d& p : points) {
      low = {std::min(low.x, p.x), std::min(low.y, p.y), std::min(low.z, p.z)};
      high = {std::max(high.x, p.x), std::max(high.y, p.y), std::max(high.z, p.z)};
    }
    middle = (low + high) * 0.5;
    half = (high - low) * 0.5;
  }
};

void run(Context& context, Report& report) {
  const auto model = context.quick() ? std::nullopt : armadillo(context, 1, report);
  const TetMesh mesh = model             ? *model
                       : context.quick() ? box_tets({0.24, 0.08, 0.08}, {12, 4, 4})
                                         : box_tets({0.98, 0.18, 0.18}, {49, 9, 9});
  const MaterialModel models[] = {MaterialModel::stvk, MaterialModel::neo_hookean, MaterialModel::corotated};
  const int settle = context.quick() ? 300 : 1000;  // steps after which the energy is looked at
  context.expect(settle * double(std::size(models)) * double(std::size(kStarts)));
  report.table.columns({"start", "model", "step", "inverted elements", "elastic energy over that at the start"});
  double held = 0, most_steps = 0, most_energy = 0;
  for (const Start& start : kStarts) {
    Plot plot{.title = start.name,
              .x_label = "step",
              .y_label = "elastic energy over that of the start",
              .log_y = true,
              .key = "top right"};
    for (const MaterialModel m : models) {
      const Body body{
          .mesh = mesh, .material = {.model = m, .young = 1e5, .poisson = 0.4, .density = 1000}, .held = {}, .tip = {}};
      Stage stage(body, {.step = 1.0 / 60,
                         .substeps = 10,
                         .gravity = {},
                         .point_damping = kDamping,
                         .threads = context.settings().threads});
      const Extent box(stage.rest);
      std::mt19937_64 random(5);
      std::vector<Vec3d> x = stage.rest;
      for (Vec3d& p : x) p = box.middle + start.place(p - box.middle, box.half, random);
      stage.world.set_positions(stage.body, x);
      const double before = stage.world.measures().elastic_energy;
      Series series{.title = name_of(m)};
      int last_inverted = 0;
      double left = 1;
      for (int i = 0; i < settle; ++i) {
        stage.world.step();
        context.did(1);
        const bool told = i < 50 || i % 10 == 9;
        if (!told && i > last_inverted + 50) continue;  // what has come apart stays so; looking takes time
        const int inverted = deformation(mesh, stage.world.positions(stage.body)).inverted;
        if (inverted > 0) last_inverted = i + 1;
        if (!told) continue;
        left = stage.world.measures().elastic_energy / before;
        report.table.row({start.name, name_of(m), double(i + 1), double(inverted), left});
        series.points.emplace_back(i + 1, left);
      }
      plot.series.push_back(series);
      held += !stage.world.troubles().empty();
      const double needed = last_inverted == settle ? INFINITY : double(last_inverted);
      most_steps = std::max(most_steps, needed);
      most_energy = std::max(most_energy, left);
      report.figures.push_back(
          {.what = fmt::format("{}, {}: steps until no element is inverted", start.name, name_of(m)),
           .value = needed,
           .at_most = kMostSteps});
      report.figures.push_back(
          {.what = fmt::format("{}, {}: elastic energy at the end over that at the start", start.name, name_of(m)),
           .value = left,
           .at_most = kEnergyLeft});
    }
    report.plots.push_back(plot);
  }
  report.figures.push_back(
      {.what = "most steps until no element is inverted", .value = most_steps, .at_most = kMostSteps});
  report.figures.push_back({.what = "most energy left", .value = most_energy, .at_most = kEnergyLeft});
  report.figures.push_back({.what = "runs in which a particle had to be held", .value = held, .at_most = 0});
  report.notes.push_back(
      fmt::format("{} tets of 1e5 Pa, Poisson 0.4, 1000 kg/m^3; {} steps of 1/60 s of 10 substeps, damping {}/s, no "
                  "gravity. At random: anywhere in the body's box.",
                  mesh.tets.size(), settle, kDamping));
}

}  // namespace

extern const Experiment recovery = {"recovery", "bodies that start flat, mirrored, as a line, a point or at random", "",
                                    run};

}  // namespace pliant::experiments
