// Every experiment in its quick form stays inside of its bounds.
#include <nlohmann/json.hpp>
#include <sstream>

#include "experiments/experiment.h"
#include "pliant/mesh.h"
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

// Cells so small that two substeps do not resolve them: the body hangs lower than finite elements say.
TEST_F(QuickExperiment, OutsideIsOne) {
  const TetMesh mesh = box_tets({1, 1, 0.2}, {14, 14, 2});
  std::ostringstream nodes, elements;  // TetGen's format
  nodes << mesh.positions.size() << " 3 0 0\n";
  for (std::size_t v = 0; v < mesh.positions.size(); ++v) {
    const Vec3d& x = mesh.positions[v];
    nodes << v << " " << x.x << " " << x.y << " " << x.z << "\n";
  }
  elements << mesh.tets.size() << " 4 0\n";
  for (std::size_t t = 0; t < mesh.tets.size(); ++t) {
    elements << t;
    for (const int v : mesh.tets[t]) elements << " " << v;
    elements << "\n";
  }
  folder.write("models/armadillo_4k.node", nodes.str());
  folder.write("models/armadillo_4k.ele", elements.str());
  const Result result =
      run({"experiment", "cao22_table2", "--quick", "--models", folder.file("models"), "-o", folder.file("out")});
  EXPECT_EQ(result.exit_code, 1) << result.out << result.err;
  EXPECT_EQ(nlohmann::json::parse(read_text(folder.file("out/cao22_table2.json")))["verdict"], "outside");
  EXPECT_NE(result.out.find("OUT "), std::string::npos) << result.out;
}

}  // namespace
}  // namespace pliant::test
