#pragma once
// SIMD packs: the only file of the engine that knows of vector instructions.
//
// Pack<T, W> holds W numbers of type T (float or double) and behaves like a number. Up to the
// width of the target it is one register (Google Highway, static dispatch: one target per build);
// above that it is a pair of packs of half the width, so that any width compiles on any target.
//
// Kernels are templates over a number type T that is float, double or a Pack. What they may use is
// the vocabulary below, which exists for plain numbers too and does the same roundings there:
//
//   + - * / unary-, comparisons -> Mask<T>     (IEEE, no reciprocal estimates: equal on all CPUs)
//   mul_add, neg_mul_add                       (fused where the target has it, see pliant/vec.h)
//   sqrt, abs, min, max, copy_sign, round      (min/max return the second operand when unordered)
//   select(mask, a, b), zero_unless(mask, a), & | ! on masks, any, all, is_finite
//   power_of_two, exponent_of, mantissa_of     (the parts of the number's format)
//   math/functions.h: exp log sin cos atan2 acos

// One target per build: the flags decide, nothing is dispatched at run time.
#if (defined(__x86_64__) && !defined(__SSSE3__)) || \
    !(defined(__x86_64__) || defined(__aarch64__) || defined(__wasm_simd128__) || defined(__VSX__))
#define HWY_COMPILE_ONLY_EMU128  // no vector unit that Highway knows: packs of 16 bytes in plain C++
#else
#define HWY_COMPILE_ONLY_STATIC
#endif
// Without this Highway takes SSE for x86-64-v3, which promises AVX2 but not AES; we need no AES.
#define HWY_DISABLE_PCLMUL_AES
#include <hwy/highway.h>

#if HWY_TARGET == HWY_SCALAR
#error "packs need vectors of 16 bytes: on x86-64 build with -march=x86-64-v2 or later"
#endif

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>

#include "pliant/vec.h"

namespace pliant {

namespace hn = hwy::HWY_NAMESPACE;

/// Lanes of T in one register of the build's target.
template <class T>
inline constexpr int kNativeLanes = static_cast<int>(HWY_MAX_BYTES / sizeof(T));

static_assert(kHasFma == (HWY_NATIVE_FMA != 0), "numbers and packs must agree on fused multiply-adds (pliant/vec.h)");
static_assert(HWY_MAX_BYTES <= 64, "scalable vectors are compiled with a fixed length of at most 64 bytes");

template <class T, int W>
struct PackMask;
template <class T, int W>
struct Pack;

// ------------------------------------------------------------------ the format of a number

/// IEEE binary32 and binary64. Adding kShift (2^kMantissaBits) to a small integer puts that integer
/// into the low bits of the sum: the way between numbers and bits that needs no conversion.
template <class T>
struct Format {
  static_assert(std::numeric_limits<T>::is_iec559 && (sizeof(T) == 4 || sizeof(T) == 8));
  using Bits = std::conditional_t<sizeof(T) == 4, uint32_t, uint64_t>;
  static constexpr int kMantissaBits = std::numeric_limits<T>::digits - 1;
  static constexpr T kBias = static_cast<T>(std::numeric_limits<T>::max_exponent - 1);
  static constexpr T kShift = static_cast<T>(Bits{1} << kMantissaBits);
  static constexpr Bits kMantissaMask = (Bits{1} << kMantissaBits) - 1;
  static constexpr Bits kOne = std::bit_cast<Bits>(T(1));
  static constexpr Bits kShiftBits = std::bit_cast<Bits>(kShift);
};

// ------------------------------------------------------------------ one register

template <class T, int W>
  requires(W <= kNativeLanes<T>)
struct PackMask<T, W> {
  using Tag = hn::FixedTag<T, W>;
  hn::Mask<Tag> m;

  friend PackMask operator&(PackMask a, PackMask b) { return {hn::And(a.m, b.m)}; }
  friend PackMask operator|(PackMask a, PackMask b) { return {hn::Or(a.m, b.m)}; }
  friend PackMask operator!(PackMask a) { return {hn::Not(a.m)}; }
  friend bool any(PackMask a) { return !hn::AllFalse(Tag(), a.m); }
  friend bool all(PackMask a) { return hn::AllTrue(Tag(), a.m); }
};

template <class T, int W>
  requires(W <= kNativeLanes<T>)
struct Pack<T, W> {
  using Tag = hn::FixedTag<T, W>;
  using Mask = PackMask<T, W>;
  hn::Vec<Tag> v;

