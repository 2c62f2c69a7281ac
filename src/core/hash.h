#pragma once
// A fast 64-bit hash over bytes: state hashes, snapshots, caches, fingerprints. Not for secrets.
//
// The value depends on the sequence of bytes alone: not on how it was cut into add() calls, and not
// on the machine (words are read as little endian). It is stored in files, so it must not change.
//
// Four lanes take the 64-bit words of a 32-byte block in turn, so that four multiplications are in
// flight at once:
//
//   lane = rotl(lane ^ word * k0, 29) * k1          k odd
//
// A round is a bijection of the lane for a given word and of the word for a given lane: two inputs
// that differ in one word never fall together before the final folding to 64 bits. Multiplying the
// word first carries no difference from one word into the next in a form that does not depend on the
// data (without it, flipping bit 63 of a word and bit 28 of the lane's next word would cancel).
// The tail is padded with zeros; the length goes into the folding and tells it from real zeros.

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>
#include <type_traits>

namespace pliant {

class Hash {
 public:
  /// Another seed gives another, unrelated function.
  explicit Hash(uint64_t seed = 0) {
    for (int i = 0; i < kLanes; ++i) lanes_[i] = mix(seed + kRoots[i]);
  }

  Hash& add_bytes(const void* data, std::size_t size) {
    const auto* bytes = static_cast<const unsigned char*>(data);
    length_ += size;
    if (pending_ > 0) {
      const std::size_t room = kBlock - pending_;
      const std::size_t taken = size < room ? size : room;
      if (taken > 0) std::memcpy(buffer_ + pending_, bytes, taken);
      pending_ += taken;
      bytes += taken;
      size -= taken;
      if (pending_ < kBlock) return *this;
      take_blocks(buffer_, 1);
      pending_ = 0;
    }
    const std::size_t blocks = size / kBlock;
    take_blocks(bytes, blocks);
    pending_ = size - blocks * kBlock;
    if (pending_ > 0) std::memcpy(buffer_, bytes + blocks * kBlock, pending_);
    return *this;
  }

  /// One number, by its bits: 0.0 and -0.0 differ. A number counts with the bytes of its type.
  template <class T>
    requires(std::is_arithmetic_v<T> || std::is_enum_v<T>)
  Hash& add(T value) {
    static_assert(sizeof(T) <= 8, "long double has padding");
    unsigned char bytes[sizeof(T)];
    std::memcpy(bytes, &value, sizeof(T));
    if constexpr (std::endian::native == std::endian::big) {
      for (std::size_t i = 0; i < sizeof(T) / 2; ++i) {
        const unsigned char swapped = bytes[i];
        bytes[i] = bytes[sizeof(T) - 1 - i];
        bytes[sizeof(T) - 1 - i] = swapped;
      }
    }
    return add_bytes(bytes, sizeof(T));
  }

  /// Length, then characters: ("ab", "c") and ("a", "bc") differ.
  Hash& add(std::string_view text) {
    add(static_cast<uint64_t>(text.size()));
    return add_bytes(text.data(), text.size());
  }
  Hash& add(const char* text) { return add(std::string_view(text)); }

  /// The bytes of an array, without its length. T must have no padding: its bytes are what counts.
  /// (The language can tell that for integers, not for structures of floats.)
  template <class T>
    requires(std::is_trivially_copyable_v<T>)
  Hash& add_array(std::span<const T> values) { return add_bytes(values.data(), values.size_bytes()); }

  /// The hash of all bytes so far; adding may go on.
  uint64_t value() const {
    Hash end = *this;
    if (end.pending_ > 0) {
      std::memset(end.buffer_ + end.pending_, 0, kBlock - end.pending_);
      end.take_blocks(end.buffer_, 1);
    }
    uint64_t folded = length_ * kRoots[0];
    for (const uint64_t lane : end.lanes_) folded = mix(folded ^ lane) * kRoots[1];
    return mix(folded);
  }

 private:
  static constexpr int kLanes = 4;
  static constexpr std::size_t kBlock = kLanes * sizeof(uint64_t);
  // The first 64 bits behind the point of sqrt(2), sqrt(3), sqrt(5), sqrt(7), made odd: constants
  // that nobody chose, with about half of their bits set and no pattern among them.
  static constexpr uint64_t kRoots[4] = {0x6a09e667f3bcc909u, 0xbb67ae8584caa73bu, 0x3c6ef372fe94f82bu,
                                         0xa54ff53a5f1d36f1u};

  static uint64_t word_at(const unsigned char* p) {
    uint64_t word;
    std::memcpy(&word, p, sizeof(word));
    if constexpr (std::endian::native == std::endian::big) word = __builtin_bswap64(word);
    return word;
  }

  /// A bijection in which every bit of the input reaches every bit of the output: shifts bring the
  /// high bits down, multiplications the low ones up.
  static uint64_t mix(uint64_t h) {
    h = (h ^ (h >> 32)) * kRoots[2];
    h = (h ^ (h >> 29)) * kRoots[3];
    return h ^ (h >> 32);
  }

  void take_blocks(const unsigned char* p, std::size_t blocks) {
    uint64_t l0 = lanes_[0], l1 = lanes_[1], l2 = lanes_[2], l3 = lanes_[3];  // in registers
    for (; blocks > 0; --blocks, p += kBlock) {
      l0 = std::rotl(l0 ^ (word_at(p) * kRoots[0]), 29) * kRoots[1];
      l1 = std::rotl(l1 ^ (word_at(p + 8) * kRoots[0]), 29) * kRoots[1];
      l2 = std::rotl(l2 ^ (word_at(p + 16) * kRoots[0]), 29) * kRoots[1];
      l3 = std::rotl(l3 ^ (word_at(p + 24) * kRoots[0]), 29) * kRoots[1];
    }
    lanes_[0] = l0;
    lanes_[1] = l1;
    lanes_[2] = l2;
    lanes_[3] = l3;
  }

  uint64_t lanes_[kLanes];
  unsigned char buffer_[kBlock] = {};
  std::size_t pending_ = 0;  // bytes in buffer_
  uint64_t length_ = 0;      // [bytes] in all
};

/// The hash of one block of bytes.
inline uint64_t hash_bytes(const void* data, std::size_t size, uint64_t seed = 0) {
  return Hash(seed).add_bytes(data, size).value();
}

}  // namespace pliant
