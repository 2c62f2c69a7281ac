#pragma once
// Particles in memory and in registers: quads of four numbers, gathered lane by lane into packs.

#include <bit>
#include <cstdint>
#include <cstring>

#include "math/simd.h"
#include "pliant/vec.h"

namespace pliant {

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

/// Sixteen quads that are read in order and not gathered stand in memory as registers want them: lane l at
/// place (l % 4) * 4 + l / 4, so that row r of a Quads of any width is contiguous.
constexpr int streamed_place(int lane) { return lane % 4 * 4 + lane / 4; }

/// W quads in registers, as they came from memory: one particle is four neighbouring numbers. Sums and
/// differences are formed in this shape where possible, since x(), w() and from() cost a transpose.
///
/// Floats in packs: row r holds the quads of lanes r, r + 4, ... (a 4 x 4 transpose works inside blocks of
/// 16 bytes). Plain numbers and doubles go lane by lane.
template <class T>
class Quads {
  using S = ScalarOf<T>;
  static constexpr int W = NumberTraits<T>::kWidth;
  static constexpr bool kRows = W > 1 && sizeof(S) == 4;

 public:
  static Quads gather(const Quad<S>* p, const QuadAt* at) {
    Quads q;
    if constexpr (kRows) {
      const Places<const char> from(p, at);
      for (int r = 0; r < 4; ++r) q.row_[r] = load_row<W>(from.at + r);
    } else {
      for (int l = 0; l < W; ++l) q.lane_[l] = quad(p, at[l]);
    }
    return q;
  }

  /// Lanes [first, first + W) of sixteen quads in streamed order.
  static Quads stream(const Quad<S>* p, int first) {
    Quads q;
    if constexpr (kRows) {
      for (int r = 0; r < 4; ++r) q.row_[r] = T::load(&p[4 * r + first / 4].x);
    } else {
      for (int l = 0; l < W; ++l) q.lane_[l] = p[streamed_place(first + l)];
    }
    return q;
  }

  void stream_out(Quad<S>* p, int first) const {
    if constexpr (kRows) {
      for (int r = 0; r < 4; ++r) row_[r].store(&p[4 * r + first / 4].x);
    } else {
      for (int l = 0; l < W; ++l) p[streamed_place(first + l)] = lane_[l];
    }
  }

  /// From packs of x, y, z and w.
  static Quads from(const Vec3<T>& v, const T& fourth = T(S(0))) {
    Quads q;
    if constexpr (kRows) {
      transpose_back<W>(v.x, v.y, v.z, fourth, q.row_[0], q.row_[1], q.row_[2], q.row_[3]);
    } else {
      S x[W], y[W], z[W], w[W];
      store(v.x, x);
      store(v.y, y);
      store(v.z, z);
      store(fourth, w);
      for (int l = 0; l < W; ++l) q.lane_[l] = {x[l], y[l], z[l], w[l]};
    }
    return q;
  }

  void get(Vec3<T>& xyz, T& w) const {
    if constexpr (kRows) {
      transpose<W>(row_[0], row_[1], row_[2], row_[3], xyz.x, xyz.y, xyz.z, w);
    } else {
      S out[4][W];
      for (int l = 0; l < W; ++l) {
        out[0][l] = lane_[l].x;
        out[1][l] = lane_[l].y;
        out[2][l] = lane_[l].z;
        out[3][l] = lane_[l].w;
      }
      xyz = {load<T>(out[0]), load<T>(out[1]), load<T>(out[2])};
      w = load<T>(out[3]);
    }
  }
  Vec3<T> xyz() const {
    Vec3<T> v;
    T w;
    get(v, w);
    return v;
  }
  T w() const {
    Vec3<T> v;
    T w;
    get(v, w);  // what is not used of a transpose is not computed
    return w;
  }

  Quads without_w() const {
    Quads q;
    if constexpr (kRows) {
      for (int r = 0; r < 4; ++r) q.row_[r] = clear_w<W>(row_[r]);
    } else {
      for (int l = 0; l < W; ++l) q.lane_[l] = {lane_[l].x, lane_[l].y, lane_[l].z, S(0)};
    }
    return q;
  }

  friend Quads operator+(const Quads& a, const Quads& b) {
    return combine(a, b, [](const auto& x, const auto& y) { return x + y; });
  }
  friend Quads operator-(const Quads& a, const Quads& b) {
    return combine(a, b, [](const auto& x, const auto& y) { return x - y; });
  }
  /// a + b t and a - b t, where t is one number per lane. With b.w = 0 the fourth number stays.
  friend Quads mul_add(const Quads& b, const T& t, const Quads& a) {
    return combine(b, t, a, [](const auto& x, const auto& s, const auto& y) { return mul_add(x, s, y); });
  }
  friend Quads neg_mul_add(const Quads& b, const T& t, const Quads& a) {
    return combine(b, t, a, [](const auto& x, const auto& s, const auto& y) { return neg_mul_add(x, s, y); });
  }

