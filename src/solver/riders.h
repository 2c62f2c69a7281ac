#pragma once
// The frame of a triangle, for what rides on it.

#include <array>

#include "math/quaternion.h"

namespace pliant {

/// From coordinates along the first edge, across it in the plane, and along the normal, to the world. The identity for
/// a triangle without area.
inline Quat<double> triangle_frame(const Vec3d (&x)[3]) {
  const Vec3d edge = x[1] - x[0];
  const Vec3d normal = cross(edge, x[2] - x[0]);
  const double l = length(edge), area = length(normal);
  if (!(l > 0) || !(area > 0)) return Quat<double>::identity();
  const Vec3d e = edge / l, n = normal / area;
  return from_matrix(Mat3<double>{e, cross(n, e), n});
}

inline Vec3d rider_point(const std::array<double, 3>& weights, const Vec3d (&x)[3]) {
  return x[0] * weights[0] + x[1] * weights[1] + x[2] * weights[2];
}

}  // namespace pliant
