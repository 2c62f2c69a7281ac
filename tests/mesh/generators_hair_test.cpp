// Roots, strands and skin layers.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>
#include <set>

#include "mesh/topology.h"
#include "mesh/trace.h"
#include "pliant/error.h"
#include "pliant/mesh.h"

namespace pliant {
namespace {

TEST(Scatter, IsEvenByArea) {
  // Two squares, one of four times the other's area.
  TriMesh mesh = grid({1, 1}, {1, 1});
  const TriMesh large = grid({2, 2}, {7, 7});
  for (const Vec3d& x : large.positions) mesh.positions.push_back(x + Vec3d{5, 0, 0});
  for (const Triangle& t : large.triangles) mesh.triangles.push_back({t[0] + 4, t[1] + 4, t[2] + 4});
  int on_small = 0;
  for (const SurfacePoint& p : scatter(mesh, 5000, 3)) {
    on_small += p.corners[0] < 4;
    EXPECT_NEAR(p.weights[0] + p.weights[1] + p.weights[2], 1, 1e-12);
    EXPECT_GE(std::min({p.weights[0], p.weights[1], p.weights[2]}), 0);
  }
  EXPECT_NEAR(on_small, 1000, 2);  // one in each part of the area
}

TEST(Grow, SegmentsAreEqualAndCurlsAreHelices) {
  const TriMesh plate = grid({1, 1}, {2, 2});
  const auto roots = vertex_points(plate);
  EXPECT_EQ(roots.size(), 9u);
  const Strands hair =
      grow(plate, roots, {.length = 0.4, .segments = 80, .curl_radius = 0.01, .curl_turns = 4, .variation = 0});
  ASSERT_EQ(hair.positions.size(), 9u * 81);
  double lo = 1, hi = -1;
  for (int k = 0; k <= 80; ++k) {
    const Vec3d x = hair.positions[k];
    if (k > 0) {
      EXPECT_NEAR(length(x - hair.positions[k - 1]), 0.4 / 80, 1e-12);
    }
    lo = std::min(lo, x.x);
    hi = std::max(hi, x.x);
  }
  EXPECT_NEAR(hi - lo, 0.02, 0.001);  // twice the radius
  const double around = 2 * std::numbers::pi * 0.01 * 4;
  EXPECT_NEAR(hair.positions[80].y, std::sqrt(0.4 * 0.4 - around * around), 1e-3);
}

TEST(Grow, SeedDecidesAndVariationVaries) {
  const TriMesh plate = grid({1, 1}, {4, 4});
  const auto roots = vertex_points(plate);
  const HairStyle style{.length = 0.2, .segments = 4, .variation = 0.3, .seed = 5};
  const Strands a = grow(plate, roots, style), b = grow(plate, roots, style);
  EXPECT_TRUE(std::equal(a.positions.begin(), a.positions.end(), b.positions.begin()));
  std::set<double> lengths;
  for (std::size_t s = 0; s < 25; ++s) {
    const double l = 4 * length(a.positions[5 * s + 1] - a.positions[5 * s]);
    EXPECT_GE(l, 0.2 * 0.7 - 1e-12);
    EXPECT_LE(l, 0.2 * 1.3 + 1e-12);
    lengths.insert(l);
  }
  EXPECT_EQ(lengths.size(), 25u);
  EXPECT_THROW(grow(plate, roots, {.length = 0.1, .curl_radius = 0.05, .curl_turns = 4}), Error);
  EXPECT_THROW(grow(plate, {}, {}), Error);
}

TEST(SkinLayer, IsAConformingLayer) {
  const TriMesh ball = sphere(1, 2);
  TetMesh skin = skin_layer(ball, 0.1, 2);
  EXPECT_EQ(skin.positions.size(), 3 * ball.positions.size());
  EXPECT_EQ(skin.tets.size(), 6 * ball.triangles.size());
  const double before = volume(skin);
  EXPECT_EQ(repair(skin, "skin"), 0) << "no tet is inverted, no face has three tets";
  // Conforming: its boundary is the surface inside and one outside, nothing between.
  EXPECT_EQ(surface_of(skin).size(), 2 * ball.triangles.size());
  EXPECT_TRUE(is_closed(surface_of(skin)));
  const double outer = std::pow(1.1, 3), shell = enclosed_volume(ball) * (outer - 1);
  EXPECT_NEAR(before, shell, 0.01 * shell);
  for (std::size_t v = 0; v < ball.positions.size(); ++v) EXPECT_EQ(skin.positions[v], ball.positions[v]);
  EXPECT_THROW(skin_layer(ball, -1, 1), Error);
}

TEST(Trace, EndsAtItsLengthOnAPlane) {
  TriMesh mesh = grid({4, 4}, {40, 40});
  const SurfaceTracer tracer(mesh.triangles, mesh.positions);
  const int middle = 20 * 41 + 20;
  for (const double angle : {0.0, 0.3, 1.0, 1.5707963, 2.5, 4.0}) {
    const Vec3d direction{std::cos(angle), 0.2, std::sin(angle)};
    const auto end = tracer.trace(middle, direction, 1.5);
    ASSERT_TRUE(end) << angle;
    const Vec3d goal = mesh.positions[middle] + Vec3d{1.5 * std::cos(angle), 0, 1.5 * std::sin(angle)};
    EXPECT_LT(length(mesh.positions[end->vertex] - goal), 0.11) << angle;
    EXPECT_NEAR(end->distance, length(mesh.positions[end->vertex] - mesh.positions[middle]), 1e-9);
  }
  EXPECT_FALSE(tracer.trace(40, {1, 0, 0}, 1)) << "out of the surface";
  EXPECT_FALSE(tracer.trace(39, {1, 0, 0}, 1)) << "leaves it before half of its length";
}

TEST(Trace, GoesAroundACylinder) {
  // An open tube of radius 1: half a turn is as long as the arc.
  const TriMesh flat = grid({2 * std::numbers::pi, 2}, {64, 20});
  TriMesh tube = flat;
  for (Vec3d& x : tube.positions) x = {std::cos(x.x), x.z, std::sin(x.x)};
  const SurfaceTracer tracer(tube.triangles, tube.positions);
  const int start = 10 * 65 + 10;
  const Vec3d x = tube.positions[start];
  const auto end = tracer.trace(start, {-x.z, 0, x.x}, 3);
  ASSERT_TRUE(end);
  EXPECT_NEAR(end->distance, length(flat.positions[end->vertex] - flat.positions[start]), 0.002);
  EXPECT_NEAR(end->distance, 3, 0.1);
}

}  // namespace
}  // namespace pliant
