#pragma once
// Random numbers that are the same with every compiler and standard library.

#include <cmath>
#include <cstdint>
#include <random>

#include "pliant/vec.h"

namespace pliant::soak {

class Random {
 public:
  /// Of case number `index` of a soak that was started with `seed`.
  Random(uint64_t seed, int index) {
    std::seed_seq words{static_cast<uint32_t>(seed), static_cast<uint32_t>(seed >> 32), static_cast<uint32_t>(index)};
    engine_.seed(words);
  }

  /// In [0, 1). The engine's sequence is fixed by the standard; its distributions are not.
  double part() { return static_cast<double>(engine_() >> 11) * 0x1p-53; }
  double between(double low, double high) { return low + (high - low) * part(); }
  double log_between(double low, double high) { return low * std::pow(high / low, part()); }
  /// A whole number from `low` to `high`, both included.
  int whole(int low, int high) { return low + static_cast<int>(part() * (high - low + 1.0)); }
  /// The same, each factor of two as likely as the next.
  int log_whole(int low, int high) {
    return std::min(high, static_cast<int>(std::floor(log_between(low, high + 1.0))));
  }
  bool chance(double probability) { return part() < probability; }
  template <class T, std::size_t N>
  const T& pick(const T (&choices)[N]) {
    return choices[whole(0, static_cast<int>(N) - 1)];
  }
  Vec3d direction() {
    const double y = between(-1, 1), turn = between(0, 6.283185307179586), r = std::sqrt(1 - y * y);
    return {r * std::cos(turn), y, r * std::sin(turn)};
  }

 private:
  std::mt19937_64 engine_;
};

}  // namespace pliant::soak
