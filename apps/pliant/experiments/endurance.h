#pragma once
// Scenes that are hard on contact, for 2000 frames, with the exact judge after each. The experiments
// contact_endurance_* have one each.

#include <functional>

#include "experiments/experiment.h"
#include "pliant/world.h"

namespace pliant::experiments {

struct Endurance {
  /// What a scene is about, with its bound at the end.
  struct Told {
    const char* what;
    std::function<double(const World&)> value;
    double at_least = 0;
  };
  const char* name;
  World world;
  double driven = 0;  // [s] until then pins move
  std::vector<Told> told{};
  int quick_frames = 20;
};

/// Options that the scenes have in common.
WorldOptions endurance_options(const Context& context, int substeps, double friction);

/// Holds all vertices of a body: a bin, a slot.
void pin_all(World& world, BodyId body);

/// Runs it and fills the report.
void endure(Context& context, Report& report, Endurance scene);

}  // namespace pliant::experiments
