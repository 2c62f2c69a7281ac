#pragma once
// Where a picture is seen from: the camera in numbers for drawing, and one that frames a motion by itself.

#include <vector>

#include "pliant/picture.h"

namespace pliant::render {

/// Everything relative to the Shape's origin, in single precision.
struct View {
  Vec3f eye;
  Vec3f right, up, forward;       // unit length
  float half_width, half_height;  // of the picture at distance 1
  int width, height;              // [pixels]

  /// Direction through a point of the picture [pixels], not of unit length: one ahead.
  Vec3f ray(float x, float y) const {
    const float a = (2 * x / static_cast<float>(width) - 1) * half_width;
    const float b = (1 - 2 * y / static_cast<float>(height)) * half_height;
    return forward + right * a + up * b;
  }
  /// [m] size of a pixel at distance 1.
  float pixel() const { return 2 * half_height / static_cast<float>(height); }
};

View make_view(const Camera& camera, const Vec3d& origin, int width, int height);

/// Watches a motion and then gives a camera that sees all of it, and where the ground should be.
///
/// The direction of view is fixed, so what must be known of the points are four numbers: with X, Y, Z the coordinates
/// right, up and towards the camera, a point is inside of the picture if |X - cx| <= t (cz - Z), that is
/// X + t Z <= t cz + cx and -X + t Z <= t cz - cx, and the same for Y.
class Framing {
 public:
  Framing(double aspect, double fov);
  /// Points relative to some origin; the camera is relative to it, too.
  void add(const std::vector<Vec3f>& points);

  Camera camera() const;
  /// Half the diagonal of the box around all points [m].
  double extent() const;
  Vec3d center() const;
  double lowest() const { return low_.y; }

 private:
  double fov_, tan_x_, tan_y_;
  Vec3d right_, up_, back_;
  // Bodies that fly away do not take the camera with them: what is too far from the first frame is not counted.
  Vec3d limit_low_, limit_high_;
  Vec3d low_, high_;
  double most_right_ = 0, most_left_ = 0, most_up_ = 0, most_down_ = 0;
  bool empty_ = true;
};

}  // namespace pliant::render
