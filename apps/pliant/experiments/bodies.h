#pragma once
// Bodies that several experiments use, in the engine and in the finite-element reference alike.

#include <array>
#include <span>
#include <string>
#include <vector>

#include "fem/problem.h"
#include "pliant/world.h"

namespace pliant::experiments {

struct Body {
  TetMesh mesh;
  Material material;
  std::vector<int> held;  // vertices that stay where they are
  std::vector<int> tip;   // vertices whose displacement is looked at
};

/// A box whose face at the lower end of x is held; its tip is the face at the upper end.
Body wall_mounted(Vec3d size, std::array<int, 3> cells, const Material& material);

/// A thin ring of about the size of bender14's dragon (2603 vertices, 7278 tets): 2727 vertices, 7272 tets.
TetMesh dragon_sized_ring();

const char* name_of(MaterialModel model);

/// The engine with this body alone.
struct Stage {
  World world;
  BodyId body;
  std::vector<Vec3d> rest;  // positions at the start [m]

  Stage(const Body& body, const WorldOptions& options);
  /// Per vertex, from the rest shape [m].
  std::vector<Vec3d> displacements() const;
};

/// Vertices at the bottom of a mesh, up to this height above the lowest [m].
std::vector<int> at_bottom(const TetMesh& mesh, double height);
/// Largest y of these positions [m].
double top(const std::vector<Vec3d>& positions);

fem::Problem reference(const Body& body, Vec3d gravity);

/// Mean displacement over some vertices [m].
Vec3d mean(std::span<const Vec3d> displacements, const std::vector<int>& vertices);

/// Largest difference of a vertex over the largest displacement of `expected`.
double largest_relative_difference(std::span<const Vec3d> found, std::span<const Vec3d> expected);

}  // namespace pliant::experiments
