// Colliders: shape, surface, motion.
#include "scene/rotation.h"
#include "scene/tables.h"

namespace pliant::scene {
namespace {

Field length_field(const char* doc, const char* example) {
  return {.doc = doc, .unit = "m", .example = example, .above = 0};
}

void plane_fields(Fields& f, Plane& plane) {
  f.vector("normal", plane.normal, {.doc = "Points away from the ground; any length above 0.", .example = "[0, 1, 0]"});
  f.vector("point", plane.point, {.doc = "Any point of the plane.", .unit = "m", .example = "[0, 0, 0]"});
}
const Table<Plane> kPlaneTable = {"plane_collider", "All behind a plane.", plane_fields};

void sphere_fields(Fields& f, Sphere& sphere) { f.number("radius", sphere.radius, length_field("Radius.", "0.5")); }
const Table<Sphere> kSphereTable = {"sphere_collider", "A ball.", sphere_fields};

void box_fields(Fields& f, Box& box) {
  f.vector("size", box.size,
           {.doc = "Along x, y and z.", .unit = "m", .example = "[1, 0.5, 1]", .above = 0, .one_for_all = true});
}
const Table<Box> kBoxTable = {"box_collider", "A box around its position.", box_fields};

void capsule_fields(Fields& f, Capsule& capsule) {
  f.number("radius", capsule.radius, length_field("Radius.", "0.1"));
  f.number("height", capsule.height,
           {.doc = "Between the centres of its ends, along y.", .unit = "m", .example = "0.5", .at_least = 0});
}
const Table<Capsule> kCapsuleTable = {"capsule_collider", "A cylinder with half balls at its ends.", capsule_fields};

void cylinder_fields(Fields& f, Cylinder& cylinder) {
  f.number("radius", cylinder.radius, length_field("Radius.", "0.5"));
  f.number("height", cylinder.height, length_field("Along y.", "1"));
}
const Table<Cylinder> kCylinderTable = {"cylinder_collider", "A cylinder along y.", cylinder_fields};

void cone_fields(Fields& f, Cone& cone) {
  f.number("bottom_radius", cone.bottom_radius, {.doc = "Radius below.", .unit = "m", .example = "0.5", .at_least = 0});
  f.number("top_radius", cone.top_radius,
           {.doc = "Radius above; 0 makes a tip.", .unit = "m", .example = "0.1", .at_least = 0});
  f.number("height", cone.height, length_field("Along y.", "1"));
}
const Table<Cone> kConeTable = {"cone_collider", "A solid cone along y, whole or cut off.", cone_fields};

void funnel_fields(Fields& f, Funnel& funnel) {
  f.number("top_radius", funnel.top_radius, length_field("Radius of the inner side above.", "1"));
  f.number("bottom_radius", funnel.bottom_radius, length_field("Radius of the inner side below.", "0.2"));
  f.number("height", funnel.height, length_field("Along y.", "1"));
  f.number("wall", funnel.wall, length_field("Thickness of the wall, across the axis.", "0.05"));
}
const Table<Funnel> kFunnelTable = {"funnel_collider", "The wall of a cone, open above and below.", funnel_fields};

void height_field_fields(Fields& f, HeightField& field) {
  f.vector("size", field.size,
           {.doc = "Along x and z.", .unit = "m", .example = "[10, 10]", .above = 0, .one_for_all = true});
  f.integer("columns", field.columns,
            {.doc = "Nodes along x.", .example = "2", .at_least = 2, .required = true, .hide_default = true});
  f.integer("rows", field.rows,
            {.doc = "Nodes along z.", .example = "2", .at_least = 2, .required = true, .hide_default = true});
  f.number_list("heights", field.heights,
                {.doc = "Of each node, row by row.",
                 .unit = "m",
                 .example = "[0, 0, 0.5, 0.5]",
                 .required = true,
                 .hide_default = true});
}
const Table<HeightField> kHeightFieldTable = {
    "height_field_collider", "Ground with hills: a rectangle in the xz plane with a height at each node.",
    height_field_fields};

void collider_fields(Fields& f, ColliderSpec& collider) {
  collider.where = f.where();
  ColliderOptions& o = collider.options;
  f.text("name", o.name, {.doc = "Its own name, for reports.", .example = "\"ground\"", .hide_default = true});
  f.object("plane", collider.plane, kPlaneTable, {.doc = "All behind a plane: the ground."});
  f.object("sphere", collider.sphere, kSphereTable, {.doc = "A ball."});
  f.object("box", collider.box, kBoxTable, {.doc = "A box."});
  f.object("capsule", collider.capsule, kCapsuleTable, {.doc = "A cylinder with half balls at its ends."});
  f.object("cylinder", collider.cylinder, kCylinderTable, {.doc = "A cylinder."});
  f.object("cone", collider.cone, kConeTable, {.doc = "A solid cone."});
  f.object("funnel", collider.funnel, kFunnelTable, {.doc = "The wall of a cone."});
  f.object("height_field", collider.height_field, kHeightFieldTable, {.doc = "Ground with hills."});
  f.object("solid", collider.solid, kShapeTable, {.doc = "The inside of any closed surface."});
  f.object("surface", collider.surface, kShapeTable, {.doc = "Any surface, touched from both sides."});
  f.exactly_one_of(
      {"plane", "sphere", "box", "capsule", "cylinder", "cone", "funnel", "height_field", "solid", "surface"});

  f.vector("position", o.position, {.doc = "Where its middle is.", .unit = "m", .example = "[0, 1, 0]"});
  Vec3d degrees{};
  f.vector("rotation", degrees,
           {.doc = "Turned about the world's x axis, then about y, then about z.",
            .unit = "degrees",
            .example = "[0, 0, 30]"});
  o.rotation = rotation_vector_of_turns(degrees);
  f.number("friction", o.friction, {.doc = "Coulomb's coefficient while sliding.", .example = "0.3", .at_least = 0});
  f.number(
      "static_friction", o.static_friction,
      {.doc = "The same while sticking, not below `friction`; absent: equal to it.", .example = "0.4", .at_least = 0});
  f.number("restitution", o.restitution,
           {.doc = "Bounce: speed after / speed before.", .example = "0.5", .at_least = 0, .at_most = 1});
  f.number("thickness", o.thickness,
           {.doc = "Distance that is kept; absent: a twentieth of the mean edge of the finest body, for a `surface` of "
                   "its own; 0 counts as a hundredth.",
            .unit = "m",
            .example = "0.002",
            .at_least = 0});
  f.list("path", o.path, kKeyframeTable,
         {.doc = "How it moves, by ascending time; turns are about its position. Absent: it stays."});
  f.choice("start_inside", o.start_inside,
           Fields::Words<StartInside>{{"push", StartInside::push}, {"refuse", StartInside::refuse}},
           {.doc = "Vertices that start inside of it are moved out slowly, or are an error.", .example = "\"refuse\""});
  f.number("push_speed", o.push_speed,
           {.doc = "At which what is inside is moved out.", .unit = "m/s", .example = "0.1", .above = 0});
  f.number(
      "density", o.density,
      {.doc = "Makes it a rigid body, which falls and is pushed.", .unit = "kg/m^3", .example = "7800", .above = 0});
  f.number("mass", o.mass, {.doc = "The same, by its mass.", .unit = "kg", .example = "5", .above = 0});
  f.at_most_one_of({"density", "mass"});
  f.vector("velocity", o.velocity, {.doc = "Of a rigid body at the start.", .unit = "m/s", .example = "[0, -1, 0]"});
  Vec3d spin = o.spin / kDegree;
  f.vector("spin", spin, {.doc = "Of a rigid body at the start.", .unit = "degrees/s", .example = "[0, 90, 0]"});
  o.spin = spin * kDegree;
}

}  // namespace

const Table<ColliderSpec> kColliderTable = {
    "collider", "Something that bodies cannot pass through: fixed, scripted, or a rigid body.", collider_fields};

}  // namespace pliant::scene
