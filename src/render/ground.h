#pragma once
// The ground under a scene: a plane with a grid that fades into the background.

#include "render/camera.h"
#include "render/renderer.h"

namespace pliant::render {

class Ground {
 public:
  /// Everything relative to `origin`, as the view is.
  Ground(const Look& look, const Vec3d& origin);

  bool is_seen(const Vec3f& eye, const Vec3f& ray) const;
  /// Where a ray that sees it meets it.
  Vec3f meet(const Vec3f& eye, const Vec3f& ray) const;
  /// How much of it is left at a point: 1 under the scene, 0 far away.
  float presence(const Vec3f& point) const;
  /// Its light at a point seen in the pixel (x, y), where `sun` and `sky` of both lights arrive.
  Vec3f color(const View& view, const Vec3f& point, float sun, float sky, float x, float y, const Vec3f& behind) const;

 private:
  float line(double place, float width, double spacing, float pixels) const;

  Vec3d origin_;
  float height_;
  Vec3f center_;
  float reach_;     // [m] how far it is drawn
  double spacing_;  // [m] of thin lines; every tenth is thick
};

}  // namespace pliant::render
