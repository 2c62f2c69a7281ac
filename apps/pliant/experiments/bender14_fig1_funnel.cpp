// 100 armadillos fall through a funnel and come to rest on the ground: nobody ends inside of another, and contact has
// its price.
#include <fmt/format.h>

#include <cmath>
#include <random>

#include "experiments/experiment.h"
#include "experiments/models.h"
#include "experiments/touching.h"
#include "pliant/tetrahedralize.h"

namespace pliant::experiments {
namespace {

constexpr double kHeight = 0.3;   // [m] of a body
constexpr double kBottom = 1.4;   // [m] where the funnel ends, above the ground
constexpr double kAtRest = 0.02;  // [m/s] root mean square of all velocities
constexpr int kTets = 3717;       // of the armadillo

World drop(Context& context, const TetMesh& mesh, int across, int layers) {
  WorldOptions options;
  options.step = 1.0 / 60;
  options.substeps = 10;
  options.threads = context.settings().threads;
  options.stage_times = true;
  options.point_damping = 0.2;
  options.contact = ContactOptions{.self = false, .friction = 0.2};
  World world(options);
  world.add(Plane{}, {.friction = 0.5});
  const double pitch = 1.15 * kHeight, top = 0.75 * pitch * across + 0.2;
  world.add(Funnel{.top_radius = top, .bottom_radius = 0.36, .height = 1.1, .wall = 0.06},
            {.position = {0, kBottom + 0.55, 0}, .friction = 0.05});
  std::mt19937 random(1);
  std::uniform_real_distribution<double> unit(-1, 1);
  for (int k = 0; k < across * across * layers; ++k) {
    const int i = k % across, j = k / across % across, layer = k / across / across;
    world.add(Solid{.name = "body" + std::to_string(k),
                    .mesh = mesh,
                    .material = Material{.young = 3e4, .poisson = 0.4, .density = 1000},
                    .place = {.position = {pitch * (i - (across - 1) / 2.0) + 0.01 * unit(random),
                                           kBottom + 1.4 + layer * 1.2 * kHeight,
                                           pitch * (j - (across - 1) / 2.0) + 0.01 * unit(random)},
                              .rotation = {0, 3.1 * unit(random), 0}}});
  }
  return world;
}

void run(Context& context, Report& report) {
  const bool quick = context.quick();
  TetMesh mesh;
  if (quick) {
    mesh = tetrahedralize(blob(kHeight, 16), {.tets = 250}).mesh;
  } else if (const auto model = armadillo(context, kHeight, report)) {
    mesh = *model;
  } else {
    mesh = tetrahedralize(blob(kHeight, 40), {.tets = kTets}).mesh;
  }
  const int across = quick ? 2 : 5, layers = quick ? 1 : 4, bodies = across * across * layers;
  const int most_frames = quick ? 60 : 600;
  World world = drop(context, mesh, across, layers);
  context.expect(most_frames);
  report.table.columns({"time [s]", "intersecting pairs of triangles", "contacts between bodies", "ms per step",
                        "contact over elasticity", "speed [m/s]", "particles slowed by the guard"});
  Series share{.title = "contact over elasticity"}, speed{.title = "root mean square speed [m/s]"};
  ContactCost last{};
  int bad_frames = 0, most_pairs = 0, frames = 0, quiet = 0;
  double longest = 0;
  for (; frames < most_frames && quiet < 10; ++frames) {
    world.step();
    const ContactCost now = contact_cost(world);
    const Measures measures = world.measures();
    const int pairs = intersecting_pairs(world, false);
    const double ms = 1e3 * (now.all - last.all);
    const double ratio = (now.contact - last.contact) / (now.elasticity - last.elasticity);
    const double rms = std::sqrt(2 * measures.kinetic_energy / measures.mass);
    bad_frames += pairs > 0;
    most_pairs = std::max(most_pairs, pairs);
    longest = std::max(longest, ms);
    quiet = world.time() > 1 && rms < kAtRest ? quiet + 1 : 0;
    report.table.row({world.time(), double(pairs), double(measures.contacts), ms, ratio, rms, double(measures.slowed)});
    share.points.emplace_back(world.time(), ratio);
    speed.points.emplace_back(world.time(), rms);
    last = now;
    context.did(1);
  }
  int through = 0;
  for (int b = 0; b < bodies; ++b) {
    double highest = -1e9;
    for (const Vec3d& x : world.positions({b})) highest = std::max(highest, x.y);
    through += highest < kBottom + 0.2;
  }
  report.plots = {
      {.title = "what contact costs", .x_label = "time [s]", .y_label = "contact over elasticity", .series = {share}},
      {.title = "from drop to rest", .x_label = "time [s]", .y_label = "speed [m/s]", .series = {speed}}};
  report.figures = {
      {.what = "bodies", .value = double(bodies), .document = "100"},
      {.what = "tets", .value = double(bodies) * double(mesh.tets.size()), .document = "371700"},
      {.what = "frames with triangles of two bodies that intersect", .value = double(bad_frames), .at_most = 0},
      {.what = "most such pairs in a frame", .value = double(most_pairs), .at_most = 0},
      {.what = "troubles told", .value = double(world.troubles().size()), .at_most = 0},
      {.what = "bodies that are through the funnel at the end", .value = double(through)},
      {.what = "frames until rest", .value = double(frames)},
      {.what = "ms per step, mean", .value = 1e3 * last.all / frames},
      {.what = "ms per step, longest", .value = longest}};
  // Times of a few small bodies say nothing.
  Figure cost{.what = "contact over elasticity, whole run", .value = last.contact / last.elasticity};
  if (!quick) {
    cost.at_most = 1;
    report.figures.push_back(
        {.what = "speed at the end, root mean square [m/s]", .value = speed.points.back().second, .at_most = kAtRest});
  }
  report.figures.push_back(cost);
  report.notes.push_back(fmt::format(
      "{} bodies of {} tets, {} m tall, 3e4 Pa, 10 substeps of 1/600 s; contact between bodies and with the funnel and "
      "the ground. Bodies do not touch themselves.",
      bodies, mesh.tets.size(), kHeight));
}

}  // namespace

extern const Experiment bender14_fig1_funnel = {
    "bender14_fig1_funnel", "100 bodies fall through a funnel; what contact costs", "bender14, figure 1 (left)", run};

}  // namespace pliant::experiments
