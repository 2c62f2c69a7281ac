// A ribbon that folds onto itself in more than 30 layers, for 2000 frames.
#include <algorithm>
#include <cmath>

#include "experiments/endurance.h"

namespace pliant::experiments {
namespace {

/// A strip that falls into a slot so narrow that it folds once for every few centimetres of its length.
Endurance ribbon(const Context& context) {
  const double length = context.quick() ? 0.4 : 3.2, height = length + 0.3;
  const int cells = static_cast<int>(length / 0.015);
  World world(endurance_options(context, 15, 0.2));
  pin_all(world, world.add(Cloth{.name = "slot",
                                 .mesh = box_surface({0.06, height, 0.12}, {3, int(height / 0.04), 4}),
                                 .thickness = 0.002,
                                 .place = {.position = {0, height / 2, 0}}}));
  TriMesh strip = grid({0.06, length}, {4, cells});
  for (Vec3d& x : strip.positions) x = {0.006 * std::sin(60 * x.z), x.z, x.x};
  const BodyId body = world.add(Cloth{.name = "ribbon",
                                      .mesh = strip,
                                      .thickness = 0.002,
                                      .place = {.position = {0, height / 2, 0}},
                                      .constraints = {{"distance", {}}, {"bend", {.compliance = 1000.0}}}});
  // Layers: how often the middle line crosses the middle of the slot.
  const auto layers = [body, cells](const World& w) {
    const std::vector<Vec3d> x = w.positions(body);
    int crossings = 0;
    for (int j = 0; j < cells; ++j) crossings += (x[j * 5 + 2].x > 0) != (x[(j + 1) * 5 + 2].x > 0);
    return double(crossings);
  };
  return {.name = "ribbon", .world = std::move(world), .told = {{"layers", layers, context.quick() ? 1.0 : 30.0}}};
}

void run(Context& context, Report& report) { endure(context, report, ribbon(context)); }

}  // namespace

extern const Experiment contact_endurance_ribbon = {"contact_endurance_ribbon",
                                                    "a ribbon of 30 layers, 2000 frames, judged exactly", "", run};

}  // namespace pliant::experiments
