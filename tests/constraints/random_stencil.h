#pragma once
// Random corners for constraint tests: well-shaped ones for derivatives, and degenerate ones.

#include <cmath>
#include <cstdint>
#include <random>
#include <vector>

#include "pliant/vec.h"

namespace pliant::test {

class Random {
 public:
  explicit Random(uint64_t seed) : engine_(seed) {}
  double uniform(double lo, double hi) { return lo + (hi - lo) * (static_cast<double>(engine_() >> 11) * 0x1p-53); }
  int integer(int count) { return static_cast<int>(engine_() % static_cast<uint64_t>(count)); }
  Vec3d point() { return {uniform(-1, 1), uniform(-1, 1), uniform(-1, 1)}; }

 private:
  std::mt19937_64 engine_;  // its sequence is fixed by the standard; its distributions are not
};

/// The smallest feature of a stencil: edge lengths, heights of the triangles between any three corners and
/// of the tets between any four. Third derivatives of angles and areas grow with its inverse.
template <int N>
double smallest_feature(const Vec3d (&x)[N]) {
  double smallest = 1e30;
  for (int a = 0; a < N; ++a) {
    for (int b = a + 1; b < N; ++b) {
      const double edge = length(x[b] - x[a]);
      smallest = std::min(smallest, edge);
      for (int c = 0; c < N; ++c) {
        if (c == a || c == b) continue;
        const Vec3d normal = cross(x[b] - x[a], x[c] - x[a]);
        smallest = std::min(smallest, length(normal) / edge);
        for (int d = 0; d < N; ++d) {
          if (d == a || d == b || d == c) continue;
          smallest = std::min(smallest, std::abs(dot(x[d] - x[a], normal)) / length(normal));
        }
      }
    }
  }
  return smallest;
}

inline constexpr double kLeastFeature = 0.05;

template <int N>
void well_shaped(Random& random, Vec3d (&x)[N]) {
  do {
    for (Vec3d& p : x) p = random.point();
  } while (smallest_feature(x) < kLeastFeature);
}

/// Stencils on which something cannot be divided: coincident, collinear, coplanar, huge, tiny.
template <int N>
std::vector<std::array<Vec3d, N>> degenerate_stencils() {
  Random random(5);
  std::vector<std::array<Vec3d, N>> out;
  const auto add = [&](auto f) {
    std::array<Vec3d, N> x;
    for (int i = 0; i < N; ++i) x[i] = f(i);
    out.push_back(x);
  };
  add([](int) { return Vec3d{}; });
  add([](int) { return Vec3d{1, 2, 3}; });
  add([](int i) { return Vec3d{double(i), 0, 0}; });
  add([](int i) { return Vec3d{double(i % 2), 0, 0}; });
  add([](int i) { return Vec3d{i == 0 ? 0.0 : 1.0, 0, 0}; });
  add([](int i) { return Vec3d{double(i), double(i * i), 0}; });
  for (double scale : {1e-30, 1e-20, 1e-12, 1e-6, 1e6, 1e12, 1e15}) {
    for (int k = 0; k < 4; ++k) add([&](int) { return random.point() * scale; });
  }
  for (int k = 0; k < 4; ++k) {  // one corner on another
    const Vec3d p = random.point();
    add([&](int i) { return i < 2 ? p : random.point(); });
    add([&](int i) { return i >= N - 2 ? p : random.point(); });
  }
  return out;
}

}  // namespace pliant::test
