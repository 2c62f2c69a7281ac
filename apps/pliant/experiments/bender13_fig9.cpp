// Hair: strands per second by dynamic follow-the-leader, and how exactly they keep their length.
#include <algorithm>
#include <ctime>

#include "experiments/experiment.h"
#include "experiments/stretch.h"

namespace pliant::experiments {
namespace {

struct Run {
  double rate = 0;     // particles advanced per second of one core's time
  double stretch = 0;  // largest relative error of a segment after any step
  bool finite = true;
};

Run run_hair(int strands, int segments, double shape_frequency, bool wind, int frames) {
  WorldOptions options{.step = 1.0 / 60, .substeps = 1, .threads = 1};
  if (wind) options.wind = Wind{.velocity = {3, 0, 0}, .gust_strength = 0.5};
  World world(options);
  const TriMesh head = sphere(0.1, 4);
  const BodyId ball = world.add(Cloth{.mesh = head});
  std::vector<int> all(head.positions.size());
  for (std::size_t v = 0; v < all.size(); ++v) all[v] = static_cast<int>(v);
  world.pin(ball, all, {{0, {}, {}}, {0.5, {0.2, 0, 0}, {0, 2, 0}}, {1, {}, {}}});
  const HairStyle style{.length = 0.3, .segments = segments, .curl_radius = 0.01, .curl_turns = 3};
  const BodyId hair = world.add(
      Hair{.mesh = grow(head, scatter(head, strands), style), .shape_frequency = shape_frequency, .on = ball});
  world.step();
  Run out;
  std::clock_t busy = 0;
  for (int k = 0; k < frames; ++k) {
    const std::clock_t begin = std::clock();  // of this process: one thread
    world.step();
    busy += std::clock() - begin;
    const auto x = world.positions(hair), rest = world.rest_positions(hair);
    for (const Edge& e : world.edges(hair)) {
      const auto at = [](const std::vector<Vec3d>& p, int v) { return p[static_cast<std::size_t>(v)]; };
      const double s = length(at(x, e[1]) - at(x, e[0])) / length(at(rest, e[1]) - at(rest, e[0])) - 1;
      out.stretch = std::max(out.stretch, std::abs(s));
    }
  }
  const double particles = double(world.particle_count()) * frames;
  out.rate = particles / (double(std::max<std::clock_t>(busy, 1)) / CLOCKS_PER_SEC);
  out.finite = world.troubles().empty();
  return out;
}

void run(Context& context, Report& report) {
  const int frames = context.quick() ? 6 : 60;
  struct Case {
    int strands, segments;
    double shape;
    bool wind;
  };
  std::vector<Case> cases = {
      {1000, 25, 0, false}, {1000, 25, 3, false}, {1000, 25, 3, true}, {10000, 25, 0, false}, {10000, 25, 3, true}};
  if (!context.quick()) cases.push_back({47000, 25, 0, false});
  report.table.columns({"strands", "particles", "rest shape", "wind", "particles per second", "strands per frame",
                        "largest stretch", "finite"});
  Plot plot{.title = "Dynamic follow-the-leader on one thread",
            .x_label = "strands",
            .y_label = "particles per second",
            .log_x = true,
            .series = {{.title = "bare", .style = Series::Style::both},
                       {.title = "rest shape and wind", .style = Series::Style::both}}};
  context.expect(static_cast<double>(cases.size()));
  double slowest = 1e300, stretch = 0, bad = 0;
  for (const Case& c : cases) {
    const Run r = run_hair(c.strands, c.segments, c.shape, c.wind, frames);
    report.table.row({double(c.strands), double(c.strands) * (c.segments + 1), c.shape > 0 ? "yes" : "no",
                      c.wind ? "yes" : "no", r.rate, r.rate / 60 / (c.segments + 1), r.stretch,
                      r.finite ? "yes" : "no"});
    if (c.shape == 0 && !c.wind) plot.series[0].points.emplace_back(c.strands, r.rate);
    if (c.wind) plot.series[1].points.emplace_back(c.strands, r.rate);
    slowest = std::min(slowest, r.rate);
    stretch = std::max(stretch, r.stretch);
    bad += !r.finite;
    context.did(1);
  }
  report.plots = {plot};
  report.figures = {
      {.what = "strand particles advanced per second on one thread, slowest case [1/s]",
       .value = slowest,
       .at_least = 1e6,
       .document = "thousands of hair strands in real time"},
      {.what = "largest stretch of a segment after any step, relative", .value = stretch, .at_most = 1e-5},
      {.what = "runs in which a particle had to be held", .value = bad, .at_most = 0}};
  report.notes = {"Processor time of one thread, one step of 1/60 s per frame, prediction and velocities included."};
}

}  // namespace

extern const Experiment bender13_fig9 = {"bender13_fig9", "hair strands per second, and their stretch",
                                         "bender13, figure 9", run};

}  // namespace pliant::experiments
