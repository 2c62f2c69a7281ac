// Stress against stretch with a corotated part below a threshold.
#include <algorithm>
#include <cmath>
#include <limits>

#include "experiments/experiment.h"
#include "experiments/principal_stress.h"

namespace pliant::experiments {
namespace {

constexpr double kFirst = -0.9, kStep = 0.02;
constexpr int kSteps = 145;

/// The smallest slope of the stress over the whole range [Pa]: negative where pushing further gets easier.
double smallest_slope(const PrincipalStress& principal) {
  double smallest = std::numeric_limits<double>::infinity();
  for (int i = 0; i < kSteps; ++i) {
    const double s = kFirst + kStep * i;
    smallest = std::min(smallest, (uniaxial_stress(principal, s + kStep) - uniaxial_stress(principal, s)) / kStep);
  }
  return smallest;
}

void run(Context&, Report& report) {
  const Material stvk{.model = MaterialModel::stvk, .young = 1000, .poisson = 0.3};
  const Material neo{.model = MaterialModel::neo_hookean, .young = 1000, .poisson = 0.3};
  const Material corotated{.model = MaterialModel::corotated, .young = 1000, .poisson = 0.3};
  const double threshold = std::sqrt(1.0 / 3);
  const PrincipalStress plain[2] = {unchanged(stvk), unchanged(neo)};
  const PrincipalStress switched[2] = {switched_to_corotated(stvk, threshold), switched_to_corotated(neo, threshold)};
  const PrincipalStress continued[2] = {continued_by_corotated(stvk, threshold),
                                        continued_by_corotated(neo, threshold)};
  const PrincipalStress linear = unchanged(corotated);

  report.table.columns({"stretch", "corotated [Pa]", "stvk [Pa]", "stvk switched [Pa]", "stvk continued [Pa]",
                        "neo_hookean [Pa]", "neo_hookean switched [Pa]", "neo_hookean continued [Pa]"});
  Plot plots[2] = {
      {.title = "St. Venant-Kirchhoff", .x_label = "stretch", .y_label = "stress [Pa]", .y_range = {{-3000, 2500}}},
      {.title = "Neo-Hookean", .x_label = "stretch", .y_label = "stress [Pa]", .y_range = {{-3000, 2500}}}};
  for (Plot& plot : plots) plot.series = {{.title = "as it is"}, {.title = "switched"}, {.title = "continued"}};
  for (int i = 0; i <= kSteps; ++i) {
    const double s = kFirst + kStep * i;
    std::vector<Table::Cell> row = {s, uniaxial_stress(linear, s)};
    for (int m = 0; m < 2; ++m) {
      // Neo-Hookean as it is knows no inverted element.
      const bool known = m == 0 || s > 0.005;
      const double y[3] = {known ? uniaxial_stress(plain[m], s) : std::numeric_limits<double>::quiet_NaN(),
                           uniaxial_stress(switched[m], s), uniaxial_stress(continued[m], s)};
      for (int k = 0; k < 3; ++k) {
        row.emplace_back(y[k]);
        plots[m].series[static_cast<std::size_t>(k)].points.emplace_back(s, y[k]);
      }
    }
    report.table.row(std::move(row));
  }
  report.plots = {plots[0], plots[1]};

  const auto jump = [&](const PrincipalStress& p) {
    return std::abs(uniaxial_stress(p, threshold + 1e-9) - uniaxial_stress(p, threshold - 1e-9));
  };
  const auto weakest = [&](const PrincipalStress& p) { return -uniaxial_stress(p, 0); };
  report.figures = {
      {.what = "StVK as it is: smallest slope of the stress [Pa]",
       .value = smallest_slope(plain[0]),
       .at_most = 0,
       .document = "the restorative force decreases below 58 %"},
      {.what = "StVK continued by corotated: smallest slope [Pa]",
       .value = smallest_slope(continued[0]),
       .at_least = 0},
      {.what = "Neo-Hookean continued by corotated: smallest slope [Pa]",
       .value = smallest_slope(continued[1]),
       .at_least = 0},
      {.what = "continued: jump at the threshold [Pa]",
       .value = std::max(jump(continued[0]), jump(continued[1])),
       .at_most = 1e-4},
      {.what = "switched: jump of StVK [Pa]", .value = jump(switched[0])},
      {.what = "switched: jump of Neo-Hookean [Pa]", .value = jump(switched[1])},
      {.what = "flat element: weakest push back of the four combinations [Pa]",
       .value = std::min({weakest(switched[0]), weakest(switched[1]), weakest(continued[0]), weakest(continued[1])}),
       .at_least = 1},
      {.what = "stretch 0.1: Neo-Hookean over the stronger of the other two",
       .value = uniaxial_stress(plain[1], 0.1) / std::min(uniaxial_stress(plain[0], 0.1), uniaxial_stress(linear, 0.1)),
       .at_least = 1,
       .document = "Neo-Hookean reacts more strongly to extreme compression"},
      {.what = "stretch 1.5: StVK over the stronger of the other two",
       .value = uniaxial_stress(plain[0], 1.5) / std::max(uniaxial_stress(plain[1], 1.5), uniaxial_stress(linear, 1.5)),
       .at_least = 1,
       .document = "StVK resists stretching more than the two others"}};
  report.notes = {
      "The document changes models at the threshold and does not say how the two parts meet. Changing over "
      "plainly makes the stress jump; adding what corotated adds from the threshold on does not.",
      "The threshold is sqrt(1/3) for both models; the document gives 58 % for StVK and no number for "
      "Neo-Hookean."};
}

}  // namespace

extern const Experiment cao22_fig2 = {"cao22_fig2", "stress against stretch with a corotated part against inversion",
                                      "cao22, figure 2", run};

}  // namespace pliant::experiments
