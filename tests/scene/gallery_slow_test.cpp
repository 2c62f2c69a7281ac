// The scenes that come with the engine: each loads without a warning and takes its first steps.

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>

#include "pliant/scene.h"
#include "scene/temporary_folder.h"
#include "test_paths.h"

namespace pliant::test {
namespace {

TEST(Gallery, ScenesLoadAndStep) {
  for (const auto& entry : std::filesystem::directory_iterator(PLIANT_SOURCE_DIR "/scenes")) {
    if (entry.path().extension() != ".json") continue;
    Scene scene = load_scene(entry.path().string());
    EXPECT_FALSE(scene.title.empty()) << entry.path();
    for (const std::string& warning : scene.warnings) {
      // Scenes of the documents' energy forms show what these do.
      if (warning.find("the energy forms may make energy") == std::string::npos) ADD_FAILURE() << warning;
    }
    EXPECT_NE(read_text(entry.path()).find("//"), std::string::npos) << entry.path() << " explains nothing";
    for (int i = 0; i < 3; ++i) scene.world.step();
    EXPECT_TRUE(scene.world.troubles().empty()) << entry.path();
    EXPECT_TRUE(std::isfinite(scene.world.measures().total_energy)) << entry.path();
  }
}

}  // namespace
}  // namespace pliant::test
