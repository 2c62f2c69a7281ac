// pliant run: simulates a scene and writes what comes out.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <chrono>
#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "commands.h"
#include "core/file.h"
#include "interrupt.h"
#include "io/writer.h"
#include "picture_options.h"
#include "pliant/error.h"
#include "pliant/io.h"
#include "pliant/scene.h"
#include "progress.h"
#include "stats.h"

namespace pliant::app {
namespace {

struct RunOptions {
  std::string scene;
  std::vector<std::string> outputs;
  int frames = 0;  // 0: as the scene says
  int threads = -1;
  std::string stats, snapshot, resume;
  bool quiet = false;
  PictureOptions picture;
};

void report_troubles(const std::vector<Trouble>& troubles) {
  constexpr size_t kMost = 10;  // of possibly thousands
  for (size_t i = 0; i < troubles.size() && i < kMost; ++i) {
    fmt::print(stderr, "pliant: trouble: {}\n", troubles[i].message);
  }
  if (troubles.size() > kMost) fmt::print(stderr, "pliant: trouble: ... and {} more\n", troubles.size() - kMost);
}

WriterOptions writer_options(const RunOptions& options, const Scene& scene, std::optional<Progress>& drawing) {
  WriterOptions writing{.picture = options.picture};
  PictureOptions& picture = writing.picture;
  if (picture.frame && *picture.frame >= scene.frames && options.resume.empty()) {
    throw Error("--frame", fmt::format("there is no frame {}: frames are 0 to {}", *picture.frame, scene.frames - 1),
                "choose another one, or give more --frames");
  }
  picture.camera = scene.camera;
  picture.title = scene.title;
  if (options.threads >= 0) picture.threads = options.threads;
  picture.progress = [&drawing, quiet = options.quiet](int64_t done, int64_t all) {
    if (done == 1) drawing.emplace(0, all, quiet, Progress::Unit::drawings);
    drawing->advance();
    if (done == all) drawing.reset();
  };
  return writing;
}

int run(const RunOptions& options) {
  using Clock = std::chrono::steady_clock;
  watch_for_interrupts();
  Scene scene = load_scene(options.scene, {.threads = options.threads});
  if (options.frames > 0) scene.frames = options.frames;
  World& world = scene.world;
  for (const std::string& warning : scene.warnings) fmt::print(stderr, "pliant: warning: {}\n", warning);

  std::optional<Progress> drawing;  // of videos, once the simulation is over
  const WriterOptions writing = writer_options(options, scene, drawing);
  std::vector<Writer> writers;
  for (const std::string& output : options.outputs) writers.emplace_back(output, writing);
  world.build();
  if (!options.resume.empty()) {
    load_snapshot(world, options.resume);
    if (world.steps() >= scene.frames) {
      fmt::print(stderr, "pliant: warning: {}: is at frame {} already; give more --frames\n", options.resume,
                 world.steps());
    }
  }
  if (!options.quiet) {
    fmt::print("{}: {} particles, {} frames\n", scene.title.empty() ? scene.path : scene.title, world.particle_count(),
               scene.frames);
    std::fflush(stdout);  // in order with the progress on stderr
  }

  std::vector<double> step_seconds;
  {
    Progress progress(world.steps(), scene.frames, options.quiet);
    while (world.steps() < scene.frames && !interrupted()) {
      const auto start = Clock::now();
      world.step();
      step_seconds.push_back(std::chrono::duration<double>(Clock::now() - start).count());
      for (Writer& writer : writers) writer.write(world);
      progress.advance();
    }
  }
  const bool stopped = world.steps() < scene.frames;  // an interrupt behind the last frame stops nothing
  for (Writer& writer : writers) writer.close();
  if (!options.snapshot.empty()) save_snapshot(world, options.snapshot);
  if (!options.stats.empty()) {
    make_folder_of(options.stats);
    write_file(options.stats, stats_json(scene, step_seconds, stopped));
  }

  if (!options.quiet) {
    fmt::print("{:.4g} ms per step (median)\n", 1e3 * quantile(step_seconds, 0.5));
    for (const Writer& writer : writers) {
      if (!step_seconds.empty()) fmt::print("wrote {}\n", writer.summary());
    }
    if (!options.snapshot.empty()) fmt::print("wrote {}\n", options.snapshot);
    if (!options.stats.empty()) fmt::print("wrote {}\n", options.stats);
  }
  report_troubles(world.troubles());
  if (stopped) {
    fmt::print(stderr, "pliant: interrupted after frame {} of {}\n", world.steps(), scene.frames);
    return kInterrupted;
  }
  return world.troubles().empty() ? kOk : kTrouble;
}

}  // namespace

void add_run(CLI::App& app, Action& action) {
  CLI::App* command = app.add_subcommand("run", "Simulate a scene and write the result.");
  auto options = std::make_shared<RunOptions>();
  command->add_option("SCENE", options->scene, "Scene file (JSON)")->required();
  command
      ->add_option("-o,--output", options->outputs, "File to write, format by its ending; may be given several times")
      ->allow_extra_args(false);
  command->add_option("--frames", options->frames, "Frames in all, instead of what the scene says")
      ->check(CLI::Range(1, 1000000));
  command->add_option("--threads", options->threads, "Threads; 0 is one per core. The result does not depend on it")
      ->check(CLI::Range(0, 1024));
  command->add_option("--stats", options->stats, "Write figures of the run as JSON");
  command->add_option("--snapshot", options->snapshot, "Write the state at the end (or when interrupted)");
  command->add_option("--resume", options->resume,
                      "Start from the state in this file; files are numbered from 0 again");
  add_picture_options(*command, options->picture);
  command->add_flag("--quiet", options->quiet, "Print only warnings and errors");
  command->footer(
      "\nExamples:\n"
      "  pliant run scenes/demo.json -o out/demo.mp4 -o out/demo.html\n"
      "  pliant run scenes/demo.json -o out/demo.png --frame 60 --color-by strain\n"
      "  pliant run scene.json --frames 100 --snapshot half.state\n"
      "  pliant run scene.json --frames 200 --resume half.state -o rest.ply");
  command->callback([&action, options] { action = [options] { return run(*options); }; });
}

}  // namespace pliant::app
