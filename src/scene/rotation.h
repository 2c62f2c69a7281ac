#pragma once
// Turns about the axes as a person gives them -> the rotation vector that the engine takes.

#include <cmath>
#include <numbers>

#include "math/quaternion.h"

namespace pliant::scene {

inline constexpr double kDegree = std::numbers::pi / 180;  // [rad]

/// Turned about the world's x axis, then about y, then about z: R = Rz Ry Rx. Degrees in; out comes
/// axis times angle in radians, the angle at most pi.
inline Vec3d rotation_vector_of_turns(Vec3d degrees) {
  // Whole turns are taken off first, so that large angles keep their digits.
  const auto turn = [](Vec3d axis, double angle) {
    return from_rotation_vector(axis * (std::remainder(angle, 360.0) * kDegree));
  };
  return to_rotation_vector(turn({0, 0, 1}, degrees.z) * (turn({0, 1, 0}, degrees.y) * turn({1, 0, 0}, degrees.x)));
}

}  // namespace pliant::scene
