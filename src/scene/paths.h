#pragma once
// File names inside of files.

#include <filesystem>
#include <string>

namespace pliant::scene {

/// `name` as seen from the folder of `file`: "scenes/a.json" and "meshes/b.obj" give "scenes/meshes/b.obj".
inline std::string path_beside(const std::string& file, const std::string& name) {
  return (std::filesystem::path(file).parent_path() / name).lexically_normal().string();
}

}  // namespace pliant::scene
