#pragma once
// Matrices on which decompositions are tried: every kind that has gone wrong somewhere.

#include <algorithm>
#include <string>
#include <vector>

#include "math/support.h"

namespace pliant {

struct SampleKind {
  std::string name;
  std::vector<Mat3<double>> matrices;
};

/// U diag(s) V^T with random rotations: general ones, nearly the identity, and the identity itself.
inline Mat3<double> with_singular_values(Random& random, Vec3d s) {
  const auto rotation = [&] {
    switch (random.bits() % 6) {
      case 0:
        return Mat3<double>::identity();
      case 1:
        return to_matrix(from_rotation_vector(random.direction() * random.magnitude(-9, -1)));
      default:
        return to_matrix(random.rotation());
    }
  };
  return mul_transpose(rotation() * Mat3<double>::diagonal(s), rotation());
}

inline std::vector<SampleKind> sample_matrices(int per_kind, uint64_t seed) {
  Random random(seed);
  std::vector<SampleKind> kinds;
  const auto add = [&](const std::string& name, auto&& make) {
    kinds.push_back({name, {}});
    for (int i = 0; i < per_kind; ++i) kinds.back().matrices.push_back(make());
  };
  const auto with = [&](double a, double b, double c) { return with_singular_values(random, {a, b, c}); };
  const auto some = [&] { return random.uniform(0.1, 1); };
  add("random entries", [&] {
    Mat3<double> m;
    for_each_number(m, [&](double& a) { a = random.uniform(-1, 1); });
    return m;
  });
  add("general", [&] { return with(some(), some(), some()); });
  add("inverted", [&] { return with(some(), some(), -some()); });
  add("graded", [&] { return with(random.magnitude(-9, 0), random.magnitude(-9, 0), random.magnitude(-9, 0)); });
  add("one large, two small and near", [&] { return with(1, 1e-4 * some(), 1e-4 * some()); });
  add("two large and near, one small", [&] { return with(1, 1 - random.magnitude(-15, -2), random.sign() * 1e-4); });
  add("nearly equal", [&] {
    const auto near = [&] { return 1 + random.sign() * random.magnitude(-17, -3); };
    return with(near(), near(), random.sign() * near());
  });
  add("equal: a rotation", [&] { return with(1, 1, 1); });
  add("equal: a reflection", [&] { return with(1, 1, -1); });
  add("two equal", [&] { return random.bits() % 2 == 0 ? with(1, 1, 0.3) : with(1, 0.3, random.sign() * 0.3); });
  add("rank 2", [&] { return with(some(), some(), 0); });
  add("rank 1", [&] { return with(some(), 0, 0); });
  add("rank 1, whole numbers", [&] {
    const auto whole = [&] { return std::floor(random.uniform(-3, 4)); };
    return outer(Vec3d{whole(), whole(), whole()}, Vec3d{whole(), whole(), whole()});
  });
  add("rank 2, whole numbers", [&] {
    const auto whole = [&] { return std::floor(random.uniform(-3, 4)); };
    const Vec3d a{whole(), whole(), whole()}, b{whole(), whole(), whole()};
    return Mat3<double>{a, b, a + b};
  });
  add("noise on rank 1", [&] {
    Mat3<double> m = with(1, 0, 0);
    for_each_number(m, [&](double& a) { a += random.sign() * random.magnitude(-30, -6); });
    return m;
  });

  SampleKind single{"zero, unit entries, permutations, diagonals", {Mat3<double>{}}};
  for (int i = 0; i < 9; ++i) {
    for (const double value : {1.0, -1.0}) {
      Mat3<double> m;
      m(i / 3, i % 3) = value;
      single.matrices.push_back(m);
    }
  }
  int order[3] = {0, 1, 2};
  do {
    for (int signs = 0; signs < 8; ++signs) {
      Mat3<double> m;
      for (int c = 0; c < 3; ++c) m(order[c], c) = ((signs >> c) & 1) != 0 ? -1 : 1;
      single.matrices.push_back(m);
      for (int c = 0; c < 3; ++c) m(order[c], c) *= c + 1;
      single.matrices.push_back(m);
      m(order[1], 1) = 0;
      single.matrices.push_back(m);
    }
  } while (std::next_permutation(order, order + 3));
  kinds.push_back(single);
  return kinds;
}

/// All samples as numbers of type S, nine per matrix, column by column.
template <class S>
std::vector<S> sample_numbers(int per_kind, uint64_t seed) {
  std::vector<S> numbers;
  for (const SampleKind& kind : sample_matrices(per_kind, seed)) {
    for (const Mat3<double>& m : kind.matrices) {
      for (const double a : numbers_of<double>(m)) numbers.push_back(static_cast<S>(a));
    }
  }
  return numbers;
}

}  // namespace pliant
