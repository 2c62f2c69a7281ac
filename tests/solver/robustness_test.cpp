// What must not bring a world down: numbers that overflow, degenerate shapes, extreme parameters.

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "build_kind.h"
#include "mixed_scene.h"
#include "springs.h"

namespace pliant::test {
namespace {

bool all_finite(const World& world) {
  for (int b = 0; b < world.body_count(); ++b) {
    for (const Vec3d& x : world.positions({b})) {
      if (!std::isfinite(x.x) || !std::isfinite(x.y) || !std::isfinite(x.z)) return false;
    }
    for (const Vec3d& v : world.velocities({b})) {
      if (!std::isfinite(v.x) || !std::isfinite(v.y) || !std::isfinite(v.z)) return false;
    }
  }
  return true;
}

/// Too fast for the engine's numbers: the square of the distance of one substep overflows.
const double kEnormous = kStandardIsDouble ? 1e200 : 1e38;

TEST(Robustness, NonFiniteLoadsAreRefused) {
  World world({.threads = 1});
  const BodyId id = world.add(dumbbell(1, {1, 0, 0}, {}));
  const double bad = std::numeric_limits<double>::quiet_NaN(), huge = std::numeric_limits<double>::infinity();
  EXPECT_THROW(world.set_vertex_forces(id, std::vector<Vec3d>{{0, bad, 0}, {}}), Error);
  EXPECT_THROW(world.set_vertex_forces(id, std::vector<Vec3d>{{}, {0, 0, huge}}), Error);
  EXPECT_THROW(world.set_force(id, {bad, 0, 0}), Error);
  EXPECT_THROW(world.set_acceleration(id, {0, huge, 0}), Error);
  EXPECT_THROW(world.set_gravity({0, bad, 0}), Error);
  EXPECT_THROW(world.set_positions(id, std::vector<Vec3d>{{bad, 0, 0}, {}}), Error);
  EXPECT_THROW(world.set_velocities(id, std::vector<Vec3d>{{bad, 0, 0}, {}}), Error);
  world.step();
  EXPECT_TRUE(all_finite(world));
  EXPECT_NEAR(world.velocities(id)[0].y, -9.81 / 60, 1e-6) << "nothing of the refused loads was kept";
}

TEST(Robustness, ParticleThatFliesOffIsHeldAndReportedOnce) {
  for (const double speed : {kEnormous, kStandardIsDouble ? 1e300 : 1e300 /* infinite in float */}) {
    for (const int vertex : {0, 40, 80}) {
      SCOPED_TRACE(testing::Message() << speed << " m/s at vertex " << vertex);
      World world({.step = 1.0 / 60, .substeps = 4, .threads = 2});
      const BodyId sheet =
          world.add(Cloth{.name = "sheet",
                          .mesh = grid({1, 1}, {8, 8}),
                          .constraints = {{"distance", {}}, {"bend", {.compliance = 1}}, {"triangle_area", {}}}});
      const BodyId other = world.add(Solid{.mesh = box_tets({1, 1, 1}, {2, 2, 2}), .place = {.position = {0, 5, 0}}});
      const Vec3d before = world.positions(sheet)[static_cast<std::size_t>(vertex)];
      std::vector<Vec3d> v(81);
      v[static_cast<std::size_t>(vertex)] = {speed, 0, 0};
      world.set_velocities(sheet, v);
      for (int k = 0; k < 20; ++k) world.step();
      ASSERT_EQ(world.troubles().size(), 1u);
      const Trouble& trouble = world.troubles()[0];
      EXPECT_EQ(trouble.kind, Trouble::Kind::non_finite);
      EXPECT_EQ(trouble.body, "sheet");
      EXPECT_EQ(trouble.vertex, vertex);
      EXPECT_EQ(trouble.step, 1);
      EXPECT_NE(trouble.message.find("vertex " + std::to_string(vertex) + " of 'sheet'"), std::string::npos);
      EXPECT_NE(trouble.message.find("distance"), std::string::npos) << trouble.message;
      EXPECT_TRUE(all_finite(world));
      EXPECT_LT(length(world.positions(sheet)[static_cast<std::size_t>(vertex)] - before), 1e-6) << "held where it was";
      EXPECT_EQ(world.velocities(sheet)[static_cast<std::size_t>(vertex)], Vec3d{});
      // The rest of the sheet hangs from it; the other body falls as if nothing had been.
      double moved = 0;
      for (const Vec3d& x : world.positions(sheet)) {
        moved = std::max(moved, std::abs(x.y));
        EXPECT_LT(length(x), 2);
      }
      EXPECT_GT(moved, 0.1);
      double mean = 0;
      for (const Vec3d& x : world.positions(other)) mean += x.y / world.vertex_count(other);
      EXPECT_NEAR(mean, 5 - 9.81 * (1.0 / 3) * (1.0 / 3 + 1.0 / 240) / 2, 1e-4);
    }
  }
}

TEST(Robustness, HeldParticlesStayHeldWhenTheWorldChanges) {
  World world({.threads = 1});
  const BodyId sheet = world.add(Cloth{.name = "sheet", .mesh = grid({1, 1}, {4, 4})});
  std::vector<Vec3d> v(25);
  v[7] = {0, kEnormous, 0};
  world.set_velocities(sheet, v);
  world.step();
  ASSERT_EQ(world.troubles().size(), 1u);
  const Vec3d place = world.positions(sheet)[7];
  world.pin(sheet, {0});  // builds anew
  for (int k = 0; k < 5; ++k) world.step();
  EXPECT_EQ(world.troubles().size(), 1u) << "what was reported stays reported, once";
  EXPECT_LT(length(world.positions(sheet)[7] - place), 1e-6);
  world.reset();
  EXPECT_TRUE(world.troubles().empty());
  world.step();
  EXPECT_LT(world.positions(sheet)[7].y, 0) << "after a reset it moves again";
}

TEST(Robustness, EachParticleIsReportedOnce) {
  World world({.threads = 1});
  const BodyId sheet = world.add(Cloth{.name = "sheet", .mesh = grid({1, 1}, {4, 4})});
  for (const std::size_t vertex : {7u, 12u, 3u}) {
    std::vector<Vec3d> v = world.velocities(sheet);
    v[vertex] = {0, kEnormous, 0};
    world.set_velocities(sheet, v);
    for (int k = 0; k < 3; ++k) world.step();
  }
  ASSERT_EQ(world.troubles().size(), 3u);
  EXPECT_EQ(world.troubles()[0].vertex, 7);
  EXPECT_EQ(world.troubles()[1].vertex, 12);
  EXPECT_EQ(world.troubles()[1].step, 4);
  EXPECT_EQ(world.troubles()[2].vertex, 3);
}

TEST(Robustness, ParticleThatGetsTooFarIsHeld) {
  // Slow enough for each substep, but in the end a thousand times farther away than the moon.
  if (kStandardIsDouble) GTEST_SKIP() << "in double that is near";
  World world({.step = 1.0 / 60, .gravity = {}, .threads = 1});
  const BodyId id = world.add(Rope{.mesh = rope({0, 0, 0}, {1, 0, 0}, 40), .constraints = {}});
  std::vector<Vec3d> v(41);
  v[7] = {1e11, 0, 0};
  world.set_velocities(id, v);
  for (int k = 0; k < 200; ++k) world.step();
  ASSERT_EQ(world.troubles().size(), 1u);
  EXPECT_EQ(world.troubles()[0].vertex, 7);
  EXPECT_TRUE(all_finite(world));
  EXPECT_NEAR(world.positions(id)[7].x, 1e9, 2e8);
}

TEST(Robustness, HeldParticleOfASnapshotIsHeld) {
  const auto make = [] {
    World world({.threads = 1});
    world.add(Cloth{.mesh = grid({1, 1}, {4, 4})});
    return world;
  };
  World world = make();
  std::vector<Vec3d> v(25);
  v[7] = {0, kEnormous, 0};
  world.set_velocities({0}, v);
  world.step();
  World other = make();
  other.restore(world.snapshot());
  for (int k = 0; k < 5; ++k) other.step(), world.step();
  EXPECT_EQ(other.state_hash(), world.state_hash());
  const Vec3d place = other.positions({0})[7];
  other.pin({0}, {0});  // builds anew
  for (int k = 0; k < 5; ++k) other.step();
  EXPECT_LT(length(other.positions({0})[7] - place), 1e-6);
}

TEST(Robustness, EnormousForceIsContained) {
  World world({.step = 1.0 / 60, .threads = 1});
  const BodyId id = world.add(Rope{.mesh = rope({0, 0, 0}, {1, 0, 0}, 10)});
  std::vector<Vec3d> force(11);
  force[5] = {0, 1e306, 0};  // infinite in float
  world.set_vertex_forces(id, force);
  for (int k = 0; k < 10; ++k) world.step();
  ASSERT_EQ(world.troubles().size(), 1u);
  EXPECT_EQ(world.troubles()[0].vertex, 5);
  EXPECT_TRUE(all_finite(world));
}

TEST(Robustness, HubThatFliesOffIsHeld) {
  World world({.step = 1.0 / 60, .threads = 2});
  const BodyId id = world.add(Rope{.mesh = star_curve(500, 1), .constraints = {{"distance", {.compliance = 1e-3}}}});
  std::vector<Vec3d> v(501);
  v[0] = {0, kEnormous, 0};
  world.set_velocities(id, v);
  for (int k = 0; k < 10; ++k) world.step();
  ASSERT_EQ(world.troubles().size(), 1u);
  EXPECT_EQ(world.troubles()[0].vertex, 0);
  EXPECT_NE(world.troubles()[0].message.find("distance"), std::string::npos) << world.troubles()[0].message;
  EXPECT_TRUE(all_finite(world));
  EXPECT_LT(length(world.positions(id)[0]), 1e-6);
}

TEST(Robustness, FastParticleDoesNotTakeTheSceneAlong) {
  // Fast enough to leave for the moon, not to overflow. The others keep their digits.
  World world({.step = 1.0 / 60, .gravity = {}, .threads = 1});
  const BodyId loose = world.add(Rope{.mesh = rope({0, 0, 0}, {1, 0, 0}, 40), .constraints = {}});
  std::vector<Vec3d> v(41);
  for (const std::size_t i : {0u, 19u, 20u, 40u}) v[i] = {1e7, 0, 0};
  world.set_velocities(loose, v);
  const std::vector<Vec3d> before = world.positions(loose);
  for (int k = 0; k < 20; ++k) world.step();
  const std::vector<Vec3d> after = world.positions(loose);
  EXPECT_TRUE(world.troubles().empty());
  EXPECT_NEAR(after[0].x, 1e7 / 3, 1e7 * 300 * kRounding);
  for (const std::size_t i : {1u, 10u, 18u, 21u, 39u}) EXPECT_EQ(after[i], before[i]) << i;
}

TEST(Robustness, CoincidentVerticesAndCollapsedElements) {
  const std::vector<std::pair<const char*, Vec3d>> flattened = {
      {"a point", {0, 0, 0}}, {"a line", {1, 0, 0}}, {"a plane", {1, 0, 1}}, {"nearly a point", {1e-12, 1e-12, 1e-12}}};
  for (const auto& [name, scale] : flattened) {
    for (Method method : {Method::xpbd, Method::pbd}) {
      SCOPED_TRACE(name);
      World world({.step = 1.0 / 60, .substeps = 4, .method = method, .gravity = {}, .threads = 1});
      const BodyId solid = world.add(Solid{.mesh = box_tets({1, 1, 1}, {2, 2, 2}),
                                           .constraints = {{"distance", {.compliance = 1e-6}}, {"tet_volume", {}}}});
      const BodyId ball = world.add(Cloth{
          .mesh = sphere(1, 1),
          .constraints = {{"distance", {}}, {"bend", {}}, {"triangle_area", {}}, {"balloon", {.compliance = 1e-6}}}});
      for (const BodyId id : {solid, ball}) {
        std::vector<Vec3d> x = world.positions(id);
        for (Vec3d& p : x) p = {p.x * scale.x, p.y * scale.y, p.z * scale.z};
        world.set_positions(id, x);
      }
      for (int k = 0; k < 60; ++k) world.step();
      EXPECT_TRUE(all_finite(world));
      EXPECT_TRUE(world.troubles().empty());
    }
  }
}

TEST(Robustness, ZeroLengthEdgeIsPulledApartByItsNeighbours) {
  World world({.step = 1.0 / 60, .substeps = 10, .gravity = {}, .threads = 1});
  const BodyId id = world.add(Rope{.mesh = rope({0, 0, 0}, {1, 0, 0}, 4)});
  std::vector<Vec3d> x = world.positions(id);
  x[2] = x[1];
  world.set_positions(id, x);
  for (int k = 0; k < 120; ++k) world.step();
  x = world.positions(id);
  for (std::size_t i = 1; i < x.size(); ++i) EXPECT_NEAR(length(x[i] - x[i - 1]), 0.25, 1e-3);
}

TEST(Robustness, InvertedTetsRecover) {
  // Each vertex mirrored: all tets inside out. Signed volumes push them back through themselves.
  for (const double noise : {0.0, 0.05}) {
    World world({.step = 1.0 / 60, .substeps = 10, .gravity = {}, .point_damping = 2, .threads = 1});
    const BodyId id = world.add(Solid{.mesh = box_tets({1, 1, 1}, {1, 1, 1}),
                                      .density = 100,
                                      .constraints = {{"distance", {.compliance = 1e-4}}, {"tet_volume", {}}}});
    std::vector<Vec3d> x = world.positions(id);
    std::size_t i = 0;
    for (Vec3d& p : x) p = {-0.5 * p.x, p.y + noise * std::sin(3.0 * static_cast<double>(i++)), p.z};
    world.set_positions(id, x);
    EXPECT_LT(world.measures().volume, 0);
    for (int k = 0; k < 300; ++k) world.step();
    EXPECT_TRUE(all_finite(world));
    EXPECT_NEAR(world.measures().volume, 1, 1e-3);
    EXPECT_LT(world.measures().largest_strain, 0.01);
  }
}

TEST(Robustness, ComplianceExtremes) {
  for (const double compliance : {0.0, 1e-30, 1e-12, 1e12, 1e30, 1e300}) {
    SCOPED_TRACE(compliance);
    World world({.step = 1.0 / 60, .substeps = 10, .iterations = 2, .threads = 1});
    const ConstraintSettings settings{.compliance = compliance};
    const BodyId cloth = world.add(
        Cloth{.mesh = sphere(0.5, 1),
              .constraints = {
                  {"distance", settings}, {"bend", settings}, {"triangle_area", settings}, {"balloon", settings}}});
    const BodyId solid = world.add(Solid{.mesh = box_tets({1, 1, 1}, {2, 2, 2}),
                                         .constraints = {{"distance", settings}, {"tet_volume", settings}}});
    world.attach(cloth, 0, {0, 1, 0}, settings);
    world.attach_nearest(solid, 0, cloth, settings);
    world.pin(cloth, {3});
    for (int k = 0; k < 30; ++k) world.step();
    EXPECT_TRUE(all_finite(world));
    EXPECT_TRUE(world.troubles().empty());
    if (compliance >= 1e12) {  // nothing holds: free fall
      EXPECT_NEAR(world.positions(solid)[5].y, world.rest_positions(solid)[5].y - 9.81 * 0.5 * (0.5 + 1.0 / 600) / 2,
                  1e-4);
    }
  }
}

TEST(Robustness, MassRatioOfAMillion) {
  // A light and a heavy end. The light one does all the moving; a correction still keeps momentum.
  World world({.step = 1.0 / 60, .substeps = 10, .gravity = {}, .threads = 1});
  Curve curve{{{0, 0, 0}, {1e-6, 0, 0}, {1, 0, 0}, {1e6, 0, 0}}, {{0, 1}, {2, 3}}};
  EXPECT_THROW(world.add(Rope{.mesh = curve}), Error) << "segments of 1e-6 m beside 1e6 m are refused as degenerate";
  const BodyId light = world.add(Rope{.name = "light", .mesh = rope({0, 0, 0}, {1, 0, 0}, 1), .density = 2e-3});
  const BodyId heavy = world.add(
      Rope{.name = "heavy", .mesh = rope({0, 0, 0}, {1, 0, 0}, 1), .density = 2e3, .place = {.position = {0, 1, 0}}});
  world.attach(light, 0, heavy, std::array{0}, std::array{1.0});
  EXPECT_NEAR(world.masses(heavy)[0] / world.masses(light)[0], 1e6, 1);
  for (int k = 0; k < 60; ++k) world.step();
  EXPECT_TRUE(all_finite(world));
  EXPECT_LT(length(world.positions(light)[0] - world.positions(heavy)[0]), 1e-5);
  EXPECT_LT(length(world.positions(heavy)[0] - Vec3d{0, 1, 0}), 2e-3) << "pulled over by a millionth";
}

TEST(Robustness, HeavyWeightOnALightRope) {
  // 1 g per vertex and 1 kg at the end: needs many iterations to be stiff, but is stable with few.
  World world({.step = 1.0 / 60, .substeps = 10, .threads = 1});
  const BodyId line = world.add(Rope{.mesh = rope({0, 0, 0}, {0, -1, 0}, 10), .density = 0.01});
  const BodyId weight = world.add(Rope{.name = "weight", .mesh = rope({0, -1, 0}, {0, -2, 0}, 1), .density = 1000});
  world.attach(line, 10, weight, std::array{0}, std::array{1.0});
  world.pin(line, {0});
  for (int k = 0; k < 120; ++k) world.step();
  EXPECT_TRUE(all_finite(world));
  EXPECT_TRUE(world.troubles().empty());
}

TEST(Robustness, AllStatic) {
  World world({.point_damping = 1, .global_damping = 1, .threads = 1});
  const BodyId id = world.add(Solid{.mesh = box_tets({1, 1, 1}, {1, 1, 1})});
  std::vector<int> all(static_cast<std::size_t>(world.vertex_count(id)));
  std::iota(all.begin(), all.end(), 0);
  world.pin(id, all);
  const std::vector<Vec3d> before = world.positions(id);
  for (int k = 0; k < 5; ++k) world.step();
  EXPECT_EQ(world.positions(id), before);
  EXPECT_EQ(world.measures().mass, 0);
  EXPECT_EQ(world.measures().kinetic_energy, 0);
}

TEST(Robustness, EmptyWorld) {
  World world;
  world.step();
  world.reset();
  world.step();
  EXPECT_EQ(world.steps(), 1);
  EXPECT_EQ(world.particle_count(), 0);
  EXPECT_EQ(world.measures().total_energy, 0);
  EXPECT_TRUE(world.constraint_counts().empty());
  const std::vector<std::byte> bytes = world.snapshot();
  world.step();
  world.restore(bytes);
  EXPECT_EQ(world.steps(), 1);
}

TEST(Robustness, SingleElements) {
  World world({.threads = 2});
  const BodyId segment = world.add(Rope{.mesh = rope({0, 0, 0}, {1, 0, 0}, 1)});
  const BodyId triangle = world.add(Cloth{.mesh = {{{0, 0, 0}, {1, 0, 0}, {0, 0, -1}}, {{0, 1, 2}}},
                                          .constraints = {{"distance", {}}, {"bend", {}}, {"triangle_area", {}}}});
  const BodyId tet = world.add(Solid{.mesh = {{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, {{0, 1, 2, 3}}}});
  world.pin(segment, {0});
  world.pin(triangle, {0});
  world.pin(tet, {0});
  for (int k = 0; k < 60; ++k) world.step();
  EXPECT_TRUE(all_finite(world));
  EXPECT_NEAR(length(world.positions(segment)[1]), 1, 1e-5);
  // The tet of 167 kg hangs on edges of 1e4 N/m: 125 kg g / 1e4 N/m is 12 %, shared by three.
  EXPECT_LT(world.measures().largest_strain, 0.1);
}

}  // namespace
}  // namespace pliant::test
