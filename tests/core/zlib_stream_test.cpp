// Streams that come back, and base64.

#include "core/zlib_stream.h"

#include <gtest/gtest.h>

#include <random>

#include "core/base64.h"

namespace pliant {
namespace {

std::string noise(size_t size, int letters, unsigned seed) {
  std::mt19937 random(seed);
  std::string out;
  for (size_t i = 0; i < size; ++i) out += static_cast<char>(random() % static_cast<unsigned>(letters));
  return out;
}

TEST(ZlibStream, ComesBackAsItWas) {
  std::string repeated;
  for (int i = 0; i < 30000; ++i) repeated += "a cloth, a rope " + std::to_string(i % 37);
  for (const std::string& bytes : {std::string(), std::string("x"), std::string(100000, '\0'), repeated,
                                   noise(50000, 256, 1), noise(50000, 3, 2), noise(300, 256, 3)}) {
    const std::string packed = zlib_compress(bytes);
    std::string out = "before ";
    EXPECT_TRUE(zlib_decompress(packed, bytes.size(), out));
    EXPECT_EQ(out, "before " + bytes) << bytes.size();
    std::string more;
    EXPECT_EQ(zlib_decompress(packed, bytes.size() - 1, more), bytes.empty()) << "there is room for less";
    for (std::size_t size = 0; size < std::min<std::size_t>(packed.size(), 300); ++size) {
      std::string cut;
      EXPECT_FALSE(zlib_decompress(std::string_view(packed).substr(0, size), bytes.size(), cut)) << size;
    }
  }
}

TEST(ZlibStream, MakesRepetitionsShort) {
  std::string text;
  for (int i = 0; i < 1000; ++i) text += "the same again; ";
  EXPECT_LT(zlib_compress(text).size(), 150u);
  EXPECT_LT(zlib_compress(noise(50000, 256, 4)).size(), 50300u) << "what cannot be packed hardly grows";
}

TEST(ZlibStream, KnownOnes) {
  // Python's zlib.compress of b"abc" (fixed codes), and of b"stored" at level 0.
  const std::pair<const char*, std::string> cases[] = {
      {"eJxLTEoGAAJNASc=", "abc"},
      {"eAEBBgD5/3N0b3JlZAk8ApI=", "stored"},
  };
  for (const auto& [text, expected] : cases) {
    std::string stream, out;
    ASSERT_TRUE(decode_base64(text, stream));
    EXPECT_TRUE(zlib_decompress(stream, 100, out)) << expected;
    EXPECT_EQ(out, expected);
    std::string more;
    EXPECT_FALSE(zlib_decompress(stream, expected.size() - 1, more)) << "there is room for less";
    stream.back() ^= 1;
    EXPECT_FALSE(zlib_decompress(stream, 100, more)) << "the check sum is wrong";
  }
}

TEST(Base64, AsInItsStandard) {
  // RFC 4648, section 10
  const std::pair<const char*, const char*> cases[] = {
      {"", ""}, {"f", "Zg=="}, {"fo", "Zm8="}, {"foo", "Zm9v"}, {"foobar", "Zm9vYmFy"}, {"\xff\x01\x80", "/wGA"}};
  for (const auto& [bytes, text] : cases) {
    EXPECT_EQ(encode_base64(bytes), text);
    std::string out;
    EXPECT_TRUE(decode_base64(text, out));
    EXPECT_EQ(out, bytes);
  }
}

}  // namespace
}  // namespace pliant
