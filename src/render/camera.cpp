#include "render/camera.h"

#include <algorithm>
#include <cmath>

namespace pliant::render {
namespace {

constexpr double kDegree = 3.14159265358979323846 / 180;

// A three-quarter view from above: shows depth, keeps upright things upright.
constexpr double kAzimuth = 28 * kDegree, kElevation = 17 * kDegree;
// Part of the picture that stays free at each side.
constexpr double kMargin = 0.07;

Vec3d unit(const Vec3d& v) { return v / length(v); }

}  // namespace

View make_view(const Camera& camera, const Vec3d& origin, int width, int height) {
  Vec3d forward = camera.target - camera.eye;
  forward = length(forward) > 0 ? unit(forward) : Vec3d{0, 0, -1};
  // Straight up or down there is no horizon to keep level: -z is then the upper side of the picture.
  const Vec3d level = std::fabs(forward.y) > 0.9999 ? Vec3d{0, 0, forward.y < 0 ? -1.0 : 1.0} : Vec3d{0, 1, 0};
  const Vec3d right = unit(cross(forward, level));
  View view;
  view.eye = cast<float>(camera.eye - origin);
  view.forward = cast<float>(forward);
  view.right = cast<float>(right);
  view.up = cast<float>(cross(right, forward));
  view.half_height = static_cast<float>(std::tan(0.5 * camera.fov * kDegree));
  view.half_width = view.half_height * static_cast<float>(width) / static_cast<float>(height);
  view.width = width;
  view.height = height;
  return view;
}

Framing::Framing(double aspect, double fov) : fov_(fov) {
  tan_y_ = std::tan(0.5 * fov * kDegree) * (1 - 2 * kMargin);
  tan_x_ = std::tan(0.5 * fov * kDegree) * aspect * (1 - 2 * kMargin);
  back_ = {std::sin(kAzimuth) * std::cos(kElevation), std::sin(kElevation), std::cos(kAzimuth) * std::cos(kElevation)};
  right_ = unit(cross(Vec3d{0, 1, 0}, back_));
  up_ = cross(back_, right_);
}

void Framing::add(const std::vector<Vec3f>& points) {
  if (points.empty()) return;
  if (empty_) {
    low_ = high_ = cast<double>(points[0]);
    for (const Vec3f& point : points) {
      for (int i = 0; i < 3; ++i) {
        low_[i] = std::min<double>(low_[i], point[i]);
        high_[i] = std::max<double>(high_[i], point[i]);
      }
    }
    const double reach = 0.8 * length(high_ - low_) + 1e-6;
    limit_low_ = low_ - Vec3d{reach, reach, reach};
    limit_high_ = high_ + Vec3d{reach, reach, reach};
  }
  for (const Vec3f& point : points) {
    Vec3d p = cast<double>(point);
    bool inside = true;
    for (int i = 0; i < 3; ++i) inside = inside && p[i] >= limit_low_[i] && p[i] <= limit_high_[i];
    if (!inside) continue;
    for (int i = 0; i < 3; ++i) {
      low_[i] = std::min(low_[i], p[i]);
      high_[i] = std::max(high_[i], p[i]);
    }
    const double x = dot(right_, p), y = dot(up_, p), z = dot(back_, p);
    const double r = x + tan_x_ * z, l = -x + tan_x_ * z, u = y + tan_y_ * z, d = -y + tan_y_ * z;
    most_right_ = empty_ ? r : std::max(most_right_, r);
    most_left_ = empty_ ? l : std::max(most_left_, l);
    most_up_ = empty_ ? u : std::max(most_up_, u);
    most_down_ = empty_ ? d : std::max(most_down_, d);
    empty_ = false;
  }
}

Vec3d Framing::center() const { return empty_ ? Vec3d{} : 0.5 * (low_ + high_); }

double Framing::extent() const { return empty_ ? 1 : std::max(0.5 * length(high_ - low_), 1e-6); }

Camera Framing::camera() const {
  if (empty_) return {.eye = {3, 2, 5}, .target = {}, .fov = fov_};
  const double x = 0.5 * (most_right_ - most_left_), y = 0.5 * (most_up_ - most_down_);
  double z = std::max((most_right_ + most_left_) / (2 * tan_x_), (most_up_ + most_down_) / (2 * tan_y_));
  const double middle = dot(back_, center());
  z = std::max(z, middle + 1.2 * extent());  // a point or a line seen from its end needs some distance
  const Vec3d eye = right_ * x + up_ * y + back_ * z;
  return {.eye = eye, .target = eye - back_ * (z - middle), .fov = fov_};
}

}  // namespace pliant::render
