#pragma once
// Small matrices over any number type T: float, double, or a pack of either (math/simd.h).
//
//   Mat3<T>   3 x 3, by columns          Mat2<T>    2 x 2, by columns
//   Mat32<T>  3 x 2: the deformation gradient of a triangle, from its plane into space
//   Sym3<T>   symmetric 3 x 3, six numbers
//
// Columns are named c0, c1, c2, as the columns of a deformation gradient are the images of the
// axes; A(row, column) reaches one entry. Sums of products go through mul_add in a fixed order, so
// that a lane of a pack equals the plain number to the bit.

#include "math/simd.h"

namespace pliant {

// ------------------------------------------------------------------ vectors: what pliant/vec.h leaves open

template <class T>
inline Vec3<T> select(const MaskOf<T>& m, const Vec3<T>& a, const Vec3<T>& b) {
  return {select(m, a.x, b.x), select(m, a.y, b.y), select(m, a.z, b.z)};
}

template <class T>
inline Vec2<T> operator+(const Vec2<T>& a, const Vec2<T>& b) {
  return {a.x + b.x, a.y + b.y};
}
template <class T>
inline Vec2<T> operator-(const Vec2<T>& a, const Vec2<T>& b) {
  return {a.x - b.x, a.y - b.y};
}
template <class T>
inline Vec2<T> operator-(const Vec2<T>& a) {
  return {-a.x, -a.y};
}
template <class T>
inline Vec2<T> operator*(const Vec2<T>& a, const std::type_identity_t<T>& s) {
  return {a.x * s, a.y * s};
}
template <class T>
inline T dot(const Vec2<T>& a, const Vec2<T>& b) {
  return mul_add(a.y, b.y, a.x * b.x);
}
/// a * s + b
template <class T>
inline Vec2<T> mul_add(const Vec2<T>& a, const T& s, const Vec2<T>& b) {
  return {mul_add(a.x, s, b.x), mul_add(a.y, s, b.y)};
}

// ------------------------------------------------------------------ 2 x 2

template <class T>
struct Mat2 {
  Vec2<T> c0, c1;

  static Mat2 identity() { return diagonal({T(1), T(1)}); }
  static Mat2 diagonal(const Vec2<T>& d) { return {{d.x, T(0)}, {T(0), d.y}}; }
  static Mat2 from_rows(const Vec2<T>& r0, const Vec2<T>& r1) { return {{r0.x, r1.x}, {r0.y, r1.y}}; }

  T& operator()(int row, int column) {
    Vec2<T>& c = column == 0 ? c0 : c1;
    return row == 0 ? c.x : c.y;
  }
  const T& operator()(int row, int column) const { return const_cast<Mat2&>(*this)(row, column); }

  friend Mat2 operator+(const Mat2& a, const Mat2& b) { return {a.c0 + b.c0, a.c1 + b.c1}; }
  friend Mat2 operator-(const Mat2& a, const Mat2& b) { return {a.c0 - b.c0, a.c1 - b.c1}; }
  friend Mat2 operator-(const Mat2& a) { return {-a.c0, -a.c1}; }
  friend Mat2 operator*(const Mat2& a, const T& s) { return {a.c0 * s, a.c1 * s}; }
  friend Mat2 operator*(const T& s, const Mat2& a) { return {a.c0 * s, a.c1 * s}; }
  friend Vec2<T> operator*(const Mat2& a, const Vec2<T>& v) { return mul_add(a.c1, v.y, a.c0 * v.x); }
  friend Mat2 operator*(const Mat2& a, const Mat2& b) { return {a * b.c0, a * b.c1}; }
};

template <class T>
inline Mat2<T> transpose(const Mat2<T>& a) {
  return {{a.c0.x, a.c1.x}, {a.c0.y, a.c1.y}};
}
template <class T>
inline T trace(const Mat2<T>& a) {
  return a.c0.x + a.c1.y;
}
template <class T>
inline T determinant(const Mat2<T>& a) {
  return neg_mul_add(a.c1.x, a.c0.y, a.c0.x * a.c1.y);
}
/// Sum of the products of the entries.
template <class T>
inline T dot(const Mat2<T>& a, const Mat2<T>& b) {
  return dot(a.c0, b.c0) + dot(a.c1, b.c1);
}
template <class T>
inline T norm_squared(const Mat2<T>& a) {
  return dot(a, a);
}
/// a b^T
template <class T>
inline Mat2<T> outer(const Vec2<T>& a, const Vec2<T>& b) {
  return {a * b.x, a * b.y};
}
/// The derivative of the determinant: det(A) A^-T, finite for every A.
template <class T>
inline Mat2<T> cofactor(const Mat2<T>& a) {
  return {{a.c1.y, -a.c1.x}, {-a.c0.y, a.c0.x}};
}
/// Adjugate over determinant. A singular matrix gives entries that are not finite.
template <class T>
inline Mat2<T> inverse(const Mat2<T>& a) {
  return transpose(cofactor(a)) * (T(1) / determinant(a));
}

// ------------------------------------------------------------------ 3 x 3

template <class T>
struct Mat3 {
  Vec3<T> c0, c1, c2;