  /// Writes all lanes. Where lanes name the same particle the last one stays.
  void scatter(Quad<S>* p, const QuadAt* at) const {
    if constexpr (kRows) {
      const Places<char> to(p, at);
      for (int r = 0; r < 4; ++r) store_row<W>(row_[r], to.at + r);
    } else {
      for (int l = 0; l < W; ++l) quad(p, at[l]) = lane_[l];
    }
  }

  /// Writes the lanes whose number in `nonzero` is not zero. Several lanes and threads may name the same
  /// static particle: it is not written at all. Not inlined, and all by value: few batches come here, and
  /// for the others nothing may need an address and hence a place in memory.
  void scatter_where(Quad<S>* p, const QuadAt* at, const T& nonzero) const { scatter_some(*this, p, at, nonzero); }

 private:
  /// What is not to be written goes to a place of its own: branches on single lanes would be guessed wrong.
  [[gnu::noinline]] static void scatter_some(Quads q, Quad<S>* p, const QuadAt* at, T nonzero) {
    S mask[W];
    store(nonzero, mask);
    Quad<S> nowhere;
    if constexpr (kRows) {
      Places<char> to(p, at);
      for (int l = 0; l < W; ++l) to.at[l] = mask[l] != S(0) ? to.at[l] : reinterpret_cast<char*>(&nowhere);
      for (int r = 0; r < 4; ++r) store_row<W>(q.row_[r], to.at + r);
    } else {
      for (int l = 0; l < W; ++l) *(mask[l] != S(0) ? &quad(p, at[l]) : &nowhere) = q.lane_[l];
    }
  }

  template <class F>
  static Quads combine(const Quads& a, const Quads& b, F&& f) {
    Quads q;
    if constexpr (kRows) {
      for (int r = 0; r < 4; ++r) q.row_[r] = f(a.row_[r], b.row_[r]);
    } else {
      for (int l = 0; l < W; ++l) {
        const Quad<S>&x = a.lane_[l], &y = b.lane_[l];
        q.lane_[l] = {f(x.x, y.x), f(x.y, y.y), f(x.z, y.z), f(x.w, y.w)};
      }
    }
    return q;
  }

  template <class F>
  static Quads combine(const Quads& a, const T& t, const Quads& b, F&& f) {
    Quads q;
    if constexpr (kRows) {
      q.row_[0] = f(a.row_[0], spread<0, W>(t), b.row_[0]);
      q.row_[1] = f(a.row_[1], spread<1, W>(t), b.row_[1]);
      q.row_[2] = f(a.row_[2], spread<2, W>(t), b.row_[2]);
      q.row_[3] = f(a.row_[3], spread<3, W>(t), b.row_[3]);
    } else {
      S s[W];
      store(t, s);
      for (int l = 0; l < W; ++l) {
        const Quad<S>&x = a.lane_[l], &y = b.lane_[l];
        q.lane_[l] = {f(x.x, s[l], y.x), f(x.y, s[l], y.y), f(x.z, s[l], y.z), f(x.w, s[l], y.w)};
      }
    }
    return q;
  }

  // Rows of one register, or of two halves where the register is narrower than the pack.

  template <int V>
  static constexpr bool kHalves = V > kNativeLanes<S>;

  /// Addresses of W quads. Places are read two at a time: these loops are bound by the number of loads, of which
  /// a gather and its scatter take one each per lane otherwise (10 % of a distance constraint).
  template <class Byte>
  struct Places {
    template <class Q>
    Places(Q* p, const QuadAt* from) {
      Byte* const first = reinterpret_cast<Byte*>(p);
      for (int l = 0; l < W; l += 2) {
        if constexpr (std::endian::native == std::endian::little) {
          uint64_t two;
          std::memcpy(&two, from + l, sizeof(two));
          at[l] = first + static_cast<uint32_t>(two);
          at[l + 1] = first + (two >> 32);
        } else {
          at[l] = first + from[l];
          at[l + 1] = first + from[l + 1];
        }
      }
    }
    Byte* at[W];
  };

  template <int V>
  static Pack<S, V> load_row(const char* const* at) {
    if constexpr (V == 4) {
      return Pack<S, 4>::load(reinterpret_cast<const S*>(*at));
    } else {
      const auto lo = load_row<V / 2>(at);
      const auto hi = load_row<V / 2>(at + V / 2);
      if constexpr (kHalves<V>) {
        return {lo, hi};
      } else {
        return Pack<S, V>(hn::Combine(hn::FixedTag<S, V>(), hi.v, lo.v));
      }
    }
  }

