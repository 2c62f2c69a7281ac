#include "fit/sweep.h"

#include <fmt/format.h>

#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <limits>
#include <map>
#include <memory>
#include <mutex>
#include <nlohmann/json.hpp>
#include <thread>

#include "core/file.h"
#include "io/writer.h"
#include "pliant/error.h"

namespace pliant::fit {

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

bool is_fitted(Method method) { return method != Method::xpbd_stvk && method != Method::xpbd_neo_hookean; }

Bounds bounds_of(const Point& point) {
  if (point.method == Method::pbd_unbounded) return {.low = 0, .high = 1.9, .sweep_step = 0.1};
  return {};
}

/// What the search varies, from 0 to 1, becomes the stiffness: springs in units of E times an edge's length, and
/// pressure in units of E, on a logarithmic scale from 1e-3 to 10.
Stiffness actual(const Point& point, const Stiffness& k) {
  if (point.method != Method::mass_spring) return k;
  const auto scaled = [](double x) { return x <= 0 ? 0.0 : std::pow(10.0, 4 * x - 3); };
  return {scaled(k.distance) * point.young / point.cube.cells, scaled(k.volume) * point.young};
}

/// Bodies of equal rests: springs depend on E, position-based ones on nothing but the steps.
std::string group_of(const Point& point) {
  Point same = point;
  same.poisson = 0;
  same.reference = Reference::linear;
  if (point.method != Method::mass_spring) same.young = 0;
  return same.key();
}

class Group {
 public:
  explicit Group(const Point& point) {
    for (LoadKind kind : load_kinds(point.scene)) {
      caches_.push_back(std::make_unique<RestCache>(cube(kind, point.cube), point.method, point.stepping));
    }
  }

  Result fit(const Point& point) {
    std::vector<std::vector<Vec3d>> references;
    for (const auto& cache : caches_) {
      references.push_back(reference_displacements(cache->load(), point.reference, point.young, point.poisson));
    }
    const auto parts_of = [&](auto&& rest_at) {
      std::vector<double> parts;
      for (std::size_t i = 0; i < caches_.size(); ++i) {
        const Rest& rest = rest_at(*caches_[i]);
        parts.push_back(rest.found ? error_of(rest.displacements, references[i]) : kInfinity);
      }
      return parts;
    };
    const auto norm = [](const std::vector<double>& parts) {  // of one scene it is its e      real17 4.4
      double sum = 0;
      for (double e : parts) sum += e * e;
      return parts.size() == 1 ? parts[0] : std::sqrt(sum);
    };
    Result result;
    if (!is_fitted(point.method)) {
      Rest rest;
      result.parts = parts_of([&](RestCache& cache) -> const Rest& {
        rest = rest_of(cache.load(), point.method, point.stepping, point.young, point.poisson);
        return rest;
      });
      result.error = result.sweep_error = norm(result.parts);
      result.evaluations = 1;
      return result;
    }
    const auto parts_at = [&](const Stiffness& k) {
      return parts_of([&](RestCache& cache) -> const Rest& { return cache.at(actual(point, k)); });
    };
    const Found found =
        search([&](const Stiffness& k) { return norm(parts_at(k)); }, bounds_of(point), point.optimizer);
    result.stiffness = actual(point, found.stiffness);
    result.error = found.error;
    result.sweep_error = found.sweep_error;
    result.evaluations = found.evaluations;
    result.parts = parts_at(found.stiffness);
    return result;
  }

