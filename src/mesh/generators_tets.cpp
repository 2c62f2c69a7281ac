// Volumes from sizes and counts: box, ball, cylinder, torus. All are lattices of box cells; the round
// ones are bent by a map that keeps neighbours neighbours.

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

#include "mesh/generator_input.h"
#include "pliant/mesh.h"

namespace pliant {

namespace {

std::size_t index(int i) { return static_cast<std::size_t>(i); }

/// Vertices of a lattice of cells: (i, j, k) -> number, i fastest. The middle axis may be closed to a
/// ring, so that layer `cells[1]` is layer 0 again.
struct Lattice {
  std::array<int, 3> cells;
  bool ring = false;

  int layers() const { return ring ? cells[1] : cells[1] + 1; }
  int vertex(int i, int j, int k) const { return (k * layers() + j % layers()) * (cells[0] + 1) + i; }
  double vertex_count() const { return (cells[0] + 1.0) * layers() * (cells[2] + 1.0); }
  std::size_t cell_count() const { return index(cells[0]) * index(cells[1]) * index(cells[2]); }
};

template <class Visit>
void for_each_cell(const Lattice& lattice, Visit visit) {
  for (int k = 0; k < lattice.cells[2]; ++k) {
    for (int j = 0; j < lattice.cells[1]; ++j) {
      for (int i = 0; i < lattice.cells[0]; ++i) visit(i, j, k);
    }
  }
}

/// A regular tet (of a cubic cell) in the middle and one at each of the four corners that it leaves
/// out. Neighbouring cells are mirror images, so that the diagonals of their common face agree.
std::vector<Tet> split_in_five(const Lattice& lattice) {
  std::vector<Tet> tets;
  tets.reserve(5 * lattice.cell_count());
  for_each_cell(lattice, [&](int i, int j, int k) {
    const bool mirrored = (i + j + k) % 2 != 0;
    // Corner (a, b, c) of the cell, mirrored in x.
    const auto at = [&](int a, int b, int c) { return lattice.vertex(i + (mirrored ? 1 - a : a), j + b, k + c); };
    const auto add = [&](Tet tet) {
      if (mirrored) std::swap(tet[2], tet[3]);
      tets.push_back(tet);
    };
    add({at(0, 0, 0), at(1, 0, 0), at(0, 1, 0), at(0, 0, 1)});
    add({at(1, 1, 0), at(0, 1, 0), at(1, 0, 0), at(1, 1, 1)});
    add({at(1, 0, 1), at(1, 0, 0), at(0, 0, 1), at(1, 1, 1)});
    add({at(0, 1, 1), at(0, 0, 1), at(0, 1, 0), at(1, 1, 1)});
    add({at(1, 0, 0), at(0, 1, 0), at(0, 0, 1), at(1, 1, 1)});
  });
  return tets;
}

/// Six tets around a body diagonal of each cell: one for each order in which the three axes can be
/// walked from one end of the diagonal to the other (Kuhn's split). `backwards(axis, i)` says whether
/// the diagonal of the i-th cells along an axis runs towards lower coordinates of that axis. The
/// diagonal of a face depends on the two axes of that face alone, so any choice gives matching faces.
template <class Backwards>
std::vector<Tet> split_in_six(const Lattice& lattice, Backwards backwards) {
  // Orders of the axes; even permutations first: these have positive volume where nothing is mirrored.
  static constexpr std::array<std::array<int, 3>, 6> kOrders = {
      {{0, 1, 2}, {1, 2, 0}, {2, 0, 1}, {0, 2, 1}, {2, 1, 0}, {1, 0, 2}}};
  std::vector<Tet> tets;
  tets.reserve(6 * lattice.cell_count());
  for_each_cell(lattice, [&](int i, int j, int k) {
    const std::array<bool, 3> back = {backwards(0, i), backwards(1, j), backwards(2, k)};
    const bool mirrored = (back[0] != back[1]) != back[2];
    for (std::size_t order = 0; order < kOrders.size(); ++order) {
      std::array<int, 3> at = {i + back[0], j + back[1], k + back[2]};
      Tet tet;
      tet[0] = lattice.vertex(at[0], at[1], at[2]);
      for (std::size_t step = 0; step < 3; ++step) {
        const std::size_t axis = index(kOrders[order][step]);
        at[axis] += back[axis] ? -1 : 1;
        tet[step + 1] = lattice.vertex(at[0], at[1], at[2]);
      }
      if ((order >= 3) != mirrored) std::swap(tet[2], tet[3]);
      tets.push_back(tet);
    }
  });
  return tets;
}

/// Diagonals that point away from the centre of n cells: no tet then has two faces on a round surface
/// where the lattice had an edge, which would be a flat one.
bool before_centre(int i, int n) { return 2 * i + 1 < n; }

/// The square [-1, 1]^2 onto the unit disc: the square's rings of equal max(|a|, |b|) become circles,
/// and a point's share of its side its share of the quarter turn (Shirley and Chiu's concentric map).
/// All areas shrink by the same factor, pi/4.
Vec2d square_to_disc(double a, double b) {
  constexpr double kQuarter = std::numbers::pi / 4;
  if (a == 0 && b == 0) return {0, 0};
  if (std::abs(a) >= std::abs(b)) return {a * std::cos(kQuarter * b / a), a * std::sin(kQuarter * b / a)};
  return {b * std::sin(kQuarter * a / b), b * std::cos(kQuarter * a / b)};
}

/// The cube [-1, 1]^3 onto the unit ball: shells of equal max(|x|, |y|, |z|) become spheres, grid
/// lines on the cube's faces great circles at equal angles. The map has kinks only in planes where two
/// coordinates are equal in size, and faces of the six tets lie in these.
Vec3d cube_to_ball(const Vec3d& p) {
  const double shell = std::max({std::abs(p.x), std::abs(p.y), std::abs(p.z)});
  if (shell == 0) return {0, 0, 0};
  const double to_angle = std::numbers::pi / 4 / shell;
  const Vec3d direction = {std::tan(p.x * to_angle), std::tan(p.y * to_angle), std::tan(p.z * to_angle)};
  return direction * (shell / length(direction));
}

/// -1 at the first grid line, 1 at the last.
double unit_line(int i, int n) { return grid_line(2, i, n); }

template <class Place>
std::vector<Vec3d> lattice_positions(const Lattice& lattice, Place place) {
  std::vector<Vec3d> positions;
  positions.reserve(static_cast<std::size_t>(lattice.vertex_count()));
  for (int k = 0; k <= lattice.cells[2]; ++k) {
    for (int j = 0; j < lattice.layers(); ++j) {
      for (int i = 0; i <= lattice.cells[0]; ++i) positions.push_back(place(i, j, k));
    }
  }
  return positions;
}

}  // namespace

TetMesh box_tets(Vec3d size, std::array<int, 3> cells, CellSplit split) {
  require_length("box_tets", "size.x", size.x);
  require_length("box_tets", "size.y", size.y);
  require_length("box_tets", "size.z", size.z);
  require_count("box_tets", "cells[0]", cells[0], 1);
  require_count("box_tets", "cells[1]", cells[1], 1);
  require_count("box_tets", "cells[2]", cells[2], 1);
  require_vertex_count("box_tets", "cells", (cells[0] + 1.0) * (cells[1] + 1.0) * (cells[2] + 1.0));
  const Lattice lattice{.cells = cells};
  const auto [nx, ny, nz] = cells;
  return {
      lattice_positions(lattice,
                        [&, nx = nx, ny = ny, nz = nz](int i, int j, int k) {
                          return Vec3d{grid_line(size.x, i, nx), grid_line(size.y, j, ny), grid_line(size.z, k, nz)};
                        }),
      split == CellSplit::five ? split_in_five(lattice) : split_in_six(lattice, [](int, int) { return false; })};
}

// Dihedral angles over all counts: 26.3 to 114.6 degrees (29 at least for even counts; the cell in the
// middle of an odd count is the narrow place). The largest tet has at most 3.3 times the volume of the
// smallest, 1.52 times for even counts.
TetMesh ball_tets(double radius, int cells) {
  require_length("ball_tets", "radius", radius);
  require_count("ball_tets", "cells", cells, 1);
  require_vertex_count("ball_tets", "cells", std::pow(cells + 1.0, 3));
  const Lattice lattice{.cells = {cells, cells, cells}};
  return {lattice_positions(lattice,
                            [&](int i, int j, int k) {
                              const Vec3d p{unit_line(i, cells), unit_line(j, cells), unit_line(k, cells)};
                              return cube_to_ball(p) * radius;
                            }),
          split_in_six(lattice, [&](int, int i) { return before_centre(i, cells); })};
}

// Dihedral angles where layers are as high as cells are wide (height / rings = 2 radius / cells): 31.7 to
// 121.8 degrees. The largest tet has at most 1.71 times the volume of the smallest, 1.17 times for even
// counts.
TetMesh cylinder_tets(double radius, double height, int cells, int rings) {
  require_length("cylinder_tets", "radius", radius);
  require_length("cylinder_tets", "height", height);
  require_count("cylinder_tets", "cells", cells, 1);
  require_count("cylinder_tets", "rings", rings, 1);
  require_vertex_count("cylinder_tets", "cells, rings", (cells + 1.0) * (cells + 1.0) * (rings + 1.0));
  const Lattice lattice{.cells = {cells, rings, cells}};
  return {lattice_positions(lattice,
                            [&](int i, int j, int k) {
                              const Vec2d p = square_to_disc(unit_line(i, cells), unit_line(k, cells));
                              return Vec3d{radius * p.x, grid_line(height, j, rings), radius * p.y};
                            }),
          // Along the axis the diagonals alternate, so that the body twists neither way.
          split_in_six(lattice, [&](int axis, int i) { return axis == 1 ? i % 2 != 0 : before_centre(i, cells); })};
}

TetMesh torus_tets(double radius, double tube_radius, int segments, int tube_cells) {
  require_length("torus_tets", "radius", radius);
  require_length("torus_tets", "tube_radius", tube_radius);
  if (tube_radius >= radius) {
    throw Error("torus_tets: tube_radius", readable(tube_radius) + " is not below the radius, " + readable(radius),
                "the hole would close: give a thinner tube or a larger radius");
  }
  require_count("torus_tets", "segments", segments, 3);
  require_count("torus_tets", "tube_cells", tube_cells, 1);
  require_vertex_count("torus_tets", "segments, tube_cells",
                       (tube_cells + 1.0) * (tube_cells + 1.0) * static_cast<double>(segments));
  const Lattice lattice{.cells = {tube_cells, segments, tube_cells}, .ring = true};
  return {
      lattice_positions(lattice,
                        [&](int i, int j, int k) {
                          const Vec2d p = square_to_disc(unit_line(i, tube_cells), unit_line(k, tube_cells));
                          const double from_axis = radius + tube_radius * p.x;
                          const double along = 2 * std::numbers::pi * j / segments;
                          // x outward, along the ring, y up is a right-handed frame when the ring
                          // runs from x to -z.
                          return Vec3d{from_axis * std::cos(along), tube_radius * p.y, -from_axis * std::sin(along)};
                        }),
      split_in_six(lattice, [&](int axis, int i) { return axis == 1 ? i % 2 != 0 : before_centre(i, tube_cells); })};
}

}  // namespace pliant
