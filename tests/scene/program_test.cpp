// The program from outside: exit codes, files, what it prints, what it does when it is interrupted.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include <chrono>
#include <nlohmann/json.hpp>
#include <regex>
#include <thread>

#include "pliant/scene.h"
#include "scene/program.h"

namespace pliant::test {
namespace {

using nlohmann::json;

/// A flag of 4 x 3 squares, quick to simulate.
constexpr const char* kScene = R"({"title": "Flag", "frames": 6, "bodies": [
  {"name": "flag", "kind": "cloth", "shape": {"grid": {"cells": [4, 3]}}},
  {"name": "line", "kind": "rope", "shape": {"rope": {"segments": 4}}}],
  "pins": [{"body": "flag", "select": {"vertices": [0]}}]})";

/// Frames without end.
constexpr const char* kLongScene = R"({"frames": 1000000, "bodies": [
  {"name": "flag", "kind": "cloth", "shape": {"grid": {"cells": [30, 30]}}}]})";

class Program : public ProgramTest {
 protected:
  void SetUp() override {
    ProgramTest::SetUp();
    scene = folder.write("scene.json", kScene);
  }

  std::string scene;
};

TEST_F(Program, HelpAndVersion) {
  const Result help = run({"--help"});
  EXPECT_EQ(help.exit_code, 0);
  EXPECT_NE(help.out.find("Examples:"), std::string::npos);
  for (const char* command : {"run", "check", "info", "schema", "experiment"}) {
    EXPECT_NE(help.out.find(command), std::string::npos);
    const Result own = run({command, "--help"});
    EXPECT_EQ(own.exit_code, 0);
    EXPECT_NE(own.out.find("Example"), std::string::npos) << command;
  }
  const Result version_line = run({"--version"});
  EXPECT_EQ(version_line.exit_code, 0);
  EXPECT_EQ(version_line.out, std::string("pliant ") + version() + "\n");
}

TEST_F(Program, BadArguments) {
  for (const auto& arguments : std::vector<std::vector<std::string>>{{},
                                                                     {"walk"},
                                                                     {"run"},
                                                                     {"run", scene, "--faster"},
                                                                     {"run", scene, "--frames", "0"},
                                                                     {"run", scene, "--frames", "many"},
                                                                     {"run", scene, "--threads", "-2"},
                                                                     {"check"},
                                                                     {"info"}}) {
    const Result result = run(arguments);
    EXPECT_EQ(result.exit_code, 2);
    EXPECT_FALSE(result.err.empty());
    EXPECT_EQ(result.out, "");
  }
}

TEST_F(Program, RunWritesAllFrames) {
  const Result result = run({"run", scene, "-o", folder.file("a.obj"), "-o", folder.file("b/c_##.ply")});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  for (int frame = 0; frame < 6; ++frame) {
    EXPECT_TRUE(std::filesystem::exists(folder.file("a.000" + std::to_string(frame) + ".obj"))) << frame;
    EXPECT_TRUE(std::filesystem::exists(folder.file("b/c_0" + std::to_string(frame) + ".ply"))) << frame;
  }
  EXPECT_FALSE(std::filesystem::exists(folder.file("a.0006.obj")));
  EXPECT_NE(result.out.find("Flag"), std::string::npos);
  EXPECT_NE(result.out.find("wrote"), std::string::npos);
  EXPECT_NE(result.err.find("frame 6/6"), std::string::npos) << result.err;
  EXPECT_NE(result.err.find("steps/s"), std::string::npos);
  expect_no_control_characters(result.out + result.err);
}

