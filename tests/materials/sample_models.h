#pragma once
// The material models with sample constants, and deformations to try them on.

#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "materials/elastic_law.h"

namespace pliant {

inline constexpr double kYoung = 3e4;
inline constexpr double kPoisson = 0.37;

/// What a model promises, and constants for it.
template <class Model>
struct SampleModel {
  static constexpr bool kFrameIndifferent = true;
  static constexpr bool kIsotropic = true;
  static constexpr bool kDefinedInverted = true;  // and flat
  template <class T>
  static auto constants() {
    return Model::template constants<T>(lame(kYoung, kPoisson));
  }
  static ElasticityMatrix at_rest() { return elasticity_matrix(lame(kYoung, kPoisson)); }
};

template <>
struct SampleModel<Linear> {
  static constexpr bool kFrameIndifferent = false;
  static constexpr bool kIsotropic = false;  // psi(F Q) has the same trouble as psi(Q F)
  static constexpr bool kDefinedInverted = true;
  template <class T>
  static auto constants() {
    return Linear::constants<T>(lame(kYoung, kPoisson));
  }
  static ElasticityMatrix at_rest() { return elasticity_matrix(lame(kYoung, kPoisson)); }
};

template <>
struct SampleModel<NeoHookean> {
  static constexpr bool kFrameIndifferent = true;
  static constexpr bool kIsotropic = true;
  static constexpr bool kDefinedInverted = false;
  template <class T>
  static auto constants() {
    return NeoHookean::constants<T>(lame(kYoung, kPoisson));
  }
  static ElasticityMatrix at_rest() { return elasticity_matrix(lame(kYoung, kPoisson)); }
};

/// Like wood, with the axes turned.
inline Material sample_orthotropic() {
  Material wood;
  wood.model = MaterialModel::orthotropic;
  wood.orthotropic = {.young_1 = 9e4,
                      .young_2 = 2e4,
                      .young_3 = 1e4,
                      .poisson_12 = 0.35,
                      .poisson_13 = 0.4,
                      .poisson_23 = 0.3,
                      .shear_12 = 1.1e4,
                      .shear_13 = 9e3,
                      .shear_23 = 4e3};
  const double c = std::cos(0.6), s = std::sin(0.6);
  wood.axes = {{{c, s, 0}, {-s * 0.8, c * 0.8, 0.6}, {s * 0.6, -c * 0.6, 0.8}}};
  return wood;
}

template <>
struct SampleModel<Anisotropic> {
  static constexpr bool kFrameIndifferent = true;
  static constexpr bool kIsotropic = false;
  static constexpr bool kDefinedInverted = true;
  template <class T>
  static auto constants() {
    return Anisotropic::constants<T>(at_rest());
  }
  static ElasticityMatrix at_rest() { return elasticity_matrix(sample_orthotropic()); }
};

template <>
struct SampleModel<FiberModel> {
  static constexpr bool kFrameIndifferent = true;
  static constexpr bool kIsotropic = false;
  static constexpr bool kDefinedInverted = true;  // as long as the fiber has a length
  static Fiber fiber() { return {.direction = {1, -2, 0.5}, .stiffness = 2e4}; }
  template <class T>
  static auto constants() {
    return FiberModel::constants<T>(fiber());
  }
  static ElasticityMatrix at_rest() {
    Material with;
    with.fibers = {fiber()};
    ElasticityMatrix difference = elasticity_matrix(with);
    const ElasticityMatrix without = elasticity_matrix(Material{});
    for (std::size_t i = 0; i < 6; ++i) {
      for (std::size_t j = 0; j < 6; ++j) difference[i][j] -= without[i][j];
    }
    return difference;
  }
};

class Randoms {
 public:
  explicit Randoms(unsigned seed) : engine_(seed) {}
  double uniform(double low, double high) { return std::uniform_real_distribution<double>(low, high)(engine_); }
  Mat3<double> matrix(double size) {
    Mat3<double> m;
    for (int i = 0; i < 9; ++i) m(i % 3, i / 3) = uniform(-size, size);
    return m;
  }
  Mat3<double> rotation() {
    const Vec3d axis = {uniform(-1, 1), uniform(-1, 1), uniform(-1, 1)};
    return turned(axis / length(axis), uniform(-3, 3));
  }
  /// Rodrigues' formula.
  static Mat3<double> turned(const Vec3d& axis, double angle) {
    const Mat3<double> k = cross_matrix(axis);
    return Mat3<double>::identity() + k * std::sin(angle) + k * k * (1 - std::cos(angle));
  }
  /// Rotated, with these principal stretches in random directions.
  Mat3<double> stretched(const Vec3d& stretches) {
    const Mat3<double> v = rotation();
    return rotation() * (v * Mat3<double>::diagonal(stretches) * transpose(v));
  }

 private:
  std::mt19937 engine_;
};

/// Moderate, strongly stretched and strongly compressed, none inverted.
inline std::vector<Mat3<double>> upright_deformations() {
  Randoms random(7);
  std::vector<Mat3<double>> all;
  for (int i = 0; i < 20; ++i) {
    all.push_back(random.stretched({random.uniform(0.8, 1.2), random.uniform(0.8, 1.2), random.uniform(0.8, 1.2)}));
    all.push_back(random.stretched({random.uniform(1.5, 4), random.uniform(1, 3), random.uniform(0.7, 3)}));
    all.push_back(random.stretched({random.uniform(0.1, 0.5), random.uniform(0.2, 0.9), random.uniform(0.3, 1)}));
    all.push_back(random.stretched({random.uniform(0.05, 0.1), random.uniform(1, 1.5), random.uniform(0.8, 1)}));
  }
  return all;
}

inline std::vector<Mat3<double>> inverted_deformations() {
  Randoms random(11);
  std::vector<Mat3<double>> all;
  for (int i = 0; i < 20; ++i) {
    // The rotation of an inverted element jumps where its two smaller stretches are equal in size: stay away.
    all.push_back(random.stretched({random.uniform(0.9, 1.2), random.uniform(0.7, 0.9), random.uniform(-0.5, -0.1)}));
    all.push_back(random.stretched({random.uniform(-1.2, -1.1), random.uniform(-2, -1.5), random.uniform(-0.5, -0.1)}));
  }
  return all;
}

inline double norm(const Mat3<double>& a) { return std::sqrt(norm_squared(a)); }

}  // namespace pliant
