// Surfaces in scenes: filled with tets, seen as a skin, kept in a cache.

#include "scene/fill_surface.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>

#include "io/body_shape.h"
#include "pliant/error.h"
#include "pliant/scene.h"
#include "scene/temporary_folder.h"

namespace pliant::test {
namespace {

using scene::fill_surface;

/// Lets the cache be in this folder; puts things back at the end.
class CacheFolder {
 public:
  explicit CacheFolder(const std::string& folder) {
    if (const char* before = std::getenv("PLIANT_CACHE")) before_ = before;
    setenv("PLIANT_CACHE", folder.c_str(), 1);
  }
  ~CacheFolder() {
    if (before_) {
      setenv("PLIANT_CACHE", before_->c_str(), 1);
    } else {
      unsetenv("PLIANT_CACHE");
    }
  }

 private:
  std::optional<std::string> before_;
};

TEST(FillSurface, KeepsResultsByContent) {
  const TemporaryFolder folder;
  const CacheFolder cache(folder.file("deep/cache"));
  const auto files = [&] {
    int count = 0;
    for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator(folder.file("deep/cache"))) ++count;
    return count;
  };
  const TetMesh first = fill_surface(sphere(1, 2), {.tets = 500}, "sphere").mesh;
  EXPECT_EQ(files(), 1);
  const TetMesh second = fill_surface(sphere(1, 2), {.tets = 500}, "sphere").mesh;
  EXPECT_EQ(files(), 1);
  EXPECT_EQ(second.tets, first.tets);
  EXPECT_EQ(second.positions, first.positions);
  fill_surface(sphere(1, 2), {.tets = 600}, "sphere");
  fill_surface(sphere(1.5, 2), {.tets = 500}, "sphere");
  EXPECT_EQ(files(), 3);
}

TEST(FillSurface, MakesDamagedFilesAnew) {
  const TemporaryFolder folder;
  const CacheFolder cache(folder.file("cache"));
  const TetMesh good = fill_surface(sphere(1, 2), {.tets = 500}, "sphere").mesh;
  const std::string file = std::filesystem::directory_iterator(folder.file("cache"))->path().string();
  const std::string bytes = read_text(file);
  for (const std::size_t size : {std::size_t{0}, std::size_t{7}, bytes.size() / 2, bytes.size() - 1}) {
    std::ofstream(file, std::ios::binary | std::ios::trunc) << bytes.substr(0, size);
    EXPECT_EQ(fill_surface(sphere(1, 2), {.tets = 500}, "sphere").mesh.positions, good.positions);
    EXPECT_EQ(read_text(file), bytes);
  }
  std::string flipped = bytes;
  flipped[flipped.size() / 2] ^= 1;
  std::ofstream(file, std::ios::binary | std::ios::trunc) << flipped;
  EXPECT_EQ(fill_surface(sphere(1, 2), {.tets = 500}, "sphere").mesh.positions, good.positions);
}

TEST(FillSurface, WorksWithoutACache) {
  for (const char* folder : {"", "/dev/null/nowhere"}) {
    const CacheFolder cache(folder);
    EXPECT_FALSE(fill_surface(sphere(1, 2), {.tets = 500}, "sphere").mesh.tets.empty());
  }
}

const char* kSurface = R"(v -1 -1 -1
v 1 -1 -1
v 1 1 -1
v -1 1 -1
v -1 -1 1
v 1 -1 1
v 1 1 1
v -1 1 1
f 1 4 3 2
f 5 6 7 8
f 1 2 6 5
f 2 3 7 6
f 3 4 8 7
f 4 1 5 8
)";

TEST(FillSurface, ScenesFillASurfaceAndShowIt) {
  const TemporaryFolder folder;
  const CacheFolder cache("");
  std::ofstream(folder.file("cube.obj")) << kSurface;
  const std::string scene_file = folder.file("scene.json");
  const auto scene_with = [&](const std::string& more) {
    return parse_scene(
        R"({"bodies": [{"name": "a", "kind": "solid", "place": {"position": [0, 5, 0]}, )" + more + "}]}", scene_file);
  };
  Scene filled = scene_with(R"("shape": {"surface": {"file": "cube.obj", "tets": 400}})");
  EXPECT_NEAR(static_cast<double>(filled.world.tets(BodyId{0}).size()), 400, 40);
  ASSERT_TRUE(filled.world.has_skin(BodyId{0}));
  const auto shapes = shapes_of(filled.world);
  ASSERT_EQ(shapes.size(), 1u);
  ASSERT_EQ(shapes[0].positions.size(), 8u);  // the cube's own corners, not those of the tets
  EXPECT_LT(length(shapes[0].positions[6] - Vec3d{1, 6, 1}), 1e-6);
  EXPECT_EQ(shapes[0].triangles.size(), 12u);

  EXPECT_FALSE(scene_with(R"("shape": {"surface": {"file": "cube.obj", "cell": 0.5, "skin": false}})")
                   .world.has_skin(BodyId{0}));
  EXPECT_TRUE(scene_with(R"("shape": {"box": {"size": 2, "cells": 2}}, "skin": "cube.obj")").world.has_skin(BodyId{0}));
  EXPECT_TRUE(scene_with(R"("shape": {"blob": {"cells": 16, "tets": 900}})").world.has_skin(BodyId{0}));
}

TEST(FillSurface, ScenesNameWhatIsWrong) {
  const TemporaryFolder folder;
  std::ofstream(folder.file("flat.obj")) << "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n";
  const auto problem_of = [&](const std::string& body) -> std::string {
    try {
      parse_scene(R"({"bodies": [{"name": "a", )" + body + "}]}", folder.file("scene.json"));
      return "none";
    } catch (const Error& error) {
      return error.what();
    }
  };
  const auto has = [](const std::string& text, const char* part) { return text.find(part) != std::string::npos; };
  const std::string flat = problem_of(R"("kind": "solid", "shape": {"surface": {"file": "flat.obj", "tets": 50}})");
  EXPECT_TRUE(has(flat, "bodies[0].shape.surface") && has(flat, "flat.obj") && has(flat, "nothing inside")) << flat;
  const std::string missing = problem_of(R"("kind": "solid", "shape": {"surface": {"file": "no.obj"}})");
  EXPECT_TRUE(has(missing, "bodies[0].shape.surface") && has(missing, "no.obj")) << missing;
  const std::string cloth = problem_of(R"("kind": "cloth", "shape": {"surface": {"file": "flat.obj"}})");
  EXPECT_TRUE(has(cloth, "a cloth cannot be made from 'surface'")) << cloth;
  const std::string both =
      problem_of(R"("kind": "solid", "shape": {"surface": {"file": "flat.obj", "tets": 5, "cell": 1}})");
  EXPECT_TRUE(has(both, "tets") && has(both, "cell")) << both;
  const std::string skin = problem_of(R"("kind": "solid", "shape": {"box": {}}, "skin": "no.obj")");
  EXPECT_TRUE(has(skin, "bodies[0].skin") && has(skin, "no.obj")) << skin;
  const std::string blob = problem_of(R"("kind": "cloth", "shape": {"blob": {"tets": 100}})");
  EXPECT_TRUE(has(blob, "bodies[0].shape.blob.tets")) << blob;
}

}  // namespace
}  // namespace pliant::test
