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
//   select(mask, a, b), & | ! on masks, any, all, is_finite
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

// ------------------------------------------------------------------ particles

/// Four numbers in one aligned unit: x, y, z and a fourth that rides along (the inverse mass).
template <class T>
struct alignas(4 * sizeof(T)) Quad {
  T x{}, y{}, z{}, w{};
};

/// Where a particle stands in an array of quads, in bytes: saves two instructions per lane over an
/// index, and 32 bits reach 2^28 particles in float, 2^27 in double.
using QuadAt = uint32_t;

template <class T>
inline QuadAt quad_at(int32_t index) {
  return static_cast<QuadAt>(index) * static_cast<QuadAt>(sizeof(Quad<T>));
}
template <class T>
inline const Quad<T>& quad(const Quad<T>* p, QuadAt at) {
  return *reinterpret_cast<const Quad<T>*>(reinterpret_cast<const char*>(p) + at);
}
template <class T>
inline Quad<T>& quad(Quad<T>* p, QuadAt at) {
  return *reinterpret_cast<Quad<T>*>(reinterpret_cast<char*>(p) + at);
}

namespace detail {

/// Rows of a 4 x 4 transpose: row r of block b is the quad of lane 4 b + r.
template <class T, int W>
struct QuadRows {
  Pack<T, W> r[4];
};

template <class T, int W>
inline Pack<T, W> load_row(const Quad<T>* p, const QuadAt* at, int row) {
  if constexpr (W == 4) {
    return Pack<T, 4>::load(&quad(p, at[row]).x);
  } else {
    using Half = Pack<T, W / 2>;
    const Half lo = load_row<T, W / 2>(p, at, row);
    const Half hi = load_row<T, W / 2>(p, at + W / 2, row);
    if constexpr (W > kNativeLanes<T>) {
      return {lo, hi};
    } else {
      return Pack<T, W>(hn::Combine(hn::FixedTag<T, W>(), hi.v, lo.v));
    }
  }
}

template <class T, int W>
inline void add_row(Quad<T>* p, const QuadAt* at, int row, Pack<T, W> d) {
  if constexpr (W == 4) {
    T* xyzw = &quad(p, at[row]).x;
    (Pack<T, 4>::load(xyzw) + d).store(xyzw);
  } else if constexpr (W > kNativeLanes<T>) {
    add_row<T, W / 2>(p, at, row, d.lo);
    add_row<T, W / 2>(p, at + W / 2, row, d.hi);
  } else {
    const hn::FixedTag<T, W / 2> half;
    add_row<T, W / 2>(p, at, row, Pack<T, W / 2>(hn::LowerHalf(half, d.v)));
    add_row<T, W / 2>(p, at + W / 2, row, Pack<T, W / 2>(hn::UpperHalf(half, d.v)));
  }
}

/// A pair of packs of T seen as packs of pairs of T.
template <class T, int W>
struct Interleave {
  // Highway's interleaves work inside blocks of 16 bytes, which is what a transpose of quads needs.
  static_assert(sizeof(T) == 4, "the in-register transpose is for float; double goes lane by lane");
  using Tag = hn::FixedTag<T, W>;
  using Tag2 = hn::Repartition<double, Tag>;
  static Pack<T, W> lower(Pack<T, W> a, Pack<T, W> b) { return Pack<T, W>(hn::InterleaveLower(Tag(), a.v, b.v)); }
  static Pack<T, W> upper(Pack<T, W> a, Pack<T, W> b) { return Pack<T, W>(hn::InterleaveUpper(Tag(), a.v, b.v)); }
  static Pack<T, W> lower2(Pack<T, W> a, Pack<T, W> b) {
    return Pack<T, W>(
        hn::BitCast(Tag(), hn::InterleaveLower(Tag2(), hn::BitCast(Tag2(), a.v), hn::BitCast(Tag2(), b.v))));
  }
  static Pack<T, W> upper2(Pack<T, W> a, Pack<T, W> b) {
    return Pack<T, W>(
        hn::BitCast(Tag(), hn::InterleaveUpper(Tag2(), hn::BitCast(Tag2(), a.v), hn::BitCast(Tag2(), b.v))));
  }
};

/// All four bits, or none in the fourth lane of each quad: x, y, z stay and w becomes zero.
template <class T, int W>
inline Pack<T, W> without_w(Pack<T, W> row) {
  if constexpr (W > kNativeLanes<T>) {
    return {without_w(row.lo), without_w(row.hi)};
  } else {
    const hn::FixedTag<T, W> tag;
    alignas(64) static constexpr uint32_t kKeep[16] = {~0u, ~0u, ~0u, 0, ~0u, ~0u, ~0u, 0,
                                                       ~0u, ~0u, ~0u, 0, ~0u, ~0u, ~0u, 0};
    const hn::Repartition<uint32_t, decltype(tag)> bits;
    return Pack<T, W>(hn::And(row.v, hn::BitCast(tag, hn::Load(bits, kKeep))));
  }
}

template <class T, int W>
inline Pack<T, W> w_of_rows(const QuadRows<T, W>& q) {
  if constexpr (W > kNativeLanes<T>) {
    return {w_of_rows<T, W / 2>({q.r[0].lo, q.r[1].lo, q.r[2].lo, q.r[3].lo}),
            w_of_rows<T, W / 2>({q.r[0].hi, q.r[1].hi, q.r[2].hi, q.r[3].hi})};
  } else {
    using I = Interleave<T, W>;
    return I::upper2(I::upper(q.r[0], q.r[1]), I::upper(q.r[2], q.r[3]));
  }
}

/// Rows of quads -> x, y, z, w of all lanes.
template <class T, int W>
inline void transpose(const QuadRows<T, W>& q, Vec3<Pack<T, W>>& xyz, Pack<T, W>& w) {
  if constexpr (W > kNativeLanes<T>) {
    Vec3<Pack<T, W / 2>> a, b;
    Pack<T, W / 2> wa, wb;
    transpose<T, W / 2>({q.r[0].lo, q.r[1].lo, q.r[2].lo, q.r[3].lo}, a, wa);
    transpose<T, W / 2>({q.r[0].hi, q.r[1].hi, q.r[2].hi, q.r[3].hi}, b, wb);
    xyz = {{a.x, b.x}, {a.y, b.y}, {a.z, b.z}};
    w = {wa, wb};
  } else {
    using I = Interleave<T, W>;
    const auto t0 = I::lower(q.r[0], q.r[1]);
    const auto t1 = I::lower(q.r[2], q.r[3]);
    const auto t2 = I::upper(q.r[0], q.r[1]);
    const auto t3 = I::upper(q.r[2], q.r[3]);
    xyz = {I::lower2(t0, t1), I::upper2(t0, t1), I::lower2(t2, t3)};
    w = I::upper2(t2, t3);
  }
}

/// x, y, z of all lanes -> rows of quads whose fourth number is zero.
template <class T, int W>
inline QuadRows<T, W> to_rows(const Vec3<Pack<T, W>>& d) {
  if constexpr (W > kNativeLanes<T>) {
    const auto a = to_rows<T, W / 2>({d.x.lo, d.y.lo, d.z.lo});
    const auto b = to_rows<T, W / 2>({d.x.hi, d.y.hi, d.z.hi});
    return {{{a.r[0], b.r[0]}, {a.r[1], b.r[1]}, {a.r[2], b.r[2]}, {a.r[3], b.r[3]}}};
  } else {
    using I = Interleave<T, W>;
    const Pack<T, W> zero;
    const auto t0 = I::lower(d.x, d.y);
    const auto t1 = I::lower(d.z, zero);
    const auto t2 = I::upper(d.x, d.y);
    const auto t3 = I::upper(d.z, zero);
    return {{I::lower2(t0, t1), I::upper2(t0, t1), I::lower2(t2, t3), I::upper2(t2, t3)}};
  }
}

}  // namespace detail

