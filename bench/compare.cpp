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
    struct Figure {
      const char *name, *noise, *unit;
      std::optional<double> now, now_noise;
      bool more_is_faster;
    };
    const Figure figures[] = {
        {"baseline_ratio", "baseline_ratio_noise", "x", row.baseline_ratio, row.ratio_noise, true},
        {"ns_per_constraint_iteration", "noise", "ns", row.ns_per_constraint_iteration, row.noise, false},
        {"setup_ms", "", "ms", row.setup_ms, {}, false}};
    const auto* const figure = std::find_if(std::begin(figures), std::end(figures),
                                            [&](const Figure& f) { return f.now && number(*match, f.name); });
    if (figure == std::end(figures)) continue;
    const double before = *number(*match, figure->name), after = *figure->now;
    const double speed = figure->more_is_faster ? after / before : before / after;  // above 1 it has become faster
    const double noise = number(*match, figure->noise).value_or(0) + figure->now_noise.value_or(0);
    const char* const unit = figure->unit;
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
