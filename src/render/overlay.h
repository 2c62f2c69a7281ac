#pragma once
// What is written over a picture: the legend of the colours.

#include <string>

#include "render/image.h"
#include "render/renderer.h"

namespace pliant::render {

/// What the legend of colours says.
struct Legend {
  std::string title, middle, max;  // with the values at the middle and at the end of the scale
};
Legend legend_of(const Look& look);

void draw_legend(Image& image, const Look& look);

/// Text in thin strokes. `size` is the height of capital letters [pixels], (x, y) the left end of the base line.
void draw_text(Image& image, const std::string& text, float x, float y, float size, uint8_t gray);
float text_width(const std::string& text, float size);

/// A number of two digits at least as large, as people round: 1, 1.2, 1.5, 2, 2.5, 3, 4, 5, 6, 8 times a power of ten.
double round_up(double value);

}  // namespace pliant::render
