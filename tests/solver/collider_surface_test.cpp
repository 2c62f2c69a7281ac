// Colliders made of triangles: edges and triangles of bodies do not pass through them, whatever is larger.

#include "solver/collider_surface.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <numbers>

#include "contact/intersections.h"
#define PLIANT_COUNTED_ELSEWHERE  // in allocation_test.cpp
#include "core/allocation_counter.h"
#include "math/quaternion.h"
#include "pliant/world.h"

namespace pliant::test {
namespace {

constexpr double kThickness = 4e-3;  // [m]

/// A cone of seven sides, a tenth of a cloth's cell wide.
TriMesh spike() {
  constexpr int kSides = 7;
  TriMesh mesh;
  mesh.positions = {{0, 0.3, 0}, {0, 0, 0}};
  for (int k = 0; k < kSides; ++k) {
    const double turn = 2 * std::numbers::pi * k / kSides;
    mesh.positions.push_back({0.02 * std::cos(turn), 0, 0.02 * std::sin(turn)});
  }
  for (int k = 0; k < kSides; ++k) {
    const int a = 2 + k, b = 2 + (k + 1) % kSides;
    mesh.triangles.push_back({0, b, a});
    mesh.triangles.push_back({1, a, b});
  }
  return mesh;
}

/// A roof without a floor: an open mesh with one sharp edge above.
TriMesh roof() {
  TriMesh mesh;
  mesh.positions = {{-0.4, 0.2, 0}, {0.4, 0.2, 0}, {-0.4, 0, 0.1}, {0.4, 0, 0.1}, {-0.4, 0, -0.1}, {0.4, 0, -0.1}};
  mesh.triangles = {{0, 2, 3}, {0, 3, 1}, {0, 1, 5}, {0, 5, 4}};
  return mesh;
}

/// An open mesh with cells a quarter of the cloth's.
TriMesh waves() {
  TriMesh mesh = grid({0.5, 0.5}, {20, 20});
  for (Vec3d& x : mesh.positions) x.y = 0.1 * std::sin(20 * x.x) * std::cos(17 * x.z);
  return mesh;
}

enum class Kind { spike, box, roof, waves, creature };
enum class Who { cloth, collider, rigid };  // moves

struct Case {
  World world;
  BodyId cloth;
  ColliderId collider;
};

Case make(Kind kind, Who who, double speed, int threads, bool contact) {
  WorldOptions options{.step = 1.0 / 60, .substeps = 10, .threads = threads};
  if (contact) options.contact = ContactOptions{};
  Case out{World(options), {}, {}};
  ColliderOptions c{.friction = 0.3, .thickness = kThickness};
  Vec3d velocity{}, position{0.013, 0.35, 0.021};
  if (who == Who::cloth) velocity.y = -speed;
  if (who == Who::collider) {
    c.position.y = -0.25;
    c.path = {{.time = 0}, {.time = 0.6 / speed, .move = {0, 0.6, 0}}};
  }
  if (who == Who::rigid) {
    position.y = 0;
    c.position.y = 0.7;
    c.velocity = {0, -speed, 0};
    c.mass = 0.5;
    if (kind == Kind::spike) c.rotation = {std::numbers::pi, 0, 0};  // the tip ahead
  }
  if (kind == Kind::box) c.rotation = {0.3, 0.2, 0.785};  // an edge up
  switch (kind) {
    case Kind::spike:
      out.collider = out.world.add(MeshSolid{spike()}, c);
      break;
    case Kind::box:
      out.collider = out.world.add(Box{{0.3, 0.3, 0.3}}, c);
      break;
    case Kind::roof:
      out.collider = out.world.add(MeshSurface{roof()}, c);
      break;
    case Kind::waves:
      out.collider = out.world.add(MeshSurface{waves()}, c);
      break;
    case Kind::creature:
      out.collider = out.world.add(MeshSolid{blob(0.5, 16)}, c);
      break;
  }
  out.world.add(Plane{.point = {0, -1.2, 0}}, {.thickness = kThickness});
  // Cells of 0.1 m.
  out.cloth = out.world.add(Cloth{
      .mesh = grid({0.8, 0.8}, {8, 8}),
      .density = 0.3,
      .material =
          ClothMaterial{.model = ClothModel::orthotropic,
                        .orthotropic = {.k_weft = 200, .k_warp = 200, .k_shear = 60, .nu_weft = 0.2, .nu_warp = 0.2},
                        .bending = 1e-5},
      .thickness = kThickness,
      .place = {.position = position, .rotation = {0, 0.3, 0}},
      .velocity = velocity});
  if (who == Who::rigid) out.world.pin(out.cloth, {0, 8, 72, 80});
  return out;
}

/// Pairs of triangles of the cloth and the collider, exactly.
int intersections(const Case& c) {
  std::vector<Vec3d> x = c.world.positions(c.cloth);
  std::vector<Triangle> triangles = c.world.triangles(c.cloth);
  const int of_cloth = static_cast<int>(triangles.size()), first = static_cast<int>(x.size());
  const TriMesh shape = c.world.collider_shape(c.collider);
  const ColliderPose pose = c.world.collider_pose(c.collider);
  const Quat<double> turn = from_rotation_vector(pose.rotation);
  for (const Vec3d& p : shape.positions) x.push_back(pose.position + rotate(turn, p));
  for (const Triangle& t : shape.triangles) triangles.push_back({t[0] + first, t[1] + first, t[2] + first});
  int count = 0;
  for (const IntersectingPair& pair : intersecting_triangles(x, triangles)) {
    count += pair[0] < of_cloth && pair[1] >= of_cloth;
  }
  return count;
}

/// The cloth meets the collider, and no triangle of it is ever through one of the collider's.
void expect_free(Kind kind, Who who, double speed, bool contact) {
  Case c = make(kind, who, speed, 1, contact);
  double most_force = 0;
  for (int frame = 0; frame < 60; ++frame) {
    c.world.step();
    most_force = std::max(most_force, length(c.world.contact_force(c.collider)));
    ASSERT_EQ(intersections(c), 0) << "frame " << frame << ", kind " << static_cast<int>(kind) << ", "
                                   << static_cast<int>(who) << " moves, " << speed << " m/s";
  }
  EXPECT_GT(most_force, 0.1);
  EXPECT_TRUE(c.world.troubles().empty());
}

constexpr double kSpeeds[] = {0.2, 1, 5, 20};  // [m/s]

TEST(ColliderSurfaces, CoarseClothFallsOnWhatIsSmaller) {
  for (const Kind kind : {Kind::spike, Kind::box, Kind::roof, Kind::waves}) {
    for (const double speed : kSpeeds) expect_free(kind, Who::cloth, speed, false);
  }
}

TEST(ColliderSurfaces, AScriptedColliderRunsIntoCloth) {
  for (const Kind kind : {Kind::spike, Kind::box, Kind::roof, Kind::waves}) {
    for (const double speed : {1.0, 5.0, 20.0}) expect_free(kind, Who::collider, speed, false);
  }
}

TEST(ColliderSurfaces, ARigidBodyRunsIntoCloth) {
  for (const Kind kind : {Kind::spike, Kind::box}) {
    for (const double speed : {1.0, 5.0, 20.0}) expect_free(kind, Who::rigid, speed, false);
  }
}

TEST(ColliderSurfaces, ClothThatTouchesItselfToo) {
  expect_free(Kind::creature, Who::cloth, 5, true);
  expect_free(Kind::waves, Who::collider, 5, true);
  expect_free(Kind::spike, Who::rigid, 20, true);
}

TEST(ColliderSurfaces, RopeDoesNotSlipThroughARoofBetweenItsVertices) {
  World world({.step = 1.0 / 60, .substeps = 10, .threads = 1});
  world.add(MeshSurface{roof()}, {.friction = 1, .thickness = kThickness});
  const BodyId body = world.add(Rope{.mesh = rope({0.01, 0.25, -0.4}, {0.01, 0.25, 0.4}, 5), .density = 0.2});
  for (int frame = 0; frame < 40; ++frame) world.step();
  // Two of its six vertices are beside the ridge, none on it: the segment between them lies on it.
  const std::vector<Vec3d> x = world.positions(body);
  double at_ridge = -1;
  for (std::size_t k = 0; k + 1 < x.size(); ++k) {
    if (x[k].z * x[k + 1].z >= 0) continue;
    at_ridge = x[k].y + (x[k + 1].y - x[k].y) * x[k].z / (x[k].z - x[k + 1].z);
  }
  EXPECT_GT(at_ridge, 0.2);
}

TEST(ColliderSurfaces, SameBitsForAnyNumberOfThreadsAndFromASnapshot) {
  uint64_t first = 0;
  for (const int threads : {1, 2, 3}) {
    Case c = make(Kind::waves, Who::cloth, 5, threads, true);
    for (int frame = 0; frame < 20; ++frame) c.world.step();
    if (threads == 1) first = c.world.state_hash();
    EXPECT_EQ(c.world.state_hash(), first);
  }
  Case c = make(Kind::waves, Who::cloth, 5, 1, true);
  for (int frame = 0; frame < 10; ++frame) c.world.step();
  const auto bytes = c.world.snapshot();
  Case other = make(Kind::waves, Who::cloth, 5, 2, true);
  other.world.restore(bytes);
  for (int frame = 10; frame < 20; ++frame) other.world.step();
  EXPECT_EQ(other.world.state_hash(), first);
}

TEST(ColliderSurfaces, NothingIsAllocatedOnceWarm) {
  Case c = make(Kind::waves, Who::cloth, 1, 1, true);
  for (int frame = 0; frame < 240; ++frame) c.world.step();
  const long before = testing_support::allocations();
  for (int frame = 0; frame < 5; ++frame) c.world.step();
  EXPECT_EQ(testing_support::allocations(), before);
}

// Pinned inside of a box: nothing holds it there, nothing is told, and the rest hangs from it.
TEST(ColliderSurfaces, WhatIsPinnedInsideIsLetAlone) {
  World world({.step = 1.0 / 60, .substeps = 10, .point_damping = 2, .threads = 1});
  world.add(Box{{0.2, 0.2, 0.2}}, {.thickness = kThickness});
  const BodyId cloth = world.add(Cloth{.mesh = grid({0.4, 0.4}, {8, 8}), .density = 0.3});
  world.pin(cloth, {40});  // its middle
  for (int frame = 0; frame < 60; ++frame) world.step();
  EXPECT_TRUE(world.troubles().empty());
  EXPECT_EQ(length(world.positions(cloth)[40]), 0);
  // The vertices around it have come out, its corners hang.
  for (int v = 0; v < world.vertex_count(cloth); ++v) {
    const Vec3d x = world.positions(cloth)[v];
    if (v == 40) continue;
    EXPECT_GT(std::max({std::abs(x.x), std::abs(x.y), std::abs(x.z)}), 0.1) << v;
  }
  EXPECT_LT(world.positions(cloth)[0].y, -0.05);
  for (const Vec3d& v : world.velocities(cloth)) EXPECT_LT(length(v), 5);
}

// What starts inside is pushed out as if the surface were not guarded.
TEST(ColliderSurfaces, WhatStartsInsideComesOut) {
  World world({.step = 1.0 / 60, .substeps = 10, .gravity = {}, .point_damping = 2, .threads = 1});
  world.add(Box{{0.4, 0.1, 0.4}}, {.thickness = kThickness});
  const BodyId cloth =
      world.add(Cloth{.mesh = grid({0.1, 0.1}, {2, 2}), .density = 0.3, .place = {.position = {0, 0.03, 0}}});
  for (int frame = 0; frame < 60; ++frame) world.step();
  for (const Vec3d& x : world.positions(cloth)) EXPECT_GT(x.y, 0.05);
}

TEST(ColliderSurfaces, EdgesThatCut) {
  const auto count = [](const TriMesh& mesh, bool closed) {
    int bits = 0;
    for (const uint8_t b : sharp_edges(mesh, closed)) bits += std::popcount(b);
    return bits;
  };
  // Twelve edges of a box, each at two triangles; not the diagonals of its sides.
  EXPECT_EQ(count(box_surface({1, 2, 3}, {1, 1, 1}), true), 24);
  EXPECT_EQ(count(box_surface({1, 2, 3}, {2, 2, 2}), true), 48);
  // The rim of a flat square only.
  EXPECT_EQ(count(grid({1, 1}, {3, 3}), false), 12);
  // A ridge and a valley: with an inside only the ridge counts.
  TriMesh fold;
  for (const double z : {0.0, 1.0}) {
    for (const auto& [x, y] : {std::pair{0.0, 0.0}, {1.0, 1.0}, {2.0, 0.0}, {3.0, 1.0}})
      fold.positions.push_back({x, y, z});
  }
  for (int k = 0; k < 3; ++k) {
    fold.triangles.push_back({k, k + 4, k + 1});
    fold.triangles.push_back({k + 1, k + 4, k + 5});
  }
  const int rim = 2 * 3 + 2;
  EXPECT_EQ(count(fold, false), rim + 4);
  EXPECT_EQ(count(fold, true), rim + 2);
}

}  // namespace
}  // namespace pliant::test
