// Parameters: conversions and the checks of what a user gives.

#include "pliant/material.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "materials/sample_models.h"
#include "pliant/error.h"

namespace pliant {
namespace {

std::string refusal(const Material& material) {
  try {
    validate(material, "materials.rubber");
  } catch (const Error& error) {
    return error.what();
  }
  return {};
}

/// Strains under a stress along one axis, by elimination with the elasticity matrix.
std::array<double, 6> strain_under(ElasticityMatrix m, std::size_t axis, double stress) {
  std::array<double, 6> b{};
  b[axis] = stress;
  for (std::size_t k = 0; k < 6; ++k) {
    for (std::size_t i = k + 1; i < 6; ++i) {
      const double f = m[i][k] / m[k][k];
      for (std::size_t j = k; j < 6; ++j) m[i][j] -= f * m[k][j];
      b[i] -= f * b[k];
    }
  }
  for (std::size_t k = 6; k-- > 0;) {
    for (std::size_t j = k + 1; j < 6; ++j) b[k] -= m[k][j] * b[j];
    b[k] /= m[k][k];
  }
  return b;
}

TEST(Material, YoungAndPoissonAreWhatAPulledBarShows) {
  for (const double poisson : {-0.5, 0.0, 0.3, 0.49}) {
    const auto strain = strain_under(elasticity_matrix(lame(2e5, poisson)), 0, 50);
    EXPECT_NEAR(strain[0], 50 / 2e5, 1e-15);
    EXPECT_NEAR(strain[1], -poisson * 50 / 2e5, 1e-15);
    EXPECT_NEAR(strain[2], -poisson * 50 / 2e5, 1e-15);
    EXPECT_NEAR(strain_under(elasticity_matrix(lame(2e5, poisson)), 3, 50)[3], 50 * 2 * (1 + poisson) / 2e5, 1e-15);
  }
}

TEST(Material, NineConstantsAreWhatBarsAlongTheAxesShow) {
  Material wood = sample_orthotropic();
  const OrthotropicElasticity& c = wood.orthotropic;
  const ElasticityMatrix m = elasticity_matrix(c);
  const auto along_1 = strain_under(m, 0, 10), along_2 = strain_under(m, 1, 10), along_3 = strain_under(m, 2, 10);
  EXPECT_NEAR(along_1[0], 10 / c.young_1, 1e-15);
  EXPECT_NEAR(along_1[1], -c.poisson_12 * 10 / c.young_1, 1e-15);
  EXPECT_NEAR(along_1[2], -c.poisson_13 * 10 / c.young_1, 1e-15);
  EXPECT_NEAR(along_2[1], 10 / c.young_2, 1e-15);
  EXPECT_NEAR(along_2[0], -c.poisson_12 * 10 / c.young_1, 1e-15);
  EXPECT_NEAR(along_2[2], -c.poisson_23 * 10 / c.young_2, 1e-15);
  EXPECT_NEAR(along_3[2], 10 / c.young_3, 1e-15);
  EXPECT_NEAR(strain_under(m, 3, 10)[3], 10 / c.shear_23, 1e-15);
  EXPECT_NEAR(strain_under(m, 4, 10)[4], 10 / c.shear_13, 1e-15);
  EXPECT_NEAR(strain_under(m, 5, 10)[5], 10 / c.shear_12, 1e-15);
}

TEST(Material, TurningAxesByAQuarterExchangesConstants) {
  const OrthotropicElasticity c = sample_orthotropic().orthotropic;
  // Axis 1 along y, axis 2 along -x.
  const ElasticityMatrix m = rotated(elasticity_matrix(c), {{{0, 1, 0}, {-1, 0, 0}, {0, 0, 1}}});
  EXPECT_NEAR(strain_under(m, 1, 10)[1], 10 / c.young_1, 1e-15);
  EXPECT_NEAR(strain_under(m, 1, 10)[0], -c.poisson_12 * 10 / c.young_1, 1e-15);
  EXPECT_NEAR(strain_under(m, 0, 10)[0], 10 / c.young_2, 1e-15);
  EXPECT_NEAR(strain_under(m, 4, 10)[4], 10 / c.shear_23, 1e-15);
  EXPECT_NEAR(strain_under(m, 3, 10)[3], 10 / c.shear_13, 1e-15);
}

TEST(Material, IsotropicMatrixLooksTheSameFromAllSides) {
  const ElasticityMatrix m = elasticity_matrix(lame(1, 0.3));
  const ElasticityMatrix turned = rotated(m, sample_orthotropic().axes);
  for (std::size_t i = 0; i < 6; ++i) {
    for (std::size_t j = 0; j < 6; ++j) EXPECT_NEAR(turned[i][j], m[i][j], 1e-15);
  }
}

TEST(Material, ModelNamesAreUniqueAndComplete) {
  const auto& models = material_models();
  EXPECT_EQ(models.size(), 9u);
  for (std::size_t i = 0; i < models.size(); ++i) {
    EXPECT_EQ(models[i].model, static_cast<MaterialModel>(i));
    for (std::size_t j = 0; j < i; ++j) EXPECT_NE(models[i].name, models[j].name);
  }
}

TEST(Material, SoundOnesAreTaken) {
  EXPECT_EQ(refusal({}), "");
  EXPECT_EQ(refusal({.poisson = -0.9}), "");
  EXPECT_EQ(refusal({.poisson = 0.499}), "");
  EXPECT_EQ(refusal(sample_orthotropic()), "");
  EXPECT_EQ(refusal({.model = MaterialModel::anisotropic, .elasticity = elasticity_matrix(sample_orthotropic())}), "");
}

TEST(Material, IncompressibleIsRefusedWithTheRemedy) {
  EXPECT_EQ(refusal({.poisson = 0.5}), "materials.rubber.poisson: 0.5 is incompressible; use at most 0.499");
}

TEST(Material, MistakesNameTheirField) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double infinity = std::numeric_limits<double>::infinity();
  const auto names = [](const Material& m, const std::string& where) {
    EXPECT_EQ(refusal(m).rfind("materials.rubber." + where + ": ", 0), 0u) << where << ": " << refusal(m);
  };
  names({.poisson = 0.6}, "poisson");
  names({.poisson = -1}, "poisson");
  names({.poisson = nan}, "poisson");
  names({.young = 0}, "young");
  names({.young = infinity}, "young");
  names({.density = -1}, "density");
  names({.fibers = {{.direction = {0, 0, 0}, .stiffness = 1}}}, "fibers[0].direction");
  names({.fibers = {{}, {.stiffness = -1}}}, "fibers[1].stiffness");
  names({.model = MaterialModel::linear, .fibers = {{}}}, "fibers");

