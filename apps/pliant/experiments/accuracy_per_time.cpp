// Error of a stiff cantilever's motion against the time that a frame takes: the engine's methods, and explicit finite
// elements that are vectorised like them.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <functional>

#include "experiments/bodies.h"
#include "experiments/experiment.h"
#include "experiments/explicit_fem.h"
#include "fem/system.h"

namespace pliant::experiments {
namespace {

constexpr double kFrame = 1.0 / 60;  // [s]
constexpr double kGoal = 0.02;       // error that is asked for
const Vec3d kGravity{0, -9.81, 0};

using Tips = std::vector<Vec3d>;  // displacement of the free end, frame by frame [m]

struct Outcome {
  Tips tips;
  double milliseconds = 0;  // of a frame, median
  bool finite = true;
};

/// Frames one after another, each timed.
Outcome play(int frames, const std::function<void()>& frame, const std::function<Vec3d()>& tip) {
  using Clock = std::chrono::steady_clock;
  Outcome out;
  std::vector<double> times;
  for (int i = 0; i < frames; ++i) {
    const auto begin = Clock::now();
    frame();
    times.push_back(std::chrono::duration<double, std::milli>(Clock::now() - begin).count());
    out.tips.push_back(tip());
    out.finite = out.finite && std::isfinite(length(out.tips.back()));
  }
  std::nth_element(times.begin(), times.begin() + frames / 2, times.end());
  out.milliseconds = times[static_cast<std::size_t>(frames / 2)];
  return out;
}

template <class Real>
Outcome explicit_fem(const Body& body, int frames, int steps) {
  ExplicitFem<Real> fem(body.mesh, body.material, body.held, kGravity);
  return play(
      frames, [&] { fem.advance(steps, kFrame / steps); },
      [&] {
        Vec3d sum{};
        for (const int v : body.tip) sum += fem.displacement(v);
        return sum / static_cast<double>(body.tip.size());
      });
}

/// Root of the mean squared distance over frames, over that of the answer from rest.
double error_of(const Tips& found, const Tips& answer) {
  double off = 0, size = 0;
  for (std::size_t i = 0; i < answer.size(); ++i) {
    off += length_squared(found[i] - answer[i]);
    size += length_squared(answer[i]);
  }
  return std::sqrt(off / size);
}

/// The highest frequency [rad/s] of K u = w^2 M u at rest, by power iteration.
double highest_frequency(const Body& body) {
  const fem::System system(reference(body, {}));
  fem::SparseMatrix K;
  system.stiffness(fem::Vector::Zero(system.coordinate_count()), fem::Stiffness::exact, K);
  fem::Vector m(system.free_count());
  for (int i = 0; i < system.coordinate_count(); ++i) {
    if (const int k = system.free_index(i); k >= 0) m[k] = system.masses()[i];
  }
  fem::Vector x(m.size());
  for (Eigen::Index k = 0; k < x.size(); ++k) x[k] = std::sin(1 + 7.1 * static_cast<double>(k));  // a part of each mode
  double square = 0;
  for (int iteration = 0; iteration < 1000; ++iteration) {
    const fem::Vector y = K.selfadjointView<Eigen::Lower>() * x;
    const double found = x.dot(y) / x.dot(m.cwiseProduct(x));
    x = y.cwiseQuotient(m).normalized();
    const bool settled = iteration > 20 && found - square < 1e-6 * found;
    square = found;
    if (settled) break;
  }
  return std::sqrt(square);
}

struct Setting {
  int substeps, iterations;
};

struct Method {
  std::string name;
  MaterialModel model;  // whose answer it is compared with
  Integrator integrator = Integrator::euler;
  std::function<Solid(const Body&)> solid;
  std::vector<Setting> settings;
  bool physical = true;  // has a Young's modulus
};

Solid of_material(const Body& body, MaterialForm form) {
  Material material = body.material;
  material.form = form;
  return {.mesh = body.mesh, .material = material};
}

std::vector<Setting> substeps(std::initializer_list<int> counts) {
  std::vector<Setting> out;
  for (const int n : counts) out.push_back({n, 1});
  return out;
}

std::vector<Method> methods(bool quick) {
  using enum MaterialModel;
  const auto xpbd = [](const Body& b) { return of_material(b, MaterialForm::xpbd); };
  const auto energy = [](const Body& b) { return of_material(b, MaterialForm::pbd_energy); };
  const auto density = [](const Body& b) { return of_material(b, MaterialForm::cao22_density); };
  const auto strains = [](const Body& b) {
    SolidStrain strain;
    for (StrainStrength& s : strain.stretch) s = {1, 1};
    for (StrainStrength& s : strain.shear) s = {1, 1};
    strain.volume = {1, 1};
    return Solid{.mesh = b.mesh, .strain = strain, .density = b.material.density, .method = pliant::Method::pbd};
  };
  const auto springs = [](const Body& b) {
    return Solid{.mesh = b.mesh,
                 .density = b.material.density,
                 .method = pliant::Method::pbd,
                 .constraints = {{"distance", {}}, {"tet_volume", {}}}};
  };
  const std::vector<Setting> all =
      quick ? substeps({5, 20, 50, 100}) : substeps({5, 10, 15, 19, 20, 25, 28, 30, 40, 50, 70, 100, 200, 400});
  const std::vector<Setting> some = quick ? substeps({20, 100}) : substeps({5, 10, 20, 30, 50, 100, 200});
  const std::vector<Setting> geometric =
      quick ? std::vector<Setting>{{10, 1}} : std::vector<Setting>{{1, 20}, {1, 50}, {10, 1}, {50, 1}, {100, 1}};
  return {{"default (xpbd), StVK", stvk, Integrator::euler, xpbd, all},
          {"default (xpbd), Neo-Hookean", neo_hookean, Integrator::euler, xpbd, all},
          {"xpbd, bdf2, StVK", stvk, Integrator::bdf2, xpbd, some},
          {"xpbd, bdf2, Neo-Hookean", neo_hookean, Integrator::bdf2, xpbd, some},
          {"C = E (bender14), StVK", stvk, Integrator::euler, energy, geometric, false},
          {"C = E (bender14), Neo-Hookean", neo_hookean, Integrator::euler, energy, geometric, false},
          {"C = psi (cao22), StVK", stvk, Integrator::euler, density, geometric, false},
          {"strains and volume (pbd)", stvk, Integrator::euler, strains, geometric, false},
          {"distances and volumes (pbd)", stvk, Integrator::euler, springs, geometric, false}};
}

Outcome engine(const Body& body, const Method& method, const Setting& s, int frames) {
  World world({.step = kFrame,
               .substeps = s.substeps,
               .iterations = s.iterations,
               .integrator = method.integrator,
               .gravity = kGravity,
               .threads = 1});
  const BodyId id = world.add(method.solid(body));
  world.pin(id, body.held);
  world.build();
  Outcome out = play(
      frames, [&] { world.step(); },
      [&] {
        const std::vector<Vec3d> x = world.positions(id);
        Vec3d sum{};
        for (const int v : body.tip) {
          sum += x[static_cast<std::size_t>(v)] - body.mesh.positions[static_cast<std::size_t>(v)];
        }
        return sum / static_cast<double>(body.tip.size());
      });
  out.finite = out.finite && world.troubles().empty();
  return out;
}

/// What one material's explicit finite elements need and reach.
struct Explicit {
  Body body;
  Tips answer;
  double milliseconds = 0, error = 0;
  int steps = 0;
};

void run(Context& context, Report& report) {
  const std::array<int, 3> cells = context.quick() ? std::array{12, 2, 2} : std::array{49, 9, 9};
  const int frames = context.quick() ? 10 : 40;
  const std::vector<Method> all = methods(context.quick());
  // A tet's projection takes about twice as long as its force, in double the force takes as long.
  double work = 2 * 2 * (8 + 4) * 80;
  for (const Method& m : all) {
    for (const Setting& s : m.settings) work += s.substeps * s.iterations;
  }
  context.expect(work);
  report.table.columns({"method", "substeps", "iterations", "ms per frame", "error", "all finite"});
  Plot plot{.title = fmt::format("cantilever of {} tets, one thread", cells[0] * cells[1] * cells[2] * 5),
            .x_label = "ms per frame",
            .y_label = "error of the free end",
            .log_x = true,
            .log_y = true,
            .key = "below"};
  Plot others = plot;  // of methods that know no Young's modulus
  others.title = "methods without a Young's modulus";
  const auto note = [&](Series& series, const std::string& name, const Setting& s, const Outcome& o, double error) {
    report.table.row({name, double(s.substeps), double(s.iterations), o.milliseconds, error, o.finite ? "yes" : "no"});
    if (o.finite && error < 3) series.points.emplace_back(o.milliseconds, error);
  };

  std::map<MaterialModel, Explicit> references;
  for (const MaterialModel model : {MaterialModel::stvk, MaterialModel::neo_hookean}) {
    Explicit& e = references[model];
    e.body = wall_mounted({0.98, 0.18, 0.18}, cells, {.model = model, .young = 1e6, .poisson = 0.45, .density = 1000});
    const int stable = static_cast<int>(std::ceil(kFrame * highest_frequency(e.body) / 2));
    // In motion elements are stiffer than at rest: what is stable there may not be here.
    const std::string name = fmt::format("explicit finite elements, {}", name_of(model));
    Series series{.title = name, .points = {}, .style = Series::Style::both};
    e.answer = explicit_fem<double>(e.body, frames, 4 * stable).tips;
    const double half = error_of(explicit_fem<double>(e.body, frames, 2 * stable).tips, e.answer);
    for (double more = 1; e.steps == 0 && more < 2; more *= 1.05) {
      const Setting s{static_cast<int>(std::ceil(stable * more)), 1};
      const Outcome o = explicit_fem<float>(e.body, frames, s.substeps);
      const double error = o.finite ? error_of(o.tips, e.answer) : INFINITY;
      note(series, name, s, o, error);
      if (!o.finite || error > kGoal) continue;
      e.steps = s.substeps;
      e.milliseconds = o.milliseconds;
      e.error = error;
    }
    if (e.steps > 0) {
      const Setting s{2 * e.steps, 1};
      const Outcome o = explicit_fem<float>(e.body, frames, s.substeps);
      note(series, name, s, o, error_of(o.tips, e.answer));
    }
    plot.series.push_back(series);
    const std::string of = fmt::format(" ({})", name_of(model));
    report.figures.push_back({.what = "answer at half of its steps, error" + of, .value = half, .at_most = 1e-3});
    report.figures.push_back(
        {.what = "steps of a frame that linear theory allows, at least" + of, .value = double(stable)});
    report.figures.push_back(
        {.what = "steps that explicit finite elements need" + of, .value = double(e.steps), .at_least = 1});
    report.figures.push_back({.what = "their error" + of, .value = e.error, .at_most = kGoal});
    report.figures.push_back({.what = "their time of a frame [ms]" + of, .value = e.milliseconds});
    context.did(2 * (8 + 4) * 80);
  }

  for (const Method& method : all) {
    const Explicit& e = references.at(method.model);
    Series series{.title = method.name, .points = {}, .style = Series::Style::both};
    double enough = INFINITY, with = 0;  // the least time with a small error, and its substeps; more are as exact
    for (const Setting& s : method.settings) {
      const Outcome o = engine(e.body, method, s, frames);
      const double error = o.finite ? error_of(o.tips, e.answer) : INFINITY;
      note(series, method.name, s, o, error);
      if (error > kGoal) {
        enough = INFINITY;
      } else if (o.milliseconds < enough) {
        enough = o.milliseconds;
        with = s.substeps;
      }
      context.did(s.substeps * s.iterations);
    }
    (method.physical ? plot : others).series.push_back(series);
    if (!std::isfinite(enough)) continue;
    report.figures.push_back({.what = method.name + ": substeps that reach 2 % in the least time", .value = with});
    report.figures.push_back({.what = method.name + ": time of a frame with them [ms]", .value = enough});
    Figure ratio{.what = method.name + ": that over the time of explicit finite elements",
                 .value = enough / e.milliseconds};
    // Times of a coarse beam are those of overheads.
    if (method.name.starts_with("default") && !context.quick()) ratio.at_most = 0.5;
    report.figures.push_back(ratio);
  }
  int reached = 0;
  for (const Figure& f : report.figures) reached += f.what.starts_with("default") && f.what.ends_with("least time");
  report.figures.push_back(
      {.what = "materials for which the default method reaches 2 %", .value = double(reached), .at_least = 2});
  report.plots = {plot, others};
  report.notes = {
      "A cantilever of 0.98 x 0.18 x 0.18 m, 1e6 Pa, poisson 0.45, 1000 kg/m^3, let go from the horizontal. Error: "
      "root "
      "mean square over the frames of the distance of the free end from the answer, over that of the answer from rest.",
      "The answer of each material: explicit finite elements in double, four times as many steps as linear theory "
      "allows. Methods without a Young's modulus are compared with St. Venant-Kirchhoff's.",
      "One thread; the time is the median over the frames."};
}

}  // namespace

extern const Experiment accuracy_per_time = {
    "accuracy_per_time", "error of a stiff cantilever against time per frame, all methods and explicit FEM", "", run};

}  // namespace pliant::experiments
