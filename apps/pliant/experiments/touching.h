#pragma once
// What experiments on contact have in common: the exact judge, and what contact costs.

#include "pliant/world.h"

namespace pliant::experiments {

/// Pairs of triangles of all bodies that intersect, exactly; with or without those of one body.
int intersecting_pairs(const World& world, bool within_bodies);

/// Times since the world was built [s]; WorldOptions::stage_times must be set.
struct ContactCost {
  double contact = 0;     // finding, projecting, guarding
  double elasticity = 0;  // projecting constraints
  double all = 0;
};
ContactCost contact_cost(const World& world);

}  // namespace pliant::experiments
