#include "solver/world_checks.h"

#include <cmath>

namespace pliant {

namespace {

std::string number(double value) {
  std::string text = std::to_string(value);
  if (text.find('.') != std::string::npos) {
    text.erase(text.find_last_not_of('0') + 1);
    if (text.back() == '.') text.pop_back();
  }
  return text;
}

}  // namespace

void check_range(const std::string& where, double value, bool good, const std::string& remedy) {
  if (!std::isfinite(value)) throw Error(where, "it is not a finite number", remedy);
  if (!good) throw Error(where, number(value) + " is out of range", remedy);
}

void check_finite(const std::string& where, const Vec3d& v) {
  if (!std::isfinite(v.x) || !std::isfinite(v.y) || !std::isfinite(v.z)) {
    throw Error(where, "a component is not a finite number", "give three finite numbers");
  }
}

void check_options(const WorldOptions& o) {
  check_range("step", o.step, o.step > 0, "give a time step above 0 [s], such as 1/60");
  check_range("substeps", o.substeps, o.substeps >= 1 && o.substeps <= 100000, "use 1 to 100000 substeps");
  check_range("iterations", o.iterations, o.iterations >= 1 && o.iterations <= 100000, "use 1 to 100000 iterations");
  check_finite("gravity", o.gravity);
  check_range("point_damping", o.point_damping, o.point_damping >= 0, "give a rate of 0 or more [1/s]");
  check_range("global_damping", o.global_damping, o.global_damping >= 0, "give a rate of 0 or more [1/s]");
  check_range("threads", o.threads, o.threads >= 0 && o.threads <= 1024, "use 0 (all cores) to 1024 threads");
  if (o.contact) {
    check_range("contact.friction", o.contact->friction, o.contact->friction >= 0, "give a coefficient of 0 or more");
    if (const auto& t = o.contact->thickness) {
      check_range("contact.thickness", *t, *t > 0, "give a thickness above 0 [m], or none");
    }
  }
  if (o.wind) check_wind("wind", *o.wind);
  const int w = o.simd_width;
  check_range("simd_width", w, w == 0 || w == 1 || w == 4 || w == 8 || w == 16,
              "use 0 (the build's own), 1, 4, 8 or 16");
}

void check_settings(const std::string& where, const ConstraintSettings& s) {
  const std::string at_least_zero = "give 0 (rigid) or more";
  const std::string zero_to_one = "give a number from 0 (no effect) to 1 (rigid)";
  const std::string below_two = "give a number from 0 (no effect) to 1 (rigid), or below 2 to overshoot";
  check_range(where + ".compliance", s.compliance, s.compliance >= 0, at_least_zero);
  check_range(where + ".stiffness", s.stiffness, s.stiffness >= 0 && s.stiffness < 2, below_two);
  if (const auto& c = s.compression_compliance) {
    check_range(where + ".compression_compliance", *c, *c >= 0, at_least_zero);
  }
  if (const auto& k = s.compression_stiffness) {
    check_range(where + ".compression_stiffness", *k, *k >= 0 && *k <= 1, zero_to_one);
  }
  check_range(where + ".damping", s.damping, s.damping >= 0, "give a time of 0 or more [s]");
  check_range(where + ".velocity_damping", s.velocity_damping, s.velocity_damping >= 0,
              "give a rate of 0 or more [1/s]");
  check_range(where + ".stretch_min", s.stretch_min, s.stretch_min >= 0 && s.stretch_min <= 1, "give 0 to 1");
  check_range(where + ".stretch_max", s.stretch_max, s.stretch_max >= 1, "give 1 or more, such as 1.1 for 10 %");
  check_range(where + ".pressure", s.pressure, s.pressure > 0, "give a factor above 0; 1 keeps the rest volume");
}

void check_wind(const std::string& where, const Wind& w) {
  check_finite(where + ".velocity", w.velocity);
  check_range(where + ".density", w.density, w.density >= 0, "give 0 or more [kg/m^3]; air has 1.2");
  check_range(where + ".drag", w.drag, w.drag >= 0, "give a coefficient of 0 or more; a flat plate has 1.2");
  check_range(where + ".lift", w.lift, w.lift >= 0, "give a coefficient of 0 or more");
  check_range(where + ".gust_strength", w.gust_strength, w.gust_strength >= 0, "give 0 (none) or more");
  check_range(where + ".gust_frequency", w.gust_frequency, w.gust_frequency >= 0, "give 0 or more [Hz]");
}

void check_long_range(const std::string& where, const LongRange& s, bool surface) {
  check_range(where + ".count", s.count, s.count >= 1 && s.count <= 64, "give 1 to 64 attachment points per vertex");
  check_range(where + ".ties", s.ties, s.ties >= 0 && s.ties <= 8, "give 0 (none) to 8 levels");
  check_range(where + ".slack", s.slack, s.slack >= 0, "give 0 or more, such as 0.02 for 2 %");
  check_range(where + ".compliance", s.compliance, s.compliance >= 0, "give 0 (rigid) or more");
  check_range(where + ".stiffness", s.stiffness, s.stiffness >= 0 && s.stiffness <= 1, "give 0 to 1");
  if (s.kind == LongRange::Kind::geodesic && !surface) {
    throw Error(where + ".kind", "a solid has no paths along a surface to its inner vertices", "use 'euclidean'");
  }
}

void check_path(const std::string& where, const std::vector<Keyframe>& path) {
  for (std::size_t k = 0; k < path.size(); ++k) {
    const std::string key = where + "[" + std::to_string(k) + "]";
    check_range(key + ".time", path[k].time, k == 0 || path[k].time > path[k - 1].time, "let times ascend");
    check_finite(key + ".move", path[k].move);
    check_finite(key + ".turn", path[k].turn);
  }
}

}  // namespace pliant
