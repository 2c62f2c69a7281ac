#pragma once
// Decides how a motion is shown after having watched it: camera, ground, range of colours.

#include <optional>

#include "pliant/picture.h"
#include "render/camera.h"
#include "render/renderer.h"
#include "render/shape.h"

namespace pliant::render {

class Director {
 public:
  explicit Director(const PictureOptions& options);

  void watch(const Shape& shape, const Frame& frame);
  Look look() const;

 private:
  PictureOptions options_;
  Framing framing_;
  Vec3d origin_{};  // of the first shape; positions are counted from it
  bool started_ = false;
  std::optional<double> ground_{};  // [m] where the scene has a level plane
  double largest_ = 0;
};

/// Throws Error for sizes and values that no picture can have.
void check(const PictureOptions& options);

}  // namespace pliant::render
