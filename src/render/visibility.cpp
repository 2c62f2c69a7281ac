#include "render/visibility.h"

#include <algorithm>
#include <cmath>

#include "core/parallel.h"

namespace pliant::render {
namespace {

constexpr int kSubpixels = 256;
constexpr int kBand = 16;  // rows of pixels that one task draws

size_t at(int i) { return static_cast<size_t>(i); }

}  // namespace

void Visibility::draw(const DrawMesh& mesh, const View& view, JobSystem& jobs) {
  width_ = view.width;
  height_ = view.height;
  scale_x_ = 0.5f * static_cast<float>(width_) / view.half_width;
  scale_y_ = 0.5f * static_cast<float>(height_) / view.half_height;
  const size_t pixels = at(width_) * at(height_);
  faces_.resize(pixels);
  depths_.resize(pixels);
  pieces_.clear();

  std::vector<Vec3f> seen;  // right, up, ahead
  seen.reserve(mesh.positions.size());
  for (const Vec3f& p : mesh.positions) {
    const Vec3f d = p - view.eye;
    seen.push_back({dot(view.right, d), dot(view.up, d), dot(view.forward, d)});
  }
  for (size_t f = 0; f < mesh.faces.size(); ++f) {
    const auto& corners = mesh.faces[f].corners;
    add({seen[at(corners[0].vertex)], seen[at(corners[1].vertex)], seen[at(corners[2].vertex)]},
        static_cast<int32_t>(f));
  }

  // Which pieces touch which band, in the order of the faces.
  const int bands = (height_ + kBand - 1) / kBand;
  std::vector<int> begin(at(bands) + 1);
  for (const Piece& piece : pieces_) {
    for (int band = piece.top / kBand; band <= piece.bottom / kBand; ++band) ++begin[at(band) + 1];
  }
  for (size_t band = 0; band < at(bands); ++band) begin[band + 1] += begin[band];
  std::vector<int> list(at(begin.back())), fill(begin.begin(), begin.end() - 1);
  for (size_t i = 0; i < pieces_.size(); ++i) {
    for (int band = pieces_[i].top / kBand; band <= pieces_[i].bottom / kBand; ++band) {
      list[at(fill[at(band)]++)] = static_cast<int>(i);
    }
  }
  parallel_for(jobs, bands, 1, [&](int64_t first, int64_t last) {
    for (int band = static_cast<int>(first); band < static_cast<int>(last); ++band) {
      const int top = band * kBand, bottom = std::min(height_, top + kBand) - 1;
      const auto from = static_cast<std::ptrdiff_t>(index(0, top)),
                 to = static_cast<std::ptrdiff_t>(index(0, bottom + 1));
      std::fill(faces_.begin() + from, faces_.begin() + to,
                std::array<int32_t, kSamples>{kNoFace, kNoFace, kNoFace, kNoFace});
      std::fill(depths_.begin() + from, depths_.begin() + to, std::array<float, kSamples>{});
      for (int i = begin[at(band)]; i < begin[at(band) + 1]; ++i) draw_piece(pieces_[at(list[at(i)])], top, bottom);
    }
  });
}

namespace {

/// A triangle, and a corner more for each plane that it was cut by.
struct Polygon {
  std::array<Vec3f, 8> corners;
  size_t count = 0;

