#include "render/deflate.h"

#include <algorithm>
#include <array>
#include <queue>
#include <span>
#include <utility>
#include <vector>

namespace pliant::render {
namespace {

// ---------------------------------------------------------------- the alphabet of RFC 1951, 3.2.5

struct Range {
  int first;  // smallest length or distance of the symbol
  int bits;   // extra bits
};
constexpr Range kLengths[29] = {{3, 0},   {4, 0},   {5, 0},   {6, 0},   {7, 0},  {8, 0},  {9, 0},  {10, 0},
                                {11, 1},  {13, 1},  {15, 1},  {17, 1},  {19, 2}, {23, 2}, {27, 2}, {31, 2},
                                {35, 3},  {43, 3},  {51, 3},  {59, 3},  {67, 4}, {83, 4}, {99, 4}, {115, 4},
                                {131, 5}, {163, 5}, {195, 5}, {227, 5}, {258, 0}};
constexpr Range kDistances[30] = {{1, 0},     {2, 0},     {3, 0},     {4, 0},      {5, 1},      {7, 1},
                                  {9, 2},     {13, 2},    {17, 3},    {25, 3},     {33, 4},     {49, 4},
                                  {65, 5},    {97, 5},    {129, 6},   {193, 6},    {257, 7},    {385, 7},
                                  {513, 8},   {769, 8},   {1025, 9},  {1537, 9},   {2049, 10},  {3073, 10},
                                  {4097, 11}, {6145, 11}, {8193, 12}, {12289, 12}, {16385, 13}, {24577, 13}};
constexpr int kEndOfBlock = 256;

int symbol_of(std::span<const Range> table, int value) {
  const auto above =
      std::upper_bound(table.begin(), table.end(), value, [](int v, const Range& range) { return v < range.first; });
  return static_cast<int>(above - table.begin()) - 1;
}

// ---------------------------------------------------------------- bits and codes

class Bits {
 public:
  explicit Bits(std::string& out) : out_(out) {}
  void add(uint32_t value, int count) {
    waiting_ |= uint64_t{value} << filled_;
    for (filled_ += count; filled_ >= 8; filled_ -= 8, waiting_ >>= 8) out_ += static_cast<char>(waiting_ & 0xff);
  }
  void flush() {
    if (filled_ > 0) add(0, 8 - filled_);
  }

 private:
  std::string& out_;
  uint64_t waiting_ = 0;
  int filled_ = 0;
};

struct Code {
  std::vector<int> lengths;     // 0: not used
  std::vector<uint32_t> words;  // bit-reversed, as they are written

