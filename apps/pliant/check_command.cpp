// pliant check: reads a scene, builds it and says what is in it, without running it.
#include <fmt/format.h>

#include <cstdio>
#include <memory>
#include <string>

#include "commands.h"
#include "pliant/scene.h"
#include "stats.h"

namespace pliant::app {
namespace {

const char* kind_of(const World& world, BodyId id) {
  return !world.tets(id).empty() ? "solid" : !world.triangles(id).empty() ? "cloth" : "rope";
}

size_t elements_of(const World& world, BodyId id) {
  return !world.tets(id).empty()        ? world.tets(id).size()
         : !world.triangles(id).empty() ? world.triangles(id).size()
                                        : world.edges(id).size();
}

const char* noun_of(const World& world, BodyId id) {
  return !world.tets(id).empty() ? "tets" : !world.triangles(id).empty() ? "triangles" : "segments";
}

double mass_of(const World& world, BodyId id) {
  double mass = 0;
  for (const double m : world.masses(id)) mass += m;
  return mass;
}

int check(const std::string& path) {
  Scene scene = load_scene(path);
  World& world = scene.world;
  world.build();
  for (const std::string& warning : scene.warnings) fmt::print(stderr, "pliant: warning: {}\n", warning);

  const WorldOptions& options = world.options();
  fmt::print("{}: {}\n", path, scene.title.empty() ? "(no title)" : scene.title);
  fmt::print("  {} frames of {:.6g} s, {} substeps, {} {}, {}, {}\n", scene.frames, options.step, options.substeps,
             options.iterations, options.iterations == 1 ? "iteration" : "iterations",
             options.method == Method::xpbd ? "xpbd" : "pbd", precision_name(options));
  fmt::print("  gravity [{:g}, {:g}, {:g}] m/s^2\n", options.gravity.x, options.gravity.y, options.gravity.z);
  fmt::print("  {} {}, {} particles\n", world.body_count(), world.body_count() == 1 ? "body" : "bodies",
             world.particle_count());
  // Copies would fill the screen.
  constexpr int kMostLines = 40;
  for (int i = 0; i < world.body_count() && i < kMostLines; ++i) {
    const BodyId id{i};
    fmt::print("    {:<20} {:<6} {:>8} vertices {:>8} {:<9} {:>10.4g} kg\n", world.name(id), kind_of(world, id),
               world.vertex_count(id), elements_of(world, id), noun_of(world, id), mass_of(world, id));
  }
  if (world.body_count() > kMostLines) fmt::print("    ... and {} more\n", world.body_count() - kMostLines);
  fmt::print("  constraints\n");
  for (const ConstraintCount& count : counts_by_type(world)) {
    fmt::print("    {:<20} {:>8} in {} {}, batches filled to {:.1f} %\n", count.type, count.constraints, count.colors,
               count.colors == 1 ? "phase" : "phases", 100 * count.batch_fill);
  }
  return kOk;
}

}  // namespace

void add_check(CLI::App& app, Action& action) {
  CLI::App* command = app.add_subcommand("check", "Check a scene and say what is in it, without running it.");
  auto path = std::make_shared<std::string>();
  command->add_option("SCENE", *path, "Scene file (JSON)")->required();
  command->footer("\nExample:\n  pliant check scenes/demo.json");
  command->callback([&action, path] { action = [path] { return check(*path); }; });
}

}  // namespace pliant::app