TEST_F(Program, DrawsABarOnATerminal) {
  const int terminal = posix_openpt(O_RDWR | O_NOCTTY);
  ASSERT_GE(terminal, 0);
  ASSERT_EQ(grantpt(terminal), 0);
  ASSERT_EQ(unlockpt(terminal), 0);
  files.write("stderr", "");
  const std::string name = ptsname(terminal);
  const int open_end = open(name.c_str(), O_RDWR | O_NOCTTY);  // or what was written would be lost with the program
  EXPECT_EQ(wait(start({"run", scene}, name)).exit_code, 0);
  char drawn[4096];
  const ssize_t size = read(terminal, drawn, sizeof drawn);
  ASSERT_GT(size, 0);
  const std::string text(drawn, static_cast<size_t>(size));
  EXPECT_NE(text.find("\r[#"), std::string::npos) << text;
  EXPECT_NE(text.find("6/6"), std::string::npos) << text;
  EXPECT_NE(text.find("steps/s"), std::string::npos) << text;
  close(open_end);
  close(terminal);
}

TEST_F(Program, QuietPrintsNothing) {
  const Result result = run({"run", scene, "--quiet", "-o", folder.file("a.obj")});
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_EQ(result.out + result.err, "");
}

TEST_F(Program, FramesReplaceTheScenes) {
  EXPECT_EQ(run({"run", scene, "--frames", "2", "-o", folder.file("a.obj")}).exit_code, 0);
  EXPECT_EQ(folder.names(), (std::vector<std::string>{"a.0000.obj", "a.0001.obj", "scene.json"}));
}

TEST_F(Program, StatsSayWhatHappened) {
  ASSERT_EQ(run({"run", scene, "--threads", "2", "--stats", folder.file("deep/stats.json")}).exit_code, 0);
  const json stats = json::parse(read_text(folder.file("deep/stats.json")));
  Scene same = load_scene(scene);
  for (int i = 0; i < same.frames; ++i) same.world.step();
  char hash[17];
  std::snprintf(hash, sizeof hash, "%016llx", static_cast<unsigned long long>(same.world.state_hash()));
  EXPECT_EQ(stats["state_hash"], hash);
  EXPECT_EQ(stats["version"], version());
  EXPECT_EQ(stats["frames"], 6);
  EXPECT_EQ(stats["interrupted"], false);
  EXPECT_EQ(stats["particles"], 25);
  EXPECT_EQ(stats["threads"], 2);
  EXPECT_GE(stats["simd_width"], 1);
  // 4 x 3 squares have 4*4 + 3*5 + 12 edges, of which 14 are on the border; the line has 4.
  std::map<std::string, int64_t> constraints;
  for (const json& type : stats["constraint_types"]) {
    constraints[type["type"]] = type["constraints"].get<int64_t>();
    EXPECT_GE(type["colors"], type["type"] == "tether" ? 1 : 2);  // to a pin: they share nothing that moves
    EXPECT_GT(type["batch_fill"], 0.0);
    EXPECT_LE(type["batch_fill"], 1.0);
  }
  EXPECT_EQ(constraints["distance"], 43 + 4);
  EXPECT_EQ(constraints["isometric_bend"], 43 - 14);
  int64_t all = 0;
  for (const auto& [type, count] : constraints) all += count;
  EXPECT_EQ(stats["constraints"], all);
  EXPECT_GT(stats["ms_per_step"]["median"], 0.0);
  EXPECT_GE(stats["ms_per_step"]["p95"], stats["ms_per_step"]["median"]);
  EXPECT_NEAR(stats["ns_per_constraint_iteration"].get<double>(),
              stats["ms_per_step"]["median"].get<double>() * 1e6 / (10.0 * double(all)), 1e-6);
  EXPECT_GT(stats["peak_memory_bytes"], 1000000);
  const Measures measures = same.world.measures();
  EXPECT_DOUBLE_EQ(stats["measures"]["total_energy"].get<double>(), measures.total_energy);
  EXPECT_DOUBLE_EQ(stats["measures"]["linear_momentum"][1].get<double>(), measures.linear_momentum.y);
  EXPECT_DOUBLE_EQ(stats["measures"]["time"].get<double>(), measures.time);
  EXPECT_TRUE(stats["troubles"].empty());
}

