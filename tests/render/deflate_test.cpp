#include "render/deflate.h"

#include <gtest/gtest.h>

#include <random>

#include "render/image.h"
#include "render/inflate.h"

namespace pliant::render {
namespace {

std::string noise(size_t size, int letters, unsigned seed) {
  std::mt19937 random(seed);
  std::string out;
  for (size_t i = 0; i < size; ++i) out += static_cast<char>(random() % static_cast<unsigned>(letters));
  return out;
}

TEST(Deflate, ComesBackAsItWas) {
  std::string repeated;
  for (int i = 0; i < 3000; ++i) repeated += "a cloth, a rope " + std::to_string(i % 37);
  // Counts like Fibonacci's numbers make the deepest tree: codes have to be shortened to 15 bits.
  std::string steep;
  for (int letter = 0, a = 1, b = 1; letter < 22; ++letter, b += a, a = b - a)
    steep += std::string(static_cast<size_t>(a), static_cast<char>('A' + letter));
  for (const std::string& bytes : {std::string(), std::string("x"), std::string(100000, '\0'), repeated, steep,
                                   noise(50000, 256, 1), noise(50000, 3, 2), noise(300, 256, 3)}) {
    const std::string packed = zlib_compress(bytes);
    EXPECT_EQ((static_cast<unsigned char>(packed[0]) * 256 + static_cast<unsigned char>(packed[1])) % 31, 0);
    EXPECT_EQ(test::inflate(packed), bytes) << bytes.size();
  }
}

TEST(Deflate, MakesRepetitionsShort) {
  std::string text;
  for (int i = 0; i < 1000; ++i) text += "the same again; ";
  EXPECT_LT(zlib_compress(text).size(), 150u);
  EXPECT_LT(zlib_compress(noise(50000, 256, 4)).size(), 50300u) << "what cannot be packed hardly grows";
  EXPECT_LT(zlib_compress(noise(50000, 2, 5)).size(), 50000u / 6) << "one bit each, and a little";
}

TEST(Deflate, CheckSums) {
  EXPECT_EQ(crc32("123456789"), 0xcbf43926u);  // the usual check value of this sum
  EXPECT_EQ(crc32("6789", crc32("12345")), 0xcbf43926u);
  const std::string packed = zlib_compress("Wikipedia");
  EXPECT_EQ(packed.substr(packed.size() - 4), "\x11\xe6\x03\x98") << "Adler-32 of the article about it";
}

TEST(Deflate, Base64) {
  // RFC 4648, section 10
  EXPECT_EQ(base64(""), "");
  EXPECT_EQ(base64("f"), "Zg==");
  EXPECT_EQ(base64("fo"), "Zm8=");
  EXPECT_EQ(base64("foo"), "Zm9v");
  EXPECT_EQ(base64("foobar"), "Zm9vYmFy");
  EXPECT_EQ(test::from_base64(base64("\xff\x01\x80")), "\xff\x01\x80");
}

/// Rows of a PNG file as the format says (PNG specification 9.2), with one IDAT chunk.
std::vector<uint8_t> pixels_of(const std::string& png, int width, int height) {
  const size_t at = png.find("IDAT");
  const auto byte = [&](size_t i) { return static_cast<size_t>(static_cast<unsigned char>(png[i])); };
  const size_t size = byte(at - 4) << 24 | byte(at - 3) << 16 | byte(at - 2) << 8 | byte(at - 1);
  const std::string rows = test::inflate(std::string_view(png).substr(at + 4, size));
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