  static Mat3 identity() { return diagonal({T(1), T(1), T(1)}); }
  static Mat3 diagonal(const Vec3<T>& d) {
    const T zero = T(0);
    return {{d.x, zero, zero}, {zero, d.y, zero}, {zero, zero, d.z}};
  }
  static Mat3 from_rows(const Vec3<T>& r0, const Vec3<T>& r1, const Vec3<T>& r2) {
    return {{r0.x, r1.x, r2.x}, {r0.y, r1.y, r2.y}, {r0.z, r1.z, r2.z}};
  }

  Vec3<T>& column(int i) { return i == 0 ? c0 : i == 1 ? c1 : c2; }
  const Vec3<T>& column(int i) const { return i == 0 ? c0 : i == 1 ? c1 : c2; }
  Vec3<T> row(int i) const { return {c0[i], c1[i], c2[i]}; }
  T& operator()(int row, int column_index) { return column(column_index)[row]; }
  const T& operator()(int row, int column_index) const { return column(column_index)[row]; }

  friend Mat3 operator+(const Mat3& a, const Mat3& b) { return {a.c0 + b.c0, a.c1 + b.c1, a.c2 + b.c2}; }
  friend Mat3 operator-(const Mat3& a, const Mat3& b) { return {a.c0 - b.c0, a.c1 - b.c1, a.c2 - b.c2}; }
  friend Mat3 operator-(const Mat3& a) { return {-a.c0, -a.c1, -a.c2}; }
  friend Mat3 operator*(const Mat3& a, const T& s) { return {a.c0 * s, a.c1 * s, a.c2 * s}; }
  friend Mat3 operator*(const T& s, const Mat3& a) { return {a.c0 * s, a.c1 * s, a.c2 * s}; }
  friend Vec3<T> operator*(const Mat3& a, const Vec3<T>& v) {
    return mul_add(a.c2, v.z, mul_add(a.c1, v.y, a.c0 * v.x));
  }
  friend Mat3 operator*(const Mat3& a, const Mat3& b) { return {a * b.c0, a * b.c1, a * b.c2}; }
};

/// a * s + b
template <class T>
inline Mat3<T> mul_add(const Mat3<T>& a, const T& s, const Mat3<T>& b) {
  return {mul_add(a.c0, s, b.c0), mul_add(a.c1, s, b.c1), mul_add(a.c2, s, b.c2)};
}
template <class T>
inline Mat3<T> transpose(const Mat3<T>& a) {
  return {{a.c0.x, a.c1.x, a.c2.x}, {a.c0.y, a.c1.y, a.c2.y}, {a.c0.z, a.c1.z, a.c2.z}};
}
/// A^T v
template <class T>
inline Vec3<T> transpose_mul(const Mat3<T>& a, const Vec3<T>& v) {
  return {dot(a.c0, v), dot(a.c1, v), dot(a.c2, v)};
}
/// A^T B
template <class T>
inline Mat3<T> transpose_mul(const Mat3<T>& a, const Mat3<T>& b) {
  return {transpose_mul(a, b.c0), transpose_mul(a, b.c1), transpose_mul(a, b.c2)};
}
/// A B^T
template <class T>
inline Mat3<T> mul_transpose(const Mat3<T>& a, const Mat3<T>& b) {
  return a * transpose(b);
}
template <class T>
inline T trace(const Mat3<T>& a) {
  return a.c0.x + a.c1.y + a.c2.z;
}
template <class T>
inline T determinant(const Mat3<T>& a) {
  return dot(a.c0, cross(a.c1, a.c2));
}
/// Sum of the products of the entries.
template <class T>
inline T dot(const Mat3<T>& a, const Mat3<T>& b) {
  return dot(a.c0, b.c0) + dot(a.c1, b.c1) + dot(a.c2, b.c2);
}
template <class T>
inline T norm_squared(const Mat3<T>& a) {
  return dot(a, a);
}
/// a b^T
template <class T>
inline Mat3<T> outer(const Vec3<T>& a, const Vec3<T>& b) {
  return {a * b.x, a * b.y, a * b.z};
}
/// The matrix of v -> a x v.
template <class T>
inline Mat3<T> cross_matrix(const Vec3<T>& a) {
  const T zero = T(0);
  return {{zero, a.z, -a.y}, {-a.z, zero, a.x}, {a.y, -a.x, zero}};
}
/// The derivative of the determinant: det(A) A^-T, finite for every A.
template <class T>
inline Mat3<T> cofactor(const Mat3<T>& a) {
  return {cross(a.c1, a.c2), cross(a.c2, a.c0), cross(a.c0, a.c1)};
}
/// Adjugate over determinant. A singular matrix gives entries that are not finite; so does one whose
/// determinant underflows (float: entries below about 1e-13), so scale lengths before inverting.
template <class T>
inline Mat3<T> inverse(const Mat3<T>& a) {
  const Mat3<T> adjugate_transposed = cofactor(a);
  const T det = dot(a.c0, adjugate_transposed.c0);
  return transpose(adjugate_transposed) * (T(1) / det);
}
/// The inverse where the determinant is not zero, the zero matrix where it is.
template <class T>
inline Mat3<T> inverse_or_zero(const Mat3<T>& a) {
  const Mat3<T> adjugate_transposed = cofactor(a);
  const T det = dot(a.c0, adjugate_transposed.c0);
  const auto singular = det == T(0);
  const T scale = select(singular, T(0), T(1) / select(singular, T(1), det));
  return transpose(adjugate_transposed) * scale;
}
template <class T>
inline Mat3<T> select(const MaskOf<T>& m, const Mat3<T>& a, const Mat3<T>& b) {
  return {select(m, a.c0, b.c0), select(m, a.c1, b.c1), select(m, a.c2, b.c2)};
}
template <class To, class From>
inline Mat3<To> cast(const Mat3<From>& a) {
  return {cast<To>(a.c0), cast<To>(a.c1), cast<To>(a.c2)};
}

// ------------------------------------------------------------------ symmetric 3 x 3

template <class T>
struct Sym3 {
  T xx{}, yy{}, zz{}, xy{}, xz{}, yz{};

