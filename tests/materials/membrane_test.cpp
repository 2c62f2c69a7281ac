// Parameters of cloth: matrices, rotation, and what is refused.

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "pliant/cloth.h"
#include "pliant/error.h"

namespace pliant::test {
namespace {

std::string refused_at(const ClothMaterial& material) {
  try {
    validate(material, "cloth");
  } catch (const Error& error) {
    return error.where();
  }
  return "";
}

TEST(Membrane, IsotropicSheetHasPlaneStress) {
  const MembraneMatrix k = membrane_matrix({.young = 2e6, .poisson = 0.25, .thickness = 1e-3});
  // 2000 / (1 - 1/16)
  EXPECT_NEAR(k[0][0], 2133.333333, 1e-6);
  EXPECT_NEAR(k[0][1], 533.333333, 1e-6);
  EXPECT_NEAR(k[2][2], 800, 1e-9);
  // Pulled along one direction it has Young's modulus times thickness and contracts by Poisson's ratio.
  const MembraneMatrix s = inverse(k);
  EXPECT_NEAR(1 / s[0][0], 2000, 1e-9);
  EXPECT_NEAR(-s[1][0] / s[0][0], 0.25, 1e-12);
}

TEST(Membrane, OrthotropicConstantsAreThoseOfPulling) {
  ClothMaterial m{.model = ClothModel::orthotropic};
  m.orthotropic = {.k_weft = 1000, .k_warp = 4000, .k_shear = 200, .nu_weft = 0.1, .nu_warp = 0.4};
  const MembraneMatrix s = inverse(membrane_matrix(m));
  EXPECT_NEAR(1 / s[0][0], 1000, 1e-9);
  EXPECT_NEAR(1 / s[1][1], 4000, 1e-9);
  EXPECT_NEAR(1 / s[2][2], 200, 1e-9);
  EXPECT_NEAR(-s[1][0] / s[0][0], 0.1, 1e-12);
  EXPECT_NEAR(-s[0][1] / s[1][1], 0.4, 1e-12);
}

TEST(Membrane, RotationKeepsEnergyAndComesBack) {
  const MembraneMatrix k = {{{5, 1, 0.5}, {1, 3, -0.2}, {0.5, -0.2, 2}}};
  const double angle = 0.7;
  const MembraneMatrix turned = rotated(k, angle);
  // A strain given in the outer frame, and the same seen from the weft, which lies at `angle`.
  const double c = std::cos(angle), s = std::sin(angle), e[3] = {0.3, -0.1, 0.2};
  const double own[3] = {c * c * e[0] + s * s * e[1] + c * s * e[2], s * s * e[0] + c * c * e[1] - c * s * e[2],
                         2 * c * s * (e[1] - e[0]) + (c * c - s * s) * e[2]};
  double outer = 0, inner = 0;
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) {
      outer += e[i] * turned[i][j] * e[j];
      inner += own[i] * k[i][j] * own[j];
    }
  }
  EXPECT_NEAR(outer, inner, 1e-14);
  const MembraneMatrix back = rotated(turned, -angle);
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) EXPECT_NEAR(back[i][j], k[i][j], 1e-14);
  }
}

TEST(Membrane, ASheetHasItsBendingStiffness) {
  EXPECT_NEAR(bending_stiffness({.young = 1.2e6, .poisson = 0.5, .thickness = 1e-2}), 1.2 / 9, 1e-12);
  EXPECT_EQ(bending_stiffness({.model = ClothModel::orthotropic}), 0);
  EXPECT_EQ(bending_stiffness({.model = ClothModel::orthotropic, .bending = 3e-5}), 3e-5);
}

TEST(Membrane, RefusesWhatIsNotElastic) {
  EXPECT_EQ(refused_at({}), "");
  EXPECT_EQ(refused_at({.young = 0}), "cloth.young");
  EXPECT_EQ(refused_at({.poisson = 1}), "cloth.poisson");
  EXPECT_EQ(refused_at({.thickness = -1}), "cloth.thickness");
  EXPECT_EQ(refused_at({.weft = {0, 0, 0}}), "cloth.weft");
  EXPECT_EQ(refused_at({.bending = -1}), "cloth.bending");
  EXPECT_EQ(refused_at({.form = MaterialForm::cao22_density}), "cloth.form");
  ClothMaterial m{.model = ClothModel::orthotropic};
  m.orthotropic.k_warp = 2000;  // nu_warp = nu_weft is then not symmetric
  EXPECT_EQ(refused_at(m), "cloth.orthotropic.nu_warp");
  m.orthotropic.nu_warp = 0.6;
  EXPECT_EQ(refused_at(m), "");
  m.model = ClothModel::anisotropic;
  EXPECT_EQ(refused_at(m), "cloth.elasticity");
  m.elasticity = {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
  EXPECT_EQ(refused_at(m), "");
  m.elasticity[0][1] = 0.1;
  EXPECT_EQ(refused_at(m), "cloth.elasticity");
  m.elasticity[0][1] = m.elasticity[1][0] = 1.1;
  EXPECT_EQ(refused_at(m), "cloth.elasticity");
}

}  // namespace
}  // namespace pliant::test
