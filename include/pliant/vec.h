#pragma once
// Small vectors and matrices over any number type T: float, double, or a SIMD pack (math/simd.h).
//
// Products that are summed go through mul_add, which is a fused multiply-add wherever the target
// has one. Scalars and packs therefore do the same roundings in the same order: the scalar
// instance of a kernel equals each lane of the wide one to the bit.

#include <array>
#include <cmath>

namespace pliant {

#if defined(__FMA__) || defined(__ARM_FEATURE_FMA) || defined(__VSX__)
inline constexpr bool kHasFma = true;
#else
inline constexpr bool kHasFma = false;
#endif

/// a * b + c, rounded once where the target has a fused multiply-add.
inline float mul_add(float a, float b, float c) {
  return kHasFma ? std::fma(a, b, c) : a * b + c;
}
inline double mul_add(double a, double b, double c) {
  return kHasFma ? std::fma(a, b, c) : a * b + c;
}
/// c - a * b, rounded once where the target has a fused multiply-add.
inline float neg_mul_add(float a, float b, float c) {
  return kHasFma ? std::fma(-a, b, c) : c - a * b;
}
inline double neg_mul_add(double a, double b, double c) {
  return kHasFma ? std::fma(-a, b, c) : c - a * b;
}

template <class T>
struct Vec2 {
  T x{}, y{};
};

template <class T>
struct Vec3 {
  T x{}, y{}, z{};

  T& operator[](int i) { return i == 0 ? x : i == 1 ? y : z; }
  const T& operator[](int i) const { return i == 0 ? x : i == 1 ? y : z; }

  Vec3& operator+=(const Vec3& b) { return *this = *this + b; }
  Vec3& operator-=(const Vec3& b) { return *this = *this - b; }
  Vec3& operator*=(const T& s) { return *this = *this * s; }

  friend Vec3 operator+(const Vec3& a, const Vec3& b) { return {a.x + b.x, a.y + b.y, a.z + b.z}; }
  friend Vec3 operator-(const Vec3& a, const Vec3& b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
  friend Vec3 operator-(const Vec3& a) { return {-a.x, -a.y, -a.z}; }
  friend Vec3 operator*(const Vec3& a, const T& s) { return {a.x * s, a.y * s, a.z * s}; }
  friend Vec3 operator*(const T& s, const Vec3& a) { return {a.x * s, a.y * s, a.z * s}; }
  friend Vec3 operator/(const Vec3& a, const T& s) { return {a.x / s, a.y / s, a.z / s}; }
  friend bool operator==(const Vec3& a, const Vec3& b) { return a.x == b.x && a.y == b.y && a.z == b.z; }
};

using Vec2d = Vec2<double>;
using Vec3f = Vec3<float>;
using Vec3d = Vec3<double>;

template <class T>
inline T dot(const Vec3<T>& a, const Vec3<T>& b) {
  return mul_add(a.z, b.z, mul_add(a.y, b.y, a.x * b.x));
}

template <class T>
inline Vec3<T> cross(const Vec3<T>& a, const Vec3<T>& b) {
  return {neg_mul_add(a.z, b.y, a.y * b.z), neg_mul_add(a.x, b.z, a.z * b.x), neg_mul_add(a.y, b.x, a.x * b.y)};
}

/// a * s + b
template <class T>
inline Vec3<T> mul_add(const Vec3<T>& a, const T& s, const Vec3<T>& b) {
  return {mul_add(a.x, s, b.x), mul_add(a.y, s, b.y), mul_add(a.z, s, b.z)};
}

template <class T>
inline T length_squared(const Vec3<T>& a) {
  return dot(a, a);
}

template <class T>
inline T length(const Vec3<T>& a) {
  using std::sqrt;
  return sqrt(dot(a, a));
}

template <class To, class From>
inline Vec3<To> cast(const Vec3<From>& a) {
  return {static_cast<To>(a.x), static_cast<To>(a.y), static_cast<To>(a.z)};
}

}  // namespace pliant