/// Gathers the N corners of W constraints. The position of a particle is base + offset; what comes
/// out is relative to the first corner, x[i] = (offset_i - offset_0) + (base_i - base_0), so that
/// it carries no large coordinates (x[0] is zero), and the inverse masses w (the fourth number of
/// an offset; that of a base is zero). at[i * stride + lane] is corner i of a lane.
///
/// The differences are formed while a row still is a particle, before the transpose: it costs one
/// transpose per edge and none for the bases.
template <int N, class T>
inline void gather_relative(const Quad<ScalarOf<T>>* base, const Quad<ScalarOf<T>>* offset, const QuadAt* at,
                            int stride, Vec3<T> (&x)[N], T (&w)[N]) {
  using S = ScalarOf<T>;
  constexpr int W = NumberTraits<T>::kWidth;
  if constexpr (W > 1 && sizeof(S) == 4) {
    detail::QuadRows<S, W> offset0, base0;
    for (int r = 0; r < 4; ++r) offset0.r[r] = detail::load_row<S, W>(offset, at, r);
    for (int r = 0; r < 4; ++r) base0.r[r] = detail::load_row<S, W>(base, at, r);
    w[0] = detail::w_of_rows<S, W>(offset0);
    x[0] = {T(S(0)), T(S(0)), T(S(0))};
    for (int r = 0; r < 4; ++r) offset0.r[r] = detail::without_w<S, W>(offset0.r[r]);
    for (int i = 1; i < N; ++i) {
      const QuadAt* corner = at + i * stride;
      detail::QuadRows<S, W> edge;
      for (int r = 0; r < 4; ++r) {
        edge.r[r] = (detail::load_row<S, W>(offset, corner, r) - offset0.r[r]) +
                    (detail::load_row<S, W>(base, corner, r) - base0.r[r]);
      }
      detail::transpose<S, W>(edge, x[i], w[i]);
    }
  } else {
    S lanes[N][4][W];
    for (int l = 0; l < W; ++l) {
      const Quad<S>& o0 = quad(offset, at[l]);
      const Quad<S>& b0 = quad(base, at[l]);
      for (int i = 0; i < N; ++i) {
        const Quad<S>& o = quad(offset, at[i * stride + l]);
        const Quad<S>& b = quad(base, at[i * stride + l]);
        lanes[i][0][l] = i == 0 ? S(0) : (o.x - o0.x) + (b.x - b0.x);
        lanes[i][1][l] = i == 0 ? S(0) : (o.y - o0.y) + (b.y - b0.y);
        lanes[i][2][l] = i == 0 ? S(0) : (o.z - o0.z) + (b.z - b0.z);
        lanes[i][3][l] = o.w;
      }
    }
    for (int i = 0; i < N; ++i) {
      x[i] = {load<T>(lanes[i][0]), load<T>(lanes[i][1]), load<T>(lanes[i][2])};
      w[i] = load<T>(lanes[i][3]);
    }
  }
}

