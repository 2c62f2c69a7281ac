#include "forms_case.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "constraints/registry.h"
#include "solver/elastic.h"
#include "solver/fabric.h"

namespace pliant::soak {

namespace {

bool on(const Form& form, Stencil stencil) {
  return std::any_of(form.types.begin(), form.types.end(), [&](const std::string& t) {
    const TypeInfo* type = find_type(t);
    return type && type->stencil == stencil;
  });
}
bool has(const Form& form, const char* type) {
  return std::find(form.types.begin(), form.types.end(), type) != form.types.end();
}
bool attached(const Form& form) { return on(form, Stencil::pairs) && !has(form, "tet_fiber"); }

/// What a compliance must be for a constraint to be as soft as the inertia of its corners in one substep, from its
/// unit: mass m [kg] of a corner, cell h [m], substep dt [s].
double compliance_scale(const std::string& unit, double m, double h, double dt) {
  const double a = dt * dt / m;
  if (unit == "m/N") return a;
  if (unit == "rad^2/J" || unit == "1/(N m)" || unit == "1/J") return a / (h * h);
  if (unit == "m^4/J") return a * h * h;
  if (unit == "m^6/J") return a * h * h * h * h;
  throw std::runtime_error("tests/soak/forms_case.cpp: no scale for compliances in " + unit + "; add it");
}

struct Drawn {
  double cell = 0.01, dt = 0, density = 0, strength = 0;
  bool rigid = false;
  double stiffness = 1;
};

}  // namespace

std::string Form::name() const {
  return fmt::format("{}{}, {}", fmt::join(types, " + "), keeps ? " kept" : "", method == Method::pbd ? "pbd" : "xpbd");
}

std::vector<Form> all_forms() {
  std::vector<Form> out;
  const auto methods_of = [](const std::string& name) {
    std::vector<Method> methods;
    const TypeInfo* type = find_type(name);
    if (!type || type->f32.project[0][0][0]) methods.push_back(Method::pbd);
    if (!type || type->f32.project[0][1][0]) methods.push_back(Method::xpbd);
    return methods;
  };
  for (const ConstraintType& type : constraint_types()) {
    for (const Method m : methods_of(type.name)) out.push_back({{type.name}, m});
    const TypeInfo* info = find_type(type.name);
    // Materials keep them by themselves where they may.
    if (info && !info->material && info->f32.project[0][1][0]) out.push_back({{type.name}, Method::xpbd, true});
  }
  const std::vector<std::vector<std::string>> pairs = {{"distance", "bend"},
                                                       {"distance", "isometric_bend"},
                                                       {"distance", "isometric_bend_curved"},
                                                       {"distance", "triangle_bend"},
                                                       {"distance", "triangle_area"},
                                                       {"distance", "bend", "triangle_area"},
                                                       {"distance", "tet_volume"},
                                                       {"distance", "edge_limit"},
                                                       {"distance", "triangle_limit"},
                                                       {"distance", "balloon"},
                                                       {"distance", "bend", "balloon"},
                                                       {"distance", "attach_point"},
                                                       {"distance", "attach_triangle"},
                                                       {"distance", "attach_tet"},
                                                       {"tri_strain", "bend"},
                                                       {"tet_strain", "tet_volume"},
                                                       {"triangle_limit", "bend"},
                                                       {"triangle_limit", "isometric_bend"}};
  for (const auto& types : pairs) {
    for (const Method m : {Method::pbd, Method::xpbd}) out.push_back({types, m});
  }
  for (const char* bending : {"bend", "isometric_bend", "triangle_bend"}) {
    out.push_back({{"tri_stvk", bending}, Method::xpbd});
  }
  return out;
}

FormCase random_form(const Form& form, Random& random, double work, int most_cells) {
  const bool flat = attached(form);  // lies in what it is attached to
  const bool solid = on(form, Stencil::tets) || has(form, "tet_fiber"),
             sheet = on(form, Stencil::hinges) || on(form, Stencil::triangles);
  const bool closed = has(form, "balloon");
  const bool line = !solid && !sheet && !closed && random.chance(0.3);
  // Few cells, or few substeps: 300 steps must fit.
  int cells, across, deep = 1, substeps;
  double vertices;
  do {
    cells = random.log_whole(5, most_cells);
    across = line ? 0 : std::max(1, static_cast<int>(cells * random.log_between(0.1, 1)));
    deep = solid ? std::max(1, static_cast<int>(cells * random.log_between(0.05, 0.5))) : 1;
    substeps = random.log_whole(1, 60);
    vertices = (cells + 1.0) * (across + 1.0) * (solid ? deep + 1.0 : 1);
  } while (vertices * substeps * 300 > work);

  Drawn d;
  d.cell = random.log_between(1e-3, 1);
  const double step = 1.0 / 60;
  d.dt = step / substeps;
  d.density = (solid ? 1000 : line ? 0.1 : 0.2) * random.log_between(0.1, 10);
  d.rigid = random.chance(0.25);
  d.strength = random.log_between(1e-4, 1e4);  // compliance, in units of inertia over a substep
  d.stiffness = random.chance(0.5) ? 1 : random.part();
  const double mass = d.density * (solid ? d.cell * d.cell * d.cell : line ? d.cell : d.cell * d.cell);
  // A free body in free fall is one at rest, but for rounding.
  const bool held = random.chance(0.5), gravity = held && random.chance(0.5);
  const double wrinkle = random.chance(0.35) ? 0 : random.log_between(1e-2, 0.5) * d.cell;
  const double kick = random.chance(0.35) ? 0 : random.log_between(1e-3, 1) * d.cell / d.dt;
  const int iterations = random.chance(0.75) ? 1 : random.whole(2, 5);

  FormCase c{World({.step = step,
                    .substeps = substeps,
                    .iterations = iterations,
                    .method = form.method,
                    .gravity = gravity ? Vec3d{0, -9.81, 0} : Vec3d{},
                    .threads = 1}),
             {},
             false,
             0,
             0,
             0,
             {}};
  Constraints constraints;
  std::string strengths;
  bool any_rigid = attached(form) && d.rigid;
  for (const std::string& name : form.types) {
    const TypeInfo* type = find_type(name);
    if (type && (type->material || type->stencil == Stencil::pairs || name == "tri_strain" || name == "tet_strain" ||
                 name == "tet_fiber")) {
      continue;
    }
    ConstraintSettings s;
    const double one = compliance_scale(type ? type->compliance_unit : "m^6/J", mass, d.cell, d.dt);
    // Each of a pair by itself: soft with rigid is what blows up.
    const bool rigid = random.chance(0.25) && name != "triangle_bend";
    any_rigid = any_rigid || rigid;
    s.compliance = rigid ? 0 : one * random.log_between(1e-4, 1e4);
    s.stiffness = random.chance(0.5) ? 1 : random.part();
    s.keep_multipliers = form.keeps;
    strengths += form.method == Method::pbd
                     ? fmt::format(", {} k {:.3g}", name, s.stiffness)
                     : fmt::format(", {} compliance {:.3g} ({:.2g})", name, s.compliance, s.compliance / one);
    constraints[name] = s;
  }
  // A modulus [Pa], or [N/m] of a sheet, as stiff as inertia over a substep, over `strength`.
  const double modulus = d.density * d.cell * d.cell / (d.dt * d.dt) / d.strength;
  const double h = d.cell;
  if (solid) {
    const CellSplit split = random.chance(0.5) ? CellSplit::five : CellSplit::six;
    Solid s{.mesh = box_tets({h * cells, h * across, h * deep}, {cells, across, deep}, split),
            .density = d.density,
            .constraints = constraints};
    for (const std::string& name : form.types) {
      const TypeInfo* type = find_type(name);
      if (!type) continue;
      if (name == "tet_strain") {
        const StrainStrength strength{d.stiffness, modulus};
        s.constraints[name].keep_multipliers = form.keeps;
        s.strain = SolidStrain{.stretch = {strength, strength, strength}, .shear = {strength, strength, strength}};
      } else if (type->material || name == "tet_fiber") {
        const double poisson = random.between(0, 0.45);
        s.material = name == "tet_fiber" ? Material{} : material_of_type(name);
        if (name == "tet_fiber") s.material->fibers.push_back({.stiffness = modulus});
        s.material->young = modulus;
        s.material->poisson = poisson;
        s.material->density = d.density;
        s.material->orthotropic = {modulus, modulus / 3, modulus / 2, 0.2,        0.2,
                                   0.2,     modulus / 3, modulus / 4, modulus / 5};
        strengths += fmt::format(", E {:.3g}, poisson {:.3g}", modulus, poisson);
        if (type->f32.project[0][0][0]) s.constraints[name].stiffness = d.stiffness;
      }
    }
    c.body = c.world.add(s);
  } else if (line) {
    c.body = c.world.add(Rope{.mesh = rope({-h * cells / 2, 0, 0}, {h * cells / 2, 0, 0}, cells),
                              .density = d.density,
                              .constraints = constraints});
  } else {
    const bool curved =
        closed || (!flat && !has(form, "isometric_bend") && !has(form, "triangle_bend") && random.chance(0.3));
    Cloth s{.density = d.density, .constraints = constraints};
    if (!curved) {
      s.mesh = grid({h * cells, h * across}, {cells, across});
    } else if (random.chance(0.5)) {
      s.mesh = sphere(h * cells / 4, std::clamp(static_cast<int>(std::lround(std::log2(cells / 3.0))), 1, 6));
    } else {
      s.mesh = cylinder(h * across / 6.28, h * cells, std::max(3, across), cells);
    }
    for (const std::string& name : form.types) {
      const TypeInfo* type = find_type(name);
      if (!type) continue;
      if (name == "tri_strain") {
        const StrainStrength strength{d.stiffness, modulus};
        s.constraints[name].keep_multipliers = form.keeps;
        s.strain = ClothStrain{.weft = strength, .warp = strength, .shear = strength};
      } else if (type->material) {
        s.material = cloth_of_type(name);
        if (!s.material) throw std::runtime_error("tests/soak/forms_case.cpp: no cloth has " + name);
        s.material->young = modulus / s.material->thickness;
        s.material->bending = 0;
        strengths += fmt::format(", {:.3g} N/m", modulus);
        if (type->f32.project[0][0][0]) s.constraints[name].stiffness = d.stiffness;
      }
    }
    c.body = c.world.add(s);
  }
  const std::vector<Vec3d> rest = c.world.rest_positions(c.body);
  const int count = static_cast<int>(rest.size());
  if (attached(form)) {
    // Every seventh vertex: to its own place, or to another body nearby that moves.
    const double one = compliance_scale("m/N", mass, h, d.dt);
    const ConstraintSettings s{
        .compliance = d.rigid ? 0 : one * d.strength, .stiffness = d.stiffness, .keep_multipliers = form.keeps};
    strengths += form.method == Method::pbd ? fmt::format(", attached k {:.3g}", s.stiffness)
                                            : fmt::format(", attached compliance {:.3g}", s.compliance);
    if (has(form, "attach_point")) {
      for (int v = 0; v < count; v += 7) c.world.attach(c.body, v, rest[v], s);
    } else if (has(form, "attach_triangle")) {
      const BodyId other =
          c.world.add(Cloth{.mesh = grid({h * cells, h * std::max(1, across)}, {cells, std::max(1, across)}),
                            .density = d.density,
                            .constraints = {{"distance", {}}}});
      for (int v = 0; v < count; v += 7) c.world.attach_nearest(c.body, v, other, s);
    } else {
      const BodyId other =
          c.world.add(Solid{.mesh = box_tets({h * cells, h, h * std::max(1, across)}, {cells, 1, std::max(1, across)}),
                            .density = d.density / h,
                            .constraints = {{"distance", {}}}});
      for (int v = 0; v < count; v += 7) c.world.attach_nearest(c.body, v, other, s);
    }
  }
  if (held) {
    std::vector<int> pins;
    if (random.chance(0.5)) {
      pins = {0, std::min(count - 1, cells)};
    } else {
      for (int v = 0; v < count; ++v) {
        if (rest[v].x <= rest[0].x + 1e-9) pins.push_back(v);
      }
    }
    if (static_cast<int>(pins.size()) < count) c.world.pin(c.body, pins);
  }
  c.loose = !held && !attached(form);
  c.size = h * cells;
  c.world.build();

  // Wrinkles: each vertex off by up to `wrinkle`; what that can give is a kick of as much per substep.
  const std::vector<double> masses = c.world.masses(c.body);
  std::vector<Vec3d> x = rest, v(rest.size());
  double wrinkles = 0;
  for (int i = 0; i < count; ++i) {
    const Vec3d off = Vec3d{random.between(-1, 1), random.between(-1, 1), random.between(-1, 1)} * wrinkle;
    x[i] += off;
    wrinkles += 0.5 * masses[i] * dot(off, off) / (d.dt * d.dt);
    v[i] = random.direction() * (kick * random.part());
  }
  if (wrinkle > 0) c.world.set_positions(c.body, x);
  if (kick > 0) c.world.set_velocities(c.body, v);
  // No projection moves a corner farther than the wrinkles are high, and soft constraints hold less than that.
  double stored = 0;
  // Where a gradient vanishes with its constraint rounding moves corners by up to half a percent of a cell.
  for (const std::string& name : form.types) {
    if (name.find("_energy_") == std::string::npos && name.find("_density_") == std::string::npos) continue;
    for (const double m : masses) stored += 0.5 * m * (5e-3 * h / d.dt) * (5e-3 * h / d.dt);
  }
  const bool strains = has(form, "tri_strain") || has(form, "tet_strain");  // measures know their energy in part
  c.stored = stored + (any_rigid || strains || form.method == Method::pbd
                           ? wrinkles
                           : std::min(wrinkles, c.world.measures().elastic_energy));
  c.steps = static_cast<int>(std::clamp(work / (vertices * substeps), 300.0, 5000.0));
  c.line = fmt::format(
      "{}{} cells of {:.3g} m, {} substeps of {} iterations{}{}, wrinkles {:.2g}, kick {:.2g} cells{}, {} steps",
      solid  ? fmt::format("{} x {} x ", across, deep)
      : line ? ""
             : fmt::format("{} x ", across),
      cells, h, substeps, iterations, gravity ? ", gravity" : "", held ? ", held" : "", wrinkle / h, kick * d.dt / h,
      strengths, c.steps);
  return c;
}

}  // namespace pliant::soak
