// pliant experiment: does a document's figure again and says whether the result is inside of its bounds.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "commands.h"
#include "core/file.h"
#include "core/suggest.h"
#include "experiments/experiment.h"
#include "interrupt.h"
#include "io/writer.h"
#include "pliant/error.h"
#include "pliant/world.h"
#include "scene/json_text.h"

namespace pliant::app {
namespace {

using experiments::Experiment;
using experiments::Report;

struct ExperimentOptions {
  std::vector<std::string> names;
  std::string folder = "out";
  experiments::Settings settings;
};

int list() {
  std::size_t width = 0;
  for (const Experiment* e : experiments::all_experiments()) width = std::max(width, std::string(e->name).size());
  for (const Experiment* e : experiments::all_experiments()) {
    fmt::print("{:{}}  {}{}\n", e->name, width, e->summary, *e->source ? fmt::format(" ({})", e->source) : "");
  }
  return kOk;
}

std::vector<const Experiment*> chosen(const std::vector<std::string>& names) {
  const auto& all = experiments::all_experiments();
  std::vector<const Experiment*> result;
  for (const std::string& name : names) {
    if (name == "all") return all;
    const auto found = std::find_if(all.begin(), all.end(), [&](const Experiment* e) { return e->name == name; });
    if (found == all.end()) {
      std::vector<std::string> known;
      for (const Experiment* e : all) known.emplace_back(e->name);
      throw Error("experiment", "there is none named \"" + name + "\"", did_you_mean(name, known));
    }
    result.push_back(*found);
  }
  return result;
}

/// All files of a finished experiment; returns their names for a person.
std::string write_report(const Experiment& experiment, const Report& report, double seconds,
                         const ExperimentOptions& options) {
  const std::string stem = options.folder + "/" + experiment.name;
  make_folder_of(stem);
  std::string written = stem + ".csv";
  write_file(stem + ".csv", report.table.csv());
  if (!report.plots.empty()) {
    if (const auto svg = experiments::draw_svg(report.plots)) {
      write_file(stem + ".svg", *svg);
      written += ", " + stem + ".svg";
    } else {
      write_file(stem + ".gnuplot", experiments::gnuplot_script(report.plots, std::string(experiment.name) + ".svg"));
      written += ", " + stem + ".gnuplot";
      fmt::print(stderr, "pliant: gnuplot is not installed, so there is no {0}.svg; {0}.gnuplot makes it later\n",
                 experiment.name);
    }
  }
  nlohmann::ordered_json json = {{"experiment", experiment.name},   {"summary", experiment.summary},
                                 {"source", experiment.source},     {"version", version()},
                                 {"quick", options.settings.quick}, {"seconds", seconds}};
  json.update(experiments::json_of(report));
  write_file(stem + ".json", scene::readable_json(json));
  return written + ", " + stem + ".json";
}

int run(const ExperimentOptions& options) {
  using Clock = std::chrono::steady_clock;
  if (std::find(options.names.begin(), options.names.end(), "list") != options.names.end()) return list();
  const std::vector<const Experiment*> experiments = chosen(options.names);
  watch_for_interrupts();
  bool inside = true;
  for (const Experiment* experiment : experiments) {
    fmt::print("{}: {}\n", experiment->name, experiment->summary);
    std::fflush(stdout);  // in order with the progress on stderr
    Report report;
    const auto start = Clock::now();
    try {
      experiments::Context context(options.settings);
      experiment->run(context, report);
    } catch (const experiments::Interrupted&) {
      fmt::print(stderr, "pliant: interrupted in {}; nothing of it was written\n", experiment->name);
      return kInterrupted;
    }
    const double seconds = std::chrono::duration<double>(Clock::now() - start).count();
    const std::string written = write_report(*experiment, report, seconds, options);
    fmt::print("{}  {} the stated bounds, {:.3g} s\n  wrote {}\n", experiments::readable(report),
               report.inside() ? "inside" : "OUTSIDE of", seconds, written);
    inside = inside && report.inside();
  }
  return inside ? kOk : kTrouble;
}

}  // namespace

void add_experiment(CLI::App& app, Action& action) {
  CLI::App* command =
      app.add_subcommand("experiment", "Do a document's figure or table again; exit code 0 when inside of its bounds.");
  auto options = std::make_shared<ExperimentOptions>();
  command->add_option("NAME", options->names, "Experiments, or `list`, or `all`")->required();
  command->add_option("-o,--output", options->folder, "Folder for NAME.csv, NAME.svg and NAME.json")
      ->allow_extra_args(false)
      ->capture_default_str();
  command->add_flag("--quick", options->settings.quick, "Coarser and fewer cases, the same bounds");
  command
      ->add_option("--models", options->settings.models,
                   "Folder with models that are not part of Pliant (armadillo_4k.node and .ele)")
      ->envname("PLIANT_MODELS");
  command->add_option("--threads", options->settings.threads, "Threads; 0 is one per core")->check(CLI::Range(0, 1024));
  command->add_flag("--quiet", options->settings.quiet, "No progress");
  command->footer(
      "\nExamples:\n"
      "  pliant experiment list\n"
      "  pliant experiment bender14_fig2 -o out\n"
      "  pliant experiment all --quick");
  command->callback([&action, options] { action = [options] { return run(*options); }; });
}

}  // namespace pliant::app
