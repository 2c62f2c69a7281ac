// pliant info: what is in a mesh file, and what a simulation would say of it.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "commands.h"
#include "io/mesh_reader.h"
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

bool describe(const TetMesh& mesh) {
  fmt::print("  tets      {}, {} vertices\n", mesh.tets.size(), mesh.positions.size());
  print_bounds(mesh.positions);
  fmt::print("  volume    {:g} m^3\n", volume(mesh));
  fmt::print("  surface   {} triangles, {:g} m^2\n", surface_of(mesh).size(), area({mesh.positions, surface_of(mesh)}));
  print_edges(edges_of(mesh.tets), mesh.positions);
  print_pieces(connected_components(mesh.tets, static_cast<int>(mesh.positions.size())));
  return print_defects(mesh);
}

bool describe(const TriMesh& mesh) {
  const bool closed = is_closed(mesh.triangles);
  fmt::print("  triangles {}, {} vertices\n", mesh.triangles.size(), mesh.positions.size());
  print_bounds(mesh.positions);
  fmt::print("  area      {:g} m^2\n", area(mesh));
  fmt::print("  closed    {}\n", closed ? fmt::format("yes, {:g} m^3 inside", enclosed_volume(mesh)) : "no");
  print_edges(edges_of(mesh.triangles), mesh.positions);
  print_pieces(connected_components(mesh.triangles, static_cast<int>(mesh.positions.size())));
  return print_defects(mesh);
}

bool describe(const Curve& mesh) {
  double total = 0;
  for (const Edge& edge : mesh.edges) {
    total += length(mesh.positions[static_cast<size_t>(edge[0])] - mesh.positions[static_cast<size_t>(edge[1])]);
  }
  fmt::print("  segments  {}, {} vertices\n", mesh.edges.size(), mesh.positions.size());
  print_bounds(mesh.positions);
  fmt::print("  length    {:g} m\n", total);
  print_edges(mesh.edges, mesh.positions);
  print_pieces(connected_components(mesh.edges, static_cast<int>(mesh.positions.size())));
  return print_defects(mesh);
}

/// The lines of a file that has some; other files are read for what they are.
std::optional<Curve> lines_of(const std::string& path) {
  try {
    Curve curve = read_curve(path);
    if (!curve.edges.empty()) return curve;
  } catch (const Error&) {  // says that there are none, or what a reader of surfaces says as well
  }
  return std::nullopt;
}

int info(const std::string& path) {
  const std::string ending = std::filesystem::path(path).extension().string();
  bool refused = false;
  if (ending == ".node" || ending == ".ele") {
    const TetMesh mesh = read_tet_mesh(path);
    fmt::print("{}\n", path);
    refused = describe(mesh);
  } else if (const auto curve = lines_of(path)) {
    fmt::print("{}\n", path);
    refused = describe(*curve);
  } else {
    const TriMesh mesh = read_tri_mesh(path);
    fmt::print("{}\n", path);
    refused = describe(mesh);
  }
  return refused ? kTrouble : kOk;
}

}  // namespace

void add_info(CLI::App& app, Action& action) {
  CLI::App* command = app.add_subcommand("info", "Say what is in a mesh file and whether it can be simulated.");
  auto path = std::make_shared<std::string>();
  command->add_option("MESH", *path, "Mesh file: surface, tets or lines")->required();
  command->footer("\nExample:\n  pliant info bunny.obj\n\nThe exit code is 1 when a simulation would refuse the mesh.");
  command->callback([&action, path] { action = [path] { return info(*path); }; });
}

}  // namespace pliant::app