TEST_F(Program, HashDoesNotDependOnThreads) {
  ASSERT_EQ(run({"run", scene, "--threads", "1", "--stats", folder.file("one.json")}).exit_code, 0);
  ASSERT_EQ(run({"run", scene, "--threads", "3", "--stats", folder.file("three.json")}).exit_code, 0);
  EXPECT_EQ(json::parse(read_text(folder.file("one.json")))["state_hash"],
            json::parse(read_text(folder.file("three.json")))["state_hash"]);
}

TEST_F(Program, ResumeContinuesToTheBit) {
  ASSERT_EQ(run({"run", scene, "--stats", folder.file("whole.json")}).exit_code, 0);
  ASSERT_EQ(run({"run", scene, "--frames", "4", "--snapshot", folder.file("half.state")}).exit_code, 0);
  const Result rest = run({"run", scene, "--resume", folder.file("half.state"), "--stats", folder.file("rest.json"),
                           "-o", folder.file("rest.obj")});
  ASSERT_EQ(rest.exit_code, 0) << rest.err;
  EXPECT_EQ(json::parse(read_text(folder.file("whole.json")))["state_hash"],
            json::parse(read_text(folder.file("rest.json")))["state_hash"]);
  EXPECT_FALSE(std::filesystem::exists(folder.file("rest.0003.obj")));
  EXPECT_TRUE(std::filesystem::exists(folder.file("rest.0004.obj"))) << "numbers go on";
  EXPECT_TRUE(std::filesystem::exists(folder.file("rest.0005.obj")));
  EXPECT_NE(rest.out.find("resumed at frame 4"), std::string::npos) << rest.out;
}

TEST_F(Program, SavesNowAndThen) {
  const Result first = run({"run", scene, "--frames", "5", "--save-every", "2", "-o", folder.file("out/a_##.ply")});
  ASSERT_EQ(first.exit_code, 0) << first.err;
  EXPECT_TRUE(std::filesystem::exists(folder.file("out/a.state"))) << "beside the output";
  EXPECT_NE(first.out.find("a.state"), std::string::npos) << first.out;
  const Result named =
      run({"run", scene, "--save-every", "4", "--save", folder.file("s.state"), "--stats", folder.file("whole.json")});
  ASSERT_EQ(named.exit_code, 0) << named.err;
  ASSERT_EQ(run({"run", scene, "--resume", folder.file("out/a.state"), "--stats", folder.file("rest.json"), "-o",
                 folder.file("out/a_##.ply")})
                .exit_code,
            0);
  EXPECT_EQ(json::parse(read_text(folder.file("whole.json")))["state_hash"],
            json::parse(read_text(folder.file("rest.json")))["state_hash"]);
  EXPECT_TRUE(std::filesystem::exists(folder.file("out/a_05.ply")));
}

TEST_F(Program, WritesSeveralFormatsAtOnce) {
  std::vector<std::string> arguments{"run", scene};
  for (const char* name : {"a.usda", "a.glb", "a.pc2", "a.mdd", "a.pvd", "a.obj", "a.ply"}) {
    arguments.insert(arguments.end(), {"-o", folder.file(std::string("out/") + name)});
  }
  const Result result = run(arguments);
  ASSERT_EQ(result.exit_code, 0) << result.err;
  for (const char* name : {"a.usda", "a.glb", "a.pc2", "a.mdd", "a.rest.obj", "a.pvd", "a.0005.vtu", "a.0005.obj"}) {
    EXPECT_TRUE(std::filesystem::exists(folder.file(std::string("out/") + name))) << name;
  }
}

TEST_F(Program, ResumeAtTheEndSaysSo) {
  ASSERT_EQ(run({"run", scene, "--snapshot", folder.file("end.state")}).exit_code, 0);
  const Result result = run({"run", scene, "--resume", folder.file("end.state"), "-o", folder.file("a.obj")});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_NE(result.err.find("at frame 6 already"), std::string::npos) << result.err;
  EXPECT_FALSE(std::filesystem::exists(folder.file("a.0000.obj")));
}