  template <int V>
  static void store_row(const Pack<S, V>& row, char* const* at) {
    if constexpr (V == 4) {
      row.store(reinterpret_cast<S*>(*at));
    } else if constexpr (kHalves<V>) {
      store_row<V / 2>(row.lo, at);
      store_row<V / 2>(row.hi, at + V / 2);
    } else {
      const hn::FixedTag<S, V / 2> half;
      store_row<V / 2>(Pack<S, V / 2>(hn::LowerHalf(half, row.v)), at);
      store_row<V / 2>(Pack<S, V / 2>(hn::UpperHalf(half, row.v)), at + V / 2);
    }
  }

  template <int V>
  static Pack<S, V> clear_w(const Pack<S, V>& row) {
    if constexpr (kHalves<V>) {
      return {clear_w<V / 2>(row.lo), clear_w<V / 2>(row.hi)};
    } else {
      const hn::FixedTag<S, V> tag;
      alignas(64) static constexpr uint32_t kKeep[16] = {~0u, ~0u, ~0u, 0, ~0u, ~0u, ~0u, 0,
                                                         ~0u, ~0u, ~0u, 0, ~0u, ~0u, ~0u, 0};
      const hn::Repartition<uint32_t, decltype(tag)> bits;
      return Pack<S, V>(hn::And(row.v, hn::BitCast(tag, hn::Load(bits, kKeep))));
    }
  }

  /// Row r of one number per lane: the number of lanes r, r + 4, ... in all four places of its block.
  template <int r, int V>
  static Pack<S, V> spread(const Pack<S, V>& t) {
    if constexpr (kHalves<V>) {
      return {spread<r, V / 2>(t.lo), spread<r, V / 2>(t.hi)};
    } else {
      return Pack<S, V>(hn::Broadcast<r>(t.v));
    }
  }

  /// Interleaves of neighbouring numbers and of neighbouring pairs, inside blocks of 16 bytes.
  template <int V>
  struct Mix {
    using P = Pack<S, V>;
    using Tag = hn::FixedTag<S, V>;
    using Pairs = hn::Repartition<double, Tag>;
    static P lower(const P& a, const P& b) { return P(hn::InterleaveLower(Tag(), a.v, b.v)); }
    static P upper(const P& a, const P& b) { return P(hn::InterleaveUpper(Tag(), a.v, b.v)); }
    static P lower2(const P& a, const P& b) {
      return P(hn::BitCast(Tag(), hn::InterleaveLower(Pairs(), hn::BitCast(Pairs(), a.v), hn::BitCast(Pairs(), b.v))));
    }
    static P upper2(const P& a, const P& b) {
      return P(hn::BitCast(Tag(), hn::InterleaveUpper(Pairs(), hn::BitCast(Pairs(), a.v), hn::BitCast(Pairs(), b.v))));
    }
  };

  template <int V, class P = Pack<S, V>>
  static void transpose(const P& r0, const P& r1, const P& r2, const P& r3, P& x, P& y, P& z, P& w) {
    if constexpr (kHalves<V>) {
      transpose<V / 2>(r0.lo, r1.lo, r2.lo, r3.lo, x.lo, y.lo, z.lo, w.lo);
      transpose<V / 2>(r0.hi, r1.hi, r2.hi, r3.hi, x.hi, y.hi, z.hi, w.hi);
    } else {
      using M = Mix<V>;
      const P t0 = M::lower(r0, r1), t1 = M::lower(r2, r3), t2 = M::upper(r0, r1), t3 = M::upper(r2, r3);
      x = M::lower2(t0, t1);
      y = M::upper2(t0, t1);
      z = M::lower2(t2, t3);
      w = M::upper2(t2, t3);
    }
  }

  template <int V, class P = Pack<S, V>>
  static void transpose_back(const P& x, const P& y, const P& z, const P& w, P& r0, P& r1, P& r2, P& r3) {
    if constexpr (kHalves<V>) {
      transpose_back<V / 2>(x.lo, y.lo, z.lo, w.lo, r0.lo, r1.lo, r2.lo, r3.lo);
      transpose_back<V / 2>(x.hi, y.hi, z.hi, w.hi, r0.hi, r1.hi, r2.hi, r3.hi);
    } else {
      using M = Mix<V>;
      const P t0 = M::lower(x, y), t1 = M::lower(z, w), t2 = M::upper(x, y), t3 = M::upper(z, w);
      r0 = M::lower2(t0, t1);
      r1 = M::upper2(t0, t1);
      r2 = M::lower2(t2, t3);
      r3 = M::upper2(t2, t3);
    }
  }

  struct None {};
  std::conditional_t<kRows, T, None> row_[4];
  std::conditional_t<kRows, None, Quad<S>> lane_[W];
};

}  // namespace pliant
