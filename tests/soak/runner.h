#pragma once
// Runs many cases, one world per thread, and reports: a line for each that fails, progress, a summary.

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

namespace pliant::soak {

/// What the command line gives every sub-command.
struct Options {
  int count = 100;
  bool counted = false;  // `count` was given
  uint64_t seed = 1;
  std::optional<int> only;  // one case, told in detail
  int jobs = 0;             // cases at once; 0: all cores
  bool quick = false;       // small cases, for the tests
  std::string only_group;   // those cases only whose group's name contains this, where a soak has such
  std::string table;        // a page that must have a line for every form
  bool list = false;        // tell of each case, not only of those that fail
  std::string scene;        // with `only`: the case is written here as a scene, where it can be one
};

/// What became of one case.
struct Verdict {
  std::string group;        // under which the summary counts it
  std::string symptom;      // what is wrong in a word or two; empty: it passed
  std::string description;  // one line: what it was, and what it did
};

/// Judges cases 0 .. count - 1 (or `only`); `judge` is called from several threads. Returns the exit code: 1 if any
/// case fails. `replay` is the command that plays a case again, to which its number is added.
int run_cases(const std::string& name, const Options& options, int count, const std::function<Verdict(int)>& judge);

/// Sub-commands, each in a file of its own.
int defaults(const Options& options);
int impact(const Options& options);
int contact(const Options& options);
int forms(const Options& options);

}  // namespace pliant::soak