TEST_F(Program, BadInputIsOneLineAndTwo) {
  const std::string text = folder.write("text.txt", "this is no folder");
  const std::string wrong = folder.write(
      "wrong.json", R"({"bodies": [{"name": "a", "kind": "cloth", "shape": {"grid": {}}, "density": -1}]})");
  const std::string other =
      folder.write("other.json", R"({"bodies": [{"name": "a", "kind": "rope", "shape": {"rope": {}}}]})");
  ASSERT_EQ(run({"run", other, "--snapshot", folder.file("other.state"), "--frames", "1"}).exit_code, 0);
  const struct {
    std::vector<std::string> arguments;
    std::string must_name;
  } cases[] = {
      {{"run", folder.file("none.json")}, "none.json"},
      {{"run", wrong}, "wrong.json: bodies[0].density"},
      {{"check", wrong}, "wrong.json: bodies[0].density"},
      {{"run", scene, "-o", folder.file("a.unheard")}, "a.unheard"},
      {{"run", scene, "-o", text + "/a.obj"}, "text.txt"},
      {{"run", scene, "--stats", text + "/s.json"}, "text.txt"},
      {{"run", scene, "--snapshot", text + "/s.state"}, "text.txt"},
      {{"run", scene, "--resume", folder.file("none.state")}, "none.state"},
      {{"run", scene, "--resume", text}, "text.txt"},
      {{"run", scene, "--resume", folder.file("other.state")}, "other.state"},
      {{"info", folder.file("none.obj")}, "none.obj"},
      {{"info", text}, "text.txt"},
  };
  for (const auto& bad : cases) {
    const Result result = run(bad.arguments);
    EXPECT_EQ(result.exit_code, 2) << bad.must_name;
    EXPECT_NE(result.err.find(bad.must_name), std::string::npos) << result.err;
    const size_t message = result.err.find("pliant: ");
    ASSERT_NE(message, std::string::npos) << result.err;
    EXPECT_EQ(result.err.find('\n', message), result.err.size() - 1) << "one line at the end: " << result.err;
  }
}

TEST_F(Program, UnknownFieldHasASuggestion) {
  const Result result = run({"check", folder.write("typo.json", R"({"bodys": []})")});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_NE(result.err.find("bodies"), std::string::npos) << result.err;
}

TEST_F(Program, TroubleIsOne) {
  // The second frame's step would be 1e30 m, whose square is no float.
  const std::string path = folder.write("trouble.json", R"({"frames": 5, "bodies": [
    {"name": "shot", "kind": "rope", "shape": {"rope": {"segments": 2}}, "acceleration": [1e38, 0, 0]}]})");
  const Result result = run({"run", path, "--stats", folder.file("stats.json")});
  EXPECT_EQ(result.exit_code, 1) << result.err;
  EXPECT_NE(result.err.find("pliant: trouble:"), std::string::npos) << result.err;
  const json stats = json::parse(read_text(folder.file("stats.json")));
  ASSERT_FALSE(stats["troubles"].empty());
  EXPECT_EQ(stats["troubles"][0]["body"], "shot");
}

TEST_F(Program, WarningsAreShown) {
  const std::string path = folder.write("warning.json", R"({"frames": 1, "bodies": [{"name": "a", "kind": "rope",
    "shape": {"rope": {}}, "constraints": {"distance": {"stiffness": 0.5}}}]})");
  for (const char* command : {"run", "check"}) {
    const Result result = run({command, path});
    EXPECT_EQ(result.exit_code, 0);
    EXPECT_NE(result.err.find("pliant: warning: "), std::string::npos);
  }
}

// ------------------------------------------------------------------ interrupts

class ProgramInterrupt : public Program, public testing::WithParamInterface<int> {};

