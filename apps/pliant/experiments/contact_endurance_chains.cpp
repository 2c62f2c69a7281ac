// Soft links that hold each other by contact alone and are pulled apart, for 2000 frames.
#include "experiments/endurance.h"

namespace pliant::experiments {
namespace {

constexpr double kPi = 3.14159265358979323846;

/// Two chains of soft links, hooked into each other, pulled apart.
Endurance chains(const Context& context) {
  const int links = context.quick() ? 2 : 6;
  const double radius = 0.1, tube = 0.025, pitch = 2 * (radius - tube) - 0.008, pull = context.quick() ? 0.01 : 0.12,
               seconds = context.quick() ? 0.2 : 3;
  WorldOptions settings = endurance_options(context, 30, 0.2);
  settings.gravity = {};
  settings.contact->self = false;
  World world(settings);
  std::vector<BodyId> bodies;
  for (int k = 0; k < links; ++k) {
    bodies.push_back(world.add(Solid{
        .name = "link" + std::to_string(k),
        .mesh = torus_tets(radius, tube, 28, 3),
        .material = Material{.model = MaterialModel::neo_hookean, .young = 1e6, .poisson = 0.4, .density = 1000},
        .place = {.position = {pitch * (k - (links - 1) / 2.0), 0, 0}, .rotation = {k % 2 ? kPi / 2 : 0, 0, 0}}}));
  }
  for (const int end : {0, links - 1}) {
    const double side = end == 0 ? -1 : 1;
    const std::vector<Vec3d> x = world.rest_positions(bodies[end]);
    std::vector<int> held;
    for (int v = 0; v < static_cast<int>(x.size()); ++v) {
      if (x[v].x * side > radius) held.push_back(v);
    }
    world.pin(bodies[end], held, {{0, {}, {}}, {seconds, {side * pull, 0, 0}, {}}});
  }
  const auto contacts = [](const World& w) { return double(w.measures().contacts); };
  return {.name = "chains",
          .world = std::move(world),
          .driven = seconds,
          .told = {{"contacts that hold them", contacts, context.quick() ? 0.0 : 1.0}}};
}

void run(Context& context, Report& report) { endure(context, report, chains(context)); }

}  // namespace

extern const Experiment contact_endurance_chains = {
    "contact_endurance_chains", "interlocked chains pulled apart, 2000 frames, judged exactly", "", run};

}  // namespace pliant::experiments
