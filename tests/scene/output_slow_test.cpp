// Outputs of long and of killed runs: no final file is ever half a file, what was saved goes on to the bit, and memory
// does not grow with the number of frames.

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include <chrono>
#include <cstring>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <random>
#include <thread>

#include "io/mesh_reader.h"
#include "scene/program.h"

namespace pliant::test {
namespace {

using nlohmann::json;

uint32_t u32_at(const std::string& bytes, std::size_t offset) {
  uint32_t value = 0;
  if (offset + 4 <= bytes.size()) std::memcpy(&value, bytes.data() + offset, 4);
  return value;
}

class LongRun : public ProgramTest {
 protected:
  /// Every file under its final name is complete.
  void expect_whole_files() const {
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder.file("out"))) {
      const std::string path = entry.path().string(), ending = entry.path().extension().string();
      if (path.find(".part-") != std::string::npos) continue;
      const std::string bytes = read_text(path);
      if (ending == ".usda") {
        EXPECT_TRUE(bytes.ends_with("    }\n}\n")) << path;
      }
      if (ending == ".glb") {
        EXPECT_EQ(u32_at(bytes, 8), bytes.size()) << path;
      }
      if (ending == ".pc2") {
        EXPECT_EQ(bytes.size(), 32u + 12u * u32_at(bytes, 16) * u32_at(bytes, 28)) << path;
      }
      if (ending == ".pvd") {
        EXPECT_TRUE(bytes.ends_with("</VTKFile>\n")) << path;
      }
      if (ending == ".vtu") {
        EXPECT_TRUE(bytes.ends_with("</VTKFile>\n")) << path;
      }
      if (ending == ".ply") {
        EXPECT_NO_THROW(read_tri_mesh(path)) << path;
      }
    }
  }

  std::vector<std::string> arguments(const std::string& scene, bool resume) const {
    std::vector<std::string> out{"run",
                                 scene,
                                 "--quiet",
                                 "--save-every",
                                 "3",
                                 "--save",
                                 folder.file("out/s.state"),
                                 "--stats",
                                 folder.file("out/stats.json")};
    for (const char* name : {"a.usda", "a.glb", "a.pc2", "a.pvd", "a.ply"}) {
      out.insert(out.end(), {"-o", folder.file(std::string("out/") + name)});
    }
    if (resume) out.insert(out.end(), {"--resume", folder.file("out/s.state")});
    return out;
  }
};

TEST_F(LongRun, KilledTwentyTimesItEndsAsIfItNeverWas) {
  const std::string scene = folder.write("scene.json", R"({"frames": 150, "bodies": [
    {"name": "flag", "kind": "cloth", "shape": {"grid": {"cells": [12, 12]}}},
    {"name": "jelly", "kind": "solid", "material": {"young": 1e4}, "shape": {"box": {"cells": [3, 3, 3]}}}],
    "pins": [{"body": "flag", "select": {"vertices": [0]}}]})");
  ASSERT_EQ(run({"run", scene, "--quiet", "--stats", folder.file("whole.json")}).exit_code, 0);
  std::filesystem::create_directory(folder.file("out"));
  std::mt19937 random(7);
  int killed = 0;
  for (int round = 0; round < 20; ++round) {
    // From the start every third time, from what was saved otherwise.
    const bool resume = round % 3 != 0 && std::filesystem::exists(folder.file("out/s.state"));
    const pid_t child = start(arguments(scene, resume));
    std::this_thread::sleep_for(std::chrono::milliseconds(20 + random() % 400));
    kill(child, SIGKILL);
    killed += wait(child).exit_code == -SIGKILL;
    expect_whole_files();
  }
  EXPECT_GT(killed, 3) << "or nothing was tried";
  const bool resume = std::filesystem::exists(folder.file("out/s.state"));
  const Result last = wait(start(arguments(scene, resume)));
  ASSERT_EQ(last.exit_code, 0) << last.err;
  expect_whole_files();
  EXPECT_EQ(json::parse(read_text(folder.file("out/stats.json")))["state_hash"],
            json::parse(read_text(folder.file("whole.json")))["state_hash"]);
  for (const char* name : {"a.usda", "a.glb", "a.pc2", "a.pvd", "a.0000.ply", "a.0149.ply", "a.0149.vtu"}) {
    EXPECT_TRUE(std::filesystem::exists(folder.file(std::string("out/") + name))) << name;
  }
}

TEST_F(LongRun, MemoryDoesNotGrowWithFrames) {
  const std::string scene = folder.write("scene.json", R"({"solver": {"substeps": 1, "threads": 1}, "bodies": [
    {"name": "flag", "kind": "cloth", "shape": {"grid": {"cells": [2, 2]}}}]})");
  const auto peak_kilobytes = [&](const char* frames) {
    const pid_t child = start({"run", scene, "--quiet", "--frames", frames, "-o", folder.file("a.usda"), "-o",
                               folder.file("a.glb"), "-o", folder.file("a.pc2"), "-o", folder.file("a.mdd")});
    int status = 0;
    rusage usage{};
    wait4(child, &status, 0, &usage);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    return usage.ru_maxrss;
  };
  const long few = peak_kilobytes("100"), many = peak_kilobytes("10000");
  std::printf("peak memory: %ld kB for 100 frames, %ld kB for 10000\n", few, many);
  // The frames hold 9 vertices of 24 bytes: 2 MB. What does grow is the list of step times, 80 kB.
  EXPECT_LT(many - few, 1024);
  EXPECT_GT(std::filesystem::file_size(folder.file("a.usda")), 3000000u);
}

}  // namespace
}  // namespace pliant::test
