// Strain of a beam that is pulled by 100 N: against the number of iterations, and against Young's modulus.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>

#include "experiments/bodies.h"
#include "experiments/energy_projection.h"
#include "experiments/experiment.h"
#include "fem/statics.h"
#include "mesh/topology.h"

namespace pliant::experiments {
namespace {

constexpr double kForce = 100;   // [N], the document's
constexpr double kStep = 5e-3;   // [s], the document's, without substeps
constexpr double kDensity = 10;  // [kg/m^3]; light, so that it comes to rest soon
constexpr double kLength = 2;    // [m] along x
constexpr double kDuration = 6;  // [s]
const int kSteps = static_cast<int>(std::lround(kDuration / kStep));

struct Beam {
  Body body;
  std::vector<Vec3d> forces;  // [N] per vertex
};

Beam beam(double young, bool quick) {
  Beam b{wall_mounted({kLength, 0.5, 0.5}, quick ? std::array{8, 2, 2} : std::array{16, 4, 4},
                      {.model = MaterialModel::stvk, .young = young, .poisson = 0.3, .density = kDensity}),
         {}};
  // An even pull: each vertex of the end face gets the third of its triangles.
  b.forces.resize(b.body.mesh.positions.size());
  double area = 0;
  const auto& x = b.body.mesh.positions;
  for (const Triangle& t : surface_of(b.body.mesh)) {
    const auto at = [&](int i) { return x[static_cast<std::size_t>(t[static_cast<std::size_t>(i)])]; };
    if (std::min({at(0).x, at(1).x, at(2).x}) < kLength / 2 - 1e-9) continue;
    const double a = length(cross(at(1) - at(0), at(2) - at(0))) / 2;
    for (const int v : t) b.forces[static_cast<std::size_t>(v)].x += a / 3;
    area += a;
  }
  for (Vec3d& f : b.forces) f = f * (kForce / area);
  return b;
}

/// Near critical for the beam's slowest stretching, w = pi / (2 L) sqrt(E / density) [1/s]; nothing of it is left at
/// rest.
double damping(double young) { return std::sqrt(young / kDensity) * 3.14 / kLength; }

// ------------------------------------------------------------------ the forms that are compared
// Each returns the strain of the beam at rest.

double strain_in_engine(const Body& body, const std::vector<Vec3d>& forces, double damping_rate, int iterations,
                        int threads) {
  Stage stage(body, {.step = kStep,
                     .substeps = 1,
                     .iterations = iterations,
                     .gravity = {},
                     .point_damping = damping_rate,
                     .threads = threads});
  stage.world.set_vertex_forces(stage.body, forces);
  for (int i = 0; i < kSteps; ++i) stage.world.step();
  return mean(stage.displacements(), body.tip).x / kLength;
}

/// The engine's default form of this material.
double engine(const Beam& b, int iterations, int threads) {
  return strain_in_engine(b.body, b.forces, damping(b.body.material.young), iterations, threads);
}

/// The engine's form of C = E.
double engine_energy(const Beam& b, int iterations, int threads) {
  Body body = b.body;
  body.material.form = MaterialForm::pbd_energy;
  return strain_in_engine(body, b.forces, damping(1000), iterations, threads);
}

/// The document's C = E, algorithm 1, in double precision.
double energy_constraint(const Beam& b, int iterations, int) {
  const TetMesh& mesh = b.body.mesh;
  std::vector<double> w;
  for (const double m : lumped_masses(mesh.tets, mesh.positions, kDensity)) w.push_back(1 / m);
  for (const int v : b.body.held) w[static_cast<std::size_t>(v)] = 0;
  const EnergyProjection projection(mesh, b.body.material, w);
  const double kept = std::exp(-damping(1000) * kStep);  // the same for all: it must not look like a stiffness
  std::vector<Vec3d> x = mesh.positions, v(x.size());
  for (int step = 0; step < kSteps; ++step) {
    const std::vector<Vec3d> before = x;
    for (std::size_t k = 0; k < x.size(); ++k) x[k] += (v[k] + b.forces[k] * (kStep * w[k])) * kStep;
    for (int i = 0; i < iterations; ++i) projection.gauss_seidel(x);
    for (std::size_t k = 0; k < x.size(); ++k) v[k] = (x[k] - before[k]) * (kept / kStep);
  }
  for (std::size_t k = 0; k < x.size(); ++k) x[k] -= mesh.positions[k];
  return mean(x, b.body.tip).x / kLength;
}

/// A form of the engine's own, or of a document: one line in kForms.
struct Form {
  const char* name;
  double (*strain)(const Beam&, int iterations, int threads);
};
constexpr Form kForms[] = {{"engine", engine}, {"C = E", energy_constraint}, {"engine, C = E", engine_energy}};
enum { kEngine, kEnergy, kEngineEnergy };

/// A single tet, three corners held: no order of elements can make a difference.
Beam single_tet() {
  Beam b{{.mesh = {.positions = {{0, 0, 0}, {0, 1, 0}, {0, 0, 1}, {kLength, 0, 0}}, .tets = {{0, 1, 2, 3}}},
          .material = {.model = MaterialModel::stvk, .young = 1000, .poisson = 0.3, .density = kDensity},
          .held = {0, 1, 2},
          .tip = {3}},
         std::vector<Vec3d>(4)};
  b.forces[3].x = kForce;
  return b;
}

/// Finite elements.
double expected(const Beam& b) {
  fem::Problem problem = reference(b.body, {});
  problem.forces = b.forces;
  fem::StaticsOptions in_steps;
  in_steps.load_steps = 4;
  const fem::StaticsResult result = fem::solve_statics(problem, in_steps);
  return result.converged ? mean(result.displacements, b.body.tip).x / kLength
                          : std::numeric_limits<double>::quiet_NaN();
}

/// Largest over smallest, minus 1.
double spread(const std::vector<double>& values) {
  const auto [low, high] = std::minmax_element(values.begin(), values.end());
  return *high / *low - 1;
}

void run(Context& context, Report& report) {
  const bool quick = context.quick();
  const std::vector<int> iterations = quick ? std::vector{1, 2, 5, 10} : std::vector{1, 2, 3, 4, 5, 7, 10, 15, 20, 30};
  const std::vector<double> youngs = {250, 500, 1000, 2000, 4000, 8000};
  double work = 5.0 * static_cast<double>(youngs.size());
  for (const int i : iterations) work += i;
  context.expect(work * static_cast<double>(std::size(kForms)));

  report.table.columns({"form", "iterations", "young [Pa]", "strain [%]", "finite elements [%]"});
  Plot left{.title = "E = 1000 Pa", .x_label = "iterations", .y_label = "strain [%]", .key = "center right"};
  Plot right{
      .title = "five iterations", .x_label = "Young's modulus [Pa]", .y_label = "strain [%]", .key = "top right"};
  right.log_x = left.log_y = right.log_y = true;
  std::vector<double> by_iterations[std::size(kForms)], by_young[std::size(kForms)];  // strains of each form
  double worst = 0;
  for (const Form& form : kForms) {
    const auto f = static_cast<std::size_t>(&form - kForms);
    left.series.push_back({.title = form.name, .style = Series::Style::points});
    right.series.push_back({.title = form.name, .style = Series::Style::points});
    const auto measure = [&](int n, double young, Series& series, double at, std::vector<double>& values) {
      const Beam b = beam(young, quick);
      const double strain = form.strain(b, n, context.settings().threads), reference_strain = expected(b);
      report.table.row({form.name, double(n), young, 100 * strain, 100 * reference_strain});
      series.points.emplace_back(at, 100 * strain);
      values.push_back(strain);
      if (f == kEngine) worst = std::max(worst, std::abs(strain / reference_strain - 1));
      if (!std::isfinite(strain)) worst = INFINITY;
      context.did(n);
    };
    for (const int n : iterations) measure(n, 1000, left.series.back(), n, by_iterations[f]);
    for (const double young : youngs) measure(5, young, right.series.back(), young, by_young[f]);
  }
  Series reference_line{.title = "finite elements", .points = {}, .style = Series::Style::lines};
  for (const double young : youngs) reference_line.points.emplace_back(young, 100 * expected(beam(young, quick)));
  right.series.insert(right.series.begin(), reference_line);
  const double at_1000 = 100 * expected(beam(1000, quick));
  left.series.insert(left.series.begin(),
                     {.title = "finite elements", .points = {{1, at_1000}, {iterations.back(), at_1000}}});
  report.plots = {left, right};

  const auto at = [&](int n) {
    return by_iterations[kEnergy][static_cast<std::size_t>(std::find(iterations.begin(), iterations.end(), n) -
                                                           iterations.begin())];
  };
  const auto apart = [](double a, double b) { return std::abs(a / b - 1); };
  double on_beam = 0;
  for (std::size_t i = 0; i < iterations.size(); ++i)
    on_beam = std::max(on_beam, apart(by_iterations[kEngineEnergy][i], by_iterations[kEnergy][i]));
  const double on_tet = apart(engine_energy(single_tet(), 1, 1), energy_constraint(single_tet(), 1, 1));
  report.figures = {
      {.what = "engine: largest relative difference from finite elements", .value = worst, .at_most = 0.01},
      {.what = "engine: spread over the number of iterations",
       .value = spread(by_iterations[kEngine]),
       .at_most = 0.01},
      {.what = "engine: strain at 500 Pa over that at 1000 Pa",
       .value = by_young[kEngine][1] / by_young[kEngine][2],
       .at_least = 1.4,
       .at_most = 2},
      {.what = "C = E: strain at 5 iterations over that at 1",
       .value = at(5) / at(1),
       .at_most = 0.5,
       .document = "converges fast in the first five iterations"},
      {.what = "C = E: strain at 10 iterations over that at 5",
       .value = at(10) / at(5),
       .at_least = at(5) / at(1),
       .document = "the convergence slows down afterwards"},
      {.what = "C = E: spread over Young's modulus",
       .value = spread(by_young[kEnergy]),
       .at_most = 1e-6,
       .document = "a falling curve (figure 5 right)"},
      {.what = "engine, C = E: spread over Young's modulus", .value = spread(by_young[kEngineEnergy]), .at_most = 1e-3},
      {.what = "engine, C = E: relative difference from the plain implementation, a single tet",
       .value = on_tet,
       .at_most = 1e-3},
      {.what = "engine, C = E: the same on the beam, where the order of the elements differs",
       .value = on_beam,
       .at_most = 0.35}};
  report.notes = {"The document does not give the beam's size and weight. Here 2 x 0.5 x 0.5 m, 10 kg/m^3.",
                  "In eq. 2 and 3 with C = E a factor of E cancels: dx = -w E dE/dx / sum w |dE/dx|^2. Young's modulus "
                  "has no effect at all on a projection as printed; the falling curve of the document must come from "
                  "something that it does not write down."};
}

}  // namespace

extern const Experiment bender14_fig5 = {
    "bender14_fig5", "strain of a pulled beam against iterations and Young's modulus", "bender14, figure 5", run};

}  // namespace pliant::experiments