TEST_P(ProgramInterrupt, LeavesCompleteFilesOnly) {
  const std::string path = folder.write("long.json", kLongScene);
  const pid_t child = start({"run", path, "-o", folder.file("a.obj"), "--snapshot", folder.file("a.state"), "--stats",
                             folder.file("stats.json")});
  // In the middle: some frames are there, and far from all.
  const auto patience = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  while (!std::filesystem::exists(folder.file("a.0003.obj")) && std::chrono::steady_clock::now() < patience) {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  kill(child, GetParam());
  const Result result = wait(child);
  EXPECT_EQ(result.exit_code, 130) << result.err;
  EXPECT_NE(result.err.find("interrupted"), std::string::npos);
  expect_no_control_characters(result.out + result.err);

  const json stats = json::parse(read_text(folder.file("stats.json")));
  EXPECT_EQ(stats["interrupted"], true);
  const int64_t frames = stats["frames"].get<int64_t>();
  EXPECT_GE(frames, 4);

  // Exactly one whole file per frame, and nothing that was left over.
  const std::string first = read_text(folder.file("a.0000.obj"));
  const auto lines = [](const std::string& text) { return std::count(text.begin(), text.end(), '\n'); };
  int64_t count = 0;
  for (const std::string& name : folder.names()) {
    if (name == "long.json" || name == "scene.json" || name == "a.state" || name == "stats.json") continue;
    ASSERT_TRUE(std::regex_match(name, std::regex("a\\.[0-9]{4,}\\.obj"))) << name;
    EXPECT_EQ(lines(read_text(folder.file(name))), lines(first)) << name;
    ++count;
  }
  EXPECT_EQ(count, frames);

  // The snapshot is whole, too: one frame more can be made from it.
  const Result more = run({"run", path, "--resume", folder.file("a.state"), "--frames", std::to_string(frames + 1)});
  EXPECT_EQ(more.exit_code, 0) << more.err;
}

INSTANTIATE_TEST_SUITE_P(Signals, ProgramInterrupt, testing::Values(SIGINT, SIGTERM),
                         [](const auto& info) { return info.param == SIGINT ? "Interrupt" : "Terminate"; });

// ------------------------------------------------------------------ check, info, schema

TEST_F(Program, CheckSaysWhatIsInAScene) {
  const Result result = run({"check", scene});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  for (const char* part : {"Flag", "6 frames", "2 bodies", "25 particles", "flag", "cloth", "20 vertices",
                           "24 triangles", "line", "rope", "distance", "bend", "47 in"}) {
    EXPECT_NE(result.out.find(part), std::string::npos) << part << " is not in\n" << result.out;
  }
  expect_no_control_characters(result.out);
  EXPECT_EQ(folder.names(), (std::vector<std::string>{"scene.json"}));
}

TEST_F(Program, InfoOfSurfaces) {
  const std::string tetrahedron = "v 0 0 0\nv 1 0 0\nv 0 2 0\nv 0 0 3\n";
  const Result closed = run({"info", folder.write("closed.obj", tetrahedron + "f 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n")});
  EXPECT_EQ(closed.exit_code, 0) << closed.err;
  for (const char* part : {"triangles 4, 4 vertices", "to [1, 2, 3]", "yes, 1 m^3 inside",
                           "edges     6, from 1 to 3.60555", "pieces    1", "defects   none"}) {
    EXPECT_NE(closed.out.find(part), std::string::npos) << part << " is not in\n" << closed.out;
  }
  const Result open = run({"info", folder.write("open.obj", tetrahedron + "f 1 3 2\n")});
  EXPECT_NE(open.out.find("closed    no"), std::string::npos) << open.out;
  EXPECT_EQ(open.exit_code, 0);
  const Result wound = run({"info", folder.write("wound.obj", tetrahedron + "f 1 3 2\nf 1 4 2\nf 1 4 3\nf 2 3 4\n")});
  EXPECT_NE(wound.out.find("defects   1 elements are wound"), std::string::npos) << wound.out;
  EXPECT_EQ(wound.exit_code, 0);
  const Result bad = run({"info", folder.write("bad.obj", tetrahedron + "f 1 3 3\n")});
  EXPECT_NE(bad.out.find("defects   "), std::string::npos) << bad.out;
  EXPECT_EQ(bad.out.find("defects   none"), std::string::npos);
  EXPECT_EQ(bad.exit_code, 1) << bad.err;
}

TEST_F(Program, InfoTellsOfHolesQualityAndUnits) {
  const std::string bad =
      folder.write("bad.obj", "v 0 0 0\nv 100 0 0\nv 100 100 0\nv 0 100 0\nv 0 0 0\nv 9 9 9\nf 1 2 3\nf 5 3 4\n");
  const Result info = run({"info", bad});
  for (const char* line : {"closed    no, 6 edges around", "manifold  yes", "centimetres?",
                           "1 lie where another one does", "triangle angles from 45 to 90 degrees"}) {
    EXPECT_NE(info.out.find(line), std::string::npos) << line << " in " << info.out;
  }
  const std::string mixed = folder.write("mixed.vtk",
                                         "# vtk DataFile Version 2.0\nt\nASCII\nDATASET UNSTRUCTURED_GRID\nPOINTS 5 "
                                         "float\n0 0 0 1 0 0 0 1 0 0 0 1 1 1 0.01\nCELLS 2 11\n4 0 2 1 3\n5 0 1 2 3 4\n"
                                         "CELL_TYPES 2\n10\n14\n");
  const Result tets = run({"info", mixed});
  EXPECT_EQ(tets.exit_code, 0) << tets.err;
  for (const char* line : {"tets      1, 4 vertices", "1 cells of type pyramid were skipped",
                           "1 inverted tets were turned around", "slivers   none"}) {
    EXPECT_NE(tets.out.find(line), std::string::npos) << line << " in " << tets.out;
  }
}

TEST_F(Program, MergesVerticesOnRequest) {
  folder.write("split.obj", "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 0 0\nv 1 1 0\nv 0 1 0\nf 1 2 3\nf 4 5 6\n");
  const auto scene_with = [&](const char* shape) {
    return folder.write("merge.json", std::string(R"({"frames": 1, "bodies": [{"name": "a", "kind": "cloth", "color":
      [0.1, 0.2, 0.3], "shape": )") + shape +
                                          "}]}");
  };
  const Result apart = run({"run", scene_with(R"({"file": "split.obj"})")});
  EXPECT_NE(apart.out.find("6 particles"), std::string::npos) << apart.out << apart.err;
  const Result merged = run({"run", scene_with(R"({"file": "split.obj", "merge": 0})")});
  EXPECT_NE(merged.out.find("4 particles"), std::string::npos) << merged.out << merged.err;
  EXPECT_NE(merged.err.find("2 vertices were joined"), std::string::npos) << merged.err;
  const Result wrong = run({"run", scene_with(R"({"grid": {}, "merge": 0})")});
  EXPECT_EQ(wrong.exit_code, 2);
  EXPECT_NE(wrong.err.find("shape.merge: only the vertices of a file"), std::string::npos) << wrong.err;
}

TEST_F(Program, InfoOfTetsAndLines) {
  folder.write("one.node", "4 3 0 0\n0 0 0 0\n1 1 0 0\n2 0 2 0\n3 0 0 3\n");
  const Result tets = run({"info", folder.write("one.ele", "1 4 0\n0 0 1 2 3\n")});
  EXPECT_EQ(tets.exit_code, 0) << tets.err;
  EXPECT_NE(tets.out.find("tets      1, 4 vertices"), std::string::npos) << tets.out;
  EXPECT_NE(tets.out.find("volume    1 m^3"), std::string::npos) << tets.out;
  const Result line = run({"info", folder.write("line.obj", "v 0 0 0\nv 3 4 0\nv 3 4 1\nl 1 2 3\n")});
  EXPECT_EQ(line.exit_code, 0) << line.err;
  EXPECT_NE(line.out.find("length    6 m"), std::string::npos) << line.out;
}

TEST_F(Program, SchemaIsTheLibrarys) {
  const Result result = run({"schema"});
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_EQ(result.out, scene_schema());
}

}  // namespace
}  // namespace pliant::test