 private:
  std::vector<std::unique_ptr<RestCache>> caches_;
};

/// Calls done(point, result), one at a time, as they are finished. False if `stop` said so.
template <class Done>
bool fit_groups(const std::vector<const Point*>& points, int thread_count, const std::function<bool()>& stop,
                Done&& done) {
  std::map<std::string, std::vector<const Point*>> groups;
  for (const Point* p : points) groups[group_of(*p)].push_back(p);
  std::mutex mutex;
  std::exception_ptr failure;
  std::atomic<bool> stopped{false};
  for (const auto& [name, todo] : groups) {
    Group group(*todo.front());
    std::atomic<std::size_t> next{0};
    const auto work = [&] {
      for (std::size_t i; !stopped && (i = next++) < todo.size();) {
        if (stop && stop()) stopped = true;
        if (stopped) break;
        try {
          const Result result = group.fit(*todo[i]);
          const std::lock_guard lock(mutex);
          done(*todo[i], result);
        } catch (...) {
          const std::lock_guard lock(mutex);
          failure = std::current_exception();
          stopped = true;
        }
      }
    };
    std::vector<std::thread> threads;
    for (int t = 1; t < thread_count; ++t) threads.emplace_back(work);
    work();
    for (std::thread& t : threads) t.join();
    if (failure) std::rethrow_exception(failure);
    if (stopped) return false;
  }
  return true;
}

nlohmann::json json_of(const Result& r) {
  return {{"k_d", r.stiffness.distance},  {"k_v", r.stiffness.volume},    {"error", r.error},
          {"sweep_error", r.sweep_error}, {"evaluations", r.evaluations}, {"parts", r.parts}};
}

double number_at(const nlohmann::json& json, const char* name) {
  return json.at(name).is_null() ? kInfinity : json.at(name).get<double>();  // JSON has no infinity
}

Result result_of(const nlohmann::json& json) {
  Result r;
  r.stiffness = {number_at(json, "k_d"), number_at(json, "k_v")};
  r.error = number_at(json, "error");
  r.sweep_error = number_at(json, "sweep_error");
  r.evaluations = json.at("evaluations");
  for (const auto& part : json.at("parts")) r.parts.push_back(part.is_null() ? kInfinity : part.get<double>());
  return r;
}

/// Finished points of all processes. A last line that was cut off is not one.
std::map<std::string, Result> read_journals(const std::string& folder) {
  std::map<std::string, Result> done;
  if (!std::filesystem::exists(folder)) return done;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    const std::string name = entry.path().filename().string();
    if (!name.starts_with("points") || entry.path().extension() != ".jsonl") continue;
    const std::string text = read_file(entry.path().string());
    for (std::size_t begin = 0, end; (end = text.find('\n', begin)) != std::string::npos; begin = end + 1) {
      const auto line = nlohmann::json::parse(text.begin() + static_cast<std::ptrdiff_t>(begin),
                                              text.begin() + static_cast<std::ptrdiff_t>(end), nullptr, false);
      if (line.is_object() && line.contains("point")) done[line["point"]] = result_of(line["result"]);
    }
  }
  return done;
}

/// One line per finished point, on disk before the next one begins.
class Journal {
 public:
  explicit Journal(const std::string& path) : path_(path), file_(std::fopen(path.c_str(), "ab")) {
    if (!file_) throw Error(path, "it cannot be written", "choose another folder with -o");
    if (std::ftell(file_) > 0) std::fputc('\n', file_);  // ends a line that was cut off
  }
  ~Journal() { std::fclose(file_); }
  Journal(const Journal&) = delete;
  Journal& operator=(const Journal&) = delete;
  void add(const Point& point, const Result& result) {
    const std::string line = nlohmann::json{{"point", point.key()}, {"result", json_of(result)}}.dump() + "\n";
    if (std::fwrite(line.data(), 1, line.size(), file_) != line.size() || std::fflush(file_) != 0) {
      throw Error(path_, "a result could not be written", "make room on the disk and run the same command again");
    }
  }

 private:
  std::string path_;
  std::FILE* file_;
};

int environment_number(std::initializer_list<const char*> names, int otherwise) {
  for (const char* name : names) {
    if (const char* value = std::getenv(name)) return std::atoi(value);
  }
  return otherwise;
}

}  // namespace

