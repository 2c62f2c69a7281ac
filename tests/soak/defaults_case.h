#pragma once
// A random body with default settings, as a scene that a newcomer could have typed.

#include <string>
#include <vector>

#include "random.h"

namespace pliant::soak {

struct DefaultsCase {
  static constexpr const char* kBody = "soaked";  // its name
  std::string kind;                               // cloth, solid, rope, hair
  std::string shape;                              // one line
  int64_t vertices = 0;                           // about
  double size = 1;                                // [m] of its longest side
  int cells = 10;                                 // along it
  int substeps = 10, fps = 60;
  enum class Pins { free, corners, edges, points } pins{};
  int points = 0;  // that are held by corners and points
  enum class Motion { falling, thrown, spun } motion{};
  double speed = 0;   // [m/s] of what is thrown, or of the outermost parts of what is spun
  Vec3d direction{};  // of the throw, or axis of the spin
  bool ground = false;
  double gap = 0;     // of the ground below the body, in sizes
  uint64_t seed = 0;  // of which points are held
  std::string scene;  // JSON, without its last brace: pins and ground depend on where the vertices are

  std::string line() const;
};

/// Draws until the work of a step (vertices times substeps) is at most `work`.
DefaultsCase random_case(Random& random, double work);

}  // namespace pliant::soak
