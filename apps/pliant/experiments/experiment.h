#pragma once
// Experiments: what a document's figure or table shows, done again with this engine, with a verdict.
//
// One file each. It defines `extern const Experiment NAME` and its line in list.h makes it known:
//
//   const Experiment bender14_fig2 = {"bender14_fig2", "one line", "bender14, figure 2", run};
//
// The run fills a Report: a table (NAME.csv), plots (NAME.svg) and figures with bounds (NAME.json).

#include <memory>
#include <string>
#include <vector>

#include "experiments/report.h"

namespace pliant::app {
class Progress;
}

namespace pliant::experiments {

/// Thrown between parts of a run when the user wants it to stop; no file is written then.
struct Interrupted {};

struct Settings {
  bool quick = false;  // coarser and fewer cases; the bounds stay
  std::string models;  // folder with models that are not part of the project, or ""
  int threads = 0;     // 0: all cores
  bool quiet = false;  // no progress
};

/// What a run is told, and whom it tells how far it is.
class Context {
 public:
  explicit Context(const Settings& settings);
  ~Context();
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;

  const Settings& settings() const { return settings_; }
  bool quick() const { return settings_.quick; }

  /// How much work there will be in all, in any unit that is about proportional to time.
  void expect(double work);
  /// So much of it is done. Throws Interrupted if the user wants to stop.
  void did(double work);

 private:
  Settings settings_;
  double expected_ = 0, done_ = 0;
  int shown_ = 0;  // parts in a thousand
  std::unique_ptr<app::Progress> progress_;
};

struct Experiment {
  const char* name;     // of the files and on the command line
  const char* summary;  // one line
  const char* source;   // which figure or table of which document; "" for our own
  void (*run)(Context& context, Report& report);
};

/// In the order of list.h.
const std::vector<const Experiment*>& all_experiments();

}  // namespace pliant::experiments
