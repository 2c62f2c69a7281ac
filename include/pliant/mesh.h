#pragma once
// Meshes as the user gives them: plain arrays in the user's own numbering, double precision, metres.

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "pliant/vec.h"

namespace pliant {

using Edge = std::array<int, 2>;
using Triangle = std::array<int, 3>;
using Tet = std::array<int, 4>;

/// A surface, open or closed. Triangles are counter-clockwise seen from outside.
struct TriMesh {
  std::vector<Vec3d> positions;     // [m]
  std::vector<Triangle> triangles;  // indices into positions
  /// Of the corners of each triangle, or empty: none are known. One vertex may have several (a seam).
  std::vector<std::array<Vec2d, 3>> texture_coordinates{};
};

/// A volume. A tet (a, b, c, d) has positive volume: (b-a) . ((c-a) x (d-a)) > 0.
struct TetMesh {
  std::vector<Vec3d> positions;  // [m]
  std::vector<Tet> tets;
};

/// A line of segments: ropes, strands.
struct Curve {
  std::vector<Vec3d> positions;  // [m]
  std::vector<Edge> edges;
};

/// A point of a surface: a mixture of a triangle's corners, with weights that sum to one.
struct SurfacePoint {
  Triangle corners{};
  std::array<double, 3> weights{};
};

/// Hair: strands of equally many segments, one after another, the root of each first.
struct Strands {
  int segments = 0;                 // per strand
  std::vector<Vec3d> positions;     // [m] (segments + 1) per strand
  std::vector<SurfacePoint> roots;  // where they grow, one per strand; empty: nowhere in particular
};

/// How a box cell is cut into tets: five (a regular one in the middle, mirrored from cell to cell
/// so that faces match) or six around a diagonal (all congruent by reflection, one direction).
enum class CellSplit { five, six };

// Generators. Sizes in metres, all centred on the origin unless said. All refuse (pliant::Error)
// sizes that are not positive and finite, counts below the smallest sensible one, and counts whose
// product would need more than 2^28 vertices.

/// A rectangle in the xz plane, size.x by size.y, cells.x by cells.y squares of two triangles each,
/// with diagonals that alternate. Vertex (i, j) has index j * (cells_x + 1) + i.
TriMesh grid(Vec2d size, std::array<int, 2> cells);
/// Sphere from a subdivided icosahedron: 20 * 4^subdivisions triangles.
TriMesh sphere(double radius, int subdivisions);
/// Torus around the y axis.
TriMesh torus(double radius, double tube_radius, int segments, int tube_segments);
/// Closed cylinder along y.
TriMesh cylinder(double radius, double height, int segments, int rings);
/// Closed surface of a box.
TriMesh box_surface(Vec3d size, std::array<int, 3> cells);

/// Closed surface of a creature of soft balls, about `height` tall, with a resolution of `cells` cells over it. For
/// demonstrations: round, with thin and thick parts. tetrahedralize() makes it a solid.
TriMesh blob(double height, int cells);

TetMesh box_tets(Vec3d size, std::array<int, 3> cells, CellSplit split = CellSplit::five);
/// Round bodies: a box of cells mapped smoothly onto the ball or the solid cylinder (along y).
TetMesh ball_tets(double radius, int cells);
TetMesh cylinder_tets(double radius, double height, int cells, int rings);
/// Solid torus around the y axis, `tube_cells` cells across its tube.
TetMesh torus_tets(double radius, double tube_radius, int segments, int tube_cells);

/// A straight line from `from` to `to`.
Curve rope(Vec3d from, Vec3d to, int segments);

/// How strands grow. A strand's length varies by a factor in [1 - variation, 1 + variation], its direction and the
/// start of its curl by chance; the same seed gives the same hair.
struct HairStyle {
  double length = 0.2;  // [m] along the strand
  int segments = 20;
  double curl_radius = 0;  // [m] of the helix; 0: straight
  double curl_turns = 0;   // of the helix, root to tip
  double variation = 0.1;  // 0..0.9
  Vec3d comb{};            // added to the surface's unit normal: where the strands lean to
  uint32_t seed = 1;
};
/// Points spread over a surface by chance, evenly by area.
std::vector<SurfacePoint> scatter(const TriMesh& surface, int count, uint32_t seed = 1);
/// One point at each vertex that a triangle uses.
std::vector<SurfacePoint> vertex_points(const TriMesh& surface);
Strands grow(const TriMesh& surface, std::span<const SurfacePoint> roots, const HairStyle& style);

/// A layer of tets over a surface: `layers` prisms of three tets on each triangle. Vertices 0 .. n - 1 are those of
/// the surface, the next n stand above them along the normals, and so on.
TetMesh skin_layer(const TriMesh& surface, double thickness, int layers = 1);

/// The boundary of a volume: the faces that belong to one tet only, outward, in the tet mesh's own
/// vertex numbering.
std::vector<Triangle> surface_of(const TetMesh& mesh);

double volume(const TetMesh& mesh);  // [m^3]
double area(const TriMesh& mesh);    // [m^2]
/// Signed volume enclosed by a closed surface [m^3].
double enclosed_volume(const TriMesh& mesh);

/// Checks what a simulation needs and repairs what is safe. Throws Error (where = `name`) naming the
/// first element at fault: no elements, index out of range, a vertex used twice in one element, two
/// elements that are the same, an element without length, area or volume (relative to its size), a
/// position that is not finite, edges shared by more than two triangles, faces shared by more than two
/// tets. Inverted tets are rewound, triangles too where they face against most of their piece; the
/// number of repairs is returned.
int repair(TetMesh& mesh, const std::string& name);
int repair(TriMesh& mesh, const std::string& name);
int repair(Curve& mesh, const std::string& name);

}  // namespace pliant
