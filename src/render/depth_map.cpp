#include "render/depth_map.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace pliant::render {
namespace {

constexpr float kNothing = -std::numeric_limits<float>::max();

/// Two unit vectors at right angles to a unit vector and to each other.
void complete_frame(const Vec3f& n, Vec3f& u, Vec3f& v) {
  const Vec3f other = std::fabs(n.y) < 0.9f ? Vec3f{0, 1, 0} : Vec3f{1, 0, 0};
  u = cross(other, n);
  u = u / length(u);
  v = cross(n, u);
}

}  // namespace

std::vector<Vec3f> directions_around(const Vec3f& axis, float angle, int count) {
  Vec3f u, v;
  complete_frame(axis, u, v);
  std::vector<Vec3f> directions;
  for (int i = 0; i < count; ++i) {
    // Fibonacci's spiral: equal areas, golden angle.
    const float part = (static_cast<float>(i) + 0.5f) / static_cast<float>(count);
    const float cosine = 1 - part * (1 - std::cos(angle));
    const float sine = std::sqrt(std::max(0.0f, 1 - cosine * cosine));
    const float turn = 2.39996323f * static_cast<float>(i);
    directions.push_back(axis * cosine + u * (sine * std::cos(turn)) + v * (sine * std::sin(turn)));
  }
  return directions;
}

void DepthMap::draw(const DrawMesh& mesh, const Vec3f& direction, int texels) {
  toward_ = direction;
  complete_frame(toward_, u_, v_);
  float u1 = kNothing, v1 = kNothing;
  u0_ = v0_ = std::numeric_limits<float>::max();
  std::vector<Vec3f> seen;
  seen.reserve(mesh.positions.size());
  for (const Vec3f& p : mesh.positions) {
    const Vec3f q{dot(u_, p), dot(v_, p), dot(toward_, p)};
    seen.push_back(q);
    u0_ = std::min(u0_, q.x);
    v0_ = std::min(v0_, q.y);
    u1 = std::max(u1, q.x);
    v1 = std::max(v1, q.y);
  }
  width_ = height_ = 0;
  if (mesh.faces.empty()) return;
  texel_ = std::max({u1 - u0_, v1 - v0_, 1e-9f}) / static_cast<float>(texels - 4);
  per_texel_ = 1 / texel_;
  u0_ -= 2 * texel_;
  v0_ -= 2 * texel_;
  width_ = std::min(texels, static_cast<int>((u1 - u0_) * per_texel_) + 3);
  height_ = std::min(texels, static_cast<int>((v1 - v0_) * per_texel_) + 3);
  depth_.assign(static_cast<size_t>(width_) * static_cast<size_t>(height_), kNothing);
  for (Vec3f& q : seen) {
    q.x = (q.x - u0_) * per_texel_;
    q.y = (q.y - v0_) * per_texel_;
  }
  for (const DrawMesh::Face& face : mesh.faces) {
    draw_triangle(seen[static_cast<size_t>(face.corners[0].vertex)], seen[static_cast<size_t>(face.corners[1].vertex)],
                  seen[static_cast<size_t>(face.corners[2].vertex)]);
  }
}

void DepthMap::draw_triangle(const Vec3f& a, const Vec3f& b, const Vec3f& c) {
  const float area = (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x);
  if (area == 0 || !std::isfinite(area)) return;
  // Texels whose middle may be inside.
  const int x0 = std::max(0, static_cast<int>(std::ceil(std::min({a.x, b.x, c.x}) - 0.5f)));
  const int y0 = std::max(0, static_cast<int>(std::ceil(std::min({a.y, b.y, c.y}) - 0.5f)));
  const int x1 = std::min(width_ - 1, static_cast<int>(std::floor(std::max({a.x, b.x, c.x}) - 0.5f)));
  const int y1 = std::min(height_ - 1, static_cast<int>(std::floor(std::max({a.y, b.y, c.y}) - 0.5f)));
  if (x0 > x1 || y0 > y1) return;
  // Weights of b and c are linear in x and y; a hair's breadth outside counts as inside, so that no gap opens.
  const float scale = 1 / area;
  const float bx = (c.y - a.y) * scale, by = -(c.x - a.x) * scale;
  const float cx = -(b.y - a.y) * scale, cy = (b.x - a.x) * scale;
  const float db = b.z - a.z, dc = c.z - a.z;
  constexpr float kOutside = -1e-4f;
  for (int y = y0; y <= y1; ++y) {
    const float py = static_cast<float>(y) + 0.5f - a.y;
    float px = static_cast<float>(x0) + 0.5f - a.x;
    float* row = depth_.data() + static_cast<size_t>(y) * static_cast<size_t>(width_);
    for (int x = x0; x <= x1; ++x, px += 1) {
      const float wb = px * bx + py * by, wc = px * cx + py * cy;
      if (wb < kOutside || wc < kOutside || wb + wc > 1 - kOutside) continue;
      row[x] = std::max(row[x], a.z + wb * db + wc * dc);
    }
  }
}

float DepthMap::light(const Vec3f& point, const Vec3f& normal) const {
  if (width_ == 0) return 1;
  // The point is lifted off its surface by about a texel, more where the light grazes it: or the surface, which the
  // map knows in steps of a texel only, would shade itself.
  const float cosine = std::max(0.0f, dot(normal, toward_));
  const float lift = texel_ * (0.6f + 1.4f * std::sqrt(std::max(0.0f, 1 - cosine * cosine)));
  const Vec3f p = point + normal * lift;
  const float x = (dot(u_, p) - u0_) * per_texel_ - 0.5f, y = (dot(v_, p) - v0_) * per_texel_ - 0.5f;
  if (!(x >= 0 && y >= 0 && x < static_cast<float>(width_ - 1) && y < static_cast<float>(height_ - 1))) return 1;
  const float depth = dot(toward_, p) + 0.7f * texel_;
  const int ix = static_cast<int>(x), iy = static_cast<int>(y);
  const float fx = x - static_cast<float>(ix), fy = y - static_cast<float>(iy);
  const float* row = depth_.data() + static_cast<size_t>(iy) * static_cast<size_t>(width_) + ix;
  const float* next = row + width_;
  const auto lit = [&](float d) { return d <= depth ? 1.0f : 0.0f; };
  const float upper = lit(row[0]) * (1 - fx) + lit(row[1]) * fx;
  const float lower = lit(next[0]) * (1 - fx) + lit(next[1]) * fx;
  return upper * (1 - fy) + lower * fy;
}

}  // namespace pliant::render
