#include "experiments/rest_case.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>
#include <numbers>

#include "fem/statics.h"
#include "pliant/error.h"

namespace pliant::experiments {
namespace {

constexpr double kFrame = 1.0 / 60;    // [s]
constexpr double kTravelTime = 4;      // [s]
constexpr double kShortestLoad = 0.5;  // [s] a push of half a metre in less would be a blow
constexpr double kShortestRest = 1;    // [s] multipliers converge with the number of substeps, however stiff the body
using reference::kFamilies;

std::string file_of(const std::string& folder, const char* family) { return folder + "/" + family + ".json"; }

/// From 0 to 1 within `duration`, without a jump of speed.
double ramp(double time, double duration) {
  const double s = duration > 0 ? std::clamp(time / duration, 0.0, 1.0) : 1;
  return s * s * (3 - 2 * s);
}

/// About the slowest frequency of the body [rad/s]: bending of a clamped beam 4 : 1 : 1,
/// 3.52 sqrt(E I / (density A L^4)), or of bodies that are held at both ends or as wide as long. Half as much for a
/// twisted beam: the vertices near its axis move by 1e-5 of the others and must rest to a thousandth of that.
double slowest(const reference::Case& c, double young_over_density) {
  const double factor = c.family == "cantilever" ? 0.0635 : c.family == "torsion" ? 0.2 : 0.4;
  return factor * std::sqrt(young_over_density);
}

struct Times {
  double damping;             // [1/s] critical for the slowest frequency w: amplitudes fall by exp(-w t)
  double load, travel, rest;  // [s] how long loads grow, when the body has arrived, when it is over
};

Times times(const reference::Case& c, const RestSettings& s) {
  const double w = slowest(c, s.young_over_density);
  Times t{.damping = 2 * w,
          .load = std::max(4 / w, kShortestLoad),
          .travel = length(s.travel) > 0 ? kTravelTime : 0,
          .rest = 0};
  t.rest = std::max(t.load, t.travel) + s.settling * std::max(16 / w, kShortestRest);  // exp(-16) = 1e-7
  return t;
}

/// The engine with a case: what is prescribed grows in the course of time.
class RestRun {
 public:
  RestRun(const reference::Case& c, const RestSettings& settings)
      : case_(c),
        settings_(settings),
        times_(times(c, settings)),
        material_(material_of(c, settings)),
        world_({.step = kFrame,
                .substeps = settings.substeps,
                // density g L / E is the recorded problem's
                .gravity = c.problem.gravity * (scale() * c.problem.material.density / settings.density),
                .point_damping = times_.damping,
                .threads = 1,
                .precision = settings.precision}),
        forces_(c.problem.forces),
        pinned_(c.problem.mesh.positions.size()) {
    body_ = world_.add(Solid{.mesh = c.problem.mesh, .material = material_});
    pin_supports();
    for (Vec3d& f : forces_) f = f * scale();
  }

  World& world() { return world_; }

  void run() {
    const int frames = static_cast<int>(std::ceil(times_.rest / kFrame));
    std::vector<Vec3d> now(forces_.size());
    for (int i = 0; i < frames; ++i) {
      const double t = i * kFrame;
      const double share = ramp(t + kFrame, times_.load);
      for (std::size_t v = 0; v < forces_.size(); ++v) now[v] = forces_[v] * share;
      world_.set_vertex_forces(body_, now);
      // What moves the body along with its pins: otherwise it would trail behind, held back by the damping.
      const double before = ramp(t - kFrame, times_.travel), at = ramp(t, times_.travel),
                   after = ramp(t + kFrame, times_.travel);
      const double speed = (after - at) / kFrame, last_speed = t > 0 ? (at - before) / kFrame : 0;
      world_.set_acceleration(body_, settings_.travel * ((speed - last_speed) / kFrame + times_.damping * speed));
      world_.step();
    }
  }

  RestOutcome compare(const Answer& answer) const {
    RestOutcome out{.simulated = world_.time(), .finite = world_.troubles().empty()};
    const std::vector<Vec3d> x = world_.positions(body_), v = world_.velocities(body_);
    double size = 0;
    for (const Vec3d& u : answer.displacements) size = std::max(size, length(u));
    int moving = 0;
    for (std::size_t i = 0; i < answer.vertices.size(); ++i) {
      const auto vertex = static_cast<std::size_t>(answer.vertices[i]);
      const Vec3d expected = answer.displacements[i];
      out.speed = std::max(out.speed, length(v[vertex]) / size);
      // Vertices on an axis of symmetry do not move; the answer has rounding there. It is good to 1e-8 of the largest.
      if (pinned_[vertex] || length(expected) < 1e-6 * size) continue;
      const Vec3d found = x[vertex] - case_.problem.mesh.positions[vertex] - settings_.travel;
      const double error = length(found - expected) / length(expected);
      out.mean_square += error * error;
      out.worst = std::isfinite(error) ? std::max(out.worst, error) : std::numeric_limits<double>::infinity();
      ++moving;
    }
    out.mean_square /= moving;
    return out;
  }

 private:
  static Material material_of(const reference::Case& c, const RestSettings& s) {
    Material material = c.problem.material;
    material.density = s.density;
    material.young = s.young_over_density * s.density;
    return material;
  }

  /// Of forces and stresses against the recorded problem.
  double scale() const { return material_.young / case_.problem.material.young; }

