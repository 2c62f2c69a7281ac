// pliant experiment from outside: what it lists, writes and answers.
#include <signal.h>

#include <chrono>
#include <nlohmann/json.hpp>
#include <thread>

#include "scene/program.h"

namespace pliant::test {
namespace {

using nlohmann::json;

class ExperimentProgram : public ProgramTest {};

TEST_F(ExperimentProgram, ListsAllWithALineEach) {
  const Result result = run({"experiment", "list"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  for (const char* name : {"bender14_fig2",   "bender14_appendix_a",
                           "bender14_fig4",   "bender14_fig5",
                           "bender14_fig6",   "bender14_fig8",
                           "bender14_fig9",   "bender14_fig11",
                           "bender14_table1", "cao22_fig2",
                           "cao22_table2",    "validation",
                           "settings",        "vibration",
                           "scale",           "mueller14_fig2",
                           "mueller14_fig4",  "mueller14_fig4_twist",
                           "bender14_fig10",  "mueller14_fig3",
                           "bender13_fig4",   "mueller14_fig4_modes",
                           "mueller14_fig5"}) {
    EXPECT_NE(result.out.find(std::string(name) + " "), std::string::npos) << name << " is not in\n" << result.out;
  }
  expect_no_control_characters(result.out);
}

TEST_F(ExperimentProgram, WritesTableAndVerdict) {
  const Result result = run({"experiment", "bender14_fig2", "-o", folder.file("a/b")});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const std::string csv = read_text(folder.file("a/b/bender14_fig2.csv"));
  EXPECT_EQ(csv.find("stretch,stvk [Pa]"), 0u);
  EXPECT_GT(std::count(csv.begin(), csv.end(), '\n'), 100);
  const json verdict = json::parse(read_text(folder.file("a/b/bender14_fig2.json")));
  EXPECT_EQ(verdict["experiment"], "bender14_fig2");
  EXPECT_EQ(verdict["verdict"], "inside");
  EXPECT_NEAR(verdict["figures"][0]["value"].get<double>(), 0.57735, 1e-5);
  EXPECT_EQ(verdict["figures"][0]["inside"], true);
  EXPECT_NE(result.out.find("inside the stated bounds"), std::string::npos);
  expect_no_control_characters(result.out + result.err);
}

TEST_F(ExperimentProgram, LeavesAScriptWhereThereIsNoGnuplot) {
  const Result result = wait(start({"experiment", "bender14_fig2", "-o", folder.path()}, {}, folder.path()));
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_NE(result.err.find("gnuplot is not installed"), std::string::npos) << result.err;
  EXPECT_EQ(folder.names(),
            (std::vector<std::string>{"bender14_fig2.csv", "bender14_fig2.gnuplot", "bender14_fig2.json"}));
  EXPECT_NE(read_text(folder.file("bender14_fig2.gnuplot")).find("set output \"bender14_fig2.svg\""),
            std::string::npos);
}

TEST_F(ExperimentProgram, AnUnknownNameHasASuggestion) {
  const Result result = run({"experiment", "bender14_fg2", "-o", folder.path()});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_NE(result.err.find("did you mean \"bender14_fig2\"?"), std::string::npos) << result.err;
  EXPECT_TRUE(folder.names().empty());
}

TEST_F(ExperimentProgram, BadInputIsTwo) {
  EXPECT_EQ(run({"experiment"}).exit_code, 2);
  const std::string text = folder.write("text.txt", "this is no folder");
  const Result result = run({"experiment", "bender14_fig2", "-o", text});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_NE(result.err.find("text.txt"), std::string::npos) << result.err;
}

TEST_F(ExperimentProgram, InterruptedItWritesNothing) {
  const pid_t child = start({"experiment", "settings", "-o", folder.path()});  // minutes
  const auto patience = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  const auto begun = [&] {
    return std::filesystem::exists(files.file("stdout")) && !read_text(files.file("stdout")).empty();
  };
  while (!begun() && std::chrono::steady_clock::now() < patience) {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  kill(child, SIGINT);
  const Result result = wait(child);
  EXPECT_EQ(result.exit_code, 130) << result.err;
  EXPECT_NE(result.err.find("interrupted in settings"), std::string::npos) << result.err;
  EXPECT_TRUE(folder.names().empty());
}

}  // namespace
}  // namespace pliant::test
