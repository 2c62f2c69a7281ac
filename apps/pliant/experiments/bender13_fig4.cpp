// A hanging cloth with six pairs of stiffness for stretching and bending; and why one of them can blow up.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>

#include "experiments/cloths.h"
#include "experiments/experiment.h"
#include "experiments/stretch.h"
#include "pliant/world.h"

namespace pliant::experiments {
namespace {

constexpr double kStretching[] = {1, 0.5, 0.01};
constexpr double kBending[] = {1, 0};
constexpr double kDamping = 2;  // [1/s]
constexpr int kIterations = 5;
constexpr double kLost = 1e3;  // an edge of this many times its length: it has blown up

Constraints constraints_of(double stretching, double bending, const char* bending_type) {
  Constraints out;
  if (stretching > 0) out["distance"] = {.stiffness = stretching};
  if (bending > 0) out[bending_type] = {.stiffness = bending};
  return out;
}

struct Hanging {
  Stretch stretch{};
  double fold = 0;  // [degrees] root mean square
  bool lost = false;
  double lost_at = 0;  // [s]
  std::vector<Vec3d> positions{};
  std::vector<Edge> edges{};
};

/// 1 m x 1 m, let fall from the horizontal, two corners held.
Hanging hang(Context& context, int cells, int substeps, double seconds, const Constraints& constraints,
             Method method = Method::pbd, Series* longest = nullptr) {
  World world({.step = 1.0 / 60,
               .substeps = substeps,
               .iterations = kIterations,
               .method = method,
               .point_damping = kDamping,
               .threads = 1});
  const TriMesh mesh = grid({1, 1}, {cells, cells});
  const BodyId id = world.add(Cloth{.mesh = mesh, .density = 0.2, .constraints = constraints});
  world.pin(id, {0, cells});
  Hanging out{.edges = world.edges(id)};
  const int frames = static_cast<int>(std::lround(60 * seconds));
  for (int k = 1; k <= frames; ++k) {
    if (!out.lost) {
      world.step();
      out.stretch = stretch_of(world, id);
      out.lost = !world.troubles().empty() || !(out.stretch.largest < kLost);
      out.lost_at = k / 60.0;
      if (longest) longest->points.emplace_back(k / 60.0, 1 + out.stretch.largest);
    }
    context.did(substeps);
  }
  out.positions = world.positions(id);
  out.fold = fold_angle(mesh, out.positions);
  return out;
}

struct Free {
  double longest = 0;        // edge over its rest length, at the end
  double smallest_area = 1;  // of a triangle over that at rest, before an edge is four times as long
  double turned = 0;         // part of the triangles that face down, at the end
};

/// A flat sheet with wrinkles (heights by chance, up to `height` of a cell), free and without gravity. The length of a
/// step cancels out of pbd then.
Free let_go(Context& context, const Constraints& constraints, double height, bool inertia, int steps, Series& longest) {
  constexpr int kCells = 10;
  World world({.step = 1.0 / 60,
               .substeps = 1,
               .iterations = 1,
               .method = Method::pbd,
               .gravity = {},
               .point_damping = inertia ? 0.0 : 1e6,  // no velocity outlives its step
               .threads = 1,
               .precision = Precision::float64});
  const TriMesh mesh = grid({1, 1}, {kCells, kCells});
  const BodyId id = world.add(Cloth{.mesh = mesh, .constraints = constraints});
  std::vector<Vec3d> x = world.positions(id);
  std::mt19937 engine(1);
  for (Vec3d& p : x) p.y = height / kCells * (engine() / 4294967296.0 * 2 - 1);
  world.set_positions(id, x);
  Free out;
  for (int s = 1; s <= steps; ++s) {
    context.did(1);
    if (out.longest >= kLost) continue;
    world.step();
    out.longest = 1 + stretch_of(world, id).largest;
    longest.points.emplace_back(s, out.longest);
    x = world.positions(id);
    out.turned = 0;
    for (const Triangle& t : mesh.triangles) {
      const Vec3d& o = x[static_cast<std::size_t>(t[0])];
      const Vec3d n = cross(x[static_cast<std::size_t>(t[1])] - o, x[static_cast<std::size_t>(t[2])] - o);
      if (out.longest < 4) out.smallest_area = std::min(out.smallest_area, length(n) * kCells * kCells);
      out.turned += (n.y < 0) / static_cast<double>(mesh.triangles.size());
    }
  }
  return out;
}

void run(Context& context, Report& report) {
  // With n rows below it, an edge of length h comes to rest where a step's correction takes back what all of them fall
  // within it: about k C / 2 = n g dt^2, so C / h = 2 n g dt^2 / (k h). For 1/60 s and 20 rows that is 220 at k = 0.01.
  // Substeps as many as rows make it 2 g / (3600/s^2 k 1 m) = 0.55, for any number of rows.
  const int cells = context.quick() ? 10 : 20, substeps = cells;
  const double seconds = context.quick() ? 4 : 6;
  const std::vector<int> coarser = context.quick() ? std::vector{1, 5} : std::vector{1, 2, 5, 10};
  const int steps = 300;
  const double longer_substeps = std::accumulate(coarser.begin(), coarser.end(), 0);
  context.expect(60 * seconds * (6.0 * substeps + 3 * longer_substeps) + 6.0 * steps);

  report.table.columns({"part", "k_stretching", "k_bending", "bending", "substeps per frame", "mean stretch [%]",
                        "largest stretch [%]", "fold angle [degrees]", "blown up"});
  Hanging pairs[2][3];
  double lost = 0;
  Plot summary{.title = "mean stretch",
               .x_label = "stiffness of stretching",
               .y_label = "mean stretch of edges [%]",
               .log_x = true,
               .log_y = true,
               .key = "top right"};
  for (std::size_t b = 0; b < 2; ++b) {
    Series series{.title = fmt::format("k_bending = {:g}", kBending[b]), .style = Series::Style::both};
    for (std::size_t s = 0; s < 3; ++s) {
      Hanging& h = pairs[b][s] =
          hang(context, cells, substeps, seconds, constraints_of(kStretching[s], kBending[b], "bend"));
      lost += h.lost;
      report.table.row({"pairs", kStretching[s], kBending[b], "dihedral", double(substeps), 100 * h.stretch.mean,
                        100 * h.stretch.largest, h.fold, h.lost ? "yes" : "no"});
      Plot plot{.title = fmt::format("({:g}, {:g})", kStretching[s], kBending[b]),
                .x_label = "[m]",
                .y_label = "[m]",
                .y_range = std::pair{-1.6, 0.1},
                .key = "off"};
      plot.series = {wireframe("", h.edges, h.positions, 0, 1)};
      plot.series.push_back({.title = "", .points = {{-0.8, 0}, {NAN, NAN}, {0.8, 0}}});  // one scale for all
      report.plots.push_back(plot);
      series.points.emplace_back(kStretching[s], 100 * h.stretch.mean);
    }
    summary.series.push_back(series);
  }
  report.plots.push_back(summary);

  // Longer steps: the same pair, by the angle, by the linear form, and in xpbd with the springs' force: k = 0.01 gives
  // k m / (2 dt^2) = 3.6 N/m with the steps above, for vertices of mass m.
  const double spring = 0.01 * 0.2 / (cells * cells) / 2 * std::pow(60.0 * substeps, 2);
  Plot longer{.title = "(0.01, 1), longest edge over its rest length",
              .x_label = "time [s]",
              .y_label = "longest edge",
              .log_y = true,
              .y_range = std::pair{1.0, 1e5},
              .key = "top right"};
  struct Form {
    const char *name, *table;
    Constraints constraints;
    Method method;
    double lost;
  };
  Form forms[] = {
      {"angle", "dihedral", constraints_of(0.01, 1, "bend"), Method::pbd, 0},
      {"linear", "isometric", constraints_of(0.01, 1, "isometric_bend"), Method::pbd, 0},
      {"angle, xpbd", "dihedral, xpbd", {{"distance", {.compliance = 1 / spring}}, {"bend", {}}}, Method::xpbd, 0}};
  for (Form& form : forms) {
    for (const int c : coarser) {
      Series series{.title = fmt::format("{}, {} a frame", form.name, c)};
      const Hanging h = hang(context, cells, c, seconds, form.constraints, form.method, &series);
      form.lost += h.lost;
      report.table.row({"longer steps", 0.01, 1.0, form.table, double(c), 100 * h.stretch.mean, 100 * h.stretch.largest,
                        h.fold, h.lost ? fmt::format("at {:.2f} s", h.lost_at) : std::string("no")});
      if (c == coarser.front() || c == 5) longer.series.push_back(series);
    }
  }
  report.plots.push_back(longer);

  // The cause: bending alone, without gravity.
  Plot cause{.title = "free sheet without gravity, longest edge",
             .x_label = "step",
             .y_label = "longest edge",
             .log_y = true,
             .y_range = std::pair{1.0, 1e5},
             .key = "top right"};
  struct Case {
    const char* name;
    double stretching;
    const char* bending;
    double height;
    bool inertia;
  };
  const Case cases[] = {{"angle alone", 0, "bend", 0.1, true},
                        {"angle alone, velocities taken out", 0, "bend", 0.1, false},
                        {"angle, stretching 0.01", 0.01, "bend", 0.1, true},
                        {"angle, stretching 0.01, high wrinkles", 0.01, "bend", 1, true},
                        {"linear alone", 0, "isometric_bend", 0.1, true},
                        {"linear alone, high wrinkles", 0, "isometric_bend", 1, true}};
  Free end[std::size(cases)];
  for (std::size_t c = 0; c < std::size(cases); ++c) {
    Series series{.title = cases[c].name};
    end[c] = let_go(context, constraints_of(cases[c].stretching, 1, cases[c].bending), cases[c].height,
                    cases[c].inertia, steps, series);
    report.table.row({fmt::format("cause: {}", cases[c].name), cases[c].stretching, 1.0,
                      std::string(cases[c].bending) == "bend" ? "dihedral" : "isometric", 1.0, NAN,
                      100 * (end[c].longest - 1), NAN, end[c].longest < kLost ? "no" : "yes"});
    cause.series.push_back(series);
  }
  report.plots.push_back(cause);

  const auto add = [&](Figure figure) { report.figures.push_back(std::move(figure)); };
  add({.what = "pairs that blow up", .value = lost, .at_most = 0, .document = "all six are shown"});
  for (std::size_t b = 0; b < 2; ++b) {
    for (std::size_t s = 0; s < 2; ++s) {
      add({.what = fmt::format("k_bending = {:g}: mean stretch at k_stretching = {:g} over that at {:g}", kBending[b],
                               kStretching[s + 1], kStretching[s]),
           .value = pairs[b][s + 1].stretch.mean / pairs[b][s].stretch.mean,
           .at_least = 1,
           .document = "a softer stretching, in this order"});
    }
  }
  for (std::size_t s = 0; s < 3; ++s) {
    add({.what = fmt::format("k_stretching = {:g}: fold angle with k_bending = 1 over that with 0", kStretching[s]),
         .value = pairs[0][s].fold / pairs[1][s].fold,
         .at_most = 1,
         .document = "bending resistance in the upper row, none in the lower"});
  }
  for (std::size_t s = 0; s < 3; ++s) {
    add({.what = fmt::format("({:g}, 0): fold angle [degrees]", kStretching[s]), .value = pairs[1][s].fold});
  }
  add({.what = "(0.01, 1) with longer steps: runs that blow up, bending by the angle", .value = forms[0].lost});
  add({.what = "the same, bending by the linear form", .value = forms[1].lost});
  add({.what = "the same, xpbd, rigid bending by the angle and springs of 3.6 N/m", .value = forms[2].lost});
  add({.what = "of so many", .value = double(coarser.size())});
  for (std::size_t c = 0; c < std::size(cases); ++c) {
    add({.what = fmt::format("free sheet, {}: longest edge over its rest length (1000: blown up)", cases[c].name),
         .value = std::min(end[c].longest, kLost)});
  }
  add({.what =
           "free sheet, angle alone: smallest area of a triangle before an edge is four times as long, over that at "
           "rest",
       .value = end[0].smallest_area});
  add({.what = "the same: part of the triangles that are turned over when it has blown up", .value = end[0].turned});
  report.notes = {
      fmt::format("1 m x 1 m, {0} x {0} cells, two corners held, let fall from the horizontal, {1} s; pbd, frames of "
                  "1/60 s, {2} substeps of {3} iterations, damping {4}/s. The document prints neither mesh nor steps.",
                  cells, seconds, substeps, kIterations, kDamping),
      "An edge that carries n rows stretches by about 2 n g dt^2 / k: at k = 0.01 a step of 1/60 s draws the cloth out "
      "to many times its size, whatever the bending.",
      "Why bending can blow up: a projection of the angle moves corners along tangents of their arcs, which makes "
      "triangles longer. An angle has no scale, so it does not take that back, and the velocity update makes a motion "
      "of it. With stretching near zero nothing else takes it back; triangles drift apart and collapse, and a triangle "
      "that turns over in its plane is seen as a fold by 180 degrees. Without inertia, or with bending that is linear "
      "in the positions, it does not happen."};
}

}  // namespace

extern const Experiment bender13_fig4 = {"bender13_fig4", "six pairs of stiffness for stretching and bending",
                                         "bender13, figure 4", run};

}  // namespace pliant::experiments