  void pin(const std::vector<int>& vertices, const Vec3d& displacement, const Vec3d& turn = {}) {
    world_.pin(body_, vertices, path(displacement, turn));
    for (const int v : vertices) pinned_[static_cast<std::size_t>(v)] = true;
  }

  void pin_supports() {
    if (case_.family == "uniaxial") return pin_and_pull();
    // Vertices with the same displacement move together.
    std::vector<fem::Support> left = case_.problem.supports;
    if (case_.family == "torsion") {  // turned, not along the straight lines
      std::vector<int> turned;
      std::erase_if(left, [&](const fem::Support& s) {
        const bool end = case_.problem.mesh.positions[static_cast<std::size_t>(s.vertex)].y > 0;
        if (end) turned.push_back(s.vertex);
        return end;
      });
      pin(turned, {}, {0, std::numbers::pi / 2, 0});
    }
    while (!left.empty()) {
      const Vec3d displacement = left.front().displacement;
      std::vector<int> vertices;
      std::erase_if(left, [&](const fem::Support& s) {
        if (s.displacement != displacement) return false;
        vertices.push_back(s.vertex);
        return true;
      });
      pin(vertices, displacement);
    }
  }

  /// Faces that slide on a plane do not exist in the engine, where a pin holds all three coordinates. The vertices
  /// that are held in all three are pinned, and the others get the reference's support forces (along the pull only, as
  /// the sides are free). That would leave the body free to turn about the pinned edge, so a corner off it is put
  /// where it belongs.
  void pin_and_pull() {
    const fem::StaticsResult statics =
        fem::solve_statics(case_.problem, {.newton = {}, .load_steps = case_.load_steps});
    if (!statics.converged) throw Error("validation: " + case_.name, "has no solution", "report this");
    forces_ = statics.reactions;
    for (const fem::Support& s : case_.problem.supports) {
      const auto v = static_cast<std::size_t>(s.vertex);
      const Vec3d& x = case_.problem.mesh.positions[v];
      const bool off_the_edge = s.x && s.z && x.x < 0 && x.y > 0.499;
      if (!(s.x && s.y && s.z) && !off_the_edge) continue;
      pin({s.vertex}, statics.displacements[v]);
      forces_[v] = {};
    }
  }

  std::vector<Keyframe> path(const Vec3d& displacement, const Vec3d& turn) const {
    std::vector<Keyframe> keys;
    for (double t = 0; t < std::max(times_.load, times_.travel) + kFrame; t += kFrame) {
      keys.push_back({.time = t,
                      .move = displacement * ramp(t, times_.load) + settings_.travel * ramp(t, times_.travel),
                      .turn = turn * ramp(t, times_.load)});
    }
    return keys;
  }

  const reference::Case& case_;
  RestSettings settings_;
  Times times_;
  Material material_;
  World world_;
  BodyId body_;
  std::vector<Vec3d> forces_;  // [N] at full load
  std::vector<bool> pinned_;
};

}  // namespace

bool has_recorded_answers(const std::string& folder) {
  return std::all_of(std::begin(kFamilies), std::end(kFamilies),
                     [&](const char* family) { return std::filesystem::exists(file_of(folder, family)); });
}

std::map<std::string, Answer> recorded_answers(const std::string& folder) {
  std::map<std::string, nlohmann::json> entries;
  for (const char* family : kFamilies) {
    std::ifstream file(file_of(folder, family));
    if (!file) throw Error(file_of(folder, family), "cannot be read", "run script/validate");
    nlohmann::json contents = nlohmann::json::parse(file);
    for (auto& entry : contents["cases"]) {
      std::string name = entry["name"];
      entries.emplace(std::move(name), std::move(entry));
    }
  }
  std::map<std::string, Answer> answers;
  for (const reference::Case& c : reference::cases()) {
    if (std::find(std::begin(kFamilies), std::end(kFamilies), c.family) == std::end(kFamilies))
      continue;  // linear only
    const auto found = entries.find(c.name);
    if (found == entries.end() || found->second["fingerprint"] != reference::fingerprint(c)) {
      throw Error(file_of(folder, c.family.c_str()), c.name + " has no answer, or that of another problem",
                  "run script/validate");
    }
    Answer answer{.vertices = found->second["vertices"].get<std::vector<int>>(), .displacements = {}};
    for (const auto& u : found->second["getfem"]) answer.displacements.push_back({u[0], u[1], u[2]});
    answers.emplace(c.name, std::move(answer));
  }
  return answers;
}

Answer own_answer(const reference::Case& c) {
  const fem::StaticsResult statics = fem::solve_statics(c.problem, {.newton = {}, .load_steps = c.load_steps});
  Answer answer{.vertices = reference::sample(c), .displacements = {}};
  for (const int v : answer.vertices)
    answer.displacements.push_back(statics.displacements[static_cast<std::size_t>(v)]);
  return answer;
}

RestOutcome run_to_rest(const reference::Case& c, const Answer& answer, const RestSettings& settings) {
  RestRun run(c, settings);
  run.world().build();
  if (!run.world().warnings().empty()) return {.warned = true};
  run.run();
  return run.compare(answer);
}

double work(const reference::Case& c, const RestSettings& settings) {
  return times(c, settings).rest * settings.substeps * (static_cast<double>(c.problem.mesh.tets.size()) + 100);
}

}  // namespace pliant::experiments
