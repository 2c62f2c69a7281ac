#pragma once
// Size of a single element, in double precision.

#include "pliant/mesh.h"

namespace pliant {

/// Six times the signed volume [m^3].
inline double six_volumes(const Vec3d& a, const Vec3d& b, const Vec3d& c, const Vec3d& d) {
  return dot(b - a, cross(c - a, d - a));
}

/// Normal of a triangle, as long as twice its area [m^2].
inline Vec3d double_area_normal(const Vec3d& a, const Vec3d& b, const Vec3d& c) { return cross(b - a, c - a); }

}  // namespace pliant
