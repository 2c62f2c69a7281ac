#pragma once
// What grows on another body of the scene.

#include <optional>
#include <vector>

#include "scene/spec.h"

namespace pliant::scene {

/// The surface of a body in its rest shape, without vertices that no triangle uses. `vertex_of` gets their numbers in
/// the body.
TriMesh surface_of_body(const World& world, BodyId id, std::vector<int>& vertex_of);

/// The hair of a body that has `shape.hair`, on another body or on its own grid.
Hair make_hair(const BodySpec& body, const World& world, std::optional<BodyId> on);

}  // namespace pliant::scene
