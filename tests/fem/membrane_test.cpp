// The membrane reference against what can be worked out by hand, and against GetFEM.

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>

#include "reference/membranes.h"
#include "test_paths.h"

namespace pliant::test {
namespace {

/// A square of 1 m pulled along x to the stretch s by forces at its edges, held against rigid motion only.
struct Pulled {
  double along, across, force;  // stretches, force per width [N/m]
};

fem::MembraneProblem square(const ClothMaterial& material, int cells) {
  fem::MembraneProblem p;
  p.mesh = grid({1, 1}, {cells, cells});
  p.material = material;
  return p;
}

/// Edges at x = -0.5 and 0.5 stay straight and are moved apart; they may slide in z.
Pulled pull(const ClothMaterial& material, double stretch, int cells = 4) {
  fem::MembraneProblem p = square(material, cells);
  for (std::size_t v = 0; v < p.mesh.positions.size(); ++v) {
    const Vec3d& x = p.mesh.positions[v];
    const bool low = x.x<-0.499, high = x.x> 0.499;
    p.supports.push_back({.vertex = static_cast<int>(v),
                          .displacement = {high ? stretch - 1 : 0, 0, 0},
                          .x = low || high,
                          .y = true,
                          .z = x.z < -0.499});
  }
  const fem::MembraneResult r = fem::solve_membrane(p);
  EXPECT_TRUE(r.converged);
  Pulled out{0, 0, 0};
  for (std::size_t v = 0; v < p.mesh.positions.size(); ++v) {
    const Vec3d& x = p.mesh.positions[v];
    if (x.x > 0.499 && x.z > 0.499) out.across = 1 + r.displacements[v].z, out.along = 1 + r.displacements[v].x;
    if (x.x > 0.499) out.force += r.reactions[v].x;
  }
  return out;
}

TEST(MembraneReference, PulledSquareHasTheClosedForm) {
  // Uniaxial: S_zz = 0 gives E_zz = -nu E_xx, S_xx = k E_xx, force = s S_xx.
  const double k = 1000, nu = 0.3, s = 1.3;
  const Pulled p = pull({.young = k / 1e-3, .poisson = nu, .thickness = 1e-3}, s);
  const double green = (s * s - 1) / 2;
  EXPECT_NEAR(p.along, s, 1e-12);
  EXPECT_NEAR(p.across, std::sqrt(1 - 2 * nu * green), 1e-10);
  EXPECT_NEAR(p.force, s * k * green, 1e-7);
}

TEST(MembraneReference, SmallStrainsOfOrthotropicClothFollowTheDirection) {
  ClothMaterial m{.model = ClothModel::orthotropic};
  m.orthotropic = {.k_weft = 500, .k_warp = 2000, .k_shear = 150, .nu_weft = 0.1, .nu_warp = 0.4};
  const double e = 1e-6;  // the error of first order goes with it
  EXPECT_NEAR(pull(m, 1 + e).force / e, 500, 500 * 1e-5);
  m.weft = {0, 0, 1};
  EXPECT_NEAR(pull(m, 1 + e).force / e, 2000, 2000 * 1e-5);
  EXPECT_NEAR((1 - pull(m, 1 + e).across) / e, 0.4, 1e-5);
}

TEST(MembraneReference, HangsUnderItsWeight) {
  // A band held at its upper edge: the force at the top is its weight.
  fem::MembraneProblem p = square({.young = 1e6, .poisson = 0, .thickness = 1e-3}, 6);
  p.density = 0.5;
  p.gravity = {0, 0, -9.81};
  for (std::size_t v = 0; v < p.mesh.positions.size(); ++v) {
    const bool top = p.mesh.positions[v].z > 0.499;
    p.supports.push_back({.vertex = static_cast<int>(v), .x = top, .y = true, .z = top});
  }
  const fem::MembraneResult r = fem::solve_membrane(p);
  ASSERT_TRUE(r.converged);
  double up = 0, tip = 0;
  for (std::size_t v = 0; v < r.reactions.size(); ++v) {
    up += r.reactions[v].z;
    tip = std::min(tip, r.displacements[v].z);
  }
  EXPECT_NEAR(up, 0.5 * 9.81, 1e-9);
  EXPECT_NEAR(tip, -0.5 * 9.81 / 2 / 1000, 3e-5);  // rho g L^2 / (2 k), up to squares of the strain
}

TEST(MembraneReference, EqualsGetfem) {
  // Answers that nobody here computed (script/validate), with eleven digits.
  std::ifstream file(PLIANT_SOURCE_DIR "/tests/reference/membrane.json");
  ASSERT_TRUE(file) << "run script/validate";
  const nlohmann::json recorded = nlohmann::json::parse(file);
  std::size_t count = 0;
  for (const reference::MembraneCase& c : reference::membranes()) {
    SCOPED_TRACE(c.name);
    ASSERT_TRUE(recorded["cases"].contains(c.name)) << "run script/validate";
    const nlohmann::json& theirs = recorded["cases"][c.name];
    const fem::MembraneResult r = fem::solve_membrane(c.problem, 2);
    ASSERT_TRUE(r.converged);
    ASSERT_EQ(theirs.size(), r.displacements.size());
    double difference = 0;
    for (std::size_t v = 0; v < theirs.size(); ++v) {
      const Vec3d other{theirs[v][0], 0, theirs[v][1]};
      difference = std::max(difference, length(r.displacements[v] - other));
    }
    EXPECT_LT(difference, 1e-9 * 0.4);  // of the pull
    ++count;
  }
  EXPECT_EQ(count, recorded["cases"].size());
}

}  // namespace
}  // namespace pliant::test
