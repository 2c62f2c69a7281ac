#pragma once
// Decompression of zlib streams (RFC 1950, RFC 1951), as VTK's files have them.

#include <cstddef>
#include <string>
#include <string_view>

namespace pliant {

/// Appends what `stream` holds to `out`. False if it is damaged, or holds more than `most` bytes.
bool inflate_zlib(std::string_view stream, std::size_t most, std::string& out);

}  // namespace pliant
