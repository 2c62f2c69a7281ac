// script/soak impact: elastic solids that fall, spin, are thrown at walls, pulled out of shape or turned inside out.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <numbers>

#include "ledger.h"
#include "pliant/pliant.h"
#include "random.h"
#include "runner.h"

namespace pliant::soak {

namespace {

constexpr double kGravity = 9.81;
// Tets times substeps of a case.
constexpr double kWork = 4e5, kQuickWork = 8000;
constexpr int kSteps = 240;

struct ImpactCase {
  std::string model, shape, start, line;
  World world;
  BodyId body;
  double size = 1;  // [m]
};

TetMesh random_mesh(Random& r, double size, int cells, std::string& shape) {
  const char* const kinds[] = {"box", "box of six", "ball", "cylinder", "torus"};
  shape = r.pick(kinds);
  const auto share = [&] { return std::max(1, static_cast<int>(std::lround(cells * r.log_between(0.2, 1)))); };
  const double h = size / cells;
  if (shape == "ball") return ball_tets(size / 2, std::max(2, cells));
  if (shape == "cylinder") return cylinder_tets(h * share() / 2, size, std::max(2, share()), cells);
  if (shape == "torus")
    return torus_tets(size / 2 * 0.7, size / 2 * 0.3, std::max(6, 2 * cells), std::max(2, cells / 4));
  const std::array<int, 3> n{cells, share(), share()};
  return box_tets({size, h * n[1], h * n[2]}, n, shape == "box" ? CellSplit::five : CellSplit::six);
}

MaterialModel model_of(const std::string& name) {
  if (name == "neo_hookean") return MaterialModel::neo_hookean;
  if (name == "neo_hookean_stable") return MaterialModel::neo_hookean_stable;
  if (name == "corotated") return MaterialModel::corotated;
  return MaterialModel::stvk;
}

ImpactCase random_case(Random& r, double work) {
  ImpactCase c;
  const char* const models[] = {"neo_hookean_stable", "neo_hookean", "neo_hookean_stable", "neo_hookean", "stvk",
                                "corotated",          "plastic"};
  c.model = r.pick(models);
  c.size = r.log_between(0.05, 20);
  TetMesh mesh;
  int cells, substeps;
  do {  // what takes too long is drawn again
    cells = r.log_whole(2, 24);
    substeps = r.log_whole(1, 40);
    mesh = random_mesh(r, c.size, cells, c.shape);
  } while (static_cast<double>(mesh.tets.size()) * substeps > work);
  const double fps = r.between(24, 120), density = r.log_between(100, 8000);
  const double stiff = r.log_between(1, 1e4), poisson = r.chance(0.3) ? r.between(0.45, 0.499) : r.between(0, 0.48);
  const double young = stiff * density * kGravity * c.size;
  c.world = World({.step = 1 / fps, .substeps = substeps, .threads = 1});
  Material material{.model = model_of(c.model), .young = young, .poisson = poisson, .density = density};
  if (c.model == "plastic") {
    material.model = MaterialModel::corotated;
    material.plasticity = Plasticity{};
    material.plasticity->yield = r.log_between(0.01, 0.2);
  }
  const double drop = r.chance(0.2) ? 0 : r.between(0, 10);
  const Vec3d turn = r.direction() * r.between(0, std::numbers::pi);
  c.body = c.world.add(Solid{.name = "body",
                             .mesh = mesh,
                             .material = material,
                             .place = {.position = {0, (0.9 + drop) * c.size, 0}, .rotation = turn}});
  const double friction = r.between(0, 1);
  const char* const grounds[] = {"plane", "plane", "corner", "ball", "none"};
  const std::string ground = r.pick(grounds);
  if (ground == "plane" || ground == "corner") c.world.add(Plane{}, {.friction = friction});
  if (ground == "corner") {
    c.world.add(Plane{.normal = {1, 0.2, 0}, .point = {-1.5 * c.size, 0, 0}}, {.friction = friction});
    c.world.add(Plane{.normal = {-1, 0, 0.3}, .point = {1.5 * c.size, 0, 0}}, {.friction = friction});
  }
  if (ground == "ball") {
    c.world.add(Sphere{.radius = 0.3 * c.size}, {.position = {0, 0, 0}, .friction = friction});
    c.world.add(Plane{.point = {0, -c.size, 0}}, {.friction = friction});
  }
  c.world.build();

  // Motion, and a start out of shape.
  std::vector<Vec3d> x = c.world.positions(c.body), v(x.size());
  Vec3d middle{};
  for (const Vec3d& p : x) middle += p / static_cast<double>(x.size());
  const double fall = std::sqrt(2 * kGravity * c.size);
  const Vec3d spin = r.chance(0.5) ? r.direction() * (r.log_between(0.1, 3) * fall / c.size) : Vec3d{};
  const Vec3d throwing = r.chance(0.5) ? r.direction() * (r.log_between(0.1, 5) * fall) : Vec3d{};
  const char* const starts[] = {"rest", "rest", "rest", "rest", "stretched", "squashed", "mirrored"};
  c.start = r.pick(starts);
  Vec3d scale{1, 1, 1};
  if (c.start == "stretched") scale = {r.between(1.2, 2), r.between(0.8, 1.2), r.between(0.8, 1.2)};
  if (c.start == "squashed") scale = {1, r.between(0.1, 0.8), 1};
  if (c.start == "mirrored") scale = {1, r.between(-1, -0.1), 1};
  for (std::size_t k = 0; k < x.size(); ++k) {
    const Vec3d d = x[k] - middle;
    v[k] = cross(spin, d) + throwing;
    x[k] = middle + Vec3d{d.x * scale.x, d.y * scale.y, d.z * scale.z};
  }
  if (c.start != "rest") c.world.set_positions(c.body, x);
  c.world.set_velocities(c.body, v);
  c.line = fmt::format(
      "{} {} of {} cells ({} tets), {:.3g} m, {:.3g} kg/m^3, E {:.3g} times its weight, poisson {:.4g}, {} substeps, "
      "{:.3g} fps, {} ground, {:.2g} high, speed {:.2g}, spin {:.2g}, starts {}",
      c.model, c.shape, cells, mesh.tets.size(), c.size, density, stiff, poisson, substeps, fps, ground, drop,
      length(throwing), length(spin), c.start);
  return c;
}

Verdict judge(const Options& options, int index) {
  Random random(options.seed, index);
  ImpactCase c = random_case(random, options.quick ? kQuickWork : kWork);
  World& world = c.world;
  const bool details = options.only.has_value();
  const Measures first = world.measures();
  const ShapeWatch shape(world, c.body);
  const Shape start = shape.look(world);
  // Work of gravity so far, the most of it; what is stored at the start may come out as motion.
  double sunk = 0, gain = 0, total_gain = 0;
  double smallest = 1, largest = 1, stretch = 0;
  int from = -1;
  bool finite = true;
  Shape s;
  if (details) std::printf("%s\n", c.line.c_str());
  for (int step = 1; step <= kSteps && finite; ++step) {
    world.step();
    const Measures m = world.measures();
    const double work = first.gravity_energy - m.gravity_energy;
    sunk = std::max(sunk, work);
    const double had = first.kinetic_energy + first.elastic_energy + sunk;
    const double floor = 1e-6 * m.mass * kGravity * c.size;  // what rounding does
    const double now = m.kinetic_energy - work;
    gain = std::max(gain, (now - first.kinetic_energy - first.elastic_energy) / (had + floor));
    total_gain =
        std::max(total_gain, (now + m.elastic_energy - first.kinetic_energy - first.elastic_energy) / (had + floor));
    if (from < 0 && !(gain < 0.01)) from = step;
    finite = std::isfinite(now);
    if (step % 4 == 0 || step == kSteps || details) {
      s = shape.look(world);
      finite = finite && s.finite;
      smallest = std::min(smallest, s.smallest);
      largest = std::max(largest, s.largest);
      stretch = std::max(stretch, s.worst_stretch);
    }
    if (details) {
      std::printf("%4d kinetic and gravity %.4g of %.4g J, elastic %.4g J, tets %.3g to %.3g, longest edge %.3g\n",
                  step, now, had, m.elastic_energy, s.smallest, s.largest, 1 + s.worst_stretch);
    }
    if (gain > 1e6) break;
  }
  for (const Trouble& t : world.troubles()) finite = finite && t.kind != Trouble::Kind::non_finite;
  const bool said = !said_of(world, "body").empty();
  std::vector<std::string> symptoms;
  if (!finite) symptoms.emplace_back("NaN");
  if (!(gain < 0.01)) symptoms.emplace_back("energy");
  if (!said && !(total_gain < 0.01) && gain < 0.01) symptoms.emplace_back("stored");
  if (largest > 30 * std::max(1.0, start.largest) || stretch > 10 * (1 + start.worst_stretch)) {
    symptoms.emplace_back("thrown");
  }
  Verdict verdict{c.model, fmt::format("{}", fmt::join(symptoms, "+")), c.line};
  verdict.description += fmt::format(
      "; gain {:.3g}{}, with what is stored {:.3g}{}, tets {:.3g} to {:.3g} (at the end {:.3g} to {:.3g}), edges up to "
      "{:.3g}",
      gain, from >= 0 ? fmt::format(" (from step {})", from) : "", total_gain, said ? " (it was said)" : "", smallest,
      largest, s.smallest, s.largest, 1 + stretch);
  return verdict;
}

}  // namespace

int impact(const Options& options) {
  return run_cases("script/soak impact" + std::string(options.quick ? " --quick" : ""), options, options.count,
                   [&](int index) { return judge(options, index); });
}

}  // namespace pliant::soak
