// Where the constraints of a triangle send a vertex, plain and modified.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "experiments/experiment.h"
#include "experiments/strain_projection.h"

namespace pliant::experiments {
namespace {

constexpr double kLow = -1.5, kHigh = 2.5;      // [m] of the picture, both axes
const Vec3d kHeld[2] = {{1, 0, 0}, {0, 1, 0}};  // the other two corners; the rest place is the origin
constexpr const char* kEntries[3] = {"x-stretch", "y-stretch", "shear"};
constexpr const char* kForms[2] = {"plain", "modified"};

double evaluate(StrainForm form, int entry, const TriStrain<double>::Rest& rest, Vec3d p, Vec3d (&gradient)[3]) {
  const Vec3d x[3] = {p, kHeld[0], kHeld[1]};
  return entry == 0   ? evaluate_strain<0>(form, rest, x, gradient)
         : entry == 1 ? evaluate_strain<1>(form, rest, x, gradient)
                      : evaluate_strain<2>(form, rest, x, gradient);
}

/// Where one projection sends the vertex.
Vec3d projected(StrainForm form, int entry, const TriStrain<double>::Rest& rest, Vec3d p) {
  Vec3d gradient[3];
  const double C = evaluate(form, entry, rest, p, gradient);
  const double square = dot(gradient[0], gradient[0]);
  return square > 1e-20 ? p - gradient[0] * (C / square) : p;
}

struct Found {
  double left = 0;         // largest |C| after one projection, in the modified form's measure
  double coupling = 0;     // largest change of a stretch along the gradient of the shear, both of unit length
  double slope_error = 0;  // gradient against finite differences
  int worse = 0, points = 0;
};

void run(Context& context, Report& report) {
  const int cells = context.quick() ? 40 : 200;
  const Vec3d rest_place[3] = {{}, kHeld[0], kHeld[1]};
  const TriStrain<double>::Rest rest = TriStrain<double>::rest(rest_place);
  report.table.columns({"form", "entry", "x [m]", "y [m]", "C", "x projected [m]", "y projected [m]", "C projected"});
  context.expect(6);
  Found found[2][3];
  int signs = 0;
  constexpr double kBreak = std::numeric_limits<double>::quiet_NaN();
  for (int f = 0; f < 2; ++f) {
    const auto form = static_cast<StrainForm>(f);
    for (int e = 0; e < 3; ++e) {
      Plot plot{.title = fmt::format("{}, {}", kEntries[e], kForms[f]),
                .x_label = "[m]",
                .y_label = "[m]",
                .y_range = std::pair{kLow, kHigh},
                .key = "off"};
      Series zero{.title = "C = 0"}, above{.title = "projections, C > 0"}, below{.title = "C < 0"},
          ends{.title = "", .style = Series::Style::points};
      const Vec3d center = e == 2 ? Vec3d{0.5, 0.5, 0} : kHeld[e];  // of the circle where C = 0
      for (int k = 0; k <= 90; ++k) {
        const double a = k * 6.283185307179586 / 90, r = e == 2 ? std::sqrt(0.5) : 1;
        zero.points.emplace_back(center.x + r * std::cos(a), center.y + r * std::sin(a));
      }
      Found& here = found[f][e];
      for (int j = 0; j <= cells; ++j) {
        for (int i = 0; i <= cells; ++i) {
          // No vertex lies on a corner that is held, where there is no direction.
          const Vec3d p{kLow + (kHigh - kLow) * (i + 0.37) / (cells + 1),
                        kLow + (kHigh - kLow) * (j + 0.41) / (cells + 1), 0};
          Vec3d gradient[3], other[3];
          const double C = evaluate(form, e, rest, p, gradient);
          signs += (C > 0) != (evaluate(StrainForm::modified, e, rest, p, other) > 0);
          const Vec3d q = projected(form, e, rest, p);
          const double before = std::abs(evaluate(StrainForm::modified, e, rest, p, other));
          const double after = std::abs(evaluate(StrainForm::modified, e, rest, q, other));
          here.left = std::max(here.left, after);
          here.worse += after > before;
          ++here.points;
          if (e == 2) {  // gradient[1] is that by f_0, gradient[2] that by f_1
            for (int k = 0; k < 2; ++k) {
              const Vec3d along = kHeld[k] - p;
              const double l = length(gradient[k + 1]) * length(along);
              if (l > 0) here.coupling = std::max(here.coupling, std::abs(dot(gradient[k + 1], along)) / l);
            }
          }
          constexpr double h = 1e-6;
          for (int axis = 0; axis < 2; ++axis) {
            Vec3d forward = p, back = p;
            forward[axis] += h;
            back[axis] -= h;
            const double slope =
                (evaluate(form, e, rest, forward, other) - evaluate(form, e, rest, back, other)) / (2 * h);
            // Near a held corner the second differences of the shear are large.
            const double near = std::min(length(p - kHeld[0]), length(p - kHeld[1]));
            if (near > 0.05) here.slope_error = std::max(here.slope_error, std::abs(slope - gradient[0][axis]));
          }
          if (i % (cells / 10) == cells / 20 && j % (cells / 10) == cells / 20) {
            report.table.row({kForms[f], kEntries[e], p.x, p.y, C, q.x, q.y, evaluate(form, e, rest, q, other)});
            Vec3d end = q;  // cut at the frame
            for (int axis = 0; axis < 2; ++axis) {
              const double d = end[axis] - p[axis], room = (d > 0 ? kHigh : kLow) - p[axis];
              if (std::abs(d) > std::abs(room)) end = p + (end - p) * (room / d);
            }
            Series& series = C > 0 ? above : below;
            series.points.emplace_back(p.x, p.y);
            series.points.emplace_back(end.x, end.y);
            series.points.emplace_back(kBreak, kBreak);
            if (length(end - q) < 1e-9) ends.points.emplace_back(q.x, q.y);
          }
        }
      }
      plot.series = {above, below, zero, ends};
      report.plots.push_back(plot);
      context.did(1);
    }
  }
  const auto share = [&](int f, int e) { return static_cast<double>(found[f][e].worse) / found[f][e].points; };
  double modified_left = 0, plain_left = 0, slope_error = 0;
  for (int e = 0; e < 3; ++e) {
    for (int f = 0; f < 2; ++f) slope_error = std::max(slope_error, found[f][e].slope_error);
    if (e == 2) continue;
    modified_left = std::max(modified_left, found[1][e].left);
    plain_left = std::max(plain_left, found[0][e].left);
  }
  report.figures = {
      {.what = "places where the two forms differ in sign",
       .value = double(signs),
       .at_most = 0,
       .document = "the zero sets are unchanged"},
      {.what = "modified stretch: largest error after one projection",
       .value = modified_left,
       .at_most = 1e-12,
       .document = "solved with a single step"},
      {.what = "plain stretch: largest error after one projection",
       .value = plain_left,
       .at_least = 0.1,
       .document = "not solved with a single step"},
      {.what = "plain stretch: part of the places that are worse afterwards", .value = share(0, 0)},
      {.what = "plain shear: largest part of the push on a column of F that stretches it",
       .value = found[0][2].coupling,
       .at_least = 0.5},
      {.what = "modified shear: the same",
       .value = found[1][2].coupling,
       .at_most = 1e-9,
       .document = "decoupled from stretch"},
      {.what = "plain shear: part of the places that are worse afterwards", .value = share(0, 2)},
      {.what = "modified shear: part of the places that are worse afterwards",
       .value = share(1, 2),
       .document = "overshooting is possible"},
      {.what = "gradients: largest difference from finite differences", .value = slope_error, .at_most = 1e-5}};
  report.notes = {
      "A triangle with a right angle at the vertex that moves, sides of 1 m along x and y; the other two corners are "
      "held. The document's triangle is not printed. C = 0 is a circle around a held corner (stretch) or through both "
      "(shear). Errors are |f| - 1 and the cosine, whichever form was projected. The modified form is the engine's own "
      "kernel in double precision."};
}

}  // namespace

extern const Experiment mueller14_fig2 = {"mueller14_fig2", "where the constraints of a triangle send a vertex",
                                          "mueller14, figure 2", run};

}  // namespace pliant::experiments
