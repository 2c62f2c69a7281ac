// Stress against stretch for St. Venant-Kirchhoff and Neo-Hookean, as they are and with the stress clamped.
#include <cmath>
#include <limits>

#include "experiments/experiment.h"
#include "experiments/principal_stress.h"

namespace pliant::experiments {
namespace {

/// Where in (0, 1) the stress is lowest (compression is negative), by golden section.
double strongest_compression(const PrincipalStress& principal) {
  const double ratio = (std::sqrt(5.0) - 1) / 2;
  double a = 0, b = 1;
  while (b - a > 1e-9) {
    const double c = b - ratio * (b - a), d = a + ratio * (b - a);
    if (uniaxial_stress(principal, c) < uniaxial_stress(principal, d)) {
      b = d;
    } else {
      a = c;
    }
  }
  return (a + b) / 2;
}

void run(Context&, Report& report) {
  const Material stvk{.model = MaterialModel::stvk, .young = 1000, .poisson = 0.3};
  const Material neo{.model = MaterialModel::neo_hookean, .young = 1000, .poisson = 0.3};
  const double kStvkThreshold = std::sqrt(1.0 / 3);
  const double kNeoThreshold = 0.3;  // the document prints none; where it stands does not change the kind of curve
  const Lame c = lame(1000, 0.3);
  const PrincipalStress plain[2] = {unchanged(stvk), unchanged(neo)};
  const PrincipalStress held[2] = {clamped(stvk, kStvkThreshold), clamped(neo, kNeoThreshold)};

  report.table.columns({"stretch", "stvk [Pa]", "stvk clamped [Pa]", "neo_hookean [Pa]", "neo_hookean clamped [Pa]"});
  Plot plots[2] = {
      {.title = "St. Venant-Kirchhoff", .x_label = "stretch", .y_label = "stress [Pa]", .y_range = {{-1000, 2500}}},
      {.title = "Neo-Hookean", .x_label = "stretch", .y_label = "stress [Pa]", .y_range = {{-6000, 2500}}}};
  for (Plot& plot : plots) plot.series = {{.title = "as it is"}, {.title = "clamped"}};
  double largest_below = -std::numeric_limits<double>::infinity();
  for (int i = 0; i <= 145; ++i) {
    const double s = -0.9 + 0.02 * i;
    // Neo-Hookean as it is knows no inverted element.
    const double nan = std::numeric_limits<double>::quiet_NaN();
    const double y[2][2] = {{uniaxial_stress(plain[0], s), uniaxial_stress(held[0], s)},
                            {s > 0.005 ? uniaxial_stress(plain[1], s) : nan, uniaxial_stress(held[1], s)}};
    report.table.row({s, y[0][0], y[0][1], y[1][0], y[1][1]});
    for (int m = 0; m < 2; ++m) {
      for (int k = 0; k < 2; ++k) plots[m].series[static_cast<std::size_t>(k)].points.emplace_back(s, y[m][k]);
      if (s < 0.25) largest_below = std::max(largest_below, y[m][1]);
    }
  }
  report.plots = {plots[0], plots[1]};

  const double turning = strongest_compression(plain[0]);
  report.figures = {{.what = "StVK: stretch at which the compression stress is largest",
                     .value = turning,
                     .at_least = std::sqrt(1.0 / 3) - 1e-6,
                     .at_most = std::sqrt(1.0 / 3) + 1e-6,
                     .document = "approximately 58 %"},
                    {.what = "StVK: that stress over -(lambda + 2 mu) / (3 sqrt 3)",
                     .value = uniaxial_stress(plain[0], turning) / (-(c.lambda + 2 * c.mu) / (3 * std::sqrt(3.0))),
                     .at_least = 1 - 1e-12,
                     .at_most = 1 + 1e-12},
                    {.what = "StVK as it is pushes an element with stretch -0.5 further through [Pa]",
                     .value = uniaxial_stress(plain[0], -0.5),
                     .at_least = 0,
                     .document = "figure 2 a"},
                    {.what = "clamped, flat or inverted: the weakest push back [Pa]",
                     .value = -largest_below,
                     .at_least = -uniaxial_stress(plain[0], turning) * (1 - 1e-12),
                     .document = "figures 2 b, d: constant"},
                    {.what = "Neo-Hookean: stress at stretch 0.001 over that at 0.58, without limit",
                     .value = uniaxial_stress(plain[1], 0.001) / uniaxial_stress(plain[1], 0.58),
                     .at_least = 1000,
                     .document = "figure 2 c: not limited"}};
  report.notes = {
      "F = U diag(stretch, 1, 1) V^T with two rotations. The document does not say what the other two "
      "stretches were; sides that are free to contract have the same turning point.",
      "The document prints no threshold for the clamped Neo-Hookean; 0.3 here."};
}

}  // namespace

extern const Experiment bender14_fig2 = {"bender14_fig2", "stress against stretch, as it is and clamped",
                                         "bender14, figure 2", run};

}  // namespace pliant::experiments
