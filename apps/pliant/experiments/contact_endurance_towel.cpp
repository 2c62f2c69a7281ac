// A towel that is twisted by five turns, for 2000 frames.
#include <algorithm>
#include <cmath>

#include "experiments/endurance.h"

namespace pliant::experiments {
namespace {

constexpr double kPi = 3.14159265358979323846;

/// A towel in pleats, as hands gather it, held along both ends, which turn against each other and come nearer as the
/// twist shortens it: a fibre at radius r of a rope of length z that is turned n times is sqrt(z^2 + (2 pi n r)^2)
/// long.
Endurance towel(const Context& context) {
  const double turns = context.quick() ? 0.5 : 5, seconds = context.quick() ? 0.2 : 12;
  const double length = 0.9, cell = 0.01, advance = 0.0028;
  const int along = 90, across = 30, per_pleat = 2;
  WorldOptions settings = endurance_options(context, 15, 0.3);
  settings.gravity = {};
  settings.point_damping = 0.5;
  World world(settings);
  TriMesh mesh = grid({length, across * cell}, {along, across});
  const double step = std::sqrt(cell * cell - (advance / per_pleat) * (advance / per_pleat));
  for (std::size_t v = 0; v < mesh.positions.size(); ++v) {
    const int j = static_cast<int>(v) / (along + 1), phase = j % (2 * per_pleat);
    const double up = step * (phase <= per_pleat ? phase : 2 * per_pleat - phase) - step * per_pleat / 2;
    mesh.positions[v] = {mesh.positions[v].x, up, advance / per_pleat * (j - across / 2.0)};
  }
  const BodyId body =
      world.add(Cloth{.name = "towel",
                      .mesh = mesh,
                      .thickness = 0.0015,
                      .constraints = {{"distance", {.compliance = 1e-5}}, {"bend", {.compliance = 100.0}}}});
  std::vector<int> left, right;
  for (int j = 0; j <= across; ++j) {
    left.push_back(j * (along + 1));
    right.push_back(j * (along + 1) + along);
  }
  const double radius = 0.022;  // [m] of the gathered towel
  std::vector<Keyframe> from, to;
  for (int k = 0; k <= 20; ++k) {
    const double part = k / 20.0, wound = 2 * kPi * turns * part * radius;
    const double nearer = (length - 0.985 * std::sqrt(length * length - wound * wound)) / 2 * std::min(1.0, 5 * part);
    const double angle = kPi * turns * part;
    from.push_back({seconds * part, {nearer, 0, 0}, {angle, 0, 0}});
    to.push_back({seconds * part, {-nearer, 0, 0}, {-angle, 0, 0}});
  }
  world.pin(body, left, from);
  world.pin(body, right, to);
  // Turns: by which angle about the axis each row of vertices is turned against the one before, best fitted, summed.
  const auto twist = [body](const World& w) {
    const std::vector<Vec3d> x = w.positions(body);
    double sum = 0;
    for (int i = 0; i < along; ++i) {
      Vec3d middle[2] = {};
      for (int j = 0; j <= across; ++j) {
        for (int k = 0; k < 2; ++k) middle[k] += x[j * (along + 1) + i + k] / (across + 1.0);
      }
      double sine = 0, cosine = 0;
      for (int j = 0; j <= across; ++j) {
        const Vec3d p = x[j * (along + 1) + i] - middle[0], q = x[j * (along + 1) + i + 1] - middle[1];
        sine += p.y * q.z - p.z * q.y;
        cosine += p.y * q.y + p.z * q.z;
      }
      sum += std::atan2(sine, cosine);
    }
    return std::abs(sum) / (2 * kPi);
  };
  return {"towel", std::move(world), seconds, twist, "turns", 0.95 * turns};
}

void run(Context& context, Report& report) { endure(context, report, towel(context)); }

}  // namespace

extern const Experiment contact_endurance_towel = {
    "contact_endurance_towel", "a towel twisted by five turns, 2000 frames, judged exactly", "", run};

}  // namespace pliant::experiments
