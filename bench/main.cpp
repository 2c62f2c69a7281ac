// The benchmark program behind script/bench.

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <optional>
#include <vector>

#include "agreement.h"
#include "benchmarks.h"
#include "compare.h"
#include "core/file.h"
#include "pliant/error.h"
#include "roofline.h"

namespace {

using namespace pliant;

constexpr const char* kDescription =
    "Measures the engine's speed, against a plain scalar implementation where that has the same.\n"
    "\n"
    "First both simulate small scenes; if they do not agree nothing is measured. Then, per benchmark,\n"
    "engine and baseline take turns, and medians are shown. On one thread times are CPU time of that\n"
    "thread, on two they are wall time; the ratio is baseline / engine. The state hash is that of a\n"
    "fixed number of steps: it must not change unless the engine's results do.";

/// False where engine and baseline differ. Prints every comparison if asked to or if one fails.
bool check(bool verbose) {
  const std::vector<bench::Agreement> all = bench::compare_with_baseline();
  const bool good = std::all_of(all.begin(), all.end(), [](const bench::Agreement& a) { return a.agrees(); });
  for (const bench::Agreement& a : all) {
    if (good && !verbose) break;
    fmt::print("{:<19} engine and baseline differ by {:.1e} of the motion, {} {:.0e}\n", a.name, a.difference,
               a.agrees() ? "below" : "ABOVE", a.bound);
  }
  if (good) fmt::print("engine and baseline agree on {} small scenes\n", all.size());
  return good;
}

std::regex filter_of(const std::string& pattern) {
  try {
    return std::regex(pattern);
  } catch (const std::regex_error& e) {
    throw Error("--filter " + pattern, e.what(), "give a regular expression such as 'constraint/(distance|bend)'");
  }
}

int run(const std::string& json_path, const std::string& old_path, const std::string& roofline_path,
        const std::string& pattern, bool quick, bool only_check) {
  bench::Report report;
  bench::Suite suite(report, filter_of(pattern), quick);
  bench::add_constraint_benchmarks(suite);
  bench::add_step_benchmarks(suite);
  bench::add_scene_benchmarks(suite);
  bench::add_contact_benchmarks(suite);
  bench::add_setup_benchmarks(suite);
  bench::add_mesh_benchmarks(suite);
  if (suite.registered() == 0) {
    throw Error("--filter " + pattern, "no benchmark has such a name", "leave it out to see all names");
  }
  std::optional<AtomicFile> json;  // opened first: a wrong path should not cost a minute
  if (!json_path.empty()) json.emplace(json_path);

  std::optional<bench::OlderRun> old;
  if (!old_path.empty()) old.emplace(old_path);

  fmt::print("{}\n", bench::machine_facts());
  if (!check(only_check)) {
    fmt::print(stderr, "pliant_bench: the baseline does not compute what the engine computes\n");
    return 1;
  }
  if (only_check) return 0;
  fmt::print("\n");
  suite.run();
  if (const std::string errors = report.errors(); !errors.empty()) {
    fmt::print(stderr, "pliant_bench: {}{}", errors, json ? "the JSON file was not written\n" : "");
    return 1;
  }
  if (json) {
    json->write(report.json());
    json->commit();
  }
  if (!roofline_path.empty()) bench::write_roofline(report, roofline_path);
  if (old && old->compare(report) > 0) return 3;
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  std::string json, old, roofline, filter;
  bool quick = false, only_check = false;
  CLI::App app(kDescription, "pliant_bench");
  app.add_option("--json", json, "Write the results to this file, whole or not at all")->type_name("FILE");
  app.add_option("--compare", old, "Compare with what --json wrote earlier; exit code 3 if something is slower")
      ->type_name("FILE");
  app.add_option("--roofline", roofline, "Compare the kernels with the machine's limits: a table, and a picture here")
      ->type_name("FILE.svg");
  app.add_option("--filter", filter, "Run only benchmarks with a match in their name")->type_name("REGEX");
  app.add_flag("--quick", quick, "A third of the samples");
  app.add_flag("--check", only_check, "Only compare engine and baseline on the small scenes");
  CLI11_PARSE(app, argc, argv);
  try {
    return run(json, old, roofline, filter, quick, only_check);
  } catch (const std::exception& e) {
    fmt::print(stderr, "pliant_bench: {}\n", e.what());
    return 1;
  }
}
