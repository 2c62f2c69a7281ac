#include "compare.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>

#include "pliant/error.h"

namespace pliant::bench {

namespace {

std::optional<double> number(const nlohmann::json& object, const char* name) {
  const auto found = object.find(name);
  if (found == object.end() || !found->is_number()) return {};
  return found->get<double>();
}

}  // namespace

OlderRun::OlderRun(const std::string& path) : path_(path) {
  std::ifstream file(path);
  if (!file) throw Error(path, "it cannot be read", "give a file that --json has written");
  text_.assign(std::istreambuf_iterator<char>(file), {});
  const nlohmann::json json = nlohmann::json::parse(text_, nullptr, false);
  if (!json.is_object() || !json.contains("rows") || !json["rows"].is_array()) {
    throw Error(path, "it has no list of rows", "give a file that --json has written");
  }
  for (const nlohmann::json& row : json["rows"]) {
    if (row.is_object() && row.contains("name") && row["name"].is_string() && number(row, "threads")) continue;
    throw Error(path, "a row has no name or no number of threads", "give a file that --json has written");
  }
}

OlderRun::~OlderRun() = default;

int OlderRun::compare(const Report& now) const {
  constexpr double kSmallest = 0.03, kNoises = 3;
  const nlohmann::json old = nlohmann::json::parse(text_);
  int slower = 0, faster = 0, same = 0;
  fmt::print("\nagainst {} ({}):\n", path_, old.value("processor", std::string("unknown processor")));
  constexpr const char* kLine = "{:<34} {:>7} {:>9} {:>9} {:>9} {:>9}  {}\n";
  fmt::print(kLine, "name", "threads", "before", "now", "change", "noise", "");
  for (const Row& row : now.rows()) {
    const auto match = std::find_if(old["rows"].begin(), old["rows"].end(), [&](const nlohmann::json& o) {
      return o["name"] == row.name && *number(o, "threads") == row.threads;
    });
    if (match == old["rows"].end() || !row.error.empty()) continue;
    // Speed: above 1 it has become faster.
    double before = 0, after = 0, noise = 0, speed = 0;
    const char* unit = "";
    if (const auto ratio = number(*match, "baseline_ratio"); ratio && row.baseline_ratio) {
      before = *ratio;
      after = *row.baseline_ratio;
      speed = after / before;
      noise = number(*match, "baseline_ratio_noise").value_or(0) + row.ratio_noise.value_or(0);
      unit = "x";
    } else if (const auto ns = number(*match, "ns_per_constraint_iteration"); ns && row.ns_per_constraint_iteration) {
      before = *ns;
      after = *row.ns_per_constraint_iteration;
      speed = before / after;
      noise = number(*match, "noise").value_or(0) + row.noise.value_or(0);
      unit = "ns";
    } else if (const auto setup = number(*match, "setup_ms"); setup && row.setup_ms) {
      before = *setup;
      after = *row.setup_ms;
      speed = before / after;
      unit = "ms";
    } else {
      continue;
    }
    const double bound = std::max(kSmallest, kNoises * noise);
    std::string verdict = "same";
    if (speed > 1 + bound) {
      verdict = "faster";
      ++faster;
    } else if (speed < 1 / (1 + bound)) {
      verdict = "SLOWER";
      ++slower;
    } else {
      ++same;
    }
    if (row.hash && match->contains("hash") && (*match)["hash"].is_string() &&
        (*match)["hash"] != fmt::format("{:016x}", *row.hash)) {
      verdict += ", other results";
    }
    fmt::print(kLine, row.name, row.threads, fmt::format("{:.2f}{}", before, unit),
               fmt::format("{:.2f}{}", after, unit), fmt::format("{:+.1f} %", 100 * (speed - 1)),
               fmt::format("{:.1f} %", 100 * noise), verdict);
  }
  fmt::print("{} faster, {} the same, {} slower\n", faster, same, slower);
  return slower;
}

}  // namespace pliant::bench
