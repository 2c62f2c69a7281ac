#pragma once
// A std::vector whose first element stands on a cache line: SIMD packs of any width load from it
// aligned, and two threads that work on different vectors never share a line at its start.

#include <cstddef>
#include <limits>
#include <new>
#include <vector>

namespace pliant {

inline constexpr std::size_t kCacheLine = 64;  // [bytes] also the size of the widest pack (AVX-512)

template <class T>
struct AlignedAllocator {
  using value_type = T;
  static constexpr std::size_t kAlignment = alignof(T) > kCacheLine ? alignof(T) : kCacheLine;

  AlignedAllocator() = default;
  template <class U>
  AlignedAllocator(const AlignedAllocator<U>&) {}  // NOLINT(google-explicit-constructor)

  T* allocate(std::size_t count) {
    if (count > std::numeric_limits<std::size_t>::max() / sizeof(T)) throw std::bad_array_new_length();
    return static_cast<T*>(::operator new(count * sizeof(T), std::align_val_t(kAlignment)));
  }
  void deallocate(T* memory, std::size_t) { ::operator delete(memory, std::align_val_t(kAlignment)); }

  template <class U>
  friend bool operator==(const AlignedAllocator&, const AlignedAllocator<U>&) {
    return true;
  }
};

template <class T>
using AlignedVector = std::vector<T, AlignedAllocator<T>>;

}  // namespace pliant
