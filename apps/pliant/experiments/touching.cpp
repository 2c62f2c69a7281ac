#include "experiments/touching.h"

#include "contact/intersections.h"

namespace pliant::experiments {

int intersecting_pairs(const World& world, bool within_bodies) {
  std::vector<Vec3d> x;
  std::vector<Triangle> triangles;
  std::vector<int> body;
  for (int b = 0; b < world.body_count(); ++b) {
    const int first = static_cast<int>(x.size());
    for (const Vec3d& p : world.positions({b})) x.push_back(p);
    for (const Triangle& t : world.triangles({b})) {
      triangles.push_back({t[0] + first, t[1] + first, t[2] + first});
      body.push_back(b);
    }
  }
  int count = 0;
  for (const IntersectingPair& pair : intersecting_triangles(x, triangles)) {
    count += within_bodies || body[pair[0]] != body[pair[1]];
  }
  return count;
}

ContactCost contact_cost(const World& world) {
  ContactCost cost;
  for (const StageTime& time : world.stage_times()) {
    cost.all += time.seconds;
    if (time.stage == "project") cost.elasticity += time.seconds;
    if (time.stage == "find contacts" || time.stage == "project contacts" || time.stage == "guard") {
      cost.contact += time.seconds;
    }
  }
  return cost;
}

}  // namespace pliant::experiments
