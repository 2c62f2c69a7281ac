#pragma once
// The engine: put bodies into a World, step it, read positions.
//
//   pliant::World world({.step = 1.0 / 60, .substeps = 10});
//   auto cloth = world.add(pliant::Cloth{.mesh = pliant::grid({1, 1}, {40, 40}), .density = 0.2});
//   world.pin(cloth, {0, 40});
//   world.step();
//   auto x = world.positions(cloth);
//
// SI units, y up, right-handed.

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "pliant/cloth.h"
#include "pliant/collider.h"
#include "pliant/error.h"
#include "pliant/jobs.h"
#include "pliant/keyframe.h"
#include "pliant/material.h"
#include "pliant/mesh.h"
#include "pliant/vec.h"

namespace pliant {

/// Numbers of the State. `standard` is float32 unless the library was built with PLIANT_DOUBLE.
enum class Precision { standard, float32, float64 };

/// How time is integrated. Both are stable at any step as long as constraints are kept.
enum class Integrator {
  euler,  // implicit Euler, of first order: robust, takes much energy out of fast motion
  bdf2,   // backward differences over two substeps, of second order: takes far less
};

/// How a constraint's strength is understood.
enum class Method {
  pbd,   // stiffness in [0, 1] per step, as in bender13; depends on the time step
  xpbd,  // compliance, the inverse of a physical stiffness; independent of step and iterations
};

/// How strongly a body keeps one kind of constraint. The unit of compliance is that of C^2 / J, with
/// C the constraint's value: m/N for a distance, rad^2/J for an angle, m^3/Pa... (docs/constraints).
struct ConstraintSettings {
  double compliance = 0;                              // xpbd: inverse stiffness, 0 = rigid
  double stiffness = 1;                               // pbd: fraction of the error removed per step, 0..1
  std::optional<double> compression_compliance = {};  // where C < 0, if it differs
  std::optional<double> compression_stiffness = {};   // where C < 0, if it differs
  bool unilateral = false;                            // acts only where C > 0 (a rope that goes slack)
  double damping = 0;             // [s] Rayleigh: damping force = damping * stiffness * dC/dt (xpbd)
  double velocity_damping = 0;    // [1/s] the velocity along the constraint decays at this rate
  bool keep_multipliers = false;  // carry multipliers from substep to substep (xpbd, see docs/constraints)
  double pressure = 1;            // balloon: target volume / rest volume
  double stretch_min = 0.9, stretch_max = 1.1;  // edge_limit, triangle_limit: length / rest length that is left alone
};

/// Constraint name (see docs/constraints, or constraint_types()) -> how strongly it is kept.
using Constraints = std::map<std::string, ConstraintSettings>;

/// Where a body is put: rest shape, scaled, then rotated (rotation vector: axis times angle in
/// radians), then moved. The rest shape is the scaled one.
struct Placement {
  Vec3d position{};
  Vec3d rotation{};
  Vec3d scale{1, 1, 1};
};

/// Holds every vertex inside of spheres around the attachment points nearest to it, whose radii are the rest distances
/// (docs/long_range.md). The attachment points are what is pinned, and points in space that vertices are attached to.
struct LongRange {
  enum class Kind {
    geodesic,   // rest distances along the surface or the rope
    euclidean,  // straight ones in the rest shape
  };
  Kind kind = Kind::geodesic;
  int count = 2;          // attachment points per vertex, at most one of each connected group of pinned vertices
  int ties = 0;           // cloth: levels of ties across it, of 4, 16, 64... edges, for cloth that is thrown about
  double slack = 0;       // part of the distance that is given in addition
  double compliance = 0;  // [m/N] xpbd; 0 = rigid
  double stiffness = 1;   // pbd: 0..1
};

/// A cloth with a material has its stiffness: its rest state is then that of finite elements with the same mesh and
/// material. Without one it is a net of springs, unless it has strains.
struct Cloth {
  std::string name{};
  TriMesh mesh{};
  double density = 0.2;                     // [kg/m^2]
  std::optional<ClothMaterial> material{};  // elastic triangles, and bending
  std::optional<ClothStrain> strain{};      // strain-based dynamics (mueller14), in place of a material
  /// Texture coordinates of the vertices, or none. The weft of a material or of strains then runs along u in each
  /// triangle (mueller14 eq. 37).
  std::vector<Vec2d> texture{};
  std::optional<double> thickness{};  // [m] in contact: what two layers keep between them
  bool self_contact = true;           // touches itself, where the world has contact and ContactOptions::self
  Placement place{};
  Vec3d velocity{};  // [m/s]
  std::optional<Method> method{};
  /// Beside material and strains. Where there are neither, "default" stands for edges that do not stretch, bending that
  /// is not listed otherwise, and long range attachments with ties (docs/defaults.md); else for nothing.
  Constraints constraints = {{"default", {}}};
  std::vector<std::string> without{};  // parts of "default" to leave out: names of constraints, "long_range"
  std::optional<Vec3d> color{};        // to draw it; see World::color
  std::optional<LongRange> long_range{};

