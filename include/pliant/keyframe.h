#pragma once
// Scripted motion of pins and colliders.

#include "pliant/vec.h"

namespace pliant {

/// One point of a scripted motion, relative to the start: a translation and a rotation (rotation
/// vector, radians) about the pinned vertices' centre, or the collider's. Between keys both are interpolated
/// linearly; before the first and after the last they stay.
struct Keyframe {
  double time = 0;  // [s]
  Vec3d move{};     // [m]
  Vec3d turn{};     // [rad]
};

}  // namespace pliant
