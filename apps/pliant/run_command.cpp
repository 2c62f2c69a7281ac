// pliant run: simulates a scene and writes what comes out.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "commands.h"
#include "core/file.h"
#include "interrupt.h"
#include "io/frame_sequence.h"
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
  int save_every = 0;  // frames; 0: only at the end
  bool quiet = false;
  PictureOptions picture;
};

/// Energy that was taken out again is none.
bool is_trouble(const Trouble& t) { return t.kind != Trouble::Kind::energy_limited; }

/// Tells of troubles when they happen.
class TroubleTeller {
 public:
  void tell(const std::vector<Trouble>& troubles, Progress& progress) {
    for (; seen_ < troubles.size(); ++seen_) {
      const Trouble& t = troubles[seen_];
      if (told_ == kMost && is_trouble(t)) {
        ++untold_;
        continue;
      }
      told_ += is_trouble(t);
      progress.make_way();
      fmt::print(stderr, "pliant: {}: {}\n", is_trouble(t) ? "trouble" : "note", t.message);
    }
  }
  /// Those that were too many.
  void close() const {
    if (untold_ > 0) fmt::print(stderr, "pliant: trouble: ... and {} more\n", untold_);
  }

 private:
  static constexpr size_t kMost = 10;  // of possibly thousands
  size_t seen_ = 0, told_ = 0, untold_ = 0;
};

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
  picture.progress = [&drawing, quiet = options.quiet, told = false](int64_t done, int64_t all) mutable {
    // A video is written whole or not at all, so the drawing goes on.
    if (interrupted() && !told && done < all) {
      told = true;
      fmt::print(stderr,
                 "\npliant: interrupted; {} frames are still to be drawn. Ctrl-C again ends without the video\n",
                 all - done);
    }
    if (done == 1) drawing.emplace(0, all, quiet, Progress::Unit::drawings);
    drawing->advance();
    if (done == all) drawing.reset();
  };
  return writing;
}

/// Where --save-every keeps the state if no --save says it: beside the first output, or here, by the scene's name.
std::string snapshot_name(const RunOptions& options) {
  if (options.outputs.empty()) return std::filesystem::path(options.scene).stem().string() + ".state";
  return without_number(options.outputs[0], ".state");
}

int run(RunOptions options) {
  using Clock = std::chrono::steady_clock;
  watch_for_interrupts();
  Scene scene = load_scene(options.scene, {.threads = options.threads, .stage_times = !options.stats.empty()});
  if (options.frames > 0) scene.frames = options.frames;
  World& world = scene.world;
  for (const std::string& warning : scene.warnings) fmt::print(stderr, "pliant: warning: {}\n", warning);

  if (options.save_every > 0 && options.snapshot.empty()) options.snapshot = snapshot_name(options);
  world.build();
  if (!options.resume.empty()) {
    load_snapshot(world, options.resume);
    if (world.steps() >= scene.frames) {
      fmt::print(stderr, "pliant: warning: {}: is at frame {} already; give more --frames\n", options.resume,
                 world.steps());
    } else if (!options.quiet && !options.outputs.empty()) {
      fmt::print("resumed at frame {}: numbered files go on from there, files with all frames begin there\n",
                 world.steps());
    }
  }
  std::optional<Progress> drawing;  // of videos, once the simulation is over
  WriterOptions writing = writer_options(options, scene, drawing);
  writing.first_frame = world.steps();
  std::vector<Writer> writers;
  for (const std::string& output : options.outputs) writers.emplace_back(output, writing);
  if (!options.quiet) {
    fmt::print("{}: {} particles, {} frames\n", scene.title.empty() ? scene.path : scene.title, world.particle_count(),
               scene.frames);
    std::fflush(stdout);  // in order with the progress on stderr
  }

  std::vector<double> step_seconds;
  TroubleTeller teller;
  {
    Progress progress(world.steps(), scene.frames, options.quiet);
    while (world.steps() < scene.frames && !interrupted()) {
      const auto start = Clock::now();
      world.step();
      step_seconds.push_back(std::chrono::duration<double>(Clock::now() - start).count());
      teller.tell(world.troubles(), progress);
      for (Writer& writer : writers) writer.write(world);
      // Behind the frame's files: a run that is resumed finds them written.
      if (options.save_every > 0 && world.steps() % options.save_every == 0) save_snapshot(world, options.snapshot);
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
    for (const std::string& line : out_of_the_ordinary(world)) fmt::print("{}\n", line);
  }
  teller.close();
  if (stopped) {
    fmt::print(stderr, "pliant: interrupted after frame {} of {}\n", world.steps(), scene.frames);
    return kInterrupted;
  }
  return std::ranges::any_of(world.troubles(), is_trouble) ? kTrouble : kOk;
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
  command->add_option("--snapshot,--save", options->snapshot, "Write the state at the end (or when interrupted)");
  command
      ->add_option("--save-every", options->save_every,
                   "Write the state every so many frames, too, so that a run that is killed can go on; without --save "
                   "to NAME.state beside the first output")
      ->check(CLI::Range(1, 1000000));
  command->add_option("--resume", options->resume,
                      "Go on from the state in this file. Numbered files continue, files with all frames begin there");
  add_picture_options(*command, options->picture);
  command->add_flag("--quiet", options->quiet, "Print only warnings and errors");
  command->footer(
      "\nExamples:\n"
      "  pliant run scenes/demo.json -o out/demo.mp4 -o out/demo.html\n"
      "  pliant run scenes/demo.json -o out/demo.png --frame 60 --color-by strain\n"
      "  pliant run scene.json -o out/a.usda -o out/a.glb -o out/a.pvd\n"
      "  pliant run scene.json -o out/a.ply --save-every 50\n"
      "  pliant run scene.json -o out/a.ply --save-every 50 --resume out/a.state     after it was killed");
  command->callback([&action, options] { action = [options] { return run(*options); }; });
}

}  // namespace pliant::app
