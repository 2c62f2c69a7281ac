#pragma once
// Light and colours of pictures: constants and pure functions, in linear light unless said.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>

#include "pliant/vec.h"
#include "render/shape.h"

namespace pliant::render {

inline float clamp01(float x) { return std::clamp(x, 0.0f, 1.0f); }
inline float smoothstep(float from, float to, float x) {
  const float t = clamp01((x - from) / (to - from));
  return t * t * (3 - 2 * t);
}
inline Vec3f mix(const Vec3f& a, const Vec3f& b, float t) { return a + (b - a) * t; }
inline Vec3f times(const Vec3f& a, const Vec3f& b) { return {a.x * b.x, a.y * b.y, a.z * b.z}; }
inline Vec3f unit(const Vec3f& v) {
  const float size = length(v);
  return size > 0 ? v / size : Vec3f{0, 1, 0};
}

// Three lights and the sky. Directions are given to the right, up and towards the camera and turned with it, so that a
// picture is lit well from wherever it is taken.
inline constexpr Vec3f kKeyDirection{-0.55f, 0.95f, 0.62f};
inline constexpr Vec3f kFillDirection{0.9f, 0.25f, 0.5f};
inline constexpr Vec3f kRimDirection{0.35f, 0.45f, -0.85f};
inline constexpr Vec3f kKeyLight{2.15f, 2.02f, 1.82f};
inline constexpr Vec3f kFillLight{0.16f, 0.19f, 0.24f};
inline constexpr Vec3f kRimLight{0.45f, 0.50f, 0.58f};
inline constexpr Vec3f kSkyLight{0.62f, 0.70f, 0.82f};
inline constexpr Vec3f kGroundLight{0.40f, 0.38f, 0.35f};  // thrown back by the ground
inline constexpr float kSunAngle = 0.07f;                  // [rad] of its disc: how soft shadows are

inline constexpr Vec3f kBackgroundTop{0.50f, 0.58f, 0.68f};
inline constexpr Vec3f kBackgroundHorizon{0.86f, 0.885f, 0.91f};
inline constexpr Vec3f kGroundColor{0.80f, 0.82f, 0.84f};

struct Lights {
  Vec3f key, fill, rim;  // unit length, towards the light
};

/// How a kind of body throws light back.
struct Finish {
  float gloss;      // strength of the highlight
  float sharpness;  // exponent of the highlight
  float through;    // part of the light from behind that shines through
  float wrap;       // light that reaches beyond the terminator, as in soft matter
};
inline Finish finish_of(Kind kind) {
  switch (kind) {
    case Kind::cloth:
      return {0.05f, 18, 0.22f, 0.05f};
    case Kind::solid:
      return {0.32f, 70, 0, 0.18f};
    default:
      return {0.06f, 20, 0, 0.1f};
  }
}

/// Light that a surface sends to the eye. `sun` and `sky` say how much of each arrives.
inline Vec3f surface_light(const Vec3f& color, const Finish& finish, const Lights& lights, const Vec3f& normal,
                           const Vec3f& to_eye, float sun, float sky) {
  const auto wrapped = [&](float cosine) { return std::max(0.0f, (cosine + finish.wrap) / (1 + finish.wrap)); };
  const float key = dot(normal, lights.key);
  Vec3f light = kKeyLight * (wrapped(key) * sun);
  // Through thin cloth: diffuse light from the other side, where the maps' shadow of the cloth itself does not count.
  if (finish.through > 0) light += kKeyLight * (finish.through * std::max(0.0f, -key));
  light += kFillLight * (wrapped(dot(normal, lights.fill)) * (0.4f + 0.6f * sky));
  const float up = 0.5f + 0.5f * normal.y;
  light += kSkyLight * (up * sky) + kGroundLight * ((1 - up) * (0.35f + 0.65f * sky));
  // A little of the light between surfaces of the same colour brings back what ambient occlusion takes too much of.
  Vec3f out = times(color, light) * 0.42f + times(times(color, color), kSkyLight) * (0.12f * (1 - sky));

  const float grazing = 1 - clamp01(dot(normal, to_eye));
  const float fresnel = 0.25f + 0.75f * grazing * grazing * grazing * grazing * grazing;
  const auto highlight = [&](const Vec3f& direction) {
    const float cosine = std::max(0.0f, dot(normal, unit(direction + to_eye)));
    return std::pow(cosine, finish.sharpness) * std::max(0.0f, std::min(1.0f, 4 * dot(normal, direction)));
  };
  out += kKeyLight * (finish.gloss * fresnel * highlight(lights.key) * sun);
  out += kRimLight * ((0.25f + finish.gloss) * grazing * grazing * std::max(0.0f, dot(normal, lights.rim)) * sky);
  out += kSkyLight * (finish.gloss * 0.35f * fresnel * grazing * up * sky);
  return out;
}

inline Vec3f background(float height) {  // 0: lower border of the picture, 1: upper
  return mix(kBackgroundHorizon, kBackgroundTop, smoothstep(0.35f, 1.25f, height));
}

/// 0..1 to a colour, dark blue over green to yellow: viridis, at nine points of it.
inline Vec3f color_scale(float t) {
  static const Vec3f kPoints[9] = {linear_from_srgb({0.267, 0.005, 0.329}), linear_from_srgb({0.283, 0.141, 0.458}),
                                   linear_from_srgb({0.254, 0.265, 0.530}), linear_from_srgb({0.207, 0.372, 0.553}),
                                   linear_from_srgb({0.128, 0.567, 0.551}), linear_from_srgb({0.135, 0.659, 0.518}),
                                   linear_from_srgb({0.478, 0.821, 0.318}), linear_from_srgb({0.741, 0.873, 0.150}),
                                   linear_from_srgb({0.993, 0.906, 0.144})};
  const float place = 8 * clamp01(t);
  const int i = std::min(7, static_cast<int>(place));
  return mix(kPoints[i], kPoints[i + 1], place - static_cast<float>(i));
}

/// Amounts of light as sRGB, 0 to 1.
inline double to_srgb(double light) {
  return light <= 0.0031308 ? 12.92 * light : 1.055 * std::pow(light, 1 / 2.4) - 0.055;
}

/// Linear light to the bytes of a picture: straight up to 0.6, then bent so that nothing is cut off.
inline uint8_t to_byte(float light) {
  constexpr int kSteps = 4096;  // of the root of light, to which bytes are nearly proportional
  constexpr float kBrightest = 6;
  static const auto table = [] {
    std::array<uint8_t, kSteps + 1> t{};
    for (size_t i = 0; i <= kSteps; ++i) {
      const double root = static_cast<double>(i) / kSteps;
      double x = root * root * kBrightest;
      if (x > 0.6) x = 0.6 + 0.4 * (1 - std::exp(-(x - 0.6) / 0.4));
      t[i] = static_cast<uint8_t>(std::clamp(255 * to_srgb(x) + 0.5, 0.0, 255.0));
    }
    return t;
  }();
  return table[static_cast<size_t>(std::sqrt(clamp01(light / kBrightest)) * kSteps)];
}

}  // namespace pliant::render
