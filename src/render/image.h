#pragma once
// Pictures in memory, and as PNG.

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace pliant::render {

/// Red, green, blue, 8 bits each (sRGB), row by row from the top.
struct Image {
  int width = 0, height = 0;
  std::vector<uint8_t> rgb;

  uint8_t* at(int x, int y) {
    return rgb.data() + 3 * (static_cast<size_t>(y) * static_cast<size_t>(width) + static_cast<size_t>(x));
  }
  const uint8_t* at(int x, int y) const { return const_cast<Image*>(this)->at(x, y); }
};

/// The bytes of a PNG file.
std::string encode_png(const Image& image);

}  // namespace pliant::render
