#pragma once
// Shape of a scene -> mesh of a body.

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "scene/spec.h"

namespace pliant::scene {

/// As the body's kind wants it: triangles, tets or segments.
using Mesh = std::variant<TriMesh, TetMesh, Curve>;

/// Vertices that a generated shape will have, up to a few, without making it; 0 for a file. In double,
/// so that it cannot overflow.
double expected_vertices(const ShapeSpec& shape, BodyKind kind);

/// Generates or reads the mesh, checks it and repairs what is safe; tells of repairs in `warnings`.
/// Errors name the shape's field.
Mesh make_mesh(const ShapeSpec& shape, BodyKind kind, std::vector<std::string>& warnings);

/// The surface that is seen in place of the body's own, if it has one: its `skin`, or the surface that was filled.
std::optional<TriMesh> make_skin(const BodySpec& body);
/// Refuses a shape that a kind of body cannot have.
void check_kind(const ShapeSpec& shape, BodyKind kind);

/// "bodies[0].shape.box" for a box: where a message about the shape's size belongs.
std::string where_of_shape(const ShapeSpec& shape);

}  // namespace pliant::scene
