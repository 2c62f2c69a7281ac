#pragma once
// The tables of all objects that a scene file has, from the outermost inwards.

#include "scene/fields.h"
#include "scene/spec.h"

namespace pliant::scene {

// tables_scene.cpp
extern const Table<SceneSpec> kSceneTable;
extern const Table<PinSpec> kPinTable;
extern const Table<AttachmentSpec> kAttachmentTable;
extern const Table<Keyframe> kKeyframeTable;

// tables_body.cpp
extern const Table<BodySpec> kBodyTable;
extern const Table<ShapeSpec> kShapeTable;
/// What keeps a constraint: shared by the constraints of bodies and by attachments. The unit of
/// compliance is C^2/J, with the unit of the constraint's own value C.
void strength_fields(Fields& f, ConstraintSpec& strength, const char* compliance_unit = "C^2/J");

// tables_collider.cpp
extern const Table<ColliderSpec> kColliderTable;
// tables_cloth.cpp
extern const Table<ClothMaterial> kFabricTable;
extern const Table<StrainSpec> kStrainTable;

extern const Fields::Words<Method> kMethods;

/// The other scene files that this one starts from. Read by itself before everything else.
void include_field(Fields& f, std::vector<std::string>& files);

/// What a body of this kind has when its scene says nothing: the default of pliant::Cloth, Solid, Rope.
double default_density(BodyKind kind);

}  // namespace pliant::scene
