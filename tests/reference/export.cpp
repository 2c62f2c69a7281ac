// Writes the validation cases for other programs, one JSON object per line: see script/validate.
//
//   pliant_reference_export FILE

#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>

#include "reference/cases.h"

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

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::cerr << "usage: pliant_reference_export FILE\n";
    return 2;
  }
  std::ofstream out(argv[1]);
  for (const auto& c : pliant::reference::cases()) out << describe(c).dump() << '\n';
  out.close();
  if (!out) {
    std::cerr << argv[1] << ": cannot be written\n";
    return 1;
  }
}
