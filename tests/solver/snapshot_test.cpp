// Snapshots: all of the state, and nothing but a whole and fitting one is taken.

#include <gtest/gtest.h>

#include <cstring>

#include "build_kind.h"
#include "core/hash.h"
#include "mixed_scene.h"

namespace pliant::test {
namespace {

WorldOptions two_substeps() { return {.step = 1.0 / 60, .substeps = 2, .threads = 1}; }

struct Scene {
  WorldOptions options = two_substeps();
  int cells = 3;
  double compliance = 0.1, density = 0.2, pressure = 1.1, velocity_damping = 0;
  std::vector<int> pinned{0};
  bool bend = true, keep = true;
  Method method = Method::xpbd;

  World make() const {
    World world(options);
    Constraints constraints{
        {"distance", {.compliance = compliance, .velocity_damping = velocity_damping, .keep_multipliers = keep}}};
    if (bend) constraints["bend"] = {.compliance = 1};
    const BodyId sheet = world.add(
        Cloth{.mesh = grid({1, 1}, {cells, cells}), .density = density, .method = method, .constraints = constraints});
    world.add(Cloth{.mesh = sphere(0.2, 1),
                    .constraints = {{"distance", {}}, {"balloon", {.compliance = 1e-6, .pressure = pressure}}}});
    world.pin(sheet, pinned);
    return world;
  }
};

World stepped(const Scene& scene, int steps) {
  World world = scene.make();
  for (int k = 0; k < steps; ++k) world.step();
  return world;
}

/// Tries to restore bytes; expects an Error that mentions `text`, and the world to be as it was.
void expect_refused(World& world, std::span<const std::byte> bytes, const std::string& text) {
  const uint64_t hash = world.state_hash();
  const double time = world.time();
  const int64_t steps = world.steps();
  try {
    world.restore(bytes);
    ADD_FAILURE() << "it was taken, expected an error about: " << text;
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find(text), std::string::npos) << error.what();
    EXPECT_FALSE(error.remedy().empty());
  }
  EXPECT_EQ(world.state_hash(), hash);
  EXPECT_EQ(world.time(), time);
  EXPECT_EQ(world.steps(), steps);
}

TEST(Snapshot, RestoresEverything) {
  World world = stepped({}, 5);
  const std::vector<std::byte> bytes = world.snapshot();
  World fresh = Scene{}.make();
  fresh.restore(bytes);
  EXPECT_EQ(fresh.state_hash(), world.state_hash());
  EXPECT_EQ(fresh.time(), world.time());
  EXPECT_EQ(fresh.steps(), 5);
  EXPECT_EQ(fresh.snapshot(), bytes);
  // Back in time, in a world that went on.
  const uint64_t then = world.state_hash();
  world.step();
  EXPECT_NE(world.state_hash(), then);
  world.restore(bytes);
  EXPECT_EQ(world.state_hash(), then);
}

TEST(Snapshot, TakesTheMultipliersOfBalloonsAlong) {
  const auto make = [] {
    World world({.step = 0.01, .substeps = 1, .threads = 1});
    world.add(Cloth{.mesh = sphere(0.5, 1), .constraints = {{"balloon", {.compliance = 1e-3, .pressure = 1.2}}}});
    return world;
  };
  World world = make(), fresh = make();
  world.step();
  fresh.restore(world.snapshot());
  // |C + compliance lambda / dt^2| is small with the right multiplier and 0.1 m^3 with none.
  EXPECT_LT(world.measures().largest_residual, 0.01);  // one iteration of a curved constraint
  EXPECT_EQ(fresh.measures().largest_residual, world.measures().largest_residual);
}

TEST(Snapshot, TroublesThatHadNotHappenedAreForgotten) {
  World world({.threads = 1});
  const BodyId cloth = world.add(Cloth{.mesh = grid({1, 1}, {4, 4})});
  world.step();
  const std::vector<std::byte> sound = world.snapshot();
  for (int time = 0; time < 3; ++time) {
    std::vector<Vec3d> v(static_cast<std::size_t>(world.vertex_count(cloth)));
    v[7] = {1e30, 0, 0};
    world.set_velocities(cloth, v);
    world.step();
    ASSERT_EQ(world.troubles().size(), 1u);
    const std::vector<std::byte> held = world.snapshot();
    world.step();
    world.restore(held);
    EXPECT_EQ(world.troubles().size(), 1u);  // it has happened
    world.restore(sound);
    EXPECT_TRUE(world.troubles().empty());
  }
}

TEST(Snapshot, TakesTheOriginAlong) {
  const auto make = [] {
    World world({.step = 1.0 / 60, .gravity = {}, .threads = 1});
    world.add(Cloth{.mesh = grid({1, 1}, {3, 3}), .velocity = {60000, 0, 0}});
    return world;
  };
  World world = make(), fresh = make();
  for (int k = 0; k < 10; ++k) world.step();
  fresh.restore(world.snapshot());
  EXPECT_EQ(fresh.positions({0}), world.positions({0}));
  EXPECT_NEAR(fresh.positions({0})[0].x, -0.5 + 10000, 0.1);
}

TEST(Snapshot, TruncatedAtEveryLengthIsRefused) {
  World world = stepped({}, 2);
  const std::vector<std::byte> bytes = world.snapshot();
  World other = stepped({}, 1);
  for (std::size_t length = 0; length < bytes.size(); ++length) {
    expect_refused(other, std::span(bytes).first(length), "snapshot");
    if (HasFailure()) break;
  }
  std::vector<std::byte> longer = bytes;
  longer.push_back(std::byte{0});
  expect_refused(other, longer, "cut off");
}

TEST(Snapshot, EveryFlippedBitIsRefused) {
  World world = stepped({}, 2);
  std::vector<std::byte> bytes = world.snapshot();
  World other = stepped({}, 1);
  for (std::size_t at = 0; at < bytes.size(); ++at) {
    const std::byte flip{static_cast<unsigned char>(1u << (at % 8))};
    bytes[at] ^= flip;
    expect_refused(other, bytes, "snapshot");
    bytes[at] ^= flip;
    if (HasFailure()) break;
  }
  other.restore(bytes);
  EXPECT_EQ(other.state_hash(), world.state_hash());
}

/// What differs is named, with both values: `text`.
TEST(Snapshot, OtherModelsAreRefused) {
  const std::vector<std::byte> bytes = stepped({}, 2).snapshot();
  const auto refuse = [&](const char* text, Scene scene) {
    World world = stepped(scene, 1);
    expect_refused(world, bytes, text);
  };
  refuse("`vertices` of cloth 'cloth0' is 16 in the snapshot and 25 here", {.cells = 4});
  refuse("`compliance` of distance of 'cloth0' is 0.1 in the snapshot and 0.2 here", {.compliance = 0.2});
  refuse("`mass` of cloth 'cloth0' is ", {.density = 0.3});
  refuse("`pressure` of balloon of 'cloth1' is 1.1 in the snapshot and 1.2 here", {.pressure = 1.2});
  refuse("`velocity_damping` of distance of 'cloth0' is 0 in the snapshot and 1 here", {.velocity_damping = 1});
  refuse("`choice of vertices` of pins of 'cloth0' is not the one of the snapshot", {.pinned = {1}});
  refuse("`vertices` of pins of 'cloth0' is 1 in the snapshot and 2 here", {.pinned = {0, 1}});
  refuse("has `constraints` of bend of 'cloth0' where this world has `constraints` of distance", {.bend = false});
  refuse("`keep_multipliers` of distance of 'cloth0' is yes in the snapshot and no here", {.keep = false});
  refuse("`method` of bend of 'cloth0' is xpbd in the snapshot and pbd here", {.method = Method::pbd});
  World same = stepped({}, 1);
  same.restore(bytes);
  EXPECT_EQ(same.steps(), 2);
}

/// Taken with four substeps and resumed with eight, a free fall of a second was 19.7 m instead of 4.9 m.
TEST(Snapshot, OtherSettingsOfTheWorldAreRefused) {
  const std::vector<std::byte> bytes = stepped({}, 2).snapshot();
  const auto refuse = [&](const std::string& text, void (*change)(WorldOptions&)) {
    Scene scene;
    change(scene.options);
    World world = stepped(scene, 1);
    expect_refused(world, bytes, text);
  };
  refuse("`substeps` is 2 in the snapshot and 8 here", [](WorldOptions& o) { o.substeps = 8; });
  refuse("`step` is 0.016666666666666666 in the snapshot and 0.02 here", [](WorldOptions& o) { o.step = 0.02; });
  refuse("`iterations` is 1 in the snapshot and 3 here", [](WorldOptions& o) { o.iterations = 3; });
  refuse("`integrator` is euler in the snapshot and bdf2 here",
         [](WorldOptions& o) { o.integrator = Integrator::bdf2; });
  refuse("`point_damping` is 0 in the snapshot and 1 here", [](WorldOptions& o) { o.point_damping = 1; });
  refuse("`global_damping` is 0 in the snapshot and 2 here", [](WorldOptions& o) { o.global_damping = 2; });
  refuse("it has `contact` where this world has `energy_watch`",
         [](WorldOptions& o) { o.energy_watch = EnergyWatch::limit; });
  refuse("`contact` is no in the snapshot and yes here", [](WorldOptions& o) { o.contact = ContactOptions{}; });
}

TEST(Snapshot, OtherPathsCollidersAndThicknessesAreRefused) {
  struct Settings {
    double path = 1, friction = 0.5, radius = 0.3, place = 0, contact_friction = 0.3;
    std::optional<double> thickness{};
    Vec3d anchor{0, 3, 0};
  };
  const auto make = [](const Settings& s) {
    World world({.substeps = 2, .threads = 1, .contact = ContactOptions{.friction = s.contact_friction}});
    const BodyId sheet = world.add(Cloth{
        .name = "sheet", .mesh = grid({1, 1}, {3, 3}), .thickness = s.thickness, .place = {.position = {0, 2, 0}}});
    world.pin(sheet, {0}, {{0, {}, {}}, {1, {s.path, 0, 0}, {}}});
    world.attach(sheet, 15, s.anchor, {.compliance = 1e-3});
    world.add(Sphere{.radius = s.radius}, {.position = {s.place, 0, 0}, .friction = s.friction});
    world.step();
    return world;
  };
  World source = make({});
  const std::vector<std::byte> bytes = source.snapshot();
  const auto refuse = [&](const std::string& text, const Settings& settings) {
    World world = make(settings);
    expect_refused(world, bytes, text);
  };
  refuse("`path` of pins of 'sheet' is not", {.path = 2});
  refuse("`friction` of collider 'sphere0' is 0.5 in the snapshot and 0.6 here", {.friction = 0.6});
  refuse("`shape` of collider 'sphere0' is not", {.radius = 0.4});
  refuse("`position` of collider 'sphere0' is (0, 0, 0) in the snapshot and (1, 0, 0) here", {.place = 1});
  refuse("`contact.friction` is 0.3 in the snapshot and 0.1 here", {.contact_friction = 0.1});
  refuse("`thickness` of cloth 'sheet' is none in the snapshot and 0.02 here", {.thickness = 0.02});
  refuse("`positions` of points to attach to is not", {.anchor = {0, 4, 0}});
}

/// What may be changed between two steps may be another one: as if it had been changed there.
TEST(Snapshot, LoadsAreThoseOfTheWorldThatGoesOn) {
  const auto change = [](World& world) {
    world.set_gravity({0, -1, 0});
    world.set_wind(Wind{.velocity = {5, 0, 0}});
    world.set_acceleration({0}, {1, 0, 0});
    world.set_force({1}, {0, 0, 1});
    world.set_vertex_forces({0},
                            std::vector<Vec3d>(static_cast<std::size_t>(world.vertex_count({0})), Vec3d{0, 0.01, 0}));
  };
  World through = stepped({}, 3);
  const std::vector<std::byte> bytes = through.snapshot();
  change(through);
  World fresh = Scene{}.make();
  change(fresh);
  fresh.restore(bytes);
  for (World* world : {&through, &fresh}) {
    for (int k = 0; k < 3; ++k) world->step();
  }
  EXPECT_EQ(fresh.state_hash(), through.state_hash());
}

TEST(Snapshot, FromBeforeAnotherBodyOrPinIsNamed) {
  World world = stepped({}, 2);
  const std::vector<std::byte> before = world.snapshot();
  world.pin({0}, {5});
  expect_refused(world, before, "`pins` is 1 in the snapshot and 2 here");
  world.unpin({0}, std::array{5});
  world.restore(before);
  world.add(Rope{.mesh = rope({5, 0, 0}, {6, 0, 0}, 2)});
  expect_refused(world, before, "`bodies` is 2 in the snapshot and 3 here");
}

TEST(Snapshot, OtherPrecisionIsRefused) {
  Scene narrow, wide;
  narrow.options.precision = Precision::float32;
  wide.options.precision = Precision::float64;
  World world = stepped(wide, 1);
  expect_refused(world, stepped(narrow, 2).snapshot(), "`precision` is float32 in the snapshot and float64 here");
  World other = stepped(narrow, 1);
  expect_refused(other, stepped(wide, 2).snapshot(), "`precision` is float64 in the snapshot and float32 here");
}

/// Writes a correct check sum behind changed bytes.
void seal(std::vector<std::byte>& bytes) {
  const uint64_t hash = hash_bytes(bytes.data(), bytes.size() - sizeof(uint64_t));
  std::memcpy(bytes.data() + bytes.size() - sizeof(hash), &hash, sizeof(hash));
}

TEST(Snapshot, OtherVersionsAndProgramsAreRefused) {
  World world = stepped({}, 1);
  std::vector<std::byte> bytes = world.snapshot();
  uint32_t version = 0;
  std::memcpy(&version, bytes.data() + 8, sizeof(version));
  ++version;
  std::memcpy(bytes.data() + 8, &version, sizeof(version));
  seal(bytes);
  expect_refused(world, bytes, "version " + std::to_string(version));
  bytes = world.snapshot();
  bytes[0] = std::byte{'X'};
  seal(bytes);
  expect_refused(world, bytes, "not a snapshot");
}

TEST(Snapshot, ShortOneWithARightCheckSumIsRefused) {
  // A program that cuts and seals again must not leave a half-restored state.
  World world = stepped({}, 1), source = stepped({}, 4);
  for (std::size_t cut : {1u, 8u, 100u, 1000u}) {
    std::vector<std::byte> bytes = source.snapshot();
    bytes.erase(bytes.end() - static_cast<std::ptrdiff_t>(cut), bytes.end());
    seal(bytes);
    expect_refused(world, bytes, "snapshot");
  }
}

TEST(Snapshot, IsNotTiedToThreadsOrWidth) {
  Scene scene;
  World world = stepped(scene, 3);
  scene.options.threads = 2;
#ifdef PLIANT_ALL_WIDTHS
  scene.options.simd_width = 1;
#endif
  World other = scene.make();
  other.restore(world.snapshot());
  other.step();
  world.step();
  EXPECT_EQ(other.state_hash(), world.state_hash());
}

}  // namespace
}  // namespace pliant::test
