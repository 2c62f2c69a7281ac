#pragma once
// Counts the allocations of a test program, on all threads: for tests that something makes none.
// And how much memory is held, for tests that something takes no more than it should:
//
//   const long before = held_bytes();
//   forget_most_held();
//   world.step();
//   EXPECT_LT(most_held_bytes() - before, 1 << 20);
//
// It replaces the global operator new, in one source file of a program; others define PLIANT_COUNTED_ELSEWHERE first.
//
//   const long before = allocations();
//   world.step();
//   EXPECT_EQ(allocations(), before);
//
// Clang's sanitizers bring an operator new of their own; with them kCountsAllocations is false.

#include <malloc.h>

#include <atomic>
#include <cstdlib>
#include <new>

#if defined(__has_feature)
#if __has_feature(thread_sanitizer) || __has_feature(address_sanitizer)
#define PLIANT_FOREIGN_NEW
#endif
#endif

namespace pliant::testing_support {

#if defined(PLIANT_FOREIGN_NEW)
inline constexpr bool kCountsAllocations = false;
#else
inline constexpr bool kCountsAllocations = true;
#endif

inline std::atomic<long> allocation_count{0};

inline long allocations() { return allocation_count.load(std::memory_order_relaxed); }

inline std::atomic<long> held_count{0}, most_held_count{0};

inline long held_bytes() { return held_count.load(std::memory_order_relaxed); }
inline long most_held_bytes() { return most_held_count.load(std::memory_order_relaxed); }
inline void forget_most_held() { most_held_count.store(held_bytes(), std::memory_order_relaxed); }

inline void count_held(long bytes) {
  const long now = held_count.fetch_add(bytes, std::memory_order_relaxed) + bytes;
  long most = most_held_bytes();
  while (now > most && !most_held_count.compare_exchange_weak(most, now, std::memory_order_relaxed)) {
  }
}

inline void counted_free(void* memory) noexcept {
  if (memory != nullptr) count_held(-static_cast<long>(malloc_usable_size(memory)));
  std::free(memory);
}

inline void* counted_allocation(std::size_t size, std::size_t alignment) {
  allocation_count.fetch_add(1, std::memory_order_relaxed);
  // aligned_alloc wants a multiple of the alignment; free() releases both kinds.
  void* memory = alignment <= alignof(std::max_align_t)
                     ? std::malloc(size == 0 ? 1 : size)
                     : std::aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment);
  if (memory == nullptr) throw std::bad_alloc();
  count_held(static_cast<long>(malloc_usable_size(memory)));
  return memory;
}

}  // namespace pliant::testing_support

#if !defined(PLIANT_FOREIGN_NEW) && !defined(PLIANT_COUNTED_ELSEWHERE)

// Not inlined: GCC would see malloc or free through one of a pair and warn about a mismatch.
#define PLIANT_NOT_INLINED __attribute__((noinline))

PLIANT_NOT_INLINED void* operator new(std::size_t size) { return pliant::testing_support::counted_allocation(size, 1); }
PLIANT_NOT_INLINED void* operator new(std::size_t size, std::align_val_t alignment) {
  return pliant::testing_support::counted_allocation(size, static_cast<std::size_t>(alignment));
}
PLIANT_NOT_INLINED void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  try {
    return pliant::testing_support::counted_allocation(size, 1);
  } catch (const std::bad_alloc&) {
    return nullptr;
  }
}
PLIANT_NOT_INLINED void operator delete(void* memory) noexcept { pliant::testing_support::counted_free(memory); }
PLIANT_NOT_INLINED void operator delete(void* memory, std::size_t) noexcept {
  pliant::testing_support::counted_free(memory);
}
PLIANT_NOT_INLINED void operator delete(void* memory, std::align_val_t) noexcept {
  pliant::testing_support::counted_free(memory);
}
PLIANT_NOT_INLINED void operator delete(void* memory, std::size_t, std::align_val_t) noexcept {
  pliant::testing_support::counted_free(memory);
}

#undef PLIANT_NOT_INLINED

#endif
