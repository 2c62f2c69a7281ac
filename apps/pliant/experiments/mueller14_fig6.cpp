// What strain-based dynamics cost against edges, and what the square root of eq. 14 gains.
#include <fmt/format.h>
#include <time.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "experiments/cloths.h"
#include "experiments/experiment.h"
#include "experiments/strain_projection.h"
#include "pliant/world.h"

namespace pliant::experiments {
namespace {

constexpr int kIterations = 50;  // per step: all else that a step does is then a few percent

/// Of the calling thread [s]: a wall clock would count the neighbours too.
double cpu_seconds() {
  timespec t{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

double median(std::vector<double> values) {
  std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2), values.end());
  return values[values.size() / 2];
}

struct Timing {
  double strain = 0, edges = 0;  // [ns] per element and iteration
  double ratio = 0;              // median over pairs of samples
  double edges_per_element = 0;
};

/// `make` puts the body into a world, with strains or with edges.
template <class Make>
Timing compare(int width, Method method, int samples, std::size_t elements, Make&& make) {
  std::vector<World> worlds;
  Timing out;
  for (const bool strain : {true, false}) {
    World world({.step = 1.0 / 60,
                 .substeps = 1,
                 .iterations = kIterations,
                 .method = method,
                 .gravity = {},
                 .threads = 1,
                 .simd_width = width});
    const BodyId id = make(world, strain);
    world.build();
    world.step();
    if (!strain) out.edges_per_element = static_cast<double>(world.edges(id).size()) / static_cast<double>(elements);
    worlds.push_back(std::move(world));
  }
  std::vector<double> times[2], ratios;
  for (int s = 0; s < samples; ++s) {
    double now[2];
    for (std::size_t k = 0; k < 2; ++k) {
      const double begin = cpu_seconds();
      worlds[k].step();
      now[k] = (cpu_seconds() - begin) * 1e9 / kIterations / static_cast<double>(elements);
      times[k].push_back(now[k]);
    }
    ratios.push_back(now[0] / now[1]);
  }
  out.strain = median(times[0]);
  out.edges = median(times[1]);
  out.ratio = median(ratios);
  return out;
}

/// Hanging cloth by plain position-based dynamics in double, in the order of the mesh: what stretch remains.
class Plain {
 public:
  Plain(const TriMesh& mesh, std::vector<int> held, StrainForm form)
      : mesh_(mesh), form_(form), x_(mesh.positions), v_(x_.size()), w_(x_.size(), 1.0) {
    for (const int v : held) w_[static_cast<std::size_t>(v)] = 0;
    for (const Triangle& t : mesh.triangles) {
      // The frame of x and z, whatever the triangle.
      const Vec3d a = at(t, 1) - at(t, 0), b = at(t, 2) - at(t, 0);
      const double det = a.x * b.z - b.x * a.z;
      TriStrain<double>::Rest rest{};
      rest.m00 = b.z / det, rest.m01 = -b.x / det, rest.m10 = -a.z / det, rest.m11 = a.x / det;
      rest.s0 = rest.s1 = 1;
      for (double& f : rest.value) f = 1;
      for (double& f : rest.slope) f = 1;
      rest_.push_back(rest);
    }
  }

  void step(int iterations, double dt, Vec3d gravity) {
    std::vector<Vec3d> before = x_;
    for (std::size_t k = 0; k < x_.size(); ++k) {
      if (w_[k] > 0) x_[k] += (v_[k] + gravity * dt) * dt;
    }
    for (int n = 0; n < iterations; ++n) iterate();
    for (std::size_t k = 0; k < x_.size(); ++k) v_[k] = (x_[k] - before[k]) * (0.98 / dt);
  }

  void iterate() {
    for (std::size_t k = 0; k < mesh_.triangles.size(); ++k) {
      const Triangle& t = mesh_.triangles[k];
      Vec3d x[3];
      double w[3];
      for (std::size_t c = 0; c < 3; ++c) {
        x[c] = x_[static_cast<std::size_t>(t[c])];
        w[c] = w_[static_cast<std::size_t>(t[c])];
      }
      project_strain<0>(form_, rest_[k], w, x);
      project_strain<1>(form_, rest_[k], w, x);
      project_strain<2>(form_, rest_[k], w, x);
      for (std::size_t c = 0; c < 3; ++c) x_[static_cast<std::size_t>(t[c])] = x[c];
    }
  }

