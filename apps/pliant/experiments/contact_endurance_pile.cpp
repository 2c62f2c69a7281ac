// A pile of 64 soft bodies in a bin, for 2000 frames.
#include <algorithm>

#include "experiments/endurance.h"

namespace pliant::experiments {
namespace {

/// Balls and cubes in turn, layer upon layer, in a bin that is a cloth whose vertices are all held.
Endurance pile(const Context& context) {
  const int across = context.quick() ? 1 : 4, layers = context.quick() ? 2 : 4, cells = context.quick() ? 3 : 6;
  WorldOptions settings = endurance_options(context, 12, 0.3);
  settings.contact->self = false;
  World world(settings);
  const double pitch = 0.127, side = across * pitch + 0.03, height = 0.2 + 0.14 * layers;
  const int bin_cells = std::max(3, static_cast<int>(side / 0.04));
  pin_all(world, world.add(Cloth{.name = "bin",
                                 .mesh = box_surface({side, height, side}, {bin_cells, int(height / 0.04), bin_cells}),
                                 .thickness = 0.004,
                                 .place = {.position = {0, height / 2, 0}}}));
  const Material rubber{.young = 5e4, .poisson = 0.4, .density = 1000};
  for (int k = 0; k < across * across * layers; ++k) {
    const int i = k % across, j = k / across % across, layer = k / across / across;
    const bool ball = (i + j + layer) % 2 == 1;
    world.add(
        Solid{.name = "body" + std::to_string(k),
              .mesh = ball ? ball_tets(0.05, cells) : box_tets({0.08, 0.08, 0.08}, {cells, cells, cells}),
              .material = rubber,
              .thickness = 0.003,
              .place = {.position = {pitch * (i - (across - 1) / 2.0) + 0.003 * ((7 * k) % 5 - 2), 0.08 + layer * 0.13,
                                     pitch * (j - (across - 1) / 2.0) + 0.003 * ((3 * k) % 5 - 2)},
                        .rotation = {0.1 * (k % 4), 0.2 * (k % 3), 0.1 * (k % 5)}}});
  }
  return {.name = "pile",
          .world = std::move(world),
          .told = {{"soft bodies", [](const World& w) { return double(w.body_count() - 1); },
                    context.quick() ? 2.0 : 64.0}}};
}

void run(Context& context, Report& report) { endure(context, report, pile(context)); }

}  // namespace

extern const Experiment contact_endurance_pile = {"contact_endurance_pile",
                                                  "a pile of 64 soft bodies, 2000 frames, judged exactly", "", run};

}  // namespace pliant::experiments
