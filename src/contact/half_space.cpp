#include "contact/half_space.h"

#include <algorithm>

namespace pliant::contact {

namespace {

constexpr int kMostSteps = 256;        // along a way; one that grazes the shape longer ends as if it touched
constexpr double kCloseEnough = 1e-4;  // of the way: so near to touching counts
constexpr double kPass = 0.04;         // of the way: least step along a surface that does not stop it
constexpr double kShort = 0.1;         // of the shape's core: of shorter ways only the end is looked at
constexpr double kSameSide = 0.7;      // cosine between normals: the end still sees the face that was touched

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
  for (int step = 0; step < kMostSteps; ++step) {
    const double clear = near.distance - keep;
    const bool touches = clear <= close;
    // It may slide along the surface or leave it; what counts is whether the end lies behind.
    if (touches && dot(way, near.normal) < 0 && dot(near.normal, b - near.point) < keep) return {true, time, near};
    time += std::max(clear / size, touches ? kPass : 0.0);
    if (time >= 1) return {};
    near = shape.nearest(a + way * time, size + keep);
  }
  return {true, time, near};
}

}  // namespace

double least_distance(double start_distance, double thickness) {
  return std::min(thickness, start_distance > 0 ? 0.5 * start_distance : start_distance);
}

std::optional<HalfSpace> find_half_space(const Shape& shape, const Vec3d& a, const Vec3d& b, double thickness,
                                         double margin) {
  const double size = length(b - a);
  const double reach = thickness + margin;
  if (size < kShort * shape.core()) {  // it cannot have come to another side, and cuts off no corner worth to speak of
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
  if (size > 0) {
    const double keep = least_distance(start.distance, thickness);
    if (const Touch touch = first_touch(shape, a, b, size, keep, start); touch.found) {
      // The end's half space follows a curved surface better, as long as the start lies in it.
      const bool same = !shape.two_sided() && end.distance < thickness &&
                        dot(end.normal, touch.at.normal) > kSameSide && dot(end.normal, a - end.point) >= 0;
      const Nearest& at = same ? end : touch.at;
      return HalfSpace{at.point, at.normal, start.distance, touch.time};
    }
  }
  if (end.distance > reach) return std::nullopt;
  return HalfSpace{end.point, end.normal, start.distance, 1};
}

}  // namespace pliant::contact
