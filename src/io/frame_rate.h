#pragma once
// Which frames of a simulation become frames of a film.

#include <cmath>
#include <cstdint>

namespace pliant {

/// Steps are shown one by one where a film can have as many frames per second. Where there are more, the film has
/// `most` per second and each of its frames is the first step at or after its time.
class FrameRate {
 public:
  /// `step` [s]; `speed` of playing; `most` [1/s].
  FrameRate(double step, double speed, double most)
      : steps_per_second_(speed / step), rate_(steps_per_second_ <= most * 1.001 ? steps_per_second_ : most) {}

  double rate() const { return rate_; }  // [1/s] of the film

  /// Whether the next step is shown.
  bool take() {
    const double time = static_cast<double>(step_++) / steps_per_second_;
    if (static_cast<double>(taken_) > time * rate_ + 1e-6) return false;
    ++taken_;
    return true;
  }

 private:
  double steps_per_second_, rate_;
  int64_t step_ = 0, taken_ = 0;
};

}  // namespace pliant
