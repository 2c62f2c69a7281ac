#include "fit/contestant.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "core/assert.h"
#include "fit/fixed_point.h"
#include "pliant/world.h"

namespace pliant::fit {

namespace {

constexpr double kStill = 1e-9;         // of the body's size, per step
constexpr double kStillInFloat = 1e-8;  // where rounding moves it for ever
constexpr int kMostSteps = 50000;
constexpr double kLargest = 2;      // sizes of the body: it is falling
constexpr int kFallingSteps = 200;  // in which the motion does not slow down

WorldOptions world_options(const LoadCase& load, const Stepping& stepping) {
  return {.step = stepping.dt,
          .substeps = 1,
          .iterations = stepping.iterations,
          .gravity = load.gravity,
          .threads = 1,
          .precision = Precision::float64};
}

void put_load(World& world, BodyId body, const LoadCase& load) {
  if (!load.held.empty()) world.pin(body, load.held);
  if (!load.forces.empty()) world.set_vertex_forces(body, load.forces);
}

double size_of(const TetMesh& mesh) {
  Vec3d low = mesh.positions[0], high = low;
  for (const Vec3d& x : mesh.positions) {
    for (int k = 0; k < 3; ++k) {
      low[k] = std::min(low[k], x[k]);
      high[k] = std::max(high[k], x[k]);
    }
  }
  return length(high - low);
}

/// The rest of a world whose step depends on nothing but where the body is: no velocities, no multipliers. At rest a
/// step leads to where it began, and that is solved for. Where it is not found so (the body falls, or is so soft that
/// it folds) the answer is not `found`, which says nothing yet.
Rest solve_rest(World& world, BodyId body, const LoadCase& load) {
  const double size = size_of(load.mesh);
  std::vector<char> held(load.mesh.positions.size(), 0);
  for (int v : load.held) held[static_cast<std::size_t>(v)] = 1;
  std::vector<Vec3d> x = load.mesh.positions;
  const auto flat = [&](const std::vector<Vec3d>& positions) {
    std::vector<double> out;
    for (std::size_t v = 0; v < positions.size(); ++v) {
      for (int k = 0; k < 3 && !held[v]; ++k) out.push_back(positions[v][k]);
    }
    return out;
  };
  const auto unflat = [&](const std::vector<double>& numbers) {
    std::size_t i = 0;
    for (std::size_t v = 0; v < x.size(); ++v) {
      for (int k = 0; k < 3 && !held[v]; ++k) x[v][k] = numbers[i++];
    }
  };
  const FixedPoint solved = fixed_point(flat(x),
                                        [&](const std::vector<double>& at) {
                                          unflat(at);
                                          world.set_positions(body, x);
                                          world.step();
                                          return flat(world.positions(body));
                                        },
                                        {.tolerance = kStill * size, .farthest = kLargest * size});
  Rest rest{.displacements = {}, .found = solved.found, .steps = solved.evaluations};
  if (!solved.found) return rest;
  unflat(solved.x);
  for (std::size_t v = 0; v < x.size(); ++v) rest.displacements.push_back(x[v] - load.mesh.positions[v]);
  return rest;
}

/// Steps until no vertex moves by more than `still` of the body's size per step; looks after each `block` of them.
Rest run_to_rest(World& world, BodyId body, const LoadCase& load, int block, double still) {
  const double size = size_of(load.mesh);
  Rest rest;
  std::vector<Vec3d> last = world.positions(body);
  double last_change = 0;
  int falling = 0;
  while (rest.steps < kMostSteps) {
    for (int k = 0; k < block; ++k) world.step();
    rest.steps += block;
    const std::vector<Vec3d> now = world.positions(body);
    double change = 0, way = 0;
    for (std::size_t v = 0; v < now.size(); ++v) {
      change = std::max(change, length(now[v] - last[v]));
      way = std::max(way, length(now[v] - load.mesh.positions[v]));
    }
    last = now;
    falling = change >= last_change * (1 - 1e-12) && change > still * size * block ? falling + 1 : 0;
    if (!(way < kLargest * size) || falling > kFallingSteps) return rest;
    // The motion falls by a factor q per block: q / (1 - q) times the last one is left.
    const double q = last_change > 0 ? std::min(change / last_change, 0.999999) : 0;
    if (change <= still * size * block && change * q / (1 - q) <= 10 * still * size * block) {
      rest.found = true;
      break;
    }
    last_change = change;
  }
  for (std::size_t v = 0; v < last.size(); ++v) rest.displacements.push_back(last[v] - load.mesh.positions[v]);
  return rest;
}

}  // namespace

Rest rest_of(const LoadCase& load, Method method, const Stepping& stepping, const Stiffness& k) {
  WorldOptions options = world_options(load, stepping);
  options.point_damping = 1e9;  // [1/s] no velocity is left after a step
  const bool springs = method == Method::mass_spring;
  options.method = springs ? pliant::Method::xpbd : pliant::Method::pbd;
  Constraints constraints;
  if (springs) {
    // An implicit step of a spring is a projection with the compliance 1 / k; kept multipliers make the rest exact.
    if (k.distance > 0) constraints["distance"] = {.compliance = 1 / k.distance, .keep_multipliers = true};
    if (k.volume > 0) {
      // Energy 1/2 k_v V0 ((V - V0) / V0)^2, with C = V - V0: compliance V0 / k_v of a mean tet.
      double volume = 0;
      for (const Tet& t : load.mesh.tets) {
        const auto& x = load.mesh.positions;
        volume += std::abs(dot(x[t[1]] - x[t[0]], cross(x[t[2]] - x[t[0]], x[t[3]] - x[t[0]]))) / 6;
      }
      volume /= static_cast<double>(load.mesh.tets.size());
      constraints["tet_volume"] = {.compliance = volume / k.volume, .keep_multipliers = true};
    }
  } else {
    constraints["distance"] = {.stiffness = k.distance};
    constraints["tet_volume"] = {.stiffness = k.volume};
  }
  World world(options);
  const BodyId body =
      world.add(Solid{.mesh = load.mesh, .density = load.density, .masses = load.masses, .constraints = constraints});
  put_load(world, body, load);
  if (!springs) {  // their multipliers are a state of their own
    if (Rest rest = solve_rest(world, body, load); rest.found) return rest;
    world.reset();
  }
  return run_to_rest(world, body, load, 1, kStill);
}

Rest rest_of(const LoadCase& load, Method method, const Stepping& stepping, double young, double poisson) {
  WorldOptions options = world_options(load, stepping);
  // As a user would have it: twenty substeps, or as many as the engine asks for, and some damping to come to rest.
  options.substeps = 20;
  options.point_damping = 5;
  options.precision = Precision::float32;
  Material material{.model = method == Method::xpbd_stvk ? MaterialModel::stvk : MaterialModel::neo_hookean,
                    .young = young,
                    .poisson = poisson,
                    .density = load.density};
  const auto rest = [&] {
    World world(options);
    const BodyId body = world.add(Solid{.mesh = load.mesh, .material = material, .masses = load.masses});
    put_load(world, body, load);
    for (const Unresolved& u : world.unresolved()) {
      options.substeps = std::max(options.substeps, static_cast<int>(u.substeps));
      return std::optional<Rest>();
    }
    return std::optional(run_to_rest(world, body, load, 20, kStillInFloat));
  };
  if (const auto at_once = rest()) return *at_once;
  const auto with_more = rest();
  // The number that the engine asks for is always enough for itself.
  PLIANT_CHECK(with_more.has_value(), "substeps of World::unresolved() do not resolve the body");
  return *with_more;
}

const Rest& RestCache::at(const Stiffness& stiffness) {
  {
    const std::lock_guard lock(mutex_);
    if (const auto found = rests_.find(stiffness); found != rests_.end()) return found->second;
  }
  Rest rest = rest_of(load_, method_, stepping_, stiffness);
  const std::lock_guard lock(mutex_);
  return rests_.emplace(stiffness, std::move(rest)).first->second;  // nodes of a map stay where they are
}

}  // namespace pliant::fit
