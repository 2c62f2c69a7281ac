#pragma once
// The heavy elastica: a strip clamped horizontally that bends under its weight without stretching.

#include <cmath>
#include <vector>

#include "pliant/vec.h"

namespace pliant::test {

/// Its shape, by arc length: D t'' = -q (L - s) cos t with t(0) = 0 and t'(L) = 0, t the angle below the horizontal, D
/// the bending stiffness [N m] and q the weight per area [N/m^2]. Solved by shooting from the free end.
class HeavyElastica {
 public:
  HeavyElastica(double length, double stiffness, double weight) : length_(length), ratio_(weight / stiffness) {
    double low = 0, high = 3.14159265358979 / 2;  // the angle at the free end; the one at the clamp grows with it
    for (int k = 0; k < 60; ++k) {
      const double middle = 0.5 * (low + high);
      (shoot(middle) > 0 ? high : low) = middle;
    }
    shoot(low);
    // From the clamp outwards.
    points_.assign(kSteps + 1, {});
    const double h = length_ / kSteps;
    for (int k = 1; k <= kSteps; ++k) {
      const double a = angles_[kSteps - k + 1], b = angles_[kSteps - k], m = 0.5 * (a + b);
      points_[k] = points_[k - 1] + Vec3d{std::cos(a) + 4 * std::cos(m) + std::cos(b),
                                          -(std::sin(a) + 4 * std::sin(m) + std::sin(b)), 0} *
                                        (h / 6);
    }
  }

  /// Where the point at arc length s is, the clamp at the origin.
  Vec3d at(double s) const {
    if (s <= 0) return {s, 0, 0};
    const double place = std::min(s / length_, 1.0) * kSteps;
    const int k = std::min(static_cast<int>(place), kSteps - 1);
    return points_[k] + (points_[k + 1] - points_[k]) * (place - k);
  }

 private:
  static constexpr int kSteps = 2000;

  /// The angle at the clamp for an angle at the free end. r is the arc length from the free end: t'' = -ratio r cos t.
  double shoot(double end) {
    const double h = length_ / kSteps;
    angles_.assign(1, end);
    double t = end, v = 0;
    const auto slope = [&](double r, double angle) { return -ratio_ * r * std::cos(angle); };
    for (int k = 0; k < kSteps; ++k) {
      const double r = k * h;
      const double a1 = slope(r, t), t2 = t + h / 2 * v, v2 = v + h / 2 * a1;
      const double a2 = slope(r + h / 2, t2), t3 = t + h / 2 * v2, v3 = v + h / 2 * a2;
      const double a3 = slope(r + h / 2, t3), t4 = t + h * v3, v4 = v + h * a3;
      const double a4 = slope(r + h, t4);
      t += h / 6 * (v + 2 * v2 + 2 * v3 + v4);
      v += h / 6 * (a1 + 2 * a2 + 2 * a3 + a4);
      angles_.push_back(t);
    }
    return t;
  }

  double length_, ratio_;
  std::vector<double> angles_;  // from the free end
  std::vector<Vec3d> points_;   // from the clamp
};

}  // namespace pliant::test
