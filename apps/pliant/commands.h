#pragma once
// The subcommands of the program. Each has one file; add_... declares its arguments and what it does.

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <functional>

namespace pliant::app {

// Exit codes. Bad arguments, scenes, meshes and outputs that cannot be written all are 2.
inline constexpr int kOk = 0;
inline constexpr int kTrouble = 1;  // in a simulation, or an experiment outside of its bounds
inline constexpr int kBadInput = 2;
inline constexpr int kInterrupted = 130;

/// What the chosen subcommand does once all arguments are read; returns the exit code.
using Action = std::function<int()>;

void add_run(CLI::App& app, Action& action);
void add_check(CLI::App& app, Action& action);
void add_info(CLI::App& app, Action& action);
void add_mesh(CLI::App& app, Action& action);
void add_schema(CLI::App& app, Action& action);
void add_experiment(CLI::App& app, Action& action);
void add_fit(CLI::App& app, Action& action);

}  // namespace pliant::app
