#include "fit/common_fits.h"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

namespace pliant::fit {

namespace {

/// Five digits: the search goes no finer.
double rounded(double value) { return std::isfinite(value) ? std::stod(fmt::format("{:.5g}", value)) : value; }

}  // namespace

std::vector<Point> common_points(const std::string& scene) {
  std::vector<Point> points;
  for (const double rate : {60.0, 120.0}) {
    for (const int cells : {2, 4}) {
      for (const int iterations : {1, 5, 10, 20}) {
        for (const double young : {1e3, 1e4, 1e5}) {
          for (const double poisson : {0.0, 0.3, 0.45}) {
            points.push_back({.scene = scene,
                              .young = young,
                              .poisson = poisson,
                              .stepping = {.dt = 1 / rate, .iterations = iterations},
                              .cube = {.cells = cells}});
          }
        }
      }
    }
  }
  return points;
}

std::string common_fits_json(const std::vector<Point>& points, const std::vector<Result>& results) {
  nlohmann::ordered_json head;
  head["about"] =
      "Stiffness of distance (k_d) and tet_volume (k_v) constraints, method pbd, that comes nearest to linear finite "
      "elements: a cube of 1 m and 1 kg/m^3 in cells^3 cells of five tets, held at one face, under gravity. A body of "
      "the same size with the same young / density has the same fit. Written by pliant fit --table.";
  head["fields"] = {{"steps_per_second", "1 / step [1/s], one substep"},
                    {"cells", "of the cube, along an edge"},
                    {"iterations", "of the solver, per step"},
                    {"young", "[Pa] at a density of 1 kg/m^3"},
                    {"poisson", "Poisson's ratio"},
                    {"k_d", "stiffness of distance, 0 to 1"},
                    {"k_v", "stiffness of tet_volume, 0 to 1"},
                    {"error", "mean squared relative error of the displacements, real17's e; 1 is 100 %"}};
  head["scene"] = points.empty() ? "" : points[0].scene;
  std::string text = head.dump(2);
  text.resize(text.size() - 2);  // the closing brace and its line
  text += ",\n  \"fits\": [\n";
  for (std::size_t i = 0; i < points.size(); ++i) {
    const Point& p = points[i];
    const nlohmann::ordered_json line = {{"steps_per_second", std::round(1 / p.stepping.dt)},
                                         {"cells", p.cube.cells},
                                         {"iterations", p.stepping.iterations},
                                         {"young", p.young},
                                         {"poisson", p.poisson},
                                         {"k_d", rounded(results[i].stiffness.distance)},
                                         {"k_v", rounded(results[i].stiffness.volume)},
                                         {"error", rounded(results[i].error)}};
    text += "    " + line.dump() + (i + 1 < points.size() ? ",\n" : "\n");
  }
  return text + "  ]\n}\n";
}

}  // namespace pliant::fit
