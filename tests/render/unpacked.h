#pragma once
// What a page's text holds.

#include <gtest/gtest.h>

#include <string>

#include "core/base64.h"
#include "core/zlib_stream.h"

namespace pliant::test {

inline std::string unpacked(const std::string& base64) {
  std::string packed, out;
  EXPECT_TRUE(decode_base64(base64, packed));
  EXPECT_TRUE(zlib_decompress(packed, std::size_t{1} << 30, out));
  return out;
}

}  // namespace pliant::test
