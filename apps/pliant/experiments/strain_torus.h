#pragma once
// The torus of mueller14 fig. 4, as the experiments on it have it.

#include "pliant/world.h"

namespace pliant::experiments {

inline constexpr double kTorusModulus = 1e5;  // [Pa] of stretch; 0.4 of it for shear
inline constexpr double kTorusDamping = 5;    // [1/s]

/// `volume` is its modulus as a part of that of stretch.
inline SolidStrain torus_strain(double volume) {
  SolidStrain strain;
  for (StrainStrength& s : strain.stretch) s.modulus = kTorusModulus;
  for (StrainStrength& s : strain.shear) s.modulus = 0.4 * kTorusModulus;
  strain.volume.modulus = volume * kTorusModulus;
  return strain;
}

/// Weightless, in damped steps.
inline World torus_world(int threads) {
  return World({.step = 1.0 / 60, .substeps = 10, .gravity = {}, .point_damping = kTorusDamping, .threads = threads});
}

}  // namespace pliant::experiments
