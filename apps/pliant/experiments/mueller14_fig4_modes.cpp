// A torus that hangs by its uppermost part: which stiffness is low decides how it deforms.
//
// mueller14 prints neither values nor what loads its torus. Here it is its own weight, and the axes of each tet are
// those of the ring: 1 along it, 2 away from its centre, 3 across its plane.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "experiments/cloths.h"
#include "experiments/experiment.h"
#include "experiments/strain_entries.h"
#include "pliant/world.h"

namespace pliant::experiments {
namespace {

constexpr double kRadius = 0.4, kTube = 0.15;       // [m]
constexpr double kHigh = 1e6, kLow = 1.5e4;         // [Pa] xpbd
constexpr double kHighPart = 0.3, kLowPart = 0.02;  // pbd
constexpr double kDamping = 3;                      // [1/s]

struct Set {
  const char* panel;
  const char* name;
  std::array<bool, 3> stretch;  // high
  bool shear, volume;
};
// (g) and (h) say nothing about the volume; it stays high.
constexpr Set kSets[] = {{"-", "all high", {true, true, true}, true, true},
                         {"e", "only the volume high", {false, false, false}, false, true},
                         {"f", "low along the ring, volume low", {false, true, true}, true, false},
                         {"g", "stretch low, shear high", {false, false, false}, true, true},
                         {"h", "stretch high, shear low", {true, true, true}, false, true}};

/// The ring stands in the xy plane.
TetMesh standing_torus(int segments, int across) {
  TetMesh mesh = torus_tets(kRadius, kTube, segments, across);
  for (Vec3d& p : mesh.positions) p = {p.x, p.z, -p.y};
  return mesh;
}

std::vector<Frame> ring_frames(const TetMesh& mesh) {
  std::vector<Frame> out;
  for (const Tet& t : mesh.tets) {
    Vec3d middle{};
    for (const int v : t) middle += mesh.positions[static_cast<std::size_t>(v)] * 0.25;
    const Vec3d outward = Vec3d{middle.x, middle.y, 0} / std::hypot(middle.x, middle.y), across{0, 0, 1};
    out.push_back({cross(outward, across), outward, across});
  }
  return out;
}

SolidStrain strain_of(const Set& set, const std::vector<Frame>& frames) {
  const auto strength = [](bool high) {
    return StrainStrength{.stiffness = high ? kHighPart : kLowPart, .modulus = high ? kHigh : kLow};
  };
  SolidStrain strain;
  for (std::size_t k = 0; k < 3; ++k) {
    strain.stretch[k] = strength(set.stretch[k]);
    strain.shear[k] = strength(set.shear);
  }
  strain.volume = strength(set.volume);
  strain.axes_per_tet = frames;
  return strain;
}

struct Result {
  StrainEntries entries;
  double sag = 0;    // [m] of the lowest point
  double speed = 0;  // [m/s] root mean square at the end
  std::vector<Vec3d> positions;
  std::vector<Edge> outline;  // edges of the surface
};

Result hung(Context& context, const TetMesh& mesh, const std::vector<Frame>& frames, const Set& set, Method method,
            int steps) {
  const bool pbd = method == Method::pbd;
  World world({.step = 1.0 / 60,
               .substeps = pbd ? 4 : 20,
               .iterations = pbd ? 5 : 1,
               .method = method,
               .point_damping = kDamping,
               .threads = context.settings().threads});
  Solid torus{.mesh = mesh, .strain = strain_of(set, frames)};
  torus.constraints = {{"tet_strain", {.keep_multipliers = !pbd}}};
  const BodyId id = world.add(torus);
  std::vector<int> top;
  for (std::size_t v = 0; v < mesh.positions.size(); ++v) {
    const Vec3d& p = mesh.positions[v];
    if (p.y > 0 && std::abs(p.x) < 0.2 * p.y) top.push_back(static_cast<int>(v));
  }
  world.pin(id, top);
  for (int s = 0; s < steps; ++s) {
    world.step();
    context.did(1);
  }
  Result out;
  out.positions = world.positions(id);
  const Measures m = world.measures();
  out.speed = std::sqrt(2 * m.kinetic_energy / m.mass);
  out.entries = strain_entries(mesh, frames, out.positions);
  double before = 0, after = 0;
  for (const Vec3d& p : mesh.positions) before = std::min(before, p.y);
  for (const Vec3d& p : out.positions) after = std::min(after, p.y);
  out.sag = before - after;
  for (const Triangle& t : world.triangles(id)) {
    for (std::size_t k = 0; k < 3; ++k) {
      const int a = t[k], b = t[(k + 1) % 3];
      // Once each, and only what faces the viewer at rest.
      if (a < b && mesh.positions[static_cast<std::size_t>(a)].z >= -1e-9) out.outline.push_back({a, b});
    }
  }
  return out;
}

void run(Context& context, Report& report) {
  const TetMesh mesh = context.quick() ? standing_torus(16, 2) : standing_torus(32, 4);
  const std::vector<Frame> frames = ring_frames(mesh);
  const int steps = context.quick() ? 240 : 480;
  context.expect(steps * 2.0 * static_cast<double>(std::size(kSets)));
  report.table.columns({"method", "panel", "low and high", "stretch along the ring", "stretch away from the centre",
                        "stretch across", "shear 23", "shear 31", "shear 12", "volume of an element", "whole volume",
                        "inverted", "sag [m]", "speed left [m/s]"});
  constexpr std::size_t kSetCount = std::size(kSets);
  Result found[2][kSetCount];
  for (const Method method : {Method::xpbd, Method::pbd}) {
    const std::size_t m = method == Method::pbd ? 1 : 0;
    for (std::size_t s = 0; s < kSetCount; ++s) {
      const Set& set = kSets[s];
      found[m][s] = hung(context, mesh, frames, set, method, steps);
      const Result& r = found[m][s];
      const StrainEntries& e = r.entries;
      report.table.row({m == 1 ? "pbd" : "xpbd", set.panel, set.name, e.stretch[0], e.stretch[1], e.stretch[2],
                        e.shear[0], e.shear[1], e.shear[2], e.volume, e.whole_volume, double(e.inverted), r.sag,
                        r.speed});
      if (m == 1) continue;
      Plot plot{.title = s == 0 ? set.name : fmt::format("({}) {}", set.panel, set.name),
                .x_label = "[m]",
                .y_label = "[m]",
                .y_range = std::pair{-1.3, 0.6},
                .key = "off"};
      plot.series = {wireframe("under its weight", r.outline, r.positions, 0, 1)};
      // Points that no line joins: all panels have the same scale.
      plot.series.push_back({.title = "", .points = {{-1, 0}, {NAN, NAN}, {1, 0}}});
      report.plots.push_back(plot);
    }
  }
  Plot entries{.title = "root mean squares",
               .x_label = "all high, (e), (f), (g), (h)",
               .y_label = "entry",
               .log_y = true,
               .key = "top right"};
  Series along{.title = "stretch along the ring", .style = Series::Style::both},
      others{.title = "both other stretches", .style = Series::Style::both},
      shear{.title = "shears", .style = Series::Style::both},
      volume{.title = "volume of an element", .style = Series::Style::both};
  for (std::size_t s = 0; s < kSetCount; ++s) {
    const StrainEntries& e = found[0][s].entries;
    const double x = static_cast<double>(s);
    along.points.emplace_back(x, e.stretch[0]);
    others.points.emplace_back(x, std::hypot(e.stretch[1], e.stretch[2]) / std::sqrt(2.0));
    shear.points.emplace_back(x, e.all_shear());
    volume.points.emplace_back(x, e.volume);
  }
  entries.series = {along, others, shear, volume};
  report.plots.push_back(entries);

  for (const std::size_t m : {0, 1}) {
    const Result &all = found[m][0], &e = found[m][1], &f = found[m][2], &g = found[m][3], &h = found[m][4];
    const auto add = [&](std::string what, double value, std::optional<double> at_least, std::optional<double> at_most,
                         const char* document = "") {
      report.figures.push_back({.what = fmt::format("{}, {}", m == 1 ? "pbd" : "xpbd", what),
                                .value = value,
                                .at_least = at_least,
                                .at_most = at_most,
                                .document = document});
    };
    const double beside = std::max(
        {f.entries.stretch[1], f.entries.stretch[2], f.entries.shear[0], f.entries.shear[1], f.entries.shear[2]});
    add("(e): sag over that with all high", e.sag / all.sag, 5, {}, "heavily deforms");
    // In pbd what is high is softer the finer the mesh is.
    add("(e): change of the whole volume", std::abs(e.entries.whole_volume), {}, m == 1 ? 0.03 : 0.01,
        "its volume is conserved");
    add("(e): change of an element's volume over its stretch", e.entries.volume / e.entries.all_stretch(), {}, 0.5);
    add("(f): stretch along the ring over the largest other stretch or shear", f.entries.stretch[0] / beside, 3, {},
        "softer along the main axis only");
    add("(f): change of an element's volume over that with all high", f.entries.volume / all.entries.volume, 3, {});
    add("(g): stretch over shear", g.entries.all_stretch() / g.entries.all_shear(), 2, {},
        "lengths are more deformed than angles");
    add("(h): shear over stretch", h.entries.all_shear() / h.entries.all_stretch(), 2, {}, "stretching is small");
    add("(h): sag over that with all high", h.sag / all.sag, 2, {}, "bends heavily");
    add("(h): stretch over that of (g)", h.entries.all_stretch() / g.entries.all_stretch(), {}, 0.5);
    add("(g): shear over that of (h)", g.entries.all_shear() / h.entries.all_shear(), {}, 0.5);
    double speed = 0;
    int inverted = 0;
    for (const Result& r : found[m]) {
      speed = std::max(speed, r.speed);
      inverted += r.entries.inverted;
    }
    add("all: inverted elements", inverted, {}, 0);
    add("all: largest speed left [m/s]", speed, {}, 0.02);
  }
  report.notes = {
      fmt::format(
          "Torus of {} m and {} m, {} tets, 1000 kg/m^3, held in its uppermost part (11 degrees to both sides), "
          "{} s. High and low: {:g} and {:g} Pa in xpbd (20 substeps of 1/60 s, one iteration, multipliers "
          "kept), {} and {} in pbd (4 substeps, five iterations). The document prints neither values nor loads.",
          kRadius, kTube, mesh.tets.size(), steps / 60.0, kHigh, kLow, kHighPart, kLowPart),
      "Root mean squares over the rest volume, in each tet's own axes: along the ring, away from its centre, across "
      "its "
      "plane. For (g) and (h) the document does not speak of the volume; it stays high here."};
}

}  // namespace

extern const Experiment mueller14_fig4_modes = {"mueller14_fig4_modes",
                                                "a torus that is soft in some entries of the strain only",
                                                "mueller14, figure 4 e to h", run};

}  // namespace pliant::experiments
