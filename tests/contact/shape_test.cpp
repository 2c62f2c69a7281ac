// Distances, normals and masses of colliders' shapes, and the half space that keeps a moving point out.

#include "contact/shape.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "contact/half_space.h"
#include "contact/triangle_tree.h"
#include "pliant/error.h"

namespace pliant::contact {
namespace {

struct Sample {
  ColliderShape shape;
  double chord;  // [m] how far the surface to draw is from the true one at most
};

std::vector<Sample> samples() {
  HeightField hills{.size = {2, 2}, .columns = 9, .rows = 9};
  for (int k = 0; k < 81; ++k) hills.heights.push_back(0.2 * std::sin(0.9 * (k % 9)) * std::cos(0.7 * (k / 9)));
  return {{Plane{.normal = {0, 2, 0}, .point = {0, 0.1, 0}}, 1e-12},
          {Sphere{0.5}, 0.002},
          {Box{{1, 0.4, 0.7}}, 1e-12},
          {Capsule{0.3, 0.6}, 0.002},
          {Cylinder{0.4, 0.7}, 0.001},
          {Cone{0.5, 0.2, 0.6}, 0.001},
          {Cone{0.5, 0, 0.6}, 0.001},
          {Cone{0, 0.4, 0.5}, 0.001},
          {Funnel{0.8, 0.2, 0.9, 0.1}, 0.001},
          {MeshSolid{torus(0.5, 0.2, 24, 16)}, 1e-12},
          {MeshSurface{grid({1, 1}, {4, 4})}, 1e-12},
          {hills, 1e-12}};
}

class Points {
 public:
  Vec3d next(double size) { return {size * u_(random_), size * u_(random_), size * u_(random_)}; }

