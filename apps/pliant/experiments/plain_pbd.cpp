#include "experiments/plain_pbd.h"

#include <algorithm>
#include <cmath>

#include "fit/fixed_point.h"
#include "mesh/topology.h"

namespace pliant::experiments {

namespace {

constexpr double kStill = 1e-9;   // [m] per step
constexpr double kFarthest = 10;  // [m] it flies away
constexpr int kMostSteps = 2000;  // where the equation of rest was not solved: it falls, or swings for ever

template <class Corners>
double volume_of(const std::vector<Vec3d>& x, const Corners& c) {
  return dot(x[c[1]] - x[c[0]], cross(x[c[2]] - x[c[0]], x[c[3]] - x[c[0]])) / 6;
}

void project(const PlainConstraint& c, const fit::Stiffness& k, const std::vector<double>& w, std::vector<Vec3d>& x) {
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
    x[c.corners[i]] -= gradient[i] * (w[c.corners[i]] * c.strength * stiffness * value / s);
  }
}

}  // namespace

PlainConstraint plain_distance(const TetMesh& mesh, int a, int b) {
  return {{a, b}, length(mesh.positions[b] - mesh.positions[a])};
}

PlainConstraint plain_volume(const TetMesh& mesh, const Tet& tet) {
  return {std::vector<int>(tet.begin(), tet.end()), volume_of(mesh.positions, tet)};
}

std::vector<PlainConstraint> plain_constraints(const TetMesh& mesh, std::size_t& distances) {
  std::vector<PlainConstraint> out;
  for (const Edge& e : edges_of(mesh.tets)) out.push_back(plain_distance(mesh, e[0], e[1]));
  distances = out.size();
  for (const Tet& t : mesh.tets) out.push_back(plain_volume(mesh, t));
  return out;
}

std::optional<std::vector<Vec3d>> plain_rest(const fit::LoadCase& load, const std::vector<PlainConstraint>& constraints,
                                             const fit::Stiffness& k, const fit::Stepping& stepping) {
  const std::vector<Vec3d>& start = load.mesh.positions;
  std::vector<double> w;
  for (double mass : load.masses) w.push_back(1 / mass);
  for (int v : load.held) w[v] = 0;
  const double n = stepping.iterations;
  const fit::Stiffness each{1 - std::pow(1 - k.distance, 1 / n), 1 - std::pow(1 - k.volume, 1 / n)};
  const auto step = [&](std::vector<Vec3d>& x) {
    for (std::size_t v = 0; v < x.size(); ++v) {
      if (w[v] > 0) x[v] += load.gravity * (stepping.dt * stepping.dt);
    }
    for (int iteration = 0; iteration < stepping.iterations; ++iteration) {
      for (const PlainConstraint& c : constraints) project(c, each, w, x);
    }
  };
  std::vector<Vec3d> x = start;
  const auto unflat = [&](const std::vector<double>& numbers) {
    for (std::size_t v = 0, i = 0; v < x.size(); ++v) {
      for (int axis = 0; axis < 3 && w[v] > 0; ++axis) x[v][axis] = numbers[i++];
    }
  };
  const auto flat = [&] {
    std::vector<double> numbers;
    for (std::size_t v = 0; v < x.size(); ++v) {
      for (int axis = 0; axis < 3 && w[v] > 0; ++axis) numbers.push_back(x[v][axis]);
    }
    return numbers;
  };
  const auto displacements = [&] {
    std::vector<Vec3d> u;
    for (std::size_t v = 0; v < x.size(); ++v) u.push_back(x[v] - start[v]);
    return u;
  };
  const fit::FixedPoint solved = fit::fixed_point(flat(),
                                                  [&](const std::vector<double>& at) {
                                                    unflat(at);
                                                    step(x);
                                                    return flat();
                                                  },
                                                  {.tolerance = kStill, .farthest = kFarthest});
  if (solved.found) {
    unflat(solved.x);
    return displacements();
  }
  x = start;
  double last = 1;
  for (int count = 0; count < kMostSteps; ++count) {
    const std::vector<Vec3d> before = x;
    step(x);
    double motion = 0;
    for (std::size_t v = 0; v < x.size(); ++v) motion = std::max(motion, length(x[v] - before[v]));
    if (!(motion < kFarthest)) return std::nullopt;
    const double rate = motion / last;
    last = motion;
    if (motion < 1e-8 && motion / std::max(1e-3, 1 - rate) < 1e-7) return displacements();
  }
  return std::nullopt;
}

}  // namespace pliant::experiments