  void write(Bits& bits, int symbol) const {
    bits.add(words[static_cast<size_t>(symbol)], lengths[static_cast<size_t>(symbol)]);
  }
};

/// Depths of the leaves of Huffman's tree. Counts are halved until none is deeper than `longest`.
std::vector<int> huffman_lengths(std::vector<uint32_t> counts, int longest) {
  struct Node {
    uint64_t count;
    int order;  // of making: equal counts are taken in it, so that the tree is always the same
    bool operator>(const Node& b) const { return std::pair(count, order) > std::pair(b.count, b.order); }
  };
  for (;;) {
    std::vector<int> parent;
    std::vector<int> leaf(counts.size(), -1);
    std::priority_queue<Node, std::vector<Node>, std::greater<>> open;
    for (size_t s = 0; s < counts.size(); ++s) {
      if (counts[s] == 0) continue;
      leaf[s] = static_cast<int>(parent.size());
      open.push({counts[s], leaf[s]});
      parent.push_back(-1);
    }
    while (open.size() > 1) {
      const Node a = open.top();
      open.pop();
      const Node b = open.top();
      open.pop();
      const int node = static_cast<int>(parent.size());
      parent[static_cast<size_t>(a.order)] = parent[static_cast<size_t>(b.order)] = node;
      parent.push_back(-1);
      open.push({a.count + b.count, node});
    }
    std::vector<int> lengths(counts.size(), 0);
    int deepest = 0;
    for (size_t s = 0; s < counts.size(); ++s) {
      if (leaf[s] < 0) continue;
      int depth = 0;
      for (int node = leaf[s]; parent[static_cast<size_t>(node)] >= 0; node = parent[static_cast<size_t>(node)])
        ++depth;
      lengths[s] = std::max(depth, 1);  // a lonely symbol has a code of one bit
      deepest = std::max(deepest, depth);
    }
    if (deepest <= longest) return lengths;
    for (uint32_t& count : counts) count = count == 0 ? 0 : count / 2 + 1;
  }
}

Code make_code(const std::vector<uint32_t>& counts, int longest) {
  Code code{huffman_lengths(counts, longest), std::vector<uint32_t>(counts.size())};
  uint32_t next = 0;
  for (int length = 1; length <= longest; ++length, next <<= 1) {
    for (size_t s = 0; s < counts.size(); ++s) {
      if (code.lengths[s] != length) continue;
      uint32_t reversed = 0;
      for (int bit = 0; bit < length; ++bit) reversed |= ((next >> bit) & 1) << (length - 1 - bit);
      code.words[s] = reversed;
      ++next;
    }
  }
  return code;
}

// ---------------------------------------------------------------- a block

/// A byte (distance 0) or a repetition of what stands `distance` bytes before.
struct Token {
  uint16_t length_or_byte;
  uint16_t distance;
};

/// Lengths of both codes with runs shortened: symbol, value of its extra bits, their number (3.2.7).
std::vector<std::array<int, 3>> run_lengths(const std::vector<int>& lengths) {
  std::vector<std::array<int, 3>> out;
  for (size_t i = 0; i < lengths.size();) {
    size_t run = 1;
    while (i + run < lengths.size() && lengths[i + run] == lengths[i]) ++run;
    const int value = lengths[i];
    size_t done = 0;
    if (value == 0) {
      while (run - done >= 3) {
        const int n = static_cast<int>(std::min<size_t>(run - done, 138));
        out.push_back(n >= 11 ? std::array{18, n - 11, 7} : std::array{17, n - 3, 3});
        done += static_cast<size_t>(n);
      }
    } else {
      out.push_back({value, 0, 0});
      done = 1;
      while (run - done >= 3) {
        const int n = static_cast<int>(std::min<size_t>(run - done, 6));
        out.push_back({16, n - 3, 2});
        done += static_cast<size_t>(n);
      }
    }
    for (; done < run; ++done) out.push_back({value, 0, 0});
    i += run;
  }
  return out;
}

void write_block(Bits& bits, std::span<const Token> tokens, bool last) {
  std::vector<uint32_t> literal_counts(286), distance_counts(30);
  literal_counts[kEndOfBlock] = 1;
  for (const Token& t : tokens) {
    if (t.distance == 0) {
      ++literal_counts[t.length_or_byte];
    } else {
      ++literal_counts[static_cast<size_t>(257 + symbol_of(kLengths, t.length_or_byte))];
      ++distance_counts[static_cast<size_t>(symbol_of(kDistances, t.distance))];
    }
  }
  distance_counts[0] += 1;  // some readers want one
  const Code literals = make_code(literal_counts, 15), distances = make_code(distance_counts, 15);

  std::vector<int> all = literals.lengths;
  all.insert(all.end(), distances.lengths.begin(), distances.lengths.end());
  const auto runs = run_lengths(all);
  std::vector<uint32_t> run_counts(19);
  for (const auto& run : runs) ++run_counts[static_cast<size_t>(run[0])];
  const Code run_code = make_code(run_counts, 7);
  constexpr int kOrder[19] = {16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15};
  int used = 19;
  while (used > 4 && run_code.lengths[static_cast<size_t>(kOrder[used - 1])] == 0) --used;

  bits.add(last ? 1 : 0, 1);
  bits.add(2, 2);  // codes of its own
  bits.add(286 - 257, 5);
  bits.add(30 - 1, 5);
  bits.add(static_cast<uint32_t>(used - 4), 4);
  for (int i = 0; i < used; ++i) bits.add(static_cast<uint32_t>(run_code.lengths[static_cast<size_t>(kOrder[i])]), 3);
  for (const auto& [symbol, value, count] : runs) {
    run_code.write(bits, symbol);
    bits.add(static_cast<uint32_t>(value), count);
  }
  for (const Token& t : tokens) {
    if (t.distance == 0) {
      literals.write(bits, t.length_or_byte);
      continue;
    }
    const int length = symbol_of(kLengths, t.length_or_byte), distance = symbol_of(kDistances, t.distance);
    literals.write(bits, 257 + length);
    bits.add(static_cast<uint32_t>(t.length_or_byte - kLengths[length].first), kLengths[length].bits);
    distances.write(bits, distance);
    bits.add(static_cast<uint32_t>(t.distance - kDistances[distance].first), kDistances[distance].bits);
  }
  literals.write(bits, kEndOfBlock);
}

// ---------------------------------------------------------------- repetitions

/// Finds earlier places with the same bytes through chains of equal hashes.
class Matcher {
 public:
  explicit Matcher(std::string_view bytes) : bytes_(bytes), head_(kHashes, -1), previous_(kWindow, -1) {}

