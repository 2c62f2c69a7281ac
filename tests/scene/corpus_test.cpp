// Scenes from which fuzzing began, and what it found (script/fuzz): each is built or refused, and nothing else happens.

#include <gtest/gtest.h>

#include <filesystem>

#include "core/file.h"
#include "pliant/error.h"
#include "pliant/scene.h"
#include "test_paths.h"

namespace pliant {
namespace {

TEST(SceneCorpus, IsBuiltOrRefused) {
  int built = 0, refused = 0;
  for (const auto& file : std::filesystem::directory_iterator(PLIANT_SOURCE_DIR "/tests/scene/corpus")) {
    try {
      parse_scene(read_file(file.path().string()), "/nowhere/scene.json", {.threads = 1});
      ++built;
    } catch (const Error&) {
      ++refused;
    }
  }
  EXPECT_GE(built, 6);
  EXPECT_GE(refused, 1);
}

// Vertices of colliders take memory like those of bodies: 10 * 4^12 of them are 4 GB.
TEST(SceneCorpus, ColliderWithTooManyVerticesIsRefused) {
  const std::string scene = R"({"bodies": [{"name": "a", "kind": "cloth", "shape": {"grid": {}}}],
      "colliders": [{"solid": {"sphere": {"subdivisions": 12}}}]})";
  try {
    parse_scene(scene, "s.json", {.threads = 1});
    FAIL() << "it was built";
  } catch (const Error& error) {
    EXPECT_EQ(error.where(), "s.json: colliders[0].solid.sphere");
  }
}

}  // namespace
}  // namespace pliant
