// Why some entangled tori do not recover: without an inverted element a ring can still be twisted by a full turn.
//
// Follow the rotation of the material once around the ring. It is a loop in SO(3), and there are two kinds of them: as
// a quaternion it comes back to q or to -q. While no element is inverted the loop changes continuously, so the kind
// stays what it is; only inverted elements let it change. A ring of the second kind has a turn of 360 degrees in it
// that it cannot lose, however it moves through itself.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "experiments/experiment.h"
#include "experiments/strain_torus.h"
#include "math/polar.h"
#include "math/quaternion.h"
#include "pliant/world.h"

namespace pliant::experiments {
namespace {

constexpr double kRadius = 0.4, kTube = 0.15;  // [m]
constexpr double kTurn = 6.283185307179586;

struct State {
  int inverted = 0;
  double strain = 0;    // root mean square over the edges
  bool locked = false;  // the rotation comes back to -q
};

State state_of(const World& world, BodyId id, const std::vector<Vec3d>& rest, int segments) {
  const std::vector<Vec3d> x = world.positions(id);
  State out;
  std::vector<Mat3<double>> sums(static_cast<std::size_t>(segments));
  for (const Tet& t : world.tets(id)) {
    const auto at = [&](const std::vector<Vec3d>& p, std::size_t k) { return p[static_cast<std::size_t>(t[k])]; };
    const Mat3<double> now{at(x, 1) - at(x, 0), at(x, 2) - at(x, 0), at(x, 3) - at(x, 0)};
    const Mat3<double> was{at(rest, 1) - at(rest, 0), at(rest, 2) - at(rest, 0), at(rest, 3) - at(rest, 0)};
    out.inverted += determinant(now) < 0;
    const Vec3d middle = (at(rest, 0) + at(rest, 1) + at(rest, 2) + at(rest, 3)) * 0.25;
    const double angle = std::atan2(middle.z, middle.x) / kTurn + 1;
    auto& sum = sums[static_cast<std::size_t>(angle * segments) % sums.size()];
    sum = sum + now * inverse(was) * determinant(was);
  }
  Quatd first{}, last{};
  for (std::size_t k = 0; k < sums.size(); ++k) {
    Quatd q = from_matrix(closest_rotation(sums[k]));
    if (k > 0 && dot(q, last) < 0) q = -q;
    if (k == 0) first = q;
    last = q;
  }
  out.locked = dot(first, last) < 0;
  for (const Edge& e : world.edges(id)) {
    const auto v0 = static_cast<std::size_t>(e[0]), v1 = static_cast<std::size_t>(e[1]);
    const double s = length(x[v1] - x[v0]) / length(rest[v1] - rest[v0]) - 1;
    out.strain += s * s / static_cast<double>(world.edges(id).size());
  }
  out.strain = std::sqrt(out.strain);
  return out;
}

/// The ring with its tube turned by `turns` in all, going once around.
Vec3d twisted(Vec3d p, double turns) {
  const double angle = std::atan2(p.z, p.x), turn = turns * angle;
  const double out = std::hypot(p.x, p.z) - kRadius, up = p.y;
  const double a = out * std::cos(turn) - up * std::sin(turn), b = out * std::sin(turn) + up * std::cos(turn);
  return {(kRadius + a) * std::cos(angle), b, (kRadius + a) * std::sin(angle)};
}

struct Mesh {
  int segments, across;
};

void run(Context& context, Report& report) {
  const std::vector<Mesh> meshes =
      context.quick() ? std::vector<Mesh>{{14, 2}} : std::vector<Mesh>{{14, 2}, {24, 2}, {24, 4}};
  const int seeds = context.quick() ? 4 : 10;
  const int steps = context.quick() ? 300 : 600;
  constexpr double kWholeTurns[] = {1, 2};
  context.expect(static_cast<double>(meshes.size()) * (seeds + 2.0) * steps);
  report.table.columns(
      {"segments", "cells across", "start", "inverted elements", "strain of the edges", "comes back to"});
  Plot plot{.title = "strain over time",
            .x_label = "time [s]",
            .y_label = "strain of the edges",
            .log_y = true,
            .key = "bottom left Left reverse"};
  double free_strain = 0, locked_strain = 1e300;
  int free_count = 0, locked_count = 0, tangled = 0, mistaken = 0;
  for (const Mesh& m : meshes) {
    const TetMesh mesh = torus_tets(kRadius, kTube, m.segments, m.across);
    for (int start = -2; start < seeds; ++start) {
      World world = torus_world(context.settings().threads);
      Solid torus{.mesh = mesh};
      torus.strain = torus_strain(1);
      const BodyId id = world.add(torus);
      const std::vector<Vec3d> rest = world.rest_positions(id);
      std::vector<Vec3d> x = rest;
      std::mt19937 engine(static_cast<unsigned>(start + 1));
      const auto random = [&] { return engine() / 4294967296.0 - 0.5; };
      for (Vec3d& p : x) {
        const Vec3d noise{random(), random(), random()};
        p = start < 0 ? twisted(p, kWholeTurns[start + 2]) + noise * 0.01 : noise;
      }
      world.set_positions(id, x);
      const std::string name = start < 0 ? fmt::format("twisted by {} degrees", 360 * kWholeTurns[start + 2])
                                         : fmt::format("random {}", start + 1);
      Series series{.title = name};
      for (int s = 0; s < steps; ++s) {
        world.step();
        context.did(1);
        if (s % 10 == 9)
          series.points.emplace_back(world.time(), std::max(1e-6, state_of(world, id, rest, m.segments).strain));
      }
      const State now = state_of(world, id, rest, m.segments);
      report.table.row(
          {double(m.segments), double(m.across), name, double(now.inverted), now.strain, now.locked ? "-q" : "q"});
      if (&m == &meshes.front() && start < 3) plot.series.push_back(series);
      if (now.inverted > 0) {
        ++tangled;  // not a state without inverted elements: nothing is said about it
      } else if (now.locked) {
        ++locked_count;
        locked_strain = std::min(locked_strain, now.strain);
      } else {
        ++free_count;
        free_strain = std::max(free_strain, now.strain);
      }
      if (start < 0 && now.inverted == 0) mistaken += now.locked != (start == -2);
    }
  }
  report.plots = {plot};
  report.figures = {{.what = "runs that end without inverted elements and come back to q", .value = double(free_count)},
                    {.what = "their largest strain", .value = free_strain, .at_most = 0.01, .document = "recovers"},
                    {.what = "runs that end without inverted elements and come back to -q",
                     .value = double(locked_count),
                     .at_least = 1},
                    {.what = "their smallest strain", .value = locked_strain, .at_least = 0.05},
                    {.what = "runs that end with inverted elements", .value = double(tangled)},
                    {.what = "tori twisted by 360 or 720 degrees at the start whose kind is taken for the other",
                     .value = double(mistaken),
                     .at_most = 0}};
  report.notes.push_back(
      fmt::format("Settings of mueller14_fig4 with the volume as stiff as the stretch, {} s. The rotation of a segment "
                  "is the closest "
                  "one to the sum of its deformation gradients, followed once around the ring as a quaternion.",
                  steps / 60.0));
}

}  // namespace

extern const Experiment mueller14_fig4_twist = {"mueller14_fig4_twist", "why some entangled tori do not recover",
                                                "mueller14, figure 4 a to d", run};

}  // namespace pliant::experiments
