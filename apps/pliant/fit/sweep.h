#pragma once
// Many fits as one job: on all cores, over several processes, and going on where it was stopped.

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "fit/search.h"

namespace pliant::fit {

/// One fit: what is given, and what it is compared with.
struct Point {
  std::string scene = "floor";  // see load_kinds()
  Method method = Method::pbd;
  Reference reference = Reference::linear;
  Optimizer optimizer = Optimizer::pattern;
  double young = 1e3;    // [Pa]
  double poisson = 0.3;  // [-]
  Stepping stepping{};
  CubeOptions cube{};

  /// All of it as one line; equal for equal points.
  std::string key() const;
};

struct Result {
  Stiffness stiffness{};   // of what is fitted
  double error = 0;        // real17's e; of a compound the norm of those of its scenes
  double sweep_error = 0;  // before the search
  int evaluations = 0;
  std::vector<double> parts{};  // e of each scene of a compound
};

const char* name_of(Method method);
const char* name_of(Reference reference);
const char* name_of(Optimizer optimizer);

/// One fit by itself.
Result fit(const Point& point);
/// Several on so many threads. Those of equal bodies share what they simulate; the result is that of each by itself.
std::vector<Result> fit_all(const std::vector<Point>& points, int threads);

/// The thesis's parameter sets for a scene: the base case, and dt, N, n_it and E varied one at a time, each for
/// Poisson's ratios 0, 0.01 ... 0.49. The base case is there once.
std::vector<Point> thesis_points(const std::string& scene);

struct SweepOptions {
  std::string folder;  // where finished points are written down, one line each
  int threads = 1;
  /// Called after each point with the number of finished ones, from one thread at a time.
  std::function<void(std::size_t)> progress{};
  std::function<bool()> stop{};  // asked between points
};

/// The results of all points, in their order; nothing if it was stopped. Finished points are kept in
/// FOLDER/points*.jsonl as they come, and are not done again. Under mpirun or srun every process does its share, and
/// the first one waits for the others and has the result; the others return nothing.
std::optional<std::vector<Result>> sweep(const std::vector<Point>& points, const SweepOptions& options);

/// Which one of how many processes this is, as mpirun or srun tell it.
struct Share {
  int rank = 0, size = 1;
};
Share share_of_this_process();

}  // namespace pliant::fit
