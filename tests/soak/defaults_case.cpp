#include "defaults_case.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace pliant::soak {

namespace {

/// A generator of src/scene/tables_body.cpp with its settings, and about how many vertices it makes.
struct DrawnShape {
  std::string json;
  double vertices = 0;
};

/// To four digits: scenes that a person can read.
double short_number(double x) { return std::stod(fmt::format("{:.4g}", x)); }

int at_least(int low, double value) { return std::max(low, static_cast<int>(std::lround(value))); }

DrawnShape cloth_shape(Random& random, double size, int cells) {
  const double aspect = random.log_between(0.05, 1), stretch = random.log_between(0.5, 2);
  const double pick = random.part();
  if (pick < 0.5) {
    const int across = at_least(1, cells * aspect);
    const bool along_x = random.chance(0.5);
    const double width = size / cells * across * stretch;
    return {
        along_x
            ? fmt::format(R"({{"grid": {{"size": [{:.4g}, {:.4g}], "cells": [{}, {}]}}}})", size, width, cells, across)
            : fmt::format(R"({{"grid": {{"size": [{:.4g}, {:.4g}], "cells": [{}, {}]}}}})", width, size, across, cells),
        (cells + 1.0) * (across + 1.0)};
  }
  if (pick < 0.65) {  // four edges around are a side of the icosahedron
    const int subdivisions = std::clamp(static_cast<int>(std::lround(std::log2(cells / 2.0))), 1, 8);
    return {fmt::format(R"({{"sphere": {{"radius": {:.4g}, "subdivisions": {}}}}})", size / 2, subdivisions),
            10 * std::pow(4.0, subdivisions)};
  }
  if (pick < 0.75) {
    const double tube = random.between(0.1, 0.45) * size / 2;
    const int around = at_least(3, cells * tube / (size / 2 - tube) * stretch);
    return {
        fmt::format(R"({{"torus": {{"radius": {:.4g}, "tube_radius": {:.4g}, "segments": {}, "tube_segments": {}}}}})",
                    size / 2 - tube, tube, cells, around),
        double(cells) * around};
  }
  if (pick < 0.9) {
    const double radius = aspect * size / 2;
    const int segments = at_least(3, 6.28 * radius / size * cells * stretch);
    return {fmt::format(R"({{"cylinder": {{"radius": {:.4g}, "height": {:.4g}, "segments": {}, "rings": {}}}}})",
                        radius, size, segments, cells),
            double(cells) * segments};
  }
  const int b = at_least(1, cells * aspect), c = at_least(1, cells * random.log_between(0.05, 1));
  const double h = size / cells;
  return {fmt::format(R"({{"box": {{"size": [{:.4g}, {:.4g}, {:.4g}], "cells": [{}, {}, {}]}}}})", size, h * b, h * c,
                      cells, b, c),
          2.0 * (double(cells) * b + double(b) * c + double(c) * cells)};
}

DrawnShape solid_shape(Random& random, double size, int cells) {
  const double pick = random.part(), stretch = random.log_between(0.5, 2);
  if (pick < 0.6) {
    int n[3] = {cells, at_least(1, cells * random.log_between(0.002, 1)),
                at_least(1, cells * random.log_between(0.002, 1))};
    double s[3] = {size, size / cells * n[1] * stretch, size / cells * n[2]};
    const int along = random.whole(0, 2);
    std::swap(n[0], n[along]);
    std::swap(s[0], s[along]);
    return {fmt::format(R"({{"box": {{"size": [{:.4g}, {:.4g}, {:.4g}], "cells": [{}, {}, {}], "split": "{}"}}}})",
                        s[0], s[1], s[2], n[0], n[1], n[2], random.chance(0.5) ? "five" : "six"),
            (n[0] + 1.0) * (n[1] + 1.0) * (n[2] + 1.0)};
  }
  if (pick < 0.75) {
    return {fmt::format(R"({{"sphere": {{"radius": {:.4g}, "cells": {}}}}})", size / 2, cells),
            std::pow(cells + 1.0, 3)};
  }
  if (pick < 0.9) {
    const int across = at_least(2, cells * random.log_between(0.01, 1));
    return {fmt::format(R"({{"cylinder": {{"radius": {:.4g}, "height": {:.4g}, "cells": {}, "rings": {}}}}})",
                        size / cells * across / 2, size, across, cells),
            (cells + 1.0) * (across + 1.0) * (across + 1.0)};
  }
  const double tube = random.between(0.1, 0.45) * size / 2, radius = size / 2 - tube;
  const int tube_cells = at_least(1, 2 * tube / (6.28 * radius) * cells);
  return {fmt::format(R"({{"torus": {{"radius": {:.4g}, "tube_radius": {:.4g}, "segments": {}, "tube_cells": {}}}}})",
                      radius, tube, cells, tube_cells),
          double(cells) * (tube_cells + 1.0) * (tube_cells + 1.0)};
}

DrawnShape hair_shape(Random& random, double size, int segments) {
  const int strands = random.log_whole(1, 30);
  const double curl = random.chance(0.5) ? size * random.between(0, 0.05) : 0;
  const double turns = curl > 0 ? std::min(20.0, 0.5 * size / (6.3 * curl)) : 0;
  return {
      fmt::format(
          R"({{"hair": {{"grid": {{"size": [{0:.4g}, {0:.4g}], "cells": [{1}, {1}]}}, "length": {2:.4g}, "segments": {3}, )"
          R"("curl_radius": {4:.4g}, "curl_turns": {5:.4g}}}}})",
          size * random.between(0.1, 1), strands, size, segments, curl, turns),
      (strands + 1.0) * (strands + 1.0) * (segments + 1.0)};
}

DefaultsCase draw(Random& random, const char* kind) {
  DefaultsCase c;
  c.kind = kind;
  c.size = short_number(random.log_between(1e-3, 100));
  c.cells = random.log_whole(10, 1000);
  DrawnShape shape;
  double density = 0;  // the kind's own
  if (c.kind == "cloth") {
    shape = cloth_shape(random, c.size, c.cells);
    density = 0.2;
  } else if (c.kind == "solid") {
    shape = solid_shape(random, c.size, c.cells);
    density = 1000;
  } else if (c.kind == "rope") {
    shape = {fmt::format(R"({{"rope": {{"from": [{:.4g}, 0, 0], "to": [{:.4g}, 0, 0], "segments": {}}}}})", -c.size / 2,
                         c.size / 2, c.cells),
             c.cells + 1.0};
    density = 0.1;
  } else {
    shape = hair_shape(random, c.size, c.cells);
    density = 1e-5;
  }
  c.vertices = static_cast<int64_t>(shape.vertices);
  c.shape = shape.json;
  density *= random.log_between(1e-2, 1e2);
  c.substeps = random.log_whole(1, 60);
  c.fps = random.whole(24, 120);
  constexpr DefaultsCase::Pins kPins[] = {DefaultsCase::Pins::free, DefaultsCase::Pins::corners,
                                          DefaultsCase::Pins::edges, DefaultsCase::Pins::points};
  c.pins = c.kind == "hair" ? DefaultsCase::Pins::free : random.pick(kPins);  // hair is held by its roots
  c.points = random.whole(1, 4);
  constexpr DefaultsCase::Motion kMotions[] = {DefaultsCase::Motion::falling, DefaultsCase::Motion::thrown,
                                               DefaultsCase::Motion::spun};
  c.motion = random.pick(kMotions);
  // About what it gains while it falls its own size, a tenth to ten times.
  c.speed = c.motion == DefaultsCase::Motion::falling ? 0 : std::sqrt(9.81 * c.size) * random.log_between(0.1, 10);
  c.direction = random.direction();
  c.ground = random.chance(0.5);
  c.gap = random.between(0, 1);
  c.seed = static_cast<uint64_t>(random.whole(0, 1 << 30));
  const Vec3d turns = random.chance(0.5)
                          ? Vec3d{}
                          : Vec3d{random.between(-180, 180), random.between(-90, 90), random.between(-180, 180)};
  std::string velocity;
  if (c.motion == DefaultsCase::Motion::thrown) {
    const Vec3d v = c.direction * c.speed;
    velocity = fmt::format(R"(, "velocity": [{:.4g}, {:.4g}, {:.4g}])", v.x, v.y, v.z);
  }
  c.scene = fmt::format(
      "{{\n  \"frames\": 300,\n  \"solver\": {{\"fps\": {}, \"substeps\": {}}},\n  \"bodies\": [{{\n    \"name\": "
      "\"{}\", \"kind\": \"{}\", \"density\": {:.4g},\n    \"shape\": {},\n    \"place\": {{\"rotation\": [{}, {}, "
      "{}]}}{}\n"
      "  }}]",
      c.fps, c.substeps, DefaultsCase::kBody, c.kind, density, c.shape, turns.x, turns.y, turns.z, velocity);
  return c;
}

}  // namespace

DefaultsCase random_case(Random& random, double work) {
  const double pick = random.part();
  const char* kind = pick < 0.45 ? "cloth" : pick < 0.75 ? "solid" : pick < 0.9 ? "rope" : "hair";
  for (;;) {
    DefaultsCase c = draw(random, kind);
    // A vertex of a solid has four times the constraints.
    if (static_cast<double>(c.vertices) * c.substeps * (c.kind == "solid" ? 4 : 1) <= work) return c;
  }
}

std::string DefaultsCase::line() const {
  static constexpr const char* kPinNames[] = {"free", "corners", "edge", "points"};
  static constexpr const char* kMotionNames[] = {"falling", "thrown", "spun"};
  std::string plain;  // the shape without JSON's marks
  for (const char ch : shape) {
    if (ch != '"' && ch != '{' && ch != '}') plain += ch;
  }
  return fmt::format("{} {}, {} substeps, {} fps, {}, {}{}{}", kind, plain, substeps, fps,
                     kind == "hair" ? "roots held" : kPinNames[static_cast<int>(pins)],
                     kMotionNames[static_cast<int>(motion)], speed > 0 ? fmt::format(" at {:.3g} m/s", speed) : "",
                     ground ? ", ground" : "");
}

}  // namespace pliant::soak
