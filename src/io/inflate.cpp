// Deflate: blocks that are stored, or coded with fixed or own Huffman codes; literals, and (length, distance) pairs
// that repeat what came before. Codes are canonical: given by their lengths alone, and decoded bit by bit with the
// number of codes of each length.

#include "io/inflate.h"

#include <algorithm>
#include <array>
#include <cstdint>

namespace pliant {

namespace {

constexpr int kLongestCode = 15, kLiterals = 288, kDistances = 30, kEndOfBlock = 256;

class Bits {
 public:
  explicit Bits(std::string_view bytes) : bytes_(bytes) {}

  int take(int count) {  // least significant bit first
    int value = 0;
    for (int i = 0; i < count; ++i) value |= bit() << i;
    return value;
  }
  int bit() {
    if (filled_ == 0) {
      if (at_ >= bytes_.size()) {
        good_ = false;
        return 0;
      }
      buffer_ = static_cast<unsigned char>(bytes_[at_++]);
      filled_ = 8;
    }
    const int value = static_cast<int>(buffer_ & 1u);
    buffer_ >>= 1;
    --filled_;
    return value;
  }
  /// Whole bytes from the next boundary on.
  std::string_view bytes(std::size_t count) {
    filled_ = 0;
    if (count > bytes_.size() - at_) {
      good_ = false;
      return {};
    }
    at_ += count;
    return bytes_.substr(at_ - count, count);
  }
  bool good() const { return good_; }

 private:
  std::string_view bytes_;
  std::size_t at_ = 0;
  unsigned buffer_ = 0;
  int filled_ = 0;
  bool good_ = true;
};

class Code {
 public:
  /// Lengths of the codes of all symbols, 0: not in use. False if no such code exists; one that leaves codes free is
  /// let through only where it has a single one.
  bool make(const unsigned char* lengths, int count) {
    counts_.fill(0);
    for (int i = 0; i < count; ++i) ++counts_[lengths[i]];
    const int used = count - counts_[0];
    counts_[0] = 0;
    int left = 1;
    for (int length = 1; length <= kLongestCode; ++length) {
      left = 2 * left - counts_[static_cast<std::size_t>(length)];
      if (left < 0) return false;
    }
    if (left > 0 && used > 1) return false;
    std::array<int, kLongestCode + 2> first{};
    for (std::size_t length = 1; length <= kLongestCode; ++length) first[length + 1] = first[length] + counts_[length];
    for (int i = 0; i < count; ++i) {
      if (lengths[i] != 0) symbols_[static_cast<std::size_t>(first[lengths[i]]++)] = i;
    }
    return true;
  }

  /// The next symbol; -1 where there is none.
  int read(Bits& in) const {
    int code = 0, first = 0, index = 0;
    for (std::size_t length = 1; length <= kLongestCode && in.good(); ++length) {
      code |= in.bit();
      const int count = counts_[length];
      if (code - first < count) return symbols_[static_cast<std::size_t>(index + code - first)];
      index += count;
      first = 2 * (first + count);
      code *= 2;
    }
    return -1;
  }

 private:
  std::array<int, kLongestCode + 1> counts_{};
  std::array<int, kLiterals> symbols_{};
};

class Inflater {
 public:
  Inflater(Bits& in, std::size_t most, std::string& out) : in_(in), start_(out.size()), most_(most), out_(out) {}

  bool run() {
    for (bool last = false; !last;) {
      last = in_.bit() == 1;
      const int type = in_.take(2);
      const bool good = type == 0 ? stored() : type == 1 ? fixed() : type == 2 ? dynamic() : false;
      if (!good || !in_.good()) return false;
    }
    return true;
  }

 private:
  bool room(std::size_t more) const { return more <= most_ - (out_.size() - start_); }

  bool stored() {
    const std::string_view head = in_.bytes(4);
    if (head.size() < 4) return false;
    const auto word = [&](std::size_t i) {
      return static_cast<unsigned char>(head[i]) | static_cast<unsigned char>(head[i + 1]) << 8;
    };
    if ((word(0) ^ 0xffff) != word(2) || !room(static_cast<std::size_t>(word(0)))) return false;
    out_ += in_.bytes(static_cast<std::size_t>(word(0)));
    return in_.good();
  }

  bool fixed() {
    std::array<unsigned char, kLiterals> lengths;
    for (std::size_t i = 0; i < lengths.size(); ++i) lengths[i] = i < 144 ? 8 : i < 256 ? 9 : i < 280 ? 7 : 8;
    if (!literals_.make(lengths.data(), kLiterals)) return false;
    lengths.fill(5);
    // Of the 32 codes of five bits two stand for no distance; coded() refuses them.
    if (!distances_.make(lengths.data(), 32)) return false;
    return coded();
  }

