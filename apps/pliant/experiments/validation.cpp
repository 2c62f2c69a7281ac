// The engine at rest, in float, against answers of other programs for the same tets.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "experiments/deformation.h"
#include "experiments/experiment.h"
#include "experiments/rest_case.h"
#include "fem/statics.h"
#include "reference_path.h"

namespace pliant::experiments {
namespace {

constexpr double kPromise = 1e-6;  // mean squared relative error: 0.1 %
const Vec3d kTravel{60, 0, 80};    // [m], 100 m

/// What decides how near to the answer a run can come.
enum Group {
  kPlain,
  kTiny,      // displacements of less than 1e-4 of the size: edges in float are rounded to a thousandth of their strain
  kStrained,  // half as long again at 1e5 m^2/s^2: elements that one sweep of a substep does not follow any more
  kSqueezed,  // beyond the range of the law in the engine (docs/constraints/tet_elastic.md): another law takes over
  kGroups
};
const char* const kNames[kGroups] = {"plain", "tiny displacements", "strained by half", "squeezed elements"};

/// Whether an element of the answer has left the law as the engine has it: for St. Venant-Kirchhoff squeezed below a
/// half along an axis whose stress is past its largest value, dP/ds <= 0.
bool beyond_law(const reference::Case& c) {
  const fem::StaticsResult statics = fem::solve_statics(c.problem, {.newton = {}, .load_steps = c.load_steps});
  std::vector<Vec3d> x = c.problem.mesh.positions;
  for (std::size_t v = 0; v < x.size(); ++v) x[v] += statics.displacements[v];
  const double nu = c.problem.material.poisson, mu = 0.5 - nu, lambda = nu;  // but for a factor
  return std::any_of(c.problem.mesh.tets.begin(), c.problem.mesh.tets.end(), [&](const Tet& tet) {
    const Vec3d s = stretches(c.problem.mesh, tet, x);
    if (c.problem.material.model != MaterialModel::stvk) return s.x * s.y * s.z < 0.5;
    const double trace = (dot(s, s) - 3) / 2, stress = lambda * trace + mu * (s.z * s.z - 1);
    return s.z < 0.5 && stress + (lambda + 2 * mu) * s.z * s.z <= 0;
  });
}

double largest(const Answer& answer) {
  double size = 0;
  for (const Vec3d& u : answer.displacements) size = std::max(size, length(u));
  return size;
}

struct Run {
  const reference::Case* c;
  Group group;
  RestSettings settings;
};

/// How each case is run: where it is and travelled, for three stiffnesses over density.
std::vector<Run> runs_of(const reference::Case& c, Group group, bool quick) {
  std::vector<Run> runs;
  const auto add = [&](double density, double ratio, const Vec3d& travel) {
    Run run{&c, group, {.density = density, .young_over_density = ratio, .travel = travel}};
    const bool pulled = c.family == "uniaxial" || c.family == "stretch" || c.family == "shear";
    if (group == kPlain && pulled && ratio > 5e4) run.group = kStrained;
    runs.push_back(run);
    if (group == kTiny && density == 1) {  // and in double
      run.settings.precision = Precision::float64;
      run.group = kPlain;
      runs.push_back(run);
    }
  };
  if (quick) {
    add(1000, 1e4, {});
    if (c.family == "cube") add(1000, 1e4, kTravel);
    return runs;
  }
  for (const double ratio : {1e3, 1e4, 1e5}) {
    add(1, ratio, {});
    add(1000, ratio, {});
    add(1000, ratio, kTravel);
  }
  return runs;
}

bool in_quick(const reference::Case& c) {
  const double poisson = c.problem.material.poisson;
  return (c.name.find("_n2_") != std::string::npos || c.family == "shear") && (poisson == 0.3 || poisson == 0.49);
}

void run(Context& context, Report& report) {
  std::vector<reference::Case> cases;
  for (reference::Case& c : reference::cases()) {
    if (c.problem.material.model == MaterialModel::linear || (context.quick() && !in_quick(c))) continue;
    cases.push_back(std::move(c));
  }
  const bool recorded = has_recorded_answers(PLIANT_REFERENCE_DIR);
  std::map<std::string, Answer> answers;
  if (recorded) {
    answers = recorded_answers(PLIANT_REFERENCE_DIR);
  } else {
    for (const reference::Case& c : cases) answers.emplace(c.name, own_answer(c));
  }
  std::vector<Run> runs;
  double all_work = 0;
  for (const reference::Case& c : cases) {
    const Group group = beyond_law(c) ? kSqueezed : largest(answers.at(c.name)) < 1e-4 ? kTiny : kPlain;
    for (const Run& r : runs_of(c, group, context.quick())) {
      runs.push_back(r);
      all_work += work(c, r.settings);
    }
  }
  context.expect(all_work);

  report.table.columns({"case", "group", "density [kg/m^3]", "young / density [m^2/s^2]", "travelled [m]", "substeps",
                        "precision", "largest displacement [m]", "mean squared relative error",
                        "largest relative error", "simulated [s]", "all finite"});
  std::vector<double> errors[kGroups];
  double worst_travelled = 0, unresolved = 0, not_finite = 0, kept = 0, float_runs = 0;
  Plot rounding{.title = "cube under its weight: rounding",
                .x_label = "largest displacement [m]",
                .y_label = "mean squared relative error",
                .log_x = true,
                .log_y = true,
                .key = "top right"};
  for (const double poisson : {0.0, 0.3, 0.45, 0.49}) {
    rounding.series.push_back(
        {.title = fmt::format("Poisson {:g}", poisson), .points = {}, .style = Series::Style::points});
  }
  for (const Run& r : runs) {
    const Answer& answer = answers.at(r.c->name);
    const RestSettings& s = r.settings;
    const RestOutcome o = run_to_rest(*r.c, answer, s);
    context.did(work(*r.c, s));
    if (o.warned) {
      ++unresolved;
      continue;
    }
    const bool travelled = length(s.travel) > 0, single = s.precision == Precision::float32;
    report.table.row({r.c->name, kNames[r.group], s.density, s.young_over_density, length(s.travel), double(s.substeps),
                      single ? "float32" : "float64", largest(answer), o.mean_square, o.worst, o.simulated,
                      o.finite ? "yes" : "no"});
    errors[r.group].push_back(std::isfinite(o.mean_square) ? o.mean_square : INFINITY);
    if (travelled && r.group == kPlain) worst_travelled = std::max(worst_travelled, errors[r.group].back());
    if (single && s.substeps == 20) {
      ++float_runs;
      kept += o.mean_square < kPromise;
    }
    not_finite += !o.finite;
    if (r.c->family == "cube" && single && !travelled && s.density == 1000) {
      for (std::size_t k = 0; k < 4; ++k) {
        if (rounding.series[k].title == fmt::format("Poisson {:g}", r.c->problem.material.poisson))
          rounding.series[k].points.emplace_back(largest(answer), o.mean_square);
      }
    }
  }

  Plot sorted{.title = "all runs, sorted",
              .x_label = "part of the runs of a kind",
              .y_label = "mean squared relative error",
              .log_y = true,
              .key = "bottom right"};
  for (int g = 0; g < kGroups; ++g) {
    std::vector<double>& e = errors[g];
    std::sort(e.begin(), e.end());
    sorted.series.push_back({.title = kNames[g]});
    const std::size_t stride = (e.size() + 149) / 150;  // enough for a picture
    for (std::size_t i = 0; i < e.size(); i += std::max<std::size_t>(stride, 1))
      sorted.series.back().points.emplace_back((double(i) + 0.5) / double(e.size()), e[i]);
  }
  std::erase_if(sorted.series, [](const Series& s) { return s.points.empty(); });
  report.plots = {sorted, rounding};
  const auto worst = [&](Group g) { return errors[g].empty() ? NAN : errors[g].back(); };
  report.figures = {
      {.what = "plain runs: largest mean squared relative error", .value = worst(kPlain), .at_most = kPromise},
      {.what = "of these, after a way of 100 m", .value = worst_travelled, .at_most = kPromise},
      {.what = "plain runs", .value = double(errors[kPlain].size()), .at_least = 20},
      {.what = "tiny displacements (less than 1e-4 m of 1 m), float: largest",
       .value = worst(kTiny),
       .at_most = kPromise},
      {.what = "runs in float with 20 substeps below 1e-6, over all such", .value = kept / float_runs},
      {.what = "all such runs", .value = float_runs},
      {.what = "runs left out, as the engine says that 20 substeps do not resolve them", .value = unresolved},
      {.what = "runs in which a particle had to be held", .value = not_finite, .at_most = 0}};
  if (!errors[kStrained].empty()) {
    report.figures.push_back({.what = "strained by half, E / density = 1e5 m^2/s^2: largest",
                              .value = worst(kStrained),
                              .at_most = kPromise});
  }
  if (!errors[kSqueezed].empty()) {
    report.figures.push_back({.what = "elements squeezed beyond the law's range: largest", .value = worst(kSqueezed)});
  }
  report.notes = {
      recorded ? "Answers: GetFEM's, as recorded in tests/reference."
               : "The recorded answers of other programs are not here; answers are our own Newton statics.",
      "The engine: default form, one iteration, steps of 1/60 s of 20 substeps. Point damping critical for "
      "the slowest frequency w; loads grow within 4 / w, then 16 / w to rest (at least 0.5 s and 1 s).",
      "Gravity and forces are scaled with Young's modulus, so that the static problem is the recorded one."};
}

}  // namespace

extern const Experiment validation = {"validation", "at rest, in float: against GetFEM on the same tets", "", run};

}  // namespace pliant::experiments
