// Momenta of free bodies.
//
// A projection moves particles along w grad C, which keeps both momenta for any multiplier: what a step
// does to linear momentum is rounding. Angular momentum is another matter. With v = (x - x_start) / dt,
//
//   L_new = sum m x_start x x / dt = L + sum m x_start x d / dt,
//
// and the corrections d are balanced about the predicted places, not about x_start. A body that turns at
// omega therefore loses omega^2 dt^2 of it per substep, as implicit Euler does: d(omega)/dt = -omega^3 dt,
//
//   omega(t) = omega_0 / sqrt(1 + 2 omega_0^2 dt t).
//
// The tests hold the engine to this, and to the loss vanishing with the substep.

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "build_kind.h"
#include "constraints/random_stencil.h"
#include "springs.h"

namespace pliant::test {
namespace {

struct FreeBody {
  const char* name;
  Method method;
  Constraints constraints;
  bool solid = false;
  bool stiff = false;  // never starts stretched: it would fly apart in its first substep
};

const std::vector<FreeBody>& free_bodies() {
  static const std::vector<FreeBody> bodies = {
      {"distance", Method::xpbd, {{"distance", {.compliance = 1e-3}}}, true},
      {"rigid distance", Method::xpbd, {{"distance", {}}}, true, true},
      {"kept multipliers", Method::xpbd, {{"distance", {.compliance = 1e-3, .keep_multipliers = true}}}, true},
      {"rope edges", Method::xpbd, {{"distance", {.compliance = 1e-3, .unilateral = true, .damping = 0.01}}}, true},
      {"pbd distance", Method::pbd, {{"distance", {.stiffness = 0.5}}}, true, true},
      {"bend", Method::xpbd, {{"bend", {.compliance = 1}}}},
      {"triangle_area", Method::xpbd, {{"triangle_area", {.compliance = 1e-3}}}},
      {"balloon", Method::xpbd, {{"distance", {.compliance = 1e-3}}, {"balloon", {.compliance = 1e-4}}}},
      {"pbd balloon", Method::pbd, {{"distance", {.stiffness = 0.2}}, {"balloon", {.stiffness = 0.3}}}, false, true},
      {"tet_volume", Method::xpbd, {{"tet_volume", {.compliance = 1e-7}}}, true},
  };
  return bodies;
}

/// Momenta before and after some steps of a body that spins, travels and perhaps starts stretched.
struct FreeRun {
  Measures before, after;
  double momentum_scale = 0;  // sum of m |v|
};

FreeRun run_free(const FreeBody& body, int steps, int substeps, bool stretched) {
  World world({.step = 1.0 / 60, .substeps = substeps, .gravity = {}, .threads = 1});
  const Placement place{.position = {0.2, 0.1, 0}, .rotation = {0.3, 0.2, 0.1}};
  const BodyId id = body.solid ? world.add(Solid{.mesh = box_tets({1, 0.6, 0.4}, {5, 3, 2}),
                                                 .density = 10,
                                                 .place = place,
                                                 .method = body.method,
                                                 .constraints = body.constraints})
                               : world.add(Cloth{.mesh = sphere(0.5, 2),
                                                 .density = 1,
                                                 .place = place,
                                                 .method = body.method,
                                                 .constraints = body.constraints});
  std::vector<Vec3d> x = world.positions(id), v;
  for (Vec3d& p : x) {
    v.push_back(cross(Vec3d{0.3, 1, 0.2}, p) + Vec3d{0.3, 0.2, 0.1});
    if (stretched && !body.stiff) p = {p.x * 1.05, p.y * 0.97, p.z * 1.02};
  }
  world.set_positions(id, x);
  world.set_velocities(id, v);
  FreeRun run;
  run.before = world.measures();
  for (int k = 0; k < steps; ++k) world.step();
  run.after = world.measures();
  EXPECT_TRUE(world.troubles().empty());
  const std::vector<double> mass = world.masses(id);
  for (std::size_t i = 0; i < v.size(); ++i) run.momentum_scale += mass[i] * length(v[i]);
  return run;
}

TEST(Conservation, LinearMomentumToRounding) {
  for (const FreeBody& body : free_bodies()) {
    SCOPED_TRACE(body.name);
    const FreeRun run = run_free(body, 200, 10, true);
    const Vec3d change = run.after.linear_momentum - run.before.linear_momentum;
    // 2000 substeps, each of which rounds every velocity once and every corner of every constraint: the
    // roundings have random signs and add up to about sqrt(2000) of one. Measured: up to 15 roundings.
    EXPECT_LT(length(change), 3 * std::sqrt(2000.0) * kRounding * run.momentum_scale);
    EXPECT_GT(length(run.before.linear_momentum), 0.1 * run.momentum_scale);
  }
}

TEST(Conservation, AngularMomentumIsLostInProportionToTheSubstep) {
  for (const FreeBody& body : free_bodies()) {
    SCOPED_TRACE(body.name);
    const auto loss = [&](int substeps) {
      const FreeRun run = run_free(body, 60, substeps, false);
      return length(run.after.angular_momentum - run.before.angular_momentum) / length(run.before.angular_momentum);
    };
    const double coarse = loss(10), fine = loss(40);
    // omega is about 1 rad/s: omega^2 dt t = 0.0019 for the rotation at 10 substeps. (Vibrations would add
    // a part that does not depend on dt: the shorter it is, the longer they last.)
    EXPECT_LT(coarse, 0.003);
    // Of first order: a quarter at four times as many substeps, give or take a third; and rounding.
    EXPECT_LT(fine, 0.33 * coarse + 3 * std::sqrt(60.0 * 40) * kRounding);
  }
}

TEST(Conservation, SpinningRingSlowsDownAsImplicitEulerDoes) {
  const int count = 24;
  Curve ring;
  for (int k = 0; k < count; ++k) {
    const double angle = 2 * M_PI * k / count;
    ring.positions.push_back({std::cos(angle), 0, std::sin(angle)});
    ring.edges.push_back({k, (k + 1) % count});
  }
  for (int substeps : {10, 50}) {
    for (double compliance : {0.0, 1e-4}) {
      World world({.step = 1.0 / 60, .substeps = substeps, .gravity = {}, .threads = 1});
      const BodyId id = world.add(Rope{.mesh = ring, .constraints = {{"distance", {.compliance = compliance}}}});
      const double omega = 1.5, dt = 1.0 / 60 / substeps;
      std::vector<Vec3d> v;
      for (const Vec3d& x : ring.positions) v.push_back(cross(Vec3d{0, omega, 0}, x));
      world.set_velocities(id, v);
      const double start = world.measures().angular_momentum.y;
      for (int k = 0; k < 120; ++k) world.step();
      const double kept = world.measures().angular_momentum.y / start;
      const double expected = 1 / std::sqrt(1 + 2 * omega * omega * dt * 2);
      // The closed form is that of many small turns: its error is of the order (omega dt)^2. Rounding:
      // sqrt(substeps) of one; a factor that is off by one rounding per substep would show here.
      EXPECT_NEAR(kept, expected, 0.01 * (1 - expected) + 5 * std::sqrt(120.0 * substeps) * kRounding)
          << substeps << " substeps, compliance " << compliance;
    }
  }
}

/// One substep with one projection of one element: positions before it are x + dt v, known in closed form.
/// sum m d and sum m (x + dt v) x d must vanish.
void expect_one_projection_is_balanced(World& world, const std::vector<BodyId>& bodies, double dt) {
  Random random(4);
  std::vector<std::vector<Vec3d>> predicted;
  for (const BodyId id : bodies) {
    std::vector<Vec3d> x = world.positions(id), v;
    for (Vec3d& p : x) {
      p += random.point() * 0.1;
      v.push_back(random.point());
    }
    world.set_positions(id, x);
    world.set_velocities(id, v);
    v = world.velocities(id);  // rounded
    x = world.positions(id);
    for (std::size_t i = 0; i < x.size(); ++i) x[i] += v[i] * dt;
    predicted.push_back(x);
  }
  world.step();
  Vec3d linear{}, angular{};
  double scale = 0;
  for (std::size_t b = 0; b < bodies.size(); ++b) {
    const std::vector<Vec3d> x = world.positions(bodies[b]);
    const std::vector<double> mass = world.masses(bodies[b]);
    for (std::size_t i = 0; i < x.size(); ++i) {
      const Vec3d d = x[i] - predicted[b][i];
      linear += d * mass[i];
      angular += cross(predicted[b][i], d) * mass[i];
      scale += mass[i] * length(d);
    }
  }
  EXPECT_GT(scale, 0);
  // dt is rounded by the engine: predictions differ by dt v kRounding, of the size of the corrections'
  // own rounding. Coordinates are about 1 m.
  EXPECT_LT(length(linear), 100 * kRounding * scale);
  EXPECT_LT(length(angular), 100 * kRounding * scale);
}

TEST(Conservation, OneProjectionKeepsBothMomenta) {
  const double dt = 1.0 / 128;  // exact in float
  const WorldOptions options{.step = dt, .substeps = 1, .gravity = {}, .threads = 1};
  const TriMesh hinge{{{0, 0, 0}, {1, 0, 0}, {0.4, 0.2, 0.9}, {0.5, 0.1, -0.8}}, {{0, 2, 1}, {0, 1, 3}}};
  const TetMesh tet{{{0, 0, 0}, {1, 0, 0.1}, {0.1, 1, 0}, {0, 0.2, 1}}, {{0, 1, 2, 3}}};
  const TriMesh triangle{{{0, 0, 0}, {1, 0, 0}, {0.3, 0, -0.9}}, {{0, 1, 2}}};
  for (Method method : {Method::xpbd, Method::pbd}) {
    SCOPED_TRACE(method == Method::xpbd ? "xpbd" : "pbd");
    const auto cloth = [&](const char* type, const TriMesh& mesh, ConstraintSettings settings) {
      SCOPED_TRACE(type);
      World world(options);
      const BodyId id = world.add(Cloth{.mesh = mesh, .method = method, .constraints = {{type, settings}}});
      expect_one_projection_is_balanced(world, {id}, dt);
    };
    cloth("bend", hinge, {.compliance = 1e-2});
    cloth("triangle_area", triangle, {.compliance = 1e-6});
    cloth("balloon", sphere(1, 1), {.compliance = 1e-8});
    cloth("balloon", sphere(1, 4), {.compliance = 1e-8});  // several chunks
    {
      SCOPED_TRACE("distance");
      World world(options);
      Rope body = dumbbell(1, {1, 0, 0}, {.compliance = 1e-4});
      body.method = method;
      expect_one_projection_is_balanced(world, {world.add(body)}, dt);
    }
    {
      SCOPED_TRACE("tet_volume");
      World world(options);
      const BodyId id =
          world.add(Solid{.mesh = tet, .method = method, .constraints = {{"tet_volume", {.compliance = 1e-9}}}});
      expect_one_projection_is_balanced(world, {id}, dt);
    }
    {
      SCOPED_TRACE("attachments");
      WorldOptions attached = options;
      attached.method = method;
      for (int corners : {1, 3, 4}) {
        World world(attached);
        Rope body = dumbbell(0.2, {1, 0, 0}, {});
        body.constraints = {};
        const BodyId a = world.add(body);
        const BodyId b = world.add(Solid{.mesh = tet, .density = 5, .constraints = {}});
        const std::vector<int> names{0, 1, 2, 3};
        std::vector<double> weights = {0.5, 0.2, 0.2, 0.1};
        weights.resize(static_cast<std::size_t>(corners));
        const double sum = std::accumulate(weights.begin(), weights.end(), 0.0);
        for (double& weight : weights) weight /= sum;
        world.attach(a, 0, b, std::span(names).first(weights.size()), weights, {.compliance = 1e-4});
        expect_one_projection_is_balanced(world, {a, b}, dt);
      }
    }
  }
}

}  // namespace
}  // namespace pliant::test