  struct Match {
    int length = 0, distance = 0;
  };
  Match longest(size_t at) const {
    Match best;
    if (at + 3 > bytes_.size()) return best;
    const size_t most = std::min<size_t>(bytes_.size() - at, 258);
    int64_t place = head_[hash(at)];
    for (int tries = 0; place >= 0 && tries < kTries;
         ++tries, place = previous_[static_cast<size_t>(place) % kWindow]) {
      const size_t distance = at - static_cast<size_t>(place);
      if (distance > kWindow - 1) break;
      const char* a = bytes_.data() + at;
      const char* b = bytes_.data() + place;
      if (best.length > 0 && a[best.length] != b[best.length]) continue;
      size_t n = 0;
      while (n < most && a[n] == b[n]) ++n;
      if (static_cast<int>(n) > best.length) {
        best = {static_cast<int>(n), static_cast<int>(distance)};
        if (n == most) break;
      }
    }
    // Three bytes from afar cost more than three literals.
    return best.length < 3 || (best.length == 3 && best.distance > 4096) ? Match{} : best;
  }
  void add(size_t at) {
    if (at + 3 > bytes_.size()) return;
    int64_t& head = head_[hash(at)];
    previous_[at % kWindow] = head;
    head = static_cast<int64_t>(at);
  }

 private:
  static constexpr size_t kHashes = 1 << 15, kWindow = 1 << 15;
  static constexpr int kTries = 48;  // more of them gain below 1 % on pictures
  size_t hash(size_t at) const {
    const auto byte = [&](size_t i) { return static_cast<uint32_t>(static_cast<unsigned char>(bytes_[at + i])); };
    return ((byte(0) | byte(1) << 8 | byte(2) << 16) * 2654435761u) >> 17;
  }
  std::string_view bytes_;
  std::vector<int64_t> head_, previous_;
};

uint32_t adler32(std::string_view bytes) {
  uint32_t a = 1, b = 0;
  for (size_t i = 0; i < bytes.size();) {
    const size_t end = std::min(bytes.size(), i + 5552);  // as far as 32 bits hold without a division
    for (; i < end; ++i) {
      a += static_cast<unsigned char>(bytes[i]);
      b += a;
    }
    a %= 65521;
    b %= 65521;
  }
  return b << 16 | a;
}

}  // namespace

std::string zlib_compress(std::string_view bytes) {
  std::string out = "\x78\x9c";
  Bits bits(out);
  Matcher matcher(bytes);
  constexpr size_t kBlock = 1 << 15;  // tokens with codes of their own
  std::vector<Token> tokens;
  tokens.reserve(kBlock + 1);
  for (size_t at = 0; at < bytes.size();) {
    Matcher::Match match = matcher.longest(at);
    matcher.add(at);
    if (match.length > 0 && match.length < 64) {  // is a longer one to be had one byte later?
      const Matcher::Match next = matcher.longest(at + 1);
      if (next.length > match.length) match = {};
    }
    if (match.length == 0) {
      tokens.push_back({static_cast<unsigned char>(bytes[at]), 0});
      ++at;
    } else {
      tokens.push_back({static_cast<uint16_t>(match.length), static_cast<uint16_t>(match.distance)});
      for (int i = 1; i < match.length; ++i) matcher.add(at + static_cast<size_t>(i));
      at += static_cast<size_t>(match.length);
    }
    if (tokens.size() >= kBlock && at < bytes.size()) {
      write_block(bits, tokens, false);
      tokens.clear();
    }
  }
  write_block(bits, tokens, true);
  bits.flush();
  const uint32_t check = adler32(bytes);
  for (int shift = 24; shift >= 0; shift -= 8) out += static_cast<char>(check >> shift & 0xff);
  return out;
}

uint32_t crc32(std::string_view bytes, uint32_t before) {
  static const auto table = [] {
    std::array<uint32_t, 256> t{};
    for (uint32_t n = 0; n < 256; ++n) {
      uint32_t c = n;
      for (int k = 0; k < 8; ++k) c = c & 1 ? 0xedb88320u ^ c >> 1 : c >> 1;
      t[n] = c;
    }
    return t;
  }();
  uint32_t c = ~before;
  for (const char byte : bytes) c = table[(c ^ static_cast<unsigned char>(byte)) & 0xff] ^ c >> 8;
  return ~c;
}

std::string base64(std::string_view bytes) {
  constexpr char kDigits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  out.reserve((bytes.size() + 2) / 3 * 4);
  for (size_t i = 0; i < bytes.size(); i += 3) {
    const size_t n = std::min<size_t>(3, bytes.size() - i);
    uint32_t word = 0;
    for (size_t k = 0; k < 3; ++k) word = word << 8 | (k < n ? static_cast<unsigned char>(bytes[i + k]) : 0u);
    for (size_t k = 0; k < 4; ++k) out += k <= n ? kDigits[word >> (18 - 6 * k) & 63] : '=';
  }
  return out;
}

}  // namespace pliant::render
