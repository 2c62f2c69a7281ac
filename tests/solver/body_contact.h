#pragma once
// Scenes of touching bodies, and the judge: triangles of all bodies that intersect, exactly.

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <random>

#include "contact/intersections.h"
#include "pliant/world.h"

namespace pliant::test {

inline int intersections(const World& world) {
  std::vector<Vec3d> x;
  std::vector<Triangle> triangles;
  for (int b = 0; b < world.body_count(); ++b) {
    const int first = static_cast<int>(x.size());
    for (const Vec3d& p : world.positions({b})) x.push_back(p);
    for (const Triangle& t : world.triangles({b})) triangles.push_back({t[0] + first, t[1] + first, t[2] + first});
  }
  return static_cast<int>(intersecting_triangles(x, triangles).size());
}

inline void pin_all(World& world, BodyId body) {
  std::vector<int> all(world.vertex_count(body));
  std::iota(all.begin(), all.end(), 0);
  world.pin(body, all);
}

inline WorldOptions contact_options(double friction = 0.3) {
  WorldOptions options;
  options.substeps = 10;
  options.threads = 1;
  options.contact = ContactOptions{.friction = friction};
  return options;
}

/// Soft balls and cubes fall into a bin.
inline World pile(WorldOptions options, int across, int layers, int cells) {
  World world(options);
  const double pitch = 0.125, side = across * pitch + 0.02, height = 0.2 + 0.15 * layers;
  const int bin_cells = std::max(3, static_cast<int>(side / 0.04));
  const BodyId bin =
      world.add(Cloth{.name = "bin",
                      .mesh = box_surface({side, height, side}, {bin_cells, int(height / 0.04), bin_cells}),
                      .thickness = 0.004,
                      .place = {.position = {0, height / 2, 0}}});
  pin_all(world, bin);
  std::mt19937 random(3);
  std::uniform_real_distribution<double> unit(-1, 1);
  const Material rubber{.young = 5e4, .poisson = 0.4, .density = 1000};
  for (int k = 0; k < layers * across * across; ++k) {
    const int i = k % across, j = k / across % across, layer = k / across / across;
    const Placement place{.position = {pitch * (i - (across - 1) / 2.0) + 0.004 * unit(random), 0.07 + layer * 0.13,
                                       pitch * (j - (across - 1) / 2.0) + 0.004 * unit(random)},
                          .rotation = {0.3 * unit(random), 0.3 * unit(random), 0.3 * unit(random)}};
    world.add(Solid{
        .mesh = (i + j + layer) % 2 ? ball_tets(0.05, cells) : box_tets({0.08, 0.08, 0.08}, {cells, cells, cells}),
        .material = rubber,
        .thickness = 0.003,
        .place = place});
  }
  return world;
}

/// A strip that falls into a slot so narrow that it folds once for every few centimetres of its length.
inline World ribbon(WorldOptions options, double length, int cells) {
  World world(options);
  const double height = length + 0.3;
  const BodyId slot = world.add(Cloth{.name = "slot",
                                      .mesh = box_surface({0.075, height, 0.12}, {4, int(height / 0.04), 4}),
                                      .thickness = 0.002,
                                      .place = {.position = {0, height / 2, 0}}});
  pin_all(world, slot);
  TriMesh strip = grid({0.06, length}, {3, cells});
  for (Vec3d& x : strip.positions) x = {0.012 * std::sin(40 * x.z), x.z, x.x};
  world.add(Cloth{.name = "ribbon",
                  .mesh = strip,
                  .thickness = 0.002,
                  .place = {.position = {0, height / 2, 0}},
                  .constraints = {{"distance", {}}, {"bend", {.compliance = 1000.0}}}});
  return world;
}

/// A towel, gathered at both ends, twisted by `turns` in `time` seconds.
inline World towel(WorldOptions options, double turns, double time, int cells) {
  options.gravity = {0, -1, 0};
  World world(options);
  const int across = cells / 3;
  const BodyId body =
      world.add(Cloth{.name = "towel",
                      .mesh = grid({0.9, 0.3}, {cells, across}),
                      .constraints = {{"distance", {.compliance = 1e-5}}, {"bend", {.compliance = 10.0}}}});
  std::vector<int> left, right;
  for (int j = across / 2 - 1; j <= across / 2 + 1; ++j) {
    left.push_back(j * (cells + 1));
    right.push_back(j * (cells + 1) + cells);
  }
  const double half = turns * 3.14159265358979;
  world.pin(body, left, {{0, {}, {}}, {time, {0.1, 0, 0}, {half, 0, 0}}});
  world.pin(body, right, {{0, {}, {}}, {time, {-0.1, 0, 0}, {-half, 0, 0}}});
  return world;
}

/// Two chains of soft links, each hooked into the other, pulled apart.
inline World chains(WorldOptions options, int links, double pull, double time) {
  options.gravity = {};
  World world(options);
  const double radius = 0.1, tube = 0.025, pitch = 2 * (radius - tube) - 0.008;
  std::vector<BodyId> bodies;
  for (int k = 0; k < links; ++k) {
    const Placement place{.position = {pitch * (k - (links - 1) / 2.0), 0, 0},
                          .rotation = {k % 2 ? 3.14159265358979 / 2 : 0, 0, 0}};
    bodies.push_back(world.add(Solid{.name = "link" + std::to_string(k),
                                     .mesh = torus_tets(radius, tube, 20, 2),
                                     .material = Material{.young = 1e6, .poisson = 0.4, .density = 1000},
                                     .place = place}));
  }
  for (const int end : {0, links - 1}) {
    const double side = end == 0 ? -1 : 1;
    const std::vector<Vec3d> x = world.rest_positions(bodies[end]);
    std::vector<int> held;
    for (int v = 0; v < static_cast<int>(x.size()); ++v) {
      if (x[v].x * side > radius) held.push_back(v);
    }
    world.pin(bodies[end], held, {{0, {}, {}}, {time, {side * pull, 0, 0}, {}}});
  }
  return world;
}

/// Steps and asks the judge after each frame. The energy may not rise above what it was, with `work` [J] put in by
/// pins.
inline void expect_free_of_intersections(World& world, int frames, double work = 0) {
  ASSERT_EQ(intersections(world), 0) << "at the start";
  const double energy = world.measures().total_energy, allowed = energy + work + 0.1 * std::abs(energy);
  int bad = 0;
  double highest = energy;
  for (int frame = 0; frame < frames; ++frame) {
    world.step();
    bad += intersections(world) > 0;
    highest = std::max(highest, world.measures().total_energy);
  }
  EXPECT_EQ(bad, 0) << "frames with intersections, of " << frames;
  EXPECT_LE(highest, allowed);
  for (const Trouble& t : world.troubles()) ADD_FAILURE() << t.message;
}

}  // namespace pliant::test
