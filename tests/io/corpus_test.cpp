// Files that readers have met while they were fuzzed (script/fuzz): each is read or refused, and nothing else happens.

#include <gtest/gtest.h>

#include <filesystem>
#include <functional>
#include <map>

#include "core/file.h"
#include "io/mesh_formats.h"
#include "pliant/error.h"

namespace pliant {
namespace {

TEST(Corpus, IsReadOrRefused) {
  using Parse = std::function<void(const std::string&)>;
  const std::map<std::string, Parse> formats = {
      {"obj", [](const std::string& b) { parse_obj(b, "f"); }},
      {"ply", [](const std::string& b) { parse_ply(b, "f"); }},
      {"off", [](const std::string& b) { parse_off(b, "f"); }},
      {"stl", [](const std::string& b) { parse_stl(b, "f"); }},
      {"node", [](const std::string& b) { parse_tetgen(b, "f", "1 4 0\n1 1 2 3 4\n", "g"); }},
      {"ele", [](const std::string& b) { parse_tetgen("4 3\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n", "f", b, "g"); }},
      {"msh", [](const std::string& b) { parse_gmsh(b, "f"); }},
      {"vtk", [](const std::string& b) { parse_vtk(b, "f"); }},
      {"vtu", [](const std::string& b) { parse_vtu(b, "f"); }},
      {"gltf", [](const std::string& b) { parse_gltf(b, "f", [](const auto&) { return std::string(132, '\1'); }); }},
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
