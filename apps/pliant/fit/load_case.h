#pragma once
// Bodies at rest under a load, for which finite elements and position-based methods are compared.     real17 3.2

#include <string>
#include <vector>

#include "pliant/material.h"
#include "pliant/mesh.h"

namespace pliant::fit {

/// What is the same for all that are compared: a mesh, what holds it, what pulls at it.
struct LoadCase {
  std::string name;
  TetMesh mesh;
  std::vector<int> held;       // vertices
  double density = 1;          // [kg/m^3]
  std::vector<double> masses;  // [kg] of each vertex in place of the density; empty: that
  Vec3d gravity{};             // [m/s^2]
  std::vector<Vec3d> forces;   // [N] per vertex; empty: none
};

/// The thesis's scenes, and the usual tests of a material that it leaves to others.
enum class LoadKind {
  floor,     // GravityFloor: the face y = 0 of the unit cube is held
  wall,      // GravityWall: the face z = 0
  ceiling,   // GravityCeiling: the face y = 1
  traction,  // the face y = 0 is held, y = 1 pulled up
  shear,     // y = 1 pulled along x
  torsion,   // y = 1 turned about the middle axis
};

struct CubeOptions {
  std::string mesh{};    // file of a body of tets in place of the cube; its faces are what lies within 2 % of its box
  double density = 1;    // [kg/m^3]
  int cells = 1;         // N: N x N x N cells of five tets
  double irregular = 0;  // inner vertices are moved by up to this part of a cell, faces keep their planes
  bool equal_masses = false;  // every vertex weighs the same, instead of its share of the tets' mass
  double force = 0.5;         // [N] of traction and shear, and [N m] of torsion, in all
};

/// A unit cube, or the body of `options.mesh`. Throws Error if that cannot be read.
LoadCase cube(LoadKind kind, const CubeOptions& options);

/// The kinds of a name: "floor", "wall", ..., or "gravity" for the thesis's compound of the first three. Throws Error.
std::vector<LoadKind> load_kinds(const std::string& name);
const std::vector<std::string>& load_names();

/// What the contestants are compared with.
enum class Reference {
  linear,  // linear elasticity, as the thesis
  stvk,    // with large strains
  neo_hookean,
};

/// Displacements of finite elements at rest [m]. Throws Error where there is no equilibrium.
std::vector<Vec3d> reference_displacements(const LoadCase& load, Reference model, double young, double poisson);

/// real17's measure: the mean over the vertices that move in the reference of the squared relative error.
double error_of(const std::vector<Vec3d>& displacements, const std::vector<Vec3d>& reference);

}  // namespace pliant::fit
