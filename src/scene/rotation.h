#pragma once
// Turns about the axes as a person gives them -> the rotation vector that the engine takes.

#include "pliant/vec.h"

namespace pliant::scene {

/// Turned about the world's x axis, then about y, then about z: R = Rz Ry Rx. Degrees in; out comes
/// axis times angle in radians, the angle at most pi.
Vec3d rotation_vector_of_turns(Vec3d degrees);

}  // namespace pliant::scene
