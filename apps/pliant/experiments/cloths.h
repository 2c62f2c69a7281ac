#pragma once
// Pieces of cloth that several experiments use, and how they are drawn.

#include <array>
#include <vector>

#include "experiments/plot.h"
#include "pliant/world.h"

namespace pliant::experiments {

/// grid() with inner vertices moved by up to `shake` of a cell, those of a side along it, and diagonals by chance where
/// both are good. The same seed gives the same mesh. Up to 0.4 no triangle turns over.
TriMesh irregular_grid(Vec2d size, std::array<int, 2> cells, double shake, unsigned seed = 1);

/// Forces on the vertices of a flat rectangle around the origin in the xz plane, which pull its sides with the stress
/// [N/m] (xx, zz, xz): what a uniform state of stress needs on any mesh.
std::vector<Vec3d> side_forces(const TriMesh& mesh, Vec2d size, Vec3d stress);

/// Root mean square of the angles between neighbouring triangles [degrees]; 0: flat. A triangle without area counts as
/// flat.
double fold_angle(const TriMesh& mesh, const std::vector<Vec3d>& positions);

/// All edges of a mesh as one broken line: across and up are the axes of the picture, 0 to 2.
Series wireframe(const std::string& title, const std::vector<Edge>& edges, const std::vector<Vec3d>& positions,
                 int across, int up);

}  // namespace pliant::experiments
