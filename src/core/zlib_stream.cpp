#include "core/zlib_stream.h"

#include <zlib.h>

#include <algorithm>
#include <limits>

#include "core/assert.h"

namespace pliant {

namespace {

/// zlib counts in unsigned int: longer ones are handed over in parts.
uInt part_of(std::size_t bytes) {
  return static_cast<uInt>(std::min<std::size_t>(bytes, std::numeric_limits<uInt>::max()));
}

Bytef* bytes_of(std::string_view text) { return reinterpret_cast<Bytef*>(const_cast<char*>(text.data())); }

}  // namespace

std::string zlib_compress(std::string_view bytes) {
  z_stream stream{};
  PLIANT_CHECK(deflateInit(&stream, Z_DEFAULT_COMPRESSION) == Z_OK, "zlib has no memory");
  std::string out;
  out.resize(deflateBound(&stream, static_cast<uLong>(bytes.size())));
  std::size_t read = 0, written = 0;
  for (int state = Z_OK; state != Z_STREAM_END;) {
    const uInt in = part_of(bytes.size() - read), room = part_of(out.size() - written);
    stream.next_in = bytes_of(bytes.substr(read));
    stream.avail_in = in;
    stream.next_out = bytes_of(out) + written;
    stream.avail_out = room;
    state = deflate(&stream, read + in == bytes.size() ? Z_FINISH : Z_NO_FLUSH);
    read += in - stream.avail_in;
    written += room - stream.avail_out;
  }
  deflateEnd(&stream);
  out.resize(written);
  return out;
}

bool zlib_decompress(std::string_view stream, std::size_t most, std::string& out) {
  z_stream in{};
  PLIANT_CHECK(inflateInit(&in) == Z_OK, "zlib has no memory");
  const std::size_t before = out.size();
  std::size_t read = 0;
  int state = Z_OK;
  // Grows as it fills: a damaged file may claim any size.
  while (state == Z_OK) {
    const std::size_t written = out.size() - before;
    const std::size_t room = std::min(most - written, std::max<std::size_t>(written, 1 << 14)) + 1;  // one too many
    out.resize(before + written + room);
    const uInt given = part_of(stream.size() - read), space = part_of(room);
    in.next_in = bytes_of(stream.substr(read));
    in.avail_in = given;
    in.next_out = bytes_of(out) + before + written;
    in.avail_out = space;
    state = inflate(&in, Z_NO_FLUSH);
    read += given - in.avail_in;
    out.resize(before + written + (space - in.avail_out));
    if (out.size() - before > most) break;
  }
  inflateEnd(&in);
  return state == Z_STREAM_END && out.size() - before <= most;
}

}  // namespace pliant
