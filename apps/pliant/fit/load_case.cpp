#include "fit/load_case.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "core/suggest.h"
#include "fem/statics.h"
#include "io/mesh_reader.h"
#include "mesh/topology.h"
#include "pliant/error.h"

namespace pliant::fit {

namespace {

constexpr double kGravity = 9.81;  // [m/s^2]

struct Kind {
  const char* name;
  LoadKind kind;
};
constexpr Kind kKinds[] = {{"floor", LoadKind::floor},     {"wall", LoadKind::wall},
                           {"ceiling", LoadKind::ceiling}, {"traction", LoadKind::traction},
                           {"shear", LoadKind::shear},     {"torsion", LoadKind::torsion}};

/// A number from -1 to 1 that depends on nothing but `key`.
double scatter(uint64_t key) {
  key += 0x9e3779b97f4a7c15u;  // splitmix64
  key = (key ^ (key >> 30)) * 0xbf58476d1ce4e5b9u;
  key = (key ^ (key >> 27)) * 0x94d049bb133111ebu;
  key ^= key >> 31;
  return static_cast<double>(key >> 11) * 0x1p-52 - 1;
}

/// The unit cube [0, 1]^3.
TetMesh unit_cube(const CubeOptions& options) {
  TetMesh mesh = box_tets({1, 1, 1}, {options.cells, options.cells, options.cells});
  for (std::size_t v = 0; v < mesh.positions.size(); ++v) {
    Vec3d& x = mesh.positions[v];
    x += Vec3d{0.5, 0.5, 0.5};
    for (int k = 0; k < 3; ++k) {
      const bool on_face = x[k] < 1e-9 || x[k] > 1 - 1e-9;
      if (!on_face) x[k] += options.irregular / options.cells * scatter(3 * v + static_cast<std::size_t>(k));
    }
  }
  return mesh;
}

/// A body and the faces at which it is held and pulled: what lies within `reach` of its box.
struct Body {
  TetMesh mesh;
  Vec3d low{}, high{};
  Vec3d reach{};  // [m]

  explicit Body(const CubeOptions& options) : mesh(options.mesh.empty() ? unit_cube(options) : read(options.mesh)) {
    low = high = mesh.positions.front();
    for (const Vec3d& x : mesh.positions) {
      for (int k = 0; k < 3; ++k) {
        low[k] = std::min(low[k], x[k]);
        high[k] = std::max(high[k], x[k]);
      }
    }
    reach = (high - low) * (options.mesh.empty() ? 1e-9 : 0.02);
  }
  static TetMesh read(const std::string& path) {
    TetMesh mesh = read_tet_mesh(path);
    if (mesh.tets.empty()) {
      throw Error(path, "it has no tets", "fill it first: pliant mesh " + path + " -o body.vtu");
    }
    return mesh;
  }
  bool at_low(const Vec3d& x, int axis) const { return x[axis] <= low[axis] + reach[axis]; }
  bool at_high(const Vec3d& x, int axis) const { return x[axis] >= high[axis] - reach[axis]; }
};

/// Shares of the highest face, by area: a vertex has a third of the triangles around it.
std::vector<double> top_shares(const Body& body) {
  const TetMesh& mesh = body.mesh;
  std::vector<double> shares(mesh.positions.size(), 0);
  double sum = 0;
  for (const Triangle& t : surface_of(mesh)) {
    const auto on_top = [&](int v) { return body.at_high(mesh.positions[v], 1); };
    if (!on_top(t[0]) || !on_top(t[1]) || !on_top(t[2])) continue;
    const Vec3d a = mesh.positions[t[0]];
    const double area = 0.5 * length(cross(mesh.positions[t[1]] - a, mesh.positions[t[2]] - a));
    for (int v : t) shares[v] += area / 3;
    sum += area;
  }
  if (!(sum > 0)) {
    throw Error("--mesh", "the body has no face at its top to pull at", "give a load by gravity: floor, wall, ceiling");
  }
  for (double& s : shares) s /= sum;
  return shares;
}

}  // namespace

LoadCase cube(LoadKind kind, const CubeOptions& options) {
  LoadCase load;
  for (const Kind& k : kKinds) {
    if (k.kind == kind) load.name = k.name;
  }
  const Body body(options);
  load.mesh = body.mesh;
  load.density = options.density;
  if (options.equal_masses) {
    load.masses = lumped_masses(load.mesh.tets, load.mesh.positions, options.density);
    const double all = std::accumulate(load.masses.begin(), load.masses.end(), 0.0);
    std::fill(load.masses.begin(), load.masses.end(), all / static_cast<double>(load.masses.size()));
  }
  const auto held = [&](const Vec3d& x) {
    if (kind == LoadKind::wall) return body.at_low(x, 2);
    if (kind == LoadKind::ceiling) return body.at_high(x, 1);
    return body.at_low(x, 1);
  };
  for (std::size_t v = 0; v < load.mesh.positions.size(); ++v) {
    if (held(load.mesh.positions[v])) load.held.push_back(static_cast<int>(v));
  }
  if (kind == LoadKind::floor || kind == LoadKind::wall || kind == LoadKind::ceiling) {
    load.gravity = {0, -kGravity, 0};
    return load;
  }
  const std::vector<double> shares = top_shares(body);
  const Vec3d axis{(body.low.x + body.high.x) / 2, body.high.y, (body.low.z + body.high.z) / 2};
  load.forces.resize(shares.size());
  double couple = 0;  // of unit tangential forces in proportion to the distance from the axis
  for (std::size_t v = 0; v < shares.size(); ++v) {
    const Vec3d r = load.mesh.positions[v] - axis;
    couple += shares[v] * (r.x * r.x + r.z * r.z);
  }
  for (std::size_t v = 0; v < shares.size(); ++v) {
    const Vec3d r = load.mesh.positions[v] - axis;
    if (kind == LoadKind::traction) load.forces[v] = {0, shares[v] * options.force, 0};
    if (kind == LoadKind::shear) load.forces[v] = {shares[v] * options.force, 0, 0};
    if (kind == LoadKind::torsion) load.forces[v] = Vec3d{r.z, 0, -r.x} * (shares[v] * options.force / couple);
  }
  return load;
}

const std::vector<std::string>& load_names() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> out;
    for (const Kind& k : kKinds) out.emplace_back(k.name);
    out.emplace_back("gravity");
    return out;
  }();
  return names;
}

