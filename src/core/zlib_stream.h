#pragma once
// Lossless compression by the library zlib: streams of RFC 1950, as PNG, browsers and VTK's files have them.

#include <cstddef>
#include <string>
#include <string_view>

namespace pliant {

std::string zlib_compress(std::string_view bytes);

/// Appends what `stream` holds to `out`. False if it is damaged, or holds more than `most` bytes.
bool zlib_decompress(std::string_view stream, std::size_t most, std::string& out);

}  // namespace pliant
