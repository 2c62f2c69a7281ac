// The public face: names, numbering, what is refused and how it is said, forces, the host's own jobs.

#include "pliant/world.h"

#include <gtest/gtest.h>

#include <cmath>

#include "build_kind.h"
#include "message.h"
#include "springs.h"

namespace pliant::test {
namespace {

TEST(WorldOptions, AreChecked) {
  const auto say = [](WorldOptions options) { return message_of([&] { World world(options); }); };
  expect_says(say({.step = 0}), "step");
  expect_says(say({.step = -1}), "-1 is out of range");
  expect_says(say({.step = NAN}), "not a finite number");
  expect_says(say({.substeps = 0}), "substeps");
  expect_says(say({.iterations = 0}), "iterations");
  expect_says(say({.gravity = {0, INFINITY, 0}}), "gravity");
  expect_says(say({.point_damping = -1}), "point_damping");
  expect_says(say({.global_damping = -1}), "global_damping");
  expect_says(say({.threads = -1}), "threads");
  expect_says(say({.simd_width = 3}), "simd_width");
}

TEST(WorldBodies, AreChecked) {
  World world({.threads = 1});
  const Curve line = rope({0, 0, 0}, {1, 0, 0}, 2);
  const auto say = [&](const Rope& body) { return message_of([&] { world.add(body); }); };
  expect_says(say({.name = "a", .mesh = line, .density = 0}), "a.density");
  expect_says(say({.name = "a", .mesh = line, .density = -2}), "kg/m");
  expect_says(say({.name = "a", .mesh = line, .place = {.position = {NAN, 0, 0}}}), "a.place.position");
  expect_says(say({.name = "a", .mesh = line, .place = {.rotation = {0, INFINITY, 0}}}), "a.place.rotation");
  expect_says(say({.name = "a", .mesh = line, .place = {.scale = {1, 0, 1}}}), "a.place.scale");
  expect_says(say({.name = "a", .mesh = line, .velocity = {0, NAN, 0}}), "a.velocity");
  expect_says(say({.name = "a", .mesh = line, .constraints = {{"distanse", {}}}}), "distance");
  expect_says(say({.name = "a", .mesh = line, .constraints = {{"attach_point", {}}}}), "not made from a mesh");
  expect_says(say({.name = "a", .mesh = line, .constraints = {{"tet_volume", {}}}}), "a rope has no tets");
  expect_says(say({.name = "a", .mesh = line, .constraints = {{"bend", {}}}}), "a rope has no hinges");
  expect_says(say({.name = "a", .mesh = line, .constraints = {{"balloon", {}}}}), "not closed");
  const auto settings = [&](ConstraintSettings s) {
    return say({.name = "a", .mesh = line, .constraints = {{"distance", s}}});
  };
  expect_says(settings({.compliance = -1}), "a.constraints.distance.compliance");
  expect_says(settings({.compliance = NAN}), "a.constraints.distance.compliance");
  expect_says(settings({.stiffness = 2}), "a.constraints.distance.stiffness");
  expect_says(settings({.compression_compliance = -1}), "compression_compliance");
  expect_says(settings({.compression_stiffness = 2}), "compression_stiffness");
  expect_says(settings({.damping = -1}), "damping");
  expect_says(settings({.velocity_damping = -1}), "velocity_damping");
  expect_says(settings({.pressure = 0}), "pressure");
  const auto balloon = [&](ConstraintSettings s) {
    return message_of([&] { world.add(Cloth{.name = "b", .mesh = sphere(1, 1), .constraints = {{"balloon", s}}}); });
  };
  expect_says(balloon({.compression_compliance = 1}), "b.constraints.balloon.compression_compliance");
  expect_says(balloon({.compression_stiffness = 1}), "compression_stiffness");
  expect_says(balloon({.unilateral = true}), "unilateral");
  expect_says(balloon({.damping = 1}), "a balloon does not have this setting");
  expect_says(balloon({.velocity_damping = 1}), "velocity_damping");
  expect_says(balloon({.keep_multipliers = true}), "keep_multipliers");
  EXPECT_EQ(world.body_count(), 0) << "nothing of what was refused is kept";
  EXPECT_EQ(world.particle_count(), 0);

  world.add(Rope{.name = "a", .mesh = line});
  expect_says(say({.name = "a", .mesh = line}), "two bodies have this name");
  expect_says(message_of([&] {
                world.add(Cloth{.mesh = grid({1, 1}, {2, 2}), .constraints = {{"balloon", {}}}});
              }),
              "not closed");
  EXPECT_EQ(world.body_count(), 1);
  EXPECT_EQ(world.particle_count(), 3);
  world.step();
}

TEST(WorldBodies, MaterialsAreXpbdWhateverTheMethod) {
  const auto hash_with = [](std::optional<Method> method) {
    World world({.threads = 1});
    world.pin(world.add(Solid{.mesh = box_tets({1, 1, 1}, {2, 2, 2}), .material = Material{}, .method = method}),
              {0, 1});
    for (int i = 0; i < 3; ++i) world.step();
    return world.state_hash();
  };
  EXPECT_EQ(hash_with(Method::pbd), hash_with(Method::xpbd));
  World cloth({.method = Method::pbd, .threads = 1});
  cloth.add(Cloth{.mesh = grid({1, 1}, {2, 2}), .material = ClothMaterial{}});
  cloth.step();
  EXPECT_TRUE(cloth.troubles().empty());
}

TEST(WorldBodies, AreFoundByName) {
  World world({.threads = 1});
  const BodyId a = world.add(Rope{.name = "a", .mesh = rope({0, 0, 0}, {1, 0, 0}, 2)});
  const BodyId b = world.add(Cloth{.mesh = grid({1, 1}, {2, 2})});
  EXPECT_EQ(world.find("a"), a);
  EXPECT_EQ(world.find(world.name(b)), b);
  EXPECT_FALSE(world.name(b).empty()) << "unnamed ones get a name";
  EXPECT_EQ(world.find("c"), std::nullopt);
  expect_says(message_of([&] { world.positions({5}); }), "no body number 5");
  expect_says(message_of([&] { world.positions({}); }), "no body number -1");
}

TEST(WorldBodies, AreScaledThenTurnedThenMoved) {
  World world({.threads = 1});
  const BodyId id =
      world.add(Rope{.mesh = rope({0, 0, 0}, {1, 0, 0}, 1),
                     .place = {.position = {10, 0, 0}, .rotation = {0, 0, M_PI / 2}, .scale = {2, 1, 1}}});
  EXPECT_LT(length(world.rest_positions(id)[1] - Vec3d{2, 0, 0}), 1e-15);
  EXPECT_LT(length(world.positions(id)[1] - Vec3d{10, 2, 0}), 1e-14);
  EXPECT_EQ(world.masses(id)[0], 0.1) << "of the scaled length: 0.1 kg/m, 2 m, two ends";
}

TEST(WorldBodies, UserNumberingIsKept) {
  // The engine renumbers; whoever asks does not see it.
  World world({.step = 1.0 / 60, .gravity = {}, .threads = 1});
  TriMesh mesh = grid({1, 1}, {12, 12});
  std::vector<int> to(mesh.positions.size());
  for (std::size_t i = 0; i < to.size(); ++i)
    to[i] = static_cast<int>((i * 61) % to.size());  // 61 and 169 have no common divisor
  TriMesh shuffled = mesh;
  for (std::size_t i = 0; i < to.size(); ++i) shuffled.positions[static_cast<std::size_t>(to[i])] = mesh.positions[i];
  for (Triangle& t : shuffled.triangles) {
    for (int& v : t) v = to[static_cast<std::size_t>(v)];
  }
  const BodyId id = world.add(Cloth{.mesh = shuffled, .constraints = {{"distance", {.compliance = 1e10}}}});
  std::vector<Vec3d> v(to.size());
  v[17] = {0, 6, 0};
  world.set_velocities(id, v);
  std::vector<Vec3d> force(to.size());
  force[23] = {0, 60 * 60 * world.masses(id)[23], 0};  // 3600 m/s^2 for a step of 1/60 s in 10 substeps
  world.set_vertex_forces(id, force);
  EXPECT_EQ(world.velocities(id)[17].y, 6);
  world.step();
  const std::vector<Vec3d> x = world.positions(id);
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double up = i == 17 ? 0.1 : i == 23 ? 0.5 * (1 + 0.1) : 0;
    EXPECT_NEAR(x[i].y - shuffled.positions[i].y, up, 1e-5) << i;
  }
}

TEST(WorldForces, AddUp) {
  World world({.step = 1.0 / 64, .substeps = 1, .gravity = {0, -8, 0}, .threads = 1});
  const BodyId id = world.add(Rope{.mesh = rope({0, 0, 0}, {1, 0, 0}, 1), .density = 4, .constraints = {}});
  const BodyId other = world.add(Rope{.name = "other", .mesh = rope({0, 1, 0}, {1, 1, 0}, 1), .constraints = {}});
  world.set_acceleration(id, {1, 0, 0});
  world.set_force(id, {0, 0, 4});  // on 4 kg in all: 1 m/s^2
  world.set_vertex_forces(id, std::vector<Vec3d>{{0, 16, 0}, {}});
  world.step();
  EXPECT_EQ(world.velocities(id)[0] * 64.0, (Vec3d{1, 0, 1}));  // 16 N on 2 kg against gravity's 8
  EXPECT_EQ(world.velocities(id)[1] * 64.0, (Vec3d{1, -8, 1}));
  EXPECT_EQ(world.velocities(other)[0] * 64.0, (Vec3d{0, -8, 0}));
  world.set_vertex_forces(id, {});
  world.set_acceleration(id, {});
  world.set_force(id, {});
  world.set_gravity({});
  const Vec3d v = world.velocities(id)[0];
  world.step();
  EXPECT_EQ(world.velocities(id)[0], v);
  expect_says(message_of([&] { world.set_vertex_forces(id, std::vector<Vec3d>(3)); }), "one per vertex, 2");
  expect_says(message_of([&] { world.set_positions(id, std::vector<Vec3d>(1)); }), "one per vertex, 2");
  expect_says(message_of([&] { world.set_velocities(id, std::vector<Vec3d>(3)); }), "one per vertex, 2");
}

TEST(WorldForces, SetBeforeOrAfterBuildingAreTheSame) {
  const auto run = [](bool early) {
    World world({.threads = 1});
    const BodyId id = world.add(Rope{.mesh = rope({0, 0, 0}, {1, 0, 0}, 3)});
    if (!early) world.build();
    world.set_acceleration(id, {0, 1, 2});
    world.set_vertex_forces(id, std::vector<Vec3d>(4, Vec3d{0.1, 0, 0}));
    world.step();
    return world.state_hash();
  };
  EXPECT_EQ(run(true), run(false));
}

TEST(WorldAttachments, AreChecked) {
  World world({.threads = 1});
  const BodyId line = world.add(Rope{.name = "line", .mesh = rope({0, 0, 0}, {1, 0, 0}, 2)});
  const BodyId sheet = world.add(Cloth{.name = "sheet", .mesh = grid({1, 1}, {2, 2})});
  const auto attach = [&](std::vector<int> corners, std::vector<double> weights) {
    return message_of([&] { world.attach(line, 0, sheet, corners, weights); });
  };
  expect_says(attach({0, 1}, {0.5, 0.5}), "one, three or four corners");
  expect_says(attach({0, 1, 2}, {0.5, 0.5}), "weight");
  expect_says(attach({0, 1, 9}, {0.2, 0.2, 0.6}), "vertex 9 does not exist");
  expect_says(attach({0, 1, 1}, {0.2, 0.2, 0.6}), "named twice");
  expect_says(attach({0, 1, 2}, {0.2, 0.2, 0.7}), "sum to 1");
  expect_says(attach({0, 1, 2}, {NAN, 0.2, 0.7}), "weights");
  expect_says(message_of([&] { world.attach(line, 7, {0, 0, 0}); }), "vertex 7 does not exist");
  expect_says(message_of([&] { world.attach(line, 0, {0, NAN, 0}); }), "line.attach.point");
  expect_says(message_of([&] { world.attach(line, 0, line, std::array{0}, std::array{1.0}); }), "attached to itself");
  expect_says(message_of([&] { world.attach_nearest(line, 0, line); }), "attached to itself");
  expect_says(message_of([&] { world.attach(line, 0, {0, 0, 0}, {.compliance = -1}); }), "line.attach.compliance");
  world.step();
  EXPECT_EQ(world.constraint_counts().size(), 2u) << "nothing of what was refused is kept";
}

TEST(WorldAttachments, HoldTogether) {
  for (Method method : {Method::xpbd, Method::pbd}) {
    World world({.step = 1.0 / 60, .substeps = 10, .method = method, .threads = 1});
    const BodyId line = world.add(Rope{.name = "line", .mesh = rope({0.1, 1, 0.1}, {0.1, 0.01, 0.1}, 4)});
    const BodyId block = world.add(Solid{
        .name = "block", .mesh = box_tets({1, 1, 1}, {2, 2, 2}), .density = 0.01, .place = {.position = {0, -0.5, 0}}});
    world.attach(line, 0, {0.1, 1, 0.1});
    world.attach_nearest(line, 4, block);
    for (int k = 0; k < 60; ++k) world.step();
    EXPECT_LT(length(world.positions(line)[0] - Vec3d{0.1, 1, 0.1}), 1e-3);
    double lowest = 0;
    for (const Vec3d& x : world.positions(block)) lowest = std::min(lowest, x.y);
    EXPECT_GT(lowest, -1.5) << "it hangs on the line";
    EXPECT_LT(lowest, -0.9);
  }
}

/// Runs all tasks on the caller, last one first, and counts.
class BackwardJobs final : public JobSystem {
 public:
  int threads() const override { return 3; }
  void run(int count, void (*task)(void* context, int i), void* context) override {
    for (int i = count - 1; i >= 0; --i) task(context, i);
    ++runs;
  }
  int runs = 0;
};

TEST(WorldJobs, OfTheHostAreUsed) {
  const auto jobs = std::make_shared<BackwardJobs>();
  World mine({.jobs = jobs}), own({.threads = 1});
  for (World* world : {&mine, &own}) {
    world->add(Cloth{.mesh = grid({1, 1}, {70, 70})});
    for (int k = 0; k < 3; ++k) world->step();
  }
  EXPECT_GT(jobs->runs, 0);
  EXPECT_EQ(mine.state_hash(), own.state_hash()) << "in whatever order the host runs them";
}

TEST(WorldKernels, MissingWidthIsSaidAndTheStateIsKept) {
  if (compiled_widths<double>().size() == 4) GTEST_SKIP() << "all widths are compiled";
  World world({.threads = 1, .precision = Precision::float64, .simd_width = 16});
  world.add(Rope{.mesh = rope({0, 0, 0}, {1, 0, 0}, 2)});
  expect_says(message_of([&] { world.step(); }), "no kernels of width 16");
}

TEST(WorldCounts, TellWhatTheModelHas) {
  World world({.threads = 1});
  world.add(Cloth{.mesh = sphere(1, 2), .constraints = {{"distance", {}}, {"bend", {}}, {"balloon", {}}}});
  const std::vector<ConstraintCount> counts = world.constraint_counts();
  ASSERT_EQ(counts.size(), 3u);
  EXPECT_EQ(counts[0].type, "distance");
  EXPECT_EQ(counts[0].constraints, 480);
  EXPECT_GT(counts[0].batch_fill, 0.75);  // 160 lanes with three each (clusters): little to choose from
  EXPECT_LE(counts[0].batch_fill, 1);
  EXPECT_EQ(counts[1].type, "bend");
  EXPECT_EQ(counts[1].constraints, 480);
  EXPECT_EQ(counts[2].type, "balloon");
  EXPECT_EQ(counts[2].constraints, 1);
  EXPECT_EQ(world.particle_count(), 162);
  EXPECT_EQ(world.triangles({0}).size(), 320u);
  EXPECT_EQ(world.edges({0}).size(), 480u);
  EXPECT_TRUE(world.tets({0}).empty());
}

TEST(WorldStages, AreTimedWhenAskedFor) {
  World plain({.threads = 1}), timed({.threads = 1, .stage_times = true});
  for (World* world : {&plain, &timed}) {
    world->add(Cloth{.mesh = grid({1, 1}, {20, 20})});
    for (int s = 0; s < 3; ++s) world->step();
  }
  EXPECT_TRUE(plain.stage_times().empty());
  EXPECT_EQ(plain.state_hash(), timed.state_hash());
  double all = 0, projection = 0;
  for (const StageTime& stage : timed.stage_times()) {
    EXPECT_GE(stage.seconds, 0) << stage.stage;
    all += stage.seconds;
    if (stage.stage == "project") projection = stage.seconds;
  }
  EXPECT_GT(projection, 0);
  EXPECT_LT(projection, all);
}

TEST(WorldPrecision, DoubleIsCloserToTheClosedForm) {
  const auto error = [](Precision precision) {
    MassOnSpring spring({.step = 0.01, .substeps = 1, .threads = 1, .precision = precision}, 1, {0, -1, 0},
                        {.compliance = 1.0 / 300});
    spring.world.step();
    const double expected = 1e-4 * 9.81 / (1 + 1e-4 * 300);
    return std::abs(spring.length() - 1 - expected) / expected;
  };
  EXPECT_LT(error(Precision::float64), 1e-12);
  EXPECT_LT(error(Precision::float32), 1e-4);
  EXPECT_GT(error(Precision::float32), 1e-12);
}

TEST(WorldMoves, KeepTheirState) {
  World a({.threads = 1});
  const BodyId id = a.add(Rope{.mesh = rope({0, 0, 0}, {1, 0, 0}, 3)});
  a.step();
  const uint64_t hash = a.state_hash();
  World b = std::move(a);
  EXPECT_EQ(b.state_hash(), hash);
  b.step();
  World c({.threads = 1});
  c = std::move(b);
  EXPECT_EQ(c.steps(), 2);
  EXPECT_EQ(c.vertex_count(id), 4);
}

}  // namespace
}  // namespace pliant::test
