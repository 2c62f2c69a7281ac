#pragma once
// Which triangle is seen where: four samples per pixel, each with the number of the nearest triangle.

#include <array>
#include <cstdint>
#include <vector>

#include "pliant/jobs.h"
#include "render/camera.h"
#include "render/shape.h"

namespace pliant::render {

inline constexpr int kSamples = 4;
inline constexpr int32_t kNoFace = -1;
/// Where in a pixel the samples are: a square turned by 27 degrees, so that steep and flat edges both are smooth.
inline constexpr float kSampleX[kSamples] = {0.375f, 0.875f, 0.125f, 0.625f};
inline constexpr float kSampleY[kSamples] = {0.125f, 0.375f, 0.625f, 0.875f};

class Visibility {
 public:
  void draw(const DrawMesh& mesh, const View& view, JobSystem& jobs);

  /// Of the four samples of a pixel.
  const std::array<int32_t, kSamples>& faces(int x, int y) const { return faces_[index(x, y)]; }
  /// 1 / distance ahead; 0 where there is nothing.
  const std::array<float, kSamples>& inverse_depths(int x, int y) const { return depths_[index(x, y)]; }

 private:
  /// A triangle on the picture, in 1/256 of a pixel.
  struct Piece {
    std::array<int32_t, 3> x, y;
    std::array<float, 3> inverse_depth;
    int32_t face;
    int32_t top, bottom;  // rows of pixels
  };

  void add(const std::array<Vec3f, 3>& corners, int32_t face);
  void draw_piece(const Piece& piece, int first_row, int last_row);
  size_t index(int x, int y) const {
    return static_cast<size_t>(y) * static_cast<size_t>(width_) + static_cast<size_t>(x);
  }

  int width_ = 0, height_ = 0;
  float scale_x_ = 1, scale_y_ = 1;
  std::vector<Piece> pieces_;
  std::vector<std::array<int32_t, kSamples>> faces_;
  std::vector<std::array<float, kSamples>> depths_;
};

}  // namespace pliant::render