  /// Angles between triangles in place of linear bending, and nothing else than edges against stretch.
  static Constraints springs() { return {{"distance", {}}, {"bend", {.compliance = 10.0}}}; }
};

/// A solid is elastic when it has a material: its rest state is then that of finite elements with the same
/// mesh and material. Without one it is a lattice of springs.
struct Solid {
  std::string name{};
  TetMesh mesh{};
  std::optional<Material> material{};   // its density counts, not the one below
  std::optional<SolidStrain> strain{};  // strain-based dynamics (mueller14), in place of a material
  double density = 1000;                // [kg/m^3]
  std::optional<double> thickness{};    // [m] in contact, half of it beyond the surface
  std::vector<double> masses{};         // [kg] of each vertex, in place of what the density gives; empty: that
  bool self_contact = true;             // touches itself, where the world has contact and ContactOptions::self
  Placement place{};
  Vec3d velocity{};
  std::optional<Method> method{};
  /// Beside the material. Where there is none, "default" stands for springs as stiff as a body of this size and density
  /// wants, and for volumes that are kept (docs/defaults.md); else for nothing.
  /// Settings of the material's own constraint (its damping) stand under its name, such as "tet_stvk".
  Constraints constraints = {{"default", {}}};
  std::vector<std::string> without{};  // parts of "default" to leave out
  std::optional<Vec3d> color{};        // to draw it; see World::color

