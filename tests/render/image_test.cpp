#include "render/image.h"

#include <gtest/gtest.h>

#include <random>

#include "core/zlib_stream.h"

namespace pliant::render {
namespace {

/// Rows of a PNG file as the format says (PNG specification 9.2).
std::vector<uint8_t> pixels_of(const std::string& png, int width, int height) {
  const auto byte = [&](size_t i) { return static_cast<size_t>(static_cast<unsigned char>(png[i])); };
  std::string packed, rows;
  for (size_t at = 8; at + 12 <= png.size();) {  // chunks: length, name, data, check sum
    const size_t size = byte(at) << 24 | byte(at + 1) << 16 | byte(at + 2) << 8 | byte(at + 3);
    if (png.substr(at + 4, 4) == "IDAT") packed += png.substr(at + 8, size);
    at += size + 12;
  }
  EXPECT_TRUE(zlib_decompress(packed, 1 << 20, rows));
  const int row = 3 * width;
  EXPECT_EQ(rows.size(), static_cast<size_t>((row + 1) * height));
  std::vector<uint8_t> out(static_cast<size_t>(row * height));
  for (int y = 0; y < height; ++y) {
    const int filter = rows[static_cast<size_t>(y * (row + 1))];
    for (int i = 0; i < row; ++i) {
      const auto old = [&](int dx, int dy) {
        return i - 3 * dx < 0 || y - dy < 0 ? 0
                                            : static_cast<int>(out[static_cast<size_t>((y - dy) * row + i - 3 * dx)]);
      };
      const int a = old(1, 0), b = old(0, 1), c = old(1, 1), p = a + b - c;
      const int pa = std::abs(p - a), pb = std::abs(p - b), pc = std::abs(p - c);
      const int expected[5] = {0, a, b, (a + b) / 2, pa <= pb && pa <= pc ? a : pb <= pc ? b : c};
      const int rest = static_cast<unsigned char>(rows[static_cast<size_t>(y * (row + 1) + 1 + i)]);
      out[static_cast<size_t>(y * row + i)] = static_cast<uint8_t>(rest + expected[filter]);
    }
  }
  return out;
}

TEST(Png, ComesBackAsItWas) {
  Image image{37, 23, {}};
  std::mt19937 random(6);
  for (int y = 0; y < 23; ++y) {
    for (int x = 0; x < 37; ++x) {
      image.rgb.push_back(static_cast<uint8_t>(7 * x + 3 * y));
      image.rgb.push_back(static_cast<uint8_t>(y < 10 ? random() : 90));
      image.rgb.push_back(static_cast<uint8_t>(x * y));
    }
  }
  const std::string png = encode_png(image);
  EXPECT_EQ(png.substr(0, 8), "\x89PNG\r\n\x1a\n");
  EXPECT_EQ(png.substr(12, 4), "IHDR");
  EXPECT_EQ(png.substr(16, 8), std::string("\0\0\0\x25\0\0\0\x17", 8));
  EXPECT_EQ(pixels_of(png, 37, 23), image.rgb);
}

}  // namespace
}  // namespace pliant::render
