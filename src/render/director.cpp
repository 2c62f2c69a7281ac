#include "render/director.h"

#include <algorithm>
#include <cmath>

#include "pliant/error.h"
#include "render/overlay.h"

namespace pliant::render {
namespace {

constexpr double kFov = 30;  // [degrees] of the camera that finds its place by itself

/// The value that one in fifty exceeds: single vertices (at clamped edges, in elements that are nearly flat) do not set
/// the scale.
double high_value(std::vector<float> values) {
  if (values.empty()) return 0;
  const auto place = values.begin() + static_cast<std::ptrdiff_t>(0.98 * static_cast<double>(values.size() - 1));
  std::nth_element(values.begin(), place, values.end());
  return *place;
}

}  // namespace

void check(const PictureOptions& options) {
  constexpr int kMost = 16384;  // [pixels]: a slip of the finger beyond, and too much memory
  if (options.width < 16 || options.height < 16 || options.width > kMost || options.height > kMost) {
    throw Error("picture size", "must be from 16 to 16384 pixels each way", "try 1280x720");
  }
  if (!(options.speed > 0) || !std::isfinite(options.speed)) {
    throw Error("speed", "of playing must be above 0", "1 is as in nature, 0.1 ten times slower");
  }
  if (options.color_max && !(*options.color_max > 0)) {
    throw Error("largest value of the colours", "must be above 0", "leave it away to take the largest that occurs");
  }
  if (options.camera) {
    const Camera& camera = *options.camera;
    const double distance = length(camera.eye - camera.target);
    if (!(distance > 0) || !std::isfinite(distance)) {
      throw Error("camera", "eye and target must be two different points", "move one of them");
    }
    if (!(camera.fov > 0 && camera.fov < 170)) {
      throw Error("camera: fov", "must be between 0 and 170 degrees", "30 is a good value");
    }
  }
}

Director::Director(const PictureOptions& options)
    : options_(options), framing_(static_cast<double>(options.width) / options.height, kFov) {
  check(options);
}

void Director::watch(const Shape& shape, const Frame& frame) {
  if (!started_) origin_ = shape.origin;
  started_ = true;
  ground_ = shape.ground;
  const Vec3f shift = cast<float>(shape.origin - origin_);
  std::vector<Vec3f> positions(frame.positions.begin(), frame.positions.begin() + shape.framed_vertices);
  for (Vec3f& p : positions) p += shift;
  framing_.add(positions);
  if (options_.color_by == ColorBy::batch) {  // numbers, all of which count
    for (const float number : frame.values) largest_ = std::max(largest_, double(number));
  } else {
    largest_ = std::max(largest_, high_value(frame.values));
  }
}

Look Director::look() const {
  Look look;
  look.camera = framing_.camera();
  look.camera.eye += origin_;
  look.camera.target += origin_;
  if (options_.camera) look.camera = *options_.camera;
  look.extent = framing_.extent();
  look.center = framing_.center() + origin_;
  // The ground is at height 0 if the scene seems to mean that, or else a little below everything.
  const double lowest = framing_.lowest() + origin_.y;
  const bool stands_on_zero = lowest > -0.02 * look.extent && lowest < 0.8 * look.extent;
  look.ground = ground_ ? *ground_ : stands_on_zero ? 0 : lowest - 0.08 * look.extent;
  look.color_by = options_.color_by;
  const double largest = options_.color_by == ColorBy::batch ? std::max(1.0, largest_) : round_up(largest_);
  look.color_max = options_.color_max.value_or(largest);
  look.wireframe = options_.wireframe;
  look.width = options_.width;
  look.height = options_.height;
  return look;
}

}  // namespace pliant::render
