// Scenes that are hard on contact, for 2000 frames, with the exact judge after each: a pile of 64 soft bodies, a ribbon
// that folds onto itself in more than 30 layers, a towel that is twisted by five turns, chains that are pulled apart.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

#include "experiments/experiment.h"
#include "experiments/touching.h"

namespace pliant::experiments {
namespace {

constexpr double kPi = 3.14159265358979323846;

struct Case {
  const char* name;
  World world;
  double driven;                             // [s] until then pins move
  std::function<double(const World&)> told;  // what the scene is about, at the end
  const char* what;
  double at_least;  // bound of that
};

void pin_all(World& world, BodyId body) {
  std::vector<int> all(static_cast<std::size_t>(world.vertex_count(body)));
  std::iota(all.begin(), all.end(), 0);
  world.pin(body, all);
}

WorldOptions options(const Context& context, int substeps, double friction) {
  WorldOptions out;
  out.step = 1.0 / 60;
  out.substeps = substeps;
  out.threads = context.settings().threads;
  out.contact = ContactOptions{.friction = friction};
  return out;
}

/// Balls and cubes in turn, layer upon layer, in a bin that is a cloth whose vertices are all held.
Case pile(const Context& context) {
  const int across = context.quick() ? 1 : 4, layers = context.quick() ? 2 : 4, cells = context.quick() ? 3 : 6;
  WorldOptions settings = options(context, 12, 0.3);
  settings.contact->self = false;
  World world(settings);
  const double pitch = 0.127, side = across * pitch + 0.03, height = 0.2 + 0.14 * layers;
  const int bin_cells = std::max(3, static_cast<int>(side / 0.04));
  pin_all(world, world.add(Cloth{.name = "bin",
                                 .mesh = box_surface({side, height, side}, {bin_cells, int(height / 0.04), bin_cells}),
                                 .thickness = 0.004,
                                 .place = {.position = {0, height / 2, 0}}}));
  const Material rubber{.young = 5e4, .poisson = 0.4, .density = 1000};
  for (int k = 0; k < across * across * layers; ++k) {
    const int i = k % across, j = k / across % across, layer = k / across / across;
    const bool ball = (i + j + layer) % 2 == 1;
    world.add(
        Solid{.name = "body" + std::to_string(k),
              .mesh = ball ? ball_tets(0.05, cells) : box_tets({0.08, 0.08, 0.08}, {cells, cells, cells}),
              .material = rubber,
              .thickness = 0.003,
              .place = {.position = {pitch * (i - (across - 1) / 2.0) + 0.003 * ((7 * k) % 5 - 2), 0.08 + layer * 0.13,
                                     pitch * (j - (across - 1) / 2.0) + 0.003 * ((3 * k) % 5 - 2)},
                        .rotation = {0.1 * (k % 4), 0.2 * (k % 3), 0.1 * (k % 5)}}});
  }
  return {"pile",
          std::move(world),
          0,
          [](const World& w) { return double(w.body_count() - 1); },
          "soft bodies",
          context.quick() ? 2.0 : 64.0};
}

/// A strip that falls into a slot so narrow that it folds once for every few centimetres of its length.
Case ribbon(const Context& context) {
  const double length = context.quick() ? 0.4 : 2.8, height = length + 0.3;
  const int cells = static_cast<int>(length / 0.015);
  World world(options(context, 15, 0.2));
  pin_all(world, world.add(Cloth{.name = "slot",
                                 .mesh = box_surface({0.06, height, 0.12}, {3, int(height / 0.04), 4}),
                                 .thickness = 0.002,
                                 .place = {.position = {0, height / 2, 0}}}));
  TriMesh strip = grid({0.06, length}, {4, cells});
  for (Vec3d& x : strip.positions) x = {0.006 * std::sin(60 * x.z), x.z, x.x};
  const BodyId body = world.add(Cloth{.name = "ribbon",
                                      .mesh = strip,
                                      .thickness = 0.002,
                                      .place = {.position = {0, height / 2, 0}},
                                      .constraints = {{"distance", {}}, {"bend", {.compliance = 1000.0}}}});
  // Layers: how often the middle line crosses the middle of the slot.
  const auto layers = [body, cells](const World& w) {
    const std::vector<Vec3d> x = w.positions(body);
    int crossings = 0;
    for (int j = 0; j < cells; ++j) crossings += (x[j * 5 + 2].x > 0) != (x[(j + 1) * 5 + 2].x > 0);
    return double(crossings);
  };
  return {"ribbon", std::move(world), 0, layers, "layers", context.quick() ? 1.0 : 30.0};
}

/// A towel in pleats, as hands gather it, held along both ends, which turn against each other and come nearer as the
/// twist shortens it: a fibre at radius r of a rope of length z that is turned n times is sqrt(z^2 + (2 pi n r)^2)
/// long.
Case towel(const Context& context) {
  const double turns = context.quick() ? 0.5 : 5, seconds = context.quick() ? 0.2 : 12;
  const double length = 0.9, cell = 0.01, advance = 0.0028;
  const int along = 90, across = 30, per_pleat = 2;
  WorldOptions settings = options(context, 15, 0.3);
  settings.gravity = {};
  settings.point_damping = 0.5;
  World world(settings);
  TriMesh mesh = grid({length, across * cell}, {along, across});
  const double step = std::sqrt(cell * cell - (advance / per_pleat) * (advance / per_pleat));
  for (std::size_t v = 0; v < mesh.positions.size(); ++v) {
    const int j = static_cast<int>(v) / (along + 1), phase = j % (2 * per_pleat);
    const double up = step * (phase <= per_pleat ? phase : 2 * per_pleat - phase) - step * per_pleat / 2;
    mesh.positions[v] = {mesh.positions[v].x, up, advance / per_pleat * (j - across / 2.0)};
  }
  const BodyId body =
      world.add(Cloth{.name = "towel",
                      .mesh = mesh,
                      .thickness = 0.0015,
                      .constraints = {{"distance", {.compliance = 1e-5}}, {"bend", {.compliance = 100.0}}}});
  std::vector<int> left, right;
  for (int j = 0; j <= across; ++j) {
    left.push_back(j * (along + 1));
    right.push_back(j * (along + 1) + along);
  }
  const double radius = 0.022;  // [m] of the gathered towel
  std::vector<Keyframe> from, to;
  for (int k = 0; k <= 20; ++k) {
    const double part = k / 20.0, wound = 2 * kPi * turns * part * radius;
    const double nearer = (length - 0.985 * std::sqrt(length * length - wound * wound)) / 2 * std::min(1.0, 5 * part);
    const double angle = kPi * turns * part;
    from.push_back({seconds * part, {nearer, 0, 0}, {angle, 0, 0}});
    to.push_back({seconds * part, {-nearer, 0, 0}, {-angle, 0, 0}});
  }
  world.pin(body, left, from);
  world.pin(body, right, to);
  // Turns: by which angle about the axis each row of vertices is turned against the one before, best fitted, summed.
  const auto twist = [body](const World& w) {
    const std::vector<Vec3d> x = w.positions(body);
    double sum = 0;
    for (int i = 0; i < along; ++i) {
      Vec3d middle[2] = {};
      for (int j = 0; j <= across; ++j) {
        for (int k = 0; k < 2; ++k) middle[k] += x[j * (along + 1) + i + k] / (across + 1.0);
      }
      double sine = 0, cosine = 0;
      for (int j = 0; j <= across; ++j) {
        const Vec3d p = x[j * (along + 1) + i] - middle[0], q = x[j * (along + 1) + i + 1] - middle[1];
        sine += p.y * q.z - p.z * q.y;
        cosine += p.y * q.y + p.z * q.z;
      }
      sum += std::atan2(sine, cosine);
    }
    return std::abs(sum) / (2 * kPi);
  };
  return {"towel", std::move(world), seconds, twist, "turns", 0.95 * turns};
}

/// Two chains of soft links, hooked into each other, pulled apart.
Case chains(const Context& context) {
  const int links = context.quick() ? 2 : 6;
  const double radius = 0.1, tube = 0.025, pitch = 2 * (radius - tube) - 0.008, pull = context.quick() ? 0.01 : 0.12,
               seconds = context.quick() ? 0.2 : 3;
  WorldOptions settings = options(context, 30, 0.2);
  settings.gravity = {};
  settings.contact->self = false;
  World world(settings);
  std::vector<BodyId> bodies;
  for (int k = 0; k < links; ++k) {
    bodies.push_back(world.add(Solid{
        .name = "link" + std::to_string(k),
        .mesh = torus_tets(radius, tube, 28, 3),
        .material = Material{.model = MaterialModel::neo_hookean, .young = 1e6, .poisson = 0.4, .density = 1000},
        .place = {.position = {pitch * (k - (links - 1) / 2.0), 0, 0}, .rotation = {k % 2 ? kPi / 2 : 0, 0, 0}}}));
  }
  for (const int end : {0, links - 1}) {
    const double side = end == 0 ? -1 : 1;
    const std::vector<Vec3d> x = world.rest_positions(bodies[end]);
    std::vector<int> held;
    for (int v = 0; v < static_cast<int>(x.size()); ++v) {
      if (x[v].x * side > radius) held.push_back(v);
    }
    world.pin(bodies[end], held, {{0, {}, {}}, {seconds, {side * pull, 0, 0}, {}}});
  }
  const auto contacts = [](const World& w) { return double(w.measures().contacts); };
  return {"chains", std::move(world), seconds, contacts, "contacts that hold them", context.quick() ? 0.0 : 1.0};
}

void run(Context& context, Report& report) {
  const int frames = context.quick() ? 20 : 2000;
  using Make = Case (*)(const Context&);
  const Make cases[] = {pile, ribbon, towel, chains};
  context.expect(double(frames) * std::size(cases));
  report.table.columns({"scene", "frame", "intersecting pairs of triangles", "contacts", "total energy [J]",
                        "particles slowed by the guard"});
  Plot plot{
      .title = "total energy", .x_label = "time [s]", .y_label = "energy over its largest value", .key = "top right"};
  for (const Make make : cases) {
    Case c = make(context);
    int bad = 0, troubles = 0;
    // Once pins have stopped nothing puts energy in.
    double highest = -1e300, lowest = 1e300, reached = -1e300, later = -1e300;
    Series series{.title = c.name};
    bool finite = true;
    for (int frame = 1; frame <= frames; ++frame) {
      c.world.step();
      const int pairs = intersecting_pairs(c.world, c.world.options().contact->self);
      const Measures m = c.world.measures();
      finite = finite && std::isfinite(m.total_energy);
      bad += pairs > 0;
      highest = std::max(highest, m.total_energy);
      lowest = std::min(lowest, m.total_energy);
      if (c.world.time() <= c.driven + 1e-9 || frame == 1)
        reached = std::max(reached, m.total_energy);
      else
        later = std::max(later, m.total_energy);
      series.points.emplace_back(c.world.time(), m.total_energy);
      report.table.row(
          {std::string(c.name), double(frame), double(pairs), double(m.contacts), m.total_energy, double(m.slowed)});
      context.did(1);
    }
    troubles = static_cast<int>(c.world.troubles().size());
    for (auto& point : series.points) point.second /= std::max(std::abs(highest), 1e-30);
    plot.series.push_back(series);
    const auto add = [&](const std::string& what, double value, std::optional<double> least,
                         std::optional<double> most) {
      report.figures.push_back(
          {.what = fmt::format("{}: {}", c.name, what), .value = value, .at_least = least, .at_most = most});
    };
    add("frames", frames, {}, {});
    add("frames with intersecting triangles", bad, {}, 0);
    add("troubles told", troubles, {}, 0);
    add("energy is finite (1) or not (0)", finite, 1, {});
    if (later > -1e299) {
      // A few frames are all impact, which stiff constraints answer with more than they got.
      add("energy beyond what it was when nothing moved the pins any more, over its range",
          (later - reached) / std::max(highest - lowest, 1e-30), {},
          context.quick() ? std::nullopt : std::optional(0.05));
    }
    add(c.what, c.told(c.world), c.at_least, {});
  }
  report.plots = {plot};
  report.notes = {
      "Intersections are counted exactly, within bodies that touch themselves, too. Solids do not touch "
      "themselves in these scenes."};
}

}  // namespace

extern const Experiment contact_endurance = {
    "contact_endurance", "pile, ribbon, twisted towel and chains, 2000 frames, judged exactly", "", run};

}  // namespace pliant::experiments