const char* name_of(Method method) {
  switch (method) {
    case Method::pbd:
      return "pbd";
    case Method::pbd_unbounded:
      return "pbd-unbounded";
    case Method::mass_spring:
      return "mass-spring";
    case Method::xpbd_stvk:
      return "xpbd-stvk";
    case Method::xpbd_neo_hookean:
      return "xpbd-neo-hookean";
  }
  return "";
}
const char* name_of(Reference reference) {
  switch (reference) {
    case Reference::linear:
      return "linear";
    case Reference::stvk:
      return "stvk";
    case Reference::neo_hookean:
      return "neo_hookean";
  }
  return "";
}
const char* name_of(Optimizer optimizer) { return optimizer == Optimizer::pattern ? "pattern" : "bobyqa"; }

std::string Point::key() const {
  std::string line = fmt::format("{} {} {} {} E={} nu={} dt={} it={} N={} irregular={} equal={} force={}", scene,
                                 name_of(method), name_of(reference), name_of(optimizer), young, poisson, stepping.dt,
                                 stepping.iterations, cube.cells, cube.irregular, cube.equal_masses, cube.force);
  if (cube.density != 1) line += fmt::format(" density={}", cube.density);
  if (!cube.mesh.empty()) line += " mesh=" + cube.mesh;
  return line;
}

Result fit(const Point& point) { return Group(point).fit(point); }

std::vector<Result> fit_all(const std::vector<Point>& points, int threads) {
  std::vector<const Point*> todo;
  for (const Point& p : points) todo.push_back(&p);
  std::vector<Result> results(points.size());
  fit_groups(todo, threads, {},
             [&](const Point& p, const Result& r) { results[static_cast<std::size_t>(&p - points.data())] = r; });
  return results;
}

std::vector<Point> thesis_points(const std::string& scene) {
  std::vector<Point> points;
  const auto add = [&](Point p) {
    p.scene = scene;
    for (int percent = 0; percent < 50; ++percent) {
      p.poisson = percent / 100.0;
      points.push_back(p);
    }
  };
  add({});
  for (double dt : {0.005, 0.002, 0.001}) add({.stepping = {.dt = dt}});
  for (int cells : {2, 3, 4}) add({.cube = {.cells = cells}});
  for (int iterations : {2, 4, 8}) add({.stepping = {.iterations = iterations}});
  for (double young : {1e4, 1e5, 1e6}) add({.young = young});
  return points;
}

Share share_of_this_process() {
  Share share;
  share.size = environment_number({"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "SLURM_NTASKS"}, 1);
  share.rank = environment_number({"OMPI_COMM_WORLD_RANK", "PMI_RANK", "SLURM_PROCID"}, 0);
  if (share.size < 1 || share.rank < 0 || share.rank >= share.size) return {};
  return share;
}

std::optional<std::vector<Result>> sweep(const std::vector<Point>& points, const SweepOptions& options) {
  const Share share = share_of_this_process();
  const std::string stem = options.folder + "/points";
  make_folder_of(stem);
  std::map<std::string, Result> done = read_journals(options.folder);
  std::size_t finished = 0;
  std::vector<const Point*> todo;  // of this process, what is not finished
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (done.contains(points[i].key())) {
      ++finished;
    } else if (static_cast<int>(i % static_cast<std::size_t>(share.size)) == share.rank) {
      todo.push_back(&points[i]);
    }
  }
  if (options.progress) options.progress(finished);
  if (!todo.empty()) {
    Journal journal(share.size == 1 ? stem + ".jsonl" : fmt::format("{}.{}.jsonl", stem, share.rank));
    const bool all = fit_groups(todo, options.threads, options.stop, [&](const Point& point, const Result& result) {
      journal.add(point, result);
      done[point.key()] = result;
      if (options.progress) options.progress(++finished);
    });
    if (!all) return std::nullopt;
  }
  if (share.rank != 0) return std::nullopt;
  std::vector<Result> results;
  for (const Point& point : points) {
    // Other processes write theirs down; under mpirun all end when one dies, so this does not wait for ever.
    while (!done.contains(point.key())) {
      if (options.stop && options.stop()) return std::nullopt;
      std::this_thread::sleep_for(std::chrono::milliseconds(200));
      done = read_journals(options.folder);
    }
    results.push_back(done[point.key()]);
  }
  return results;
}

}  // namespace pliant::fit
