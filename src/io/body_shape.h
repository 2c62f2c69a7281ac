#pragma once
// What there is to see of a world: per body the surface or the lines, with normals.

#include <array>
#include <string>
#include <vector>

#include "pliant/world.h"

namespace pliant {

struct BodyShape {
  std::string name;              // on one line: control characters are replaced
  std::vector<Vec3d> positions;  // [m] those that the triangles or edges use, in the body's order
  std::vector<Vec3d> normals;    // unit length, one per position; empty for a rope
  std::vector<Triangle> triangles;
  std::vector<Edge> edges;                                // of a rope; empty for a surface
  std::vector<std::array<Vec2d, 3>> texture_coordinates;  // of the corners of the triangles, or empty
  Vec3d color;                                            // World::color
};

/// The light that a colour of a picture (sRGB) stands for, which USD and glTF want: red, green, blue from 0 to 1.
Vec3d linear_color(const Vec3d& srgb);

/// Edges that follow each other, as lists of vertices: each edge is in one list.
std::vector<std::vector<int>> chains_of(const std::vector<Edge>& edges);

std::vector<BodyShape> shapes_of(const World& world);

/// Unit normals of vertices: the sum of the normals of their triangles, weighted by area. Where that
/// is zero (a vertex between two equal and opposite triangles) there is no right one; it is then +y.
std::vector<Vec3d> vertex_normals(const std::vector<Vec3d>& positions, const std::vector<Triangle>& triangles);

}  // namespace pliant
