#include "scene/shapes.h"

#include <fmt/format.h>

#include <cmath>
#include <utility>

#include "io/mesh_reader.h"
#include "mesh/survey.h"
#include "pliant/error.h"
#include "pliant/tetrahedralize.h"
#include "scene/fill_surface.h"

namespace pliant::scene {
namespace {

const char* name_of(BodyKind kind) {
  return kind == BodyKind::cloth   ? "cloth"
         : kind == BodyKind::solid ? "solid"
         : kind == BodyKind::rope  ? "rope"
                                   : "hair";
}

const char* generator_of(const ShapeSpec& shape) {
  if (shape.grid) return "grid";
  if (shape.sphere) return "sphere";
  if (shape.torus) return "torus";
  if (shape.cylinder) return "cylinder";
  if (shape.box) return "box";
  if (shape.rope) return "rope";
  if (shape.blob) return "blob";
  if (shape.surface) return "surface";
  if (shape.hair) return "hair";
  if (shape.skin) return "skin";
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
  if (const auto& s = shape.blob; s && surface) refuse_field(s->fill_given, shape, "tets", "cells", kind);
  if (const auto& s = shape.box; s && surface) refuse_field(s->split_given, shape, "split", "", kind);
}

}  // namespace

void check_kind(const ShapeSpec& shape, BodyKind kind) {
  const bool fits = shape.file      ? kind != BodyKind::hair
                    : shape.grid    ? kind == BodyKind::cloth
                    : shape.rope    ? kind == BodyKind::rope
                    : shape.hair    ? kind == BodyKind::hair
                    : shape.surface ? kind == BodyKind::solid
                    : shape.skin    ? kind == BodyKind::solid
                                    : kind == BodyKind::cloth || kind == BodyKind::solid;
  if (fits) return;
  const char* fitting = kind == BodyKind::cloth   ? "grid, sphere, torus, cylinder, box, blob or file"
                        : kind == BodyKind::solid ? "sphere, torus, cylinder, box, blob, surface, skin or file"
                        : kind == BodyKind::rope  ? "rope or file"
                                                  : "hair";
  throw Error(where_of_shape(shape), fmt::format("a {} cannot be made from '{}'", name_of(kind), generator_of(shape)),
              fmt::format("use {}, or another kind of body", fitting));
}

namespace {

TriMesh make_surface(const ShapeSpec& shape, std::vector<std::string>& notes) {
  if (const auto& s = shape.grid) return grid(s->size, s->cells);
  if (const auto& s = shape.sphere) return sphere(s->radius, s->subdivisions);
  if (const auto& s = shape.torus) return torus(s->radius, s->tube_radius, s->segments, s->tube_segments);
  if (const auto& s = shape.cylinder) return cylinder(s->radius, s->height, s->segments, s->rings);
  if (const auto& s = shape.box) return box_surface(s->size, s->cells);
  if (const auto& s = shape.blob) return blob(s->height, s->cells);
  return read_tri_mesh(*shape.file, &notes);
}

TetMesh fill(const TriMesh& surface, const FillSpec& fill, const std::string& where,
             std::vector<std::string>& warnings) {
  TetrahedralizeOptions options;
  options.tets = fill.tets;
  options.cell = fill.cell.value_or(0);
  FilledSurface filled = fill_surface(surface, options, where);
  for (const std::string& warning : filled.warnings) warnings.push_back(where + ": " + warning);
  return std::move(filled.mesh);
}

TetMesh make_volume(const ShapeSpec& shape, std::vector<std::string>& notes) {
  if (const auto& s = shape.sphere) return ball_tets(s->radius, s->cells);
  if (const auto& s = shape.torus) return torus_tets(s->radius, s->tube_radius, s->segments, s->tube_cells);
  if (const auto& s = shape.cylinder) return cylinder_tets(s->radius, s->height, s->cells, s->rings);
  if (const auto& s = shape.box) return box_tets(s->size, s->cells, s->split);
  if (const auto& s = shape.blob) return fill(blob(s->height, s->cells), s->fill, where_of_shape(shape), notes);
  if (const auto& s = shape.surface) return fill(read_tri_mesh(s->file, &notes), s->fill, s->file, notes);
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
  // The creature's surface has about 10 vertices per cell of its height squared; a tet mesh some 4.5 tets per vertex.
  if (const auto& s = shape.blob) return surface ? 10.0 * s->cells * s->cells : s->fill.cell ? 0 : s->fill.tets / 4.5;
  if (const auto& s = shape.surface) return s->fill.cell ? 0 : s->fill.tets / 4.5;
  if (const auto& s = shape.hair) {
    const double strands = s->grid ? (s->grid->cells[0] + 1.0) * (s->grid->cells[1] + 1.0) : s->count;
    return strands * (s->style.segments + 1.0);
  }
  return 0;
}

std::optional<TriMesh> make_skin(const BodySpec& body) {
  if (body.skin) {
    try {
      return read_tri_mesh(*body.skin);
    } catch (const Error& error) {
      throw error.inside(body.where + ".skin");
    }
  }
  if (body.kind != BodyKind::solid) return std::nullopt;
  if (const auto& s = body.shape.blob; s && s->fill.skin) return blob(s->height, s->cells);
  if (const auto& s = body.shape.surface; s && s->fill.skin) return read_tri_mesh(s->file);
  return std::nullopt;
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
      case BodyKind::hair:  // made by build.cpp, which knows what it grows on
        break;
    }
  } catch (const Error& error) {
    if (shape.file || shape.surface || error.where() == where)
      throw error.where() == where ? error : error.inside(where);
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
