// Surface -> volume: finds the cell for a number of tets, stuffs, cleans, improves, and looks at what is missing.

#include "pliant/tetrahedralize.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

#include <fmt/format.h>

#include "mesh/improve.h"
#include "mesh/lost_parts.h"
#include "mesh/manifold.h"
#include "mesh/measure.h"
#include "mesh/quality.h"
#include "mesh/stuffing.h"
#include "mesh/surface_tree.h"
#include "pliant/error.h"

namespace pliant {

namespace {

/// A number of tets this near to the wanted one ends the search; the promise is 10 %.
constexpr double kNearEnough = 0.05, kAcceptable = 0.1;
/// Shapes with flat sides along the axes jump from layer to layer of the lattice; another shift jumps elsewhere.
constexpr double kShifts[] = {0, 0.25, 0.125};
constexpr int kTriesPerShift = 8;
/// Angles [degrees] below which a tet is worked on, and that fitting the boundary may lead to.
constexpr double kBadAngle = 25, kAllowedAngle = 15;
/// Pieces of less than half a cube (six tets) are crumbs.
constexpr double kCrumb = 0.5;

std::size_t index(int i) { return static_cast<std::size_t>(i); }

void check_surface(const TriMesh& surface, const std::string& name) {
  if (surface.triangles.empty()) throw Error(name, "the surface has no triangles", "give a surface");
  for (std::size_t t = 0; t < surface.triangles.size(); ++t) {
    for (const int v : surface.triangles[t]) {
      if (v < 0 || index(v) >= surface.positions.size()) {
        throw Error(
            name, fmt::format("triangle {} uses vertex {}, but there are {} vertices", t, v, surface.positions.size()),
            "number vertices from 0");
      }
      const Vec3d& x = surface.positions[index(v)];
      if (std::isfinite(x.x) && std::isfinite(x.y) && std::isfinite(x.z)) continue;
      throw Error(name, fmt::format("the position of vertex {}, ({}, {}, {}), is not finite", v, x.x, x.y, x.z),
                  "give three finite numbers [m]");
    }
  }
}

class Search {
 public:
  Search(const SurfaceTree& tree, const TetrahedralizeOptions& options, JobSystem& jobs, const std::string& name)
      : tree_(tree), options_(options), jobs_(jobs), name_(name) {
    const Vec3d size = tree.high() - tree.low();
    extent_ = std::max({size.x, size.y, size.z});
  }

  double cell() const { return best_cell_; }
  void scale_cell(double factor) { best_cell_ *= factor; }
  /// The same cells again, with thin parts around these points made thicker.
  Stuffed thickened(std::vector<Vec3d> keep) const {
    return stuff(tree_, {.cell = best_cell_, .shift = best_shift_, .keep = std::move(keep)}, jobs_);
  }

  Stuffed with_cell(double cell) {
    check_lattice(cell);
    best_cell_ = cell;
    return stuff(tree_, {.cell = cell, .progress = [&](double done) { report(done); }}, jobs_);
  }

  /// The number of tets goes with cell^-3. Steps are taken by that, and between a cell that is known to give too
  /// many and one that gives too few in the middle where a step would leave them.
  Stuffed with_tets(int64_t tets, double volume_guess) {
    const auto wanted = static_cast<double>(tets);
    double start = volume_guess > 0 ? std::cbrt(12 * volume_guess / wanted) : extent_ / 16;
    start = std::clamp(start, extent_ / 64, extent_ / 4);
    Stuffed best;
    double best_error = std::numeric_limits<double>::infinity();
    for (const double shift : kShifts) {
      double too_fine = 0, too_coarse = std::numeric_limits<double>::infinity();
      double cell = best_cell_ > 0 ? best_cell_ : start;
      for (int i = 0; i < kTriesPerShift; ++i) {
        // A wrong guess must not ask for a lattice that no wanted number of tets needs: thin sheets fill some
        // thousandths of the box around them.
        if (lattice_size(tree_, cell) > std::min(kLargestLattice, 2e5 + 1000 * wanted)) break;
        Stuffed made =
            stuff(tree_, {.cell = cell, .shift = shift, .progress = [&](double done) { report(done); }}, jobs_);
        portion_ /= 2;
        const auto count = static_cast<double>(made.mesh.tets.size());
        const double error = count > 0 ? std::abs(count / wanted - 1) : std::numeric_limits<double>::infinity();
        if (error < best_error) {
          best_error = error;
          best_cell_ = cell;
          best_shift_ = shift;
          best = std::move(made);
        }
        if (error <= kNearEnough) return best;
        (count > wanted ? too_fine : too_coarse) = cell;
        cell *= std::clamp(std::cbrt(count / wanted), 0.4, 2.5);
        if (cell <= too_fine * 1.0001 || cell >= too_coarse * 0.9999) cell = std::sqrt(too_fine * too_coarse);
        if (too_coarse < too_fine * 1.005) break;  // a jump between two layers
      }
      if (best_error <= kAcceptable || best.mesh.tets.empty()) break;
    }
    return best;
  }

 private:
  void check_lattice(double cell) const {
    if (lattice_size(tree_, cell) <= kLargestLattice) return;
    throw Error(
        name_,
        fmt::format("with cells of {:g} m the lattice around this surface of {:g} m is too large", cell, extent_),
        fmt::format("use at least {:g} m", cell * std::cbrt(lattice_size(tree_, cell) / kLargestLattice)));
  }

  /// Nobody knows how many tries there will be: each has half of what is left.
  void report(double done) const {
    if (options_.progress) options_.progress(0.8 * (1 - portion_ + portion_ / 2 * done));
  }

