// A square of cloth pulled alike in both directions gets longer where its threads are softer.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "experiments/cloths.h"
#include "experiments/experiment.h"
#include "experiments/uniform_state.h"
#include "fem/membrane.h"
#include "pliant/world.h"

namespace pliant::experiments {
namespace {

constexpr double kStiff = 1000, kSoft = 250;  // [N/m] along the threads
constexpr double kShear = 200;                // [N/m]
constexpr double kPoisson = 0.3;              // of the stiff direction; the soft one has kPoisson kSoft / kStiff
constexpr double kPull = 100;                 // [N/m] at each side
constexpr double kDensity = 2;                // [kg/m^2], so that 20 substeps resolve the stiff threads
constexpr double kDamping = 4;                // [1/s]
// The document's own accuracy for a stretched cloth of 1 m (figure 7).
constexpr double kLargest = 4e-4, kMean = 8e-6;  // [m]

struct Fabric {
  const char* name;
  double k_weft, k_warp;
  double angle;  // [degrees] of the weft from x
};

constexpr Fabric kFabrics[] = {{"equal threads", kStiff, kStiff, 0},
                               {"weft 4 x warp, weft along x", kStiff, kSoft, 0},
                               {"weft 4 x warp, weft along z", kStiff, kSoft, 90},
                               {"weft 4 x warp, weft at 45 degrees", kStiff, kSoft, 45}};

ClothMaterial material_of(const Fabric& fabric) {
  const double angle = fabric.angle * 3.14159265358979323846 / 180;
  return {.model = ClothModel::orthotropic,
          .orthotropic = {.k_weft = fabric.k_weft,
                          .k_warp = fabric.k_warp,
                          .k_shear = kShear,
                          .nu_weft = kPoisson,
                          .nu_warp = kPoisson * fabric.k_warp / fabric.k_weft},
          .weft = {std::cos(angle), 0, std::sin(angle)},
          .bending = 0};
}

/// The whole pull of each side on its middle half: springs that do not reach the corners.
std::vector<Vec3d> grip_forces(const TriMesh& mesh) {
  std::vector<Vec3d> forces = side_forces(mesh, {1, 1}, {kPull, kPull, 0});
  for (const int axis : {0, 2}) {
    for (const double sign : {-1.0, 1.0}) {
      double held = 0;
      for (std::size_t v = 0; v < forces.size(); ++v) {
        double& f = forces[v][axis];
        if (f * sign <= 0) continue;
        if (std::abs(mesh.positions[v][2 - axis]) > 0.25 + 1e-9) f = 0;
        held += std::abs(f);
      }
      // Opposite sides are in balance on a mesh that is not regular, too.
      for (Vec3d& force : forces) force[axis] *= force[axis] * sign > 0 ? kPull / held : 1;
    }
  }
  return forces;
}

struct Run {
  std::vector<Vec3d> positions;
  std::vector<Edge> edges;
  double speed = 0;  // [m/s] root mean square at the end
};

Run pulled(Context& context, const TriMesh& mesh, const ClothMaterial& material, const std::vector<Vec3d>& forces,
           int frames, bool document) {
  WorldOptions options{.step = 1.0 / 60, .substeps = 20, .gravity = {}, .point_damping = kDamping, .threads = 1};
  if (document) {  // steps of 5 ms with five iterations
    options.step = 0.005;
    options.substeps = 1;
    options.iterations = 5;
    options.method = Method::pbd;
  }
  World world(options);
  Cloth cloth{.mesh = mesh, .density = kDensity, .material = material};
  if (document) cloth.material->form = MaterialForm::pbd_energy;
  const BodyId id = world.add(cloth);
  world.set_vertex_forces(id, forces);
  const int steps = static_cast<int>(std::lround(frames / 60.0 / options.step));
  for (int s = 0; s < steps; ++s) {
    world.step();
    context.did(static_cast<double>(frames) / steps);
  }
  const Measures m = world.measures();
  Run run{
      .positions = world.positions(id), .edges = world.edges(id), .speed = std::sqrt(2 * m.kinetic_energy / m.mass)};
  return run;
}

/// Of the middles of opposite sides from each other [m], which are 1 m at rest.
std::array<double, 2> extent(const TriMesh& mesh, const std::vector<Vec3d>& x) {
  std::array<double, 2> out{};
  int count[2][2] = {};
  double sum[2][2] = {};
  for (std::size_t v = 0; v < x.size(); ++v) {
    for (const int axis : {0, 2}) {
      const double at = mesh.positions[v][axis], across = mesh.positions[v][2 - axis];
      if (std::abs(at) < 0.5 - 1e-9 || std::abs(across) > 0.125 + 1e-9) continue;
      sum[axis / 2][at > 0] += x[v][axis];
      ++count[axis / 2][at > 0];
    }
  }
  for (std::size_t a = 0; a < 2; ++a) out[a] = sum[a][1] / count[a][1] - sum[a][0] / count[a][0];
  return out;
}

void run(Context& context, Report& report) {
  const int cells = context.quick() ? 8 : 20;
  const int frames = 360;
  const TriMesh regular = grid({1, 1}, {cells, cells}), irregular = irregular_grid({1, 1}, {cells, cells}, 0.4);
  context.expect(frames * 4.0 * static_cast<double>(std::size(kFabrics)));
  report.table.columns({"fabric", "mesh", "pull", "form", "along x [m]", "along z [m]", "largest distance [m]",
                        "mean distance [m]", "speed left [m/s]"});
  Deviation uniform, gripped;
  std::array<double, 2> size[std::size(kFabrics)], soft_form{};
  for (std::size_t k = 0; k < std::size(kFabrics); ++k) {
    const Fabric& fabric = kFabrics[k];
    const ClothMaterial material = material_of(fabric);
    const PlaneMatrix F =
        uniform_state(stvk_energy(material, fabric.angle * 3.14159265358979323846 / 180), {kPull, 0, 0, kPull});
    const auto row = [&](const char* mesh_name, const char* pull, const char* form, const TriMesh& mesh, const Run& r,
                         const Deviation& d) {
      const std::array<double, 2> e = extent(mesh, r.positions);
      report.table.row({fabric.name, mesh_name, pull, form, e[0], e[1], d.largest, d.mean, r.speed});
      return e;
    };
    for (const bool even : {true, false}) {
      const TriMesh& mesh = even ? regular : irregular;
      const Run r = pulled(context, mesh, material, side_forces(mesh, {1, 1}, {kPull, kPull, 0}), frames, false);
      const Deviation d = distance_from_uniform(mesh, r.positions, F);
      uniform = {std::max(uniform.largest, d.largest), std::max(uniform.mean, d.mean)};
      const auto e = row(even ? "regular" : "irregular", "whole sides", "engine", mesh, r, d);
      if (even) size[k] = e;
    }

    // Springs on the middle halves: not uniform, so finite elements judge.
    const std::vector<Vec3d> forces = grip_forces(irregular);
    fem::MembraneProblem problem{.mesh = irregular, .material = material, .forces = forces};
    // The middle holds it in the plane; forces that keep their direction do not let it turn.
    for (std::size_t v = 0; v < irregular.positions.size(); ++v) {
      problem.supports.push_back({.vertex = static_cast<int>(v), .x = false, .y = true, .z = false});
    }
    const auto middle = static_cast<std::size_t>((cells / 2) * (cells + 1) + cells / 2);
    problem.supports[middle].x = problem.supports[middle].z = true;
    const fem::MembraneResult reference = fem::solve_membrane(problem, 4);
    if (!reference.converged) throw Error("bender14_fig10", "the reference did not converge", "");
    const Run r = pulled(context, irregular, material, forces, frames, false);
    Deviation d;
    const Vec3d shift = r.positions[middle] - irregular.positions[middle] - reference.displacements[middle];
    for (std::size_t v = 0; v < r.positions.size(); ++v) {
      const double apart = length(r.positions[v] - shift - irregular.positions[v] - reference.displacements[v]);
      d.largest = std::max(d.largest, apart);
      d.mean += apart / static_cast<double>(r.positions.size());
    }
    gripped = {std::max(gripped.largest, d.largest), std::max(gripped.mean, d.mean)};
    row("irregular", "middle halves", "engine", irregular, r, d);

    Plot plot{
        .title = fabric.name, .x_label = "[m]", .y_label = "[m]", .y_range = std::pair{-0.85, 0.85}, .key = "off"};
    std::vector<Vec3d> centred = r.positions;
    for (Vec3d& p : centred) p -= shift;
    plot.series = {wireframe("under springs", r.edges, centred, 0, 2)};
    plot.series.push_back({.title = "at rest", .points = {{-.5, -.5}, {.5, -.5}, {.5, .5}, {-.5, .5}, {-.5, -.5}}});
    // Points that no line joins: all panels have the same scale.
    plot.series.push_back({.title = "", .points = {{-0.85, 0}, {NAN, NAN}, {0.85, 0}}});
    report.plots.push_back(plot);

    const Run own = pulled(context, regular, material, side_forces(regular, {1, 1}, {kPull, kPull, 0}), frames, true);
    const auto e =
        row("regular", "whole sides", "C = E", regular, own, distance_from_uniform(regular, own.positions, F));
    if (k == 1) soft_form = e;
  }
  const auto ratio = [](const std::array<double, 2>& e) { return (e[1] - 1) / (e[0] - 1); };
  report.figures = {
      {.what = "equal threads: elongation along z over that along x",
       .value = ratio(size[0]),
       .at_least = 0.999,  // the same by symmetry
       .at_most = 1.001},
      {.what = "weft 4 x warp: elongation along the warp over that along the weft",
       .value = ratio(size[1]),
       .at_least = 1,
       .document = "anisotropic stretching under equal forces"},
      {.what = "the same with the weft along z: product of both ratios",
       .value = ratio(size[1]) * ratio(size[2]),
       .at_least = 0.999,
       .at_most = 1.001},
      {.what = "pulled at whole sides: largest distance from the closed form, both meshes [m]",
       .value = uniform.largest,
       .at_most = kLargest},
      {.what = "the same: mean distance, largest of all cases [m]", .value = uniform.mean, .at_most = kMean},
      {.what = "pulled at the middle halves: largest distance from finite elements [m]",
       .value = gripped.largest,
       .at_most = kLargest},
      {.what = "the same: mean distance, largest of all cases [m]", .value = gripped.mean, .at_most = kMean},
      {.what = "C = E, weft 4 x warp: elongation along the warp over that along the weft", .value = ratio(soft_form)},
      {.what = "C = E, weft 4 x warp: elongation along the warp [m]", .value = soft_form[1] - 1}};
  report.notes = {fmt::format(
      "1 m x 1 m, {0} x {0} cells, {1} kg/m^2, {2} and {3} N/m along the threads, {4} N/m in shear, Poisson's ratio "
      "{5} "
      "of the weft; {6} N on each side, which keep size and direction; no gravity. The document prints no constants. "
      "The bounds of distances are the document's accuracy for a stretched cloth (figure 7).",
      cells, kDensity, kStiff, kSoft, kShear, kPoisson, kPull)};
}

}  // namespace

extern const Experiment bender14_fig10 = {"bender14_fig10", "equal forces stretch orthotropic cloth unequally",
                                          "bender14, figure 10", run};

}  // namespace pliant::experiments
