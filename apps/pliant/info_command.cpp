// pliant info: what is in a mesh file, and what a simulation would say of it.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "commands.h"
#include "io/mesh_reader.h"
#include "mesh/survey.h"
#include "mesh/topology.h"
#include "pliant/error.h"
#include "pliant/mesh.h"

namespace pliant::app {
namespace {

void print_bounds(const std::vector<Vec3d>& positions) {
  if (positions.empty()) return;
  Vec3d low = positions[0], high = positions[0];
  for (const Vec3d& x : positions) {
    for (int k = 0; k < 3; ++k) {
      low[k] = std::min(low[k], x[k]);
      high[k] = std::max(high[k], x[k]);
    }
  }
  fmt::print("  box       [{:g}, {:g}, {:g}] to [{:g}, {:g}, {:g}], size {:g} x {:g} x {:g} m\n", low.x, low.y, low.z,
             high.x, high.y, high.z, high.x - low.x, high.y - low.y, high.z - low.z);
}

void print_edges(const std::vector<Edge>& edges, const std::vector<Vec3d>& positions) {
  if (edges.empty()) return;
  double shortest = INFINITY, longest = 0;
  for (const Edge& edge : edges) {
    const double size = length(positions[static_cast<size_t>(edge[0])] - positions[static_cast<size_t>(edge[1])]);
    shortest = std::min(shortest, size);
    longest = std::max(longest, size);
  }
  fmt::print("  edges     {}, from {:g} to {:g} m\n", edges.size(), shortest, longest);
}

void print_pieces(const Components& components) { fmt::print("  pieces    {}\n", components.count); }

/// What the simulation would refuse or repair; returns whether it would refuse.
template <class Mesh>
bool print_defects(Mesh mesh) {
  try {
    const int repairs = repair(mesh, "mesh");
    if (repairs > 0) {
      fmt::print("  defects   {} elements are wound the wrong way; a simulation turns them around\n", repairs);
    } else {
      fmt::print("  defects   none\n");
    }
    return false;
  } catch (const Error& error) {
    fmt::print("  defects   {}; {}\n", error.problem(), error.remedy());
    return true;
  }
}

/// Lengths in files are often millimetres or centimetres: nothing that is simulated has hundreds of metres.
void print_units(const std::vector<Vec3d>& positions, const std::string& path) {
  double size = 0;
  for (int k = 0; k < 3 && !positions.empty(); ++k) {
    const auto [low, high] = std::minmax_element(positions.begin(), positions.end(),
                                                 [k](const Vec3d& a, const Vec3d& b) { return a[k] < b[k]; });
    size = std::max(size, (*high)[k] - (*low)[k]);
  }
  // STL comes from printing and milling, where the unit is the millimetre.
  const bool printed = std::filesystem::path(path).extension() == ".stl";
  const char* guess = size > 200 || (printed && size > 5) ? "millimetres? then place it with \"scale\": 0.001"
                      : size > 10                         ? "centimetres? then place it with \"scale\": 0.01"
                                                          : "metres, as it seems";
  fmt::print("  units     {}\n", guess);
}

void print_angles(const AngleHistogram& angles, const char* kind) {
  fmt::print("  quality   {} angles from {:.3g} to {:.4g} degrees; elements by their smallest:\n", kind,
             angles.smallest, angles.largest);
  const int64_t most = *std::max_element(angles.counts.begin(), angles.counts.end());
  for (std::size_t i = 0; i < angles.counts.size(); ++i) {
    const bool last = i == AngleHistogram::kLimits.size();
    const std::string range = last ? fmt::format(">= {:g}", AngleHistogram::kLimits[i - 1])
                                   : fmt::format("< {:g}", AngleHistogram::kLimits[i]);
    const auto bar = static_cast<std::size_t>(most > 0 ? (30 * angles.counts[i] + most - 1) / most : 0);
    fmt::print("            {:>6} {:>8} {}\n", range, angles.counts[i], std::string(bar, '#'));
  }
}

void print_vertices(int64_t repeated, int64_t unused) {
  if (repeated > 0) {
    fmt::print("  vertices  {} lie where another one does; \"merge\": 0 in the scene's shape joins them\n", repeated);
  }
  if (unused > 0) fmt::print("  vertices  {} belong to no element\n", unused);
}

bool describe(const TetMesh& mesh, const std::string& path) {
  fmt::print("  tets      {}, {} vertices\n", mesh.tets.size(), mesh.positions.size());
  print_bounds(mesh.positions);
  print_units(mesh.positions, path);
  fmt::print("  volume    {:g} m^3\n", volume(mesh));
  fmt::print("  surface   {} triangles, {:g} m^2\n", surface_of(mesh).size(), area({mesh.positions, surface_of(mesh)}));
  print_edges(edges_of(mesh.tets), mesh.positions);
  print_pieces(connected_components(mesh.tets, static_cast<int>(mesh.positions.size())));
  const TetSurvey found = survey(mesh);
  print_angles(found.angles, "dihedral");
  fmt::print("  slivers   {}\n",
             found.slivers == 0 ? "none" : fmt::format("{}, below 5 or above 175 degrees", found.slivers));
  print_vertices(found.repeated_vertices, found.unused_vertices);
  return print_defects(mesh);
}

bool describe(const TriMesh& mesh, const std::string& path) {
  const TriSurvey found = survey(mesh);
  fmt::print("  triangles {}, {} vertices\n", mesh.triangles.size(), mesh.positions.size());
  print_bounds(mesh.positions);
  print_units(mesh.positions, path);
  fmt::print("  area      {:g} m^2\n", area(mesh));
  fmt::print("  closed    {}\n", is_closed(mesh.triangles) ? fmt::format("yes, {:g} m^3 inside", enclosed_volume(mesh))
                                 : found.border_edges == 0
                                     ? std::string("no border, but see below")
                                     : fmt::format("no, {} edges around {} hole{}", found.border_edges, found.holes,
                                                   found.holes == 1 ? "" : "s"));
  fmt::print("  manifold  {}\n",
             found.crowded_edges > 0 ? fmt::format("no, {} edges have three or more triangles", found.crowded_edges)
             : found.opposed_edges > 0
                 ? fmt::format("yes, but neighbours face different ways at {} edges", found.opposed_edges)
                 : std::string("yes"));
  if (!mesh.texture_coordinates.empty()) fmt::print("  texture   coordinates of all corners\n");
  print_edges(edges_of(mesh.triangles), mesh.positions);
  print_pieces(connected_components(mesh.triangles, static_cast<int>(mesh.positions.size())));
  print_angles(found.angles, "triangle");
  print_vertices(found.repeated_vertices, found.unused_vertices);
  return print_defects(mesh);
}

bool describe(const Curve& mesh, const std::string& path) {
  double total = 0;
  for (const Edge& edge : mesh.edges) {
    total += length(mesh.positions[static_cast<size_t>(edge[0])] - mesh.positions[static_cast<size_t>(edge[1])]);
  }
  fmt::print("  segments  {}, {} vertices\n", mesh.edges.size(), mesh.positions.size());
  print_bounds(mesh.positions);
  print_units(mesh.positions, path);
  fmt::print("  length    {:g} m\n", total);
  print_edges(mesh.edges, mesh.positions);
  print_pieces(connected_components(mesh.edges, static_cast<int>(mesh.positions.size())));
  return print_defects(mesh);
}

/// What a file holds in the first place. Formats of tets often have their surface and its edges, too; in others lines
/// are rare, and meant where they are.
using AnyMesh = std::variant<TetMesh, Curve, TriMesh>;

AnyMesh read_any(const std::string& path, std::vector<std::string>& notes) {
  // A reader that finds nothing of its kind says so; what is wrong with the file the last one tells.
  if (may_have_tets(path)) {
    try {
      return read_tet_mesh(path, &notes);
    } catch (const Error& error) {
      if (error.problem() != "has no tets") throw;
    }
    try {
      return read_tri_mesh(path, &notes);
    } catch (const Error& error) {
      if (error.problem() != "has no faces") throw;
    }
    return read_curve(path, &notes);
  }
  try {
    Curve curve = read_curve(path, &notes);
    if (!curve.edges.empty()) return curve;
  } catch (const Error&) {
  }
  return read_tri_mesh(path, &notes);
}

int info(const std::string& path) {
  std::vector<std::string> notes;
  const AnyMesh mesh = read_any(path, notes);
  fmt::print("{}\n", path);
  const bool refused = std::visit([&](const auto& m) { return describe(m, path); }, mesh);
  for (const std::string& note : notes) fmt::print("  note      {}\n", note);
  return refused ? kTrouble : kOk;
}

}  // namespace

void add_info(CLI::App& app, Action& action) {
  CLI::App* command = app.add_subcommand("info", "Say what is in a mesh file and whether it can be simulated.");
  auto path = std::make_shared<std::string>();
  command
      ->add_option("MESH", *path,
                   "Mesh file: surface, tets or lines (obj, ply, off, stl, gltf, glb, msh, vtk, vtu, node and ele)")
      ->required();
  command->footer("\nExample:\n  pliant info bunny.obj\n\nThe exit code is 1 when a simulation would refuse the mesh.");
  command->callback([&action, path] { action = [path] { return info(*path); }; });
}

}  // namespace pliant::app