  static Constraints springs() { return {{"distance", {.compliance = 1e-4}}, {"tet_volume", {}}}; }
};

struct Rope {
  std::string name{};
  Curve mesh{};
  double density = 0.1;               // [kg/m]
  std::optional<double> thickness{};  // [m] in contact: its diameter
  bool self_contact = true;           // touches itself, where the world has contact and ContactOptions::self
  Placement place{};
  Vec3d velocity{};
  std::optional<Method> method{};
  /// "default" stands for segments that do not stretch, and long range attachments.
  Constraints constraints = {{"default", {}}};
  std::vector<std::string> without{};  // parts of "default" to leave out
  std::optional<Vec3d> color{};        // to draw it; see World::color
  std::optional<LongRange> long_range{};
  double diameter = 0.01;  // [m] across the wind
};

/// Handle of a body: its number in the order of adding.
struct BodyId {
  int index = -1;
  friend bool operator==(BodyId, BodyId) = default;
};

/// Contact of deformable bodies with each other and with themselves (docs/contact_self.md).
struct ContactOptions {
  bool self = true;                   // bodies touch themselves, too
  double friction = 0.3;              // Coulomb's coefficient
  std::optional<double> thickness{};  // [m] of bodies that give none; absent: a fifth of a body's mean edge length
};

/// Two deformable bodies begin or cease to touch each other.
struct BodyContactEvent {
  bool begins = true;
  int a = -1, b = -1;  // their numbers, a < b
};

/// Strands that do not stretch at all, each following its root: vertices strand by strand, the root first. They are
/// moved by dynamic follow-the-leader (docs/hair.md) and not by constraints. Roots are held in place; pin() moves them
/// along a path, and with `on` they ride on another body's surface.
struct Hair {
  std::string name{};
  Strands mesh{};
  double density = 1e-5;   // [kg/m] of one strand
  double diameter = 1e-4;  // [m] across the wind
  Placement place{};       // with `on`: that of the other body
  Vec3d velocity{};
  std::optional<Method> method{};
  Constraints constraints = {};
  bool dynamic = true;           // false: plain follow-the-leader, in which a strand has no weight for its leader
  double leader_push = 0.9;      // 0..1: s_damping of bender13 eq. 13; less of it takes more motion out
  double shape_frequency = 0;    // [Hz] at which segments swing about their rest shape; 0: it is the start only
  std::optional<BodyId> on{};    // the body on whose triangles mesh.roots lie
  std::optional<Vec3d> color{};  // to draw it; see World::color
};

/// Moving air, everywhere alike but for gusts. It pushes and drags triangles (cloth, surfaces of solids) and drags
/// segments (ropes, hair), see docs/wind.md. Calm air (velocity 0) still drags.
struct Wind {
  Vec3d velocity{};             // [m/s]
  double density = 1.2;         // [kg/m^3] of the air
  double drag = 1.2;            // coefficient of the force along the relative wind
  double lift = 0.6;            // coefficient of the force across it
  double gust_strength = 0;     // largest deviation from `velocity`, as a part of it
  double gust_frequency = 0.5;  // [Hz] of the slowest of three waves that travel with the wind
};

/// What is done about mechanical energy that nothing has put in (docs/energy_watch.md).
enum class EnergyWatch {
  report,  // it is told of, while it happens: World::troubles()
  limit,   // and taken out again, at unchanged momenta
  off,
};

struct WorldOptions {
  double step = 1.0 / 60;  // [s] one call of step()
  int substeps = 10;
  int iterations = 1;
  Method method = Method::xpbd;
  Integrator integrator = Integrator::euler;
  Vec3d gravity{0, -9.81, 0};               // [m/s^2]
  std::optional<Wind> wind{};               // none: no air at all
  double point_damping = 0;                 // [1/s] every velocity decays by exp(-point_damping t)
  double global_damping = 0;                // [1/s] deviation from each body's rigid motion decays; momenta stay
  int threads = 0;                          // 0: all cores. The result does not depend on it
  std::shared_ptr<JobSystem> jobs{};        // the host's own scheduler instead of threads
  std::optional<ContactOptions> contact{};  // absent: bodies pass through each other
  EnergyWatch energy_watch = EnergyWatch::report;
  Precision precision = Precision::standard;
  int simd_width = 0;        // 0: the build's own. The result does not depend on it
  bool stage_times = false;  // measure what World::stage_times() tells
};

/// Something went wrong inside a step and was contained.
struct Trouble {
  enum class Kind {
    non_finite,
    forced_contact,
    tangled_start,
    crowded_contact,
    energy_gain,     // a body has more energy than anything has given to it
    energy_limited,  // the same, and it was taken out (EnergyWatch::limit): nothing is wrong with what is seen
  };
  Kind kind{};
  int64_t step = 0;     // number of the step
  std::string body;     // name of the body
  int vertex = -1;      // in the user's numbering; -1: the whole body
  std::string message;  // for a person
};

struct Measures {
  double time = 0;              // [s]
  double mass = 0;              // [kg] of all that moves
  double kinetic_energy = 0;    // [J]
  double elastic_energy = 0;    // [J] of compliant constraints; rigid and pbd ones store none
  double gravity_energy = 0;    // [J] relative to the plane through the origin
  double total_energy = 0;      // [J] the sum of the three
  Vec3d linear_momentum{};      // [kg m/s]
  Vec3d angular_momentum{};     // [kg m^2/s] about the origin
  double volume = 0;            // [m^3] of all tets
  double largest_strain = 0;    // largest relative length, area or volume error of a constraint
  int64_t contacts = 0;         // of bodies with bodies, in the last substep
  int64_t slowed = 0;           // particles that had to be stopped short of passing through something, since the start
  double largest_residual = 0;  // largest |C + compliance * multiplier / dt^2| over all constraints, in its own unit
};

/// How far a body is stretched and squeezed at present.
struct Deformation {
  // Of all edges: length / rest length.
  double mean_stretch = 1, smallest_stretch = 1, largest_stretch = 1;
  // Of all tets: volume / rest volume; below 0: turned inside out.
  double smallest_volume = 1, largest_volume = 1;
};

enum class Stiffness { solid, membrane, bending };

/// An elastic body that is stiffer than the substeps can follow (docs/constraints/tet_elastic.md,
/// docs/materials/cloth.md).
struct Unresolved {
  std::string body;
  Stiffness stiffness{};  // which one
  double resolution = 0;  // E dt^2 / (density h^2) of the worst element
  double limit = 0;       // up to which it is resolved: 2, less for nearly incompressible bodies, thin ones and bdf2
  double softness = 0;    // sag, stretch or bend at rest / the right one - 1, within a factor of three
  int64_t substeps = 0;   // that would resolve it
};

/// How long one stage of the steps took, all steps since the world was built added up.
struct StageTime {
  std::string stage;
  double seconds = 0;  // by the wall clock
};

/// What the model consists of, for reports.
struct ConstraintCount {
  std::string type;
  int64_t constraints = 0;
  int colors = 0;         // phases one after another: slices, what lies between them, colours of the rest
  double batch_fill = 0;  // used lanes / all lanes
};

class World {
 public:
  explicit World(WorldOptions options = {});
  ~World();
  World(World&&) noexcept;
  World& operator=(World&&) noexcept;

