// An elastoplastic body under a heavy sphere keeps the dent when the sphere is taken away.
#include <fmt/format.h>

#include <cmath>

#include "experiments/bodies.h"
#include "experiments/deformation.h"
#include "experiments/experiment.h"

namespace pliant::experiments {
namespace {

constexpr double kStep = 1.0 / 600;                 // [s]
constexpr double kPressing = 2.0, kResting = 2.0;   // [s] with the sphere, and without
constexpr double kRadius = 0.4;                     // [m] of the body
constexpr double kSphereRadius = 0.6, kMass = 200;  // [m], [kg]

struct Case {
  const char* name;
  MaterialModel model;
  std::optional<Plasticity> plasticity;
};

struct Outcome {
  double pressed = 0, kept = 0;  // how much lower the top is, over the height [-]
  double left = 0;               // distance from the rest shape at the end
  double volume = 0;             // change at the end
  int inverted = 0;              // elements at the end
  double force = 0;              // [N] that bears the sphere, mean over its last second there
  bool finite = true;
  Series track;  // time [s], height over that at rest
};

Outcome press(Context& context, const Case& c) {
  Body body{.mesh = ball_tets(kRadius, context.quick() ? 4 : 8),
            .material = {.model = c.model, .young = 1e5, .poisson = 0.4, .density = 1000, .plasticity = c.plasticity},
            .held = {},
            .tip = {}};
  body.held = at_bottom(body.mesh, 0.2 * kRadius);
  Stage stage(body, {.step = kStep, .substeps = 2, .point_damping = 3, .threads = context.settings().threads});
  stage.world.set_acceleration(stage.body, -stage.world.options().gravity);  // only the sphere has weight
  const ColliderId sphere =
      stage.world.add(Sphere{.radius = kSphereRadius},
                      {.position = {0, kRadius + kSphereRadius + 0.02, 0}, .friction = 0, .mass = kMass});
  const double height = 2 * kRadius;
  Outcome out;
  out.track.title = c.name;
  double impulse = 0;  // [N s] on the sphere in the second half, less what its momentum changed by
  const auto run = [&](double seconds) {
    const auto momentum = [&] { return kMass * stage.world.rigid_motion(sphere).velocity.y; };
    double before = 0;
    impulse = 0;
    for (int i = 0; i < std::lround(seconds / kStep); ++i) {
      if (i * kStep < seconds / 2) before = momentum();
      stage.world.step();
      if (i * kStep >= seconds / 2) impulse += stage.world.contact_force(sphere).y * kStep;
      if (i % 20 == 19) {
        out.track.points.emplace_back(stage.world.time(),
                                      1 - (kRadius - top(stage.world.positions(stage.body))) / height);
        context.did(20);
      }
    }
    impulse -= momentum() - before;
    return 1 - out.track.points.back().second;
  };
  out.pressed = run(kPressing);
  out.force = impulse / (kPressing / 2);
  stage.world.set_rigid_motion(sphere, {0, 100, 0});  // gone, and not back before the end
  out.kept = run(kResting);
  const Deformation d = deformation(body.mesh, stage.world.positions(stage.body));
  out.left = d.distance;
  out.volume = d.volume - 1;
  out.inverted = d.inverted;
  out.finite = stage.world.troubles().empty();
  return out;
}

void run(Context& context, Report& report) {
  const auto flow = [](PlasticModel model) {
    return Plasticity{.model = model, .yield = 0.05, .creep = 5, .max = 0.25};
  };
  const Case cases[] = {{"elastic", MaterialModel::stvk, {}},
                        {"elastoplastic, additive", MaterialModel::stvk, flow(PlasticModel::additive)},
                        {"elastoplastic, multiplicative", MaterialModel::stvk, flow(PlasticModel::multiplicative)},
                        {"elastoplastic, neo_hookean", MaterialModel::neo_hookean, flow(PlasticModel::multiplicative)}};
  context.expect(double(std::size(cases)) * (kPressing + kResting) / kStep);
  report.table.columns({"case", "time [s]", "height over that at rest"});
  Plot plot{.title = "a ball under a heavy sphere, which is taken away after 2 s",
            .x_label = "time [s]",
            .y_label = "height over that at rest",
            .key = "bottom right"};
  double held = 0, inverted = 0;
  for (const Case& c : cases) {
    const Outcome out = press(context, c);
    for (const auto& [time, height] : out.track.points) report.table.row({c.name, time, height});
    plot.series.push_back(out.track);
    held += !out.finite;
    inverted += out.inverted;
    const auto add = [&](const char* what, double value, std::optional<double> low, std::optional<double> high,
                         const char* document = "") {
      report.figures.push_back({.what = fmt::format("{}: {}", c.name, what),
                                .value = value,
                                .at_least = low,
                                .at_most = high,
                                .document = document});
    };
    add("lower by, under the sphere", out.pressed, 0.1, 0.7);
    if (c.plasticity) {
      add("part of it that stays", out.kept / out.pressed, 0.2, 1.0, "deformed persistently");
    } else {
      add("part of it that stays", out.kept / out.pressed, -0.02, 0.02);
    }
    add("force that bears the sphere in its last second there, over its weight", out.force / (kMass * 9.81), 0.99,
        1.01);
    add("change of the volume at the end", out.volume, -0.03, 0.03);
    add("distance from the rest shape at the end", out.left, {}, {});
  }
  report.plots = {plot};
  report.figures.push_back({.what = "inverted elements at the end", .value = inverted, .at_most = 0});
  report.figures.push_back({.what = "runs in which a particle had to be held", .value = held, .at_most = 0});
  report.notes = {
      "A ball of 0.8 m (1e5 Pa, Poisson 0.4, 1000 kg/m^3) stands in for the dragon; its bottom is held and it has no "
      "weight of its own.",
      "The sphere (1.2 m, 200 kg, without friction) is a rigid body that is pushed back; to take it away it is thrown "
      "up "
      "at 100 m/s."};
}

}  // namespace

extern const Experiment bender14_fig9 = {"bender14_fig9", "an elastoplastic body under a heavy sphere",
                                         "bender14, figure 9", run};

}  // namespace pliant::experiments