  static Sym3 identity() { return {T(1), T(1), T(1), T(0), T(0), T(0)}; }

  friend Sym3 operator+(const Sym3& a, const Sym3& b) {
    return {a.xx + b.xx, a.yy + b.yy, a.zz + b.zz, a.xy + b.xy, a.xz + b.xz, a.yz + b.yz};
  }
  friend Sym3 operator-(const Sym3& a, const Sym3& b) {
    return {a.xx - b.xx, a.yy - b.yy, a.zz - b.zz, a.xy - b.xy, a.xz - b.xz, a.yz - b.yz};
  }
  friend Sym3 operator*(const Sym3& a, const T& s) {
    return {a.xx * s, a.yy * s, a.zz * s, a.xy * s, a.xz * s, a.yz * s};
  }
  friend Sym3 operator*(const T& s, const Sym3& a) { return a * s; }
  friend Vec3<T> operator*(const Sym3& a, const Vec3<T>& v) {
    return {mul_add(a.xz, v.z, mul_add(a.xy, v.y, a.xx * v.x)), mul_add(a.yz, v.z, mul_add(a.yy, v.y, a.xy * v.x)),
            mul_add(a.zz, v.z, mul_add(a.yz, v.y, a.xz * v.x))};
  }
};

template <class T>
inline Mat3<T> to_matrix(const Sym3<T>& a) {
  return {{a.xx, a.xy, a.xz}, {a.xy, a.yy, a.yz}, {a.xz, a.yz, a.zz}};
}
/// (A + A^T) / 2
template <class T>
inline Sym3<T> symmetric_part(const Mat3<T>& a) {
  const T half = T(0.5f);
  return {a.c0.x, a.c1.y, a.c2.z, half * (a.c0.y + a.c1.x), half * (a.c0.z + a.c2.x), half * (a.c1.z + a.c2.y)};
}
/// A^T A
template <class T>
inline Sym3<T> gram(const Mat3<T>& a) {
  return {dot(a.c0, a.c0), dot(a.c1, a.c1), dot(a.c2, a.c2), dot(a.c0, a.c1), dot(a.c0, a.c2), dot(a.c1, a.c2)};
}
template <class T>
inline T trace(const Sym3<T>& a) {
  return a.xx + a.yy + a.zz;
}
/// Sum of the products of the nine entries.
template <class T>
inline T dot(const Sym3<T>& a, const Sym3<T>& b) {
  const T diagonal = mul_add(a.zz, b.zz, mul_add(a.yy, b.yy, a.xx * b.xx));
  const T off = mul_add(a.yz, b.yz, mul_add(a.xz, b.xz, a.xy * b.xy));
  return mul_add(T(2), off, diagonal);
}
/// The derivative of the determinant: det(A) A^-1, finite for every A.
template <class T>
inline Sym3<T> cofactor(const Sym3<T>& a) {
  return {neg_mul_add(a.yz, a.yz, a.yy * a.zz), neg_mul_add(a.xz, a.xz, a.xx * a.zz),
          neg_mul_add(a.xy, a.xy, a.xx * a.yy), neg_mul_add(a.xy, a.zz, a.xz * a.yz),
          neg_mul_add(a.xz, a.yy, a.xy * a.yz), neg_mul_add(a.yz, a.xx, a.xy * a.xz)};
}
template <class T>
inline T determinant(const Sym3<T>& a) {
  const Sym3<T> c = cofactor(a);
  return mul_add(a.xz, c.xz, mul_add(a.xy, c.xy, a.xx * c.xx));
}
/// Adjugate over determinant. A singular matrix gives entries that are not finite.
template <class T>
inline Sym3<T> inverse(const Sym3<T>& a) {
  const Sym3<T> c = cofactor(a);
  return c * (T(1) / mul_add(a.xz, c.xz, mul_add(a.xy, c.xy, a.xx * c.xx)));
}

// ------------------------------------------------------------------ 3 x 2

template <class T>
struct Mat32 {
  Vec3<T> c0, c1;

