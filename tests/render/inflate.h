#pragma once
// Reads zlib streams (RFC 1950, 1951) and base64, written apart from the code that makes them.

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace pliant::test {

class Inflater {
 public:
  explicit Inflater(std::string_view bytes) : in_(bytes.substr(2)) {}

  std::string run() {
    bool last = false;
    while (!last && !bad_) {
      last = bits(1) == 1;
      const int type = bits(2);
      if (type != 2) {  // we never write another
        ADD_FAILURE() << "a block of type " << type;
        break;
      }
      block();
    }
    EXPECT_FALSE(bad_) << "the stream ends too early";
    return out_;
  }

 private:
  struct Code {
    std::array<int, 16> count{};
    std::vector<int> symbols;
    explicit Code(const std::vector<int>& lengths) {
      for (const int length : lengths) ++count[static_cast<size_t>(length)];
      count[0] = 0;
      for (int length = 1; length < 16; ++length) {
        for (size_t s = 0; s < lengths.size(); ++s) {
          if (lengths[s] == length) symbols.push_back(static_cast<int>(s));
        }
      }
    }
  };

  int bits(int count) {
    int value = 0;
    for (int i = 0; i < count; ++i, ++at_) {
      if (at_ / 8 >= in_.size()) {
        bad_ = true;
        return 0;
      }
      value |= (static_cast<unsigned char>(in_[at_ / 8]) >> (at_ % 8) & 1) << i;
    }
    return value;
  }

  int symbol(const Code& code) {
    int word = 0, first = 0, index = 0;
    for (size_t length = 1; length < 16; ++length) {
      word |= bits(1);
      const int count = code.count[length];
      if (word - count < first) return code.symbols[static_cast<size_t>(index + word - first)];
      index += count;
      first = (first + count) << 1;
      word <<= 1;
    }
    bad_ = true;
    return 256;
  }

  void block() {
    const int literals = bits(5) + 257, distances = bits(5) + 1, codes = bits(4) + 4;
    constexpr size_t kOrder[19] = {16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15};
    std::vector<int> lengths(19);
    for (int i = 0; i < codes; ++i) lengths[kOrder[i]] = bits(3);
    const Code run_code(lengths);
    std::vector<int> all;
    while (static_cast<int>(all.size()) < literals + distances && !bad_) {
      const int s = symbol(run_code);
      if (s < 16) {
        all.push_back(s);
      } else if (s == 16) {
        all.insert(all.end(), static_cast<size_t>(3 + bits(2)), all.empty() ? 0 : all.back());
      } else {
        all.insert(all.end(), static_cast<size_t>(s == 17 ? 3 + bits(3) : 11 + bits(7)), 0);
      }
    }
    if (bad_) return;
    const Code literal_code({all.begin(), all.begin() + literals}), distance_code({all.begin() + literals, all.end()});
    while (!bad_) {
      const int s = symbol(literal_code);
      if (s == 256) return;
      if (s < 256) {
        out_ += static_cast<char>(s);
        continue;
      }
      const int length = length_of(s - 257), distance = distance_of(symbol(distance_code));
      if (distance > static_cast<int>(out_.size())) {
        bad_ = true;
        return;
      }
      for (int i = 0; i < length; ++i) out_ += out_[out_.size() - static_cast<size_t>(distance)];
    }
  }

  int length_of(int s) {
    if (s == 28) return 258;
    if (s < 8) return 3 + s;
    const int extra = s / 4 - 1;
    return 3 + ((4 + s % 4) << extra) + bits(extra);
  }
  int distance_of(int s) {
    if (s < 4) return 1 + s;
    const int extra = s / 2 - 1;
    return 1 + ((2 + s % 2) << extra) + bits(extra);
  }

  std::string_view in_;
  size_t at_ = 0;  // [bits]
  std::string out_;
  bool bad_ = false;
};

inline std::string inflate(std::string_view bytes) { return Inflater(bytes).run(); }

inline std::string from_base64(std::string_view text) {
  const std::string digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  uint32_t word = 0;
  int filled = 0;
  for (const char c : text) {
    const size_t digit = digits.find(c);
    if (digit == std::string::npos) continue;
    word = word << 6 | static_cast<uint32_t>(digit);
    if ((filled += 6) >= 8) out += static_cast<char>(word >> (filled -= 8) & 0xff);
  }
  return out;
}

}  // namespace pliant::test
