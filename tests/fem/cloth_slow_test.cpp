// The engine's cloth against finite elements, closed forms and the heavy elastica.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "fem/elastica.h"
#include "fem/membrane.h"
#include "pliant/world.h"
#include "reference/membranes.h"

namespace pliant::test {
namespace {

std::vector<int> vertices_where(const TriMesh& mesh, bool (*where)(const Vec3d&)) {
  std::vector<int> out;
  for (std::size_t v = 0; v < mesh.positions.size(); ++v) {
    if (where(mesh.positions[v])) out.push_back(static_cast<int>(v));
  }
  return out;
}
bool at_left(const Vec3d& x) { return x.x < -0.5 + 1e-9; }
bool at_right(const Vec3d& x) { return x.x > 0.5 - 1e-9; }

struct Distance {
  double largest = 0, mean = 0;  // [m]
};

/// Stretches the cloth of a reference case in half a second and waits until it is at rest.
Distance distance_at_rest(const reference::MembraneCase& c) {
  const TriMesh& mesh = c.problem.mesh;
  const fem::MembraneResult reference = fem::solve_membrane(c.problem, 2);
  EXPECT_TRUE(reference.converged);
  double pull = 0;
  for (const fem::Support& s : c.problem.supports) pull = std::max(pull, s.displacement.x);
  World world({.step = 1.0 / 60, .substeps = 20, .gravity = {}, .point_damping = 4, .threads = 1});
  Cloth cloth{.mesh = mesh, .material = c.problem.material};
  cloth.material->bending = 0;
  const BodyId id = world.add(cloth);
  world.pin(id, vertices_where(mesh, at_left));
  world.pin(id, vertices_where(mesh, at_right), {{0, {}, {}}, {0.5, {pull, 0, 0}, {}}});
  for (int frame = 0; frame < 200; ++frame) world.step();
  const std::vector<Vec3d> x = world.positions(id);
  Distance out;
  for (std::size_t v = 0; v < x.size(); ++v) {
    const double d = length(x[v] - mesh.positions[v] - reference.displacements[v]);
    out.largest = std::max(out.largest, d);
    out.mean += d / static_cast<double>(x.size());
  }
  return out;
}

TEST(ClothAtRest, IsThatOfFiniteElements) {
  // bender14 fig. 7 prints 4e-4 m and 8e-6 m; ten times smaller is asked, measured are 2e-8 m and less.
  for (const reference::MembraneCase& c : reference::membranes()) {
    const Distance d = distance_at_rest(reference::stretched_square(c.name, c.problem.material, 10));
    EXPECT_LT(d.largest, 4e-5) << c.name;
    EXPECT_LT(d.mean, 8e-7) << c.name;
  }
}

/// Force per width over strain of a cloth hung up by its upper side and pulled by forces at its lower side, and the
/// contraction across over the elongation.
struct Response {
  double stiffness, contraction;
};

Response hang(ClothMaterial material, double force) {
  constexpr int kCells = 8;
  const TriMesh mesh = grid({1, 1}, {kCells, kCells});
  World world({.step = 1.0 / 60, .substeps = 20, .gravity = {}, .point_damping = 6, .threads = 1});
  material.bending = 0;
  const BodyId id = world.add(Cloth{.mesh = mesh, .material = material});
  // Free to contract: pulled apart by forces on both sides, one vertex held in the middle.
  std::vector<Vec3d> forces(mesh.positions.size());
  for (std::size_t v = 0; v < mesh.positions.size(); ++v) {
    const Vec3d& x = mesh.positions[v];
    const double share = (std::abs(x.z) > 0.499 ? 0.5 : 1.0) / kCells;
    if (at_left(x)) forces[v].x = -force * share;
    if (at_right(x)) forces[v].x = force * share;
  }
  world.set_vertex_forces(id, forces);
  world.pin(id, {kCells / 2 * (kCells + 1) + kCells / 2});
  for (int frame = 0; frame < 180; ++frame) world.step();
  const std::vector<Vec3d> x = world.positions(id);
  // In the middle, away from the corners.
  const auto at = [&](int i, int j) { return x[static_cast<std::size_t>(j * (kCells + 1) + i)]; };
  const double along = length(at(kCells, kCells / 2) - at(0, kCells / 2)) - 1;
  const double across = length(at(kCells / 2, kCells) - at(kCells / 2, 0)) - 1;
  return {force / along, -across / along};
}

TEST(ClothAtRest, OrthotropicClothRespondsToItsDirections) {
  ClothMaterial m{.model = ClothModel::orthotropic};
  m.orthotropic = {.k_weft = 100, .k_warp = 400, .k_shear = 30, .nu_weft = 0.1, .nu_warp = 0.4};
  const double force = 0.1;  // [N/m] strains of 1e-3 and less: squares of them below 1 %
  const Response weft = hang(m, force);
  EXPECT_NEAR(weft.stiffness, 100, 1);
  EXPECT_NEAR(weft.contraction, 0.1, 0.001);
  m.weft = {0, 0, 1};
  const Response warp = hang(m, force);
  EXPECT_NEAR(warp.stiffness, 400, 4);
  EXPECT_NEAR(warp.contraction, 0.4, 0.004);
  // At 45 degrees: 1 / E = (1/E_w + 1/E_f - 2 nu_w / E_w + 1/G) / 4. A sheet that is slanted shears when it is pulled;
  // lengths change by squares of that.
  m.weft = {1, 0, 1};
  const double expected = 4 / (1 / 100.0 + 1 / 400.0 - 2 * 0.1 / 100 + 1 / 30.0);
  EXPECT_NEAR(hang(m, force).stiffness, expected, 0.01 * expected);
}

TEST(ClothAtRest, StretchedMembraneHasTheClosedForm) {
  // Uniaxial at a finite stretch s: force per width = s k E, E = (s^2 - 1) / 2, across sqrt(1 - 2 nu E).
  const double k = 100, nu = 0.3, s = 1.2, green = (s * s - 1) / 2;
  const ClothMaterial m{.young = k / 1e-3, .poisson = nu, .thickness = 1e-3};
  const Response r = hang(m, s * k * green);
  EXPECT_NEAR(r.stiffness, s * k * green / (s - 1), 0.01 * s * k * green / (s - 1));
  EXPECT_NEAR(r.contraction, (1 - std::sqrt(1 - 2 * nu * green)) / (s - 1), 0.01 * nu);
}

/// A strip that hangs over an edge: the largest distance from the elastica over the way of its tip.
double distance_from_elastica(double stiffness, int cells, double uneven, BendingModel model) {
  constexpr double kLength = 0.3, kDensity = 0.2, kMembrane = 300;  // [m, kg/m^2, N/m]
  const double h = kLength / cells;
  const int across = std::max(2, static_cast<int>(std::lround(0.09 / h)));
  TriMesh mesh = grid({h * (cells + 1), h * across}, {cells + 1, across});
  std::mt19937 engine(3);
  std::uniform_real_distribution<double> random(-uneven * h, uneven * h);
  const double begin = mesh.positions[0].x + h;
  for (Vec3d& x : mesh.positions) {
    x.x -= begin;
    const double dx = random(engine), dz = random(engine);
    const bool inside = x.x > 0.5 * h && x.x < kLength - 1e-9;
    if (inside) x.x += dx;
    if (inside && std::abs(x.z) < 0.5 * h * across - 1e-9) x.z += dz;
  }
  const int substeps = static_cast<int>(std::ceil(std::sqrt(kMembrane / kDensity) / h / 60));  // resolution 1
  World world({.step = 1.0 / 60, .substeps = std::max(substeps, 100), .point_damping = 6, .threads = 1});
  const BodyId id = world.add(Cloth{
      .mesh = mesh,
      .density = kDensity,
      .material = ClothMaterial{
          .young = kMembrane / 1e-3, .poisson = 0, .thickness = 1e-3, .bending = stiffness, .bending_model = model}});
  // Two columns are held, at -h and 0. The turn between them and the next is spread over -h/2 to h/2: the clamp is at
  // -h/2.
  std::vector<int> held;
  for (std::size_t v = 0; v < mesh.positions.size(); ++v) {
    if (mesh.positions[v].x < 1e-9) held.push_back(static_cast<int>(v));
  }
  world.pin(id, held);
  for (int frame = 0; frame < 150; ++frame) world.step();
  const HeavyElastica exact(kLength + h / 2, stiffness, kDensity * 9.81);
  const std::vector<Vec3d> x = world.positions(id);
  double worst = 0;
  for (std::size_t v = 0; v < x.size(); ++v) {
    const double s = mesh.positions[v].x;
    const Vec3d p = exact.at(s + h / 2) - Vec3d{h / 2, 0, 0};
    worst = std::max(worst, std::hypot(x[v].x - p.x, x[v].y - p.y));
  }
  return worst / length(exact.at(kLength + h / 2) - Vec3d{kLength + h / 2, 0, 0});
}

TEST(Cantilever, BendsLikeTheHeavyElastica) {
  for (const double stiffness : {1e-2, 3e-3, 1e-3}) {  // [N m] tips 0.19, 0.32 and 0.38 m from where they began
    for (const int cells : {10, 20}) {
      EXPECT_LT(distance_from_elastica(stiffness, cells, 0, BendingModel::triangles), 0.02)
          << stiffness << ' ' << cells;
    }
    EXPECT_LT(distance_from_elastica(stiffness, 20, 0.15, BendingModel::triangles), 0.02) << stiffness << " uneven";
  }
}

}  // namespace
}  // namespace pliant::test
