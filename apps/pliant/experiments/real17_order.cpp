// The order of the constraints, which real17 does not tell: the same base case with them in random orders.
//
// Position-based dynamics as in the thesis's listing, in double and one constraint after another, so that the order is
// exactly what is asked for (the engine colours and packs in its own).
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <random>

#include "experiments/experiment.h"
#include "fit/load_case.h"
#include "fit/search.h"
#include "mesh/topology.h"

namespace pliant::experiments {
namespace {

using fit::LoadCase;
using fit::Stiffness;

/// A distance constraint (two corners) or a volume constraint (four).
struct PlainConstraint {
  std::vector<int> corners;
  double rest;
};

double volume_of(const std::vector<Vec3d>& x, const std::vector<int>& c) {
  return dot(x[c[1]] - x[c[0]], cross(x[c[2]] - x[c[0]], x[c[3]] - x[c[0]])) / 6;
}

std::vector<PlainConstraint> constraints_of(const TetMesh& mesh, std::size_t& distances) {
  std::vector<PlainConstraint> out;
  for (const Edge& e : edges_of(mesh.tets)) {
    out.push_back({{e[0], e[1]}, length(mesh.positions[e[1]] - mesh.positions[e[0]])});
  }
  distances = out.size();
  for (const Tet& t : mesh.tets) {
    const std::vector<int> corners(t.begin(), t.end());
    out.push_back({corners, volume_of(mesh.positions, corners)});
  }
  return out;
}

void project(const PlainConstraint& c, const Stiffness& k, const std::vector<double>& w, std::vector<Vec3d>& x) {
  Vec3d gradient[4];
  double value, stiffness;
  if (c.corners.size() == 2) {
    const Vec3d e = x[c.corners[1]] - x[c.corners[0]];
    value = length(e) - c.rest;
    gradient[1] = e / length(e);
    gradient[0] = -gradient[1];
    stiffness = k.distance;
  } else {
    const Vec3d a = x[c.corners[0]], e1 = x[c.corners[1]] - a, e2 = x[c.corners[2]] - a, e3 = x[c.corners[3]] - a;
    value = volume_of(x, c.corners) - c.rest;
    gradient[1] = cross(e2, e3) / 6;
    gradient[2] = cross(e3, e1) / 6;
    gradient[3] = cross(e1, e2) / 6;
    gradient[0] = -(gradient[1] + gradient[2] + gradient[3]);
    stiffness = k.volume;
  }
  double s = 0;
  for (std::size_t i = 0; i < c.corners.size(); ++i) s += w[c.corners[i]] * dot(gradient[i], gradient[i]);
  if (!(s > 0)) return;
  for (std::size_t i = 0; i < c.corners.size(); ++i) {
    x[c.corners[i]] -= gradient[i] * (w[c.corners[i]] * stiffness * value / s);
  }
}

/// Displacements at rest, or nothing if it is not found. Velocities are taken away after each step (fit/contestant.h).
std::vector<Vec3d> rest_of(const LoadCase& load, const std::vector<PlainConstraint>& constraints, const Stiffness& k,
                           double dt) {
  constexpr int kMostSteps = 20000;
  const std::vector<Vec3d>& start = load.mesh.positions;
  std::vector<Vec3d> x = start;
  std::vector<double> w;
  for (double mass : load.masses) w.push_back(1 / mass);
  for (int v : load.held) w[v] = 0;
  double last = 1;
  for (int step = 0; step < kMostSteps; ++step) {
    const std::vector<Vec3d> before = x;
    for (std::size_t v = 0; v < x.size(); ++v) {
      if (w[v] > 0) x[v] += load.gravity * (dt * dt);
    }
    for (const PlainConstraint& c : constraints) project(c, k, w, x);
    double motion = 0;
    for (std::size_t v = 0; v < x.size(); ++v) motion = std::max(motion, length(x[v] - before[v]));
    if (!(motion < 10)) return {};  // it flies away
    const double rate = motion / last;
    last = motion;
    if (motion < 1e-8 && motion / std::max(1e-3, 1 - rate) < 1e-7) {
      for (std::size_t v = 0; v < x.size(); ++v) x[v] -= start[v];
      return x;
    }
  }
  return {};
}

/// Order number n: the mesh's own, then random ones; by turns distances first, volumes first, all mixed.
std::vector<PlainConstraint> in_order(std::vector<PlainConstraint> all, std::size_t distances, int n) {
  if (n == 0) return all;
  std::mt19937_64 random(static_cast<uint64_t>(n));
  const auto shuffle = [&](std::size_t begin, std::size_t end) {  // std::shuffle differs between libraries
    for (std::size_t i = end; i > begin + 1; --i) std::swap(all[i - 1], all[begin + random() % (i - begin)]);
  };
  if (n % 3 == 0) {
    shuffle(0, all.size());
    return all;
  }
  shuffle(0, distances);
  shuffle(distances, all.size());
  if (n % 3 == 2) std::rotate(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(distances), all.end());
  return all;
}

void run(Context& context, Report& report) {
  const int orders = context.quick() ? 3 : 60;
  constexpr double kStep = 0.01, kYoung = 1e3;
  const std::vector<double> poissons = {0, 0.1, 0.2, 0.3, 0.4, 0.45, 0.47, 0.49};
  context.expect(3 * orders);
  report.table.columns({"scene", "order", "poisson", "error", "k_d", "k_v"});
  for (const char* scene : {"floor", "wall", "ceiling"}) {
    const LoadCase load = fit::cube(fit::load_kinds(scene)[0], {.equal_masses = true});
    std::size_t distances = 0;
    const std::vector<PlainConstraint> all = constraints_of(load.mesh, distances);
    Plot plot{
        .title = std::string("e over orders, ") + scene, .x_label = "Poisson's ratio", .y_label = "e", .log_y = true};
    std::vector<std::vector<double>> errors(poissons.size());
    for (int n = 0; n < orders; ++n) {
      const std::vector<PlainConstraint> constraints = in_order(all, distances, n);
      std::map<Stiffness, std::vector<Vec3d>> known;  // rests depend neither on E nor on nu
      for (std::size_t i = 0; i < poissons.size(); ++i) {
        const std::vector<Vec3d> reference =
            fit::reference_displacements(load, fit::Reference::linear, kYoung, poissons[i]);
        const fit::Found found = fit::search(
            [&](const Stiffness& k) {
              auto at = known.find(k);
              if (at == known.end()) at = known.emplace(k, rest_of(load, constraints, k, kStep)).first;
              return at->second.empty() ? INFINITY : fit::error_of(at->second, reference);
            },
            {});
        errors[i].push_back(found.error);
        report.table.row({std::string(scene), double(n), poissons[i], found.error, found.stiffness.distance,
                          found.stiffness.volume});
      }
      context.did(1);
    }
    Series least{.title = "least"}, median{.title = "median"}, largest{.title = "largest"};
    for (std::size_t i = 0; i < poissons.size(); ++i) {
      std::sort(errors[i].begin(), errors[i].end());
      least.points.emplace_back(poissons[i], errors[i].front());
      median.points.emplace_back(poissons[i], errors[i][errors[i].size() / 2]);
      largest.points.emplace_back(poissons[i], errors[i].back());
    }
    plot.series = {least, median, largest};
    report.plots.push_back(plot);
    for (const std::size_t i : {std::size_t{0}, poissons.size() - 1}) {
      report.figures.push_back({.what = fmt::format("{}, nu = {}: largest e over orders [%]", scene, poissons[i]),
                                .value = 100 * errors[i].back()});
      report.figures.push_back({.what = fmt::format("{}, nu = {}: median e over orders [%]", scene, poissons[i]),
                                .value = 100 * errors[i][errors[i].size() / 2]});
    }
    if (std::string(scene) == "floor" && !context.quick()) {
      report.figures.push_back({.what = "floor: largest e at nu = 0.49 over largest e at nu = 0",
                                .value = errors.back().back() / errors.front().back(),
                                .at_least = 2,
                                .document = "75 % over 14 %: it rises steeply"});
    }
  }
}

}  // namespace

extern const Experiment real17_order;
const Experiment real17_order = {"real17_order", "what the order of the constraints does to a fitted stiffness",
                                 "real17, figures 4.2, 4.12, 4.22: the order is not told there", run};

}  // namespace pliant::experiments
