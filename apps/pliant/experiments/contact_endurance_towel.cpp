// A towel that is twisted by five turns, for 2000 frames.
#include <algorithm>
#include <cmath>

#include "experiments/endurance.h"
#include "experiments/linking.h"

namespace pliant::experiments {
namespace {

constexpr double kPi = 3.14159265358979323846;

constexpr double kLength = 1.4, kCell = 0.01;  // [m]
constexpr int kAlong = 140, kAcross = 20;      // cells

/// Gathered in pleats, as hands do, 2 cm high and 2.8 mm from one to the next.
TriMesh pleated() {
  constexpr double kPitch = 0.0028;
  constexpr int kPerSide = 2;  // cells
  TriMesh mesh = grid({kLength, kAcross * kCell}, {kAlong, kAcross});
  const double advance = kPitch / kPerSide, up = std::sqrt(kCell * kCell - advance * advance);
  for (std::size_t v = 0; v < mesh.positions.size(); ++v) {
    const int j = static_cast<int>(v) / (kAlong + 1), phase = j % (2 * kPerSide);
    const int height = phase <= kPerSide ? phase : 2 * kPerSide - phase;
    mesh.positions[v] = {mesh.positions[v].x, up * (height - kPerSide / 2.0), advance * (j - kAcross / 2.0)};
  }
  return mesh;
}

/// A thread along the towel, from far away to far away along the axis.
std::vector<Vec3d> thread(const std::vector<Vec3d>& x, int j) {
  constexpr double kFar = 1e4;  // [m]
  std::vector<Vec3d> out{x[j * (kAlong + 1)] - Vec3d{kFar, 0, 0}};
  for (int i = 0; i <= kAlong; ++i) out.push_back(x[j * (kAlong + 1) + i]);
  out.push_back(out.back() + Vec3d{kFar, 0, 0});
  return out;
}

/// Turns of the towel: how often its threads are wound around each other, the least of three pairs. They are wound
/// together where they have slipped over a held end, or have passed through each other, less often than the ends were
/// turned; where the towel coils itself up they are not.
double turns_of(const std::vector<Vec3d>& x) {
  const std::vector<Vec3d> left = thread(x, 0), middle = thread(x, kAcross / 2), right = thread(x, kAcross);
  return std::min({-linking(left, right), -linking(left, middle), -linking(middle, right)});
}

/// The part of it that is no coil: by which angle about the axis each row of vertices is turned against the one before,
/// best fitted, summed.
double twist_of(const std::vector<Vec3d>& x) {
  double sum = 0;
  for (int i = 0; i < kAlong; ++i) {
    Vec3d middle[2] = {};
    for (int j = 0; j <= kAcross; ++j) {
      for (int k = 0; k < 2; ++k) middle[k] += x[j * (kAlong + 1) + i + k] / (kAcross + 1.0);
    }
    double sine = 0, cosine = 0;
    for (int j = 0; j <= kAcross; ++j) {
      const Vec3d p = x[j * (kAlong + 1) + i] - middle[0], q = x[j * (kAlong + 1) + i + 1] - middle[1];
      sine += p.y * q.z - p.z * q.y;
      cosine += p.y * q.y + p.z * q.z;
    }
    sum -= std::atan2(sine, cosine);
  }
  return sum / (2 * kPi);
}

/// Held along both ends, which turn against each other and come nearer as the twist shortens it: a fibre at radius r of
/// a rope of length z that is turned n times is sqrt(z^2 + (2 pi n r)^2) long. It stays a little taut: let nearer, it
/// makes a loop.
Endurance towel(const Context& context) {
  const double turns = context.quick() ? 0.5 : 5, seconds = context.quick() ? 0.3 : 10;
  WorldOptions settings = endurance_options(context, 15, 0.3);
  settings.gravity = {};
  settings.point_damping = 0.5;
  World world(settings);
  const BodyId body =
      world.add(Cloth{.name = "towel",
                      .mesh = pleated(),
                      .thickness = 0.0015,
                      .constraints = {{"distance", {.compliance = 1e-4}}, {"bend", {.compliance = 100.0}}}});
  std::vector<int> left, right;
  for (int j = 0; j <= kAcross; ++j) {
    left.push_back(j * (kAlong + 1));
    right.push_back(j * (kAlong + 1) + kAlong);
  }
  const double radius = 0.012, slack = 0.01;  // [m] of the gathered towel; part of its length
  std::vector<Keyframe> from, to;
  for (int k = 0; k <= 20; ++k) {
    const double part = k / 20.0, wound = 2 * kPi * turns * part * radius;
    const double rest = (1 - slack) * std::sqrt(kLength * kLength - wound * wound);
    const double nearer = (kLength - rest) / 2 * std::min(1.0, 5 * part), angle = kPi * turns * part;
    from.push_back({seconds * part, {nearer, 0, 0}, {angle, 0, 0}});
    to.push_back({seconds * part, {-nearer, 0, 0}, {-angle, 0, 0}});
  }
  world.pin(body, left, from);
  world.pin(body, right, to);
  return {.name = "towel",
          .world = std::move(world),
          .driven = seconds,
          .told = {{"turns of the threads around each other",
                    [body](const World& w) { return turns_of(w.positions(body)); }, 0.99 * turns},
                   {"turns that neighbouring rows make against each other",
                    [body](const World& w) { return twist_of(w.positions(body)); }, 0.95 * turns}}};
}

void run(Context& context, Report& report) { endure(context, report, towel(context)); }

}  // namespace

extern const Experiment contact_endurance_towel = {
    "contact_endurance_towel", "a towel twisted by five turns, 2000 frames, judged exactly", "", run};

}  // namespace pliant::experiments