  Pack() : v(hn::Zero(Tag())) {}
  Pack(T s) : v(hn::Set(Tag(), s)) {}  // NOLINT(google-explicit-constructor): a number is a pack of equal lanes
  explicit Pack(hn::Vec<Tag> r) : v(r) {}

  static Pack load(const T* p) { return Pack(hn::LoadU(Tag(), p)); }
  void store(T* p) const { hn::StoreU(v, Tag(), p); }

  friend Pack operator+(Pack a, Pack b) { return Pack(hn::Add(a.v, b.v)); }
  friend Pack operator-(Pack a, Pack b) { return Pack(hn::Sub(a.v, b.v)); }
  friend Pack operator*(Pack a, Pack b) { return Pack(hn::Mul(a.v, b.v)); }
  friend Pack operator/(Pack a, Pack b) { return Pack(hn::Div(a.v, b.v)); }
  friend Pack operator-(Pack a) { return Pack(hn::Neg(a.v)); }
  friend Mask operator<(Pack a, Pack b) { return {hn::Lt(a.v, b.v)}; }
  friend Mask operator<=(Pack a, Pack b) { return {hn::Le(a.v, b.v)}; }
  friend Mask operator>(Pack a, Pack b) { return {hn::Gt(a.v, b.v)}; }
  friend Mask operator>=(Pack a, Pack b) { return {hn::Ge(a.v, b.v)}; }
  friend Mask operator==(Pack a, Pack b) { return {hn::Eq(a.v, b.v)}; }

  friend Pack mul_add(Pack a, Pack b, Pack c) { return Pack(hn::MulAdd(a.v, b.v, c.v)); }
  friend Pack neg_mul_add(Pack a, Pack b, Pack c) { return Pack(hn::NegMulAdd(a.v, b.v, c.v)); }
  friend Pack sqrt(Pack a) { return Pack(hn::Sqrt(a.v)); }
  friend Pack abs(Pack a) { return Pack(hn::Abs(a.v)); }
  // Highway leaves NaN and zeros of both signs to the target. x86 has the rule that we want.
#if HWY_ARCH_X86 && HWY_TARGET != HWY_EMU128 && HWY_TARGET != HWY_SCALAR
  friend Pack min(Pack a, Pack b) { return Pack(hn::Min(a.v, b.v)); }
  friend Pack max(Pack a, Pack b) { return Pack(hn::Max(a.v, b.v)); }
#else
  friend Pack min(Pack a, Pack b) { return select(a < b, a, b); }
  friend Pack max(Pack a, Pack b) { return select(a > b, a, b); }
#endif
  friend Pack round(Pack a) { return Pack(hn::Round(a.v)); }
  friend Pack copy_sign(Pack magnitude, Pack sign) { return Pack(hn::CopySign(magnitude.v, sign.v)); }
  friend Pack select(Mask m, Pack a, Pack b) { return Pack(hn::IfThenElse(m.m, a.v, b.v)); }
  friend Pack zero_unless(Mask m, Pack a) { return Pack(hn::IfThenElseZero(m.m, a.v)); }

  friend Pack power_of_two(Pack n) {
    const hn::RebindToUnsigned<Tag> bits;
    const auto biased = hn::BitCast(bits, hn::Add(n.v, hn::Set(Tag(), Format<T>::kShift + Format<T>::kBias)));
    return Pack(hn::BitCast(Tag(), hn::ShiftLeft<Format<T>::kMantissaBits>(biased)));
  }
  friend Pack exponent_of(Pack a) {
    const hn::RebindToUnsigned<Tag> bits;
    const auto biased = hn::ShiftRight<Format<T>::kMantissaBits>(hn::BitCast(bits, a.v));
    const auto shifted = hn::BitCast(Tag(), hn::Or(biased, hn::Set(bits, Format<T>::kShiftBits)));
    return Pack(hn::Sub(shifted, hn::Set(Tag(), Format<T>::kShift + Format<T>::kBias)));
  }
  friend Pack mantissa_of(Pack a) {
    const hn::RebindToUnsigned<Tag> bits;
    const auto fraction = hn::And(hn::BitCast(bits, a.v), hn::Set(bits, Format<T>::kMantissaMask));
    return Pack(hn::BitCast(Tag(), hn::Or(fraction, hn::Set(bits, Format<T>::kOne))));
  }
};

// ------------------------------------------------------------------ a pair of halves

template <class T, int W>
  requires(W > kNativeLanes<T>)
struct PackMask<T, W> {
  using Half = PackMask<T, W / 2>;
  Half lo, hi;

