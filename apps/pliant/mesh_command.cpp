// pliant mesh: a surface becomes a volume of tets.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "commands.h"
#include "io/mesh_reader.h"
#include "io/tet_mesh_writer.h"
#include "mesh/topology.h"
#include "pliant/error.h"
#include "pliant/tetrahedralize.h"
#include "progress.h"

namespace pliant::app {
namespace {

struct Arguments {
  std::string surface, out;
  std::optional<int64_t> tets;
  std::optional<double> cell;
  int threads = 0;
  bool exact = false, quiet = false;
};

/// An ending that cannot be written is told before the work, not after it.
void check_output(const std::string& path) {
  const auto endings = tet_mesh_endings();
  std::string ending = std::filesystem::path(path).extension().string();
  std::transform(ending.begin(), ending.end(), ending.begin(), ::tolower);
  if (std::find(endings.begin(), endings.end(), ending) != endings.end()) return;
  throw Error(path, ending.empty() ? "the file name has no ending" : fmt::format("{} cannot hold tets", ending),
              fmt::format("use one of: {}", fmt::join(endings, ", ")));
}

int make(const Arguments& arguments) {
  check_output(arguments.out);
  const TriMesh surface = read_tri_mesh(arguments.surface);
  TetrahedralizeOptions options;
  options.cell = arguments.cell.value_or(0);
  if (arguments.cell && *arguments.cell <= 0) {
    throw Error("--cell", fmt::format("{} is not a length", *arguments.cell), "give a length above 0 [m]");
  }
  options.tets = arguments.tets.value_or(options.tets);
  options.keep_volume = !arguments.exact;
  options.jobs = make_thread_pool(arguments.threads);

  const auto start = std::chrono::steady_clock::now();
  Tetrahedralized made;
  {
    Progress progress(0, 100, arguments.quiet, Progress::Unit::percent);
    int64_t shown = 0;
    // Work that ends at once has no progress to tell.
    options.progress = [&](double done) {
      const auto percent = static_cast<int64_t>(100 * done);
      if (std::chrono::steady_clock::now() - start < std::chrono::seconds(1) || percent <= shown) return;
      progress.advance(percent - shown);
      shown = percent;
    };
    made = tetrahedralize(surface, options, arguments.surface);
  }
  write_tet_mesh(arguments.out, made.mesh);
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();

  for (const std::string& warning : made.warnings()) {
    fmt::print(stderr, "pliant: {}: {}\n", arguments.surface, warning);
  }
  if (arguments.quiet) return kOk;
  fmt::print("{}\n", arguments.out);
  fmt::print("  tets      {}, {} vertices, in {:.2f} s\n", made.mesh.tets.size(), made.mesh.positions.size(), seconds);
  fmt::print("  cells     {:g} m\n", made.cell);
  fmt::print("  angles    {:.1f} to {:.1f} degrees between faces\n", made.smallest_angle, made.largest_angle);
  const double inside = volume(made.mesh);
  if (is_closed(surface.triangles)) {
    const double wanted = enclosed_volume(surface);
    fmt::print("  volume    {:g} m^3, {:+.2f} % of the surface's\n", inside, 100 * (inside / std::abs(wanted) - 1));
  } else {
    fmt::print("  volume    {:g} m^3 (the surface is not closed)\n", inside);
  }
  fmt::print("  pieces    {}\n", made.pieces);
  return kOk;
}

}  // namespace

void add_mesh(CLI::App& app, Action& action) {
  CLI::App* command = app.add_subcommand("mesh", "Fill a surface with well-shaped tets.");
  auto a = std::make_shared<Arguments>();
  command->add_option("SURFACE", a->surface, "Surface file; holes and overlapping parts are all right")->required();
  command
      ->add_option("-o,--output", a->out,
                   fmt::format("File to write, format by ending: {}", fmt::join(tet_mesh_endings(), ", ")))
      ->required();
  auto* tets = command->add_option("--tets", a->tets, "About so many tets (within 10 %); 20000 without --cell");
  command->add_option("--cell", a->cell, "Edge of the lattice's cubes [m], of 12 tets each")->excludes(tets);
  command->add_flag("--exact", a->exact,
                    "Leave boundary vertices exactly on the surface. The volume of round bodies is then a percent or "
                    "two too small");
  command->add_option("--threads", a->threads, "Threads; 0: one per core. The result is the same")
      ->check(CLI::NonNegativeNumber);
  command->add_flag("-q,--quiet", a->quiet, "Print only what went wrong");
  command->footer(
      "\nExamples:\n  pliant mesh bunny.obj -o bunny.ele --tets 5000\n  pliant mesh part.stl -o part.vtu --cell "
      "0.01\n\n"
      "Sharp edges are rounded by up to a cell. Parts that are thinner than a cell may be\nlost; the program says "
      "which.");
  command->callback([&action, a] { action = [a] { return make(*a); }; });
}

}  // namespace pliant::app
