#pragma once
// The cases that script/validate gives to finite-element programs of others, and whose answers are kept beside this
// file (*.json). One list for the exporter and for the test, so that both mean the same problem.
//
// family      what                                                        held
// cube        unit cube under its weight                                  bottom face
// cantilever  bar 4 : 1 : 1 under its weight, or with a force at its tip  one end
// uniaxial    unit cube pulled to 1.5 times its length, sides free        two faces along the pull, symmetry planes
// stretch     bar 2 : 1 : 1 pulled to 1.5 times its length                both ends, all coordinates
// shear       unit cube, top moved sideways by half its height            bottom and top
// torsion     bar 4 : 1 : 1, one end turned by 90 degrees                 both ends
// held_cube   the cubes of `pliant fit`, real17's: of 1 kg, under their   floor (y = 0), wall (z = 0), ceiling (y = 1)
//             weight by volume or with equal masses of all vertices
//
// Each for Poisson's ratios 0, 0.3, 0.45 and 0.49, and three laws: linear, St. Venant-Kirchhoff, Neo-Hookean (log);
// held_cube for 0, 0.25 and 0.49, and the linear law alone.

#include <fmt/format.h>

#include <cmath>
#include <cstdint>
#include <numbers>
#include <string>
#include <vector>

#include "fem/problem.h"

