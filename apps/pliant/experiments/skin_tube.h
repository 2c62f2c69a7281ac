#pragma once
// A limb with a skin (mueller14 3.6, figure 5): a tube that linear blend skinning moves, measures of a layer of skin
// over it, and how far that layer slides in theory.

#include <span>
#include <vector>

#include "experiments/strain_entries.h"
#include "pliant/mesh.h"

namespace pliant::experiments {

/// Upright around the y axis, open at both ends, its middle at the origin.
struct Tube {
  double radius = 0.1, height = 1;  // [m]
  int segments = 24, rings = 40;

  TriMesh mesh() const;
  /// Vertices of both end rings.
  std::vector<int> ends() const;
};

/// What the lower half does; the upper one stays. In between, over `zone` [m] of the height, positions are blended by
/// weights that rise smoothly: linear blend skinning.
struct Motion {
  double bend = 0;   // [rad] about z, at the middle
  double twist = 0;  // [rad] about y
  double pull = 0;   // [m] downwards
  double zone = 0.3;

  /// Weight of the lower half at height y.
  double weight(double y) const;
  /// Where p is when the motion is done to the part `done`.
  Vec3d move(Vec3d p, double done = 1) const;
};

/// Tangent frames of what skin_layer() made: along the tube, around it, and the normal.
std::vector<Frame> tangent_frames(const TriMesh& surface, const TetMesh& layer);

/// How unevenly a surface is stretched: principal stretches of its triangles, by area.
struct Unevenness {
  double deviation = 0;  // root mean square of both principal stretches' distances from their means
  double largest = 0;    // distance of one of them from 1 that a hundredth of the area exceeds
};
Unevenness unevenness(const TriMesh& rest, std::span<const Vec3d> positions);

/// The outer side of a layer against the surface under it. Vertex v of both belongs together.
struct Sliding {
  double mean = 0, largest = 0;                     // [m] tangential part of the way from inner to outer vertex
  double thickness_error = 0, worst_thickness = 0;  // distance from the inner surface / at rest, less 1: mean, largest
  int behind = 0;                                   // outer vertices on the wrong side of the inner surface
};
Sliding sliding(const TriMesh& inner, std::span<const Vec3d> outer, double thickness);

/// A tube that is pulled: how far the outer side of its skin slides down against the inner one [m], at heights -h/2 to
/// h/2 in `count` even steps. Both sides are held together at the ends; displacements u along the tube are small and
/// linear in each of `layers` layers. With phi_i their hat functions across the skin, at radius r,
///
///   E M u'' = G K u,   M_ij = int r phi_i phi_j dr,   K_ij = int r phi_i' phi_j' dr,   u_0 that of the tube.
std::vector<double> pulled_slide(const Tube& tube, const Motion& motion, double thickness, int layers,
                                 double stretch_modulus, double shear_modulus, int count);

}  // namespace pliant::experiments
