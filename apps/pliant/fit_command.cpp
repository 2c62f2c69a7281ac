// pliant fit: which position-based stiffness comes nearest to Young's modulus and Poisson's ratio.     real17
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "commands.h"
#include "core/file.h"
#include "core/suggest.h"
#include "experiments/plot.h"
#include "experiments/report.h"
#include "fit/common_fits.h"
#include "fit/sweep.h"
#include "fit/values.h"
#include "interrupt.h"
#include "io/writer.h"
#include "pliant/error.h"
#include "progress.h"
#include "scene/json_text.h"

namespace pliant::app {
namespace {

using fit::Point;
using fit::Result;

struct FitOptions {
  std::string scene = "floor", method = "pbd", reference = "linear", optimizer = "pattern";
  std::string young = "1e3", poisson = "0.3", dt = "0.01", cells = "1", iterations = "1";
  double irregular = 0, force = 0.5, density = 1;
  std::string mesh;
  bool equal_masses = false, thesis = false, table = false, quiet = false;
  int threads = 0;
  std::string folder = "out/fit";
};

template <class Enum>
Enum chosen(const std::string& option, const std::string& text, std::initializer_list<Enum> all) {
  std::vector<std::string> names;
  for (const Enum e : all) {
    if (fit::name_of(e) == text) return e;
    names.emplace_back(fit::name_of(e));
  }
  throw Error(option, "there is no \"" + text + "\"", did_you_mean(text, names));
}

int whole(double value, const char* option) {
  if (value < 1 || value > 1000 || value != std::floor(value)) {
    throw Error(option, fmt::format("{} is not a whole number from 1 to 1000", value), "give such a number");
  }
  return static_cast<int>(value);
}

void check(const Point& p) {
  if (!(p.young > 0)) throw Error("--young", fmt::format("{} is not above 0", p.young), "give a modulus in Pa");
  if (!(p.poisson > -1 && p.poisson < 0.5)) {
    throw Error("--poisson", fmt::format("{} is not above -1 and below 0.5", p.poisson), "0.5 would be incompressible");
  }
  if (!(p.stepping.dt > 0)) throw Error("--dt", fmt::format("{} is not above 0", p.stepping.dt), "give seconds");
}

std::vector<Point> points_of(const FitOptions& o) {
  fit::load_kinds(o.scene);  // a mistake is told at once
  Point base;
  base.scene = o.scene;
  using fit::Method;
  base.method =
      chosen("--method", o.method,
             {Method::pbd, Method::pbd_unbounded, Method::mass_spring, Method::xpbd_stvk, Method::xpbd_neo_hookean});
  base.reference =
      chosen("--reference", o.reference, {fit::Reference::linear, fit::Reference::stvk, fit::Reference::neo_hookean});
  base.optimizer = chosen("--optimizer", o.optimizer, {fit::Optimizer::pattern, fit::Optimizer::bobyqa});
  if (base.optimizer == fit::Optimizer::bobyqa && !fit::has_nlopt()) {
    throw Error("--optimizer", "this program was built without NLopt", "install libnlopt-dev and build it again");
  }
  base.cube.irregular = o.irregular;
  base.cube.force = o.force;
  base.cube.density = o.density;
  base.cube.mesh = o.mesh;
  base.cube.equal_masses = o.equal_masses;
  std::vector<Point> points;
  if (o.table) return fit::common_points(o.scene);
  if (o.thesis) {
    points = fit::thesis_points(o.scene);
    for (Point& p : points) {
      const int cells = p.cube.cells;
      p.method = base.method;
      p.reference = base.reference;
      p.optimizer = base.optimizer;
      p.cube = base.cube;
      p.cube.cells = cells;
    }
    return points;
  }
  for (const double young : fit::values_of(o.young, "--young")) {
    for (const double dt : fit::values_of(o.dt, "--dt")) {
      for (const double cells : fit::values_of(o.cells, "--cells")) {
        for (const double iterations : fit::values_of(o.iterations, "--iterations")) {
          for (const double poisson : fit::values_of(o.poisson, "--poisson")) {
            Point p = base;
            p.young = young;
            p.poisson = poisson;
            p.stepping = {dt, whole(iterations, "--iterations")};
            p.cube.cells = whole(cells, "--cells");
            check(p);
            points.push_back(p);
          }
        }
      }
    }
  }
  return points;
}

std::string label(const Point& p) {
  return fmt::format("dt {} N {} n {} E {:g}", p.stepping.dt, p.cube.cells, p.stepping.iterations, p.young);
}

void write_files(const FitOptions& options, const std::vector<Point>& points, const std::vector<Result>& results) {
  experiments::Table table;
  table.columns({"scene", "method", "reference", "young [Pa]", "poisson", "dt [s]", "cells", "iterations", "k_d", "k_v",
                 "error", "error of the sweep", "evaluations"});
  experiments::Plot error{.title = "error", .x_label = "Poisson's ratio", .y_label = "e", .log_y = true};
  experiments::Plot distance{.title = "k_d", .x_label = "Poisson's ratio", .y_label = "k_d"};
  experiments::Plot volume{.title = "k_v", .x_label = "Poisson's ratio", .y_label = "k_v"};
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (std::size_t i = 0; i < points.size(); ++i) {
    const Point& p = points[i];
    const Result& r = results[i];
    table.row({p.scene, std::string(name_of(p.method)), std::string(name_of(p.reference)), p.young, p.poisson,
               p.stepping.dt, double(p.cube.cells), double(p.stepping.iterations), r.stiffness.distance,
               r.stiffness.volume, r.error, r.sweep_error, double(r.evaluations)});
    list.push_back({{"scene", p.scene},
                    {"method", name_of(p.method)},
                    {"reference", name_of(p.reference)},
                    {"young", p.young},
                    {"poisson", p.poisson},
                    {"dt", p.stepping.dt},
                    {"cells", p.cube.cells},
                    {"iterations", p.stepping.iterations},
                    {"k_d", r.stiffness.distance},
                    {"k_v", r.stiffness.volume},
                    {"error", r.error},
                    {"parts", r.parts}});
    for (experiments::Plot* plot : {&error, &distance, &volume}) {
      if (plot->series.empty() || plot->series.back().title != label(p)) plot->series.push_back({.title = label(p)});
    }
    error.series.back().points.emplace_back(p.poisson, r.error);
    distance.series.back().points.emplace_back(p.poisson, r.stiffness.distance);
    volume.series.back().points.emplace_back(p.poisson, r.stiffness.volume);
  }
  const std::string stem = options.folder + "/fit";
  write_file(stem + ".csv", table.csv());
  write_file(stem + ".json", scene::readable_json(list));
  std::string written = stem + ".csv, " + stem + ".json";
  if (const auto svg = experiments::draw_svg({error, distance, volume})) {
    write_file(stem + ".svg", *svg);
    written += ", " + stem + ".svg";
  }
  if (options.table) {
    const std::string path = options.folder + "/fits.json";
    write_file(path, fit::common_fits_json(points, results));
    written += ", " + path;
  }
  fmt::print("wrote {}\n", written);
}

void print_rows(const std::vector<Point>& points, const std::vector<Result>& results) {
  constexpr std::size_t kMost = 60;
  fmt::print("{:>10} {:>8} {:>8} {:>3} {:>3} {:>10} {:>10} {:>10}\n", "E [Pa]", "nu", "dt [s]", "N", "n", "k_d", "k_v",
             "error e");
  for (std::size_t i = 0; i < std::min(points.size(), kMost); ++i) {
    const Point& p = points[i];
    const Result& r = results[i];
    fmt::print("{:>10g} {:>8g} {:>8g} {:>3} {:>3} {:>10.5g} {:>10.5g} {:>10.3g}\n", p.young, p.poisson, p.stepping.dt,
               p.cube.cells, p.stepping.iterations, r.stiffness.distance, r.stiffness.volume, r.error);
  }
  if (points.size() > kMost) fmt::print("... and {} more in the files\n", points.size() - kMost);
  if (points.size() == 1 && points[0].method == fit::Method::pbd) {
    fmt::print("\nIn a scene, with \"method\": \"pbd\", fps {:g}, substeps 1, iterations {}:\n",
               1 / points[0].stepping.dt, points[0].stepping.iterations);
    fmt::print(
        "  \"constraints\": {{\"distance\": {{\"stiffness\": {:.5g}}}, \"tet_volume\": {{\"stiffness\": {:.5g}}}}}\n",
        results[0].stiffness.distance, results[0].stiffness.volume);
    fmt::print("A material (\"material\": {{\"young\": {:g}, \"poisson\": {:g}}}) needs no fit and no fixed step.\n",
               points[0].young, points[0].poisson);
  }
}

int run(const FitOptions& options) {
  const std::vector<Point> points = points_of(options);
  watch_for_interrupts();
  const fit::Share share = fit::share_of_this_process();
  std::unique_ptr<Progress> progress;
  std::size_t shown = 0;
  fit::SweepOptions sweep_options{.folder = options.folder};
  sweep_options.threads = options.threads > 0 ? options.threads
                          : share.size > 1    ? 1
                                              : std::max(1, int(std::thread::hardware_concurrency()));
  sweep_options.stop = [] { return interrupted(); };
  sweep_options.progress = [&](std::size_t finished) {
    if (!progress) {
      if (finished > 0) fmt::print(stderr, "{} of {} points were done before\n", finished, points.size());
      progress = std::make_unique<Progress>(static_cast<int64_t>(finished), static_cast<int64_t>(points.size()),
                                            options.quiet || share.rank != 0, Progress::Unit::percent);
    } else {
      progress->advance(static_cast<int64_t>(finished - shown));
    }
    shown = finished;
  };
  const auto results = fit::sweep(points, sweep_options);
  progress.reset();
  if (interrupted()) {
    fmt::print(stderr, "pliant: stopped after {} of {} points; the same command goes on from there\n", shown,
               points.size());
    return kInterrupted;
  }
  if (!results) return kOk;  // another process has them
  print_rows(points, *results);
  write_files(options, points, *results);
  return kOk;
}

}  // namespace

void add_fit(CLI::App& app, Action& action) {
  CLI::App* command = app.add_subcommand(
      "fit", "Find the position-based stiffness (k_d, k_v) that comes nearest to finite elements with E and nu.");
  auto o = std::make_shared<FitOptions>();
  command
      ->add_option("--scene", o->scene,
                   "floor, wall, ceiling (a unit cube of 1 kg held at y = 0, z = 0 or y = 1, under gravity), gravity "
                   "(all three), "
                   "traction, shear or torsion")
      ->capture_default_str();
  command->add_option("--young", o->young, "Young's modulus [Pa]")->capture_default_str();
  command->add_option("--poisson", o->poisson, "Poisson's ratio, such as 0:0.01:0.49")->capture_default_str();
  command->add_option("--dt", o->dt, "Time step [s]")->capture_default_str();
  command->add_option("--cells", o->cells, "N: the cube has N x N x N cells of five tets")->capture_default_str();
  command->add_option("--iterations", o->iterations, "Solver iterations")->capture_default_str();
  command
      ->add_option("--method", o->method,
                   "pbd, pbd-unbounded (k up to 1.9), mass-spring, or xpbd-stvk, xpbd-neo-hookean: nothing is fitted, "
                   "the error of E and nu as they are is shown")
      ->capture_default_str();
  command->add_option("--reference", o->reference, "Finite elements: linear, stvk or neo_hookean")
      ->capture_default_str();
  command->add_option("--optimizer", o->optimizer, "pattern (real17's) or bobyqa (NLopt)")->capture_default_str();
  command->add_option("--irregular", o->irregular, "Move inner vertices by up to this part of a cell")
      ->check(CLI::Range(0.0, 0.4));
  command->add_option("--mesh", o->mesh,
                      "A body of tets of your own in place of the cube (.vtu, .vtk, .msh, .node); held, and pulled, at "
                      "what lies within 2 % of that side of its box");
  command->add_option("--density", o->density, "[kg/m^3]")->check(CLI::PositiveNumber)->capture_default_str();
  command->add_option("--force", o->force, "Of traction and shear [N], of torsion [N m]")->capture_default_str();
  command->add_flag("--equal-masses", o->equal_masses, "Every vertex weighs the same");
  command->add_flag("--sweep", o->thesis,
                    "All of real17's parameter sets for the scene: 650 fits; --young, --poisson, --dt, --cells and "
                    "--iterations do not count");
  command->add_flag(
      "--table", o->table,
      "Settings that scenes commonly have, also as fits.json: 144 fits; of the other options only --scene "
      "counts");
  command->add_option("--threads", o->threads, "Threads; 0 is one per core")->check(CLI::Range(0, 1024));
  command->add_option("-o,--output", o->folder, "Folder for fit.csv, fit.json, fit.svg and what is finished")
      ->capture_default_str();
  command->add_flag("--quiet", o->quiet, "No progress");
  command->footer(
      "\nExamples:\n"
      "  pliant fit --young 1e3 --poisson 0.3                  one fit, to be pasted into a scene\n"
      "  pliant fit --poisson 0:0.05:0.45 --scene wall -o out  a curve\n"
      "  pliant fit --sweep --scene gravity -o out/gravity     all of it; stop it and start it again as you like\n"
      "  pliant fit --mesh body.vtu --density 1000 --young 1e5 --scene wall\n"
      "                                                        a body of your own, held at one side\n"
      "  mpirun -n 4 pliant fit --sweep -o out/floor           over several processes with a common folder");
  command->callback([&action, o] { action = [o] { return run(*o); }; });
}

}  // namespace pliant::app