namespace pliant::reference {

inline constexpr const char* kFamilies[] = {"cube",  "cantilever", "uniaxial", "stretch",
                                            "shear", "torsion",    "held_cube"};

struct Case {
  std::string name;
  std::string family;    // the file that keeps its answer
  fem::Problem problem;  // material.model says the law; linear means linear statics
  int load_steps = 1;
};

inline const char* model_name(MaterialModel model) {
  return model == MaterialModel::linear ? "linear" : model == MaterialModel::stvk ? "stvk" : "neo_hookean";
}

/// Vertices whose displacements are kept: all of a small mesh, about fifty of a large one.
inline std::vector<int> sample(const Case& c) {
  const int count = static_cast<int>(c.problem.mesh.positions.size());
  const int stride = (count + 49) / 50;
  std::vector<int> vertices;
  for (int v = 0; v < count; v += stride) vertices.push_back(v);
  if (vertices.back() != count - 1) vertices.push_back(count - 1);
  return vertices;
}

/// Changes when anything of the case does: mesh, numbering, loads, supports, constants. Nine digits of each number,
/// so that the last bit of a sine does not count.
inline std::string fingerprint(const Case& c) {
  uint64_t hash = 14695981039346656037ull;  // FNV-1a
  const auto add = [&hash](const std::string& text) {
    for (const char letter : text) hash = (hash ^ static_cast<unsigned char>(letter)) * 1099511628211ull;
  };
  // Adding zero turns -0 into 0.
  const auto vector = [&](const Vec3d& v) {
    add(fmt::format("{:.9g} {:.9g} {:.9g};", v.x + 0.0, v.y + 0.0, v.z + 0.0));
  };
  const fem::Problem& p = c.problem;
  for (const Vec3d& x : p.mesh.positions) vector(x);
  for (const Tet& t : p.mesh.tets) add(fmt::format("{} {} {} {};", t[0], t[1], t[2], t[3]));
  add(fmt::format("{} {:.9g} {:.9g} {:.9g};", model_name(p.material.model), p.material.young, p.material.poisson,
                  p.material.density));
  vector(p.gravity);
  for (const Vec3d& f : p.forces) vector(f);
  for (const fem::Support& s : p.supports) {
    add(fmt::format("{} {:d}{:d}{:d} ", s.vertex, s.x, s.y, s.z));
    vector(s.displacement);
  }
  return fmt::format("{:016x}", hash);
}

namespace detail {

/// Whether a coordinate lies at the low or high end of a box of this extent centred on the origin.
inline bool at_low(double coordinate, double extent) { return coordinate < -0.5 * extent + 1e-9; }
inline bool at_high(double coordinate, double extent) { return coordinate > 0.5 * extent - 1e-9; }

/// Moves `supports` held at their rest positions.
template <class Displacement>
std::vector<fem::Support> moved(const TetMesh& mesh, std::vector<fem::Support> supports, Displacement displacement) {
  for (fem::Support& s : supports) s.displacement = displacement(mesh.positions[static_cast<std::size_t>(s.vertex)]);
  return supports;
}

inline void append(std::vector<fem::Support>& to, const std::vector<fem::Support>& more) {
  to.insert(to.end(), more.begin(), more.end());
}

}  // namespace detail

inline Case cube(int cells, Material material) {
  Case c{fmt::format("cube_n{}_e{:g}", cells, material.young), "cube", {}, 1};
  c.problem.mesh = box_tets({1, 1, 1}, {cells, cells, cells});
  c.problem.material = material;
  c.problem.gravity = {0, -9.81, 0};
  c.problem.supports = fem::hold(c.problem.mesh, [](const Vec3d& x) { return detail::at_low(x.y, 1); });
  return c;
}

/// With a tip force it has no weight.
inline Case cantilever(int cells, bool tip_force, Material material) {
  Case c{
      fmt::format("cantilever_n{}_{}_e{:g}", cells, tip_force ? "tip" : "weight", material.young), "cantilever", {}, 4};
  c.problem.mesh = box_tets({4, 1, 1}, {4 * cells, cells, cells});
  c.problem.material = material;
  c.problem.supports = fem::hold(c.problem.mesh, [](const Vec3d& x) { return detail::at_low(x.x, 4); });
  if (tip_force) {
    // Bends a slender beam by F L^3 / (3 E I) = 256 F / E = 0.64 m, in equal parts on the vertices of the tip.
    const double force = -material.young / 400;
    const auto tip = fem::hold(c.problem.mesh, [](const Vec3d& x) { return detail::at_high(x.x, 4); });
    c.problem.forces.assign(c.problem.mesh.positions.size(), Vec3d{});
    for (const fem::Support& s : tip) {
      c.problem.forces[static_cast<std::size_t>(s.vertex)].y = force / static_cast<double>(tip.size());
    }
  } else {
    c.problem.gravity = {0, -9.81, 0};
  }
  return c;
}

inline Case uniaxial(Material material) {
  Case c{"uniaxial_n2", "uniaxial", {}, 2};
  c.problem.mesh = box_tets({1, 1, 1}, {2, 2, 2});
  c.problem.material = material;
  for (std::size_t v = 0; v < c.problem.mesh.positions.size(); ++v) {
    const Vec3d& x = c.problem.mesh.positions[v];
    const bool low_x = detail::at_low(x.x, 1), high_x = detail::at_high(x.x, 1);
    fem::Support s{.vertex = static_cast<int>(v),
                   .displacement = {high_x ? 0.5 : 0.0, 0, 0},
                   .x = low_x || high_x,
                   .y = detail::at_low(x.y, 1),
                   .z = detail::at_low(x.z, 1)};
    if (s.x || s.y || s.z) c.problem.supports.push_back(s);
  }
  return c;
}

inline Case stretch(int cells, Material material) {
  Case c{fmt::format("stretch_n{}", cells), "stretch", {}, 2};
  c.problem.mesh = box_tets({2, 1, 1}, {2 * cells, cells, cells});
  c.problem.material = material;
  c.problem.supports = fem::hold(c.problem.mesh, [](const Vec3d& x) { return detail::at_low(x.x, 2); });
  detail::append(
      c.problem.supports,
      detail::moved(c.problem.mesh, fem::hold(c.problem.mesh, [](const Vec3d& x) { return detail::at_high(x.x, 2); }),
                    [](const Vec3d&) {
                      return Vec3d{1, 0, 0};
                    }));
  return c;
}

inline Case shear(int cells, Material material) {
  Case c{fmt::format("shear_n{}", cells), "shear", {}, 2};
  c.problem.mesh = box_tets({1, 1, 1}, {cells, cells, cells});
  c.problem.material = material;
  c.problem.supports = fem::hold(c.problem.mesh, [](const Vec3d& x) { return detail::at_low(x.y, 1); });
  detail::append(
      c.problem.supports,
      detail::moved(c.problem.mesh, fem::hold(c.problem.mesh, [](const Vec3d& x) { return detail::at_high(x.y, 1); }),
                    [](const Vec3d&) {
                      return Vec3d{0.5, 0, 0};
                    }));
  return c;
}

inline Case torsion(int cells, Material material) {
  // Load steps move the turned end along straight lines; only its final place matters.
  Case c{fmt::format("torsion_n{}", cells), "torsion", {}, 6};
  c.problem.mesh = box_tets({1, 4, 1}, {cells, 4 * cells, cells});
  c.problem.material = material;
  c.problem.supports = fem::hold(c.problem.mesh, [](const Vec3d& x) { return detail::at_low(x.y, 4); });
  detail::append(
      c.problem.supports,
      detail::moved(c.problem.mesh, fem::hold(c.problem.mesh, [](const Vec3d& x) { return detail::at_high(x.y, 4); }),
                    [](const Vec3d& x) {
                      return Vec3d{x.z - x.x, 0, -x.x - x.z};
                    }));
  return c;
}

/// real17's cube [0, 1]^3. `held` tells the scene: "floor", "wall" or "ceiling".
inline Case held_cube(const std::string& held, int cells, bool equal_masses, Material material) {
  Case c{fmt::format("held_cube_{}{}_n{}", held, equal_masses ? "_equal_masses" : "", cells), "held_cube", {}, 1};
  c.problem.mesh = box_tets({1, 1, 1}, {cells, cells, cells});
  for (Vec3d& x : c.problem.mesh.positions) x += Vec3d{0.5, 0.5, 0.5};
  c.problem.material = material;
  const Vec3d gravity = {0, -9.81, 0};
  if (equal_masses) {
    const std::size_t count = c.problem.mesh.positions.size();
    c.problem.forces.assign(count, gravity * (material.density / static_cast<double>(count)));
  } else {
    c.problem.gravity = gravity;
  }
  c.problem.supports = fem::hold(c.problem.mesh, [&](const Vec3d& x) {
    return held == "floor" ? x.y < 1e-9 : held == "wall" ? x.z < 1e-9 : x.y > 1 - 1e-9;
  });
  return c;
}
inline constexpr double kHeldCubePoissons[] = {0.0, 0.25, 0.49};
inline constexpr double kHeldCubeYoung = 1e3;  // [Pa]

inline std::vector<Case> cases() {
  std::vector<Case> all;
  for (const char* held : {"floor", "wall", "ceiling"}) {
    for (const int cells : {1, 2, 3, 4}) {
      for (const bool equal_masses : {false, true}) {
        for (const double poisson : kHeldCubePoissons) {
          Case c =
              held_cube(held, cells, equal_masses,
                        {.model = MaterialModel::linear, .young = kHeldCubeYoung, .poisson = poisson, .density = 1});
          c.name += fmt::format("_nu{:g}", poisson);
          all.push_back(std::move(c));
        }
      }
    }
  }
  for (const MaterialModel model : {MaterialModel::linear, MaterialModel::stvk, MaterialModel::neo_hookean}) {
    for (const double poisson : {0.0, 0.3, 0.45, 0.49}) {
      const auto add = [&](Case c) {
        c.name += fmt::format("_nu{:g}_{}", poisson, model_name(model));
        all.push_back(std::move(c));
      };
      const auto material = [&](double young) {
        return Material{.model = model, .young = young, .poisson = poisson, .density = 1};
      };
      for (const int cells : {2, 4, 8}) {
        for (const double young : {1e3, 1e4, 1e5}) add(cube(cells, material(young)));
      }
      for (const int cells : {2, 4}) {
        for (const double young : {4e3, 4e4}) add(cantilever(cells, false, material(young)));
        add(cantilever(cells, true, material(1e4)));
        add(torsion(cells, material(1e4)));
      }
      add(uniaxial(material(1e4)));
      add(stretch(3, material(1e4)));
      add(shear(4, material(1e4)));
    }
  }
  return all;
}

}  // namespace pliant::reference
