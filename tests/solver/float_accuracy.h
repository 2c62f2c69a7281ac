#pragma once
// A lattice of 1000 particles that hangs from its top face, brought to rest in float32 and in float64: the
// rest state must not show the precision, however short the substeps and wherever it stands.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "pliant/world.h"

namespace pliant::test {

/// Displacements from the rest shape after two seconds, when the motion has died out.
inline std::vector<Vec3d> lattice_at_rest(Precision precision, int substeps, Vec3d where, bool keep_multipliers) {
  // Critical damping of the slowest motion (about 4 Hz) takes 2 * 25 / s; 8 / s leaves exp(-8) of the
  // amplitude after two seconds, and both precisions are damped alike.
  World world({.step = 1.0 / 60, .substeps = substeps, .point_damping = 8, .precision = precision});
  // 1 kg particles on springs of 1e5 N/m: strains of 0.2 %, small enough to show rounding in an edge's
  // length (6e-8) and large enough for it to stay below a thousandth.
  const BodyId block =
      world.add(Solid{.mesh = box_tets({0.9, 0.9, 0.9}, {9, 9, 9}),
                      .density = 1000,
                      .place = {.position = where},
                      .constraints = {{"distance", {.compliance = 1e-5, .keep_multipliers = keep_multipliers}}}});
  const std::vector<Vec3d> rest = world.rest_positions(block);
  std::vector<int> top;
  for (std::size_t v = 0; v < rest.size(); ++v) {
    if (rest[v].y > 0.449) top.push_back(static_cast<int>(v));
  }
  EXPECT_EQ(top.size(), 100u);
  world.pin(block, top);
  for (int frame = 0; frame < 120; ++frame) world.step();
  std::vector<Vec3d> u = world.positions(block);
  EXPECT_EQ(u.size(), 1000u);
  for (std::size_t v = 0; v < u.size(); ++v) u[v] = (u[v] - where) - rest[v];
  return u;
}

inline void expect_float_equals_double_at_rest(int substeps, bool keep_multipliers) {
  const std::vector<Vec3d> exact = lattice_at_rest(Precision::float64, substeps, {}, keep_multipliers);
  double largest = 0;
  for (const Vec3d& u : exact) largest = std::max(largest, length(u));
  EXPECT_GT(largest, 1e-3);
  // Whole metres are taken up by the origin; the second place also moves the last digits of all bases.
  for (const Vec3d where : {Vec3d{}, Vec3d{7000.3, 100.2, -7000.7}}) {
    const std::vector<Vec3d> u = lattice_at_rest(Precision::float32, substeps, where, keep_multipliers);
    double worst = 0, worst_relative = 0;
    for (std::size_t v = 0; v < u.size(); ++v) {
      const double error = length(u[v] - exact[v]);
      worst = std::max(worst, error / largest);
      // Next to the pins displacements vanish and have no digits to compare.
      if (length(exact[v]) > 0.05 * largest) worst_relative = std::max(worst_relative, error / length(exact[v]));
    }
    // A thousandth is the promise. Measured: 4e-5 and 1e-4, from the rounding of rest lengths, at any
    // number of substeps; positions in plain float are off by 7 % at 100 substeps.
    EXPECT_LT(worst, 1e-3) << substeps << " substeps at " << where.x;
    EXPECT_LT(worst_relative, 1e-3) << substeps << " substeps at " << where.x;
  }
}

}  // namespace pliant::test
