#pragma once
// What a solid is made of: physical parameters, and the law that turns deformation into stress.
//
//   pliant::Material rubber{.model = pliant::MaterialModel::neo_hookean, .young = 1e6, .poisson = 0.45};
//
// Every model is free of stress at rest and, for small strains, is Hooke's law with the given
// constants. They differ where strains are large (src/materials, one file each).

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "pliant/vec.h"

namespace pliant {

/// F is the deformation gradient, J its determinant, R its rotation (F = R S, S symmetric).
enum class MaterialModel {
  linear,                  // Hooke's law for small strains; a rotation counts as strain
  stvk,                    // St. Venant-Kirchhoff: Hooke's law for the Green strain; weak when squeezed below 58 %
  neo_hookean,             // with log J (bender14 4.1): resists any squeezing; not defined for inverted elements
  neo_hookean_stable,      // the same for small strains, defined everywhere (Smith, de Goes, Kim 2018)
  neo_hookean_polynomial,  // polynomial in F, defined everywhere (the energy of Macklin and Mueller 2021)
  corotated,               // Hooke's law for S - I
  fixed_corotated,         // the same with the volume taken from J (Stomakhin et al. 2012)
  orthotropic,             // St. Venant-Kirchhoff with nine constants along three axes
  anisotropic,             // St. Venant-Kirchhoff with any elasticity matrix
};

/// Lame's constants of an isotropic material [Pa].
struct Lame {
  double lambda = 0, mu = 0;
};

/// Stress from strain, as a matrix [Pa]: (S_xx, S_yy, S_zz, S_yz, S_zx, S_xy) from
/// (e_xx, e_yy, e_zz, 2 e_yz, 2 e_zx, 2 e_xy). The doubled shear strains are the engineer's.
using ElasticityMatrix = std::array<std::array<double, 6>, 6>;

/// A material with three planes of symmetry. poisson_12 is the contraction along axis 2 per
/// elongation along axis 1 when pulled along 1; poisson_21 = poisson_12 young_2 / young_1 follows.
struct OrthotropicElasticity {
  double young_1 = 1e5, young_2 = 1e5, young_3 = 1e5;           // [Pa]
  double poisson_12 = 0.3, poisson_13 = 0.3, poisson_23 = 0.3;  // [-]
  double shear_12 = 4e4, shear_13 = 4e4, shear_23 = 4e4;        // [Pa]
};

/// Fibers that run through the material in one direction and add to its stiffness (cao22 4.3). One
/// makes it transversely isotropic, two or three at right angles orthotropic.
struct Fiber {
  Vec3d direction{1, 0, 0};  // in the rest shape; any length but zero
  double stiffness = 0;      // beta [Pa]: adds 2 beta to the stiffness against small strain along the fiber
  /// Given: the fibers are wound around the axis through this point [m], with `direction` as the axis.
  std::optional<Vec3d> around{};
  /// One for each tet of the body, in place of both.
  std::vector<Vec3d> directions{};

  /// Unit vector in a tet with this centre; zero on the axis of a winding.
  Vec3d at(std::size_t tet, Vec3d center) const;
};

/// How a material becomes a constraint of each tet.
enum class MaterialForm {
  xpbd,           // the potential is V psi: stiffness as given, the rest state that of finite elements
  pbd_energy,     // bender14: V psi is projected to zero; stiffness depends on step and iterations, not on `young`
  cao22_density,  // cao22: psi with the compliance 1; not the elastic potential either
};

/// Where the strain that stays is put.
enum class PlasticModel {
  multiplicative,  // F = Fe Fp: the rest shape of each tet flows (Irving et al. 2004); large flow
  additive,        // Green strain = elastic + plastic (bender14 4.2); stvk, moderate flow
};

/// Flow of a material beyond its elastic range, bender14 4.2: while the norm (root of the sum of squares) of the
/// deviator e' of the elastic Green strain is above `yield`, the plastic strain takes up creep e' per second, up to the
/// norm `max`. The volume stays.
struct Plasticity {
  PlasticModel model = PlasticModel::multiplicative;
  double yield = 0.05;  // [-]
  double creep = 10;    // [1/s]
  double max = 0.3;     // [-]
};

/// Throws Error (where = `name` and the field) unless yield and creep are zero or more and max is above.
void validate(const Plasticity& plasticity, const std::string& name);

struct Material {
  MaterialModel model = MaterialModel::stvk;
  MaterialForm form = MaterialForm::xpbd;
  double young = 1e5;                   // [Pa] Young's modulus
  double poisson = 0.3;                 // [-] Poisson's ratio, above -1 and below 0.5
  double density = 1000;                // [kg/m^3]
  OrthotropicElasticity orthotropic{};  // for the orthotropic model, in place of young and poisson
  ElasticityMatrix elasticity{};        // for the anisotropic model, in place of young and poisson [Pa]
  /// The axes 1, 2, 3 of the two models above, in the rest shape: of unit length, at right angles, right-handed.
  std::array<Vec3d, 3> axes{{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
  /// The same for each tet of the body by itself; empty: `axes` for all.
  std::vector<std::array<Vec3d, 3>> axes_of_tets{};
  std::vector<Fiber> fibers{};  // with any model but linear
  std::optional<Plasticity> plasticity{};
};

/// Throws Error (where = `name` and the field) unless the material is stable: positive density and
/// stiffness, Poisson's ratio in (-1, 0.5), an elasticity matrix that is symmetric and positive definite.
void validate(const Material& material, const std::string& name);

Lame lame(double young, double poisson);

/// Stiffness at rest, straight fibers included, in the axes of the rest shape. The material must be valid.
ElasticityMatrix elasticity_matrix(const Material& material);
ElasticityMatrix elasticity_matrix(const Lame& constants);
ElasticityMatrix elasticity_matrix(const OrthotropicElasticity& constants);
/// The same material seen from other axes: `matrix` holds in the frame of `axes`, the result in that of the rest shape.
ElasticityMatrix rotated(const ElasticityMatrix& matrix, const std::array<Vec3d, 3>& axes);

struct MaterialModelInfo {
  MaterialModel model;
  std::string name;     // in scenes
  std::string summary;  // one sentence
};
const std::vector<MaterialModelInfo>& material_models();

}  // namespace pliant
