#pragma once
// How pictures, videos and pages look: the outputs .png, .mp4, .webm, .gif and .html of Writer (pliant/io.h).

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "pliant/vec.h"

namespace pliant {

struct Camera {
  Vec3d eye{3, 2, 5};               // [m]
  Vec3d target{};                   // [m] in the middle of the picture
  double fov = 30;                  // [degrees] from the lower to the upper border
  std::vector<std::string> hide{};  // names of bodies that it does not see: a box around others
};

/// What the colours of a picture show.
enum class ColorBy {
  body,    // which body it is: World::color
  speed,   // [m/s]
  strain,  // largest relative change of a length at a vertex
  stress,  // [Pa] von Mises; of solids with a material
  batch,   // which of the solver's batches an element is in: World::element_batches
};

struct PictureOptions {
  int width = 1280, height = 720;  // [pixels]; a video needs even ones
  std::optional<Camera> camera{};  // absent: one that sees the whole motion
  ColorBy color_by = ColorBy::body;
  std::optional<double> color_max{};  // value at the upper end of the legend; absent: the largest
  bool wireframe = false;
  std::string title{};             // of a page
  std::optional<int64_t> frame{};  // png: which one, from 0; absent: the last
  double speed = 1;                // of videos and pages: 0.1 is slow motion
  int threads = 0;                 // 0: all cores. The picture does not depend on it
  /// Called while close() draws frames that were held back: how many are done, and of how many.
  std::function<void(int64_t done, int64_t all)> progress{};
};

}  // namespace pliant