  friend PackMask operator&(PackMask a, PackMask b) { return {a.lo & b.lo, a.hi & b.hi}; }
  friend PackMask operator|(PackMask a, PackMask b) { return {a.lo | b.lo, a.hi | b.hi}; }
  friend PackMask operator!(PackMask a) { return {!a.lo, !a.hi}; }
  friend bool any(PackMask a) { return any(a.lo) || any(a.hi); }
  friend bool all(PackMask a) { return all(a.lo) && all(a.hi); }
};

template <class T, int W>
  requires(W > kNativeLanes<T>)
struct Pack<T, W> {
  using Half = Pack<T, W / 2>;
  using Mask = PackMask<T, W>;
  Half lo, hi;

  Pack() = default;
  Pack(T s) : lo(s), hi(s) {}  // NOLINT(google-explicit-constructor)
  Pack(Half l, Half h) : lo(l), hi(h) {}

  static Pack load(const T* p) { return {Half::load(p), Half::load(p + W / 2)}; }
  void store(T* p) const {
    lo.store(p);
    hi.store(p + W / 2);
  }

  friend Pack operator+(Pack a, Pack b) { return {a.lo + b.lo, a.hi + b.hi}; }
  friend Pack operator-(Pack a, Pack b) { return {a.lo - b.lo, a.hi - b.hi}; }
  friend Pack operator*(Pack a, Pack b) { return {a.lo * b.lo, a.hi * b.hi}; }
  friend Pack operator/(Pack a, Pack b) { return {a.lo / b.lo, a.hi / b.hi}; }
  friend Pack operator-(Pack a) { return {-a.lo, -a.hi}; }
  friend Mask operator<(Pack a, Pack b) { return {a.lo < b.lo, a.hi < b.hi}; }
  friend Mask operator<=(Pack a, Pack b) { return {a.lo <= b.lo, a.hi <= b.hi}; }
  friend Mask operator>(Pack a, Pack b) { return {a.lo > b.lo, a.hi > b.hi}; }
  friend Mask operator>=(Pack a, Pack b) { return {a.lo >= b.lo, a.hi >= b.hi}; }
  friend Mask operator==(Pack a, Pack b) { return {a.lo == b.lo, a.hi == b.hi}; }

