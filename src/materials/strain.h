#pragma once
// Measures of strain from the deformation gradient F, over any number type T.
//
// All go through H = F - I. Near rest that difference is exact (Sterbenz), and what is built from it
// keeps its relative accuracy, while F^T F - I, I1 - 3 or J - 1 formed from F itself lose as many
// digits as the strain is small: in float a strain of 1e-4 would keep three.

#include "materials/logarithm.h"
#include "math/matrix.h"

namespace pliant {

/// H = F - I
template <class T>
inline Mat3<T> displacement_gradient(const Mat3<T>& F) {
  const T one = T(1);
  Mat3<T> H = F;
  H.c0.x = F.c0.x - one;
  H.c1.y = F.c1.y - one;
  H.c2.z = F.c2.z - one;
  return H;
}

/// A = F^T F - I = H + H^T + H^T H, twice the Green strain.
template <class T>
inline Sym3<T> doubled_green_strain(const Mat3<T>& H) {
  const T two = T(2);
  return {mul_add(two, H.c0.x, dot(H.c0, H.c0)), mul_add(two, H.c1.y, dot(H.c1, H.c1)),
          mul_add(two, H.c2.z, dot(H.c2, H.c2)), (H.c0.y + H.c1.x) + dot(H.c0, H.c1),
          (H.c0.z + H.c2.x) + dot(H.c0, H.c2),   (H.c1.z + H.c2.y) + dot(H.c1, H.c2)};
}

/// B = F F^T - I = H + H^T + H H^T
template <class T>
inline Sym3<T> doubled_left_strain(const Mat3<T>& H) {
  return doubled_green_strain(transpose(H));
}

/// J - 1 = det(I + H) - 1 = tr H + (sum of principal minors of H) + det H
template <class T>
inline T volume_change(const Mat3<T>& H) {
  const T minors = neg_mul_add(H.c1.x, H.c0.y, H.c0.x * H.c1.y) + neg_mul_add(H.c2.x, H.c0.z, H.c0.x * H.c2.z) +
                   neg_mul_add(H.c2.y, H.c1.z, H.c1.y * H.c2.z);
  return trace(H) + (minors + determinant(H));
}

/// J and J - 1, each to full relative accuracy: from H near rest, where J - 1 would cancel, and from F
/// far from it, where 1 + (J - 1) would (a body squeezed to a thousandth).
template <class T>
inline NearOne<T> volume_ratio(const Mat3<T>& F, const Mat3<T>& H) {
  const T from_H = volume_change(H);
  const T from_F = determinant(F);
  const auto near = abs(from_H) <= T(0.5f);
  return {select(near, T(1) + from_H, from_F), select(near, from_H, from_F - T(1))};
}

/// (I1 - 3) - 2 (J - 1), which is of second order in H:
///   sum_i h_ii^2 + sum_(i<j) ((h_ij + h_ji)^2 - 2 h_ii h_jj) - 2 det H
template <class T>
inline T distortion(const Mat3<T>& H) {
  const T xy = H.c1.x + H.c0.y, xz = H.c2.x + H.c0.z, yz = H.c2.y + H.c1.z;
  const T squares = mul_add(H.c2.z, H.c2.z, mul_add(H.c1.y, H.c1.y, H.c0.x * H.c0.x));
  const T shears = mul_add(yz, yz, mul_add(xz, xz, xy * xy));
  const T products = mul_add(H.c1.y, H.c2.z, mul_add(H.c0.x, H.c2.z, H.c0.x * H.c1.y));
  return neg_mul_add(T(2), products + determinant(H), squares + shears);
}

/// F - cof F = H + H^T - tr(H) I - cof H: the part of a Neo-Hookean stress that changes shape.
template <class T>
inline Mat3<T> gradient_minus_cofactor(const Mat3<T>& H) {
  const Mat3<T> c = cofactor(H);
  const T xy = H.c1.x + H.c0.y, xz = H.c2.x + H.c0.z, yz = H.c2.y + H.c1.z;
  return {{((H.c0.x - H.c1.y) - H.c2.z) - c.c0.x, xy - c.c0.y, xz - c.c0.z},
          {xy - c.c1.x, ((H.c1.y - H.c0.x) - H.c2.z) - c.c1.y, yz - c.c1.z},
          {xz - c.c2.x, yz - c.c2.y, ((H.c2.z - H.c0.x) - H.c1.y) - c.c2.z}};
}

/// The derivative of cof F along dF: with columns f and g, (f1 x g2 + g1 x f2, ...).
template <class T>
inline Mat3<T> cofactor_change(const Mat3<T>& F, const Mat3<T>& dF) {
  return {cross(F.c1, dF.c2) + cross(dF.c1, F.c2), cross(F.c2, dF.c0) + cross(dF.c2, F.c0),
          cross(F.c0, dF.c1) + cross(dF.c0, F.c1)};
}

/// The derivative of F^T F along dF: dF^T F + F^T dF.
template <class T>
inline Sym3<T> green_strain_change(const Mat3<T>& F, const Mat3<T>& dF) {
  const T two = T(2);
  return {two * dot(F.c0, dF.c0),
          two * dot(F.c1, dF.c1),
          two * dot(F.c2, dF.c2),
          dot(F.c0, dF.c1) + dot(dF.c0, F.c1),
          dot(F.c0, dF.c2) + dot(dF.c0, F.c2),
          dot(F.c1, dF.c2) + dot(dF.c1, F.c2)};
}

/// s I + A
template <class T>
inline Sym3<T> add_to_diagonal(const Sym3<T>& A, const T& s) {
  return {A.xx + s, A.yy + s, A.zz + s, A.xy, A.xz, A.yz};
}

/// M A with A symmetric.
template <class T>
inline Mat3<T> mul(const Mat3<T>& M, const Sym3<T>& A) {
  return M * to_matrix(A);
}

}  // namespace pliant
