#pragma once
// A problem for the finite-element reference: a solid of linear tets, held and loaded.
//
// The reference answers what the engine's result should be: the same meshes and the same materials, solved to
// rounding in double precision. It is itself checked against programs of others (tests/reference).

#include <string>
#include <vector>

#include "pliant/material.h"
#include "pliant/mesh.h"

namespace pliant::fem {

/// Holds a vertex, or some of its coordinates, at a displacement from the rest shape.
struct Support {
  int vertex = 0;
  Vec3d displacement{};               // [m]
  bool x = true, y = true, z = true;  // which coordinates are held
};

struct Problem {
  TetMesh mesh{};  // the rest shape
  Material material{};
  Vec3d gravity{};              // [m/s^2]
  std::vector<Vec3d> forces{};  // [N] on each vertex; empty: none
  std::vector<Support> supports{};
};

/// All vertices for which `where` is true, held at their rest positions.
template <class Predicate>
std::vector<Support> hold(const TetMesh& mesh, Predicate where) {
  std::vector<Support> supports;
  for (std::size_t v = 0; v < mesh.positions.size(); ++v) {
    if (where(mesh.positions[v])) supports.push_back({.vertex = static_cast<int>(v)});
  }
  return supports;
}

/// Throws Error (where = `name` and the field): a mesh without volume, a vertex out of range, a number that is not
/// finite, a coordinate that two supports hold at different displacements.
void validate(const Problem& problem, const std::string& name);

}  // namespace pliant::fem