  friend Pack mul_add(Pack a, Pack b, Pack c) { return {mul_add(a.lo, b.lo, c.lo), mul_add(a.hi, b.hi, c.hi)}; }
  friend Pack neg_mul_add(Pack a, Pack b, Pack c) {
    return {neg_mul_add(a.lo, b.lo, c.lo), neg_mul_add(a.hi, b.hi, c.hi)};
  }
  friend Pack sqrt(Pack a) { return {sqrt(a.lo), sqrt(a.hi)}; }
  friend Pack abs(Pack a) { return {abs(a.lo), abs(a.hi)}; }
  friend Pack min(Pack a, Pack b) { return {min(a.lo, b.lo), min(a.hi, b.hi)}; }
  friend Pack max(Pack a, Pack b) { return {max(a.lo, b.lo), max(a.hi, b.hi)}; }
  friend Pack round(Pack a) { return {round(a.lo), round(a.hi)}; }
  friend Pack copy_sign(Pack a, Pack s) { return {copy_sign(a.lo, s.lo), copy_sign(a.hi, s.hi)}; }
  friend Pack select(Mask m, Pack a, Pack b) { return {select(m.lo, a.lo, b.lo), select(m.hi, a.hi, b.hi)}; }
  friend Pack zero_unless(Mask m, Pack a) { return {zero_unless(m.lo, a.lo), zero_unless(m.hi, a.hi)}; }
  friend Pack power_of_two(Pack n) { return {power_of_two(n.lo), power_of_two(n.hi)}; }
  friend Pack exponent_of(Pack a) { return {exponent_of(a.lo), exponent_of(a.hi)}; }
  friend Pack mantissa_of(Pack a) { return {mantissa_of(a.lo), mantissa_of(a.hi)}; }
};

// ------------------------------------------------------------------ the same words for plain numbers

template <class T>
concept PlainNumber = std::is_same_v<T, float> || std::is_same_v<T, double>;

template <PlainNumber T>
inline T sqrt(T a) {
  return std::sqrt(a);
}
template <PlainNumber T>
inline T abs(T a) {
  return std::fabs(a);
}
template <PlainNumber T>
inline T min(T a, std::type_identity_t<T> b) {
  return a < b ? a : b;
}
template <PlainNumber T>
inline T max(T a, std::type_identity_t<T> b) {
  return a > b ? a : b;
}
template <PlainNumber T>
inline T round(T a) {
  return std::nearbyint(a);  // to even, as the vector units do
}
template <PlainNumber T>
inline T copy_sign(T magnitude, std::type_identity_t<T> sign) {
  return std::copysign(magnitude, sign);
}
template <PlainNumber T>
inline T select(bool m, T a, std::type_identity_t<T> b) {
  return m ? a : b;
}
template <PlainNumber T>
inline T zero_unless(bool m, T a) {
  return m ? a : T(0);
}
/// 2^n for an integral n whose power is a normal number (float: -126 to 127, double: -1022 to 1023).
template <PlainNumber T>
inline T power_of_two(T n) {
  const auto biased = std::bit_cast<typename Format<T>::Bits>(n + (Format<T>::kShift + Format<T>::kBias));
  return std::bit_cast<T>(biased << Format<T>::kMantissaBits);
}
/// The integer e with 2^e <= a < 2^(e+1), for a positive normal a.
template <PlainNumber T>
inline T exponent_of(T a) {
  const auto biased = std::bit_cast<typename Format<T>::Bits>(a) >> Format<T>::kMantissaBits;
  return std::bit_cast<T>(biased | Format<T>::kShiftBits) - (Format<T>::kShift + Format<T>::kBias);
}
/// a / 2^exponent_of(a), which is in [1, 2), for a positive normal a.
template <PlainNumber T>
inline T mantissa_of(T a) {
  const auto bits = std::bit_cast<typename Format<T>::Bits>(a);
  return std::bit_cast<T>((bits & Format<T>::kMantissaMask) | Format<T>::kOne);
}
inline bool any(bool m) { return m; }
inline bool all(bool m) { return m; }

template <class T>
struct NumberTraits {
  using Scalar = T;
  using Mask = bool;
  static constexpr int kWidth = 1;
};
template <class T, int W>
struct NumberTraits<Pack<T, W>> {
  using Scalar = T;
  using Mask = PackMask<T, W>;
  static constexpr int kWidth = W;
};

/// float for float and for packs of float, double likewise.
template <class T>
using ScalarOf = typename NumberTraits<T>::Scalar;
/// What a comparison of two T gives.
template <class T>
using MaskOf = typename NumberTraits<T>::Mask;
/// The number type with W lanes: T itself for W = 1.
template <class T, int W>
using Wide = std::conditional_t<W == 1, T, Pack<T, W>>;

/// What a kernel may be instantiated with.
template <class T>
concept Number = PlainNumber<ScalarOf<T>>;

/// Neither infinite nor NaN.
template <class T>
inline MaskOf<T> is_finite(const T& a) {
  return abs(a) <= T(std::numeric_limits<ScalarOf<T>>::max());
}

template <class T>
inline T load(const ScalarOf<T>* p) {
  if constexpr (NumberTraits<T>::kWidth == 1) {
    return *p;
  } else {
    return T::load(p);
  }
}
template <class T>
inline void store(const T& a, ScalarOf<T>* p) {
  if constexpr (NumberTraits<T>::kWidth == 1) {
    *p = a;
  } else {
    a.store(p);
  }
}

/// One lane, for tests and reports.
template <class T>
inline ScalarOf<T> lane(const T& a, int i) {
  constexpr int kWidth = NumberTraits<T>::kWidth;
  ScalarOf<T> all[kWidth];
  store(a, all);
  return all[i];
}

}  // namespace pliant
