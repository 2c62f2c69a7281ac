#pragma once
// What light from far away reaches: the scene seen from the light, as depths. Many of them from slightly different
// directions make a soft shadow, many from the whole sky ambient occlusion.

#include <span>
#include <vector>

#include "pliant/vec.h"
#include "render/shape.h"

namespace pliant::render {

class DepthMap {
 public:
  /// `direction` to the light, of unit length; `texels` along the longer side.
  void draw(const DrawMesh& mesh, const Vec3f& direction, int texels);

  const Vec3f& direction() const { return toward_; }

  /// How much of the light arrives at a point of a surface with this unit normal: 0 to 1.
  float light(const Vec3f& point, const Vec3f& normal) const;

 private:
  void draw_triangle(const Vec3f& a, const Vec3f& b, const Vec3f& c);

  Vec3f toward_{}, u_{}, v_{};
  float u0_ = 0, v0_ = 0, per_texel_ = 1, texel_ = 1;
  int width_ = 0, height_ = 0;
  std::vector<float> depth_;  // distance towards the light of what it meets first
};

/// Directions spread evenly over the part of the sphere that is less than `angle` [rad] from `axis`.
std::vector<Vec3f> directions_around(const Vec3f& axis, float angle, int count);

}  // namespace pliant::render
