// Scene files with their includes -> Scene.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "core/file.h"
#include "core/suggest.h"
#include "pliant/error.h"
#include "pliant/scene.h"
#include "scene/build.h"
#include "scene/json_text.h"
#include "scene/paths.h"
#include "scene/reading.h"
#include "scene/tables.h"

namespace pliant {
namespace scene {
namespace {

/// Reads files one into another: what is included first, then what includes it, so that lists are
/// appended and the outer file has the last word.
class Loader {
 public:
  void read(const std::string& path) { read_text(read_file(path), path); }

  void read_text(const std::string& text, const std::string& path) {
    open_.push_back(path);
    seen_.insert(identity(path));
    const nlohmann::json root = parse_json(text, path);
    read_includes(root, path);
    Reading reading(root, path, "");
    kSceneTable.fields(reading, spec_);
    reading.finish();
    open_.pop_back();
  }

  const SceneSpec& spec() const { return spec_; }
  SceneSpec& spec() { return spec_; }

 private:
  void read_includes(const nlohmann::json& root, const std::string& path) {
    std::vector<std::string> files;
    Reading reading(root, path, "");
    include_field(reading, files);
    for (size_t i = 0; i < files.size(); ++i) {
      const std::string where = fmt::format("{}: include[{}]", path, i);
      const std::string file = path_beside(path, files[i]);
      refuse_cycle(file, where);
      if (seen_.contains(identity(file))) continue;
      std::string text;
      try {
        text = read_file(file);
      } catch (const Error& error) {
        throw error.inside(where);
      }
      read_text(text, file);
    }
  }

  void refuse_cycle(const std::string& file, const std::string& where) const {
    const auto same = [&](const std::string& open) { return identity(open) == identity(file); };
    const auto first = std::find_if(open_.begin(), open_.end(), same);
    if (first == open_.end()) return;
    std::string chain;
    for (auto open = first; open != open_.end(); ++open) chain += *open + " -> ";
    throw Error(where, "the files include each other: " + chain + file, "remove one of these includes");
  }

  /// The same for two ways of writing the same file's name.
  static std::string identity(const std::string& path) {
    std::error_code error;
    const auto canonical = std::filesystem::weakly_canonical(path, error);
    return error ? path : canonical.string();
  }

  SceneSpec spec_;
  std::vector<std::string> open_;
  std::set<std::string> seen_;
};

Scene build_scene(Loader& loader, const std::string& path, const SceneOverrides& overrides) {
  SceneSpec& spec = loader.spec();
  if (overrides.threads >= 0) spec.options.threads = overrides.threads;
  if (overrides.simd_width > 0) spec.options.simd_width = overrides.simd_width;
  spec.options.stage_times = overrides.stage_times;
  std::vector<std::string> warnings;
  World world = build_world(spec, path, warnings);
  for (std::size_t i = 0; spec.camera && i < spec.camera->hide.size(); ++i) {
    const std::string& name = spec.camera->hide[i];
    if (world.find(name)) continue;
    std::vector<std::string> names;
    for (int b = 0; b < world.body_count(); ++b) names.push_back(world.name(BodyId{b}));
    throw Error(path + ": camera.hide[" + std::to_string(i) + "]", "there is no body '" + name + "'",
                did_you_mean(name, names));
  }
  for (const std::string& warning : world.warnings()) warnings.push_back(path + ": " + warning);
  return {path, spec.title, spec.frames, spec.camera, std::move(warnings), std::move(world)};
}

}  // namespace
}  // namespace scene

Scene load_scene(const std::string& path, const SceneOverrides& overrides) {
  scene::Loader loader;
  loader.read(path);
  return scene::build_scene(loader, path, overrides);
}

Scene parse_scene(const std::string& text, const std::string& path, const SceneOverrides& overrides) {
  scene::Loader loader;
  loader.read_text(text, path);
  return scene::build_scene(loader, path, overrides);
}

}  // namespace pliant
