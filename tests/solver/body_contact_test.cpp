// Deformable bodies touch each other and themselves: small scenes.

#include "body_contact.h"

namespace pliant::test {
namespace {

World cube_on_plate(WorldOptions options, Vec3d velocity = {}) {
  World world(options);
  const BodyId plate = world.add(Cloth{.name = "plate", .mesh = grid({0.3, 0.3}, {8, 8}), .thickness = 0.003});
  pin_all(world, plate);
  world.add(Solid{.name = "cube",
                  .mesh = box_tets({0.08, 0.08, 0.08}, {3, 3, 3}),
                  .material = Material{.young = 5e4, .poisson = 0.4, .density = 1000},
                  .thickness = 0.003,
                  .place = {.position = {0.003, 0.06, 0.002}},
                  .velocity = velocity});
  return world;
}

TEST(BodyContact, WithoutItBodiesPass) {
  WorldOptions options = contact_options();
  options.contact.reset();
  World world = cube_on_plate(options);
  for (int frame = 0; frame < 20; ++frame) world.step();
  EXPECT_LT(world.positions({1})[0].y, -0.1);
  EXPECT_EQ(world.measures().contacts, 0);
}

TEST(BodyContact, CubeComesToRestAtItsThickness) {
  World world = cube_on_plate(contact_options(0.5));
  expect_free_of_intersections(world, 60);
  double lowest = 1;
  for (const Vec3d& x : world.positions({1})) lowest = std::min(lowest, x.y);
  // What is kept is the thickness, less what the weight presses into it between two substeps.
  EXPECT_GT(lowest, 0.5 * 0.003);
  EXPECT_LT(lowest, 1.5 * 0.003);
  EXPECT_GT(world.measures().contacts, 10);
}

TEST(BodyContact, ThreadsAndSnapshotsDoNotMatter) {
  WorldOptions options = contact_options();
  const auto hash = [&](int threads) {
    options.threads = threads;
    World world = pile(options, 1, 2, 2);
    for (int frame = 0; frame < 12; ++frame) world.step();
    return world.state_hash();
  };
  const uint64_t one = hash(1);
  EXPECT_EQ(hash(2), one);
  EXPECT_EQ(hash(8), one);
  // Going on from a snapshot finds its pairs anew; the contacts and their order are the same.
  options.threads = 1;
  World through = pile(options, 1, 2, 2), resumed = pile(options, 1, 2, 2);
  for (int frame = 0; frame < 7; ++frame) through.step();
  resumed.restore(through.snapshot());
  for (int frame = 7; frame < 12; ++frame) resumed.step();
  EXPECT_EQ(resumed.state_hash(), one);
}

TEST(BodyContact, MomentumOfACollisionIsKept) {
  WorldOptions options = contact_options(0.4);
  options.gravity = {};
  World world(options);
  const Material rubber{.young = 5e4, .poisson = 0.4, .density = 1000};
  for (const double side : {-1.0, 1.0}) {
    world.add(Solid{.mesh = box_tets({0.08, 0.08, 0.08}, {2, 2, 2}),
                    .material = rubber,
                    .place = {.position = {side * 0.06, side * 0.01, 0}, .rotation = {0, 0, side * 0.2}},
                    .velocity = {-side + 0.3, 0, 0.1}});
  }
  const Vec3d before = world.measures().linear_momentum;
  int most = 0;
  for (int frame = 0; frame < 12; ++frame) {
    world.step();
    most = std::max(most, static_cast<int>(world.measures().contacts));
  }
  EXPECT_GT(most, 0);
  EXPECT_EQ(world.measures().slowed, 0);  // only the guard may take momentum
  // Float positions of 0.1 m and 1e-8 m of rounding in each of 120 substeps.
  EXPECT_LE(length(world.measures().linear_momentum - before), 1e-4 * length(before));
}

/// Two sheets that are one body, one above the other; the lower one is held.
World two_sheets(bool self_contact) {
  TriMesh mesh = grid({0.3, 0.3}, {6, 6});
  const TriMesh above = mesh;
  const int first = static_cast<int>(mesh.positions.size());
  for (const Vec3d& x : above.positions) mesh.positions.push_back(x + Vec3d{0.004, 0.02, 0.003});
  for (const Triangle& t : above.triangles) mesh.triangles.push_back({t[0] + first, t[1] + first, t[2] + first});
  World world(contact_options());
  const BodyId body = world.add(Cloth{.mesh = mesh, .thickness = 0.005, .self_contact = self_contact});
  std::vector<int> lower(static_cast<std::size_t>(first));
  std::iota(lower.begin(), lower.end(), 0);
  world.pin(body, lower);
  world.on_body_contact([](const BodyContactEvent&) { ADD_FAILURE() << "there is one body only"; });
  for (int frame = 0; frame < 20; ++frame) world.step();
  return world;
}

TEST(BodyContact, ABodyNeedNotTouchItself) {
  const World touching = two_sheets(true), passing = two_sheets(false);
  EXPECT_GT(touching.positions({0}).back().y, 0);
  EXPECT_GT(touching.measures().contacts, 0);
  EXPECT_LT(passing.positions({0}).back().y, -0.1);
  EXPECT_EQ(passing.measures().contacts, 0);
}

/// A bystander, and two cubes that fly towards each other.
World two_cubes(WorldOptions options) {
  options.gravity = {};
  World world(options);
  world.add(Solid{.mesh = box_tets({0.08, 0.08, 0.08}, {1, 1, 1}), .place = {.position = {0, 1, 0}}});
  for (const double side : {-1.0, 1.0}) {
    world.add(Solid{.mesh = box_tets({0.08, 0.08, 0.08}, {2, 2, 2}),
                    .material = Material{.young = 5e4, .poisson = 0.4, .density = 1000},
                    .place = {.position = {side * 0.1, side * 0.01, 0}, .rotation = {0, 0, side * 0.2}},
                    .velocity = {-side, 0, 0}});
  }
  return world;
}

struct Told {
  int step;
  bool begins;
  int a, b;
  bool operator==(const Told&) const = default;
};
void tell_into(std::vector<Told>& told, World& world) {
  world.on_body_contact([&told, &world](const BodyContactEvent& e) {
    told.push_back({static_cast<int>(world.steps()), e.begins, e.a, e.b});
  });
}

TEST(BodyContact, TellsWhoBeginsAndCeasesToTouch) {
  World silent = two_cubes(contact_options());
  std::vector<Told> first;
  for (const int threads : {1, 2}) {
    WorldOptions options = contact_options();
    options.threads = threads;
    World world = two_cubes(options);
    std::vector<Told> told;
    tell_into(told, world);
    for (int frame = 0; frame < 20; ++frame) {
      world.step();
      if (threads == 1) silent.step();
    }
    EXPECT_EQ(world.state_hash(), silent.state_hash());
    // They meet and part, once or more often.
    ASSERT_GE(told.size(), 2u);
    EXPECT_EQ(told.size() % 2, 0u);
    EXPECT_GT(told[0].step, 1);
    for (std::size_t k = 0; k < told.size(); ++k) {
      EXPECT_EQ(told[k].begins, k % 2 == 0);
      EXPECT_EQ(told[k].a, 1);
      EXPECT_EQ(told[k].b, 2);
      if (k > 0) {
        EXPECT_GT(told[k].step, told[k - 1].step);
      }
    }
    if (threads == 1) first = told;
    EXPECT_EQ(told, first);
  }
}

TEST(BodyContact, ATouchWithinAStepIsTold) {
  WorldOptions options = contact_options();
  options.step = 0.2;
  options.substeps = 120;
  World world = two_cubes(options);
  std::vector<Told> told;
  tell_into(told, world);
  world.step();
  EXPECT_EQ(world.measures().contacts, 0);  // they have parted again
  EXPECT_EQ(told, (std::vector<Told>{{1, true, 1, 2}}));
  world.step();
  EXPECT_EQ(told, (std::vector<Told>{{1, true, 1, 2}, {2, false, 1, 2}}));
}

TEST(BodyContact, WhomTheGuardStopsTouches) {
  WorldOptions options = contact_options();
  options.gravity = {};
  options.substeps = 1;
  World world(options);
  const BodyId plate = world.add(Cloth{.mesh = grid({0.3, 0.3}, {8, 8}), .thickness = 0.003});
  pin_all(world, plate);
  // A compressed spring: it has no velocity yet, so that nobody expects it.
  const BodyId spring = world.add(Rope{.mesh = rope({0.01, 0.4, 0.01}, {0.01, 0.1, 0.01}, 1), .thickness = 0.003});
  world.pin(spring, std::vector<int>{0});
  world.set_positions(spring, std::vector<Vec3d>{{0.01, 0.1, 0.01}, {0.01, 0.02, 0.01}});
  std::vector<Told> told;
  tell_into(told, world);
  world.step();
  EXPECT_EQ(world.measures().contacts, 0);
  EXPECT_EQ(world.measures().slowed, 1);
  EXPECT_EQ(told, (std::vector<Told>{{1, true, 0, 1}}));
}

TEST(BodyContact, EventsAreInOrderAndEnd) {
  WorldOptions options = contact_options();
  World world = pile(options, 2, 4, 1);
  std::vector<Told> told;
  bool ended = false;
  const auto listen = [&](const BodyContactEvent& e) {
    told.push_back({static_cast<int>(world.steps()), e.begins, e.a, e.b});
    if (ended) world.on_body_contact({});
    ended = ended || told.size() == 60;  // what it has captured is still there
  };
  world.on_body_contact(listen);
  for (int frame = 0; frame < 200 && !ended; ++frame) world.step();
  for (int frame = 0; frame < 20; ++frame) world.step();
  ASSERT_EQ(told.size(), 61u);
  int begun = 0, together = 0, both = 0;
  for (std::size_t k = 0; k < told.size(); ++k) {
    EXPECT_LT(told[k].a, told[k].b);
    begun += told[k].begins;
    if (k == 0 || told[k].step != told[k - 1].step) continue;
    ++together;
    both += told[k].begins != told[k - 1].begins;
    const auto place = [](const Told& t) { return std::array<int, 3>{t.begins, t.a, t.b}; };
    EXPECT_LT(place(told[k - 1]), place(told[k]));
  }
  EXPECT_GT(begun, 0);
  EXPECT_GT(together, 0);
  EXPECT_GT(both, 0);
}

TEST(BodyContact, WrongSettings) {
  EXPECT_THROW(World({.contact = ContactOptions{.friction = -1}}), Error);
  EXPECT_THROW(World({.contact = ContactOptions{.thickness = 0.0}}), Error);
  World world(contact_options());
  EXPECT_THROW(world.add(Cloth{.mesh = grid({1, 1}, {10, 10}), .thickness = 0.5}), Error);  // above an edge
}

TEST(BodyContact, SaysThatBodiesStartInEachOther) {
  World world(contact_options());
  world.add(Cloth{.name = "a", .mesh = grid({1, 1}, {6, 6})});
  world.add(
      Cloth{.name = "b", .mesh = grid({1, 1}, {6, 6}), .place = {.position = {0, 0.02, 0}, .rotation = {0.3, 0, 0}}});
  EXPECT_GT(intersections(world), 0);
  world.step();
  ASSERT_EQ(world.troubles().size(), 1u);
  EXPECT_EQ(world.troubles()[0].kind, Trouble::Kind::tangled_start);
}

}  // namespace
}  // namespace pliant::test
