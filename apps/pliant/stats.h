#pragma once
// What `pliant run --stats` writes.

#include <string>
#include <vector>

#include "pliant/scene.h"

namespace pliant::app {

/// JSON text. `step_seconds` has the time of each step, without reading and writing files.
std::string stats_json(const Scene& scene, const std::vector<double>& step_seconds, bool interrupted);

/// "float32" or "float64", whichever the world really uses.
const char* precision_name(const WorldOptions& options);

/// One entry per type: the engine may keep the constraints of a type in several groups, which this adds up.
std::vector<ConstraintCount> counts_by_type(const World& world);

/// A line for each body that is stretched or squeezed so far that nobody can have meant it; none: all are as they
/// should.
std::vector<std::string> out_of_the_ordinary(const World& world);

/// The value below which a fraction of all lies; 0 when there is none.
double quantile(std::vector<double> values, double fraction);

}  // namespace pliant::app
