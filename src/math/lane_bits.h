#pragma once
// Lanes of a mask as bits, to go through those that are set one by one.

#include <cstdint>

#include "math/simd.h"

namespace pliant {

/// Bit l: lane l.
template <class T, int W>
inline uint32_t bits_of(const PackMask<T, W>& mask) {
  if constexpr (requires { mask.lo; }) {
    return bits_of(mask.lo) | bits_of(mask.hi) << (W / 2);
  } else {
    uint8_t bytes[8] = {};  // Highway may write so many
    hn::StoreMaskBits(typename PackMask<T, W>::Tag(), mask.m, bytes);
    return uint32_t{bytes[0]} | uint32_t{bytes[1]} << 8;
  }
}

}  // namespace pliant
