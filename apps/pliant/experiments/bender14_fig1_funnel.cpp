// 100 armadillos fall through a funnel and come to rest on the ground: nobody ends inside of another, and contact has
// its price.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>

#include "experiments/experiment.h"
#include "experiments/models.h"
#include "experiments/touching.h"
#include "mesh/topology.h"
#include "pliant/tetrahedralize.h"

namespace pliant::experiments {
namespace {

constexpr double kHeight = 0.3;    // [m] of a body
constexpr double kBottom = 0.7;    // [m] where the funnel ends, above the ground
constexpr double kThroat = 0.33;   // [m] radius there: two to three bodies pass at a time
constexpr double kTop = 1.2;       // [m] radius at its upper end
constexpr double kFunnel = 0.6;    // [m] height of the funnel
constexpr double kAtRest = 0.02;   // [m/s] root mean square of all velocities
constexpr int kTets = 3717;        // of the armadillo
constexpr double kDensity = 1000;  // [kg/m^3]
constexpr int kFramesPerWindow = 10;
/// What contact costs is judged in every frame, as the median of this and its two neighbours: other programs take
/// milliseconds now and then, from whichever stage is under way.
double largest_median(const std::vector<std::pair<double, double>>& ratios) {
  double largest = 0;
  for (std::size_t k = 1; k + 1 < ratios.size(); ++k) {
    const double a = ratios[k - 1].second, b = ratios[k].second, c = ratios[k + 1].second;
    largest = std::max(largest, std::max(std::min(a, b), std::min(std::max(a, b), c)));
  }
  return largest;
}
/// The exact judge takes two fifths of the time of a step: it looks at every fifth frame, and at the last.
constexpr int kJudged = 5;

// How the scene is set:
//
// - The bodies are of soft rubber, 2e5 Pa: sound takes 14 m/s, seven times the speed at which they meet, so that they
//   are dented and not crushed. Neo-Hookean, since StVK gives way where it is squeezed by more than 58 % (bender14,
//   figure 2); in the form that is defined for inverted tets, as a claw between two bodies may be.
// - They start close above the funnel's wall and above each other. An armadillo fills a twentieth of the space that it
//   stands in, so the upper ones come down by a metre all the same: a drag of 2 / s keeps them to 2.2 m/s (root mean
//   square), and the wall's friction of 0.35 (its slope is 0.69) lets them slide and not fall.
// - 20 substeps: at 4 m/s a body moves by 3.3 mm in one, half of the thickness of 6 mm (0.45 of the mean edge).
// - Five iterations, as in bender14's table 1. With one, elements at loaded contacts have to be swept a second time,
//   which in a heap are most of them, and the guard stops many more particles (measured: docs/experiments).
// - The armadillo's tets are 1.8 to 37 mm large, and its lightest vertex weighs 1/500 of the mean: 250 substeps could
//   follow that. No vertex weighs less than a quarter of the mean, which adds 4 % to a body's mass.
// - Rubber takes motion up: deformation decays at 20 / s, a tenth of its slowest vibration (180 rad/s).
constexpr double kYoung = 2e5;            // [Pa]
constexpr double kThickness = 0.006;      // [m]
constexpr double kLeastMass = 0.25;       // of the mean
constexpr double kDeformationDecay = 20;  // [1/s]
constexpr double kDrag = 2;               // [1/s]
constexpr int kSubsteps = 20, kIterations = 5;

/// Masses of the vertices [kg], none below a part of the mean.
std::vector<double> masses_of(const TetMesh& mesh) {
  std::vector<double> mass = lumped_masses(mesh.tets, mesh.positions, kDensity);
  const double mean = std::accumulate(mass.begin(), mass.end(), 0.0) / static_cast<double>(mass.size());
  for (double& m : mass) m = std::max(m, kLeastMass * mean);
  return mass;
}

World drop(Context& context, const TetMesh& mesh, int across, int layers) {
  WorldOptions options;
  options.step = 1.0 / 60;
  options.substeps = kSubsteps;
  options.iterations = kIterations;
  options.threads = context.settings().threads;
  options.stage_times = true;
  options.point_damping = kDrag;
  options.global_damping = kDeformationDecay;
  options.contact = ContactOptions{.self = false, .friction = 0.3, .thickness = kThickness};
  World world(options);
  world.add(Plane{}, {.friction = 0.5});
  world.add(Funnel{.top_radius = kTop, .bottom_radius = kThroat, .height = kFunnel, .wall = 0.06},
            {.position = {0, kBottom + kFunnel / 2, 0}, .friction = 0.35});
  const std::vector<double> masses = masses_of(mesh);
  const double pitch = 1.1 * kHeight, pitch_up = 1.08 * kHeight;
  std::mt19937 random(1);
  std::uniform_real_distribution<double> unit(-1, 1);
  for (int k = 0; k < across * across * layers; ++k) {
    const int i = k % across, j = k / across % across, layer = k / across / across;
    Vec3d at{pitch * (i - (across - 1) / 2.0) + 0.01 * unit(random), 0,
             pitch * (j - (across - 1) / 2.0) + 0.01 * unit(random)};
    // A column stands where a cylinder of 0.17 m would touch the wall.
    const double beyond = std::max(0.0, std::hypot(at.x, at.z) + 0.17 - kThroat);
    at.y = kBottom + beyond * kFunnel / (kTop - kThroat) + 0.5 * kHeight + 0.02 + layer * pitch_up;
    world.add(Solid{
        .name = "body" + std::to_string(k),
        .mesh = mesh,
        .material =
            Material{.model = MaterialModel::neo_hookean_stable, .young = kYoung, .poisson = 0.4, .density = kDensity},
        .masses = masses,
        .place = {.position = at, .rotation = {0, 3.1 * unit(random), 0}}});
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
  const std::vector<std::string> warnings = world.warnings();
  Series share{.title = "contact over elasticity"}, speed{.title = "root mean square speed [m/s]"};
  ContactCost last{};
  std::vector<ContactCost> costs{last};
  int bad_frames = 0, dear_frames = 0, judged = 0, most_pairs = 0, pairs = 0, frames = 0, quiet = 0;
  double longest = 0, largest_step = 0, largest_window = 0, fastest = 0;
  for (; frames < most_frames && quiet < 10; ++frames) {
    world.step();
    const ContactCost now = contact_cost(world);
    const Measures measures = world.measures();
    const double ms = 1e3 * (now.all - last.all);
    const double ratio = (now.contact - last.contact) / (now.elasticity - last.elasticity);
    const double rms = std::sqrt(2 * measures.kinetic_energy / measures.mass);
    longest = std::max(longest, ms);
    fastest = std::max(fastest, rms);
    costs.push_back(now);
    if (frames > 0) {  // the first one finds all anew
      largest_step = std::max(largest_step, ratio);
      dear_frames += ratio > 1;
      share.points.emplace_back(world.time(), ratio);
    }
    if (frames >= kFramesPerWindow) {
      const ContactCost& before = costs[costs.size() - 1 - kFramesPerWindow];
      largest_window = std::max(largest_window, (now.contact - before.contact) / (now.elasticity - before.elasticity));
    }
    quiet = world.time() > 1 && rms < kAtRest ? quiet + 1 : 0;
    if (frames % kJudged == kJudged - 1 || frames == most_frames - 1 || quiet == 10) {
      pairs = intersecting_pairs(world, false);
      bad_frames += pairs > 0;
      most_pairs = std::max(most_pairs, pairs);
      ++judged;
    }
    report.table.row({world.time(), double(pairs), double(measures.contacts), ms, ratio, rms, double(measures.slowed)});
    speed.points.emplace_back(world.time(), rms);
    last = now;
    context.did(1);
  }
  int through = 0;
  for (int b = 0; b < bodies; ++b) {
    double highest = -1e9;
    for (const Vec3d& x : world.positions({b})) highest = std::max(highest, x.y);
    through += highest < kBottom;
  }
  report.plots = {
      {.title = "what contact costs", .x_label = "time [s]", .y_label = "contact over elasticity", .series = {share}},
      {.title = "from drop to rest", .x_label = "time [s]", .y_label = "speed [m/s]", .series = {speed}}};
  report.figures = {
      {.what = "bodies", .value = double(bodies), .document = "100"},
      {.what = "tets", .value = double(bodies) * double(mesh.tets.size()), .document = "371700"},
      {.what = "frames that were judged", .value = double(judged)},
      {.what = "of these, with triangles of two bodies that intersect", .value = double(bad_frames), .at_most = 0},
      {.what = "most such pairs in a frame", .value = double(most_pairs), .at_most = 0},
      {.what = "troubles told", .value = double(world.troubles().size()), .at_most = 0},
      {.what = "warnings told", .value = double(warnings.size()), .at_most = 0},
      {.what = "bodies that are through the funnel at the end", .value = double(through)},
      {.what = "frames until rest", .value = double(frames)},
      {.what = "ms per step, mean", .value = 1e3 * last.all / frames},
      {.what = "ms per step, longest", .value = longest}};
  // Times of a few small bodies say nothing.
  Figure cost{.what = "contact over elasticity, whole run", .value = last.contact / last.elasticity};
  Figure dearest{.what = "contact over elasticity, largest of all frames (median of three neighbours)",
                 .value = largest_median(share.points)};
  if (!quick) {
    cost.at_most = dearest.at_most = 1;
    report.figures.push_back(
        {.what = "speed at the end, root mean square [m/s]", .value = speed.points.back().second, .at_most = kAtRest});
  }
  report.figures.push_back(cost);
  report.figures.push_back(dearest);
  report.figures.push_back({.what = "contact over elasticity, largest of ten frames", .value = largest_window});
  report.figures.push_back({.what = "contact over elasticity, largest of one frame", .value = largest_step});
  report.figures.push_back({.what = "frames in which contact takes longer", .value = double(dear_frames)});
  report.figures.push_back({.what = "largest speed, root mean square [m/s]", .value = fastest});
  report.figures.push_back({.what = "particles slowed by the guard", .value = double(world.measures().slowed)});
  report.notes.push_back(fmt::format(
      "{} bodies of {} tets, {} m tall, {:g} Pa, {} substeps of {} iterations in 1/60 s; contact between bodies and "
      "with "
      "the funnel and the ground. Bodies do not touch themselves. Triangles are judged in every {}th frame.",
      bodies, mesh.tets.size(), kHeight, kYoung, kSubsteps, kIterations, kJudged));
}

}  // namespace

extern const Experiment bender14_fig1_funnel = {
    "bender14_fig1_funnel", "100 bodies fall through a funnel; what contact costs", "bender14, figure 1 (left)", run};

}  // namespace pliant::experiments
