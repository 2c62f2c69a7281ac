#pragma once
// Elastic cloth: which constraints a material or strains become.

#include <optional>
#include <string>
#include <vector>

#include "solver/model.h"

namespace pliant {

/// Name of the registered type that the membrane of a material becomes.
std::string membrane_type(const ClothMaterial& material);

/// A material that becomes constraints of this type, with default constants; empty if the type is not one of cloth.
std::optional<ClothMaterial> cloth_of_type(const std::string& type);

/// The directions of weft and warp in the rest plane of a triangle: of unit length and at right angles. `mirrored`:
/// seen from the side from which the triangle runs counter-clockwise, the warp lies to the right of the weft.
struct WeftAndWarp {
  Vec3d weft, warp;
  bool mirrored = false;
};

/// Texture coordinates of the triangles' corners: those given for the vertices, or those of the mesh, or none. Throws
/// Error (`name` is who asks for those of the mesh) if they are asked for and missing, or do not fit the mesh.
std::vector<std::array<Vec2d, 3>> texture_of_corners(const BodyInput& body, const std::vector<Vec2d>& of_vertices,
                                                     bool of_mesh, const std::string& name);

/// For each triangle: along `direction` as far as its plane allows, or along u of the texture coordinates if there are
/// any (mueller14 eq. 37, 38). Throws Error if one has no area in the texture.
std::vector<WeftAndWarp> weft_and_warp(const BodyInput& body, Vec3d direction,
                                       const std::vector<std::array<Vec2d, 3>>& texture);

/// What decides whether multipliers of cloth are kept, and how soft it looks where they are not.
struct Substep {
  double dt;     // [s]
  double limit;  // resolved_limit()
  int iterations;
  Integrator integrator;
};

/// Cloth that is stiffer than the substeps can follow.
struct UnresolvedCloth {
  double largest;   // resolution
  double limit;     // up to which it is resolved
  double softness;  // how much further it stretches or bends than it should (1: twice as far); softness_of()
};

/// The constraints of a membrane, from those that `given` holds for the isotropic case: compliances as the material
/// says. Their multipliers are kept from substep to substep where that is stable, as those of elastic tets are.
/// Appends to `made`; returns what the substeps do not resolve, if there is anything.
std::optional<UnresolvedCloth> add_membrane(const BodyInput& body, const ClothMaterial& material,
                                            const std::vector<WeftAndWarp>& frames, const ConstraintInput& given,
                                            const Substep& substep, std::vector<ConstraintInput>& made);

/// Whether all triangles of a rest shape lie in one plane as their neighbours do.
bool is_flat(const BodyInput& body);

/// Name of the registered type that bending becomes, for a valid material; empty if it has no bending.
std::string bending_type(const BodyInput& body, const ClothMaterial& material);

/// Multiplies rest data that is linear in the root of a stiffness (triangle_bend).
void scale_rest(ConstraintInput& constraints, double factor);

/// The constraints of a bending stiffness [N m], from those that `given` holds with the rest data of their type. Their
/// multipliers are kept where the substeps resolve them. A particle below those of the body stands for nothing.
/// Returns what the substeps do not resolve, if there is anything.
std::optional<UnresolvedCloth> add_bending(const BodyInput& body, double stiffness, const ConstraintInput& given,
                                           const Substep& substep, std::vector<ConstraintInput>& made);

/// For each triangle, how stiff it is for its mass and size against what a substep of dt [s] can follow: in the cells
/// of grid() k dt^2 / (density h^2), with h the side of a cell.
std::vector<double> membrane_resolutions(const BodyInput& body, double k, double dt);

}  // namespace pliant
