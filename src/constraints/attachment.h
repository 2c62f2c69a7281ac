#pragma once
#include <array>

#include "constraints/constraint.h"

namespace pliant {

/// Ties a particle to a point given by other particles: one (an anchor), the corners of a triangle,
/// or of a tet.
///
///   C = x0 - sum_j b_j x_j        [m], three entries          o 0
///   grad_0 C_k = e_k,  grad_j C_k = -b_j e_k                  :
///                                                          1--+--2   (b_j: barycentric weights)
///
/// A vector and not a distance to zero: it has no direction to lose when it is satisfied. The three
/// entries are orthogonal, and the block solve moves the particle along the straight line.
/// Compliance in m/N. Degenerate: none; the gradients are constant.
/// Angular momentum: the correction forces are equal, opposite and pass through the same two points,
/// x0 and sum b_j x_j, but their line of action differs from the line between these points unless C
/// is parallel to the correction, which the block solve with equal masses per axis makes it.
template <class T, int kCorners>
struct Attachment {
  using Number = T;
  static constexpr int kPoints = 1 + kCorners;
  static constexpr int kEntries = 3;
  static constexpr Solve kSolve = Solve::block;
  static constexpr Stencil kStencil = Stencil::pairs;
  static constexpr const char* kSummary = kCorners == 1   ? "ties a particle to a point in space"
                                          : kCorners == 3 ? "ties a particle to a point of a triangle"
                                                          : "ties a particle to a point of a tetrahedron";
  static constexpr const char* kComplianceUnit = "m/N";

  struct Rest {
    T weight[kCorners];
    template <class F>
    constexpr void each(F&& f) {
      constexpr const char* kNames[] = {"weight0", "weight1", "weight2", "weight3"};
      for (int j = 0; j < kCorners; ++j) f(kNames[j], weight[j]);
    }
  };

  /// Where nothing else is said: the middle of the corners.
  static Rest rest(const Vec3<T> (&)[kPoints]) {
    Rest rest;
    for (int j = 0; j < kCorners; ++j) rest.weight[j] = T(1) / T(kCorners);
    return rest;
  }

  static void shares(const Rest& rest, T (&b)[kPoints]) {
    b[0] = T(1);
    for (int j = 0; j < kCorners; ++j) b[j + 1] = -rest.weight[j];
  }

  static void evaluate(const Rest& rest, const Vec3<T> (&x)[kPoints], T (&C)[3], Vec3<T> (&gradient)[3][kPoints]) {
    Vec3<T> gap = x[0];
    for (int j = 0; j < kCorners; ++j) gap = mul_add(x[j + 1], -rest.weight[j], gap);
    const T zero(0);
    for (int j = 0; j < kPoints; ++j) {
      const T b = j == 0 ? T(1) : -rest.weight[j - 1];
      gradient[0][j] = {b, zero, zero};
      gradient[1][j] = {zero, b, zero};
      gradient[2][j] = {zero, zero, b};
    }
    C[0] = gap.x;
    C[1] = gap.y;
    C[2] = gap.z;
  }

  static T strain(const Rest&, T) { return T(0); }
};

template <class T>
using AttachPoint = Attachment<T, 1>;
template <class T>
using AttachTriangle = Attachment<T, 3>;
template <class T>
using AttachTet = Attachment<T, 4>;

}  // namespace pliant
