#include "report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>
#include <thread>

#include "constraints/constraint.h"
#include "pliant/world.h"
#include "probe.h"

namespace pliant::bench {

namespace {

template <class T>
std::string cell(const std::optional<T>& value, fmt::format_string<const T&> format) {
  return value ? fmt::format(format, *value) : "-";
}

constexpr const char* kLine = "{:<30} {:>7} {:>11} {:>9} {:>11} {:>6} {:>9} {:>9} {:>8} {:>9}  {}\n";

template <class T>
nlohmann::ordered_json value_or_null(const std::optional<T>& value) {
  return value ? nlohmann::ordered_json(*value) : nlohmann::ordered_json(nullptr);
}

std::string processor() {
  std::ifstream info("/proc/cpuinfo");
  for (std::string line; std::getline(info, line);) {
    const auto colon = line.find(": ");
    if (line.starts_with("model name") && colon != std::string::npos) return line.substr(colon + 2);
  }
  return "unknown processor";
}

/// What only some rows have, below them.
void print_details(const Row& row) {
  if (row.processors && !Probe::enough(*row.processors, row.threads)) {
    fmt::print("    the machine gave {:.2f} processors for {} threads: the speed-up says little\n", *row.processors,
               row.threads);
  }
  constexpr double kBusy = 0.05;  // of the noise; a quiet machine has 0.01 to 0.02
  if (row.fastest_ns && std::max(row.noise.value_or(0), row.ratio_noise.value_or(0)) > kBusy) {
    std::string line = fmt::format("{:.2f} ns", *row.fastest_ns);
    if (row.fastest_ratio) line += fmt::format(", ratio {:.1f}", *row.fastest_ratio);
    if (row.fastest_speed_up) line += fmt::format(", speed-up {:.2f}", *row.fastest_speed_up);
    fmt::print("    a busy machine; by the fastest samples: {}\n", line);
  }
  if (row.memory_bytes && row.constraints) {
    fmt::print("    {:.0f} bytes per constraint", *row.memory_bytes / static_cast<double>(*row.constraints));
    if (row.peak_memory_bytes) {
      fmt::print(", {:.0f} at most while it is made", *row.peak_memory_bytes / static_cast<double>(*row.constraints));
    }
    fmt::print("\n");
  }
  if (row.peer_ratio) {
    fmt::print("    Bullet: {:.2f} ns per link and iteration, {:.1f} times the engine's\n", *row.peer_ns,
               *row.peer_ratio);
  }
  if (row.instructions) fmt::print("    {:.0f} instructions per constraint and iteration\n", *row.instructions);
  if (!row.stages.empty()) {
    std::string line;
    for (const auto& [name, share] : row.stages) {
      if (share >= 0.0005) line += fmt::format("{}{} {:.1f} %", line.empty() ? "" : ", ", name, 100 * share);
    }
    fmt::print("    {}\n", line);
  }
  if (!row.growth.empty()) {
    std::string line;
    for (const auto& [name, ratio] : row.growth) line += fmt::format(", {} {:.2f}", name, ratio);
    fmt::print("    times over those of half as many bodies: {}\n", line.substr(2));
  }
}

}  // namespace

Row& Report::add(const std::string& name, int threads) {
  rows_.emplace_back();
  rows_.back().name = name;
  rows_.back().threads = threads;
  return rows_.back();
}

void Report::print(const Row& row) {
  if (!head_printed_) {
    fmt::print(kLine, "", "", "", "ns per", "baseline", "", "ms per", "wall ms", "", "set-up", "");
    fmt::print(kLine, "name", "threads", "constraints", "iteration", "ns per it.", "ratio", "step", "per step",
               "speed-up", "ms", "state hash");
    head_printed_ = true;
  }
  if (!row.error.empty()) {
    fmt::print("{:<30} {:>7} failed: {}\n", row.name, row.threads, row.error);
  } else {
    fmt::print(kLine, row.name, row.threads, cell(row.constraints, "{}"),
               cell(row.ns_per_constraint_iteration, "{:.2f}"), cell(row.baseline_ns, "{:.2f}"),
               cell(row.baseline_ratio, "{:.1f}"), cell(row.ms_per_step, "{:.2f}"),
               cell(row.wall_ms_per_step, "{:.2f}"), cell(row.speed_up, "{:.2f}"), cell(row.setup_ms, "{:.1f}"),
               cell(row.hash, "{:016x}"));
    print_details(row);
  }
  std::fflush(stdout);
}

std::string Report::errors() const {
  std::string out;
  for (const Row& row : rows_) {
    if (!row.error.empty()) out += row.name + ": " + row.error + "\n";
  }
  return out;
}

std::string Report::json() const {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const Row& row : rows_) {
    nlohmann::ordered_json object;
    object["name"] = row.name;
    object["threads"] = row.threads;
    object["constraints"] = value_or_null(row.constraints);
    object["ns_per_constraint_iteration"] = value_or_null(row.ns_per_constraint_iteration);
    object["noise"] = value_or_null(row.noise);
    object["baseline_ratio"] = value_or_null(row.baseline_ratio);
    object["baseline_ratio_noise"] = value_or_null(row.ratio_noise);
    object["peer_ratio"] = value_or_null(row.peer_ratio);
    object["speed_up"] = value_or_null(row.speed_up);
    object["processors"] = value_or_null(row.processors);
    object["fastest_ns"] = value_or_null(row.fastest_ns);
    object["fastest_ratio"] = value_or_null(row.fastest_ratio);
    object["fastest_speed_up"] = value_or_null(row.fastest_speed_up);
    object["ms_per_step"] = value_or_null(row.ms_per_step);
    object["setup_ms"] = value_or_null(row.setup_ms);
    object["memory_bytes"] = value_or_null(row.memory_bytes);
    object["peak_memory_bytes"] = value_or_null(row.peak_memory_bytes);
    object["instructions"] = value_or_null(row.instructions);
    object["stages"] = nullptr;
    for (const auto& [name, share] : row.stages) object["stages"][name] = share;
    object["growth"] = nullptr;
    for (const auto& [name, ratio] : row.growth) object["growth"][name] = ratio;
    // As text: a program that reads numbers as double would lose its last digits.
    object["hash"] = row.hash ? nlohmann::ordered_json(fmt::format("{:016x}", *row.hash)) : nullptr;
    list.push_back(std::move(object));
  }
  nlohmann::ordered_json out;
  out["version"] = version();
  out["processor"] = processor();
  out["lanes"] = kNativeLanes<float>;
  out["flags"] = PLIANT_BENCH_FLAGS;
  out["rows"] = std::move(list);
  return out.dump(2) + "\n";
}

std::string machine_facts() {
  std::string out = fmt::format("pliant {}, {} lanes of float in one register, batches of {}\n", version(),
                                kNativeLanes<float>, kLanes);
  out += fmt::format("{}, {} threads", processor(), std::thread::hardware_concurrency());
  double load = 0;
  if (getloadavg(&load, 1) == 1) out += fmt::format(", load {:.1f} before the start", load);
  out += fmt::format("\ncompiler {}, {}\n", __VERSION__, PLIANT_BENCH_FLAGS);
  if (std::string(PLIANT_BENCH_BUILD_TYPE) != "Release") {
    out +=
        fmt::format("This is a {} build: its figures say nothing. Use the release preset.\n", PLIANT_BENCH_BUILD_TYPE);
  }
  return out;
}

}  // namespace pliant::bench
