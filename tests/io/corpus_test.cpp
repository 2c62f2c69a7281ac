// Files that readers have met while they were fuzzed (script/fuzz): each is read or refused, and nothing else happens.

#include <gtest/gtest.h>

#include <filesystem>
#include <functional>
#include <map>

#include "core/file.h"
#include "io/fuzzed.h"
#include "io/mesh_formats.h"
#include "pliant/error.h"
#include "test_paths.h"

namespace pliant {
namespace {

TEST(Corpus, IsReadOrRefused) {
  World world = test::world_of_snapshots();
  using Parse = std::function<void(const std::string&)>;
  const std::map<std::string, Parse> formats = {
      {"obj", [](const std::string& b) { parse_obj(b, "f"); }},
      {"ply", [](const std::string& b) { parse_ply(b, "f"); }},
      {"off", [](const std::string& b) { parse_off(b, "f"); }},
      {"stl", [](const std::string& b) { parse_stl(b, "f"); }},
      {"tetgen", [](const std::string& b) { test::parse_tetgen_pair(b, "f"); }},
      {"msh", [](const std::string& b) { parse_gmsh(b, "f"); }},
      {"vtk", [](const std::string& b) { parse_vtk(b, "f"); }},
      {"vtu", [](const std::string& b) { parse_vtu(b, "f"); }},
      {"gltf", [](const std::string& b) { test::parse_gltf_alone(b, "f"); }},
      {"snapshot", [&world](const std::string& b) { test::restore_fuzzed(world, b); }},
  };
  int files = 0;
  for (const auto& folder : std::filesystem::directory_iterator(PLIANT_SOURCE_DIR "/tests/io/corpus")) {
    const Parse& parse = formats.at(folder.path().filename().string());
    for (const auto& file : std::filesystem::directory_iterator(folder)) {
      try {
        parse(read_file(file.path().string()));
      } catch (const Error&) {
      }
      ++files;
    }
  }
  EXPECT_GE(files, 20);
}

}  // namespace
}  // namespace pliant
