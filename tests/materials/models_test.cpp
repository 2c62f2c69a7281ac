// What every material model must do, whatever its formula. Derivatives are compared with differences of fourth order,
// (f(-2h) - 8 f(-h) + 8 f(h) - f(2h)) / 12h with h = 1e-3 of the smallest stretch, whose own error is about 1e-11.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "materials/sample_models.h"

namespace pliant {
namespace {

template <class Model>
class Models : public ::testing::Test {
 protected:
  using Sample = SampleModel<Model>;
  const typename Model::template Constants<double> constants = Sample::template constants<double>();

  double energy(const Mat3<double>& F) const { return Model::energy(constants, F); }
  Mat3<double> stress(const Mat3<double>& F) const { return Model::stress(constants, F); }
  Mat3<double> stress_change(const Mat3<double>& F, const Mat3<double>& dF) const {
    return Model::stress_change(constants, F, dF);
  }
  std::vector<Mat3<double>> deformations() const {
    auto all = upright_deformations();
    if (Sample::kDefinedInverted) {
      for (const auto& F : inverted_deformations()) all.push_back(F);
    }
    return all;
  }
};

using AllModels = ::testing::Types<Linear, StVenantKirchhoff, NeoHookean, StableNeoHookean, PolynomialNeoHookean,
                                   Corotated, FixedCorotated, Anisotropic, FiberModel>;
TYPED_TEST_SUITE(Models, AllModels);

/// Fourth-order central difference of f along dF.
template <class Function>
auto difference(const Function& f, const Mat3<double>& F, const Mat3<double>& dF, double h) {
  return (f(F + dF * h) - f(F - dF * h)) * (8 / (12 * h)) -
         (f(F + dF * (2 * h)) - f(F - dF * (2 * h))) * (1 / (12 * h));
}

double step_for(const Mat3<double>& F) { return 1e-3 * std::abs(svd(F).s.z); }

TYPED_TEST(Models, StressIsTheDerivativeOfEnergy) {
  for (const Mat3<double>& F : this->deformations()) {
    const Mat3<double> P = this->stress(F);
    Mat3<double> differences;
    for (int i = 0; i < 9; ++i) {
      Mat3<double> direction{};
      direction(i % 3, i / 3) = 1;
      differences(i % 3, i / 3) =
          difference([&](const Mat3<double>& x) { return this->energy(x); }, F, direction, step_for(F));
    }
    EXPECT_LE(norm(differences - P), 1e-7 * norm(P) + 1e-7);
  }
}

TYPED_TEST(Models, StressChangeIsTheDerivativeOfStress) {
  Randoms random(3);
  for (const Mat3<double>& F : this->deformations()) {
    for (int i = 0; i < 3; ++i) {
      const Mat3<double> dF = random.matrix(1);
      const Mat3<double> change = this->stress_change(F, dF);
      const auto differences = difference([&](const Mat3<double>& x) { return this->stress(x); }, F, dF, step_for(F));
      EXPECT_LE(norm(differences - change), 1e-6 * norm(change));
    }
  }
}

TYPED_TEST(Models, TangentIsSymmetric) {
  for (const Mat3<double>& F : this->deformations()) {
    const Tangent t = tangent_from([&](const Mat3<double>& dF) { return this->stress_change(F, dF); });
    double largest = 0, asymmetry = 0;
    for (int i = 0; i < 9; ++i) {
      for (int j = 0; j < 9; ++j) {
        largest = std::max(largest, std::abs(t(i, j)));
        asymmetry = std::max(asymmetry, std::abs(t(i, j) - t(j, i)));
      }
    }
    EXPECT_LE(asymmetry, 1e-12 * largest);
  }
}

TYPED_TEST(Models, TurningTheResultChangesNoEnergyAndTurnsTheStress) {
  Randoms random(5);
  for (const Mat3<double>& F : this->deformations()) {
    const Mat3<double> Q = random.rotation();
    const double energy = this->energy(F);
    if (TestFixture::Sample::kFrameIndifferent) {
      EXPECT_NEAR(this->energy(Q * F), energy, 1e-12 * (energy + kYoung));
      EXPECT_LE(norm(this->stress(Q * F) - Q * this->stress(F)), 1e-11 * (norm(this->stress(F)) + kYoung));
    } else {
      EXPECT_GT(std::abs(this->energy(Q * F) - energy), 1e-3 * energy);
    }
  }
}

TYPED_TEST(Models, TurningTheRestShapeMattersOnlyToAnisotropicModels) {
  Randoms random(6);
  for (const Mat3<double>& F : this->deformations()) {
    const Mat3<double> Q = random.rotation();
    const double energy = this->energy(F);
    if (TestFixture::Sample::kIsotropic) {
      EXPECT_NEAR(this->energy(F * Q), energy, 1e-12 * (energy + kYoung));
    } else {
      EXPECT_GT(std::abs(this->energy(F * Q) - energy), 1e-6 * energy);
    }
  }
}

TYPED_TEST(Models, RestHasNoEnergyAndNoStressToTheBit) {
  using Floats = typename TypeParam::template Constants<float>;
  const Floats constants = TestFixture::Sample::template constants<float>();
  EXPECT_EQ(this->energy(Mat3<double>::identity()), 0);
  EXPECT_EQ(norm(this->stress(Mat3<double>::identity())), 0);
  EXPECT_EQ(TypeParam::energy(constants, Mat3<float>::identity()), 0);
  EXPECT_EQ(norm(cast<double>(TypeParam::stress(constants, Mat3<float>::identity()))), 0);
}

TYPED_TEST(Models, SmallStrainsFollowHookesLaw) {
  const ElasticityMatrix matrix = TestFixture::Sample::at_rest();
  const auto change = [&](const Mat3<double>& dF) { return this->stress_change(Mat3<double>::identity(), dF); };
  Randoms random(9);
  for (int repeat = 0; repeat < 10; ++repeat) {
    const Mat3<double> m = random.matrix(1);
    const Mat3<double> e = (m + transpose(m)) * 0.5;
    const double strain[6] = {e(0, 0), e(1, 1), e(2, 2), 2 * e(1, 2), 2 * e(2, 0), 2 * e(0, 1)};
    double stress[6] = {};
    for (std::size_t i = 0; i < 6; ++i) {
      for (std::size_t j = 0; j < 6; ++j) stress[i] += matrix[i][j] * strain[j];
    }
    const Mat3<double> P = change(e);
    const double found[6] = {P(0, 0), P(1, 1), P(2, 2), P(1, 2), P(2, 0), P(0, 1)};
    for (int i = 0; i < 6; ++i) EXPECT_NEAR(found[i], stress[i], 1e-11 * kYoung);
    // A small rotation makes no stress.
    EXPECT_LE(norm(change((m - transpose(m)) * 0.5)), 1e-11 * kYoung);
  }
}

TYPED_TEST(Models, EnergyIsPositiveAwayFromRest) {
  Randoms random(21);
  for (int i = 0; i < 50; ++i) {
    const Vec3d s = {random.uniform(0.7, 1.4), random.uniform(0.7, 1.4), random.uniform(0.7, 1.4)};
    EXPECT_GT(this->energy(random.stretched(s)), 0);
  }
}

TYPED_TEST(Models, FlatAndInvertedElementsAreFiniteWherePromised) {
  auto all = inverted_deformations();
  Randoms random(2);
  for (int i = 0; i < 10; ++i) {
    all.push_back(Mat3<double>::diagonal({1, 1, 0}));
    all.push_back(random.stretched({1, 0.7, 0}));
    all.push_back(random.stretched({1.1, 0, 0}));
    all.push_back(random.stretched({1.3, 0.7, -0.7}));  // where the rotation jumps
  }
  if (!std::is_same_v<TypeParam, FiberModel>) all.push_back(Mat3<double>{});  // a fiber must keep a length
  for (const Mat3<double>& F : all) {
    const bool finite = std::isfinite(this->energy(F)) && std::isfinite(norm(this->stress(F)));
    if (TestFixture::Sample::kDefinedInverted) {
      EXPECT_TRUE(finite);
      EXPECT_TRUE(std::isfinite(norm(this->stress_change(F, Mat3<double>::identity()))));
    } else if (determinant(F) < 0) {
      EXPECT_TRUE(std::isnan(this->energy(F))) << "an energy that looks sound would hide the inversion";
    }
  }
}

// ------------------------------------------------------------------ packs

template <class Model, class S, int W>
void expect_lanes_equal_scalars() {
  using T = Pack<S, W>;
  const auto wide_constants = SampleModel<Model>::template constants<T>();
  const auto scalar_constants = SampleModel<Model>::template constants<S>();
  auto all = upright_deformations();
  for (const auto& F : inverted_deformations()) all.push_back(F);
  Randoms random(8);
  while (all.size() % W != 0) all.push_back(Mat3<double>::identity() + random.matrix(1e-4));
  const auto same = [](S a, S b) { return std::memcmp(&a, &b, sizeof(S)) == 0 || (std::isnan(a) && std::isnan(b)); };
  for (std::size_t first = 0; first < all.size(); first += W) {
    S entries[9][W], direction[9][W];
    for (int l = 0; l < W; ++l) {
      for (int i = 0; i < 9; ++i) {
        entries[i][l] = static_cast<S>(all[first + static_cast<std::size_t>(l)](i % 3, i / 3));
        direction[i][l] = static_cast<S>(random.uniform(-1, 1));
      }
    }
    Mat3<T> F, dF;
    for (int i = 0; i < 9; ++i) {
      F(i % 3, i / 3) = load<T>(entries[i]);
      dF(i % 3, i / 3) = load<T>(direction[i]);
    }
    const T energy = Model::energy(wide_constants, F);
    const Mat3<T> P = Model::stress(wide_constants, F);
    const Mat3<T> dP = Model::stress_change(wide_constants, F, dF);
    for (int l = 0; l < W; ++l) {
      Mat3<S> f, df;
      for (int i = 0; i < 9; ++i) {
        f(i % 3, i / 3) = entries[i][l];
        df(i % 3, i / 3) = direction[i][l];
      }
      EXPECT_TRUE(same(lane(energy, l), Model::energy(scalar_constants, f)));
      const Mat3<S> p = Model::stress(scalar_constants, f);
      const Mat3<S> dp = Model::stress_change(scalar_constants, f, df);
      for (int i = 0; i < 9; ++i) {
        EXPECT_TRUE(same(lane(P(i % 3, i / 3), l), p(i % 3, i / 3)));
        EXPECT_TRUE(same(lane(dP(i % 3, i / 3), l), dp(i % 3, i / 3)));
      }
    }
  }
}

TYPED_TEST(Models, EachLaneOfAPackEqualsThePlainNumberToTheBit) {
  expect_lanes_equal_scalars<TypeParam, float, 4>();
  expect_lanes_equal_scalars<TypeParam, float, 8>();
  expect_lanes_equal_scalars<TypeParam, float, 16>();
  expect_lanes_equal_scalars<TypeParam, double, 4>();
}

// ------------------------------------------------------------------ float near rest

/// Largest error of the stress over random strains of this size, relative to it or to stiffness times strain (a fiber
/// that is not stretched has no stress to be relative to): the float kernel on a float F against the double kernel on
/// the same F.
template <class Model>
double float_stress_error(double strain, const Mat3<double>& rotation) {
  const auto floats = SampleModel<Model>::template constants<float>();
  const auto doubles = SampleModel<Model>::template constants<double>();
  Randoms random(13);
  double worst = 0;
  for (int i = 0; i < 200; ++i) {
    const Mat3<float> F = cast<float>(rotation * (Mat3<double>::identity() + random.matrix(strain)));
    const Mat3<double> exact = Model::stress(doubles, cast<double>(F));
    worst =
        std::max(worst, norm(cast<double>(Model::stress(floats, F)) - exact) / std::max(norm(exact), kYoung * strain));
  }
  return worst;
}

TYPED_TEST(Models, FloatStressKeepsItsRelativeAccuracyNearRest) {
  // Largest found: 6e-7, and 1.5e-6 at strain 0.3. From F^T F - I or I1 - 3 in float the error would be about
  // 1e-7 / strain: a tenth at the smallest strain here.
  for (const double strain : {0.3, 0.1, 1e-2, 1e-3, 1e-4, 1e-5, 1e-6}) {
    const double error = float_stress_error<TypeParam>(strain, Mat3<double>::identity());
    EXPECT_LE(error, 2e-6) << "strain " << strain;
  }
}

TYPED_TEST(Models, FloatEnergyKeepsItsRelativeAccuracyNearRest) {
  const auto floats = TestFixture::Sample::template constants<float>();
  Randoms random(14);
  for (const double strain : {0.3, 0.1, 1e-2, 1e-3, 1e-4, 1e-5, 1e-6}) {
    for (int i = 0; i < 200; ++i) {
      const Mat3<float> F = cast<float>(Mat3<double>::identity() + random.matrix(strain));
      const double exact = this->energy(cast<double>(F));
      const double error = std::abs(TypeParam::energy(floats, F) - exact);
      // Largest found: 2e-6 of the energy. As a difference of I1 and log J it would be noise below a strain of 1e-3.
      EXPECT_LE(error, 5e-6 * std::max(exact, kYoung * strain * strain)) << "strain " << strain;
    }
  }
}

TYPED_TEST(Models, FloatStressOfATurnedElementHasTheRoundingOfItsGradient) {
  if (!TestFixture::Sample::kFrameIndifferent) GTEST_SKIP() << "a rotation is strain for this model";
  // F itself is rounded to 6e-8; nothing can be better than a few of these over the strain.
  Randoms random(17);
  for (const double strain : {0.1, 1e-2, 1e-3}) {
    EXPECT_LE(float_stress_error<TypeParam>(strain, random.rotation()), 3e-6 / strain) << "strain " << strain;
  }
}

}  // namespace
}  // namespace pliant
