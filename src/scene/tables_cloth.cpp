// What cloth is made of, and strain-based dynamics.
#include "scene/tables.h"

namespace pliant::scene {
namespace {

void orthotropic_fields(Fields& f, OrthotropicMembrane& c) {
  f.number("k_weft", c.k_weft, {.doc = "Along the weft.", .unit = "N/m", .example = "2000", .above = 0});
  f.number("k_warp", c.k_warp, {.doc = "Along the warp.", .unit = "N/m", .example = "4000", .above = 0});
  f.number("k_shear", c.k_shear, {.doc = "Shear modulus.", .unit = "N/m", .example = "300", .above = 0});
  f.number("nu_weft", c.nu_weft, {.doc = "Contraction along the warp when pulled along the weft.", .example = "0.1"});
  f.number("nu_warp", c.nu_warp,
           {.doc = "The other way round: k_warp nu_weft / k_weft, if it is absent.",
            .example = "0.2",
            .hide_default = true});
  if (!f.given("nu_warp")) c.nu_warp = c.k_warp * c.nu_weft / c.k_weft;
}
const Table<OrthotropicMembrane> kOrthotropicTable = {
    "orthotropic_fabric", "Cloth woven of threads in two directions at right angles (bender14 4.3).",
    orthotropic_fields};

void flow_fields(Fields& f, Plasticity& plasticity) {
  f.number("yield", plasticity.yield,
           {.doc = "Norm of the strain's deviator above which it flows.", .example = "0.05", .at_least = 0});
  f.number("creep", plasticity.creep,
           {.doc = "Share of the strain that stays, per second.", .unit = "1/s", .example = "10", .at_least = 0});
  f.number("max", plasticity.max, {.doc = "Largest norm of the strain that stays.", .example = "0.3", .above = 0});
}
const Table<Plasticity> kFlowTable = {"fabric_plasticity",
                                      "What stays of a stretch in the plane beyond the elastic range.", flow_fields};

void fabric_fields(Fields& f, ClothMaterial& m) {
  f.choice("model", m.model,
           Fields::Words<ClothModel>{{"isotropic", ClothModel::isotropic},
                                     {"orthotropic", ClothModel::orthotropic},
                                     {"anisotropic", ClothModel::anisotropic}},
           {.doc = "A sheet of a solid, five constants along weft and warp, or a whole elasticity matrix.",
            .example = "\"orthotropic\""});
  f.choice(
      "form", m.form,
      Fields::Words<MaterialForm>{{"xpbd", MaterialForm::xpbd}, {"pbd-energy", MaterialForm::pbd_energy}},
      {.doc = "How it becomes a constraint. Only `xpbd` is as stiff as it says; the other is bender14's, the energy "
              "projected to zero.",
       .example = "\"pbd-energy\""});
  f.number("young", m.young,
           {.doc = "Young's modulus of the isotropic model.", .unit = "Pa", .example = "1e6", .above = 0});
  f.number("poisson", m.poisson, {.doc = "Its Poisson's ratio.", .example = "0.3", .above = -1, .at_most = 0.999});
  f.number("thickness", m.thickness, {.doc = "Its thickness.", .unit = "m", .example = "0.001", .above = 0});
  f.object("orthotropic", m.orthotropic, kOrthotropicTable, {.doc = "Constants of the orthotropic model."});
  double matrix[9];
  for (std::size_t k = 0; k < 9; ++k) matrix[k] = m.elasticity[k / 3][k % 3];
  f.numbers("elasticity", matrix,
            {.doc = "Matrix of the anisotropic model, row by row, for the strains weft, warp, and twice the shear.",
             .unit = "N/m",
             .hide_default = true});
  for (std::size_t k = 0; k < 9; ++k) m.elasticity[k / 3][k % 3] = matrix[k];
  f.choice("compression", m.compression,
           Fields::Words<ClothCompression>{{"resists", ClothCompression::resists}, {"folds", ClothCompression::folds}},
           {.doc = "Whether it resists being pressed together in its plane, or wrinkles finer than its mesh shows.",
            .example = "\"folds\""});
  f.vector("weft", m.weft, {.doc = "Direction of the weft in the rest shape.", .example = "[0, 0, 1]"});
  f.boolean("weft_from_texture", m.weft_from_texture,
            {.doc = "The weft runs along u of the mesh's texture coordinates instead, triangle by triangle.",
             .example = "true"});
  f.object("plasticity", m.plasticity, kFlowTable,
           {.doc = "Where it flows in its plane, with the form xpbd. Absent: elastic."});
  f.number("bending", m.bending,
           {.doc = "Bending stiffness. Absent: that of a solid sheet for the isotropic model, none for the others.",
            .unit = "N m",
            .example = "1e-5",
            .at_least = 0});
  f.choice("bending_model", m.bending_model,
           Fields::Words<BendingModel>{{"triangles", BendingModel::triangles},
                                       {"isometric", BendingModel::isometric},
                                       {"isometric_curved", BendingModel::isometric_curved},
                                       {"dihedral", BendingModel::dihedral}},
           {.doc = "How bending becomes constraints. Absent: triangles for a flat rest shape, dihedral for others.",
            .example = "\"dihedral\""});
}

void strength_fields_of(Fields& f, StrainStrength& s) {
  f.number("stiffness", s.stiffness,
           {.doc = "pbd: part of the error that one step removes.", .example = "0.5", .at_least = 0, .at_most = 1});
  f.number("modulus", s.modulus,
           {.doc = "xpbd: stiffness.", .unit = "N/m for cloth, Pa for solids", .example = "1e4", .at_least = 0});
}
const Table<StrainStrength> kStrengthTable = {
    "strain_strength", "How strongly one entry of the strain is kept; 0: not at all.", strength_fields_of};

void strain_fields(Fields& f, StrainSpec& s) {
  const auto entry = [&](const char* name, StrainStrength& strength, const char* doc) {
    f.object(name, strength, kStrengthTable, {.doc = doc});
  };
  entry("weft", s.cloth.weft, "Cloth: stretch along the weft.");
  entry("warp", s.cloth.warp, "Cloth: stretch along the warp.");
  entry("shear", s.cloth.shear, "Cloth: shear.");
  entry("area", s.cloth.area, "Cloth: area.");
  entry("stretch_1", s.solid.stretch[0], "Solid: stretch along axis 1.");
  entry("stretch_2", s.solid.stretch[1], "Solid: stretch along axis 2.");
  entry("stretch_3", s.solid.stretch[2], "Solid: stretch along axis 3.");
  entry("shear_23", s.solid.shear[0], "Solid: shear of the axes 2 and 3.");
  entry("shear_31", s.solid.shear[1], "Solid: shear of the axes 3 and 1.");
  entry("shear_12", s.solid.shear[2], "Solid: shear of the axes 1 and 2.");
  entry("volume", s.solid.volume, "Solid: volume; brings back what is inverted.");
  f.vector("rest_stretch", s.solid.rest_stretch,
           {.doc = "Stretches that it strives for: weft, warp and nothing, or axes 1, 2 and 3.",
            .example = "[1.2, 1, 1]",
            .above = 0,
            .one_for_all = true});
  s.cloth.rest_stretch = {s.solid.rest_stretch.x, s.solid.rest_stretch.y};
  f.vector("axis_1", s.solid.axes[0],
           {.doc = "Weft, or axis 1, in the rest shape; of unit length.", .example = "[0, 0, 1]"});
  f.vector("axis_2", s.solid.axes[1],
           {.doc = "Solid: axis 2, at a right angle; the third follows.", .example = "[0, 1, 0]"});
  s.cloth.direction = s.solid.axes[0];
  f.boolean("weft_from_texture", s.cloth.weft_from_texture,
            {.doc = "Cloth: the weft runs along u of the mesh's texture coordinates instead.", .example = "true"});
  s.solid.axes[2] = cross(s.solid.axes[0], s.solid.axes[1]);
}

}  // namespace

const Table<ClothMaterial> kFabricTable = {
    "fabric", "What cloth is made of. Its rest state is that of finite elements with the same constants.",
    fabric_fields};
const Table<StrainSpec> kStrainTable = {
    "strain", "Strain-based dynamics (mueller14): each entry of the strain is kept with a strength of its own.",
    strain_fields};

}  // namespace pliant::scene