  BodyId add(const Cloth&);
  BodyId add(const Solid&);
  BodyId add(const Rope&);
  /// Puts in something that bodies cannot pass through: add(Plane{}), add(Sphere{.radius = 0.3}, {.friction = 0.2}).
  ColliderId add(const ColliderShape&, const ColliderOptions& = {});
  BodyId add(const Hair&);

  /// Holds vertices where they are, or moves them along a path.
  void pin(BodyId, std::span<const int> vertices, std::vector<Keyframe> path = {});
  void pin(BodyId, std::initializer_list<int> vertices, std::vector<Keyframe> path = {});
  void unpin(BodyId, std::span<const int> vertices);

  /// Ties a vertex to a fixed point in space [m].
  void attach(BodyId, int vertex, Vec3d point, ConstraintSettings = {});
  /// Ties a vertex to a point of another body's triangle (cloth, or a solid's surface triangle by
  /// vertex numbers) or tet: `corners` are three or four vertices of `other`, `weights` sum to one.
  void attach(BodyId, int vertex, BodyId other, std::span<const int> corners, std::span<const double> weights,
              ConstraintSettings = {});
  /// Ties a vertex to the point of `other` nearest to it at present.
  void attach_nearest(BodyId, int vertex, BodyId other, ConstraintSettings = {});

  /// Lets vertices ride on the surface of another body, at the points nearest to them at present: they go where it
  /// goes and do not act on it.
  void ride(BodyId, std::span<const int> vertices, BodyId other);
  /// Unilateral attachments of all vertices to what is pinned when a step begins; nothing: without them.
  void attach_long_range(BodyId, std::optional<LongRange>);

  /// Uniform acceleration of a body, beside gravity [m/s^2].
  void set_acceleration(BodyId, Vec3d);
  /// Total force on a body, spread over its vertices by mass [N].
  void set_force(BodyId, Vec3d);
  /// Force on each vertex [N]; empty: none.
  void set_vertex_forces(BodyId, std::span<const Vec3d>);
  void set_gravity(Vec3d);
  void set_wind(std::optional<Wind>);

  /// Builds colours and batches. The first step does it by itself; afterwards only what was added
  /// or pinned since makes it work again.
  void build();
  /// Advances by options().step. Allocates nothing once warm. Never throws after build().
  void step();
  /// Back to the start: positions, velocities, multipliers, time.
  void reset();

  const WorldOptions& options() const;
  double time() const;    // [s]
  int64_t steps() const;  // steps done since start or reset
  int body_count() const;
  const std::string& name(BodyId) const;
  std::optional<BodyId> find(const std::string& name) const;
  int vertex_count(BodyId) const;

  std::vector<Vec3d> positions(BodyId) const;  // user's numbering
  std::vector<Vec3d> velocities(BodyId) const;
  std::vector<Vec3d> rest_positions(BodyId) const;
  std::vector<double> masses(BodyId) const;  // [kg], pinned vertices included
  void set_positions(BodyId, std::span<const Vec3d>);
  void set_velocities(BodyId, std::span<const Vec3d>);
  /// The surface to draw: a cloth's triangles, a solid's boundary; empty for a rope.
  const std::vector<Triangle>& triangles(BodyId) const;
  const std::vector<Tet>& tets(BodyId) const;
  const std::vector<Edge>& edges(BodyId) const;
  /// Texture coordinates of the corners of triangles(), or empty where the body has none.
  const std::vector<std::array<Vec2d, 3>>& texture_coordinates(BodyId) const;
  /// Of an elastic solid; empty for all others.
  const std::optional<Material>& material(BodyId) const;
  /// To draw it: red, green, blue from 0 to 1 as a picture has them (sRGB). What was given, or one of eight that
  /// go well together.
  Vec3d color(BodyId) const;
  /// Which of the solver's batches each element (tet, else triangle, else edge) is in: that of the constraint with the
  /// most corners that lies in the element; -1: none does. Constraints of one batch and type are solved at once.
  std::vector<int> element_batches(BodyId) const;
  /// What has flowed, six numbers for each tet (src/solver/plastic.cpp says which) or for each triangle of a cloth the
  /// entries 00, 11 and twice 01 of the plastic strain, along the first edge, and zeros; empty if the body does not
  /// flow.
  std::vector<std::array<double, 6>> plastic_state(BodyId) const;

