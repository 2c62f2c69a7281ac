#pragma once
// The cell types of VTK's files, old and new.

#include "io/cells.h"

namespace pliant {

struct VtkCellType {
  int number;
  CellKind kind;
  const char* name;
};

/// What a type becomes; unsupported ones have a name too.
inline VtkCellType vtk_cell_type(int64_t number) {
  static constexpr VtkCellType kTypes[] = {
      {1, CellKind::unsupported, "vertex"},
      {2, CellKind::unsupported, "vertices"},
      {3, CellKind::line, "line"},
      {4, CellKind::polyline, "polyline"},
      {5, CellKind::triangle, "triangle"},
      {6, CellKind::strip, "triangle strip"},
      {7, CellKind::polygon, "polygon"},
      {8, CellKind::pixel, "pixel"},
      {9, CellKind::polygon, "quad"},
      {10, CellKind::tet, "tet"},
      {11, CellKind::unsupported, "voxel"},
      {12, CellKind::unsupported, "hexahedron"},
      {13, CellKind::unsupported, "wedge"},
      {14, CellKind::unsupported, "pyramid"},
      {21, CellKind::line, "line of second order"},
      {22, CellKind::triangle, "triangle of second order"},
      {24, CellKind::tet, "tet of second order"},
      {25, CellKind::unsupported, "hexahedron of second order"},
      {42, CellKind::unsupported, "polyhedron"},
  };
  for (const VtkCellType& type : kTypes) {
    if (type.number == number) return type;
  }
  return {static_cast<int>(number), CellKind::unsupported, "a type that is not known"};
}

}  // namespace pliant