  const SurfaceTree& tree_;
  const TetrahedralizeOptions& options_;
  JobSystem& jobs_;
  const std::string& name_;
  double extent_ = 0, best_cell_ = 0, best_shift_ = 0;
  double portion_ = 1;
};

/// Leaves out what is no use to a simulation; returns the number of fragments.
int clean(TetMesh& mesh, const TriMesh& surface, const SurfaceTree& tree, double cell) {
  if (mesh.tets.empty()) return 0;
  make_manifold(mesh, kCrumb * cell * cell * cell);
  return remove_fragments(mesh, surface, tree);
}

double area_of(const std::vector<LostPart>& parts) {
  double area = 0;
  for (const LostPart& part : parts) area += part.area;
  return area;
}

/// What triangles enclose, with no regard to holes [m^3]: a guess to start from.
double signed_volume(const TriMesh& surface, const Vec3d& apex) {
  double six = 0;
  for (const auto& [a, b, c] : surface.triangles) {
    six += six_volumes(apex, surface.positions[index(a)], surface.positions[index(b)], surface.positions[index(c)]);
  }
  return six / 6;
}

}  // namespace

Tetrahedralized tetrahedralize(const TriMesh& surface, const TetrahedralizeOptions& options, const std::string& name) {
  check_surface(surface, name);
  if (!std::isfinite(options.cell) || options.cell < 0) {
    throw Error(name + ": cell", fmt::format("{} is not a length", options.cell), "give a length above 0 [m]");
  }
  constexpr int64_t kMostTets = int64_t{1} << 27;  // vertex numbers are ints, and there is one per lattice vertex
  if (options.cell == 0 && (options.tets < 1 || options.tets > kMostTets)) {
    throw Error(name + ": tets", fmt::format("{} is out of range", options.tets), "give 1 to 134217728");
  }
  const SurfaceTree tree(surface);
  if (tree.empty()) throw Error(name, "no triangle of the surface has an area", "give a surface");
  const std::shared_ptr<JobSystem> jobs = options.jobs ? options.jobs : make_thread_pool(0);
  const auto report = [&](double done) {
    if (options.progress) options.progress(done);
  };

  Search search(tree, options, *jobs, name);
  Tetrahedralized made;
  made.mesh = options.cell > 0 ? search.with_cell(options.cell).mesh
                               : search.with_tets(options.tets, std::abs(signed_volume(surface, tree.low()))).mesh;
  made.cell = search.cell();
  made.fragments = clean(made.mesh, surface, tree, made.cell);
  if (made.mesh.tets.empty()) {
    throw Error(name, "there is nothing inside of this surface, or all of it is thinner than a cell",
                options.cell > 0 ? "use smaller cells, or give a surface that goes around something"
                                 : "ask for more tets, or give a surface that goes around something");
  }
  LostParts lost = find_lost_parts(surface, made.mesh, made.cell, *jobs);
  const double lost_at_first = area_of(lost.parts);
  // Thicker parts have more tets: a second round has larger cells by so much.
  for (int round = 0; round < 2 && options.keep_thin && lost_at_first > 0; ++round) {
    Stuffed thicker = search.thickened(middles_of_thin_parts(surface, tree, lost.places, search.cell()));
    const int fragments = clean(thicker.mesh, surface, tree, search.cell());
    LostParts still_lost = find_lost_parts(surface, thicker.mesh, search.cell(), *jobs);
    const double ratio = static_cast<double>(thicker.mesh.tets.size()) / static_cast<double>(options.tets);
    if (area_of(still_lost.parts) < lost_at_first) {
      made.mesh = std::move(thicker.mesh);
      made.fragments = fragments;
      made.thickened = thicker.thickened;
      made.cell = search.cell();
      made.lost = std::move(still_lost.parts);
    }
    if (options.cell > 0 || ratio < 1 + kAcceptable) break;
    search.scale_cell(std::cbrt(ratio));
  }
  if (made.thickened == 0) made.lost = std::move(lost.parts);
  report(0.85);
  improve_worst(made.mesh, tree, made.cell, kBadAngle);
  if (options.keep_volume) fit_boundary(made.mesh, tree, made.cell, kAllowedAngle, *jobs);
  report(0.95);

  const DihedralAngles angles = dihedral_angles(made.mesh);
  made.smallest_angle = angles.smallest;
  made.largest_angle = angles.largest;
  made.pieces = face_pieces(made.mesh).count;
  report(1);
  return made;
}

std::vector<std::string> Tetrahedralized::warnings() const {
  std::vector<std::string> out;
  if (fragments > 0) {
    out.push_back(fmt::format(
        "{} small piece{} broke off where the surface is thinner than a cell of {:.3g} m, and {} "
        "left out; use smaller cells or more tets to keep {}",
        fragments, fragments > 1 ? "s" : "", cell, fragments > 1 ? "were" : "was", fragments > 1 ? "them" : "it"));
  }
  if (thickened > 0) {
    out.push_back(
        fmt::format("parts that are thinner than a cell of {:.3g} m were made thicker at {} place{}, so that "
                    "they stay; use smaller cells or more tets to have them as they are",
                    cell, thickened, thickened > 1 ? "s" : ""));
  }
  constexpr std::size_t kMostNamed = 5;
  for (std::size_t i = 0; i < std::min(lost.size(), kMostNamed); ++i) {
    const LostPart& part = lost[i];
    out.push_back(
        fmt::format("the surface around ({:.4g}, {:.4g}, {:.4g}), {:.3g} m in size, is thinner than a cell of "
                    "{:.3g} m and has no tets; use smaller cells or more tets to keep it",
                    part.center.x, part.center.y, part.center.z, part.size, cell));
  }
  if (lost.size() > kMostNamed)
    out.push_back(fmt::format("{} more parts of the surface have no tets", lost.size() - kMostNamed));
  return out;
}

}  // namespace pliant
