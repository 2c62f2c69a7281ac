// Volume, area and boundary of whole meshes.

#include "mesh/measure.h"

#include <span>

#include <fmt/format.h>

#include "mesh/facets.h"
#include "mesh/topology.h"
#include "pliant/error.h"

namespace pliant {

namespace {

/// These functions take meshes that nobody has checked; a wrong number must not read foreign memory.
template <std::size_t N>
void require_range(const std::vector<std::array<int, N>>& elements, std::size_t vertex_count, const char* function,
                   const char* kind) {
  for (std::size_t e = 0; e < elements.size(); ++e) {
    for (const int vertex : elements[e]) {
      if (vertex < 0 || static_cast<std::size_t>(vertex) >= vertex_count) {
        throw Error(fmt::format("{}: {} {}", function, kind, e),
                    fmt::format("vertex {} does not exist; the mesh has {}", vertex, vertex_count),
                    "number vertices from 0");
      }
    }
  }
}

const Vec3d& at(const std::vector<Vec3d>& positions, int vertex) { return positions[static_cast<std::size_t>(vertex)]; }

}  // namespace

std::vector<Triangle> surface_of(const TetMesh& mesh) {
  require_range(mesh.tets, mesh.positions.size(), "surface_of", "tet");
  const std::span<const Tet> tets = mesh.tets;
  std::vector<char> is_boundary(4 * tets.size(), 0);
  for_each_run(sorted_facets(tets, kTetFaces), [&](std::span<const Facet<3>> run) {
    if (run.size() == 1) is_boundary[static_cast<std::size_t>(run[0].owner)] = 1;
  });
  std::vector<Triangle> surface;  // in the order of the tets
  for (std::size_t owner = 0; owner < is_boundary.size(); ++owner) {
    if (!is_boundary[owner]) continue;
    const Tet& tet = tets[owner / 4];
    Triangle triangle;
    for (std::size_t i = 0; i < 3; ++i) triangle[i] = tet[static_cast<std::size_t>(kTetFaces[owner % 4][i])];
    surface.push_back(triangle);
  }
  return surface;
}

double volume(const TetMesh& mesh) {
  require_range(mesh.tets, mesh.positions.size(), "volume", "tet");
  double six = 0;
  for (const auto& [a, b, c, d] : mesh.tets) {
    six += six_volumes(at(mesh.positions, a), at(mesh.positions, b), at(mesh.positions, c), at(mesh.positions, d));
  }
  return six / 6;
}

double area(const TriMesh& mesh) {
  require_range(mesh.triangles, mesh.positions.size(), "area", "triangle");
  double twice = 0;
  for (const auto& [a, b, c] : mesh.triangles) {
    twice += length(double_area_normal(at(mesh.positions, a), at(mesh.positions, b), at(mesh.positions, c)));
  }
  return twice / 2;
}

double enclosed_volume(const TriMesh& mesh) {
  require_range(mesh.triangles, mesh.positions.size(), "enclosed_volume", "triangle");
  if (!is_closed(mesh.triangles)) {
    throw Error("enclosed_volume", "the surface is not closed, or its triangles do not all face the same way",
                "give a surface in which every edge has exactly two triangles, wound consistently");
  }
  // Tets between each triangle and one vertex of the mesh: near it no digits are lost to a far origin.
  const Vec3d apex = at(mesh.positions, mesh.triangles[0][0]);
  double six = 0;
  for (const auto& [a, b, c] : mesh.triangles) {
    six += six_volumes(apex, at(mesh.positions, a), at(mesh.positions, b), at(mesh.positions, c));
  }
  return six / 6;
}

}  // namespace pliant
