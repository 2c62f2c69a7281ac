#include "scene/rotation.h"

#include <cmath>
#include <numbers>

namespace pliant::scene {
namespace {

struct Quaternion {
  double w;
  Vec3d v;
};

Quaternion operator*(const Quaternion& a, const Quaternion& b) {
  return {a.w * b.w - dot(a.v, b.v), a.w * b.v + b.w * a.v + cross(a.v, b.v)};
}

/// cos and sin of half of an angle; whole turns are taken off first so that large angles keep their digits.
Quaternion turn(double degrees, Vec3d axis) {
  const double half = std::remainder(degrees, 720.0) * (std::numbers::pi / 360);
  return {std::cos(half), std::sin(half) * axis};
}

}  // namespace

Vec3d rotation_vector_of_turns(Vec3d degrees) {
  Quaternion q = turn(degrees.z, {0, 0, 1}) * (turn(degrees.y, {0, 1, 0}) * turn(degrees.x, {1, 0, 0}));
  if (q.w < 0) q = {-q.w, -q.v};  // the same rotation, the shorter way
  const double sine = length(q.v);
  if (sine == 0) return {};
  return q.v * (2 * std::atan2(sine, q.w) / sine);
}

}  // namespace pliant::scene
