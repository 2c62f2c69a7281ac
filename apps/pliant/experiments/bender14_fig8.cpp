// A beam is twisted and let go: what stays, for four sets of plastic parameters.
#include <fmt/format.h>

#include <cmath>
#include <numbers>

#include "experiments/bodies.h"
#include "experiments/experiment.h"

namespace pliant::experiments {
namespace {

struct Set {
  const char* name;
  double yield, creep, max;
};
/// The document prints no numbers. (a) flows slowly, (b) creeps faster, (c) as (b) yields later, (d) as (b) has a
/// limit.
constexpr Set kSets[] = {
    {"a", 0.02, 0.5, 1}, {"b, more creep", 0.02, 8, 1}, {"c, more yield", 0.1, 8, 1}, {"d, less max", 0.02, 8, 0.08}};
enum { kSlow, kFast, kLater, kLimited };

struct Model {
  const char* name;
  MaterialModel model;
  PlasticModel plastic;
};
constexpr Model kModels[] = {{"stvk, additive", MaterialModel::stvk, PlasticModel::additive},
                             {"neo_hookean, multiplicative", MaterialModel::neo_hookean, PlasticModel::multiplicative}};

constexpr double kTurning = 1, kHolding = 0.5, kFree = 4;  // [s]

struct Outcome {
  double held = 0;    // elastic energy before it is let go [J]
  double twist = 0;   // that stays [degrees]
  double volume = 0;  // relative change
  bool finite = true;
  std::vector<std::pair<double, double>> track;  // time [s], twist [degrees]
};

/// Of the free end, about x [degrees].
double twist(const Stage& stage, const Body& body) {
  const std::vector<Vec3d> x = stage.world.positions(stage.body);
  double sine = 0, cosine = 0;
  for (const int v : body.tip) {
    const Vec3d &from = stage.rest[static_cast<std::size_t>(v)], &to = x[static_cast<std::size_t>(v)];
    sine += from.y * to.z - from.z * to.y;
    cosine += from.y * to.y + from.z * to.z;
  }
  return std::atan2(sine, cosine) * 180 / std::numbers::pi;
}

Outcome twist_and_release(Context& context, const Model& model, const Set& set) {
  const Body body = wall_mounted(
      {1, 0.2, 0.2}, context.quick() ? std::array{8, 2, 2} : std::array{20, 4, 4},
      {.model = model.model,
       .young = 1e5,
       .poisson = 0.4,
       .plasticity = Plasticity{.model = model.plastic, .yield = set.yield, .creep = set.creep, .max = set.max}});
  Stage stage(
      body,
      {.step = 1.0 / 60, .substeps = 20, .gravity = {}, .point_damping = 3, .threads = context.settings().threads});
  stage.world.pin(stage.body, body.tip, {{.time = 0}, {.time = kTurning, .turn = {std::numbers::pi / 2, 0, 0}}});
  const double volume = stage.world.measures().volume;
  Outcome out;
  const auto run = [&](double seconds) {
    for (int i = 0; i < std::lround(seconds * 60); ++i) {
      stage.world.step();
      out.track.emplace_back(stage.world.time(), twist(stage, body));
      context.did(1);
    }
  };
  run(kTurning + kHolding);
  out.held = stage.world.measures().elastic_energy;
  stage.world.unpin(stage.body, body.tip);
  run(kFree);
  out.twist = twist(stage, body);
  out.volume = stage.world.measures().volume / volume - 1;
  out.finite = stage.world.troubles().empty();
  return out;
}

void run(Context& context, Report& report) {
  context.expect((kTurning + kHolding + kFree) * 60 * double(std::size(kSets)) * double(std::size(kModels)));
  report.table.columns({"model", "set", "yield", "creep [1/s]", "max", "time [s]", "twist [degrees]"});
  double volume = 0, held = 0;
  for (const Model& model : kModels) {
    Plot plot{.title = model.name, .x_label = "time [s]", .y_label = "twist [degrees]", .key = "top right"};
    double twists[std::size(kSets)], energies[std::size(kSets)];
    for (const Set& set : kSets) {
      const Outcome out = twist_and_release(context, model, set);
      for (const auto& [time, angle] : out.track)
        report.table.row({model.name, set.name, set.yield, set.creep, set.max, time, angle});
      plot.series.push_back({.title = set.name, .points = out.track});
      twists[&set - kSets] = out.twist;
      energies[&set - kSets] = out.held;
      volume = std::max(volume, std::abs(out.volume));
      held += !out.finite;
      report.figures.push_back(
          {.what = fmt::format("{}, set {}: twist that stays [degrees]", model.name, set.name), .value = out.twist});
    }
    report.plots.push_back(plot);
    const auto compare = [&](const char* what, double value, double at_least, const char* document) {
      report.figures.push_back({.what = fmt::format("{}: {}", model.name, what),
                                .value = value,
                                .at_least = at_least,
                                .document = document});
    };
    compare("twist of b minus that of a [degrees]", twists[kFast] - twists[kSlow], 5,
            "a larger creep: higher plastic strain");
    compare("elastic energy of a over that of b before it is let go", energies[kSlow] / energies[kFast], 2,
            "almost all elastic strain was absorbed");
    compare("twist of b minus that of c [degrees]", twists[kFast] - twists[kLater], 5,
            "a larger yield: less elastic strain is absorbed");
    compare("twist of b minus that of d [degrees]", twists[kFast] - twists[kLimited], 5,
            "the plastic strain is limited");
    compare("elastic energy of d over that of b before it is let go", energies[kLimited] / energies[kFast], 2,
            "a higher elastic strain at the end");
  }
  report.figures.push_back({.what = "largest change of the volume", .value = volume, .at_most = 0.01});
  report.figures.push_back({.what = "runs in which a particle had to be held", .value = held, .at_most = 0});
  report.notes = {
      "A bar of 1 x 0.2 x 0.2 m, 1e5 Pa, Poisson 0.4, is turned by 90 degrees within 1 s, held for 0.5 s and "
      "let go. The document prints no numbers; these sets show what its text says."};
}

}  // namespace

extern const Experiment bender14_fig8 = {"bender14_fig8", "four plastic twists: what stays of them",
                                         "bender14, figure 8", run};

}  // namespace pliant::experiments
