// Free vibration in the first mode: period and loss of amplitude against the linear eigenvalue problem.
#include <fmt/format.h>

#include <Eigen/SparseCholesky>
#include <algorithm>
#include <cmath>
#include <numbers>

#include "experiments/bodies.h"
#include "experiments/experiment.h"
#include "fem/system.h"

namespace pliant::experiments {
namespace {

struct Mode {
  double frequency;          // angular [1/s]
  std::vector<Vec3d> shape;  // largest displacement 1, zero where held
  std::vector<double> masses;
};

/// The slowest mode that a uniform push along y excites: K u = w^2 M u with lumped masses, by inverse iteration.
Mode slowest_mode(const Body& body) {
  const fem::System system(reference(body, {}));
  fem::SparseMatrix K;
  system.stiffness(fem::Vector::Zero(system.coordinate_count()), fem::Stiffness::exact, K);
  Eigen::SimplicialLDLT<fem::SparseMatrix> factor(K);
  fem::Vector m(system.free_count()), u(system.free_count());
  for (int i = 0; i < system.coordinate_count(); ++i) {
    if (const int k = system.free_index(i); k >= 0) {
      m[k] = system.masses()[i];
      u[k] = i % 3 == 1 ? 1 : 0;
    }
  }
  double square = 0;
  for (int iteration = 0; iteration < 500; ++iteration) {
    const fem::Vector f = m.cwiseProduct(u);
    fem::Vector next = factor.solve(f);
    const double found = next.dot(f) / next.dot(m.cwiseProduct(next));  // Rayleigh's quotient of `next`, as K next = f
    u = next / next.cwiseAbs().maxCoeff();
    const bool settled = std::abs(found - square) < 1e-13 * found;
    square = found;
    if (settled) break;
  }
  fem::Vector full = fem::Vector::Zero(system.coordinate_count());
  Mode mode{std::sqrt(square), {}, {}};
  for (int i = 0; i < system.coordinate_count(); ++i) {
    if (const int k = system.free_index(i); k >= 0) full[i] = u[k];
    if (i % 3 == 0) mode.masses.push_back(system.masses()[i]);
  }
  mode.shape = fem::per_vertex(full);
  return mode;
}

/// The part of a vertex field that lies in the mode.
double along(const Mode& mode, const std::vector<Vec3d>& field) {
  double product = 0, square = 0;
  for (std::size_t v = 0; v < field.size(); ++v) {
    product += mode.masses[v] * dot(mode.shape[v], field[v]);
    square += mode.masses[v] * dot(mode.shape[v], mode.shape[v]);
  }
  return product / square;
}

struct Sample {
  double t, q;  // time [s], modal coordinate [m]
};

struct Case {
  const char* name;
  Vec3d size;
  std::array<int, 3> cells;
  double young;  // [Pa], density 1000 kg/m^3
};

struct Outcome {
  double period;  // [s]
  double left;    // amplitude after 2 s over that at the start
  std::vector<Sample> samples;
};

constexpr double kAmplitude = 1e-3;  // of the largest edge: small enough for linear theory by 1e-5
constexpr double kFrame = 1.0 / 60;
constexpr double kReported = 2;     // [s]
constexpr double kFaintest = 0.02;  // of the first amplitude: crossings of zero are not counted below

double duration(double period) { return std::max(kReported, 4 * period); }

Outcome vibrate(const Body& body, const Mode& mode, double amplitude, int substeps, int threads) {
  // A step per substep, to look at each; the motion is the same.
  const double dt = kFrame / substeps;
  Stage stage(body, {.step = dt, .substeps = 1, .gravity = {}, .threads = threads});
  std::vector<Vec3d> start = stage.rest;
  for (std::size_t v = 0; v < start.size(); ++v) start[v] += mode.shape[v] * amplitude;
  stage.world.set_positions(stage.body, start);
  Outcome out{0, 0, {{0, amplitude}}};
  std::vector<double> zeros;
  double largest = amplitude;  // since the last crossing
  const int steps = static_cast<int>(std::lround(duration(2 * std::numbers::pi / mode.frequency) / dt));
  const int reported = static_cast<int>(std::lround(kReported / dt));
  for (int i = 1; i <= steps; ++i) {
    stage.world.step();
    const Sample last = out.samples.back(), next{i * dt, along(mode, stage.displacements())};
    out.samples.push_back(next);
    largest = std::max(largest, std::abs(next.q));
    if ((last.q > 0) != (next.q > 0)) {
      if (largest > kFaintest * amplitude) zeros.push_back(last.t + dt * last.q / (last.q - next.q));
      largest = 0;
    }
    if (i == reported) {
      out.left = std::hypot(next.q, along(mode, stage.world.velocities(stage.body)) / mode.frequency) / amplitude;
    }
  }
  if (zeros.size() >= 2) out.period = 2 * (zeros.back() - zeros.front()) / static_cast<double>(zeros.size() - 1);
  return out;
}

void run(Context& context, Report& report) {
  const Case cases[] = {{"cube", {1, 1, 1}, {4, 4, 4}, 1e6},
                        {"cube", {1, 1, 1}, {4, 4, 4}, 1e7},
                        {"cube", {1, 1, 1}, {4, 4, 4}, 1e8},
                        {"cantilever", {4, 1, 1}, {16, 4, 4}, 1e7},
                        {"cantilever", {4, 1, 1}, {16, 4, 4}, 1e8}};
  const std::vector<int> all_substeps = context.quick() ? std::vector{20} : std::vector{10, 20, 50, 100};
  report.table.columns({"body", "model", "young [Pa]", "substeps", "E dt^2 / (density h^2)", "period [s]",
                        "period of the linear mode [s]", "relative error", "amplitude left after 2 s",
                        "amplitude that implicit Euler leaves"});
  Plot curve{.title = "20 substeps per frame of 1/60 s, E = 1e7 Pa",
             .x_label = "time [s]",
             .y_label = "amplitude over that at the start",
             .key = "top right"};
  Plot errors{.title = "error of the period",
              .x_label = "substeps per 1/60 s",
              .y_label = "|relative error|",
              .log_x = true,
              .log_y = true,
              .key = "bottom left"};
  double work = 0;
  const auto cost = [](const Case& c, int substeps, double period) {
    return 5.0 * c.cells[0] * c.cells[1] * c.cells[2] * substeps * duration(period) / kFrame;
  };
  std::vector<Mode> modes;
  for (const Case& c : cases) {
    modes.push_back(slowest_mode(wall_mounted(c.size, c.cells, {.young = c.young, .poisson = 0.3, .density = 1000})));
    for (const int substeps : all_substeps)
      work += 2 * cost(c, substeps, 2 * std::numbers::pi / modes.back().frequency);
  }
  context.expect(work);

  constexpr double kResolvedPeriod = 0.08;  // [s], about a hundred of these substeps
  double worst = 0, worst_slow = 0, least_left = 1;
  for (std::size_t k = 0; k < std::size(cases); ++k) {
    const Case& c = cases[k];
    const double expected = 2 * std::numbers::pi / modes[k].frequency;
    for (const MaterialModel model : {MaterialModel::stvk, MaterialModel::neo_hookean}) {
      const Body body =
          wall_mounted(c.size, c.cells, {.model = model, .young = c.young, .poisson = 0.3, .density = 1000});
      if (model == MaterialModel::stvk) {
        errors.series.push_back(
            {.title = fmt::format("{}, E = {:g} Pa", c.name, c.young), .style = Series::Style::both});
      }
      for (const int substeps : all_substeps) {
        const double dt = kFrame / substeps, h = c.size.x / c.cells[0];
        const Outcome out = vibrate(body, modes[k], kAmplitude * c.size.x, substeps, context.settings().threads);
        const double error = out.period / expected - 1;
        // Implicit Euler multiplies the amplitude by 1 / sqrt(1 + (w dt)^2) in each step.
        const double euler = std::exp(-0.5 * std::log1p(std::pow(modes[k].frequency * dt, 2)) * kReported / dt);
        report.table.row({c.name, name_of(model), c.young, double(substeps), c.young * dt * dt / (1000 * h * h),
                          out.period, expected, error, out.left, euler});
        if (model == MaterialModel::stvk) errors.series.back().points.emplace_back(substeps, std::abs(error));
        if (substeps == 20) {
          worst = std::max(worst, out.period > 0 ? std::abs(error) : INFINITY);
          if (expected > kResolvedPeriod) worst_slow = std::max(worst_slow, std::abs(error));
          least_left = std::min(least_left, out.left);
          if (model == MaterialModel::stvk && c.young == 1e7) {
            curve.series.push_back({.title = c.name});
            for (std::size_t i = 0; i < out.samples.size() && out.samples[i].t <= 2; i += 8) {
              curve.series.back().points.emplace_back(out.samples[i].t, out.samples[i].q / (kAmplitude * c.size.x));
            }
          }
        }
        context.did(cost(c, substeps, expected));
      }
    }
  }
  report.plots = {curve};
  if (!context.quick()) report.plots.push_back(errors);
  report.figures = {
      {.what = "20 substeps: largest relative error of a period", .value = worst, .at_most = 0.01},
      {.what = "20 substeps, periods above 0.08 s: largest relative error", .value = worst_slow, .at_most = 0.002},
      {.what = "20 substeps: least amplitude left after 2 s", .value = least_left}};
  report.notes = {
      "Reference: the slowest bending mode of K u = w^2 M u on the same tets with lumped masses. The body starts in "
      "that mode, displaced by a thousandth of its length, without gravity and damping.",
      "The loss of amplitude is that of implicit Euler or less."};
}

}  // namespace

extern const Experiment vibration = {"vibration", "period and loss of amplitude of free vibration", "", run};

}  // namespace pliant::experiments
