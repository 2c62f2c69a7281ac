#pragma once
// What the tests must know of the build that they run in: precision, SIMD widths, sanitizers.

#include <algorithm>
#include <vector>

#include "constraints/registry.h"
#include "math/simd.h"
#include "pliant/world.h"

namespace pliant::test {

/// The precision that a World has unless told otherwise.
#ifdef PLIANT_DOUBLE
using StandardReal = double;
#else
using StandardReal = float;
#endif
inline constexpr bool kStandardIsDouble = sizeof(StandardReal) == 8;
/// Largest relative error of one rounding: half of the distance from 1 to the next number.
inline constexpr double kRounding = std::numeric_limits<StandardReal>::epsilon() / 2;

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr bool kSanitized = true;
#else
inline constexpr bool kSanitized = false;
#endif

/// Steps of a long run: a twentieth where a sanitizer makes each of them twenty times slower. For
/// tests that compare runs with each other and do not need a motion to come to its end.
inline int steps_for_build(int steps) { return kSanitized ? std::max(2, steps / 20) : steps; }

/// The values of WorldOptions::simd_width that this build has kernels for.
template <class Real = StandardReal>
std::vector<int> compiled_widths() {
  std::vector<int> widths;
  for (int width : {1, 4, 8, 16}) {
    if (registered_types()[0]->kernels<Real>().project[width_slot(width)][1][0]) widths.push_back(width);
  }
  return widths;
}

}  // namespace pliant::test
