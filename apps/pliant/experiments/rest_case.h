#pragma once
// A static problem whose answer is known from programs of others (tests/reference), run in the engine until it rests.
//
// Displacements of a static problem stay the same when Young's modulus, density, gravity and forces change but
// density * gravity * length / young and force / (young * length^2) do not. So each recorded answer serves for any
// density and any young / density; the latter is what decides how hard the motion is to follow.

#include <map>
#include <string>
#include <vector>

#include "pliant/world.h"
#include "reference/cases.h"

namespace pliant::experiments {

/// What other programs found for a case, at some of its vertices.
struct Answer {
  std::vector<int> vertices;
  std::vector<Vec3d> displacements;  // [m]
};

/// Case name -> GetFEM's answer, from a folder with the files of tests/reference. Throws Error if a file is missing
/// or a case of reference::cases() has no answer, or one of another problem.
std::map<std::string, Answer> recorded_answers(const std::string& folder);
/// Whether the folder has these files.
bool has_recorded_answers(const std::string& folder);
/// The same vertices by our own Newton statics.
Answer own_answer(const reference::Case& c);

struct RestSettings {
  double density = 1;             // [kg/m^3]
  double young_over_density = 0;  // [m^2/s^2]
  Vec3d travel{};                 // [m] moved by this on the way, body and pins together
  int substeps = 20;              // per 1/60 s
  Precision precision = Precision::float32;
  double settling = 1;  // times the usual time to come to rest
};

struct RestOutcome {
  double mean_square = 0;  // mean over moving vertices of the squared relative error of the displacement; real17 3.2
  double worst = 0;        // largest relative error of a vertex
  double speed = 0;        // largest of a vertex at the end, over the largest displacement [1/s]
  double simulated = 0;    // [s]
  bool warned = false;     // the engine says that its substeps do not resolve the material; then it was not run
  bool finite = true;      // no particle had to be held
};

/// Loads grow, the body travels and settles, with the default form of the material.
RestOutcome run_to_rest(const reference::Case& c, const Answer& answer, const RestSettings& settings);

/// About proportional to the time that run_to_rest takes.
double work(const reference::Case& c, const RestSettings& settings);

}  // namespace pliant::experiments
