// Deformable contact in scenes that are hard on it, judged by exact intersections after every frame. These are the
// bounded versions; scenes/ has the full ones.

#include "body_contact.h"

namespace pliant::test {
namespace {

TEST(BodyContactScenes, PileOfSoftBodies) {
  World world = pile(contact_options(), 1, 3, 3);
  expect_free_of_intersections(world, 50);
}

TEST(BodyContactScenes, RibbonFoldsOntoItself) {
  World world = ribbon(contact_options(0.2), 0.5, 34);
  expect_free_of_intersections(world, 60, 1.0);
}

TEST(BodyContactScenes, TwistedTowel) {
  World world = towel(contact_options(), 2, 1.0, 18);
  expect_free_of_intersections(world, 60, INFINITY);
}

TEST(BodyContactScenes, ChainsPulledApart) {
  World world = chains(contact_options(0.2), 3, 0.05, 0.5);
  expect_free_of_intersections(world, 30, INFINITY);
}

/// `links` rings of rubber, pulled apart within a second and held. kappa is 1.8, near the limit of 2 up to which
/// multipliers are kept.
World stiff_chain(int threads, int links, MaterialModel model) {
  WorldOptions options = contact_options(0.2);
  options.substeps = 30;
  options.threads = threads;
  options.gravity = {};
  options.contact->self = false;
  World world(options);
  const double radius = 0.1, tube = 0.025, pitch = 2 * (radius - tube) - 0.008;
  for (int k = 0; k < links; ++k) {
    const double side = k == 0 ? -1 : k == links - 1 ? 1 : 0;
    const BodyId link =
        world.add(Solid{.mesh = torus_tets(radius, tube, 28, 3),
                        .material = Material{.model = model, .young = 1e6, .poisson = 0.4, .density = 1000},
                        .place = {.position = {pitch * k, 0, 0}, .rotation = {k % 2 ? 1.5707963 : 0, 0, 0}}});
    std::vector<int> held;
    const std::vector<Vec3d> x = world.rest_positions(link);
    for (int v = 0; v < static_cast<int>(x.size()); ++v) {
      if (x[v].x * side > radius) held.push_back(v);
    }
    if (side != 0) world.pin(link, held, {{0, {}, {}}, {1, {side * 0.024 * (links - 1), 0, 0}, {}}});
  }
  return world;
}

/// What pulls at loaded contacts is kept from substep to substep; contacts are not. Before contacts were swept until
/// they are settled, and elements at them a second time afterwards, two links shook with 0.01 to 0.2 J for ever, and
/// three with more.
TEST(BodyContactScenes, LoadedContactsComeToRest) {
  for (const MaterialModel model : {MaterialModel::neo_hookean, MaterialModel::corotated}) {
    World world = stiff_chain(1, 3, model);
    double largest = 0;
    for (int frame = 0; frame < 120; ++frame) {
      world.step();
      if (frame >= 100) largest = std::max(largest, world.measures().kinetic_energy);
    }
    EXPECT_LT(largest, 3e-4);  // [J]
    EXPECT_EQ(world.measures().slowed, 0);
    EXPECT_EQ(intersections(world), 0);
  }
}

/// Which elements are swept twice follows from the contacts of a step's first substep.
TEST(BodyContactScenes, ThreadsAndSnapshotsDoNotMatterAtLoadedContacts) {
  const auto hash = [&](int threads, int snapshot_at) {
    World world = stiff_chain(threads, 2, MaterialModel::neo_hookean);
    for (int frame = 0; frame < 60; ++frame) {
      if (frame == snapshot_at) {
        const std::vector<std::byte> state = world.snapshot();
        world = stiff_chain(threads, 2, MaterialModel::neo_hookean);
        world.restore(state);
      }
      world.step();
    }
    return world.state_hash();
  };
  const uint64_t one = hash(1, -1);
  EXPECT_EQ(hash(8, -1), one);
  EXPECT_EQ(hash(1, 50), one);
}

/// Many contacts at impact, particles that leave their boxes: pairs are found at different times by each of these.
TEST(BodyContactScenes, ThreadsAndSnapshotsDoNotMatterAtImpact) {
  WorldOptions options = contact_options();
  const auto hash = [&](int threads, int snapshot_at) {
    options.threads = threads;
    World world = pile(options, 2, 2, 4);
    for (int frame = 0; frame < 24; ++frame) {
      if (frame == snapshot_at) world.restore(world.snapshot());
      world.step();
    }
    return world.state_hash();
  };
  const uint64_t one = hash(1, -1);
  EXPECT_EQ(hash(2, -1), one);
  EXPECT_EQ(hash(8, -1), one);
  EXPECT_EQ(hash(1, 13), one);
  EXPECT_EQ(hash(2, 17), one);
}

/// A corner that pokes through, and two sheets that cross in their middle: free within two seconds, and from then on.
TEST(BodyContactScenes, TangledClothsComeApart) {
  for (const bool middle : {false, true}) {
    WorldOptions options = contact_options(0.1);
    options.gravity = {};
    options.point_damping = 1;
    World world(options);
    world.add(Cloth{.name = "lower", .mesh = grid({1, 1}, {12, 12})});
    world.add(Cloth{.name = "upper",
                    .mesh = grid({1, 1}, {12, 12}),
                    .place = middle ? Placement{.position = {0.03, 0.02, 0.02}, .rotation = {0.44, 0.09, 0.05}}
                                    : Placement{.position = {0.03, 0.12, 0.02}, .rotation = {0.21, 0.09, 0.24}}});
    EXPECT_GT(intersections(world), 10);
    for (int frame = 0; frame < 120; ++frame) world.step();
    for (int frame = 0; frame < 30; ++frame) {
      EXPECT_EQ(intersections(world), 0) << frame;
      world.step();
    }
    ASSERT_EQ(world.troubles().size(), 1u);
    EXPECT_EQ(world.troubles()[0].kind, Trouble::Kind::tangled_start);
  }
}

/// A cloth that is held at its border.
void add_target(World& world) {
  const int n = 6;
  const BodyId target = world.add(Cloth{.name = "target", .mesh = grid({0.4, 0.4}, {n, n})});
  std::vector<int> border;
  for (int j = 0; j <= n; ++j) {
    for (int i = 0; i <= n; ++i) {
      if (i == 0 || j == 0 || i == n || j == n) border.push_back(j * (n + 1) + i);
    }
  }
  world.pin(target, border);
}

/// How many of these go through it, at 1 to 300 m/s.
template <class Body>
int passed(Body body, int shots, uint64_t seed) {
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> unit(-1, 1);
  int through = 0;
  for (int shot = 0; shot < shots; ++shot) {
    WorldOptions options = contact_options();
    options.gravity = {};
    World world(options);
    add_target(world);
    // From 10 cm away, towards a point of the middle, from above, at up to 55 degrees to the normal.
    const double speed = std::pow(300.0, (shot + 0.5) / shots);
    Vec3d direction{unit(random), -1, unit(random)};
    direction = direction / length(direction);
    const Vec3d aim{0.1 * unit(random), 0, 0.1 * unit(random)};
    body.place.position = aim - direction * 0.1;
    body.place.rotation = {3 * unit(random), 3 * unit(random), 3 * unit(random)};
    body.velocity = direction * speed;
    const BodyId bullet = world.add(body);
    EXPECT_EQ(intersections(world), 0) << "at the start";
    // Time to fly 10 cm, and as long again. What has passed intersects the cloth at the end of some frame or, if it was
    // fast, is below the plane that the border holds without having pushed the cloth along.
    const int frames = std::clamp(static_cast<int>(0.2 / speed * 60), 3, 12);
    bool bad = false;
    for (int frame = 0; frame < frames; ++frame) {
      world.step();
      bad = bad || intersections(world) > 0;
    }
    double cloth_lowest = 0, bullet_highest = -1e9;
    for (const Vec3d& p : world.positions({0})) cloth_lowest = std::min(cloth_lowest, p.y);
    for (const Vec3d& p : world.positions(bullet)) {
      EXPECT_TRUE(std::isfinite(p.x + p.y + p.z));
      bullet_highest = std::max(bullet_highest, p.y);
    }
    through += bad || bullet_highest < cloth_lowest;
  }
  return through;
}

TEST(BodyContactScenes, ShotsDoNotPass) {
  EXPECT_EQ(passed(Solid{.mesh = box_tets({0.02, 0.02, 0.02}, {1, 1, 1}),
                         .material = Material{.young = 1e5, .poisson = 0.4, .density = 1000}},
                   30, 7),
            0);
  EXPECT_EQ(passed(Cloth{.mesh = grid({0.05, 0.05}, {2, 2})}, 30, 8), 0);
}

}  // namespace
}  // namespace pliant::test
