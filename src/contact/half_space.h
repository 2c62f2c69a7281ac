#pragma once
// The half space that keeps a moving point out of a shape for the time of a substep.

#include <optional>

#include "contact/shape.h"

namespace pliant::contact {

struct HalfSpace {
  Vec3d point{}, normal{};    // on the shape's surface, outward
  double start_distance = 0;  // [m] of the point to the shape at the start; below zero: inside
  double time = 1;            // when on its way from start to end it touches, 0..1
};

/// How near a point may come on its way: the thickness; what starts nearer, half as near as it starts; what starts
/// inside, not deeper [m].
double least_distance(double start_distance, double thickness);

/// A point moves straight from a to b, in the shape's coordinates. If on its way or at its end it comes nearer to the
/// shape than `thickness` + `margin`, the half space that it must not leave. The way is followed in steps as long as
/// the distance (it cannot reach the shape sooner), so nothing thin is jumped over.
std::optional<HalfSpace> find_half_space(const Shape& shape, const Vec3d& a, const Vec3d& b, double thickness,
                                         double margin);

}  // namespace pliant::contact
