#include "core/aligned.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <numeric>
#include <utility>

namespace pliant {
namespace {

template <class T>
bool is_aligned(const AlignedVector<T>& v) {
  return reinterpret_cast<uintptr_t>(v.data()) % 64 == 0;
}

TEST(AlignedVector, StartsOnACacheLineHoweverItGrows) {
  AlignedVector<char> bytes;
  AlignedVector<float> floats;
  AlignedVector<double> doubles;
  for (int i = 0; i < 3000; ++i) {
    bytes.push_back('x');
    floats.push_back(1);
    doubles.push_back(2);
    ASSERT_TRUE(is_aligned(bytes) && is_aligned(floats) && is_aligned(doubles)) << "with " << i + 1 << " elements";
  }
}

TEST(AlignedVector, HonoursTypesWithALargerAlignment) {
  struct alignas(256) Big {
    char bytes[256];
  };
  for (std::size_t n : {1u, 2u, 7u}) {
    const AlignedVector<Big> big(n);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(big.data()) % 256, 0u);
  }
}

TEST(AlignedVector, IsAVector) {
  AlignedVector<int> a(100);
  std::iota(a.begin(), a.end(), 0);
  AlignedVector<int> b = a;
  EXPECT_EQ(a, b);
  b[50] = -1;
  EXPECT_NE(a, b);
  const int* memory = b.data();
  const AlignedVector<int> moved = std::move(b);
  EXPECT_EQ(moved.data(), memory) << "moving hands the memory over";
  EXPECT_EQ(std::accumulate(a.begin(), a.end(), 0), 4950);
}

TEST(AlignedVector, RefusesSizesThatOverflow) {
  AlignedAllocator<double> allocator;
  EXPECT_THROW((void)allocator.allocate(SIZE_MAX / 4), std::bad_array_new_length);
}

}  // namespace
}  // namespace pliant
