#include "stats.h"

#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <thread>

#include "constraints/constraint.h"
#include "scene/json_text.h"

namespace pliant::app {
namespace {

using Json = nlohmann::ordered_json;

/// [bytes] the most that this process had in memory.
int64_t peak_memory() {
  rusage usage = {};
  getrusage(RUSAGE_SELF, &usage);
#ifdef __APPLE__
  return usage.ru_maxrss;
#else
  return int64_t{1024} * usage.ru_maxrss;
#endif
}

Json json_of(const Vec3d& v) { return Json::array({v.x, v.y, v.z}); }

bool is_double(const WorldOptions& options) {
#ifdef PLIANT_DOUBLE
  if (options.precision == Precision::standard) return true;
#endif
  return options.precision == Precision::float64;
}

int threads(const WorldOptions& options) {
  if (options.jobs) return options.jobs->threads();
  if (options.threads > 0) return options.threads;
  return std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}

const char* kind_name(Trouble::Kind kind) {
  switch (kind) {
    case Trouble::Kind::non_finite:
      return "non_finite";
    case Trouble::Kind::forced_contact:
      return "forced_contact";
    case Trouble::Kind::tangled_start:
      return "tangled_start";
    case Trouble::Kind::crowded_contact:
      return "crowded_contact";
    case Trouble::Kind::energy_gain:
      return "energy_gain";
    case Trouble::Kind::energy_limited:
      return "energy_limited";
  }
  return "";
}

/// How far each body is stretched and squeezed.
Json deformations(const World& world) {
  Json bodies = Json::array();
  for (int b = 0; b < world.body_count(); ++b) {
    const BodyId id{b};
    const Deformation d = world.deformation(id);
    Json body = {{"body", world.name(id)}};
    if (!world.edges(id).empty()) {
      body["mean_stretch"] = d.mean_stretch;
      body["smallest_stretch"] = d.smallest_stretch;
      body["largest_stretch"] = d.largest_stretch;
    }
    if (!world.tets(id).empty()) {
      body["smallest_volume"] = d.smallest_volume;
      body["largest_volume"] = d.largest_volume;
    }
    bodies.push_back(std::move(body));
  }
  return bodies;
}

int simd_width(const WorldOptions& options) {
  if (options.simd_width > 0) return options.simd_width;
  return is_double(options) ? kDefaultWidth<double> : kDefaultWidth<float>;
}

}  // namespace

const char* precision_name(const WorldOptions& options) { return is_double(options) ? "float64" : "float32"; }

std::vector<ConstraintCount> counts_by_type(const World& world) {
  std::vector<ConstraintCount> counts;
  for (const ConstraintCount& group : world.constraint_counts()) {
    const auto same = std::find_if(counts.begin(), counts.end(), [&](const auto& c) { return c.type == group.type; });
    if (same == counts.end()) {
      counts.push_back(group);
      continue;
    }
    const auto lanes = [](const ConstraintCount& c) {
      return c.batch_fill > 0 ? static_cast<double>(c.constraints) / c.batch_fill : 0;
    };
    const double all = lanes(*same) + lanes(group);
    same->constraints += group.constraints;
    same->colors += group.colors;
    same->batch_fill = all > 0 ? static_cast<double>(same->constraints) / all : 0;
  }
  return counts;
}

double quantile(std::vector<double> values, double fraction) {
  if (values.empty()) return 0;
  const auto at =
      values.begin() + static_cast<std::ptrdiff_t>(std::floor(fraction * static_cast<double>(values.size() - 1)));
  std::nth_element(values.begin(), at, values.end());
  return *at;
}

std::vector<std::string> out_of_the_ordinary(const World& world) {
  // Woven cloth tears when it is a tenth longer; a single edge may be at a pinned corner. Rubber and flesh keep their
  // volume: what has half or twice of it is squashed or torn.
  constexpr double kMeanStretch = 1.1, kStretch = 1.5, kVolume = 2;
  std::vector<std::string> lines;
  for (int b = 0; b < world.body_count(); ++b) {
    const BodyId id{b};
    const Deformation d = world.deformation(id);
    if (world.tets(id).empty()) {
      if (d.mean_stretch <= kMeanStretch && d.largest_stretch <= kStretch) continue;
      lines.push_back(fmt::format("{}: edges are {:.3g} times as long as at rest, the worst {:.3g} times",
                                  world.name(id), d.mean_stretch, d.largest_stretch));
    } else {
      if (d.smallest_volume >= 1 / kVolume && d.largest_volume <= kVolume) continue;
      lines.push_back(fmt::format("{}: tets have {:.3g} to {:.3g} times their volume at rest{}", world.name(id),
                                  d.smallest_volume, d.largest_volume,
                                  d.smallest_volume <= 0 ? "; below 0 they are inside out" : ""));
    }
  }
  constexpr std::size_t kMost = 5;
  if (lines.size() > kMost) {
    const std::size_t more = lines.size() - kMost;
    lines.resize(kMost);
    lines.push_back(fmt::format("... and {} more bodies like these", more));
  }
  return lines;
}

std::string stats_json(const Scene& scene, const std::vector<double>& step_seconds, bool interrupted) {
  const World& world = scene.world;
  const WorldOptions& options = world.options();
  const Measures measures = world.measures();

  int64_t constraints = 0;
  Json types = Json::array();
  for (const ConstraintCount& count : counts_by_type(world)) {
    constraints += count.constraints;
    types.push_back({{"type", count.type},
                     {"constraints", count.constraints},
                     {"colors", count.colors},
                     {"batch_fill", count.batch_fill}});
  }
  Json troubles = Json::array();
  for (const Trouble& trouble : world.troubles()) {
    troubles.push_back({{"kind", kind_name(trouble.kind)},
                        {"step", trouble.step},
                        {"body", trouble.body},
                        {"vertex", trouble.vertex},
                        {"message", trouble.message}});
  }
  Json stages = Json::object();  // of all steps since the start
  for (const StageTime& stage : world.stage_times()) stages[stage.stage] = stage.seconds;
  const double median = quantile(step_seconds, 0.5);
  const double sweeps = static_cast<double>(constraints) * options.substeps * options.iterations;

  const Json json = {
      {"version", version()},
      {"scene", scene.path},
      {"title", scene.title},
      {"frames", world.steps()},
      {"interrupted", interrupted},
      {"particles", world.particle_count()},
      {"constraints", constraints},
      {"constraint_types", types},
      {"substeps", options.substeps},
      {"iterations", options.iterations},
      {"precision", precision_name(options)},
      {"threads", threads(options)},
      {"simd_width", simd_width(options)},
      {"ms_per_step", {{"median", 1e3 * median}, {"p95", 1e3 * quantile(step_seconds, 0.95)}}},
      {"seconds_of_stages", stages},
      {"ns_per_constraint_iteration", sweeps > 0 ? 1e9 * median / sweeps : 0},
      {"peak_memory_bytes", peak_memory()},
      {"state_hash", fmt::format("{:016x}", world.state_hash())},
      {"measures",
       {{"time", measures.time},
        {"mass", measures.mass},
        {"kinetic_energy", measures.kinetic_energy},
        {"elastic_energy", measures.elastic_energy},
        {"gravity_energy", measures.gravity_energy},
        {"total_energy", measures.total_energy},
        {"linear_momentum", json_of(measures.linear_momentum)},
        {"angular_momentum", json_of(measures.angular_momentum)},
        {"volume", measures.volume},
        {"largest_strain", measures.largest_strain},
        {"largest_residual", measures.largest_residual}}},
      {"deformation", deformations(world)},
      {"troubles", troubles},
      {"warnings", scene.warnings},
  };
  return scene::readable_json(json);
}

}  // namespace pliant::app
