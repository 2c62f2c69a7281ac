#pragma once
// A deformation gradient as a stretch followed by a rotation, for the corotated models.
//
//   F = R (I + e),  R a rotation (det +1), e symmetric
//
// From the singular values, F = U diag(s) V^T: R = U V^T, e = V diag(s - 1) V^T. An inverted element has its
// reflection in the smallest singular value, so e has an eigenvalue below -1 and pulls it back through flat.

#include "materials/strain.h"
#include "math/svd.h"

namespace pliant {

template <class T>
struct Corotation {
  Mat3<T> R;
  Sym3<T> e;
  Svd3<T> parts;
};

template <class T>
inline Corotation<T> corotation(const Mat3<T>& F) {
  const Svd3<T> parts = svd(F);
  const Mat3<T> R = mul_transpose(parts.u, parts.v);
  const T one = T(1);
  const Vec3<T> d = {parts.s.x - one, parts.s.y - one, parts.s.z - one};
  const Mat3<T> scaled = {parts.v.c0 * d.x, parts.v.c1 * d.y, parts.v.c2 * d.z};
  const Sym3<T> e = symmetric_part(mul_transpose(scaled, parts.v));
  // s - 1 has an error of a few eps, however small the strain. (I + e)^2 = I + A with A = F^T F - I, which is known
  // to its own last digits, so (A - e^2)/2 has that error times |e|: better near rest, no worse up to |e| = 1/2.
  const Sym3<T> A = doubled_green_strain(displacement_gradient(F));
  const Sym3<T> refined = (A - gram(to_matrix(e))) * T(0.5f);
  const auto near = dot(e, e) < T(0.25f);
  const auto choose = [&](const T& a, const T& b) { return select(near, a, b); };
  return {R,
          {choose(refined.xx, e.xx), choose(refined.yy, e.yy), choose(refined.zz, e.zz), choose(refined.xy, e.xy),
           choose(refined.xz, e.xz), choose(refined.yz, e.yz)},
          parts};
}

/// The derivative of R along dF. R^T dR is the cross matrix of w with (tr(S) I - S) w = the axis of R^T dF - dF^T R,
/// S = I + e; in the frame of V that is a division by sums of two singular values. The sum of the lower two is zero
/// where an element is as much inverted as it is thick: R jumps there, and the division is held at 1e-6.
template <class T>
inline Mat3<T> rotation_change(const Corotation<T>& c, const Mat3<T>& dF) {
  const Mat3<T> M = transpose_mul(c.R, dF);
  const Vec3<T> axis = {M.c1.z - M.c2.y, M.c2.x - M.c0.z, M.c0.y - M.c1.x};
  const Vec3<T> a = transpose_mul(c.parts.v, axis);
  const T least = number<T>(1e-6);
  const Vec3<T>& s = c.parts.s;
  const Vec3<T> w =
      c.parts.v * Vec3<T>{a.x / max(s.y + s.z, least), a.y / max(s.x + s.z, least), a.z / max(s.x + s.y, least)};
  return c.R * cross_matrix(w);
}

}  // namespace pliant
