#include "fem/system.h"

#include <gtest/gtest.h>

#include "fem/bodies.h"
#include "pliant/error.h"

namespace pliant::fem {
namespace {

Vector random_vector(int count, double size, unsigned seed) {
  std::mt19937 engine(seed);
  std::uniform_real_distribution<double> value(-size, size);
  Vector result(count);
  for (int i = 0; i < count; ++i) result[i] = value(engine);
  return result;
}

Problem held_cube(const Material& material) {
  Problem problem{.mesh = irregular_cube(2), .material = material};
  problem.supports = hold(problem.mesh, [](const Vec3d& x) { return x.y < -0.49; });
  return problem;
}

TEST(System, ForcesAreTheDerivativeOfEnergyAndStiffnessThatOfForces) {
  for (const Material& material : all_materials()) {
    const System system(held_cube(material));
    const Vector u = random_vector(system.coordinate_count(), 0.03, 1);
    const Vector du = random_vector(system.coordinate_count(), 1, 2);
    const double h = 1e-5;
    Vector forces, ahead, behind;
    system.forces(u, forces);
    const double slope = (system.energy(u + h * du) - system.energy(u - h * du)) / (2 * h);
    EXPECT_NEAR(forces.dot(du), slope, 1e-6 * std::abs(slope));
    system.forces(u + h * du, ahead);
    system.forces(u - h * du, behind);
    const Vector differences = (ahead - behind) / (2 * h);
    const Vector products = system.stiffness_times(u, Stiffness::exact, du);
    EXPECT_LE((differences - products).norm(), 1e-6 * products.norm());
  }
}

TEST(System, MatrixOfFreeCoordinatesEqualsElementwiseProducts) {
  const System system(held_cube(all_materials()[1]));
  const Vector u = random_vector(system.coordinate_count(), 0.1, 3);
  for (const Stiffness kind : {Stiffness::exact, Stiffness::positive}) {
    SparseMatrix lower;
    system.stiffness(u, kind, lower);
    Vector du = random_vector(system.coordinate_count(), 1, 4);
    Vector compact(system.free_count());
    for (int i = 0; i < system.coordinate_count(); ++i) {
      if (system.free_index(i) >= 0) {
        compact[system.free_index(i)] = du[i];
      } else {
        du[i] = 0;
      }
    }
    const Vector product = lower.selfadjointView<Eigen::Lower>() * compact;
    const Vector all = system.stiffness_times(u, kind, du);
    for (int i = 0; i < system.coordinate_count(); ++i) {
      if (system.free_index(i) < 0) continue;
      EXPECT_NEAR(product[system.free_index(i)], all[i], 1e-9 * product.norm());
    }
  }
}

TEST(System, ForcesOfAnElementCancel) {
  const System system(held_cube(all_materials()[2]));
  Vector forces;
  system.forces(random_vector(system.coordinate_count(), 0.03, 6), forces);
  for (int axis = 0; axis < 3; ++axis) {
    double sum = 0;
    for (int i = axis; i < forces.size(); i += 3) sum += forces[i];
    EXPECT_NEAR(sum, 0, 1e-11 * forces.cwiseAbs().maxCoeff());
  }
}

TEST(System, LoadsAreWeightAndForces) {
  Problem problem = held_cube({.density = 10});
  problem.gravity = {0, -2, 0};
  problem.forces.assign(problem.mesh.positions.size(), Vec3d{0, 0, 0});
  problem.forces[3] = {7, 0, 0};
  const System system(problem);
  Vec3d sum{};
  for (int i = 0; i < system.coordinate_count(); ++i) sum[i % 3] += system.loads()[i];
  EXPECT_NEAR(sum.x, 7, 1e-13);
  EXPECT_NEAR(sum.y, -20, 1e-12);  // a cubic metre
  EXPECT_EQ(sum.z, 0);
}

TEST(System, EnergyIsInfiniteWhereTheMaterialIsNotDefined) {
  Problem problem{.mesh = {{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, {{0, 1, 2, 3}}}};
  problem.material.model = MaterialModel::neo_hookean;
  const System system(problem);
  Vector u = Vector::Zero(12);
  u[11] = -2;  // mirrors the tet
  EXPECT_EQ(system.energy(u), std::numeric_limits<double>::infinity());
}

std::string refusal(const Problem& problem) {
  try {
    const System system(problem);
  } catch (const Error& error) {
    return error.what();
  }
  return {};
}

TEST(Problem, MistakesNameTheirField) {
  const Problem sound = held_cube({});
  EXPECT_EQ(refusal(sound), "");
  const auto names = [&](auto&& change, const std::string& where) {
    Problem problem = sound;
    change(problem);
    EXPECT_EQ(refusal(problem).rfind(where + ": ", 0), 0u) << where << " but: " << refusal(problem);
  };
  names([](Problem& p) { p.mesh.tets.clear(); }, "problem.mesh");
  names([](Problem& p) { std::swap(p.mesh.tets[2][0], p.mesh.tets[2][1]); }, "problem.mesh");
  names([](Problem& p) { p.material.poisson = 0.5; }, "problem.material.poisson");
  names([](Problem& p) { p.gravity.x = NAN; }, "problem.gravity");
  names([](Problem& p) { p.forces.resize(3); }, "problem.forces");
  names([](Problem& p) { p.forces.assign(p.mesh.positions.size(), {0, INFINITY, 0}); }, "problem.forces[0]");
  names([](Problem& p) { p.supports[1].vertex = 1000; }, "problem.supports[1].vertex");
  names([](Problem& p) { p.supports[1].displacement.y = NAN; }, "problem.supports[1].displacement");
  names(
      [](Problem& p) {
        p.supports.push_back({.vertex = p.supports[0].vertex, .displacement = {1, 0, 0}});
      },
      "problem.supports[9]");
}

}  // namespace
}  // namespace pliant::fem
