#include "experiments/linking.h"

#include <algorithm>
#include <cmath>

namespace pliant::experiments {

/// A pair of segments contributes the signed area, on the unit sphere, of the directions from a point of one to a point
/// of the other: a quadrangle of great circles (Klenin, Langowski 2000, method 1a).
double linking(std::span<const Vec3d> a, std::span<const Vec3d> b) {
  constexpr double kPi = 3.14159265358979323846;
  double sum = 0;
  for (std::size_t i = 0; i + 1 < a.size(); ++i) {
    for (std::size_t j = 0; j + 1 < b.size(); ++j) {
      const Vec3d r13 = b[j] - a[i], r14 = b[j + 1] - a[i], r23 = b[j] - a[i + 1], r24 = b[j + 1] - a[i + 1];
      Vec3d n[4] = {cross(r13, r14), cross(r14, r24), cross(r24, r23), cross(r23, r13)};
      bool flat = false;
      for (Vec3d& v : n) {
        const double size = length(v);
        flat = flat || size == 0;
        if (size > 0) v = v / size;
      }
      if (flat) continue;  // in one plane with it
      double area = 0;
      for (int k = 0; k < 4; ++k) area += std::asin(std::clamp(dot(n[k], n[(k + 1) % 4]), -1.0, 1.0));
      const double side = dot(cross(b[j + 1] - b[j], a[i + 1] - a[i]), r13);
      sum += side > 0 ? area : side < 0 ? -area : 0;
    }
  }
  return sum / (4 * kPi);
}

}  // namespace pliant::experiments
