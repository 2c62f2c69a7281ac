#pragma once
// Pairs of moving primitives with a known answer, and an oracle that shares nothing with the code under test.

#include <array>
#include <cstdint>
#include <random>

#include "pliant/vec.h"

namespace pliant::test {

/// Corners with whole coordinates, and where they go. Corner order as in contact/closest.h.
struct MovingPair {
  Vec3d x[4], u[4];
  double meet = 1;  // a time at which they meet, where they were made to
};

enum class Answer { separate, touching };

/// Whether the sides of a pair meet at some time in [0, 1].
///
/// The difference of a point on side b and one on side a is a polynomial of first degree in each of its three
/// parameters: time, and two on the primitives. Over a box of parameters it lies in the hull of its values in the
/// eight corners; where all of these are on one side of a coordinate plane, or of a plane that the pair itself
/// suggests, it has no zero. Boxes are halved until none is left (separate) or one is smaller than 2^-24 (touching).
/// All parameters are multiples of powers of two; corners are below 2^20: values are exact in long double.
/// A triangle is the image of the unit square by (1 - p, p (1 - q), p q), of first degree in each of the two.
template <int kSideA>
class Oracle {
 public:
  explicit Oracle(const MovingPair& pair) : pair_(pair) {}
  Answer answer() const { return search({{0, 0, 0}, {1, 1, 1}}, 0) ? Answer::touching : Answer::separate; }

 private:
  using Real = long double;
  using Vec = Vec3<Real>;
  struct Domain {
    std::array<double, 3> low, high;
  };

  Vec corner(int k, double t) const {
    return {Real(pair_.x[k].x) + Real(t) * pair_.u[k].x, Real(pair_.x[k].y) + Real(t) * pair_.u[k].y,
            Real(pair_.x[k].z) + Real(t) * pair_.u[k].z};
  }
  Vec difference(double t, double p, double q) const {
    const Vec a = corner(0, t), b = corner(1, t), c = corner(2, t), d = corner(3, t);
    if constexpr (kSideA == 1) {
      return a - (b * Real(1 - p) + c * Real(p * (1 - q)) + d * Real(p * q));
    } else {
      return a * Real(1 - p) + b * Real(p) - c * Real(1 - q) - d * Real(q);
    }
  }
  static bool has_zero_outside(const std::array<Vec, 8>& v) {
    Vec mean{};
    for (const Vec& w : v) mean += w;
    const Vec directions[4] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}, mean};
    for (const Vec& n : directions) {
      bool above = true, below = true;
      for (const Vec& w : v) {
        const Real s = n.x * w.x + n.y * w.y + n.z * w.z;
        // Exact along the axes; along the mean, rounded: leave what is near zero undecided.
        const Real rounding = 1e-15L * (std::abs(n.x * w.x) + std::abs(n.y * w.y) + std::abs(n.z * w.z));
        above = above && s > rounding;
        below = below && s < -rounding;
      }
      if (above || below) return true;
    }
    return false;
  }
  bool search(const Domain& domain, int depth) const {
    std::array<Vec, 8> values;
    for (int k = 0; k < 8; ++k) {
      values[k] = difference(k & 1 ? domain.high[0] : domain.low[0], k & 2 ? domain.high[1] : domain.low[1],
                             k & 4 ? domain.high[2] : domain.low[2]);
    }
    if (has_zero_outside(values)) return false;
    if (depth == 3 * 24) return true;
    // Halve the parameter along which the values differ most.
    Real spread[3] = {};
    for (int axis = 0; axis < 3; ++axis) {
      for (int k = 0; k < 8; ++k) {
        const Vec d = values[k] - values[k ^ (1 << axis)];
        spread[axis] = std::max({spread[axis], std::abs(d.x), std::abs(d.y), std::abs(d.z)});
      }
    }
    int axis = 0;
    for (int k = 1; k < 3; ++k) {
      if (spread[k] > spread[axis]) axis = k;
    }
    Domain first = domain, second = domain;
    first.high[axis] = second.low[axis] = (domain.low[axis] + domain.high[axis]) / 2;
    return search(first, depth + 1) || search(second, depth + 1);
  }

  const MovingPair& pair_;
};

/// Makes pairs whose coordinates are whole numbers.
class PairMaker {
 public:
  explicit PairMaker(uint64_t seed) : random_(seed) {}

  int whole(int least, int most) { return std::uniform_int_distribution<int>(least, most)(random_); }
  Vec3d whole_vector(int size) {
    return {double(whole(-size, size)), double(whole(-size, size)), double(whole(-size, size))};
  }

  /// The sides meet exactly: at the time k / 16 the vertex is the mixture (i, j, 16 - i - j) / 16 of the corners, or
  /// the points i / 16 and j / 16 of the edges coincide. Corners then are multiples of 16, motions too: all is whole.
  /// Now and then the pair is degenerate: grazing, flat, parallel, at rest, or meeting at a corner.
  template <int kSideA>
  MovingPair touching(int size) {
    const int kind = whole(0, 7);
    MovingPair pair;
    Vec3d at[4];  // when they meet
    for (int k = 0; k < 4; ++k) {
      at[k] = whole_vector(size) * 16.0;
      pair.u[k] = whole_vector(size) * 16.0;
    }
    int i = whole(0, 16), j = whole(0, 16);
    if (kSideA == 1 && i + j > 16) i = 16 - i, j = 16 - j;
    if (kind == 0) i = 0;
    if (kind == 1) i = j = 0;
    if (kind == 2) at[3] = at[2];  // an edge in place of a triangle; an edge without length
    if (kind == 3 && kSideA == 1) at[3] = at[1] + (at[2] - at[1]) * 2.0;  // three corners in a line
    if (kind == 3 && kSideA == 2) at[1] = at[0] + (at[3] - at[2]);        // parallel edges
    if (kind == 4) {                                                      // in one plane all the time
      for (int k = 0; k < 4; ++k) at[k].y = pair.u[k].y = 0;
    }
    if (kind == 5) {  // a grazing pass: all corners but one stay
      for (int k = 1; k < 4; ++k) pair.u[k] = {};
    }
    Vec3d shift;
    if constexpr (kSideA == 1) {
      shift = at[1] * (i / 16.0) + at[2] * (j / 16.0) + at[3] * ((16 - i - j) / 16.0) - at[0];
      at[0] += shift;
    } else {
      shift = at[2] * ((16 - j) / 16.0) + at[3] * (j / 16.0) - at[0] * ((16 - i) / 16.0) - at[1] * (i / 16.0);
      at[0] += shift;
      at[1] += shift;
    }
    pair.meet = whole(0, 16) / 16.0;
    for (int k = 0; k < 4; ++k) pair.x[k] = at[k] - pair.u[k] * pair.meet;
    return pair;
  }

  MovingPair any(int size) {
    MovingPair pair;
    for (int k = 0; k < 4; ++k) {
      pair.x[k] = whole_vector(size);
      pair.u[k] = whole_vector(size);
    }
    return pair;
  }

 private:
  std::mt19937_64 random_;
};

}  // namespace pliant::test
