#pragma once
// mueller14's constraints of a triangle in double precision, plain (eq. 9, 10) and modified (eq. 14, 15), one after
// another: for what the document says about the difference. The modified ones are the engine's own (tri_strain.h).

#include "constraints/tri_strain.h"

namespace pliant::experiments {

enum class StrainForm { plain, modified };

/// C of entry E (0, 1: stretch, 2: shear) and its gradients. Rest stretches are 1.
template <int E>
double evaluate_strain(StrainForm form, const TriStrain<double>::Rest& rest, const Vec3d (&x)[3],
                       Vec3d (&gradient)[3]) {
  if (form == StrainForm::modified) return TriStrain<double>::evaluate_entry<E>(rest, x, gradient);
  const Vec3d e1 = x[1] - x[0], e2 = x[2] - x[0];
  const Vec3d f0 = e1 * rest.m00 + e2 * rest.m10, f1 = e1 * rest.m01 + e2 * rest.m11;
  double C;
  if constexpr (E == 0) {
    C = dot(f0, f0) - 1;
    gradient[1] = f0 * (2 * rest.m00);
    gradient[2] = f0 * (2 * rest.m10);
  } else if constexpr (E == 1) {
    C = dot(f1, f1) - 1;
    gradient[1] = f1 * (2 * rest.m01);
    gradient[2] = f1 * (2 * rest.m11);
  } else {
    C = dot(f0, f1);
    gradient[1] = f1 * rest.m00 + f0 * rest.m01;
    gradient[2] = f1 * rest.m10 + f0 * rest.m11;
  }
  gradient[0] = -(gradient[1] + gradient[2]);
  return C;
}

/// One projection of entry E with inverse masses w (mueller14 eq. 1, 2), or a part of it.
template <int E>
void project_strain(StrainForm form, const TriStrain<double>::Rest& rest, const double (&w)[3], Vec3d (&x)[3],
                    double part = 1) {
  Vec3d gradient[3];
  const double C = evaluate_strain<E>(form, rest, x, gradient);
  double sum = 0;
  for (int k = 0; k < 3; ++k) sum += w[k] * dot(gradient[k], gradient[k]);
  if (!(sum > 0)) return;
  for (int k = 0; k < 3; ++k) x[k] -= gradient[k] * (part * w[k] * C / sum);
}

}  // namespace pliant::experiments
