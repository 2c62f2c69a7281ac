#pragma once
// A scene as its files say it: what the tables (tables.h) read and what build.h makes a World from.
// `where` is the object's place in its file ("scene.json: bodies[0]"), for messages about it.

#include <array>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "pliant/picture.h"
#include "pliant/world.h"

namespace pliant::scene {

enum class BodyKind { cloth, solid, rope, hair };

struct GridSpec {
  Vec2d size{1, 1};
  std::array<int, 2> cells{20, 20};
};

// Round shapes and boxes exist as a surface (cloth) and as a volume (solid). What counts the
// elements differs; `..._given` lets the wrong one be refused instead of ignored.
struct SphereSpec {
  double radius = 0.5;
  int subdivisions = 3;  // cloth
  int cells = 8;         // solid
  bool subdivisions_given = false, cells_given = false;
};
struct TorusSpec {
  double radius = 0.5, tube_radius = 0.2;
  int segments = 32;
  int tube_segments = 16;  // cloth
  int tube_cells = 4;      // solid
  bool tube_segments_given = false, tube_cells_given = false;
};
struct CylinderSpec {
  double radius = 0.5, height = 1;
  int rings = 8;
  int segments = 24;  // cloth
  int cells = 8;      // solid
  bool segments_given = false, cells_given = false;
};
struct BoxSpec {
  Vec3d size{1, 1, 1};
  std::array<int, 3> cells{8, 8, 8};
  CellSplit split = CellSplit::five;  // solid
  bool split_given = false;
};

struct RopeSpec {
  Vec3d from{0, 0, 0}, to{0, -1, 0};
  int segments = 20;
};

/// A surface that is filled with tets. One of `tets` and `cell` counts: cell where it is given.
struct FillSpec {
  int tets = 5000;
  std::optional<double> cell;
  bool skin = true;  // the surface itself is what is seen
};
struct SurfaceSpec {
  std::string file;  // a path that can be opened
  FillSpec fill;     // solid
  bool fill_given = false;
};
struct BlobSpec {
  double height = 1;
  int cells = 48;
  FillSpec fill;  // solid
  bool fill_given = false;
};

/// Strands on another body's surface, or on a grid.
struct HairSpec {
  std::optional<std::string> on;
  std::optional<GridSpec> grid;  // one of the two
  int count = 1000;              // with `on`
  bool count_given = false;
  HairStyle style;
};

/// A layer of tets over another body's surface.
struct SkinSpec {
  std::string on;
  double thickness = 0.02;
  int layers = 1;
};

/// Exactly one of them is there.
struct ShapeSpec {
  std::string where;
  std::optional<GridSpec> grid;
  std::optional<SphereSpec> sphere;
  std::optional<TorusSpec> torus;
  std::optional<CylinderSpec> cylinder;
  std::optional<BoxSpec> box;
  std::optional<RopeSpec> rope;
  std::optional<BlobSpec> blob;
  std::optional<SurfaceSpec> surface;
  std::optional<HairSpec> hair;
  std::optional<SkinSpec> skin;
  std::optional<std::string> file;  // a path that can be opened
  std::optional<double> merge;      // [m] of a file: vertices as near as this become one
};

/// Strength of a constraint, and whether the file gave the number that its method uses.
struct ConstraintSpec {
  std::string where;
  ConstraintSettings settings;
  bool stiffness_given = false, compliance_given = false;
};

/// How strands move.
struct StrandsSpec {
  bool dynamic = Hair{}.dynamic;
  double leader_push = Hair{}.leader_push;
  double shape_frequency = Hair{}.shape_frequency;
};

/// The body again and again, on a grid along the axes.
struct CopiesSpec {
  std::array<int, 3> count{1, 1, 1};
  Vec3d spacing{1, 1, 1};
};

/// What a scene says of strains, for either kind of body.
struct StrainSpec {
  ClothStrain cloth;
  SolidStrain solid;
};

/// The constraints of a body as its scene lists them.
struct ConstraintsSpec {
  std::map<std::string, ConstraintSpec> listed;
  std::vector<std::string> without;  // those that are switched off
  Constraints fresh;                 // what one has of which no strength is given, if it is not rigid
};

struct BodySpec {
  std::string where;
  std::string name;
  BodyKind kind = BodyKind::cloth;
  ShapeSpec shape;
  std::optional<double> density;
  std::optional<double> thickness;  // [m]
  bool self_contact = true;
  std::optional<Material> material;     // of a solid
  std::optional<ClothMaterial> fabric;  // of a cloth
  std::optional<StrainSpec> strain;
  Placement place;  // rotation in radians here
  Vec3d velocity{};
  std::optional<Method> method;
  ConstraintsSpec constraints;      // beside what the kind has by default
  std::optional<std::string> skin;  // a surface file that can be opened
  std::optional<LongRange> long_range;
  std::optional<double> diameter;
  std::optional<StrandsSpec> strands;
  Vec3d force{}, acceleration{};
  std::optional<Vec3d> color;
  std::optional<CopiesSpec> copies;
};

struct BoxRegion {
  Vec3d min{}, max{};
};
struct SphereRegion {
  Vec3d center{};
  double radius = 1;
};
struct PlaneRegion {
  Vec3d point{};
  Vec3d normal{0, 1, 0};
};

/// Which vertices of a body. Exactly one is there.
struct SelectionSpec {
  std::string where;
  std::optional<std::vector<int>> vertices;
  std::optional<BoxRegion> box;
  std::optional<SphereRegion> sphere;
  std::optional<PlaneRegion> plane;
  bool all = false;
};

struct PinSpec {
  std::string where;
  std::string body;
  SelectionSpec select;
  std::vector<Keyframe> path;  // turn in radians here
};

struct RiderSpec {
  std::string where;
  std::string body, on;
  SelectionSpec select;
};

/// Exactly one is there.
struct AnchorSpec {
  std::optional<Vec3d> point;
  std::optional<std::string> body;
};

struct AttachmentSpec {
  std::string where;
  std::string body;
  std::optional<int> vertex;
  std::optional<SelectionSpec> select;  // one of the two
  AnchorSpec to;
  ConstraintSpec strength;
};

/// Exactly one shape is there.
struct ColliderSpec {
  std::string where;
  std::optional<Plane> plane;
  std::optional<Sphere> sphere;
  std::optional<Box> box;
  std::optional<Capsule> capsule;
  std::optional<Cylinder> cylinder;
  std::optional<Cone> cone;
  std::optional<Funnel> funnel;
  std::optional<HeightField> height_field;
  std::optional<ShapeSpec> solid, surface;
  ColliderOptions options;  // rotation, turns and spin in radians here
};

struct SceneSpec {
  std::string title;
  int frames = 120;
  WorldOptions options;
  std::optional<Camera> camera;
  std::vector<BodySpec> bodies;
  std::vector<PinSpec> pins;
  std::vector<RiderSpec> riders;
  std::vector<AttachmentSpec> attachments;
  std::vector<ColliderSpec> colliders;
};

}  // namespace pliant::scene