/// The x, y, z of W quads.
template <class T>
inline Vec3<T> gather(const Quad<ScalarOf<T>>* p, const QuadAt* at) {
  using S = ScalarOf<T>;
  constexpr int W = NumberTraits<T>::kWidth;
  Vec3<T> x;
  if constexpr (W > 1 && sizeof(S) == 4) {
    detail::QuadRows<S, W> rows;
    for (int r = 0; r < 4; ++r) rows.r[r] = detail::load_row<S, W>(p, at, r);
    T w;
    detail::transpose<S, W>(rows, x, w);
  } else {
    S lanes[3][W];
    for (int l = 0; l < W; ++l) {
      lanes[0][l] = quad(p, at[l]).x;
      lanes[1][l] = quad(p, at[l]).y;
      lanes[2][l] = quad(p, at[l]).z;
    }
    x = {load<T>(lanes[0]), load<T>(lanes[1]), load<T>(lanes[2])};
  }
  return x;
}

/// Adds d to the x, y, z of W quads, one after another; the fourth number stays.
template <class T>
inline void scatter_add(Quad<ScalarOf<T>>* p, const QuadAt* at, const Vec3<T>& d) {
  using S = ScalarOf<T>;
  constexpr int W = NumberTraits<T>::kWidth;
  if constexpr (W > 1 && sizeof(S) == 4) {
    const auto rows = detail::to_rows<S, W>(d);
    for (int r = 0; r < 4; ++r) detail::add_row<S, W>(p, at, r, rows.r[r]);
  } else {
    S lanes[3][W];
    store(d.x, lanes[0]);
    store(d.y, lanes[1]);
    store(d.z, lanes[2]);
    for (int l = 0; l < W; ++l) {
      Quad<S>& q = quad(p, at[l]);
      q.x += lanes[0][l];
      q.y += lanes[1][l];
      q.z += lanes[2][l];
    }
  }
}

/// The same, but a lane whose mask number is zero is not written at all: several lanes and threads
/// may then name the same static particle.
template <class T>
inline void scatter_add_where(Quad<ScalarOf<T>>* p, const QuadAt* at, const Vec3<T>& d, const T& nonzero) {
  using S = ScalarOf<T>;
  constexpr int W = NumberTraits<T>::kWidth;
  S lanes[4][W];
  store(d.x, lanes[0]);
  store(d.y, lanes[1]);
  store(d.z, lanes[2]);
  store(nonzero, lanes[3]);
  for (int l = 0; l < W; ++l) {
    if (lanes[3][l] == S(0)) continue;
    Quad<S>& q = quad(p, at[l]);
    q.x += lanes[0][l];
    q.y += lanes[1][l];
    q.z += lanes[2][l];
  }
}

}  // namespace pliant
