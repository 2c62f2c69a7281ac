// Properties that belong to one model: closed forms, the shape of its stress curve, what its header says of it.

#include <gtest/gtest.h>

#include <cmath>

#include "materials/sample_models.h"

namespace pliant {
namespace {

constexpr double kMu = 3.0;

template <class Model>
double pull(double stretch) {  // P_xx of a bar that keeps its width, Poisson's ratio 0: lambda = 0, mu = E/2
  return Model::stress(Model::template constants<double>({0, kMu}), Mat3<double>::diagonal({stretch, 1, 1})).c0.x;
}

TEST(StVenantKirchhoff, PulledBarWithoutContraction) {
  for (const double s : {0.3, 0.9, 1.0, 2.5}) EXPECT_NEAR(pull<StVenantKirchhoff>(s), kMu * (s * s * s - s), 1e-13);
}

TEST(StVenantKirchhoff, ResistsMostAt58PercentOfItsLength) {
  const double s = 1 / std::sqrt(3.0);
  EXPECT_LT(pull<StVenantKirchhoff>(s), pull<StVenantKirchhoff>(s - 1e-3));
  EXPECT_LT(pull<StVenantKirchhoff>(s), pull<StVenantKirchhoff>(s + 1e-3));
}

TEST(NeoHookean, PulledBarWithoutContraction) {
  for (const double s : {0.01, 0.3, 0.9, 1.0, 2.5}) EXPECT_NEAR(pull<NeoHookean>(s), kMu * (s - 1 / s), 1e-13 / s);
}

TEST(NeoHookean, ClosedFormOfEnergy) {
  Randoms random(1);
  const Lame c = lame(kYoung, kPoisson);
  for (int i = 0; i < 20; ++i) {
    const Vec3d s = {random.uniform(0.05, 3), random.uniform(0.3, 3), random.uniform(0.3, 3)};
    const double log_J = std::log(s.x) + std::log(s.y) + std::log(s.z);
    const double expected = c.mu / 2 * (dot(s, s) - 3) - c.mu * log_J + c.lambda / 2 * log_J * log_J;
    EXPECT_NEAR(NeoHookean::energy(NeoHookean::constants<double>(c), random.stretched(s)), expected,
                1e-11 * (std::abs(expected) + c.mu));
  }
}

TEST(NeoHookean, StrongCompressionInFloat) {
  // 1 + (J - 1) would keep 1e-3 of J here.
  const auto constants = NeoHookean::constants<float>({0, 1});
  const float s = 0.05f;
  const double expected = s - 1 / static_cast<double>(s);
  EXPECT_NEAR(NeoHookean::stress(constants, Mat3<float>::diagonal({s, s, s})).c0.x / expected, 1, 1e-6);
}

TEST(StableNeoHookean, PointHasMoreEnergyThanTheRestShapeForEveryPoissonsRatio) {
  for (const double poisson : {-0.99, -0.5, 0.0, 0.3, 0.49}) {
    const auto constants = StableNeoHookean::constants<double>(lame(1, poisson));
    EXPECT_GT(constants.l, 0);
    EXPECT_GT(StableNeoHookean::energy(constants, Mat3<double>{}), 0) << poisson;
  }
}

TEST(StableNeoHookean, MirroredElementIsPushedBack) {
  const auto constants = StableNeoHookean::constants<double>(lame(1, 0.3));
  for (const double s : {-1.5, -0.5, -0.1, 0.1, 0.5}) {
    EXPECT_LT(StableNeoHookean::stress(constants, Mat3<double>::diagonal({s, 1, 1})).c0.x, 0) << s;
  }
}

TEST(PolynomialNeoHookean, CollapsesForNegativePoissonsRatioAsItsHeaderSays) {
  const auto energy = [](double poisson) {
    return PolynomialNeoHookean::energy(PolynomialNeoHookean::constants<double>(lame(1, poisson)), Mat3<double>{});
  };
  EXPECT_NEAR(energy(0.3), 0.5 * lame(1, 0.3).lambda, 1e-14);
  EXPECT_LT(energy(-0.3), 0);
}

TEST(Corotated, CompressionThroughFlatGrowsLinearly) {
  for (const double s : {-0.5, 0.0, 0.5, 2.0}) EXPECT_NEAR(pull<Corotated>(s), 2 * kMu * (s - 1), 1e-13);
}

TEST(Corotated, EqualsTheFormulaWithTheRotation) {
  Randoms random(4);
  const Lame c = lame(kYoung, kPoisson);
  const auto constants = Corotated::constants<double>(c);
  for (int i = 0; i < 20; ++i) {
    // F = R S with a known rotation.
    const Mat3<double> R = random.rotation(), v = random.rotation();
    const Vec3d s = {random.uniform(0.5, 2), random.uniform(0.5, 2), random.uniform(0.5, 2)};
    const Mat3<double> F = R * (v * Mat3<double>::diagonal(s) * transpose(v));
    const double t = s.x + s.y + s.z - 3;
    EXPECT_NEAR(Corotated::energy(constants, F), c.mu * norm_squared(F - R) + c.lambda / 2 * t * t, 1e-10 * kYoung);
    EXPECT_LE(norm(Corotated::stress(constants, F) - ((F - R) * (2 * c.mu) + R * (c.lambda * t))), 1e-11 * kYoung);
  }
}

TEST(FixedCorotated, KeepsVolumeUnderLargeStrains) {
  const Lame c = lame(1, 0.3);
  const Mat3<double> F = Mat3<double>::diagonal({2, 0.5, 1});  // J = 1
  EXPECT_NEAR(FixedCorotated::energy(FixedCorotated::constants<double>(c), F), c.mu * (1 + 0.25), 1e-14);
}

TEST(FiberModel, ResistsAlongItselfOnly) {
  const auto constants = FiberModel::constants<double>({.direction = {0, 3, 0}, .stiffness = 2});
  EXPECT_EQ(norm(FiberModel::stress(constants, Mat3<double>::diagonal({2, 1, 0.5}))), 0);
  for (const double xi : {0.2, 0.9, 1.1, 5.0}) {
    const Mat3<double> F = Mat3<double>::diagonal({1, xi, 1});
    EXPECT_NEAR(FiberModel::energy(constants, F), 2 * ((xi * xi - 1) / 2 - std::log(xi)), 1e-13);
    EXPECT_NEAR(FiberModel::stress(constants, F).c1.y, 2 * (xi - 1 / xi), 1e-13);
  }
}

TEST(Anisotropic, WithIsotropicConstantsIsStVenantKirchhoff) {
  const Lame c = lame(kYoung, kPoisson);
  const auto general = Anisotropic::constants<double>(elasticity_matrix(c));
  const auto special = StVenantKirchhoff::constants<double>(c);
  for (const Mat3<double>& F : upright_deformations()) {
    EXPECT_NEAR(Anisotropic::energy(general, F), StVenantKirchhoff::energy(special, F),
                1e-12 * StVenantKirchhoff::energy(special, F));
    EXPECT_LE(norm(Anisotropic::stress(general, F) - StVenantKirchhoff::stress(special, F)),
              1e-12 * norm(StVenantKirchhoff::stress(special, F)));
  }
}

TEST(Anisotropic, TurningTheAxesIsTurningTheRestShape) {
  Material turned = sample_orthotropic();
  Material straight = turned;
  straight.axes = Material{}.axes;
  const Mat3<double> Q = {turned.axes[0], turned.axes[1], turned.axes[2]};
  const ElasticLaw turned_law(turned), straight_law(straight);
  for (const Mat3<double>& F : upright_deformations()) {
    const double energy = turned_law.energy(F);
    EXPECT_NEAR(straight_law.energy(F * Q), energy, 1e-12 * energy);
  }
}

TEST(Tangent, PositivePartHasNoNegativeEigenvalueAndKeepsTheOthers) {
  const ElasticLaw law({.model = MaterialModel::stvk, .young = 1, .poisson = 0.3});
  const Tangent indefinite = law.tangent(Mat3<double>::diagonal({0.3, 0.5, 1.2}));
  const auto before = eigenvalues(indefinite);
  ASSERT_LT(before[0], -0.1);
  const auto after = eigenvalues(positive_part(indefinite));
  for (std::size_t i = 0; i < 9; ++i) EXPECT_NEAR(after[i], std::max(0.0, before[i]), 1e-14);
}

TEST(Tangent, PositivePartOfADefiniteTangentIsItself) {
  const ElasticLaw law({.model = MaterialModel::neo_hookean, .young = 1, .poisson = 0.3});
  const Tangent t = law.tangent(Mat3<double>::diagonal({1.1, 1.2, 1.05}));
  ASSERT_GT(eigenvalues(t)[0], 0);
  const Tangent p = positive_part(t);
  for (int i = 0; i < 9; ++i) {
    for (int j = 0; j < 9; ++j) EXPECT_NEAR(p(i, j), t(i, j), 1e-14);
  }
}

TEST(ElasticLaw, AddsFibersToTheModel) {
  Material material{.model = MaterialModel::neo_hookean, .young = kYoung, .poisson = kPoisson};
  const ElasticLaw plain(material);
  material.fibers = {SampleModel<FiberModel>::fiber(), {.direction = {0, 0, 1}, .stiffness = 5e3}};
  const ElasticLaw with(material);
  for (const Mat3<double>& F : upright_deformations()) {
    double energy = plain.energy(F);
    Mat3<double> stress = plain.stress(F);
    for (const Fiber& fiber : material.fibers) {
      energy += FiberModel::energy(FiberModel::constants<double>(fiber), F);
      stress = stress + FiberModel::stress(FiberModel::constants<double>(fiber), F);
    }
    EXPECT_DOUBLE_EQ(with.energy(F), energy);
    EXPECT_LE(norm(with.stress(F) - stress), 1e-14 * norm(stress));
  }
  // Its tangent at rest is the elasticity matrix of the whole: a strain along z alone.
  Mat3<double> strain{};
  strain(2, 2) = 1;
  const Tangent t = with.tangent(Mat3<double>::identity());
  EXPECT_NEAR(t(8, 8), elasticity_matrix(material)[2][2], 1e-10 * kYoung);
  EXPECT_GT(t(8, 8), plain.tangent(Mat3<double>::identity())(8, 8) + 1e4);
}

TEST(ElasticLaw, TakesEveryModelThatIsListed) {
  for (const MaterialModelInfo& info : material_models()) {
    Material material{.model = info.model, .young = kYoung, .poisson = kPoisson};
    if (info.model == MaterialModel::anisotropic) material.elasticity = elasticity_matrix(sample_orthotropic());
    const ElasticLaw law(material);
    const Mat3<double> F = Randoms::turned({0, 0.6, 0.8}, 0.3) * Mat3<double>::diagonal({1.1, 1.05, 0.95});
    EXPECT_GT(law.energy(F), 0) << info.name;
    // Models differ by third order in the strain, so they must differ here: no two names for one law.
    for (const MaterialModelInfo& other : material_models()) {
      if (other.model == info.model) continue;
      Material other_material = material;
      other_material.model = other.model;
      if (other.model == MaterialModel::anisotropic)
        other_material.elasticity = elasticity_matrix(sample_orthotropic());
      EXPECT_NE(ElasticLaw(other_material).energy(F), law.energy(F)) << info.name << " and " << other.name;
    }
  }
}

}  // namespace
}  // namespace pliant