  bool dynamic() {
    static constexpr unsigned char kOrder[19] = {16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15};
    const int literals = in_.take(5) + 257, distances = in_.take(5) + 1, codes = in_.take(4) + 4;
    if (!in_.good() || literals > 286 || distances > kDistances) return false;
    std::array<unsigned char, kLiterals + 32> lengths{};
    for (int i = 0; i < codes; ++i) lengths[kOrder[i]] = static_cast<unsigned char>(in_.take(3));
    Code of_lengths;
    if (!of_lengths.make(lengths.data(), 19)) return false;
    lengths.fill(0);
    for (int i = 0; i < literals + distances;) {
      const int symbol = of_lengths.read(in_);
      if (symbol < 0) return false;
      if (symbol < 16) {
        lengths[static_cast<std::size_t>(i++)] = static_cast<unsigned char>(symbol);
        continue;
      }
      if (symbol == 16 && i == 0) return false;
      const unsigned char value = symbol == 16 ? lengths[static_cast<std::size_t>(i - 1)] : 0;
      int repeat = symbol == 16 ? 3 + in_.take(2) : symbol == 17 ? 3 + in_.take(3) : 11 + in_.take(7);
      if (i + repeat > literals + distances) return false;
      while (repeat-- > 0) lengths[static_cast<std::size_t>(i++)] = value;
    }
    if (lengths[kEndOfBlock] == 0) return false;
    return literals_.make(lengths.data(), literals) && distances_.make(lengths.data() + literals, distances) && coded();
  }

  bool coded() {
    static constexpr int kLengthBase[29] = {3,  4,  5,  6,  7,  8,  9,  10, 11,  13,  15,  17,  19,  23, 27,
                                            31, 35, 43, 51, 59, 67, 83, 99, 115, 131, 163, 195, 227, 258};
    static constexpr int kLengthBits[29] = {0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2,
                                            2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0};
    static constexpr int kDistanceBase[30] = {1,    2,    3,    4,    5,    7,    9,    13,    17,    25,
                                              33,   49,   65,   97,   129,  193,  257,  385,   513,   769,
                                              1025, 1537, 2049, 3073, 4097, 6145, 8193, 12289, 16385, 24577};
    for (;;) {
      int symbol = literals_.read(in_);
      if (symbol < 0 || !in_.good()) return false;
      if (symbol == kEndOfBlock) return true;
      if (symbol < kEndOfBlock) {
        if (!room(1)) return false;
        out_ += static_cast<char>(symbol);
        continue;
      }
      symbol -= 257;
      if (symbol >= 29) return false;
      const int length = kLengthBase[symbol] + in_.take(kLengthBits[symbol]);
      const int far = distances_.read(in_);
      if (far < 0 || far >= kDistances) return false;
      const auto distance = static_cast<std::size_t>(kDistanceBase[far] + in_.take(std::max(0, far / 2 - 1)));
      if (distance > out_.size() - start_ || !room(static_cast<std::size_t>(length))) return false;
      for (int i = 0; i < length; ++i) out_ += out_[out_.size() - distance];  // may repeat what it just wrote
    }
  }

  Bits& in_;
  Code literals_, distances_;
  std::size_t start_, most_;
  std::string& out_;
};

uint32_t adler32(std::string_view bytes) {
  uint32_t a = 1, b = 0;
  for (const char c : bytes) {
    a = (a + static_cast<unsigned char>(c)) % 65521;
    b = (b + a) % 65521;
  }
  return b << 16 | a;
}

}  // namespace

bool inflate_zlib(std::string_view stream, std::size_t most, std::string& out) {
  if (stream.size() < 6) return false;
  const auto byte = [&](std::size_t i) { return static_cast<unsigned>(static_cast<unsigned char>(stream[i])); };
  // Method 8, no preset dictionary, and a check.
  if ((byte(0) & 0x0f) != 8 || (byte(1) & 0x20) != 0 || (256 * byte(0) + byte(1)) % 31 != 0) return false;
  Bits in(stream.substr(2));
  const std::size_t start = out.size();
  if (!Inflater(in, most, out).run()) return false;
  const std::string_view tail = in.bytes(4);
  uint32_t sum = 0;
  for (const char c : tail) sum = sum << 8 | static_cast<unsigned char>(c);
  return tail.size() == 4 && sum == adler32(std::string_view(out).substr(start));
}

}  // namespace pliant
