// The documents' own methods that experiments bring along: energy projection, changed principal stresses.
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "experiments/deformation.h"
#include "experiments/energy_projection.h"
#include "experiments/principal_stress.h"

namespace pliant::experiments {
namespace {

class Random {
 public:
  double number() { return distribution_(engine_); }
  Vec3d vector(double size) { return Vec3d{number(), number(), number()} * size; }
  Mat3<double> matrix(double size) { return {vector(size), vector(size), vector(size)}; }

 private:
  std::mt19937 engine_{3};
  std::uniform_real_distribution<double> distribution_{-1, 1};
};

const MaterialModel kModels[] = {MaterialModel::stvk, MaterialModel::neo_hookean};

TEST(EnergyProjection, GradientIsTheDerivative) {
  const TetMesh mesh = box_tets({1, 1, 1}, {1, 1, 1});
  Random random;
  for (const MaterialModel model : kModels) {
    const EnergyProjection projection(mesh, {.model = model, .young = 10, .poisson = 0.3},
                                      std::vector<double>(mesh.positions.size(), 1));
    std::vector<Vec3d> x = mesh.positions;
    for (Vec3d& p : x) p += random.vector(0.1);
    for (std::size_t e = 0; e < projection.size(); ++e) {
      std::array<Vec3d, 4> gradient, ignored;
      projection.evaluate(e, x, gradient);
      for (std::size_t i = 0; i < 4; ++i) {
        for (int axis = 0; axis < 3; ++axis) {
          constexpr double h = 1e-5;  // central differences: an error of h^2 and of rounding / h, both about 1e-10
          auto& coordinate = x[static_cast<std::size_t>(mesh.tets[e][i])][axis];
          const double at = coordinate;
          coordinate = at + h;
          const double above = projection.evaluate(e, x, ignored);
          coordinate = at - h;
          const double below = projection.evaluate(e, x, ignored);
          coordinate = at;
          EXPECT_NEAR(gradient[i][axis], (above - below) / (2 * h), 1e-8);
        }
      }
    }
  }
}

TEST(EnergyProjection, OneConstraintIsTheSameForBothMethods) {
  const TetMesh mesh{.positions = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, .tets = {{0, 1, 2, 3}}};
  const EnergyProjection projection(mesh, {.young = 10, .poisson = 0.3}, {1, 2, 3, 0});
  std::vector<Vec3d> full = mesh.positions;
  full[1] += {0.2, 0.05, 0};
  std::vector<Vec3d> modified = full;
  const double before = projection.energy(full);
  projection.newton(full);
  projection.gauss_seidel(modified);
  for (std::size_t v = 0; v < 4; ++v) EXPECT_LT(length(full[v] - modified[v]), 1e-7);  // the regularisation is 1e-8
  EXPECT_LT(projection.energy(modified), 0.5 * before);
  EXPECT_EQ(modified[3], mesh.positions[3]);  // it is held
}

TEST(EnergyProjection, YoungsModulusCancels) {
  const TetMesh mesh = box_tets({1, 1, 1}, {2, 2, 2});
  const std::vector<double> w(mesh.positions.size(), 1);
  std::vector<Vec3d> soft = mesh.positions;
  Random random;
  for (Vec3d& p : soft) p += random.vector(0.05);
  std::vector<Vec3d> stiff = soft;
  EnergyProjection(mesh, {.young = 10, .poisson = 0.3}, w).gauss_seidel(soft);
  EnergyProjection(mesh, {.young = 1e6, .poisson = 0.3}, w).gauss_seidel(stiff);
  for (std::size_t v = 0; v < soft.size(); ++v) EXPECT_LT(length(soft[v] - stiff[v]), 1e-12);
}

TEST(PrincipalStress, UnchangedIsTheMaterials) {
  Random random;
  for (const MaterialModel model : kModels) {
    const Material material{.model = model, .young = 10, .poisson = 0.3};
    for (int k = 0; k < 20; ++k) {
      const Mat3<double> F = Mat3<double>::identity() + random.matrix(0.3);
      if (determinant(F) < 0.05) continue;
      const Mat3<double> a = stress(unchanged(material), F), b = ElasticLaw(material).stress(F);
      const double scale = std::sqrt(dot(b, b)) + 1;
      EXPECT_LT(std::sqrt(dot(a - b, a - b)), 1e-11 * scale);
    }
  }
}

TEST(PrincipalStress, ChangesBelowTheThresholdOnly) {
  for (const MaterialModel model : kModels) {
    const Material material{.model = model, .young = 10, .poisson = 0.3};
    for (const auto& changed :
         {clamped(material, 0.5), switched_to_corotated(material, 0.5), continued_by_corotated(material, 0.5)}) {
      EXPECT_NEAR(uniaxial_stress(changed, 0.6), uniaxial_stress(unchanged(material), 0.6), 1e-12);
      EXPECT_LT(uniaxial_stress(changed, 0), -1);  // flat and inverted elements are pushed back
      EXPECT_LT(uniaxial_stress(changed, -0.5), -1);
    }
    EXPECT_NEAR(uniaxial_stress(clamped(material, 0.5), -0.5), uniaxial_stress(unchanged(material), 0.5), 1e-12);
  }
}

TEST(Deformation, KnowsStretchesAndMirrorImages) {
  const TetMesh mesh = box_tets({1, 1, 1}, {2, 2, 2});
  const auto moved = [&](double x, double y) {
    std::vector<Vec3d> positions = mesh.positions;
    for (Vec3d& p : positions) p = {p.z, p.x * x, p.y * y};  // turned as well
    return deformation(mesh, positions);
  };
  const Deformation still = moved(1, 1), stretched = moved(1.5, 0.8), mirrored = moved(1, -1);
  EXPECT_NEAR(still.distance, 0, 1e-12);
  EXPECT_EQ(still.inverted, 0);
  EXPECT_NEAR(stretched.distance, std::hypot(0.5, 0.2), 1e-12);
  EXPECT_NEAR(stretched.volume, 1.2, 1e-12);
  EXPECT_NEAR(stretched.smallest_volume, 1.2, 1e-12);
  EXPECT_NEAR(mirrored.distance, 2, 1e-12);
  EXPECT_EQ(mirrored.inverted, static_cast<int>(mesh.tets.size()));
}

}  // namespace
}  // namespace pliant::experiments
