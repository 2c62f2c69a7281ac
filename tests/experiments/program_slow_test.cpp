// Every experiment in its quick form stays inside of its bounds.
#include <nlohmann/json.hpp>

#include "experiments/experiment.h"
#include "scene/program.h"

namespace pliant::test {
namespace {

class QuickExperiment : public ProgramTest {};

TEST_F(QuickExperiment, AllAreInside) {
  unsetenv("PLIANT_MODELS");  // the generated bodies, on every machine
  for (const experiments::Experiment* experiment : experiments::all_experiments()) {
    const std::string name = experiment->name;
    SCOPED_TRACE(name);
    const Result result = run({"experiment", name, "--quick", "--quiet", "-o", folder.path()});
    const auto verdict = nlohmann::json::parse(read_text(folder.file(name + ".json")));
    EXPECT_EQ(verdict["quick"], true);
    EXPECT_GT(read_text(folder.file(name + ".csv")).size(), 50u);
    // How fast this machine is, is not for a test to judge; the exit code must be the verdict's all the same.
    const bool inside = verdict["verdict"] == "inside";
    EXPECT_EQ(result.exit_code, inside ? 0 : 1) << result.err;
    if (name != "bender14_table1") {
      EXPECT_TRUE(inside) << result.out;
    }
  }
}

}  // namespace
}  // namespace pliant::test
