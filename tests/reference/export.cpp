// Writes the validation cases for other programs, one JSON object per line: see script/validate.
//
//   pliant_reference_export SOLIDS MEMBRANES

#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>

#include "reference/cases.h"
#include "reference/membranes.h"

namespace {

nlohmann::json numbers(const pliant::Vec3d& v) { return {v.x, v.y, v.z}; }

nlohmann::json describe(const pliant::reference::Case& c) {
  const pliant::fem::Problem& p = c.problem;
  nlohmann::json j;
  j["name"] = c.name;
  j["family"] = c.family;
  j["fingerprint"] = fingerprint(c);
  j["model"] = pliant::reference::model_name(p.material.model);
  j["young"] = p.material.young;
  j["poisson"] = p.material.poisson;
  j["density"] = p.material.density;
  j["load_steps"] = c.load_steps;
  j["gravity"] = numbers(p.gravity);
  j["sample"] = sample(c);
  for (const pliant::Vec3d& x : p.mesh.positions) j["positions"].push_back(numbers(x));
  j["tets"] = p.mesh.tets;
  j["forces"] = nlohmann::json::array();
  for (std::size_t v = 0; v < p.forces.size(); ++v) {
    const pliant::Vec3d& f = p.forces[v];
    if (length(f) > 0) j["forces"].push_back({v, f.x, f.y, f.z});
  }
  j["prescribed"] = nlohmann::json::array();  // vertex, axis, displacement
  for (const pliant::fem::Support& s : p.supports) {
    const bool held[3] = {s.x, s.y, s.z};
    for (int axis = 0; axis < 3; ++axis) {
      if (held[axis]) j["prescribed"].push_back({s.vertex, axis, s.displacement[axis]});
    }
  }
  return j;
}

nlohmann::json describe(const pliant::reference::MembraneCase& c) {
  const pliant::fem::MembraneProblem& p = c.problem;
  nlohmann::json j;
  j["name"] = c.name;
  j["elasticity"] = membrane_matrix(p.material);
  j["weft"] = numbers(p.material.weft);
  for (const pliant::Vec3d& x : p.mesh.positions) j["positions"].push_back(numbers(x));
  j["triangles"] = p.mesh.triangles;
  j["prescribed"] = nlohmann::json::array();  // vertex, axis, displacement
  for (const pliant::fem::Support& s : p.supports) {
    if (s.x) j["prescribed"].push_back({s.vertex, 0, s.displacement.x});
    if (s.z) j["prescribed"].push_back({s.vertex, 2, s.displacement.z});
  }
  return j;
}

template <class Case>
bool write(const char* path, const std::vector<Case>& all) {
  std::ofstream out(path);
  for (const Case& c : all) out << describe(c).dump() << '\n';
  out.close();
  if (!out) std::cerr << path << ": cannot be written\n";
  return static_cast<bool>(out);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    std::cerr << "usage: pliant_reference_export SOLIDS MEMBRANES\n";
    return 2;
  }
  return write(argv[1], pliant::reference::cases()) && write(argv[2], pliant::reference::membranes()) ? 0 : 1;
}