 private:
  std::mt19937 random_{7};
  std::uniform_real_distribution<double> u_{-1, 1};
};

TEST(ColliderShape, NearestPointsAgreeWithTheSurfaceThatIsDrawn) {
  Points points;
  for (const Sample& sample : samples()) {
    const auto shape = make_shape(sample.shape, "it");
    const TriMesh mesh = shape->surface();
    const TriangleTree tree(mesh);
    for (int k = 0; k < 60; ++k) {
      const Vec3d x = points.next(1);
      const Nearest near = shape->nearest(x, kInfinity);
      SCOPED_TRACE(std::string(shape_name(sample.shape)) + " " + std::to_string(k));
      EXPECT_NEAR(std::abs(near.distance), tree.nearest(x, kInfinity).distance, sample.chord + 1e-12);
      EXPECT_NEAR(length(near.normal), 1, 1e-12);
      EXPECT_NEAR(length(near.point + near.normal * near.distance - x), 0, 1e-9);
      EXPECT_NEAR(shape->nearest(near.point, kInfinity).distance, 0, 1e-9);
    }
  }
}

TEST(ColliderShape, NormalIsTheGradientOfTheDistance) {
  Points points;
  for (const Sample& sample : samples()) {
    const auto shape = make_shape(sample.shape, "it");
    for (int k = 0; k < 100; ++k) {
      const Vec3d x = points.next(1);
      const Nearest near = shape->nearest(x, kInfinity);
      // The distance along the normal grows as the way, unless a ridge of equal distances lies there.
      const double h = 1e-6;
      const double ahead = shape->nearest(x + near.normal * h, kInfinity).distance;
      EXPECT_NEAR(ahead - near.distance, h, 1e-9) << shape_name(sample.shape) << " " << k;
    }
  }
}

/// A triangle within half of the hollow radius: where the surface is no farther from one of its points than the other
/// half, a corner is nearer still, but for the rounding of distances.
TEST(ColliderShape, CornersAreNearestWhereItIsHollow) {
  Points points;
  int hollow = 0;
  for (const Sample& sample : samples()) {
    const auto shape = make_shape(sample.shape, "it");
    for (int k = 0; k < 4000; ++k) {
      const Vec3d middle = points.next(1);
      const double half = 0.5 * shape->hollow(middle);
      if (!(half > 0)) continue;
      Vec3d x[3];
      double corners = kInfinity;
      for (Vec3d& corner : x) {
        const Vec3d out = points.next(1);
        corner = middle + out * (half / std::max(length(out), 1.0));
        corners = std::min(corners, shape->nearest(corner, kInfinity).distance);
      }
      for (int m = 0; m < 20; ++m) {
        const Vec3d r = points.next(1);
        Vec3d w{std::abs(r.x), std::abs(r.y), std::abs(r.z)};
        w = w / (w.x + w.y + w.z);
        const double there = shape->nearest(x[0] * w.x + x[1] * w.y + x[2] * w.z, kInfinity).distance;
        if (std::abs(there) > half) continue;
        ++hollow;
        EXPECT_GT(there, corners - 1e-12) << shape_name(sample.shape) << " " << k;
      }
    }
  }
  EXPECT_GT(hollow, 1000);
}

TEST(ColliderShape, SignIsInsideOrOutside) {
  const auto ring = make_shape(MeshSolid{torus(0.5, 0.2, 64, 32)}, "ring");
  const auto inverted = [] {
    TriMesh mesh = torus(0.5, 0.2, 64, 32);
    for (Triangle& t : mesh.triangles) std::swap(t[0], t[1]);
    return make_shape(MeshSolid{mesh}, "ring");
  }();
  Points points;
  int inside = 0;
  for (int k = 0; k < 600; ++k) {
    const Vec3d x = points.next(0.8);
    const double exact = std::hypot(std::hypot(x.x, x.z) - 0.5, x.y) - 0.2;
    if (std::abs(exact) < 0.004) continue;  // the mesh is that far from the torus
    inside += exact < 0;
    EXPECT_EQ(ring->nearest(x, kInfinity).distance < 0, exact < 0);
    EXPECT_EQ(inverted->nearest(x, kInfinity).distance < 0, exact < 0);
    // The grid may answer for what is far: never too much, and never near what is not.
    const Nearest quick = ring->nearest(x, 0.01);
    EXPECT_LE(quick.distance, ring->nearest(x, kInfinity).distance + 1e-9);
    if (quick.distance <= 0.01) {
      EXPECT_EQ(quick.distance, ring->nearest(x, kInfinity).distance);
    }
    EXPECT_LE(quick.distance, std::max(0.01, exact + 0.004));
  }
  EXPECT_GT(inside, 30);
}

TEST(ColliderShape, MassIsThatOfTheSurface) {
  for (const Sample& sample : samples()) {
    const auto shape = make_shape(sample.shape, "it");
    if (shape->features().empty()) continue;
    const MassProperties mass = shape->mass();
    const MassProperties drawn = shape->Shape::mass();
    // The triangles of round shapes cut off up to 0.5 % of the volume.
    EXPECT_NEAR(mass.volume, drawn.volume, 0.006 * mass.volume) << shape_name(sample.shape);
    EXPECT_NEAR(length(mass.center - drawn.center), 0, 1e-3) << shape_name(sample.shape);
    for (int a = 0; a < 3; ++a) {
      EXPECT_NEAR(mass.inertia.c0[a], drawn.inertia.c0[a], 0.012 * trace(mass.inertia)) << shape_name(sample.shape);
      EXPECT_NEAR(mass.inertia.c1[a], drawn.inertia.c1[a], 0.012 * trace(mass.inertia)) << shape_name(sample.shape);
    }
  }
}

/// Whatever way a point takes from outside: if it enters the shape, it is stopped on the side that it came from.
TEST(HalfSpace, NoWayLeadsThrough) {
  Points points;
  std::vector<Sample> all = samples();
  all.push_back({Box{{1, 0.002, 1}}, 0});  // a thin plate
  for (const Sample& sample : all) {
    const auto shape = make_shape(sample.shape, "it");
    constexpr double kThickness = 0.003;
    // Short ways may cut off a corner: as deep as an arc of a tenth of the core is high.
    const double depth = shape->core() < kInfinity ? 0.002 * shape->core() : 0;
    int hits = 0;
    for (int k = 0; k < 160; ++k) {
      Vec3d a = points.next(1.2);
      const Vec3d b = points.next(k % 2 == 0 ? 1.2 : 0.3);
      if (std::holds_alternative<HeightField>(sample.shape)) {  // from above: it has no sides
        a = {0.7 * a.x, std::abs(a.y) + 0.25, 0.7 * a.z};
      }
      if (k % 4 == 0) {  // from the surface itself
        const Nearest near = shape->nearest(a, kInfinity);
        a = near.point + near.normal * kThickness;
      }
      if (shape->nearest(a, kInfinity).distance < 0.5 * kThickness) continue;
      bool enters = false;
      for (int s = 1; s <= 200 && !enters; ++s) {
        const Vec3d x = a + (b - a) * (s / 200.0);
        enters = shape->nearest(x, kInfinity).distance < (shape->two_sided() ? 0.2 * kThickness : -depth);
      }
      const auto half = find_half_space(*shape, a, b, kThickness, 0);
      if (!enters) continue;
      ++hits;
      ASSERT_TRUE(half) << shape_name(sample.shape) << " " << k;
      EXPECT_GE(dot(half->normal, a - half->point), 0) << shape_name(sample.shape) << " " << k;
      EXPECT_LT(dot(half->normal, b - half->point), kThickness) << shape_name(sample.shape) << " " << k;
    }
    EXPECT_GE(hits, 5) << shape_name(sample.shape);
  }
}

std::string refusal(const ColliderShape& shape) {
  try {
    make_shape(shape, "it");
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(ColliderShape, RefusesWhatHasNoInside) {
  EXPECT_NE(refusal(MeshSolid{grid({1, 1}, {2, 2})}).find("not closed"), std::string::npos);
  EXPECT_NE(refusal(Sphere{0}).find("radius"), std::string::npos);
  EXPECT_NE(refusal(Sphere{std::nan("")}).find("finite"), std::string::npos);
  EXPECT_NE(refusal(Box{{1, -1, 1}}).find("size"), std::string::npos);
  EXPECT_NE(refusal(Plane{.normal = {0, 0, 0}}).find("normal"), std::string::npos);
  EXPECT_NE(refusal(Cone{0, 0, 1}).find("radii"), std::string::npos);
  EXPECT_NE(refusal(HeightField{.columns = 2, .rows = 2, .heights = {0, 0, 0}}).find("heights"), std::string::npos);
  EXPECT_NE(refusal(HeightField{.columns = 2, .rows = 2, .heights = {0, 0, 0, std::nan("")}}).find("heights[3]"),
            std::string::npos);
  TriMesh flat = box_surface({1, 1, 1}, {1, 1, 1});
  flat.positions[1] = flat.positions[0];  // triangles without area
  EXPECT_NE(refusal(MeshSolid{flat}), "");
}

}  // namespace
}  // namespace pliant::contact
