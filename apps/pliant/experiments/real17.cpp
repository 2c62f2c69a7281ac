// Characterisation of position-based stiffness: real17, chapter 4, each scene with its four variations.
//
// The picture has the thesis's arrangement, a row for two of its figures: first the base case, then for dt, N, n_it and
// E the error, k_d and k_v over Poisson's ratio.
#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <map>
#include <thread>

#include "experiments/experiment.h"
#include "fit/sweep.h"

namespace pliant::experiments {
namespace {

using fit::Point;
using fit::Result;

constexpr const char* kLegend = "below";  // curves are everywhere in the panels

struct Variation {
  const char* title;
  std::vector<Point> cases;
};

std::vector<Variation> variations(bool quick) {
  if (quick) return {{"Young's modulus", {{}, {.young = 1e4}}}};
  std::vector<Variation> all = {{"time step", {{}}}, {"cells", {{}}}, {"iterations", {{}}}, {"Young's modulus", {{}}}};
  for (double dt : {0.005, 0.002, 0.001}) all[0].cases.push_back({.stepping = {.dt = dt}});
  for (int cells : {2, 3, 4}) all[1].cases.push_back({.cube = {.cells = cells}});
  for (int iterations : {2, 4, 8}) all[2].cases.push_back({.stepping = {.iterations = iterations}});
  for (double young : {1e4, 1e5, 1e6}) all[3].cases.push_back({.young = young});
  return all;
}

std::string label(const char* variation, const Point& p) {
  switch (variation[0]) {
    case 't':
      return fmt::format("dt = {}", p.stepping.dt);
    case 'c':
      return fmt::format("N = {}", p.cube.cells);
    case 'i':
      return fmt::format("n = {}", p.stepping.iterations);
    default:
      return fmt::format("E = {:g}", p.young);
  }
}

/// Fits of one case for all Poisson's ratios, in parallel: each on its own, so the result does not depend on threads.
std::vector<Result> curve(const Point& base, const std::vector<double>& poissons, const Settings& settings) {
  std::vector<Point> points(poissons.size(), base);
  for (std::size_t i = 0; i < points.size(); ++i) points[i].poisson = poissons[i];
  return fit::fit_all(points, settings.threads > 0 ? settings.threads : int(std::thread::hardware_concurrency()));
}

void run(Context& context, Report& report, const std::string& scene) {
  const bool quick = context.quick();
  std::vector<double> poissons;
  for (int percent = 0; percent < 50; percent += quick ? 16 : 1) poissons.push_back(percent / 100.0);
  const auto all = variations(quick);
  double work = 3;
  for (const Variation& v : all) work += static_cast<double>(v.cases.size());
  context.expect(work);

  report.table.columns({"variation", "case", "poisson", "error", "error of the sweep", "k_d", "k_v"});
  std::map<std::string, std::vector<Result>> known;  // the base case is in every variation
  bool search_helps = true;
  for (const Variation& v : all) {
    const bool logarithmic = std::string(v.title) == "Young's modulus";  // as the thesis
    Plot error{.title = std::string("error, ") + v.title,
               .x_label = "Poisson's ratio",
               .y_label = "e",
               .log_y = logarithmic,
               .key = kLegend};
    if (!logarithmic) error.y_range = {{0, std::nullopt}};
    const auto stiffness = [&](const char* name) {
      return Plot{.title = std::string(name) + ", " + v.title,
                  .x_label = "Poisson's ratio",
                  .y_label = name,
                  .y_range = {{0, 1.05}},
                  .key = kLegend};
    };
    Plot distance = stiffness("k_d"), volume = stiffness("k_v");
    for (Point p : v.cases) {
      p.scene = scene;
      p.cube.equal_masses = true;  // as the thesis's programs have it
      p.poisson = 0;
      auto& results = known[p.key()];
      if (results.empty()) results = curve(p, poissons, context.settings());
      context.did(1);
      Series e{.title = label(v.title, p)}, kd{.title = e.title}, kv{.title = e.title};
      for (std::size_t i = 0; i < poissons.size(); ++i) {
        const Result& r = results[i];
        e.points.emplace_back(poissons[i], r.error);
        kd.points.emplace_back(poissons[i], r.stiffness.distance);
        kv.points.emplace_back(poissons[i], r.stiffness.volume);
        search_helps = search_helps && r.error <= r.sweep_error;
        report.table.row({std::string(v.title), e.title, poissons[i], r.error, r.sweep_error, r.stiffness.distance,
                          r.stiffness.volume});
      }
      error.series.push_back(std::move(e));
      distance.series.push_back(std::move(kd));
      volume.series.push_back(std::move(kv));
    }
    for (Plot* plot : {&error, &distance, &volume}) report.plots.push_back(std::move(*plot));
  }

  // The base case as the thesis has it, with masses by volume, and the same body with physical parameters.
  Point base{.scene = scene};
  base.cube.equal_masses = true;
  const std::vector<Result>& thesis = known[Point{.scene = scene, .poisson = 0, .cube = {.equal_masses = true}}.key()];
  Point by_volume = base;
  by_volume.cube.equal_masses = false;
  const std::vector<Result> lumped = curve(by_volume, poissons, context.settings());
  context.did(1);
  double worst_physical = 0;
  Plot physical{.title = "materials with nothing fitted, N = 2",
                .x_label = "Poisson's ratio",
                .y_label = "e",
                .log_y = true,
                .key = kLegend};
  for (const fit::Reference reference : {fit::Reference::stvk, fit::Reference::neo_hookean}) {
    Point p = base;
    p.method = reference == fit::Reference::stvk ? fit::Method::xpbd_stvk : fit::Method::xpbd_neo_hookean;
    p.reference = reference;
    for (const int cells : quick ? std::vector{2} : std::vector{1, 2, 3, 4}) {
      p.cube.cells = cells;
      for (const double young : quick ? std::vector{1e3, 1e6} : std::vector{1e3, 1e4, 1e5, 1e6}) {
        p.young = young;
        const std::vector<double> up_to =
            quick ? std::vector{0.0, 0.3, 0.45} : std::vector{0.0, 0.1, 0.2, 0.3, 0.4, 0.45};
        const std::vector<Result> results = curve(p, up_to, context.settings());
        Series series{.title = fmt::format("{}, E = {:g}", name_of(p.reference), young)};
        for (std::size_t i = 0; i < results.size(); ++i) {
          series.points.emplace_back(up_to[i], results[i].error);
          worst_physical = std::max(worst_physical, results[i].error);
          report.table.row({std::string(name_of(p.method)), fmt::format("N = {}, E = {:g}", cells, young), up_to[i],
                            results[i].error, results[i].error, 0.0, 0.0});
        }
        if (cells == 2) physical.series.push_back(std::move(series));
      }
    }
    context.did(1);
  }

  Plot base_error{.title = "base case: error", .x_label = "Poisson's ratio", .y_label = "e", .key = kLegend};
  base_error.y_range = {{0, std::nullopt}};
  Plot base_stiffness{.title = "base case: stiffness",
                      .x_label = "Poisson's ratio",
                      .y_label = "k",
                      .y_range = {{0, 1.05}},
                      .key = kLegend,
                      .series = {{.title = "k_d"}, {.title = "k_v"}}};
  const std::vector<fit::LoadKind> kinds = fit::load_kinds(scene);
  base_error.series.push_back({.title = "equal masses"});
  base_error.series.push_back({.title = "masses by volume"});
  if (kinds.size() > 1)
    base_error.series = {{.title = "all"}, {.title = "floor"}, {.title = "wall"}, {.title = "ceiling"}};
  for (std::size_t i = 0; i < poissons.size(); ++i) {
    base_error.series[0].points.emplace_back(poissons[i], thesis[i].error);
    if (kinds.size() == 1) base_error.series[1].points.emplace_back(poissons[i], lumped[i].error);
    for (std::size_t part = 0; kinds.size() > 1 && part < kinds.size(); ++part) {
      base_error.series[1 + part].points.emplace_back(poissons[i], thesis[i].parts[part]);
    }
    base_stiffness.series[0].points.emplace_back(poissons[i], thesis[i].stiffness.distance);
    base_stiffness.series[1].points.emplace_back(poissons[i], thesis[i].stiffness.volume);
  }
  report.plots.insert(report.plots.begin(), {base_error, base_stiffness, physical});

  const char* printed = scene == "floor"     ? "14 % at nu = 0, below 20 % up to 0.3, 75 % at 0.49"
                        : scene == "wall"    ? "12.5 % falling to 10 %"
                        : scene == "ceiling" ? "about ten points more than the floor at the start"
                                             : "";
  const auto percent = [&](const std::vector<Result>& r, std::size_t i) { return 100 * r[i].error; };
  report.figures.push_back(
      {.what = "e of the base case at nu = 0 [%]", .value = percent(thesis, 0), .document = printed});
  report.figures.push_back({.what = fmt::format("e of the base case at nu = {} [%]", poissons.back()),
                            .value = percent(thesis, poissons.size() - 1),
                            .document = printed});
  report.figures.push_back({.what = "e of the base case at nu = 0, masses by volume [%]", .value = percent(lumped, 0)});
  report.figures.push_back({.what = "the search is never worse than the sweep (1: so it is)",
                            .value = search_helps ? 1.0 : 0.0,
                            .at_least = 1});
  report.figures.push_back({.what = "largest e of materials with E = 1e3 ... 1e6 and nu up to 0.45, nothing fitted",
                            .value = worst_physical,
                            .at_most = 1e-3,
                            .document = "10 % to several hundred percent after fitting"});
}

}  // namespace

#define PLIANT_REAL17(name, scene, summary, source) \
  extern const Experiment name;                     \
  const Experiment name = {#name, summary, source,  \
                           [](Context& context, Report& report) { run(context, report, scene); }};
PLIANT_REAL17(real17_floor, "floor", "stiffness of pbd fitted to finite elements: a cube on the floor",
              "real17, figures 4.2 to 4.10")
PLIANT_REAL17(real17_wall, "wall", "the same: a cube on a wall", "real17, figures 4.12 to 4.20")
PLIANT_REAL17(real17_ceiling, "ceiling", "the same: a cube under the ceiling", "real17, figures 4.22 to 4.30")
PLIANT_REAL17(real17_gravity, "gravity", "the same: all three with one stiffness", "real17, figures 4.31 to 4.39")
#undef PLIANT_REAL17

}  // namespace pliant::experiments
