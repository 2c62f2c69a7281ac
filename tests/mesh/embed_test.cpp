// A skin keeps the rest shape, follows rigid motions exactly and affine ones where it is in tets.

#include "pliant/embed.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <random>

#include "mesh/tet_locator.h"
#include "mesh/topology.h"
#include "pliant/tetrahedralize.h"

namespace pliant {
namespace {

using Motion = std::function<Vec3d(const Vec3d&)>;

/// A turn about (1, 2, 3) by 1.1 rad (Rodrigues), then a move.
Vec3d turned(const Vec3d& x) {
  const Vec3d axis = Vec3d{1, 2, 3} / std::sqrt(14.0);
  const double c = std::cos(1.1), s = std::sin(1.1);
  return x * c + cross(axis, x) * s + axis * (dot(axis, x) * (1 - c)) + Vec3d{3, -7, 11};
}

/// Largest distance from where the motion takes the points themselves.
double largest_error(const Embedding& embedding, const std::vector<Vec3d>& carrier, const std::vector<Vec3d>& points,
                     const Motion& motion) {
  std::vector<Vec3d> moved, out(points.size());
  for (const Vec3d& x : carrier) moved.push_back(motion(x));
  const auto jobs = make_thread_pool(1);
  embedding.apply(moved, out, *jobs);
  double largest = 0;
  for (std::size_t i = 0; i < points.size(); ++i) largest = std::max(largest, length(out[i] - motion(points[i])));
  return largest;
}

const Motion kRest = [](const Vec3d& x) { return x; };
const Motion kAffine = [](const Vec3d& x) {
  return Vec3d{1.3 * x.x + 0.2 * x.y, 0.8 * x.y - 0.1 * x.z, x.z + 0.3 * x.x};
};

TEST(Embedding, SkinInTetsKeepsRestAndFollowsAffineMotions) {
  const TriMesh skin = sphere(1, 4);
  const TetMesh carrier = tetrahedralize(skin, {.tets = 1500}).mesh;
  const Embedding embedding(skin.positions, carrier);
  EXPECT_EQ(embedding.size(), skin.positions.size());
  EXPECT_EQ(embedding.raised(), 0u);  // some stand out a little, as mixtures with a negative weight
  EXPECT_LT(largest_error(embedding, carrier.positions, skin.positions, kRest), 1e-12);
  EXPECT_LT(largest_error(embedding, carrier.positions, skin.positions, turned), 1e-12);
  EXPECT_LT(largest_error(embedding, carrier.positions, skin.positions, kAffine), 1e-12);
}

TEST(Embedding, WhatStandsOutFollowsRigidMotions) {
  const TetMesh carrier = box_tets({1, 1, 1}, {2, 2, 2});
  const TriMesh skin = sphere(2, 3);  // up to a box away
  const Embedding embedding(skin.positions, carrier);
  EXPECT_GT(embedding.raised(), skin.positions.size() / 2);
  EXPECT_LT(largest_error(embedding, carrier.positions, skin.positions, kRest), 1e-12);
  EXPECT_LT(largest_error(embedding, carrier.positions, skin.positions, turned), 1e-12);
}

TEST(Embedding, SkinOnClothFollowsRigidMotionsAndBendsWithIt) {
  TriMesh carrier = grid({2, 2}, {10, 10});
  for (Vec3d& x : carrier.positions) x.y = 0.1 * std::sin(3 * x.x) * std::cos(2 * x.z);
  TriMesh skin = grid({1.9, 1.9}, {47, 47});
  for (Vec3d& x : skin.positions) x.y = 0.1 * std::sin(3 * x.x) * std::cos(2 * x.z) + 0.05 * std::sin(30 * x.z);
  const Embedding embedding(skin.positions, carrier);
  EXPECT_EQ(embedding.raised(), skin.positions.size());
  EXPECT_LT(largest_error(embedding, carrier.positions, skin.positions, kRest), 1e-12);
  EXPECT_LT(largest_error(embedding, carrier.positions, skin.positions, turned), 1e-12);

  // A flat sheet rolled up into a cylinder of radius 1: what was 0.1 above it is at radius 1.1.
  const TriMesh sheet = grid({2, 1}, {64, 4});
  const std::vector<Vec3d> above = {{0.31, 0.1, 0.2}, {-0.7, 0.1, 0}};
  std::vector<Vec3d> rolled, out(2);
  for (const Vec3d& x : sheet.positions) rolled.push_back({std::sin(x.x), std::cos(x.x), x.z});
  Embedding(above, sheet).apply(rolled, out, *make_thread_pool(1));
  for (std::size_t i = 0; i < 2; ++i) {
    const double angle = above[i].x;
    // Chords of 1/32 rad lie up to 1.2e-4 inside of the circle.
    EXPECT_LT(length(out[i] - Vec3d{1.1 * std::sin(angle), 1.1 * std::cos(angle), above[i].z}), 3e-4);
  }
}

TEST(Embedding, ResultDoesNotDependOnThreads) {
  const TriMesh skin = sphere(1.2, 4);
  const TetMesh carrier = ball_tets(1, 6);
  const Embedding embedding(skin.positions, carrier);
  std::vector<Vec3d> one(skin.positions.size()), three = one;
  embedding.apply(carrier.positions, one, *make_thread_pool(1));
  embedding.apply(carrier.positions, three, *make_thread_pool(3));
  EXPECT_EQ(one, three);
}

TEST(TetLocator, FindsTheTetThatHoldsAPoint) {
  const TetMesh mesh = ball_tets(1, 4);
  const TetLocator locator(mesh);
  std::mt19937 random(3);
  std::uniform_real_distribution<double> coordinate(-1.1, 1.1);
  int found = 0;
  for (int i = 0; i < 200; ++i) {
    const double x = coordinate(random), y = coordinate(random), z = coordinate(random);
    const Vec3d p{x, y, z};
    const auto place = locator.find(p);
    const MeshPoint slow = nearest_point_on(mesh.tets, mesh.positions, p);
    EXPECT_EQ(place.tet >= 0, slow.distance == 0);
    if (place.tet < 0) continue;
    ++found;
    Vec3d again{};
    for (std::size_t k = 0; k < 4; ++k) {
      EXPECT_GE(place.weights[k], -1e-9);
      again += mesh.positions[static_cast<std::size_t>(mesh.tets[static_cast<std::size_t>(place.tet)][k])] *
               place.weights[k];
    }
    EXPECT_LT(length(again - p), 1e-12);
  }
  EXPECT_GT(found, 50);
}

TEST(Blob, IsAClosedSurfaceOfOnePiece) {
  const TriMesh mesh = blob(2, 24);
  EXPECT_TRUE(is_closed(mesh.triangles));
  EXPECT_EQ(euler_characteristic(mesh.triangles), 2);
  EXPECT_EQ(connected_components(mesh.triangles, static_cast<int>(mesh.positions.size())).count, 1);
  double low = 0, high = 0;
  for (const Vec3d& x : mesh.positions) {
    low = std::min(low, x.y);
    high = std::max(high, x.y);
  }
  EXPECT_NEAR(high - low, 2, 0.15);
  EXPECT_GT(enclosed_volume(mesh), 0.5);  // outward
}

}  // namespace
}  // namespace pliant
