// Programs of others open what we write: Blender, ParaView and Khronos' glTF validator, through the scripts of
// script/validate.d. Those that are not installed are skipped; script/validate installs them.

#include <gtest/gtest.h>
#include <sys/wait.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "io/body_shape.h"
#include "io/small_world.h"
#include "pliant/pliant.h"
#include "scene/temporary_folder.h"
#include "solver/element_fields.h"
#include "test_paths.h"

namespace pliant {
namespace {

using nlohmann::json;

constexpr int kFrames = 12;

struct Answer {
  int exit_code = -1;
  std::string out;
};

Answer run(const std::string& command) {
  Answer answer;
  std::FILE* pipe = popen((command + " 2>&1").c_str(), "r");
  if (pipe == nullptr) return answer;
  char piece[4096];
  while (const std::size_t size = std::fread(piece, 1, sizeof(piece), pipe)) answer.out.append(piece, size);
  const int status = pclose(pipe);
  answer.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  return answer;
}

bool installed(const std::string& program) { return run("command -v " + program).exit_code == 0; }

std::string in_quotes(const std::string& path) { return "'" + path + "'"; }
std::string script(const char* name) { return in_quotes(std::string(PLIANT_SOURCE_DIR "/script/validate.d/") + name); }

/// Smallest and largest, without what is not a number.
class Range {
 public:
  void add(double v) {
    if (std::isnan(v)) return;
    low_ = std::min(low_, v);
    high_ = std::max(high_, v);
  }
  operator json() const { return {low_, high_}; }

 private:
  double low_ = INFINITY, high_ = -INFINITY;
};

json describe(const World& world) {
  json frame = {{"code", world.steps()}, {"time", world.time()}};
  for (const BodyShape& shape : shapes_of(world)) {
    json positions = json::array();
    for (const auto& [x, y, z] : shape.positions) positions.push_back({x, y, z});
    frame["bodies"].push_back({{"name", shape.name}, {"positions", positions}, {"curve", !shape.edges.empty()}});
  }
  std::size_t points = 0, cells = 0;
  std::array<Range, 3> bounds;
  Range speed, strain, von_mises, energy;
  for (int b = 0; b < world.body_count(); ++b) {
    for (const Vec3d& x : world.positions(BodyId{b})) {
      for (int i = 0; i < 3; ++i) bounds[static_cast<std::size_t>(i)].add(x[i]);
      ++points;
    }
    for (const Vec3d& v : world.velocities(BodyId{b})) speed.add(length(v));
    const ElementFields fields = element_fields(world, BodyId{b});
    for (const double v : fields.strain) strain.add(v);
    for (const double v : fields.von_mises) von_mises.add(v);
    for (const double v : fields.energy_density) energy.add(v);
    cells += fields.strain.size();
  }
  json box = json::array();
  for (const Range& range : bounds) {
    for (const json& end : json(range)) box.push_back(end);
  }
  frame.update({{"points", points},
                {"cells", cells},
                {"bounds", box},
                {"velocity", speed},
                {"strain", strain},
                {"von_mises", von_mises},
                {"energy_density", energy}});
  return frame;
}

/// Writes all formats once for all tests, and beside them what is in three of the frames.
class Judges : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    folder_ = std::make_unique<test::TemporaryFolder>();
    World world = test::falling_world();
    std::vector<Writer> writers;
    for (const char* name : {"a.usda", "a.glb", "a.pc2", "a.pvd"}) writers.emplace_back(folder_->file(name));
    json expected = {{"first_code", 1}, {"last_code", kFrames}, {"frame_count", kFrames}, {"step", 1.0 / 60}};
    for (int f = 1; f <= kFrames; ++f) {
      world.step();
      for (Writer& writer : writers) writer.write(world);
      if (f == 1 || f == kFrames / 2 || f == kFrames) expected["frames"].push_back(describe(world));
    }
    for (Writer& writer : writers) writer.close();
    // glTF has a vertex per pair of texture coordinates: the positions of the sheet come in another order and number.
    folder_->write("expected.json", expected.dump());
    World plain({.step = 1.0 / 60, .substeps = 4, .threads = 1});
    plain.add(Solid{.name = "jelly", .mesh = box_tets({1, 1, 1}, {3, 3, 3}), .velocity = {1, 2, 3}});
    plain.add(Rope{.name = "line", .mesh = rope({3, 0, 0}, {4, 1, 0}, 4), .velocity = {0, 3, 1}});
    Writer out(folder_->file("plain.glb"));
    expected["frames"].clear();
    for (int f = 1; f <= kFrames; ++f) {
      plain.step();
      out.write(plain);
      if (f == 1 || f == kFrames / 2 || f == kFrames) expected["frames"].push_back(describe(plain));
    }
    out.close();
    folder_->write("expected_plain.json", expected.dump());
  }
  static void TearDownTestSuite() { folder_.reset(); }

