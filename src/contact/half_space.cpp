#include "contact/half_space.h"

#include <algorithm>

namespace pliant::contact {

namespace {

constexpr int kMostSteps = 64;       // along a way; one that grazes the shape ends as if it touched
constexpr double kCloseEnough = 0.01;  // of the way: so near to touching counts
constexpr double kLeave = 0.1;       // of the way: least step of a point that starts on the surface and moves away
constexpr double kSameSide = 0.7;    // cosine between normals: the end still sees the face that was touched

struct Touch {
  bool found = false;
  double time = 1;
  Nearest at{};
};

Touch first_touch(const Shape& shape, const Vec3d& a, const Vec3d& b, double size, double keep, const Nearest& start) {
  const Vec3d way = b - a;
  const double close = kCloseEnough * size;
  Nearest near = start;
  double time = 0;
  bool left = false;  // the surface on which it started
  for (int step = 0; step < kMostSteps; ++step) {
    const double clear = near.distance - keep;
    if (clear > close) {
      left = true;
    } else if (left || dot(way, near.normal) < 0) {
      return {true, time, near};
    }
    time += std::max(clear / size, left ? 0.0 : kLeave);
    if (time >= 1) return {};
    near = shape.nearest(a + way * time, size + keep);
  }
  return {true, time, near};
}

}  // namespace

std::optional<HalfSpace> find_half_space(const Shape& shape, const Vec3d& a, const Vec3d& b, double thickness,
                                         double margin) {
  const double size = length(b - a);
  const double reach = thickness + margin;
  if (size < shape.core()) {  // it cannot have come to another side
    const Nearest end = shape.nearest(b, reach);
    if (end.distance > reach) return std::nullopt;
    const Nearest start = shape.nearest(a, reach + size);
    const double fall = start.distance - end.distance;
    const double time = fall > 0 ? std::clamp((start.distance - thickness) / fall, 0.0, 1.0) : 1;
    return HalfSpace{end.point, end.normal, start.distance, time};
  }
  const Nearest start = shape.nearest(a, reach + size);
  if (start.distance > reach + size) return std::nullopt;
  const Nearest end = shape.nearest(b, reach);
  if (start.distance >= 0 && size > 0) {
    // What starts within the thickness may come a little nearer before it counts.
    const double keep = std::min(thickness, 0.9 * start.distance);
    if (const Touch touch = first_touch(shape, a, b, size, keep, start); touch.found) {
      const bool same = !shape.two_sided() && end.distance <= reach && dot(end.normal, touch.at.normal) > kSameSide;
      const Nearest& at = same ? end : touch.at;
      return HalfSpace{at.point, at.normal, start.distance, touch.time};
    }
  }
  if (end.distance > reach) return std::nullopt;
  return HalfSpace{end.point, end.normal, start.distance, 1};
}

}  // namespace pliant::contact
