#pragma once
// scene.json -> World. The fields are described in docs/scene.schema.json and docs/scene.md.

#include <optional>
#include <string>
#include <vector>

#include "pliant/picture.h"
#include "pliant/world.h"

namespace pliant {

struct Scene {
  std::string path;
  std::string title;
  int frames = 120;                // how many steps `pliant run` makes
  std::optional<Camera> camera{};  // of pictures; absent: one that sees the whole motion
  std::vector<std::string> warnings;
  World world;
};

/// Reads and builds a scene; every mistake becomes an Error that names file, field and remedy.
/// `overrides` replaces world options that the command line gives (threads, precision).
struct SceneOverrides {
  int threads = -1;  // -1: as the scene says
  int simd_width = 0;
  bool stage_times = false;
};
Scene load_scene(const std::string& path, const SceneOverrides& overrides = {});
/// The same from a text; `path` is used for messages and for relative file names.
Scene parse_scene(const std::string& text, const std::string& path, const SceneOverrides& overrides = {});

/// The JSON Schema of scene files, generated from the reader's own table of fields.
std::string scene_schema();

}  // namespace pliant
