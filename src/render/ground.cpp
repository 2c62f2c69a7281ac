#include "render/ground.h"

#include <cmath>

#include "render/shading.h"

namespace pliant::render {

Ground::Ground(const Look& look, const Vec3d& origin)
    : origin_(origin),
      height_(static_cast<float>(look.ground - origin.y)),
      center_(cast<float>(look.center - origin)),
      reach_(static_cast<float>(9 * look.extent)),
      // Between three and thirty thin lines across the scene: powers of ten, so that the grid is a scale.
      spacing_(std::pow(10.0, std::floor(std::log10(look.extent * 0.6)))) {}

bool Ground::is_seen(const Vec3f& eye, const Vec3f& ray) const {
  return eye.y > height_ && ray.y < 0 && presence(meet(eye, ray)) > 0;
}

Vec3f Ground::meet(const Vec3f& eye, const Vec3f& ray) const {
  Vec3f point = eye + ray * ((height_ - eye.y) / ray.y);
  point.y = height_;
  return point;
}

float Ground::presence(const Vec3f& point) const {
  const float dx = point.x - center_.x, dz = point.z - center_.z;
  return 1 - smoothstep(0.18f * reach_, reach_, std::sqrt(dx * dx + dz * dz));
}

/// Part of a pixel `width` [m] wide that a line near `place` covers; lines are `pixels` wide at any distance.
float Ground::line(double place, float width, double spacing, float pixels) const {
  const auto away = static_cast<float>(std::fabs(place - spacing * std::round(place / spacing)));
  const float cover = clamp01(0.5f * pixels + 0.5f - away / width);
  return cover * (1 - smoothstep(0.02f, 0.25f, width / static_cast<float>(spacing)));  // before lines flow together
}

Vec3f Ground::color(const View& view, const Vec3f& point, float sun, float sky, float x, float y,
                    const Vec3f& behind) const {
  // In the open it is kGroundColor, which suits the background; shadows take their part of it.
  const Vec3f open = kKeyLight * 0.62f + kSkyLight;
  const Vec3f light = kKeyLight * (0.62f * sun) + kSkyLight * (0.12f + 0.88f * sky);
  Vec3f color = times(kGroundColor, {light.x / open.x, light.y / open.y, light.z / open.z});
  const Vec3f right = meet(view.eye, view.ray(x + 1, y)) - point, down = meet(view.eye, view.ray(x, y + 1)) - point;
  const float width_x = std::fabs(right.x) + std::fabs(down.x), width_z = std::fabs(right.z) + std::fabs(down.z);
  const double place_x = point.x + origin_.x, place_z = point.z + origin_.z;
  const float thin = std::max(line(place_x, width_x, spacing_, 1), line(place_z, width_z, spacing_, 1));
  const float thick = std::max(line(place_x, width_x, 10 * spacing_, 2), line(place_z, width_z, 10 * spacing_, 2));
  color *= 1 - std::max(0.16f * thin, 0.22f * thick);
  return mix(behind, color, presence(point));
}

}  // namespace pliant::render
