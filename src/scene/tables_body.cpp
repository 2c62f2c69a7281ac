// Bodies: shape, material, constraints, placement.
#include <fmt/format.h>

#include "scene/paths.h"
#include "scene/rotation.h"
#include "scene/tables.h"

namespace pliant::scene {
namespace {

// ------------------------------------------------------------------ shapes

void grid_fields(Fields& f, GridSpec& grid) {
  f.vector("size", grid.size,
           {.doc = "Along x and z.", .unit = "m", .example = "[2, 1]", .above = 0, .one_for_all = true});
  f.integers("cells", grid.cells,
             {.doc = "Squares along x and z, of two triangles each.",
              .example = "[40, 20]",
              .at_least = 1,
              .one_for_all = true});
}
const Table<GridSpec> kGridTable = {
    "grid", "A rectangle in the xz plane. Vertex (i, j) has the number j (cells_x + 1) + i.", grid_fields};

void sphere_fields(Fields& f, SphereSpec& sphere) {
  f.number("radius", sphere.radius, {.doc = "Radius.", .unit = "m", .example = "0.5", .above = 0});
  // 20 * 4^12 triangles are 3e8: beyond that the count would not fit.
  f.integer("subdivisions", sphere.subdivisions,
            {.doc = "Cloth: 20 * 4^subdivisions triangles.", .example = "3", .at_least = 0, .at_most = 12});
  f.integer("cells", sphere.cells, {.doc = "Solid: cells across.", .example = "8", .at_least = 2});
  sphere.subdivisions_given = f.given("subdivisions");
  sphere.cells_given = f.given("cells");
}
const Table<SphereSpec> kSphereTable = {"sphere", "A sphere (cloth) or a ball (solid).", sphere_fields};

void torus_fields(Fields& f, TorusSpec& torus) {
  f.number("radius", torus.radius,
           {.doc = "From the centre to the middle of the tube.", .unit = "m", .example = "0.5", .above = 0});
  f.number("tube_radius", torus.tube_radius, {.doc = "Radius of the tube.", .unit = "m", .example = "0.2", .above = 0});
  f.integer("segments", torus.segments, {.doc = "Around the axis.", .example = "32", .at_least = 3});
  f.integer("tube_segments", torus.tube_segments, {.doc = "Cloth: around the tube.", .example = "16", .at_least = 3});
  f.integer("tube_cells", torus.tube_cells, {.doc = "Solid: cells across the tube.", .example = "4", .at_least = 1});
  torus.tube_segments_given = f.given("tube_segments");
  torus.tube_cells_given = f.given("tube_cells");
}
const Table<TorusSpec> kTorusTable = {"torus", "A torus around the y axis.", torus_fields};

void cylinder_fields(Fields& f, CylinderSpec& cylinder) {
  f.number("radius", cylinder.radius, {.doc = "Radius.", .unit = "m", .example = "0.2", .above = 0});
  f.number("height", cylinder.height, {.doc = "Along y.", .unit = "m", .example = "1", .above = 0});
  f.integer("rings", cylinder.rings, {.doc = "Layers along y.", .example = "8", .at_least = 1});
  f.integer("segments", cylinder.segments, {.doc = "Cloth: around the axis.", .example = "24", .at_least = 3});
  f.integer("cells", cylinder.cells, {.doc = "Solid: cells across.", .example = "8", .at_least = 2});
  cylinder.segments_given = f.given("segments");
  cylinder.cells_given = f.given("cells");
}
const Table<CylinderSpec> kCylinderTable = {"cylinder", "A closed cylinder along the y axis.", cylinder_fields};

void box_fields(Fields& f, BoxSpec& box) {
  f.vector("size", box.size,
           {.doc = "Along x, y and z.", .unit = "m", .example = "[1, 0.5, 1]", .above = 0, .one_for_all = true});
  f.integers("cells", box.cells,
             {.doc = "Cells along x, y and z.", .example = "[8, 4, 8]", .at_least = 1, .one_for_all = true});
  f.choice(
      "split", box.split, Fields::Words<CellSplit>{{"five", CellSplit::five}, {"six", CellSplit::six}},
      {.doc = "Solid: tets per cell; five mirror from cell to cell, six all lean the same way.", .example = "\"six\""});
  box.split_given = f.given("split");
}
const Table<BoxSpec> kBoxTable = {"box", "A box around the origin: its surface (cloth) or its volume (solid).",
                                  box_fields};

void rope_fields(Fields& f, RopeSpec& rope) {
  f.vector("from", rope.from, {.doc = "Vertex 0.", .unit = "m", .example = "[0, 2, 0]"});
  f.vector("to", rope.to, {.doc = "The last vertex.", .unit = "m", .example = "[0, 1, 0]"});
  f.integer("segments", rope.segments, {.doc = "Pieces.", .example = "20", .at_least = 1});
}
const Table<RopeSpec> kRopeTable = {"rope", "A straight line of segments.", rope_fields};

void fill_fields(Fields& f, FillSpec& fill, bool& given) {
  f.integer("tets", fill.tets,
            {.doc = "Solid: about so many tets, within 10 %.", .example = "5000", .at_least = 1, .at_most = 1e8});
  f.number("cell", fill.cell,
           {.doc = "Solid: in place of `tets`, the edge of the lattice's cubes, of 12 tets each.",
            .unit = "m",
            .example = "0.05",
            .above = 0});
  f.boolean("skin", fill.skin,
            {.doc = "Solid: the surface itself is seen, riding on the tets; otherwise their own boundary.",
             .example = "false"});
  f.at_most_one_of({"tets", "cell"});
  given = f.given("tets") || f.given("cell") || f.given("skin");
}

void blob_fields(Fields& f, BlobSpec& blob) {
  f.number("height", blob.height, {.doc = "From feet to eyes.", .unit = "m", .example = "1", .above = 0});
  f.integer(
      "cells", blob.cells,
      {.doc = "Resolution of the surface: cells over the height.", .example = "48", .at_least = 8, .at_most = 256});
  fill_fields(f, blob.fill, blob.fill_given);
}
const Table<BlobSpec> kBlobTable = {"blob", "A creature of soft balls: its surface (cloth), or filled (solid).",
                                    blob_fields};

void surface_fields(Fields& f, SurfaceSpec& surface) {
  f.text("file", surface.file,
         {.doc = "A surface file, relative to this scene file. Holes and overlapping parts are all right.",
          .example = "\"meshes/bunny.obj\"",
          .required = true,
          .hide_default = true});
  if (f.given("file")) surface.file = path_beside(f.file(), surface.file);
  fill_fields(f, surface.fill, surface.fill_given);
}
const Table<SurfaceSpec> kSurfaceTable = {
    "surface",
    "A surface file that is filled with tets (solid). The result is kept in a cache, by what is in the file.",
    surface_fields};
void hair_fields(Fields& f, HairSpec& hair) {
  std::string on;
  f.text("on", on,
         {.doc = "Name of the body on whose surface they grow. It stands before the hair, which is placed with it and "
                 "rides on it.",
          .example = "\"head\"",
          .hide_default = true});
  if (f.given("on")) hair.on = on;
  f.object("grid", hair.grid, kGridTable, {.doc = "One strand at each vertex of a rectangle, growing upwards."});
  f.exactly_one_of({"on", "grid"});
  f.integer("count", hair.count, {.doc = "Strands, with `on`: spread by chance.", .example = "2000", .at_least = 1});
  hair.count_given = f.given("count");
  HairStyle& s = hair.style;
  f.number("length", s.length, {.doc = "Along a strand.", .unit = "m", .example = "0.3", .above = 0});
  f.integer("segments", s.segments, {.doc = "Of each strand.", .example = "20", .at_least = 1});
  f.number("curl_radius", s.curl_radius,
           {.doc = "Radius of the helix that strands start as; 0 is straight.",
            .unit = "m",
            .example = "0.01",
            .at_least = 0});
  f.number("curl_turns", s.curl_turns, {.doc = "Turns of the helix from root to tip.", .example = "4"});
  f.number("variation", s.variation,
           {.doc = "How much lengths and directions differ from strand to strand.",
            .example = "0.2",
            .at_least = 0,
            .at_most = 0.9});
  f.vector("comb", s.comb,
           {.doc = "Added to the surface's unit normal: where strands lean to.", .example = "[0, -1, 0]"});
  int seed = static_cast<int>(s.seed);
  f.integer("seed", seed, {.doc = "Of chance: the same one gives the same hair.", .example = "7", .at_least = 0});
  s.seed = static_cast<uint32_t>(seed);
}
const Table<HairSpec> kHairTable = {"hair", "Strands. Vertex 0 of each is its root.", hair_fields};

void skin_fields(Fields& f, SkinSpec& skin) {
  f.text("on", skin.on,
         {.doc = "Name of the body whose surface it covers. It stands before the skin, which is placed with it; the "
                 "inner vertices ride on it.",
          .example = "\"arm\"",
          .required = true,
          .hide_default = true});
  f.number("thickness", skin.thickness, {.doc = "Outward.", .unit = "m", .example = "0.02", .above = 0});
  f.integer("layers", skin.layers, {.doc = "Layers of prisms, of three tets each.", .example = "1", .at_least = 1});
}
const Table<SkinSpec> kSkinTable = {"skin", "A layer of tets over another body's surface.", skin_fields};

void shape_fields(Fields& f, ShapeSpec& shape) {
  shape.where = f.where();
  f.object("grid", shape.grid, kGridTable, {.doc = "A rectangle (cloth)."});
  f.object("sphere", shape.sphere, kSphereTable, {.doc = "A sphere (cloth) or a ball (solid)."});
  f.object("torus", shape.torus, kTorusTable, {.doc = "A torus (cloth or solid)."});
  f.object("cylinder", shape.cylinder, kCylinderTable, {.doc = "A cylinder (cloth or solid)."});
  f.object("box", shape.box, kBoxTable, {.doc = "A box (cloth or solid)."});
  f.object("rope", shape.rope, kRopeTable, {.doc = "A line (rope)."});
  f.object("blob", shape.blob, kBlobTable, {.doc = "A creature (cloth or solid)."});
  f.object("surface", shape.surface, kSurfaceTable, {.doc = "A surface file that is filled with tets (solid)."});
  f.object("hair", shape.hair, kHairTable, {.doc = "Strands (hair)."});
  f.object("skin", shape.skin, kSkinTable, {.doc = "A layer over another body (solid)."});
  std::string file;
  f.text("file", file,
         {.doc = "A mesh file, relative to this scene file: a surface for cloth, tets for a solid, lines for a rope.",
          .example = "\"meshes/bunny.obj\"",
          .hide_default = true});
  if (f.given("file")) shape.file = path_beside(f.file(), file);
  f.number("merge", shape.merge,
           {.doc = "Of a file: vertices no farther apart than this become one; 0 joins those at the same place.",
            .unit = "m",
            .example = "1e-6",
            .at_least = 0});
  f.exactly_one_of({"grid", "sphere", "torus", "cylinder", "box", "rope", "blob", "surface", "hair", "skin", "file"});
}

// ------------------------------------------------------------------ constraints

void constraint_fields(Fields& f, ConstraintSpec& constraint) { strength_fields(f, constraint); }
void limit_fields(Fields& f, ConstraintSpec& constraint) {
  strength_fields(f, constraint);
  f.number("stretch_min", constraint.settings.stretch_min,
           {.doc = "Length / rest length below which it acts.", .example = "0.95", .at_least = 0, .at_most = 1});
  f.number("stretch_max", constraint.settings.stretch_max,
           {.doc = "Length / rest length above which it acts.", .example = "1.05", .at_least = 1});
}
const Table<ConstraintSpec> kLimitTable = {"limit", "The same for a constraint that acts beyond limits only.",
                                           limit_fields};

const Table<ConstraintSpec> kConstraintTable = {
    "constraint", "How strongly one kind of constraint is kept. What is absent stays as the kind of body has it.",
    constraint_fields};

void surface_constraint_fields(Fields& f, ConstraintSpec& constraint) {
  strength_fields(f, constraint);
  f.number(
      "pressure", constraint.settings.pressure,
      {.doc = "Enclosed volume that it strives for, as a multiple of the rest volume.", .example = "1.5", .above = 0});
}
const Table<ConstraintSpec> kSurfaceConstraintTable = {
    "surface_constraint", "The same for a constraint on a closed surface as a whole.", surface_constraint_fields};

void constraints_fields(Fields& f, ConstraintsSpec& constraints) {
  for (const ConstraintType& type : constraint_types()) {
    if (type.elements == "pairs") {
      f.not_here(type.name, type.name == "tet_fiber" ? "it is made by the material's `fibers`"
                                                     : "it is made by the scene's `attachments`");
      continue;
    }
    const bool given = f.given(type.name);
    std::optional<ConstraintSpec> entry;
    if (const auto fresh = constraints.fresh.find(type.name); given && fresh != constraints.fresh.end()) {
      entry.emplace().settings = fresh->second;
    }
    const bool limit = type.name == "edge_limit" || type.name == "triangle_limit";
    f.switchable(type.name, entry,
                 type.elements == "surface" ? kSurfaceConstraintTable
                 : limit                    ? kLimitTable
                                            : kConstraintTable,
                 {.doc = fmt::format("It {}. Compliance in {}.", type.summary, type.compliance_unit)});
    if (entry) {
      constraints.listed[type.name] = *entry;
    } else if (given) {
      constraints.without.push_back(type.name);
    }
  }
}
const Table<ConstraintsSpec> kConstraintsTable = {
    "constraints",
    "What holds a body together, beside what it has by default. Each type takes settings, or `true` for the usual "
    "ones, or `false` or null to leave it out; bending that is listed stands in place of the default one.",
    constraints_fields, "constraint"};

// ------------------------------------------------------------------ material

void plasticity_fields(Fields& f, Plasticity& plasticity) {
  f.choice("model", plasticity.model,
           Fields::Words<PlasticModel>{{"multiplicative", PlasticModel::multiplicative},
                                       {"additive", PlasticModel::additive}},
           {.doc = "The rest shape of each tet flows, or a part of the Green strain is plastic (stvk only).",
            .example = "\"additive\""});
  f.number("yield", plasticity.yield,
           {.doc = "Norm of the strain's deviator above which it flows.", .example = "0.05", .at_least = 0});
  f.number("creep", plasticity.creep,
           {.doc = "Share of the strain that stays, per second.", .unit = "1/s", .example = "10", .at_least = 0});
  f.number("max", plasticity.max, {.doc = "Largest norm of the strain that stays.", .example = "0.3", .above = 0});
}
const Table<Plasticity> kPlasticityTable = {
    "plasticity", "What stays of a deformation beyond the elastic range. The volume does not flow.", plasticity_fields};

void orthotropic_fields(Fields& f, OrthotropicElasticity& c) {
  f.number("young_1", c.young_1, {.doc = "Along axis 1.", .unit = "Pa", .example = "1e6", .above = 0});
  f.number("young_2", c.young_2, {.doc = "Along axis 2.", .unit = "Pa", .example = "1e5", .above = 0});
  f.number("young_3", c.young_3, {.doc = "Along axis 3.", .unit = "Pa", .example = "1e5", .above = 0});
  f.number("poisson_12", c.poisson_12, {.doc = "Contraction along 2 when pulled along 1.", .example = "0.3"});
  f.number("poisson_13", c.poisson_13, {.doc = "Contraction along 3 when pulled along 1.", .example = "0.3"});
  f.number("poisson_23", c.poisson_23, {.doc = "Contraction along 3 when pulled along 2.", .example = "0.3"});
  f.number("shear_12", c.shear_12, {.doc = "Shear modulus.", .unit = "Pa", .example = "4e4", .above = 0});
  f.number("shear_13", c.shear_13, {.doc = "Shear modulus.", .unit = "Pa", .example = "4e4", .above = 0});
  f.number("shear_23", c.shear_23, {.doc = "Shear modulus.", .unit = "Pa", .example = "4e4", .above = 0});
}
const Table<OrthotropicElasticity> kOrthotropicTable = {"orthotropic", "A material with three planes of symmetry.",
                                                        orthotropic_fields};

void fiber_fields(Fields& f, Fiber& fiber) {
  f.vector("direction", fiber.direction, {.doc = "In the rest shape; any length but zero.", .example = "[0, 1, 0]"});
  f.number("stiffness", fiber.stiffness,
           {.doc = "Half of what it adds to the stiffness against small strains along it.",
            .unit = "Pa",
            .example = "1e6",
            .at_least = 0});
  f.vector("around", fiber.around,
           {.doc = "A point: the fibers are wound around the axis through it, and `direction` is the axis.",
            .unit = "m",
            .example = "[0, 0, 0]"});
}
const Table<Fiber> kFiberTable = {"fiber", "Fibers that make a material stiffer along one direction (cao22 4.3).",
                                  fiber_fields};

void material_fields(Fields& f, Material& material) {
  f.choice("model", material.model,
           Fields::Words<MaterialModel>{{"stvk", MaterialModel::stvk},
                                        {"neo_hookean", MaterialModel::neo_hookean},
                                        {"neo_hookean_stable", MaterialModel::neo_hookean_stable},
                                        {"corotated", MaterialModel::corotated},
                                        {"orthotropic", MaterialModel::orthotropic},
                                        {"anisotropic", MaterialModel::anisotropic}},
           {.doc = "St. Venant-Kirchhoff, Neo-Hookean (with log J, or stable) or corotated linear, alike for small "
                   "strains; or St. "
                   "Venant-Kirchhoff with nine constants or a whole elasticity matrix.",
            .example = "\"neo_hookean\""});
  f.choice(
      "form", material.form,
      Fields::Words<MaterialForm>{{"xpbd", MaterialForm::xpbd},
                                  {"pbd-energy", MaterialForm::pbd_energy},
                                  {"cao22-density", MaterialForm::cao22_density}},
      {.doc = "How it becomes a constraint. Only `xpbd` is as stiff as `young` says; the others are bender14's (the "
              "energy is projected to zero) and cao22's (the energy density with compliance 1), for stvk and "
              "neo_hookean.",
       .example = "\"pbd-energy\""});
  f.number("young", material.young, {.doc = "Young's modulus.", .unit = "Pa", .example = "1e5", .above = 0});
  f.number("poisson", material.poisson,
           {.doc = "Poisson's ratio; 0.5 would be incompressible.", .example = "0.45", .above = -1, .at_most = 0.499});
  f.object("orthotropic", material.orthotropic, kOrthotropicTable,
           {.doc = "Constants of the orthotropic model, in place of `young` and `poisson`."});
  double matrix[36];
  for (std::size_t k = 0; k < 36; ++k) matrix[k] = material.elasticity[k / 6][k % 6];
  f.numbers("elasticity", matrix,
            {.doc = "Matrix of the anisotropic model, row by row, for the strains xx, yy, zz, 2 yz, 2 zx, 2 xy.",
             .unit = "Pa",
             .hide_default = true});
  for (std::size_t k = 0; k < 36; ++k) material.elasticity[k / 6][k % 6] = matrix[k];
  f.vector("axis_1", material.axes[0],
           {.doc = "First axis of these two models in the rest shape, of unit length.", .example = "[0, 1, 0]"});
  f.vector("axis_2", material.axes[1],
           {.doc = "Second axis, at a right angle; the third follows.", .example = "[0, 0, 1]"});
  material.axes[2] = cross(material.axes[0], material.axes[1]);
  f.list("fibers", material.fibers, kFiberTable,
         {.doc = "Directions in which it is stiffer, each with its own stiffness."});
  f.object("plasticity", material.plasticity, kPlasticityTable, {.doc = "Where it flows. Absent: elastic."});
}
const Table<Material> kMaterialTable = {
    "material", "What a solid is made of. Its rest state is that of finite elements with the same constants.",
    material_fields};

// ------------------------------------------------------------------ placement

void place_fields(Fields& f, Placement& place) {
  f.vector("position", place.position, {.doc = "Where the shape's origin goes.", .unit = "m", .example = "[0, 2, 0]"});
  Vec3d degrees{};
  f.vector("rotation", degrees,
           {.doc = "Turned about the world's x axis, then y, then z.", .unit = "degrees", .example = "[90, 0, 45]"});
  if (f.given("rotation")) place.rotation = rotation_vector_of_turns(degrees);
  f.vector("scale", place.scale,
           {.doc = "Before it is turned and moved. The scaled shape is the rest shape.",
            .example = "[1, 2, 1]",
            .above = 0,
            .one_for_all = true});
}
const Table<Placement> kPlaceTable = {"place", "Where a body starts: scaled, then turned, then moved.", place_fields};

// ------------------------------------------------------------------ strands, long range attachments

void strands_fields(Fields& f, StrandsSpec& s) {
  f.boolean("dynamic", s.dynamic,
            {.doc = "Gives what draws a particle back to its leader's velocity; without it strands weigh nothing.",
             .example = "true"});
  f.number("leader_push", s.leader_push,
           {.doc = "How much of it; less takes more motion out (s_damping of bender13 eq. 13).",
            .example = "0.9",
            .at_least = 0,
            .at_most = 1});
  f.number("shape_frequency", s.shape_frequency,
           {.doc = "Frequency at which segments swing about their rest shape; 0: strands only start in it.",
            .unit = "Hz",
            .example = "3",
            .at_least = 0});
}
const Table<StrandsSpec> kStrandsTable = {"strands", "How strands move: dynamic follow-the-leader.", strands_fields};

void long_range_fields(Fields& f, LongRange& s) {
  f.choice("kind", s.kind,
           Fields::Words<LongRange::Kind>{{"geodesic", LongRange::Kind::geodesic},
                                          {"euclidean", LongRange::Kind::euclidean}},
           {.doc = "Rest distances along the surface, or straight ones.", .example = "\"euclidean\""});
  f.integer("count", s.count,
            {.doc = "Attachment points per vertex: the nearest vertex of each of so many connected groups of pins.",
             .example = "2",
             .at_least = 1,
             .at_most = 64});
  f.integer("ties", s.ties,
            {.doc = "Cloth: levels of ties from vertex to vertex, over 4, 16, 64... edges.",
             .example = "3",
             .at_least = 0,
             .at_most = 8});
  f.number("slack", s.slack, {.doc = "Part of the distance given in addition.", .example = "0.01", .at_least = 0});
  f.number("compliance", s.compliance, {.doc = "xpbd; 0 is rigid.", .unit = "m/N", .example = "1e-4", .at_least = 0});
  f.number("stiffness", s.stiffness, {.doc = "pbd.", .example = "0.9", .at_least = 0, .at_most = 1});
}
const Table<LongRange> kLongRangeTable = {
    "long_range", "Keeps every vertex within its rest distance of what is pinned; acts only where it is stretched.",
    long_range_fields};

void copies_fields(Fields& f, CopiesSpec& copies) {
  f.integers("count", copies.count, {.doc = "How many along x, y and z.", .example = "[5, 1, 5]", .at_least = 1});
  f.vector("spacing", copies.spacing, {.doc = "From one to the next.", .unit = "m", .example = "[1.5, 1, 1.5]"});
}
const Table<CopiesSpec> kCopiesTable = {
    "copies",
    "The body again and again, from its place onwards. They are named `name.0`, `name.1` and so on, x fastest; `name` "
    "alone means all of them.",
    copies_fields};

/// What a constraint has that a scene lists without its strength.
Constraints usual_constraints(BodyKind kind) {
  if (kind == BodyKind::cloth) return Cloth::springs();
  if (kind == BodyKind::solid) return Solid::springs();
  return {};
}

void body_fields(Fields& f, BodySpec& body) {
  body.where = f.where();
  f.text("name", body.name,
         {.doc = "Its own name, for pins, attachments and output.",
          .example = "\"flag\"",
          .required = true,
          .hide_default = true});
  f.choice(
      "kind", body.kind,
      Fields::Words<BodyKind>{
          {"cloth", BodyKind::cloth}, {"solid", BodyKind::solid}, {"rope", BodyKind::rope}, {"hair", BodyKind::hair}},
      {.doc = "Made of triangles, tets, segments or strands.", .example = "\"solid\"", .required = true});
  f.object("shape", body.shape, kShapeTable, {.doc = "Where its mesh comes from.", .required = true});
  f.number(
      "density", body.density,
      {.doc = fmt::format("Cloth: mass per area [kg/m^2], {} by default. Solid: per volume [kg/m^3], {}. Rope: per "
                          "length [kg/m], {}. Hair: of one strand, {}.",
                          default_density(BodyKind::cloth), default_density(BodyKind::solid),
                          default_density(BodyKind::rope), default_density(BodyKind::hair)),
       .unit = "kg/m^2, kg/m^3 or kg/m",
       .example = "0.2",
       .above = 0});
  f.number("thickness", body.thickness,
           {.doc = "In contact: what two layers keep between them. At most the mean edge length; absent: the "
                   "scene's, or a fifth of the mean edge length.",
            .unit = "m",
            .example = "0.002",
            .above = 0});
  f.boolean(
      "self_contact", body.self_contact,
      {.doc = "Whether it touches itself, where the scene has `contact` and its `self` is true. A body that cannot "
              "reach itself saves the search.",
       .example = "false"});
  f.object("material", body.material, kMaterialTable,
           {.doc = "Solid: makes it elastic, in place of the springs that it has otherwise."});
  f.object("fabric", body.fabric, kFabricTable,
           {.doc = "Cloth: its elasticity, in place of the springs that it has otherwise."});
  f.object("strain", body.strain, kStrainTable,
           {.doc = "Cloth or solid: strain-based dynamics, in place of a material or springs."});
  f.object("place", body.place, kPlaceTable, {.doc = "Where it starts."});
  f.vector("velocity", body.velocity, {.doc = "At the start.", .unit = "m/s", .example = "[1, 0, 0]"});
  f.choice("method", body.method, kMethods,
           {.doc = "Method of this body; absent: the solver's.", .example = "\"pbd\""});
  if (!body.material && !body.fabric && !body.strain) body.constraints.fresh = usual_constraints(body.kind);
  f.object("constraints", body.constraints, kConstraintsTable, {.doc = "What holds it together."});
  std::string skin;
  f.text(
      "skin", skin,
      {.doc =
           "A surface file, relative to this scene file, that is seen in place of the body's own surface and rides on "
           "it. In the coordinates of the shape.",
       .example = "\"meshes/bunny_fine.obj\"",
       .hide_default = true});
  if (f.given("skin")) body.skin = path_beside(f.file(), skin);
  f.switchable("long_range", body.long_range, kLongRangeTable,
               {.doc = "Ties of all vertices to what is pinned. Cloth and ropes without constraints of their own on "
                       "their edges have them by default; false: none."});
  if (f.given("long_range") && !body.long_range) body.constraints.without.push_back("long_range");
  f.number("diameter", body.diameter,
           {.doc = "Rope and hair: width across the wind, 0.01 and 1e-4 by default.",
            .unit = "m",
            .example = "0.02",
            .at_least = 0});
  f.object("strands", body.strands, kStrandsTable, {.doc = "Hair: how strands move."});
  f.vector("force", body.force, {.doc = "On the whole body, spread by mass.", .unit = "N", .example = "[0, 0, 3]"});
  f.vector("acceleration", body.acceleration, {.doc = "Beside gravity.", .unit = "m/s^2", .example = "[0, 9.81, 0]"});
  f.vector("color", body.color,
           {.doc = "Red, green and blue in pictures and files, as a picture has them (sRGB); absent: one of a palette, "
                   "by the body's number.",
            .example = "[0.9, 0.45, 0.3]",
            .at_least = 0,
            .at_most = 1});
  f.object("copies", body.copies, kCopiesTable, {.doc = "The body again and again."});
}

}  // namespace

void strength_fields(Fields& f, ConstraintSpec& c, const char* compliance_unit) {
  c.where = f.where();
  ConstraintSettings& s = c.settings;
  f.number("compliance", s.compliance,
           {.doc = "xpbd: inverse stiffness, 0 is rigid.", .unit = compliance_unit, .example = "1e-6", .at_least = 0});
  c.compliance_given = f.given("compliance");
  f.number("stiffness", s.stiffness,
           {.doc = "pbd: part of the error that one step removes.", .example = "0.8", .at_least = 0, .at_most = 1});
  c.stiffness_given = f.given("stiffness");
  f.number("compression_compliance", s.compression_compliance,
           {.doc = "xpbd: compliance where the constraint is compressed, if it differs.",
            .unit = compliance_unit,
            .example = "1e-3",
            .at_least = 0});
  f.number("compression_stiffness", s.compression_stiffness,
           {.doc = "pbd: stiffness where the constraint is compressed, if it differs.",
            .example = "0.1",
            .at_least = 0,
            .at_most = 1});
  f.boolean("unilateral", s.unilateral,
            {.doc = "Acts only where it is stretched, like a rope that goes slack.", .example = "true"});
  f.number("damping", s.damping,
           {.doc = "xpbd: Rayleigh damping, as a time: force = damping * stiffness * dC/dt.",
            .unit = "s",
            .example = "0.01",
            .at_least = 0});
  f.number(
      "velocity_damping", s.velocity_damping,
      {.doc = "Rate at which velocity along the constraint decays.", .unit = "1/s", .example = "0.5", .at_least = 0});
  f.boolean("keep_multipliers", s.keep_multipliers,
            {.doc = "xpbd: carries the multipliers from substep to substep, which removes the bias of the rest state.",
             .example = "true"});
}

/// What a fresh body has. (With braces GCC 12 warns of members that it takes for uninitialised.)
template <class Body>
static double fresh_density() {
  const Body body;
  return body.density;
}

double default_density(BodyKind kind) {
  switch (kind) {
    case BodyKind::cloth:
      return fresh_density<Cloth>();
    case BodyKind::solid:
      return fresh_density<Solid>();
    case BodyKind::rope:
      return fresh_density<Rope>();
    case BodyKind::hair:
      return fresh_density<Hair>();
  }
  return 0;
}

const Table<ShapeSpec> kShapeTable = {"shape", "Where a body's mesh comes from: one generator or one file.",
                                      shape_fields, "shape"};
const Table<BodySpec> kBodyTable = {"body", "A piece of cloth, a solid, a rope or hair.", body_fields};

}  // namespace pliant::scene
