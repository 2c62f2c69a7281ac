#include "experiments/endurance.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "experiments/touching.h"

namespace pliant::experiments {

WorldOptions endurance_options(const Context& context, int substeps, double friction) {
  WorldOptions out;
  out.step = 1.0 / 60;
  out.substeps = substeps;
  out.threads = context.settings().threads;
  out.contact = ContactOptions{.friction = friction};
  return out;
}

void pin_all(World& world, BodyId body) {
  std::vector<int> all(static_cast<std::size_t>(world.vertex_count(body)));
  std::iota(all.begin(), all.end(), 0);
  world.pin(body, all);
}

void endure(Context& context, Report& report, Endurance scene) {
  const int frames = context.quick() ? scene.quick_frames : 2000;
  World& world = scene.world;
  context.expect(frames);
  std::vector<std::string> columns = {"frame",
                                      "intersecting pairs of triangles",
                                      "contacts",
                                      "kinetic energy [J]",
                                      "elastic energy [J]",
                                      "total energy [J]",
                                      "particles slowed by the guard"};
  for (const auto& told : scene.told) columns.emplace_back(told.what);
  report.table.columns(columns);
  Series total{.title = "total"}, kinetic{.title = "kinetic"};
  int bad = 0;
  // Once pins have stopped nothing puts energy in.
  double highest = -1e300, lowest = 1e300, reached = -1e300, later = -1e300;
  bool finite = true;
  for (int frame = 1; frame <= frames; ++frame) {
    world.step();
    const int pairs = intersecting_pairs(world, world.options().contact->self);
    const Measures m = world.measures();
    finite = finite && std::isfinite(m.total_energy);
    bad += pairs > 0;
    highest = std::max(highest, m.total_energy);
    lowest = std::min(lowest, m.total_energy);
    double& most = world.time() <= scene.driven + 1e-9 || frame == 1 ? reached : later;
    most = std::max(most, m.total_energy);
    total.points.emplace_back(world.time(), m.total_energy);
    kinetic.points.emplace_back(world.time(), m.kinetic_energy);
    std::vector<Table::Cell> row = {double(frame),    double(pairs),  double(m.contacts), m.kinetic_energy,
                                    m.elastic_energy, m.total_energy, double(m.slowed)};
    for (const auto& told : scene.told) row.emplace_back(told.value(world));
    report.table.row(std::move(row));
    context.did(1);
  }
  const double range = std::max(highest - lowest, 1e-30);
  report.figures = {{.what = "frames", .value = double(frames)},
                    {.what = "frames with intersecting triangles", .value = double(bad), .at_most = 0},
                    {.what = "troubles told", .value = double(world.troubles().size()), .at_most = 0},
                    {.what = "energy is finite (1) or not (0)", .value = double(finite), .at_least = 1}};
  if (later > -1e299) {
    // A few frames are all impact, which stiff constraints answer with more than they got.
    report.figures.push_back({.what = "energy beyond what it was when nothing moved the pins any more, over its range",
                              .value = (later - reached) / range,
                              .at_most = context.quick() ? std::nullopt : std::optional(0.05)});
  }
  for (const auto& told : scene.told) {
    report.figures.push_back({.what = told.what, .value = told.value(world), .at_least = told.at_least});
  }
  report.figures.push_back(
      {.what = "particles slowed by the guard, per frame", .value = double(world.measures().slowed) / frames});
  report.plots = {{.title = scene.name,
                   .x_label = "time [s]",
                   .y_label = "energy [J]",
                   .key = "top right",
                   .series = {total, kinetic}}};
  report.notes = {world.options().contact->self ? "Intersections are counted exactly, within bodies, too."
                                                : "Intersections are counted exactly. Bodies do not touch themselves, "
                                                  "and that they do not is not looked at."};
}

}  // namespace pliant::experiments