  const T& operator()(int row, int column) const { return column == 0 ? c0[row] : c1[row]; }
  T& operator()(int row, int column) { return column == 0 ? c0[row] : c1[row]; }

  friend Mat32 operator+(const Mat32& a, const Mat32& b) { return {a.c0 + b.c0, a.c1 + b.c1}; }
  friend Mat32 operator-(const Mat32& a, const Mat32& b) { return {a.c0 - b.c0, a.c1 - b.c1}; }
  friend Mat32 operator-(const Mat32& a) { return {-a.c0, -a.c1}; }
  friend Mat32 operator*(const Mat32& a, const T& s) { return {a.c0 * s, a.c1 * s}; }
  friend Mat32 operator*(const T& s, const Mat32& a) { return {a.c0 * s, a.c1 * s}; }
  friend Vec3<T> operator*(const Mat32& a, const Vec2<T>& v) { return mul_add(a.c1, v.y, a.c0 * v.x); }
  friend Mat32 operator*(const Mat32& a, const Mat2<T>& b) { return {a * b.c0, a * b.c1}; }
  friend Mat32 operator*(const Mat3<T>& a, const Mat32& b) { return {a * b.c0, a * b.c1}; }
};

/// A^T v
template <class T>
inline Vec2<T> transpose_mul(const Mat32<T>& a, const Vec3<T>& v) {
  return {dot(a.c0, v), dot(a.c1, v)};
}
/// A^T B
template <class T>
inline Mat2<T> transpose_mul(const Mat32<T>& a, const Mat32<T>& b) {
  return {transpose_mul(a, b.c0), transpose_mul(a, b.c1)};
}
/// A^T A
template <class T>
inline Mat2<T> gram(const Mat32<T>& a) {
  const T off = dot(a.c0, a.c1);
  return {{dot(a.c0, a.c0), off}, {off, dot(a.c1, a.c1)}};
}
/// A B^T
template <class T>
inline Mat32<T> mul_transpose(const Mat32<T>& a, const Mat2<T>& b) {
  return a * transpose(b);
}
/// Sum of the products of the entries.
template <class T>
inline T dot(const Mat32<T>& a, const Mat32<T>& b) {
  return dot(a.c0, b.c0) + dot(a.c1, b.c1);
}
template <class T>
inline T norm_squared(const Mat32<T>& a) {
  return dot(a, a);
}
/// a b^T
template <class T>
inline Mat32<T> outer(const Vec3<T>& a, const Vec2<T>& b) {
  return {a * b.x, a * b.y};
}

}  // namespace pliant
