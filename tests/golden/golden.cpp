// Hashes of what scenes do, kept in golden.txt and compared: a change of the code that is not meant to change a motion
// must not change a bit of any of them. script/golden builds and runs this.
//
//   pliant_golden CASES [--every-variant] [--update FILE] [--scenes FOLDER] [--only NAME]...
//
// A case is a scene (of the gallery, cut short, or the mixed scene of tests/solver), a precision and an integrator. Its
// hashes are those of
//
//   motion     positions and velocities of all bodies and poses of all colliders, as World shows them
//   state      World::state_hash()
//   snapshot   the bytes of World::snapshot()
//
// after the frames that its line gives. Where the motion is the same and another hash differs, only the way in which
// the state is kept has changed.
//
// The hashes do not depend on threads or lanes. Each case runs once with one thread and the build's own number of
// lanes; then its first frames, or with --every-variant all of them, once more with two threads and one lane and so on,
// which must give the same.

#include <algorithm>
#include <atomic>
#include <cinttypes>
#include <cstdio>
#include <cstring>
#include <exception>
#include <filesystem>
#include <fstream>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <sstream>
#include <string>
#include <thread>
#include <tuple>
#include <vector>

#include "pliant/pliant.h"
#include "pliant/scene.h"
#include "solver/mixed_scene.h"

namespace {

using namespace pliant;

/// The scene that no file has.
constexpr const char* kMixed = "mixed";
/// Of a scene that is new.
constexpr int kFrames = 20;
/// Of these the other variants run as many at least: with --every-variant all of them.
constexpr int kFramesOfVariants = 2;

struct Hashes {
  uint64_t motion = 0, state = 0, snapshot = 0;
  friend bool operator==(const Hashes&, const Hashes&) = default;
};

struct Case {
  std::string scene;
  std::string precision;   // as scenes say it
  std::string integrator;  // as scenes say it
  int frames = kFrames;
  std::optional<Hashes> expected{};
  std::optional<Hashes> found{};
  std::string failure{};

  auto key() const { return std::tie(scene, precision, integrator); }
  std::string name() const { return scene + " " + precision + " " + integrator; }
};

struct Variant {
  int threads;
  int lanes;  // 0: the build's own
};
constexpr Variant kFirstVariant{1, 0};
constexpr Variant kOtherVariants[] = {{2, 1}, {1, 1}, {2, 0}};

/// FNV-1a over words: not the library's own hash, which is among the things that are tested.
class WordHash {
 public:
  void add(uint64_t word) { value_ = (value_ ^ word) * 0x100000001b3u; }
  void add(double number) {
    uint64_t word;
    std::memcpy(&word, &number, sizeof(word));
    add(word);
  }
  void add(Vec3d v) {
    for (int k = 0; k < 3; ++k) add(v[k]);
  }
  uint64_t value() const { return value_ ^ (value_ >> 32); }

 private:
  uint64_t value_ = 0xcbf29ce484222325u;
};

uint64_t motion_of(World& world) {
  WordHash hash;
  for (int b = 0; b < world.body_count(); ++b) {
    for (const Vec3d& x : world.positions(BodyId{b})) hash.add(x);
    for (const Vec3d& v : world.velocities(BodyId{b})) hash.add(v);
  }
  for (int c = 0; c < world.collider_count(); ++c) {
    const ColliderPose pose = world.collider_pose(ColliderId{c});
    const RigidMotion motion = world.rigid_motion(ColliderId{c});
    for (const Vec3d& v : {pose.position, pose.rotation, motion.velocity, motion.spin}) hash.add(v);
  }
  return hash.value();
}

Hashes hashes_of(World& world) {
  WordHash bytes;
  for (const std::byte b : world.snapshot()) bytes.add(std::to_integer<uint64_t>(b));
  return {motion_of(world), world.state_hash(), bytes.value()};
}

World make(const Case& c, const Variant& variant, const std::string& folder) {
  if (c.scene == kMixed) {
    WorldOptions options = test::mixed_options();
    options.precision = c.precision == "float64" ? Precision::float64 : Precision::float32;
    options.integrator = c.integrator == "bdf2" ? Integrator::bdf2 : Integrator::euler;
    options.threads = variant.threads;
    options.simd_width = variant.lanes;
    return test::mixed_world(options);
  }
  const std::string text = "{\"include\": [\"" + c.scene + ".json\"], \"solver\": {\"precision\": \"" + c.precision +
                           "\", \"integrator\": \"" + c.integrator + "\"}}";
  SceneOverrides overrides;
  overrides.threads = variant.threads;
  overrides.simd_width = variant.lanes;
  return parse_scene(text, folder + "/" + c.scene + " (golden)", overrides).world;
}

void run(Case& c, const std::string& folder, bool every_variant) {
  try {
    const int early = every_variant ? c.frames : std::min(kFramesOfVariants, c.frames);
    std::optional<uint64_t> at_early;
    {
      World world = make(c, kFirstVariant, folder);
      for (int k = 0; k < c.frames; ++k) {
        if (k == early) at_early = motion_of(world);
        world.step();
      }
      c.found = hashes_of(world);
      if (!at_early) at_early = c.found->motion;
    }
    for (const Variant& variant : kOtherVariants) {
      std::optional<World> world;
      try {
        world = make(c, variant, folder);
        world->build();
      } catch (const Error& error) {
        if (error.where() != "simd_width") throw;
        continue;  // this build has its own number of lanes only
      }
      for (int k = 0; k < early; ++k) world->step();
      if (motion_of(*world) != *at_early) {
        c.failure = "after " + std::to_string(early) + " frames it is elsewhere with " +
                    std::to_string(variant.threads) + " threads and " +
                    (variant.lanes > 0 ? std::to_string(variant.lanes) : "the build's own") +
                    " lanes than with one thread";
      }
      if (!every_variant) break;
    }
  } catch (const std::exception& error) {
    c.failure = error.what();
  }
}

std::vector<Case> read_cases(const std::string& path) {
  std::vector<Case> cases;
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    if (line.empty() || line[0] == '#') continue;
    std::istringstream words(line);
    Case c;
    Hashes h;
    std::string motion, state, snapshot;
    if (!(words >> c.scene >> c.precision >> c.integrator >> c.frames >> motion >> state >> snapshot)) {
      throw std::runtime_error(path + ": this is no case: " + line);
    }
    h.motion = std::stoull(motion, nullptr, 16);
    h.state = std::stoull(state, nullptr, 16);
    h.snapshot = std::stoull(snapshot, nullptr, 16);
    c.expected = h;
    cases.push_back(c);
  }
  return cases;
}

