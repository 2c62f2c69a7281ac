#include "scene/shapes.h"

#include <fmt/format.h>

#include <cmath>

#include "io/mesh_reader.h"
#include "mesh/survey.h"
#include "pliant/error.h"

namespace pliant::scene {
namespace {

const char* name_of(BodyKind kind) {
  return kind == BodyKind::cloth ? "cloth" : kind == BodyKind::solid ? "solid" : "rope";
}

const char* generator_of(const ShapeSpec& shape) {
  if (shape.grid) return "grid";
  if (shape.sphere) return "sphere";
  if (shape.torus) return "torus";
  if (shape.cylinder) return "cylinder";
  if (shape.box) return "box";
  if (shape.rope) return "rope";
  return "file";
}

/// A field that counts the elements of the other kind of body would be ignored: refuse it.
void refuse_field(bool given, const ShapeSpec& shape, const char* field, const char* use, BodyKind kind) {
  if (!given) return;
  throw Error(fmt::format("{}.{}", where_of_shape(shape), field),
              fmt::format("a {} {} does not have this", name_of(kind), generator_of(shape)),
              *use ? fmt::format("use '{}'", use) : "remove it");
}

void check_fields_of_kind(const ShapeSpec& shape, BodyKind kind) {
  const bool surface = kind == BodyKind::cloth;
  if (const auto& s = shape.sphere) {
    if (surface) refuse_field(s->cells_given, shape, "cells", "subdivisions", kind);
    if (!surface) refuse_field(s->subdivisions_given, shape, "subdivisions", "cells", kind);
  }
  if (const auto& s = shape.torus) {
    if (surface) refuse_field(s->tube_cells_given, shape, "tube_cells", "tube_segments", kind);
    if (!surface) refuse_field(s->tube_segments_given, shape, "tube_segments", "tube_cells", kind);
  }
  if (const auto& s = shape.cylinder) {
    if (surface) refuse_field(s->cells_given, shape, "cells", "segments", kind);
    if (!surface) refuse_field(s->segments_given, shape, "segments", "cells", kind);
  }
  if (const auto& s = shape.box; s && surface) refuse_field(s->split_given, shape, "split", "", kind);
}

void check_kind(const ShapeSpec& shape, BodyKind kind) {
  if (shape.file) return;
  const bool fits = shape.grid ? kind == BodyKind::cloth : shape.rope ? kind == BodyKind::rope : kind != BodyKind::rope;
  if (fits) return;
  const char* fitting = kind == BodyKind::cloth   ? "grid, sphere, torus, cylinder, box or file"
                        : kind == BodyKind::solid ? "sphere, torus, cylinder, box or file"
                                                  : "rope or file";
  throw Error(where_of_shape(shape), fmt::format("a {} cannot be made from '{}'", name_of(kind), generator_of(shape)),
              fmt::format("use {}, or another kind of body", fitting));
}

TriMesh make_surface(const ShapeSpec& shape, std::vector<std::string>& notes) {
  if (const auto& s = shape.grid) return grid(s->size, s->cells);
  if (const auto& s = shape.sphere) return sphere(s->radius, s->subdivisions);
  if (const auto& s = shape.torus) return torus(s->radius, s->tube_radius, s->segments, s->tube_segments);
  if (const auto& s = shape.cylinder) return cylinder(s->radius, s->height, s->segments, s->rings);
  if (const auto& s = shape.box) return box_surface(s->size, s->cells);
  return read_tri_mesh(*shape.file, &notes);
}

TetMesh make_volume(const ShapeSpec& shape, std::vector<std::string>& notes) {
  if (const auto& s = shape.sphere) return ball_tets(s->radius, s->cells);
  if (const auto& s = shape.torus) return torus_tets(s->radius, s->tube_radius, s->segments, s->tube_cells);
  if (const auto& s = shape.cylinder) return cylinder_tets(s->radius, s->height, s->cells, s->rings);
  if (const auto& s = shape.box) return box_tets(s->size, s->cells, s->split);
  return read_tet_mesh(*shape.file, &notes);
}

Curve make_curve(const ShapeSpec& shape, std::vector<std::string>& notes) {
  if (const auto& s = shape.rope) return rope(s->from, s->to, s->segments);
  return read_curve(*shape.file, &notes);
}

}  // namespace

std::string where_of_shape(const ShapeSpec& shape) { return fmt::format("{}.{}", shape.where, generator_of(shape)); }

double expected_vertices(const ShapeSpec& shape, BodyKind kind) {
  const bool surface = kind == BodyKind::cloth;
  if (const auto& s = shape.grid) return (s->cells[0] + 1.0) * (s->cells[1] + 1.0);
  if (const auto& s = shape.sphere) {
    return surface ? 10 * std::pow(4.0, s->subdivisions) + 2 : std::pow(s->cells + 1.0, 3);
  }
  if (const auto& s = shape.torus) {
    return surface ? double(s->segments) * s->tube_segments : s->segments * std::pow(s->tube_cells + 1.0, 2);
  }
  if (const auto& s = shape.cylinder) {
    return (s->rings + 1.0) * (surface ? s->segments : std::pow(s->cells + 1.0, 2));
  }
  if (const auto& s = shape.box) {
    const double x = s->cells[0] + 1.0, y = s->cells[1] + 1.0, z = s->cells[2] + 1.0;
    return surface ? 2 * (x * y + y * z + z * x) : x * y * z;
  }
  if (const auto& s = shape.rope) return s->segments + 1.0;
  return 0;
}

Mesh make_mesh(const ShapeSpec& shape, BodyKind kind, std::vector<std::string>& warnings) {
  check_kind(shape, kind);
  check_fields_of_kind(shape, kind);
  const std::string where = where_of_shape(shape);
  Mesh mesh;
  try {
    switch (kind) {
      case BodyKind::cloth:
        mesh = make_surface(shape, warnings);
        break;
      case BodyKind::solid:
        mesh = make_volume(shape, warnings);
        break;
      case BodyKind::rope:
        mesh = make_curve(shape, warnings);
        break;
    }
  } catch (const Error& error) {
    if (shape.file) throw error.inside(where);
    // A generator says "torus: tube_radius"; its parameters are the shape's fields.
    const size_t colon = error.where().find(": ");
    throw Error(colon == std::string::npos ? where : where + "." + error.where().substr(colon + 2), error.problem(),
                error.remedy());
  }
  const std::string name = shape.file ? where + ": " + *shape.file : where;
  if (shape.merge) {
    if (!shape.file) throw Error(shape.where + ".merge", "only the vertices of a file can be merged", "leave it out");
    const int64_t merged = std::visit([&](auto& m) { return merge_vertices(m, *shape.merge); }, mesh);
    if (merged > 0) warnings.push_back(fmt::format("{}: {} vertices were joined to others", name, merged));
  }
  const int repairs = std::visit([&](auto& m) { return repair(m, name); }, mesh);
  if (repairs > 0) warnings.push_back(fmt::format("{}: {} inverted elements were turned around", name, repairs));
  return mesh;
}

}  // namespace pliant::scene
