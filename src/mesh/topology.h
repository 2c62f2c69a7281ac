#pragma once
// How the elements of a mesh hang together: edges, hinges, adjacency, components; and what a vertex
// weighs. Everything is linear in the size of the mesh unless said, and depends on the mesh alone.
//
// Vertex numbers must be in range: give meshes that went through repair() (pliant/mesh.h).

#include <array>
#include <span>
#include <vector>

#include "pliant/mesh.h"

namespace pliant {

/// Each edge once, smaller vertex first, in ascending order.
std::vector<Edge> edges_of(std::span<const Triangle> triangles);
std::vector<Edge> edges_of(std::span<const Tet> tets);

/// Two triangles that share an edge:
///
///              edge1
///             /  |  \                 (edge0, edge1, opposite0) is wound like the triangle of the
///   opposite0    |    opposite1       lower number, which lies to the left of edge0 -> edge1.
///             \  |  /
///              edge0
struct Hinge {
  int edge0, edge1, opposite0, opposite1;
  friend bool operator==(const Hinge&, const Hinge&) = default;
};

/// One hinge per interior edge, in ascending order of the edge's vertices. Throws Error naming the
/// first edge that three or more triangles share.
std::vector<Hinge> hinges_of(std::span<const Triangle> triangles);

/// The same by the triangles' numbers, triangle0 < triangle1.
struct TrianglePair {
  Edge edge;  // as triangle0 runs through it
  int triangle0, triangle1;
  bool consistent;  // both have the same side outward: triangle1 runs through the edge the other way
};
std::vector<TrianglePair> neighbours_of(std::span<const Triangle> triangles);

/// Vertex -> the elements that use it, ascending.
struct Adjacency {
  std::vector<int> offsets;  // of vertex v: elements[offsets[v]] .. elements[offsets[v + 1]]
  std::vector<int> elements;

  std::span<const int> of(int vertex) const {
    const auto v = static_cast<std::size_t>(vertex);
    return {elements.data() + offsets[v], static_cast<std::size_t>(offsets[v + 1] - offsets[v])};
  }
};
Adjacency vertex_to_element(std::span<const Edge> edges, int vertex_count);
Adjacency vertex_to_element(std::span<const Triangle> triangles, int vertex_count);
Adjacency vertex_to_element(std::span<const Tet> tets, int vertex_count);

/// Mass of each vertex [kg]: an element's mass, density times its length [m], area [m^2] or volume
/// [m^3], goes to its corners in equal parts. The density is in kg/m, kg/m^2 or kg/m^3. Throws Error
/// naming the first vertex that no element uses: it would have no mass.
std::vector<double> lumped_masses(std::span<const Edge> edges, std::span<const Vec3d> positions, double density);
std::vector<double> lumped_masses(std::span<const Triangle> triangles, std::span<const Vec3d> positions,
                                  double density);
std::vector<double> lumped_masses(std::span<const Tet> tets, std::span<const Vec3d> positions, double density);

/// The pieces a mesh falls into, numbered in the order of their lowest vertices. A vertex without
/// elements is a piece by itself.
struct Components {
  int count = 0;
  std::vector<int> of_vertex;
};
Components connected_components(std::span<const Edge> edges, int vertex_count);
Components connected_components(std::span<const Triangle> triangles, int vertex_count);
Components connected_components(std::span<const Tet> tets, int vertex_count);

/// A point of a mesh as a mixture of corners. The weights sum to one and are not negative.
struct MeshPoint {
  int element = -1;
  int corner_count = 0;          // 3 for a triangle, 4 for a tet
  std::array<int, 4> corners{};  // vertex numbers, the first corner_count of them
  std::array<double, 4> weights{};
  Vec3d position{};     // [m]
  double distance = 0;  // [m] from the point asked for; 0 inside of a tet
};

/// The point of the mesh nearest to `point`; of equally near ones that in the element of the lowest
/// number. Looks at every element. There must be at least one.
MeshPoint nearest_point_on(std::span<const Triangle> triangles, std::span<const Vec3d> positions, Vec3d point);
MeshPoint nearest_point_on(std::span<const Tet> tets, std::span<const Vec3d> positions, Vec3d point);

/// Vertices in use - edges + triangles: 2 for a sphere, 0 for a torus, 1 for a disc.
int euler_characteristic(std::span<const Triangle> triangles);

/// Whether every edge has exactly two triangles, wound consistently.
bool is_closed(std::span<const Triangle> triangles);

/// Swaps two corners of each tet of negative volume; returns how many there were.
int rewind_inverted(TetMesh& mesh);

}  // namespace pliant