std::vector<LoadKind> load_kinds(const std::string& name) {
  if (name == "gravity") return {LoadKind::floor, LoadKind::wall, LoadKind::ceiling};
  for (const Kind& k : kKinds) {
    if (k.name == name) return {k.kind};
  }
  throw Error("--scene " + name, "there is no such load case", did_you_mean(name, load_names()));
}

std::vector<Vec3d> reference_displacements(const LoadCase& load, Reference model, double young, double poisson) {
  fem::Problem problem{.mesh = load.mesh};
  problem.material = {.model = model == Reference::linear ? MaterialModel::linear
                               : model == Reference::stvk ? MaterialModel::stvk
                                                          : MaterialModel::neo_hookean,
                      .young = young,
                      .poisson = poisson,
                      .density = load.density};
  problem.forces = load.forces;
  if (load.masses.empty()) {
    problem.gravity = load.gravity;
  } else {
    problem.forces.resize(load.masses.size());
    for (std::size_t v = 0; v < load.masses.size(); ++v) problem.forces[v] += load.gravity * load.masses[v];
  }
  for (int v : load.held) problem.supports.push_back({.vertex = v});
  const fem::StaticsResult result = model == Reference::linear
                                        ? fem::solve_linear_statics(problem)
                                        : fem::solve_statics(problem, {.newton = {}, .load_steps = 4});
  if (!result.converged) {
    throw Error(load.name, fmt::format("finite elements find no rest at E = {}, nu = {}", young, poisson),
                "use a stiffer material or a smaller load");
  }
  return result.displacements;
}

double error_of(const std::vector<Vec3d>& displacements, const std::vector<Vec3d>& reference) {
  // What stands still by symmetry (the axis of torsion) moves by rounding.
  constexpr double kStands = 1e-9;  // of the largest displacement
  double sum = 0, largest = 0;
  int moving = 0;
  for (const Vec3d& u : reference) largest = std::max(largest, length(u));
  for (std::size_t v = 0; v < reference.size(); ++v) {
    const double size = length(reference[v]);
    if (size <= kStands * largest) continue;
    const double e = length(displacements[v] - reference[v]) / size;
    sum += e * e;
    ++moving;
  }
  return moving == 0 ? std::numeric_limits<double>::quiet_NaN() : sum / moving;
}

}  // namespace pliant::fit
