#pragma once
// What a cloth is made of: how it resists being stretched, sheared and bent.
//
//   pliant::ClothMaterial canvas{.model = pliant::ClothModel::orthotropic,
//                                .orthotropic = {.k_weft = 2000, .k_warp = 4000, .k_shear = 300,
//                                                .nu_weft = 0.1, .nu_warp = 0.2},
//                                .bending = 1e-5};
//
// Weft and warp are the two directions of the threads, at right angles in the rest shape. Forces are per width, in N/m:
// those of a solid sheet in Pa times its thickness.

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "pliant/material.h"
#include "pliant/vec.h"

namespace pliant {

enum class ClothModel {
  isotropic,    // a thin sheet of a solid: young, poisson, thickness
  orthotropic,  // five constants along weft and warp (bender14 4.3)
  anisotropic,  // any elasticity matrix
};

/// Force per width from the Green strain, as a matrix [N/m]: (S_ww, S_ff, S_wf) from (E_ww, E_ff, 2 E_wf), w along the
/// weft, f along the warp. The doubled shear strain is the engineer's.
using MembraneMatrix = std::array<std::array<double, 3>, 3>;

/// bender14 4.3. nu_weft is the contraction along the warp per elongation along the weft when pulled along the weft,
/// nu_warp the other one. Both together must have k_weft nu_warp = k_warp nu_weft, or the sheet would be no elastic
/// one: a cycle of strains could give energy.
struct OrthotropicMembrane {
  double k_weft = 1000, k_warp = 1000;  // [N/m] Young's modulus times thickness
  double k_shear = 385;                 // [N/m]
  double nu_weft = 0.3, nu_warp = 0.3;  // [-]
};

/// What a cloth does when it is pressed together in its plane.
enum class ClothCompression {
  resists,  // as much as it does tension: right where the mesh is fine enough to fold by itself
  folds,    // not at all: it wrinkles finer than the mesh shows (tension field)
};

/// How a bending stiffness becomes constraints.
enum class BendingModel {
  triangles,         // per triangle with its neighbours (triangle_bend): the stiffness of a plate on all good meshes
  isometric,         // per hinge (isometric_bend, bender14): depends on the mesh by a sixth or so
  isometric_curved,  // the same for a rest shape that is curved
  dihedral,          // per hinge, by its angle (bend): as isometric, and for any rest shape
};

struct ClothMaterial {
  ClothModel model = ClothModel::isotropic;
  /// xpbd is as stiff as it says; pbd_energy is bender14's form, whose stiffness depends on step and iterations.
  MaterialForm form = MaterialForm::xpbd;
  double young = 1e6;       // [Pa] of the isotropic model
  double poisson = 0.3;     // [-] above -1 and below 1: a sheet is free to get thinner
  double thickness = 1e-3;  // [m]
  OrthotropicMembrane orthotropic{};
  MembraneMatrix elasticity{};  // of the anisotropic model [N/m]
  ClothCompression compression = ClothCompression::resists;
  /// Direction of the weft in the rest shape, projected into each triangle. Where a triangle stands at a right angle to
  /// it, the next axis (x, y, z, x...) is taken.
  Vec3d weft{1, 0, 0};
  /// The weft runs along u of the mesh's texture coordinates instead, triangle by triangle (mueller14 eq. 37).
  bool weft_from_texture = false;
  /// Where the sheet flows in its plane; with the form xpbd and `resists`. Always additive: its `model` does not count.
  /// What flows keeps its volume: the thickness, which nobody sees, takes up a change of area.
  std::optional<Plasticity> plasticity{};
  /// Bending stiffness of the sheet [N m]: moment per width over curvature. Absent: that of a solid sheet for the
  /// isotropic model, young thickness^3 / (12 (1 - poisson^2)), and none for the others. Woven cloth has far less than
  /// a solid sheet, 1e-6 to 1e-4 N m.
  std::optional<double> bending{};
  /// Absent: triangles where the rest shape is flat, dihedral where it is not.
  std::optional<BendingModel> bending_model{};
};

/// Strength of one entry of the strain. 0: it does not act.
struct StrainStrength {
  double stiffness = 1;   // pbd: part of the error removed per step, 0..1
  double modulus = 1000;  // xpbd: [N/m] for cloth, [Pa] for solids
};

/// Strain-based dynamics (mueller14): each entry of the strain is a constraint with a strength of its own. Stretch is
/// sqrt(S_ii) - rest stretch (eq. 14), shear the cosine of the angle between the directions (eq. 15).
struct ClothStrain {
  StrainStrength weft{}, warp{}, shear{};
  StrainStrength area{0, 0};  // area / rest area (eq. 19)
  Vec2d rest_stretch{1, 1};   // along weft and warp
  Vec3d direction{1, 0, 0};   // of the weft, as in ClothMaterial
  bool weft_from_texture = false;
};

struct SolidStrain {
  std::array<StrainStrength, 3> stretch{};  // along the axes 1, 2, 3
  std::array<StrainStrength, 3> shear{};    // of the axes 2 and 3, 3 and 1, 1 and 2
  StrainStrength volume{0, 0};              // volume / rest volume (eq. 18); recovers inverted elements
  Vec3d rest_stretch{1, 1, 1};
  /// Of unit length, at right angles, right-handed, in the rest shape.
  std::array<Vec3d, 3> axes{{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
  /// Axes of each tet in place of those above, or none (mueller14 3.6: skin that slides along a surface).
  std::vector<std::array<Vec3d, 3>> axes_per_tet{};
};

/// Throws Error (where = `name` and the field) unless the cloth is stable: positive stiffness and thickness, an
/// elasticity matrix that is symmetric and positive definite.
void validate(const ClothMaterial& material, const std::string& name);

/// Force per width from strain, in the frame of weft and warp. The material must be valid.
MembraneMatrix membrane_matrix(const ClothMaterial& material);
/// Seen from a frame in which the weft points at `angle` [rad] from the first axis.
MembraneMatrix rotated(const MembraneMatrix& matrix, double angle);
MembraneMatrix inverse(const MembraneMatrix& matrix);
/// Bending stiffness [N m]; zero where there is none.
double bending_stiffness(const ClothMaterial& material);

}  // namespace pliant
