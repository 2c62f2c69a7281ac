// The file itself, the solver's settings, pins and attachments.
#include "scene/rotation.h"
#include "scene/tables.h"

namespace pliant::scene {

const Fields::Words<Method> kMethods = {{"pbd", Method::pbd}, {"xpbd", Method::xpbd}};

namespace {

void damping_fields(Fields& f, WorldOptions& options) {
  f.number("point", options.point_damping,
           {.doc = "Rate at which every velocity decays, as in a resisting medium.",
            .unit = "1/s",
            .example = "0.5",
            .at_least = 0});
  f.number("global", options.global_damping,
           {.doc = "Rate at which motion inside of a body decays; its momenta stay.",
            .unit = "1/s",
            .example = "2",
            .at_least = 0});
}
const Table<WorldOptions> kDampingTable = {"damping", "Loss of motion.", damping_fields};

void solver_fields(Fields& f, WorldOptions& options) {
  f.number("step", options.step, {.doc = "Time of one frame.", .unit = "s", .example = "0.01", .above = 0});
  std::optional<double> fps;
  f.number("fps", fps, {.doc = "Frames per second, instead of `step`.", .unit = "1/s", .example = "60", .above = 0});
  if (fps) options.step = 1 / *fps;
  f.at_most_one_of({"step", "fps"});
  f.integer("substeps", options.substeps,
            {.doc = "Parts into which a frame is cut; more of them keep stiff materials stiff.",
             .example = "20",
             .at_least = 1,
             .at_most = 100000});
  f.integer("iterations", options.iterations,
            {.doc = "Sweeps over all constraints per substep.", .example = "1", .at_least = 1, .at_most = 100000});
  f.choice(
      "method", options.method, kMethods,
      {.doc = "How strength is given: `xpbd` by physical compliance, `pbd` by a stiffness from 0 to 1 that depends "
              "on the step.",
       .example = "\"xpbd\""});
  f.choice("integrator", options.integrator,
           Fields::Words<Integrator>{{"euler", Integrator::euler}, {"bdf2", Integrator::bdf2}},
           {.doc = "`euler` is robust and of first order, `bdf2` of second: oscillations last much longer.",
            .example = "\"bdf2\""});
  std::optional<Precision> precision;
  f.choice(
      "precision", precision,
      Fields::Words<Precision>{{"float32", Precision::float32}, {"float64", Precision::float64}},
      {.doc = "Numbers that the state is kept in; float32 unless the build says otherwise.", .example = "\"float64\""});
  if (precision) options.precision = *precision;
  // More threads than any machine has would only use memory.
  f.integer("threads", options.threads,
            {.doc = "Threads; 0 is one per core. The result does not depend on it.",
             .example = "2",
             .at_least = 0,
             .at_most = 1024});
  f.object("damping", options, kDampingTable, {.doc = "Loss of motion."});
  f.choice("energy_watch", options.energy_watch,
           Fields::Words<EnergyWatch>{
               {"report", EnergyWatch::report}, {"limit", EnergyWatch::limit}, {"off", EnergyWatch::off}},
           {.doc = "Energy that nothing has put in: `report` tells of it while it appears, `limit` takes it out again "
                   "and keeps the momenta.",
            .example = "\"limit\""});
}
const Table<WorldOptions> kSolverTable = {"solver", "How time is cut and how constraints are solved.", solver_fields};

void contact_fields(Fields& f, ContactOptions& contact) {
  f.boolean("self", contact.self, {.doc = "Bodies touch themselves, too.", .example = "false"});
  f.number("friction", contact.friction, {.doc = "Coulomb's coefficient.", .example = "0.5", .at_least = 0});
  f.number("thickness", contact.thickness,
           {.doc = "Of bodies that give none; absent: a fifth of a body's mean edge length.",
            .unit = "m",
            .example = "0.002",
            .above = 0});
}
const Table<ContactOptions> kContactTable = {
    "contact", "Contact of deformable bodies with each other and with themselves; `{}` is enough.", contact_fields};

// ------------------------------------------------------------------ selections

void box_region_fields(Fields& f, BoxRegion& box) {
  f.vector("min", box.min,
           {.doc = "Corner with the smallest coordinates.", .unit = "m", .example = "[-1, 0, -1]", .required = true});
  f.vector("max", box.max,
           {.doc = "Corner with the largest coordinates.", .unit = "m", .example = "[1, 0.1, 1]", .required = true});
}
const Table<BoxRegion> kBoxRegionTable = {"box_region", "A box along the axes, border included.", box_region_fields};

void sphere_region_fields(Fields& f, SphereRegion& sphere) {
  f.vector("center", sphere.center, {.doc = "Centre.", .unit = "m", .example = "[0, 1, 0]", .required = true});
  f.number("radius", sphere.radius, {.doc = "Radius.", .unit = "m", .example = "0.1", .above = 0, .required = true});
}
const Table<SphereRegion> kSphereRegionTable = {"sphere_region", "A ball, border included.", sphere_region_fields};

void plane_region_fields(Fields& f, PlaneRegion& plane) {
  f.vector("point", plane.point,
           {.doc = "Any point of the plane.", .unit = "m", .example = "[0, 1, 0]", .required = true});
  f.vector("normal", plane.normal,
           {.doc = "Points to the side that is selected; any length above 0.", .example = "[0, 1, 0]"});
}
const Table<PlaneRegion> kPlaneRegionTable = {"plane_region", "One side of a plane, the plane included.",
                                              plane_region_fields};

void selection_fields(Fields& f, SelectionSpec& select) {
  select.where = f.where();
  std::vector<int> vertices;
  f.integer_list("vertices", vertices,
                 {.doc = "Vertex numbers, from 0; negative ones count from the end (-1 is the last).",
                  .example = "[0, -1]",
                  .hide_default = true});
  if (f.given("vertices")) select.vertices = vertices;
  f.object("box", select.box, kBoxRegionTable, {.doc = "Those inside of a box."});
  f.object("sphere", select.sphere, kSphereRegionTable, {.doc = "Those inside of a ball."});
  f.object("plane", select.plane, kPlaneRegionTable, {.doc = "Those on one side of a plane."});
  f.boolean("all", select.all, {.doc = "`true`: all of them.", .example = "true", .hide_default = true});
  f.exactly_one_of({"vertices", "box", "sphere", "plane", "all"});
}
const Table<SelectionSpec> kSelectionTable = {
    "selection", "Vertices of a body, by number or by where they are in the world once the body is placed.",
    selection_fields};

// ------------------------------------------------------------------ pins

void keyframe_fields(Fields& f, Keyframe& key) {
  f.number("time", key.time, {.doc = "When.", .unit = "s", .example = "1.5", .at_least = 0, .required = true});
  f.vector("move", key.move, {.doc = "Displacement from the start.", .unit = "m", .example = "[0, 0.5, 0]"});
  Vec3d degrees = key.turn / kDegree;
  f.vector("turn", degrees,
           {.doc = "Rotation since the start about the centre of the pinned vertices, or the collider's position: the "
                   "direction is the axis, the "
                   "length the angle, which may exceed a full turn.",
            .unit = "degrees",
            .example = "[0, 720, 0]"});
  key.turn = degrees * kDegree;
}
void pin_fields(Fields& f, PinSpec& pin) {
  pin.where = f.where();
  f.text("body", pin.body, {.doc = "Name of the body.", .example = "\"flag\"", .required = true, .hide_default = true});
  f.object("select", pin.select, kSelectionTable, {.doc = "Which vertices.", .required = true});
  f.list("path", pin.path, kKeyframeTable,
         {.doc = "How they move, by ascending time; absent: they stay where they are."});
}

void rider_fields(Fields& f, RiderSpec& rider) {
  rider.where = f.where();
  f.text(
      "body", rider.body,
      {.doc = "Name of the body whose vertices ride.", .example = "\"hat\"", .required = true, .hide_default = true});
  f.object("select", rider.select, kSelectionTable, {.doc = "Which vertices.", .required = true});
  f.text("on", rider.on,
         {.doc = "Name of the body on whose surface they ride, at the points nearest to them.",
          .example = "\"head\"",
          .required = true,
          .hide_default = true});
}
const Table<RiderSpec> kRiderTable = {
    "rider", "Vertices that go where another body's surface goes, without acting on it.", rider_fields};

// ------------------------------------------------------------------ wind

void wind_fields(Fields& f, Wind& wind) {
  f.vector("velocity", wind.velocity, {.doc = "Of the air.", .unit = "m/s", .example = "[8, 0, 1]"});
  f.number("density", wind.density, {.doc = "Of the air.", .unit = "kg/m^3", .example = "1.2", .at_least = 0});
  f.number("drag", wind.drag,
           {.doc = "Coefficient of the force along the relative wind.", .example = "1.2", .at_least = 0});
  f.number(
      "lift", wind.lift,
      {.doc = "Coefficient of the force across the relative wind, on triangles.", .example = "0.6", .at_least = 0});
  f.number("gust_strength", wind.gust_strength,
           {.doc = "Largest deviation from `velocity`, as a part of it.", .example = "0.4", .at_least = 0});
  f.number("gust_frequency", wind.gust_frequency,
           {.doc = "Of the slowest of three waves that travel with the wind.",
            .unit = "Hz",
            .example = "0.5",
            .at_least = 0});
}
const Table<Wind> kWindTable = {
    "wind", "Air that pushes and drags cloth, solids, ropes and hair. Calm air still drags.", wind_fields};

// ------------------------------------------------------------------ attachments

void anchor_fields(Fields& f, AnchorSpec& to) {
  f.vector("point", to.point, {.doc = "A fixed point in the world.", .unit = "m", .example = "[0, 2, 0]"});
  std::string body;
  f.text(
      "body", body,
      {.doc = "Name of another body: its point nearest to the vertex.", .example = "\"crate\"", .hide_default = true});
  if (f.given("body")) to.body = body;
  f.exactly_one_of({"point", "body"});
}
const Table<AnchorSpec> kAnchorTable = {"anchor", "What vertices are tied to.", anchor_fields};

void attachment_fields(Fields& f, AttachmentSpec& attachment) {
  attachment.where = f.where();
  f.text("body", attachment.body,
         {.doc = "Name of the body whose vertices are tied.",
          .example = "\"rope\"",
          .required = true,
          .hide_default = true});
  f.integer("vertex", attachment.vertex, {.doc = "One vertex; negative ones count from the end.", .example = "-1"});
  f.object("select", attachment.select, kSelectionTable, {.doc = "Several vertices, each tied by itself."});
  f.exactly_one_of({"vertex", "select"});
  f.object("to", attachment.to, kAnchorTable, {.doc = "What they are tied to.", .required = true});
  strength_fields(f, attachment.strength, "m/N");
}

// ------------------------------------------------------------------ camera

void camera_fields(Fields& f, Camera& camera) {
  f.vector("eye", camera.eye, {.doc = "Where it is.", .unit = "m", .example = "[3, 2, 5]", .required = true});
  f.vector("target", camera.target,
           {.doc = "What is in the middle of the picture.", .unit = "m", .example = "[0, 1, 0]", .required = true});
  f.number("fov", camera.fov,
           {.doc = "Angle from the lower to the upper border.",
            .unit = "degrees",
            .example = "30",
            .above = 0,
            .at_most = 169});
  f.text_list("hide", camera.hide,
              {.doc = "Names of bodies that pictures, videos and pages leave out, such as a box around others.",
               .example = "[\"box\"]"});
}
const Table<Camera> kCameraTable = {"camera", "Where pictures and videos are seen from.", camera_fields};

// ------------------------------------------------------------------ the file

void scene_fields(Fields& f, SceneSpec& scene) {
  std::string schema;
  f.text("$schema", schema,
         {.doc = "For editors: where the schema is. Not used otherwise.",
          .example = "\"../docs/scene.schema.json\"",
          .hide_default = true});
  f.text("title", scene.title,
         {.doc = "What the scene shows.", .example = "\"A flag in the wind\"", .hide_default = true});
  std::vector<std::string> included_already;
  include_field(f, included_already);
  // A limit against slips of the finger: a million frames are four and a half hours of film.
  f.integer("frames", scene.frames,
            {.doc = "Steps that `pliant run` makes.", .example = "150", .at_least = 1, .at_most = 1e6});
  f.object("solver", scene.options, kSolverTable, {.doc = "How time is cut and how constraints are solved."});
  f.object("contact", scene.options.contact, kContactTable,
           {.doc = "Lets deformable bodies touch. Absent: they pass through each other."});
  f.vector("gravity", scene.options.gravity,
           {.doc = "Acceleration of everything.", .unit = "m/s^2", .example = "[0, -9.81, 0]"});
  f.object("camera", scene.camera, kCameraTable,
           {.doc = "Where pictures and videos are seen from; absent: so that the whole motion is seen."});
  f.switchable("wind", scene.options.wind, kWindTable, {.doc = "Air; absent: none at all."});
  f.list("bodies", scene.bodies, kBodyTable, {.doc = "What there is."});
  f.list("pins", scene.pins, kPinTable, {.doc = "Vertices that stay in place or move along a path."});
  f.list("riders", scene.riders, kRiderTable, {.doc = "Vertices that ride on another body's surface."});
  f.list("attachments", scene.attachments, kAttachmentTable,
         {.doc = "Vertices that are tied to points or to other bodies."});
  f.list("colliders", scene.colliders, kColliderTable, {.doc = "What bodies cannot pass through."});
}

}  // namespace

void include_field(Fields& f, std::vector<std::string>& files) {
  f.text_list("include", files,
              {.doc = "Other scene files, read before this one: their lists come first, and what both give is taken "
                      "from this one. Relative to this file; a file is read once.",
               .example = "[\"common.json\"]"});
}

const Table<SceneSpec> kSceneTable = {"scene", "A scene of Pliant. SI units, y up, right-handed.", scene_fields};
const Table<PinSpec> kPinTable = {"pin", "Vertices that are held.", pin_fields};
const Table<Keyframe> kKeyframeTable = {
    "keyframe", "One point of a scripted motion; between two of them it is interpolated linearly.", keyframe_fields};
const Table<AttachmentSpec> kAttachmentTable = {"attachment", "Vertices that are tied to something.",
                                                attachment_fields};

}  // namespace pliant::scene
