#pragma once
// What there is to draw: the constant part of a world (Shape), and what changes from frame to frame (Frame).
//
// Both have vertices of their own: all bodies in one list, without vertices that no surface and no line uses.

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "pliant/picture.h"
#include "pliant/world.h"

namespace pliant::render {

enum class Kind { cloth, solid, rope };

/// A body, or a collider.
struct ShapeBody {
  std::string name;
  Kind kind = Kind::cloth;
  int collider = -1;                    // its number; -1: a body of the same number as this
  bool skin = false;                    // what is seen is its skin
  bool split = false;                   // each triangle has vertices of its own, in order: colours end at its edges
  std::vector<Vec3d> collider_shape{};  // vertices in the collider's own coordinates [m]
  Vec3f color{};                        // linear
  int first = 0;                        // vertex of the Shape
  std::vector<int> vertices;            // their numbers in the world
};

/// A line of vertices that is drawn as a tube.
struct Strand {
  int body = 0;
  std::vector<int> vertices;
};

struct Shape {
  std::vector<ShapeBody> bodies;
  int vertex_count = 0;
  std::vector<Triangle> triangles;
  std::vector<int> triangle_body;
  /// Where the surface is smooth the triangles at a vertex share a normal, at a crease they do not.
  std::vector<Triangle> triangle_normals;
  std::vector<int> normal_vertex;  // to which vertex a normal belongs
  std::vector<Strand> strands;
  Vec3d origin{};           // of the positions in frames, so that single precision suffices anywhere [m]
  int framed_vertices = 0;  // the first so many are what a camera has to see: not colliders far larger than bodies
  std::optional<double> ground{};  // [m] height of a level plane, which is drawn as the ground

  /// Whether frames of the world still fit: the same bodies with as many triangles and lines.
  bool fits(const World& world) const;

  // What fits() looks at.
  std::vector<std::array<size_t, 3>> sizes;  // vertices, triangles, edges of each body
  int colliders = 0;
};

/// Values other than the colours of bodies are known on a body's own surface: skins are left out then.
/// Bodies whose names are in `hidden` have nothing to draw.
Shape make_shape(const World& world, ColorBy color_by = ColorBy::body, const std::vector<std::string>& hidden = {});

/// What the camera of a picture does not see.
inline std::vector<std::string> hidden_bodies(const PictureOptions& options) {
  return options.camera ? options.camera->hide : std::vector<std::string>{};
}

struct Frame {
  double time = 0;               // [s]
  std::vector<Vec3f> positions;  // [m] from the origin
  std::vector<float> values;     // what colours show, if not bodies; one per vertex
};

Frame capture(const World& world, const Shape& shape, ColorBy color_by);

/// Strain, stress or speed of each vertex of a body (values.cpp).
std::vector<float> vertex_values(const World& world, BodyId body, ColorBy color_by);
/// Batch of the solver (World::element_batches) of each triangle, for a solid that of the tet behind it; for a rope of
/// each vertex, that of the edge behind it. 0 where no constraint is.
std::vector<float> solver_colors(const World& world, BodyId body);

/// Triangles with normals, tubes included, ready to be drawn.
struct DrawMesh {
  struct Corner {
    int vertex, normal;
  };
  struct Face {
    std::array<Corner, 3> corners;
    int body;
  };
  std::vector<Vec3f> positions;
  std::vector<Vec3f> normals;  // unit length
  std::vector<float> values;   // one per position, or empty
  std::vector<Face> faces;
};

/// `tube_radius` [m] of ropes.
DrawMesh make_draw_mesh(const Shape& shape, const Frame& frame, float tube_radius);

/// Unit normals of shape.normal_vertex.
std::vector<Vec3f> surface_normals(const Shape& shape, const std::vector<Vec3f>& positions);

/// sRGB (0 to 1) as amounts of light.
Vec3f linear_from_srgb(const Vec3d& color);

}  // namespace pliant::render
