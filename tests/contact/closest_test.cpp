// Closest points against points of a fine raster on both primitives.

#include "contact/closest.h"

#include <gtest/gtest.h>

#include <cmath>

#include "oracle.h"

namespace pliant::test {
namespace {

constexpr int kRaster = 48;

double nearest_of_raster(const Vec3d (&x)[4], int side_a) {
  double best = INFINITY;
  for (int i = 0; i <= kRaster; ++i) {
    for (int j = 0; j <= (side_a == 1 ? kRaster - i : kRaster); ++j) {
      const double p = double(i) / kRaster, q = double(j) / kRaster;
      const Vec3d gap = side_a == 1 ? x[0] - (x[1] * p + x[2] * q + x[3] * (1 - p - q))
                                    : x[0] * (1 - p) + x[1] * p - x[2] * (1 - q) - x[3] * q;
      best = std::min(best, length(gap));
    }
  }
  return best;
}

template <int kSideA, class Real>
void expect_closest(const Vec3d (&x)[4]) {
  Vec3<Real> y[4];
  double size = 0;
  for (int k = 0; k < 4; ++k) {
    y[k] = cast<Real>(x[k]);
    size = std::max(size, length(x[k] - x[0]));
  }
  const ClosestPair<Real> found = closest<kSideA>(y);
  const double d = std::sqrt(double(found.distance_squared));
  // The raster is too far by at most its spacing; a point that is found can be beaten only by rounding.
  const double raster = nearest_of_raster(x, kSideA), rounding = size * (sizeof(Real) == 4 ? 2e-3 : 2e-6);
  EXPECT_LE(d, raster + rounding);
  EXPECT_GE(d, raster - 2.0 * size / kRaster);
  Vec3d between{};
  double sum_a = 0, sum_b = 0;
  for (int k = 0; k < 4; ++k) {
    EXPECT_GE(found.weight[k], Real(-1e-6));
    (k < kSideA ? sum_a : sum_b) += found.weight[k];
    between += x[k] * (k < kSideA ? double(found.weight[k]) : -double(found.weight[k]));
  }
  EXPECT_NEAR(sum_a, 1, 1e-5);
  EXPECT_NEAR(sum_b, 1, 1e-5);
  EXPECT_LE(length(between - cast<double>(found.separation)), rounding);
}

TEST(Closest, AgreesWithARaster) {
  PairMaker maker(11);
  for (int k = 0; k < 400; ++k) {
    const MovingPair any = maker.any(10), vertex = maker.touching<1>(10), edge = maker.touching<2>(10);
    expect_closest<1, double>(any.x);
    expect_closest<1, float>(any.x);
    expect_closest<2, double>(any.x);
    expect_closest<2, float>(any.x);
    expect_closest<1, double>(vertex.x);  // degenerate ones among them
    expect_closest<1, float>(vertex.x);
    expect_closest<2, double>(edge.x);
    expect_closest<2, float>(edge.x);
  }
}

TEST(Closest, InteriorOrBorder) {
  const Vec3d above[4] = {{0.2, 0.3, 2}, {0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
  EXPECT_TRUE(closest_vertex_triangle(above).interior);
  EXPECT_DOUBLE_EQ(closest_vertex_triangle(above).distance_squared, 4);
  const Vec3d beside[4] = {{2, 0, 0}, {0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
  EXPECT_FALSE(closest_vertex_triangle(beside).interior);
  const Vec3d crossing[4] = {{-1, 0, 1}, {1, 0, 1}, {0, -1, 0}, {0, 1, 0}};
  EXPECT_TRUE(closest_edge_edge(crossing).interior);
  const Vec3d parallel[4] = {{0, 0, 1}, {1, 0, 1}, {0, 0, 0}, {1, 0, 0}};
  EXPECT_DOUBLE_EQ(closest_edge_edge(parallel).distance_squared, 1);
}

}  // namespace
}  // namespace pliant::test
