// A limb with a skin: its mesh, its motion, and what is measured of it.
#include "experiments/skin_tube.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace pliant::experiments {
namespace {

TEST(SkinTube, FacesOutwardAndHasTwoEnds) {
  const Tube tube{.segments = 8, .rings = 5};
  const TriMesh mesh = tube.mesh();
  for (const Triangle& t : mesh.triangles) {
    const auto at = [&](std::size_t k) { return mesh.positions[static_cast<std::size_t>(t[k])]; };
    const Vec3d normal = cross(at(1) - at(0), at(2) - at(0));
    EXPECT_GT(dot(normal, Vec3d{at(0).x + at(1).x + at(2).x, 0, at(0).z + at(1).z + at(2).z}), 0);
  }
  EXPECT_EQ(tube.ends().size(), 16u);
  for (const int v : tube.ends()) EXPECT_NEAR(std::abs(mesh.positions[static_cast<std::size_t>(v)].y), 0.5, 1e-12);
}

TEST(SkinTube, MovesItsLowerHalfOnly) {
  const Motion motion{.bend = 0.3, .twist = 0.2, .pull = 0.1};
  const Vec3d above{0.05, 0.2, 0.08}, below{0.05, -0.3, 0.08};
  EXPECT_NEAR(length(motion.move(above) - above), 0, 1e-12);
  EXPECT_NEAR(length(motion.move(below, 0) - below), 0, 1e-12);
  // Below the zone it is rigid: what is 1 cm apart stays so.
  EXPECT_NEAR(length(motion.move(below) - motion.move(below + Vec3d{0, 0.01, 0})), 0.01, 1e-12);
  EXPECT_GT(length(motion.move(below) - below), 0.1);
  EXPECT_NEAR(motion.weight(0), 0.5, 1e-12);
}

TEST(SkinTube, UnevennessIsZeroForAnEvenStretchAndNotForAnother) {
  const TriMesh mesh = Tube{.segments = 12, .rings = 10}.mesh();
  std::vector<Vec3d> x = mesh.positions;
  for (Vec3d& p : x) p.y *= 1.3;
  Unevenness u = unevenness(mesh, x);
  EXPECT_NEAR(u.deviation, 0, 1e-9);
  EXPECT_NEAR(u.largest, 0.3, 1e-9);
  // All of it in the upper half: the larger stretch is 1.6 or 1, the smaller one 1.
  for (std::size_t v = 0; v < x.size(); ++v) x[v].y = mesh.positions[v].y * (mesh.positions[v].y > 0 ? 1.6 : 1);
  u = unevenness(mesh, x);
  EXPECT_NEAR(u.deviation, 0.3 / std::sqrt(2.0), 1e-9);
  EXPECT_NEAR(u.largest, 0.6, 1e-9);
  // Pressed together there: now the smaller one is 0.4 or 1.
  for (std::size_t v = 0; v < x.size(); ++v) x[v].y = mesh.positions[v].y * (mesh.positions[v].y > 0 ? 0.4 : 1);
  u = unevenness(mesh, x);
  EXPECT_NEAR(u.deviation, 0.3 / std::sqrt(2.0), 1e-9);
  EXPECT_NEAR(u.largest, 0.6, 1e-9);
}

TEST(SkinTube, SlidingTellsSlideThicknessAndSide) {
  const Tube tube{.segments = 64, .rings = 20};
  const TriMesh inner = tube.mesh();
  const auto outer = [&](double thickness, double slide) {
    std::vector<Vec3d> out;
    for (const Vec3d& p : inner.positions) {
      const Vec3d normal = Vec3d{p.x, 0, p.z} / std::hypot(p.x, p.z);
      out.push_back(p + normal * thickness + Vec3d{0, slide, 0});
    }
    return out;
  };
  Sliding s = sliding(inner, outer(0.03, 0), 0.03);
  EXPECT_NEAR(s.largest, 0, 1e-3);
  EXPECT_NEAR(s.worst_thickness, 0, 2e-2);  // a polygon
  EXPECT_EQ(s.behind, 0);
  s = sliding(inner, outer(0.024, 0.01), 0.03);
  EXPECT_NEAR(s.mean, 0.01, 1e-3);
  EXPECT_NEAR(s.thickness_error, 0.2, 3e-2);
  s = sliding(inner, outer(-0.01, 0), 0.03);
  EXPECT_EQ(s.behind, static_cast<int>(inner.positions.size()));
}

TEST(SkinTube, FramesAreOrthonormalAndRightHandedInAllLayers) {
  const TriMesh surface = Tube{.segments = 10, .rings = 4}.mesh();
  const TetMesh layer = skin_layer(surface, 0.03, 2);
  const std::vector<Frame> frames = tangent_frames(surface, layer);
  ASSERT_EQ(frames.size(), layer.tets.size());
  for (std::size_t k = 0; k < frames.size(); ++k) {
    const auto& [a, b, c] = frames[k];
    EXPECT_NEAR(length(cross(a, b) - c), 0, 1e-12);
    Vec3d middle{};
    for (const int v : layer.tets[k]) middle += layer.positions[static_cast<std::size_t>(v)] * 0.25;
    EXPECT_GT(dot(c, Vec3d{middle.x, 0, middle.z}), 0.9 * std::hypot(middle.x, middle.z));  // outward, at this place
  }
}

// Very stiff shear: nothing slides. Very soft shear: the outer side is stretched evenly between its ends, so that it
// is where a straight line would have it.
TEST(SkinTube, SlideHasItsLimits) {
  const Tube tube;
  const Motion motion{.pull = 0.005};
  const auto largest = [](const std::vector<double>& d) { return *std::max_element(d.begin(), d.end()); };
  EXPECT_LT(largest(pulled_slide(tube, motion, 0.03, 2, 1e5, 1e9, 401)), 1e-6);
  // One thin layer, in which the inner side hardly takes part: u_o'' = -(1/2) u_i'' for a linear layer of one element.
  const std::vector<double> d = pulled_slide(tube, motion, 1e-4, 1, 1e5, 1e-9, 401);
  for (int j = 0; j <= 400; ++j) {
    const double y = -0.5 + j / 400.0, line = motion.pull * (0.5 - y);  // both downwards
    const double inner = motion.pull * motion.weight(y), outer = 1.5 * line - 0.5 * inner;
    EXPECT_NEAR(d[static_cast<std::size_t>(j)], outer - inner, 1e-5) << y;
  }
}

// Hat functions are of second order: twice the layers, a quarter of the error.
TEST(SkinTube, SlideConvergesWithItsLayers) {
  const Tube tube;
  const Motion motion{.pull = 0.005};
  const auto middle = [&](int layers) { return pulled_slide(tube, motion, 0.03, layers, 1e5, 400, 801)[520]; };
  const double fine = middle(16);
  EXPECT_NEAR(middle(8), fine, std::abs(middle(4) - fine) / 3);
  EXPECT_NEAR(middle(4), fine, std::abs(middle(2) - fine) / 3);
}

}  // namespace
}  // namespace pliant::experiments
