#pragma once
// Makes the boundary of a volume a proper surface: no crumbs, no parts that hang together by a vertex or an
// edge only. A lattice mesher leaves such places where a body is about as thin as a cell.

#include <vector>

#include "pliant/mesh.h"

namespace pliant {

struct ManifoldReport {
  int crumbs = 0;           // pieces left out
  double crumb_volume = 0;  // [m^3] in them
  int split_vertices = 0;   // vertices made two, so that parts touch but do not hang together
  int removed_tets = 0;     // at edges where more than two boundary triangles meet
};

/// Leaves out pieces (tets connected through faces) of less than `smallest_volume` [m^3], unless all are; removes
/// tets at boundary edges that are not manifold, splits vertices between tets that are connected there through
/// no face. Vertices that nothing uses any more are dropped; the others keep their order.
ManifoldReport make_manifold(TetMesh& mesh, double smallest_volume);

/// The pieces of a volume that are connected through faces: their number, and the piece of each tet, numbered by
/// their first tets.
struct FacePieces {
  int count = 0;
  std::vector<int> of_tet;
};
FacePieces face_pieces(const TetMesh& mesh);

/// Leaves out vertices that no tet uses; the others keep their order.
void drop_unused_vertices(TetMesh& mesh);

}  // namespace pliant
