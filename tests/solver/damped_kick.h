#pragma once
// A block of elastic tets that gets a random kick, with Rayleigh damping: what it does with the energy.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "constraints/random_stencil.h"
#include "pliant/world.h"

namespace pliant::test {

struct DampedKick {
  MaterialModel model = MaterialModel::neo_hookean;
  double kappa = 1;    // E dt^2 / (density h^2)
  double damping = 0;  // [s]
  double kick = 1;     // cells per substep
  double poisson = 0.3;
  int cells = 3;
  int steps = 20;
  bool contact = false;  // pinned at one side, and touching itself
};

inline std::string constraint_of(MaterialModel model) {
  switch (model) {
    case MaterialModel::stvk:
      return "tet_stvk";
    case MaterialModel::neo_hookean:
      return "tet_neo_hookean";
    case MaterialModel::neo_hookean_stable:
      return "tet_neo_hookean_stable";
    default:
      return "tet_corotated";
  }
}

/// The kinetic energy never exceeds that of the kick, the total falls, and nothing had to be held. The total falls from
/// the first step on: where the substeps do not resolve the stiffness, or the damping, one sweep leaves elements
/// strained that it should have put back, and that energy comes from nowhere.
inline void expect_only_loss(const DampedKick& k) {
  SCOPED_TRACE(testing::Message() << constraint_of(k.model) << ", kappa " << k.kappa << ", damping " << k.damping
                                  << " s, kick " << k.kick << ", poisson " << k.poisson);
  constexpr double h = 0.1, density = 1000, dt = 1.0 / 600;
  WorldOptions options{.step = 10 * dt, .substeps = 10, .gravity = {}, .threads = 1};
  if (k.contact) options.contact = ContactOptions{};
  World world(options);
  const Material material{
      .model = k.model, .young = k.kappa * density * h * h / (dt * dt), .poisson = k.poisson, .density = density};
  const BodyId body =
      world.add(Solid{.mesh = box_tets({k.cells * h, k.cells * h, k.cells * h}, {k.cells, k.cells, k.cells}),
                      .material = material,
                      .constraints = {{constraint_of(k.model), {.damping = k.damping}}}});
  std::vector<Vec3d> v;
  std::vector<int> pinned;
  Random random(8);
  const std::vector<Vec3d> x = world.positions(body);
  for (std::size_t i = 0; i < x.size(); ++i) {
    v.push_back(random.point() * (k.kick * h / dt));
    if (x[i].x < -k.cells * h / 2 + 1e-6) pinned.push_back(static_cast<int>(i));
  }
  if (k.contact) world.pin(body, pinned);
  world.set_velocities(body, v);
  const double start = world.measures().kinetic_energy;
  double most = 0, first = 0, end = 0;
  for (int step = 0; step < k.steps; ++step) {
    world.step();
    const Measures now = world.measures();
    most = std::max(most, now.kinetic_energy);
    end = now.total_energy;
    if (step == 0) first = end;
  }
  EXPECT_LE(most, start);
  EXPECT_LT(end, first);
  if (k.kappa <= 2 && k.damping <= 1e-3) {
    EXPECT_LT(end, start);
  }
  for (const Trouble& t : world.troubles()) EXPECT_NE(t.kind, Trouble::Kind::non_finite) << t.message;
}

}  // namespace pliant::test