  static std::string file(const char* name) { return in_quotes(folder_->file(name)); }

  static void expect_blender_agrees(const char* name, const char* expected) {
    if (!installed("blender")) GTEST_SKIP() << "Blender is not installed: script/validate blender";
    const Answer answer = run("blender --background --factory-startup --python " + script("blender_check.py") + " -- " +
                              file(name) + " " + file(expected));
    if (answer.exit_code == 77) GTEST_SKIP() << "this Blender was built without USD";
    EXPECT_EQ(answer.exit_code, 0) << answer.out;
    const std::size_t at = answer.out.find(": ");
    std::printf("%s: %s\n", name,
                at == std::string::npos ? "" : answer.out.substr(answer.out.rfind("Blender ", at)).c_str());
  }

  /// Where script/validate puts packages of npm; empty if this one is not there.
  static std::string npm_package(const char* name) {
    const char* given = std::getenv("PLIANT_NODE_MODULES");
    const std::string modules = given != nullptr ? given : PLIANT_VALIDATE_DIR "/node_modules";
    return installed("node") && std::filesystem::exists(modules + "/" + name) ? modules : "";
  }

  static std::unique_ptr<test::TemporaryFolder> folder_;
};
std::unique_ptr<test::TemporaryFolder> Judges::folder_;

TEST_F(Judges, BlenderOpensUsda) { expect_blender_agrees("a.usda", "expected.json"); }
TEST_F(Judges, BlenderOpensGlb) { expect_blender_agrees("plain.glb", "expected_plain.json"); }
TEST_F(Judges, BlenderOpensPc2) { expect_blender_agrees("a.pc2", "expected.json"); }

TEST_F(Judges, ParaViewOpensPvd) {
  if (!installed("pvpython")) GTEST_SKIP() << "ParaView is not installed: script/validate paraview";
  const Answer answer = run("pvpython --force-offscreen-rendering " + script("paraview_check.py") + " " +
                            file("a.pvd") + " " + file("expected.json"));
  EXPECT_EQ(answer.exit_code, 0) << answer.out;
  std::printf("%s", answer.out.c_str());
}

TEST_F(Judges, OpenUsdOpensUsda) {
  const std::string modules = npm_package("three-usdz-loader");
  if (modules.empty()) GTEST_SKIP() << "OpenUSD is not installed: script/validate usd";
  const Answer answer = run("node " + script("usd_check.js") + " " + in_quotes(modules) + " " + file("a.usda") + " " +
                            file("expected.json"));
  EXPECT_EQ(answer.exit_code, 0) << answer.out;
  std::printf("a.usda: %s", answer.out.c_str());
}

TEST_F(Judges, GltfValidatorFindsNothing) {
  const std::string modules = npm_package("gltf-validator");
  if (modules.empty()) GTEST_SKIP() << "gltf-validator is not installed: script/validate gltf";
  for (const char* name : {"a.glb", "plain.glb"}) {
    const Answer answer = run("node " + script("gltf_check.js") + " " + in_quotes(modules) + " " + file(name));
    EXPECT_EQ(answer.exit_code, 0) << answer.out;
    std::printf("%s: %s", name, answer.out.c_str());
  }
}

}  // namespace
}  // namespace pliant