  Material wood = sample_orthotropic();
  wood.orthotropic.shear_13 = 0;
  names(wood, "orthotropic.shear_13");
  wood = sample_orthotropic();
  wood.orthotropic.poisson_12 = 2.2;  // above sqrt(9e4 / 2e4) = 2.12
  names(wood, "orthotropic.poisson_12");
  wood = sample_orthotropic();
  wood.orthotropic.poisson_12 = 1.5;  // each possible by itself, together not
  wood.orthotropic.poisson_13 = 2.5;
  names(wood, "orthotropic");
  wood = sample_orthotropic();
  wood.axes[1] = wood.axes[1] * 1.1;
  names(wood, "axes");
  wood = sample_orthotropic();
  std::swap(wood.axes[0], wood.axes[1]);
  names(wood, "axes");

  Material general{.model = MaterialModel::anisotropic, .elasticity = elasticity_matrix(lame(1, 0.3))};
  general.elasticity[1][4] = 0.1;
  names(general, "elasticity");
  EXPECT_NE(refusal(general).find("(2, 5) and (5, 2)"), std::string::npos) << refusal(general);
  general.elasticity = elasticity_matrix(lame(1, 0.3));
  general.elasticity[0][1] = general.elasticity[1][0] = 5;
  names(general, "elasticity");
  general.elasticity = {};
  names(general, "elasticity");
  general.elasticity[3][3] = nan;
  names(general, "elasticity");
}

}  // namespace
}  // namespace pliant