  void stretch_by(double s) {
    for (Vec3d& p : x_) p = p * s;
  }

  /// Mean of |f| - 1 over both directions of all triangles, without what is pressed together.
  double remaining() const {
    double sum = 0;
    for (std::size_t k = 0; k < rest_.size(); ++k) {
      Vec3d x[3], g[3];
      for (std::size_t c = 0; c < 3; ++c) x[c] = x_[static_cast<std::size_t>(mesh_.triangles[k][c])];
      sum += std::max(0.0, evaluate_strain<0>(StrainForm::modified, rest_[k], x, g));
      sum += std::max(0.0, evaluate_strain<1>(StrainForm::modified, rest_[k], x, g));
    }
    return sum / (2 * static_cast<double>(rest_.size()));
  }

 private:
  Vec3d at(const Triangle& t, std::size_t k) const { return mesh_.positions[static_cast<std::size_t>(t[k])]; }

  const TriMesh& mesh_;
  StrainForm form_;
  std::vector<Vec3d> x_, v_;
  std::vector<double> w_;
  std::vector<TriStrain<double>::Rest> rest_;
};

void measure_cost(Context& context, Report& report) {
  const int samples = context.quick() ? 9 : 41;
  // The document's 3600 elements: 60 x 30 cells of two triangles, 12 x 10 x 6 of five tets.
  const TriMesh cloth_mesh = grid({2, 1}, {60, 30});
  TriMesh apart;  // the same triangles without a common corner: each has three edges of its own
  for (const Triangle& t : cloth_mesh.triangles) {
    const int first = static_cast<int>(apart.positions.size());
    for (const int v : t) apart.positions.push_back(cloth_mesh.positions[static_cast<std::size_t>(v)]);
    apart.triangles.push_back({first, first + 1, first + 2});
  }
  const TetMesh solid_mesh = box_tets({1.2, 1, 0.6}, {12, 10, 6});
  const auto cloth_of = [](const TriMesh& mesh) {
    return [&mesh](World& world, bool strain) {
      Cloth cloth{.mesh = mesh};
      if (strain) cloth.strain = ClothStrain{};
      cloth.constraints = strain ? Constraints{} : Constraints{{"distance", {}}};
      return world.add(cloth);
    };
  };
  const auto solid = [&](World& world, bool strain) {
    Solid body{.mesh = solid_mesh};
    if (strain) body.strain = SolidStrain{};
    body.constraints = strain ? Constraints{} : Constraints{{"distance", {}}};
    return world.add(body);
  };
  Series strain_bars{.title = "strain-based", .style = Series::Style::both};
  Series edge_bars{.title = "edge-based", .style = Series::Style::both};
  double case_number = 0;
  const std::vector<int> widths = context.quick() ? std::vector{0} : std::vector{0, 1};
  for (const int width : widths) {
    for (const Method method : {Method::pbd, Method::xpbd}) {
      const auto tell = [&](const char* body, const Timing& t, bool judged) {
        const std::string name =
            fmt::format("{}, {}, {}", body, method == Method::pbd ? "pbd" : "xpbd", width == 1 ? "one lane" : "SIMD");
        report.table.row(
            {"cost", name, t.strain, t.edges, t.ratio, t.edges_per_element, t.ratio * t.edges_per_element / 3});
        Figure figure{.what = name + ": strain-based / edge-based", .value = t.ratio};
        if (judged) {  // the document's 1.3 is not reached, see docs/experiments; it must not get worse
          figure.document = "about 1.3";
          figure.at_most = 6 * 3 / t.edges_per_element;
        }
        report.figures.push_back(figure);
        ++case_number;
        strain_bars.points.emplace_back(case_number, t.strain);
        edge_bars.points.emplace_back(case_number, t.edges);
        context.did(1);
      };
      tell("triangles", compare(width, method, samples, cloth_mesh.triangles.size(), cloth_of(cloth_mesh)), true);
      tell("triangles apart", compare(width, method, samples, apart.triangles.size(), cloth_of(apart)), true);
      tell("tets", compare(width, method, samples, solid_mesh.tets.size(), solid), false);
    }
  }
  report.plots.push_back({.title = "one iteration (pbd: 1 to 3, xpbd: 4 to 6; then one lane)",
                          .x_label = "triangles, triangles apart, tets",
                          .y_label = "time per element [ns]",
                          .log_y = true,
                          .series = {strain_bars, edge_bars}});
}

void measure_remaining(Context& context, Report& report) {
  const int cells = context.quick() ? 10 : 20;
  const TriMesh mesh = irregular_grid({1, 1}, {cells, cells}, 0.3);
  Plot hanging{.title = "hanging by two corners",
               .x_label = "iterations",
               .y_label = "mean remaining stretch [%]",
               .log_x = true,
               .log_y = true,
               .key = "top right"};
  Plot released{.title = "let go, 5 iterations",
                .x_label = "stretch at the start",
                .y_label = "left by eq. 14 / by eq. 9",
                .key = "top right"};
  Series series[2] = {{.title = "S - 1 (eq. 9)", .style = Series::Style::both},
                      {.title = "sqrt(S) - 1 (eq. 14)", .style = Series::Style::both}};
  double mean_gain = 0, last_gain = 0;
  int count = 0;
  for (const int iterations : {1, 2, 5, 10, 20}) {
    double left[2];
    for (int f = 0; f < 2; ++f) {
      Plain cloth(mesh, {0, cells}, static_cast<StrainForm>(f));
      double sum = 0;
      const int steps = 240;
      for (int s = 0; s < steps; ++s) {
        cloth.step(iterations, 1.0 / 60, {0, 0, 9.81});  // in its own plane
        if (s >= steps / 2) sum += cloth.remaining() / (steps - steps / 2);
      }
      left[f] = sum;
      series[f].points.emplace_back(iterations, 100 * sum);
    }
    last_gain = 1 - left[1] / left[0];
    mean_gain += last_gain;
    ++count;
    report.table.row(
        {"hanging", fmt::format("{} iterations", iterations), left[1], left[0], left[1] / left[0], 0.0, 0.0});
    context.did(1);
  }
  hanging.series = {series[0], series[1]};
  Series ratio{.title = "", .style = Series::Style::both};
  double released_gain = 0;
  int released_count = 0;
  for (const double s : {1.01, 1.1, 1.25, 1.5, 2.0}) {
    double left[2];
    for (int f = 0; f < 2; ++f) {
      Plain cloth(mesh, {}, static_cast<StrainForm>(f));
      cloth.stretch_by(s);
      for (int n = 0; n < 5; ++n) cloth.iterate();
      left[f] = cloth.remaining();
    }
    ratio.points.emplace_back(s, left[1] / left[0]);
    released_gain += 1 - left[1] / left[0];
    ++released_count;
    report.table.row({"let go", fmt::format("from {}", s), left[1], left[0], left[1] / left[0], 0.0, 0.0});
    context.did(1);
  }
  released.series = {ratio};
  report.plots.push_back(hanging);
  report.plots.push_back(released);
  report.figures.push_back({.what = "hanging: eq. 14 leaves less stretch than eq. 9 by, mean over 1 to 20 iterations",
                            .value = mean_gain / count,
                            .document = "25 % on average"});
  report.figures.push_back({.what = "let go from 1.01 to 2 times its size, five iterations: less by, mean",
                            .value = released_gain / released_count,
                            .document = "25 % on average"});
}

void run(Context& context, Report& report) {
  context.expect((context.quick() ? 6 : 12) + 10);
  report.table.columns({"part", "case", "strain-based [ns] or eq. 14", "edge-based [ns] or eq. 9", "ratio",
                        "edges per element", "ratio to three edges per triangle"});
  measure_cost(context, report);
  measure_remaining(context, report);
  report.notes = {
      "One thread, its CPU time, medians of samples taken in turn; steps of 50 iterations. Each triangle has three "
      "entries of its strain and half as many edges, since two triangles share an edge; apart, it has three.",
      "Remaining stretch: plain position-based dynamics in double precision on an irregular mesh, all stiffnesses 1."};
}

}  // namespace

extern const Experiment mueller14_fig6 = {"mueller14_fig6", "cost of strains against edges, and the gain of the root",
                                          "mueller14, figure 6 and 3.4", run};

}  // namespace pliant::experiments
