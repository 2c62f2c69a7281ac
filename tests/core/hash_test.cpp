#include "core/hash.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <random>
#include <set>
#include <string>
#include <vector>

namespace pliant {
namespace {

std::vector<unsigned char> random_bytes(std::size_t size, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<unsigned char> bytes(size);
  for (auto& b : bytes) b = static_cast<unsigned char>(random());
  return bytes;
}

uint64_t hash_of(const std::vector<unsigned char>& bytes, uint64_t seed = 0) {
  return hash_bytes(bytes.data(), bytes.size(), seed);
}

// Files hold these values: they must be the same on every machine and in every version. They were
// computed apart from hash.h, from the equations in its header, with Python's integers.
TEST(Hash, ValuesAreFixedForever) {
  EXPECT_EQ(hash_bytes("", 0), 0x101605e62603f016u);
  EXPECT_EQ(hash_bytes("pliant", 6), 0xbe84d1a4328a15fau);
  std::vector<unsigned char> counting(100);
  for (std::size_t i = 0; i < counting.size(); ++i) counting[i] = static_cast<unsigned char>(i);
  EXPECT_EQ(hash_of(counting), 0xbfd006a32f737285u);
  EXPECT_EQ(hash_of(counting, 42), 0x741a327e02fb61e9u);
}

TEST(Hash, DoesNotDependOnHowTheBytesAreCut) {
  const auto bytes = random_bytes(1000, 1);
  const uint64_t whole = hash_of(bytes);
  std::mt19937 random(2);
  for (int trial = 0; trial < 200; ++trial) {
    Hash hash;
    for (std::size_t at = 0; at < bytes.size();) {
      const std::size_t piece = std::min<std::size_t>(random() % 100, bytes.size() - at);
      hash.add_bytes(bytes.data() + at, piece);
      at += piece;
    }
    ASSERT_EQ(hash.value(), whole);
  }
}

TEST(Hash, GoesOnAfterAValueWasRead) {
  const auto bytes = random_bytes(77, 3);
  Hash hash;
  std::set<uint64_t> seen;
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    seen.insert(hash.value());
    hash.add_bytes(&bytes[i], 1);
  }
  EXPECT_EQ(hash.value(), hash_of(bytes));
  EXPECT_EQ(seen.size(), bytes.size()) << "each beginning has its own hash";
}

TEST(Hash, TellsZerosOfDifferentLengthApart) {
  std::set<uint64_t> seen;
  const std::vector<unsigned char> zeros(300, 0);
  for (std::size_t size = 0; size <= zeros.size(); ++size) seen.insert(hash_bytes(zeros.data(), size));
  EXPECT_EQ(seen.size(), zeros.size() + 1);
}

TEST(Hash, ReadsAtAnyAddress) {
  const auto bytes = random_bytes(200, 4);
  for (std::size_t shift = 0; shift < 16; ++shift) {
    std::vector<unsigned char> moved(bytes.size() + shift);
    std::copy(bytes.begin(), bytes.end(), moved.begin() + static_cast<std::ptrdiff_t>(shift));
    EXPECT_EQ(hash_bytes(moved.data() + shift, bytes.size()), hash_of(bytes));
  }
}

// Flipping any one bit of the input flips each bit of the hash with probability 1/2. Over 256 inputs a
// fair coin shows between 0.32 and 0.68 (6 standard deviations, of 1/32) for all pairs of bits.
TEST(Hash, EveryInputBitReachesEveryOutputBit) {
  constexpr int kInputs = 256;
  for (const std::size_t size : {4u, 8u, 12u, 32u, 40u, 64u, 100u}) {
    std::vector<std::array<int, 64>> flips(size * 8);
    for (unsigned input = 0; input < kInputs; ++input) {
      auto bytes = random_bytes(size, 1000 + input);
      const uint64_t before = hash_of(bytes);
      for (std::size_t bit = 0; bit < size * 8; ++bit) {
        bytes[bit / 8] ^= static_cast<unsigned char>(1u << (bit % 8));
        const uint64_t changed = before ^ hash_of(bytes);
        bytes[bit / 8] ^= static_cast<unsigned char>(1u << (bit % 8));
        for (int out = 0; out < 64; ++out) flips[bit][static_cast<std::size_t>(out)] += (changed >> out) & 1;
      }
    }
    for (std::size_t bit = 0; bit < flips.size(); ++bit) {
      for (int out = 0; out < 64; ++out) {
        const double share = double(flips[bit][static_cast<std::size_t>(out)]) / kInputs;
        ASSERT_GT(share, 0.5 - 6.0 / 32) << "size " << size << ", bit " << bit << " -> " << out;
        ASSERT_LT(share, 0.5 + 6.0 / 32) << "size " << size << ", bit " << bit << " -> " << out;
      }
    }
  }
}

// What states look like: few bits set, small integers, floats that differ in the last place.
// 400000 values collide in 64 bits with probability 4e-9; in the low 32 bits 18.6 +- 4.3 pairs do.
TEST(Hash, SparseInputsDoNotCollide) {
  std::vector<uint64_t> values;
  for (int a = 0; a < 512; ++a) {  // any two bits of 64 bytes
    for (int b = a; b < 512; ++b) {
      std::array<unsigned char, 64> bytes{};
      bytes[static_cast<std::size_t>(a / 8)] ^= static_cast<unsigned char>(1 << (a % 8));
      bytes[static_cast<std::size_t>(b / 8)] ^= static_cast<unsigned char>(1 << (b % 8));
      if (a == b) bytes[static_cast<std::size_t>(a / 8)] = static_cast<unsigned char>(1 << (a % 8));
      values.push_back(hash_bytes(bytes.data(), bytes.size()));
    }
  }
  for (int i = 0; i < 134000; ++i) {
    values.push_back(Hash().add(i).value());
    values.push_back(Hash().add(std::bit_cast<float>(0x3f800000 + i)).add(0.0f).value());
  }
  ASSERT_GT(values.size(), 399000u);
  std::vector<uint32_t> low(values.begin(), values.end());
  std::sort(values.begin(), values.end());
  EXPECT_EQ(std::adjacent_find(values.begin(), values.end()), values.end());
  std::sort(low.begin(), low.end());
  int pairs = 0;
  for (std::size_t i = 1; i < low.size(); ++i) pairs += low[i] == low[i - 1] ? 1 : 0;
  EXPECT_LT(pairs, 18.6 + 6 * 4.3);
}

TEST(Hash, NumbersCountByTheirBits) {
  EXPECT_NE(Hash().add(0.0f).value(), Hash().add(-0.0f).value());
  EXPECT_NE(Hash().add(1).value(), Hash().add(int64_t{1}).value());
  const float number = 1.5f;
  EXPECT_EQ(Hash().add(number).value(), hash_bytes(&number, 4));
  const std::vector<double> numbers = {1, 2, 3};
  EXPECT_EQ(Hash().add_array(std::span<const double>(numbers)).value(), Hash().add(1.0).add(2.0).add(3.0).value());
}

TEST(Hash, TextsAreSeparated) {
  EXPECT_NE(Hash().add("ab").add("c").value(), Hash().add("a").add("bc").value());
  EXPECT_NE(Hash().add("").value(), Hash().value());
  EXPECT_EQ(Hash().add(std::string("ab")).value(), Hash().add("ab").value());
}

TEST(Hash, SeedsGiveOtherFunctions) {
  const auto bytes = random_bytes(50, 5);
  EXPECT_NE(hash_of(bytes, 0), hash_of(bytes, 1));
  EXPECT_NE(Hash(0).value(), Hash(1).value());
}

}  // namespace
}  // namespace pliant