  /// Keeps the part where side(p), which is linear, is not below 0.
  template <class Side>
  void cut(Side side) {
    const Polygon from = *this;
    count = 0;
    for (size_t k = 0; k < from.count; ++k) {
      const Vec3f &a = from.corners[k], &b = from.corners[(k + 1) % from.count];
      const float in_a = side(a), in_b = side(b);
      if (in_a >= 0) corners[count++] = a;
      if ((in_a >= 0) != (in_b >= 0)) corners[count++] = a + (b - a) * (in_a / (in_a - in_b));
    }
  }
};

}  // namespace

/// Cuts off what is behind the eye and puts the rest on the picture.
void Visibility::add(const std::array<Vec3f, 3>& corners, int32_t face) {
  constexpr float kNear = 1e-3f;  // [m]
  Polygon polygon;
  for (const Vec3f& a : corners) {
    if (!std::isfinite(a.x + a.y + a.z)) return;
    polygon.corners[polygon.count++] = a;
  }
  const bool behind = std::any_of(corners.begin(), corners.end(), [](const Vec3f& p) { return p.z < kNear; });
  if (behind) {
    polygon.cut([](const Vec3f& p) { return p.z - kNear; });
    // A wall that goes past the eye reaches millions of pixels to the side, beyond what numbers can hold: only what is
    // near the picture is kept.
    const float far_x = 4 * static_cast<float>(width_) / scale_x_, far_y = 4 * static_cast<float>(height_) / scale_y_;
    for (const float sign : {-1.0f, 1.0f}) {
      polygon.cut([&](const Vec3f& p) { return far_x * p.z - sign * p.x; });
      polygon.cut([&](const Vec3f& p) { return far_y * p.z - sign * p.y; });
    }
  }
  const auto& [kept, count] = polygon;
  for (size_t k = 2; k < count; ++k) {
    Piece piece{};
    piece.face = face;
    float left = 1e9f, right = -1e9f, top = 1e9f, bottom = -1e9f;
    for (size_t c = 0; c < 3; ++c) {
      const Vec3f& p = kept[c == 0 ? 0 : k - 2 + c];
      const float inverse = 1 / p.z;
      // Far outside of the picture the exact place does not matter, but products must fit 64 bits.
      const float x = std::clamp(0.5f * static_cast<float>(width_) + p.x * inverse * scale_x_, -1e6f, 1e6f);
      const float y = std::clamp(0.5f * static_cast<float>(height_) - p.y * inverse * scale_y_, -1e6f, 1e6f);
      piece.x[c] = static_cast<int32_t>(std::lround(x * kSubpixels));
      piece.y[c] = static_cast<int32_t>(std::lround(y * kSubpixels));
      piece.inverse_depth[c] = inverse;
      left = std::min(left, x);
      right = std::max(right, x);
      top = std::min(top, y);
      bottom = std::max(bottom, y);
    }
    if (right < 0 || bottom < 0 || left > static_cast<float>(width_) || top > static_cast<float>(height_)) continue;
    piece.top = std::clamp(static_cast<int>(std::floor(top)), 0, height_ - 1);
    piece.bottom = std::clamp(static_cast<int>(std::floor(bottom)), 0, height_ - 1);
    pieces_.push_back(piece);
  }
}

void Visibility::draw_piece(const Piece& piece, int first_row, int last_row) {
  std::array<int64_t, 3> x{piece.x[0], piece.x[1], piece.x[2]}, y{piece.y[0], piece.y[1], piece.y[2]};
  std::array<float, 3> inverse = piece.inverse_depth;
  int64_t area = (x[1] - x[0]) * (y[2] - y[0]) - (y[1] - y[0]) * (x[2] - x[0]);
  if (area == 0) return;
  if (area < 0) {
    std::swap(x[1], x[2]);
    std::swap(y[1], y[2]);
    std::swap(inverse[1], inverse[2]);
    area = -area;
  }
  const auto [x_low, x_high] = std::minmax({x[0], x[1], x[2]});
  const int left = static_cast<int>(std::clamp<int64_t>(x_low / kSubpixels - 1, 0, width_ - 1));
  const int right = static_cast<int>(std::clamp<int64_t>(x_high / kSubpixels + 1, 0, width_ - 1));
  const int top = std::max(piece.top, first_row), bottom = std::min(piece.bottom, last_row);

  // Edge k runs from corner k to k + 1; its function is the doubled area with a sample, at least 0 inside. A sample
  // exactly on an edge belongs to one of the two triangles there: to the one of which it is an upper or left edge.
  std::array<int64_t, 3> step_x, step_y, at_origin;
  for (size_t k = 0; k < 3; ++k) {
    const size_t n = (k + 1) % 3;
    const int64_t dx = x[n] - x[k], dy = y[n] - y[k];
    step_x[k] = -dy;
    step_y[k] = dx;
    const bool owned = dy < 0 || (dy == 0 && dx > 0);
    at_origin[k] = dy * x[k] - dx * y[k] - (owned ? 0 : 1);
  }
  // 1 / depth is linear on the picture: corner k's weight is the function of the edge opposite to it over the area.
  const float per_area = 1 / static_cast<float>(area);
  for (int row = top; row <= bottom; ++row) {
    std::array<std::array<int64_t, 3>, kSamples> start;
    for (size_t s = 0; s < kSamples; ++s) {
      const auto sy = row * kSubpixels + static_cast<int64_t>(kSampleY[s] * kSubpixels);
      const auto sx = left * kSubpixels + static_cast<int64_t>(kSampleX[s] * kSubpixels);
      for (size_t k = 0; k < 3; ++k) start[s][k] = at_origin[k] + step_x[k] * sx + step_y[k] * sy;
    }
    size_t pixel = index(left, row);
    for (int column = left; column <= right; ++column, ++pixel) {
      for (size_t s = 0; s < kSamples; ++s) {
        auto& [e0, e1, e2] = start[s];
        if ((e0 | e1 | e2) >= 0) {
          const float depth = inverse[0] + (static_cast<float>(e2) * (inverse[1] - inverse[0]) +
                                            static_cast<float>(e0) * (inverse[2] - inverse[0])) *
                                               per_area;
          if (depth > depths_[pixel][s]) {
            depths_[pixel][s] = depth;
            faces_[pixel][s] = piece.face;
          }
        }
        e0 += step_x[0] * kSubpixels;
        e1 += step_x[1] * kSubpixels;
        e2 += step_x[2] * kSubpixels;
      }
    }
  }
}

}  // namespace pliant::render
