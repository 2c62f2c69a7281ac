#include "render/image.h"

#include <array>
#include <cstdlib>
#include <string_view>

#include "render/deflate.h"

namespace pliant::render {
namespace {

void add_u32(std::string& out, uint32_t value) {
  for (int shift = 24; shift >= 0; shift -= 8) out += static_cast<char>(value >> shift & 0xff);
}

void add_chunk(std::string& out, std::string_view type, std::string_view data) {
  add_u32(out, static_cast<uint32_t>(data.size()));
  out += type;
  out += data;
  add_u32(out, crc32(data, crc32(type)));
}

int paeth(int a, int b, int c) {
  const int p = a + b - c, pa = std::abs(p - a), pb = std::abs(p - b), pc = std::abs(p - c);
  return pa <= pb && pa <= pc ? a : pb <= pc ? b : c;
}

/// A byte less what the filter expects from its left, upper and upper left neighbours (PNG specification, 9.2).
template <int kFilter>
uint8_t filtered(int value, int left, int up, int up_left) {
  if constexpr (kFilter == 0) return static_cast<uint8_t>(value);
  if constexpr (kFilter == 1) return static_cast<uint8_t>(value - left);
  if constexpr (kFilter == 2) return static_cast<uint8_t>(value - up);
  if constexpr (kFilter == 3) return static_cast<uint8_t>(value - (left + up) / 2);
  return static_cast<uint8_t>(value - paeth(left, up, up_left));
}

template <int kFilter>
int64_t filter_row(const uint8_t* row, const uint8_t* above, size_t bytes, std::string& out) {
  int64_t cost = 0;
  out.resize(bytes + 1);
  out[0] = static_cast<char>(kFilter);
  for (size_t i = 0; i < bytes; ++i) {
    const int left = i >= 3 ? row[i - 3] : 0, up = above[i], up_left = i >= 3 ? above[i - 3] : 0;
    const uint8_t rest = filtered<kFilter>(row[i], left, up, up_left);
    out[i + 1] = static_cast<char>(rest);
    cost += std::abs(static_cast<int>(static_cast<int8_t>(rest)));
  }
  return cost;
}

}  // namespace

std::string encode_png(const Image& image) {
  const size_t bytes = 3 * static_cast<size_t>(image.width);
  const std::vector<uint8_t> nothing(bytes, 0);
  std::string rows;
  rows.reserve((bytes + 1) * static_cast<size_t>(image.height));
  std::array<std::string, 5> tries;
  for (int y = 0; y < image.height; ++y) {
    const uint8_t* row = image.at(0, y);
    const uint8_t* above = y > 0 ? image.at(0, y - 1) : nothing.data();
    const int64_t costs[5] = {filter_row<0>(row, above, bytes, tries[0]), filter_row<1>(row, above, bytes, tries[1]),
                              filter_row<2>(row, above, bytes, tries[2]), filter_row<3>(row, above, bytes, tries[3]),
                              filter_row<4>(row, above, bytes, tries[4])};
    size_t best = 0;
    for (size_t i = 1; i < 5; ++i) best = costs[i] < costs[best] ? i : best;
    rows += tries[best];
  }
  std::string out = "\x89PNG\r\n\x1a\n";
  std::string header;
  add_u32(header, static_cast<uint32_t>(image.width));
  add_u32(header, static_cast<uint32_t>(image.height));
  header += std::string("\x08\x02\x00\x00\x00", 5);  // 8 bits, RGB, deflate, adaptive filters, not interlaced
  add_chunk(out, "IHDR", header);
  add_chunk(out, "sRGB", std::string(1, '\0'));
  add_chunk(out, "IDAT", zlib_compress(rows));
  add_chunk(out, "IEND", "");
  return out;
}

}  // namespace pliant::render
