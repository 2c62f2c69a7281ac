#pragma once
// Fits for settings that scenes commonly have: what docs/experiments/real17_fits.json is made from.

#include <string>
#include <vector>

#include "fit/sweep.h"

namespace pliant::fit {

/// The unit cube with masses by volume in a scene: steps of 1/60 and 1/120 s, 2 and 4 cells, 1 to 20 iterations,
/// E = 1e3 to 1e5 Pa at 1 kg/m^3, nu = 0, 0.3 and 0.45. 144 of them.
std::vector<Point> common_points(const std::string& scene);

/// As JSON that explains itself, one fit per line.
std::string common_fits_json(const std::vector<Point>& points, const std::vector<Result>& results);

}  // namespace pliant::fit