void write_cases(const std::string& path, const std::vector<Case>& cases) {
  std::FILE* file = std::fopen(path.c_str(), "w");
  if (!file) throw std::runtime_error(path + " cannot be written");
  std::fprintf(file,
               "# What scenes do, as hashes: see golden.cpp. Compared by script/golden, written by script/golden "
               "--update.\n"
               "# scene                  precision integrator frames motion           state            snapshot\n");
  for (const Case& c : cases) {
    const std::optional<Hashes>& known = c.found ? c.found : c.expected;
    if (!known) continue;
    std::fprintf(file, "%-24s %-9s %-10s %6d %016" PRIx64 " %016" PRIx64 " %016" PRIx64 "\n", c.scene.c_str(),
                 c.precision.c_str(), c.integrator.c_str(), c.frames, known->motion, known->state, known->snapshot);
  }
  std::fclose(file);
}

/// Adds the cases of scenes that have none, and drops those of scenes that are gone.
void match_scenes(std::vector<Case>& cases, const std::string& folder) {
  std::set<std::string> scenes{kMixed};
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() == ".json") scenes.insert(entry.path().stem().string());
  }
  std::erase_if(cases, [&](const Case& c) { return !scenes.contains(c.scene); });
  for (const std::string& scene : scenes) {
    for (const char* precision : {"float32", "float64"}) {
      for (const char* integrator : {"euler", "bdf2"}) {
        const Case added{scene, precision, integrator};
        const auto same = [&](const Case& c) { return c.key() == added.key(); };
        if (std::none_of(cases.begin(), cases.end(), same)) cases.push_back(added);
      }
    }
  }
  std::sort(cases.begin(), cases.end(), [](const Case& a, const Case& b) { return a.key() < b.key(); });
}

/// Prints what differs; how many cases do.
int report(const std::vector<Case>& cases) {
  int differing = 0;
  for (const Case& c : cases) {
    std::string what = c.failure;
    if (what.empty() && !c.expected) what = "is not in the list; script/golden --update puts it there";
    if (what.empty() && c.found && c.found != c.expected) {
      const Hashes &f = *c.found, &e = *c.expected;
      what = f.motion != e.motion ? "moves otherwise"
             : f.state != e.state ? "moves as it did, and another state lies behind it"
                                  : "moves as it did, and its snapshot has other bytes";
    }
    if (what.empty()) continue;
    ++differing;
    std::printf("%s: %s\n", c.name().c_str(), what.c_str());
  }
  return differing;
}

int golden(int count, char** words) {
  std::string path, update, folder;
  bool every_variant = false;
  std::set<std::string> only;
  for (int k = 1; k < count; ++k) {
    const std::string word = words[k];
    if (word == "--every-variant") {
      every_variant = true;
    } else if (word == "--update" && k + 1 < count) {
      update = words[++k];
    } else if (word == "--scenes" && k + 1 < count) {
      folder = words[++k];
    } else if (word == "--only" && k + 1 < count) {
      only.insert(words[++k]);
    } else if (path.empty() && word[0] != '-') {
      path = word;
    } else {
      throw std::runtime_error("what is " + word + "? See the beginning of tests/golden/golden.cpp");
    }
  }
  std::vector<Case> cases = read_cases(path);
  match_scenes(cases, folder);

  std::vector<Case*> chosen;
  for (Case& c : cases) {
    if (only.empty() || only.contains(c.scene)) chosen.push_back(&c);
  }
  std::atomic<std::size_t> next{0};
  std::mutex printing;
  const auto work = [&] {
    for (std::size_t k; (k = next++) < chosen.size();) {
      run(*chosen[k], folder, every_variant);
      const std::lock_guard lock(printing);
      std::fprintf(stderr, "\r%zu of %zu  ", std::min(next.load(), chosen.size()), chosen.size());
    }
  };
  std::vector<std::thread> workers;
  for (unsigned k = 0; k < std::max(1u, std::thread::hardware_concurrency()); ++k) workers.emplace_back(work);
  for (std::thread& worker : workers) worker.join();
  std::fprintf(stderr, "\n");

  if (!update.empty()) write_cases(update, cases);
  std::vector<Case> looked_at;
  for (const Case* c : chosen) looked_at.push_back(*c);
  const int differing = report(looked_at);
  if (differing == 0) {
    std::printf("%zu cases, all as they were\n", looked_at.size());
  } else {
    std::printf("%d of %zu cases differ\n", differing, looked_at.size());
  }
  return differing == 0 ? 0 : 1;
}

}  // namespace

int main(int count, char** words) try { return golden(count, words); } catch (const std::exception& error) {
  std::fprintf(stderr, "golden: %s\n", error.what());
  return 2;
}