  /// A fine surface that is seen in place of the body's own and rides on it (pliant/embed.h). Its positions count as
  /// those of the body's mesh do: before the body was placed. Not for ropes. A second one replaces the first.
  void add_skin(BodyId, const TriMesh& skin);
  bool has_skin(BodyId) const;
  /// Of the skin as it is now; the body must have one.
  std::vector<Vec3d> skin_positions(BodyId) const;
  std::vector<Vec3d> skin_normals(BodyId) const;
  const std::vector<Triangle>& skin_triangles(BodyId) const;
  /// Of the corners of skin_triangles(), or empty where the skin has none.
  const std::vector<std::array<Vec2d, 3>>& skin_texture_coordinates(BodyId) const;

  int collider_count() const;
  const std::string& name(ColliderId) const;
  std::optional<ColliderId> find_collider(const std::string& name) const;
  const ColliderOptions& options(ColliderId) const;
  /// The surface to draw, in the collider's own coordinates (a plane is a square of 20 m), and where it is now.
  TriMesh collider_shape(ColliderId) const;
  ColliderPose collider_pose(ColliderId) const;
  /// Mass zero for a collider that is no rigid body.
  RigidMotion rigid_motion(ColliderId) const;
  void set_rigid_motion(ColliderId, Vec3d velocity, Vec3d spin = {});
  /// Force of all that touches a collider [N], mean over the last step: its weight, if it lies there.
  Vec3d contact_force(ColliderId) const;
  ContactReport contact_report() const;
  /// Calls f at the end of each step for all that touched a collider in any substep of it and not in the step before,
  /// or the other way round: in a fixed order, by the caller's thread. Steps then allocate memory. f may do anything
  /// but step this world. An empty function ends it.
  void on_contact(std::function<void(const ContactEvent&)> f);
  /// The same for two deformable bodies: those that pushed each other, or were stopped on their way into each other, in
  /// any substep of the step. Called after what on_contact() was given, by rising numbers, those that cease first.
  /// Bodies that touch themselves are not told of. Nobody touches without WorldOptions::contact.
  void on_body_contact(std::function<void(const BodyContactEvent&)> f);
  /// All places that bore a force in the last substep, in a fixed order.
  std::vector<ContactPoint> contacts() const;

  Measures measures() const;
  Deformation deformation(BodyId) const;
  /// Bodies with materials stiffer than the substeps resolve. The first call after a change of pins solves for the
  /// sag of each by linear elasticity, which takes up to a second for a large one.
  std::vector<Unresolved> unresolved() const;
  /// What the settings cannot show, in plain words: of these bodies, those that sag 0.1 % too far or more.
  std::vector<std::string> warnings() const;
  /// Empty unless WorldOptions::stage_times is set.
  std::vector<StageTime> stage_times() const;
  std::vector<ConstraintCount> constraint_counts() const;
  int64_t particle_count() const;
  /// Trouble since the start, each particle once, and each body that has gained energy.
  const std::vector<Trouble>& troubles() const;

  /// 64-bit hash of all positions, velocities and multipliers: equal bits, equal hash.
  uint64_t state_hash() const;
  /// The State as bytes: versioned, checked, tied to this model by a fingerprint.
  std::vector<std::byte> snapshot() const;
  void restore(std::span<const std::byte>);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// What is registered, for documentation, schema and help.
struct ConstraintType {
  std::string name;
  std::string summary;          // one sentence
  std::string compliance_unit;  // of `compliance`
  std::string elements;         // "edges", "hinges", "triangles", "tets", "surface" or "pairs"
  int points = 0;               // 0: any number (a global constraint)
  int entries = 1;
};
const std::vector<ConstraintType>& constraint_types();

const char* version();

}  // namespace pliant
