#pragma once
// Lossless compression as PNG files and browsers take it: zlib streams (RFC 1950) of deflate blocks (RFC 1951).
// Our own, so that pictures have the same bytes on every machine and the library needs no other one.

#include <cstdint>
#include <string>
#include <string_view>

namespace pliant::render {

std::string zlib_compress(std::string_view bytes);

/// The check sum of PNG chunks (ISO 3309); `before` continues that of the bytes in front.
uint32_t crc32(std::string_view bytes, uint32_t before = 0);

/// RFC 4648, with padding.
std::string base64(std::string_view bytes);

}  // namespace pliant::render
