#pragma once
// How often two curves wind around each other: Gauss's linking integral.

#include <span>

#include "pliant/vec.h"

namespace pliant::experiments {

/// 1 / (4 pi) times the integral over both curves of (da x db) . (a - b) / |a - b|^3, exactly for polygons. Two strands
/// that run beside each other from far away to far away have the number of turns that they make around each other, and
/// keep it however they are moved as long as they do not pass through each other: what is lost as twist is found as
/// coils. Positive: a right-handed screw.
double linking(std::span<const Vec3d> a, std::span<const Vec3d> b);

}  // namespace pliant::experiments
