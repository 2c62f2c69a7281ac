// Particles that move by no more than the bound, in any direction, bring nothing into an intersection.

#include "contact/distance_bound.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>

#include "contact/closest.h"
#include "contact/intersections.h"
#include "pliant/jobs.h"
#include "pliant/mesh.h"

namespace pliant {
namespace {

/// Sheets of cells x cells squares, one above the other, crumpled by chance.
struct Sheets {
  std::vector<Vec3d> x;
  std::vector<Triangle> triangles;
  ContactSurface surface;

  Sheets(int sheets, int cells, double apart, double crumple) {
    std::mt19937_64 random(5);
    const auto unit = [&] { return static_cast<double>(random() >> 11) * 0x1p-52 - 1; };
    for (int s = 0; s < sheets; ++s) {
      const TriMesh mesh = grid({1, 1}, {cells, cells});
      const int first = static_cast<int>(x.size());
      for (const Vec3d& p : mesh.positions) {
        x.push_back(p + Vec3d{crumple * unit(), s * apart + crumple * unit(), crumple * unit()});
      }
      for (const Triangle& t : mesh.triangles) {
        triangles.push_back({t[0] + first, t[1] + first, t[2] + first});
        surface.elements.push_back({{t[0] + first, t[1] + first, t[2] + first}, s, 0, 0, true});
      }
      surface.touches_itself.push_back(1);
    }
    for (std::size_t i = 0; i < x.size(); ++i) surface.body.push_back(static_cast<int>(i / (x.size() / sheets)));
    surface.is_tied.assign(x.size(), 0);
  }
  std::vector<double> bound(double way, std::vector<uint8_t> stays = {}) const {
    const auto jobs = make_thread_pool(2);
    std::vector<int32_t> all(surface.elements.size());
    std::iota(all.begin(), all.end(), 0);
    stays.resize(x.size());
    const std::vector<double> ways(x.size(), way);
    std::vector<double> limit(x.size(), way);
    DistanceBound().lower(*jobs, surface, all, {x, ways, stays, {}}, {}, limit);
    return limit;
  }
};

TEST(DistanceBound, WhateverMovesWithinItMeetsNothing) {
  const Sheets sheets(5, 8, 0.02, 0.008);
  ASSERT_TRUE(intersecting_triangles(sheets.x, sheets.triangles).empty());
  const std::vector<double> limit = sheets.bound(1);
  const auto [least, most] = std::minmax_element(limit.begin(), limit.end());
  EXPECT_GT(*least, 1e-5);
  EXPECT_LT(*most, 0.05);
  std::mt19937_64 random(7);
  std::normal_distribution<double> normal;
  int beyond = 0;
  for (int k = 0; k < 40; ++k) {
    std::vector<Vec3d> within = sheets.x, farther = sheets.x;
    for (std::size_t i = 0; i < within.size(); ++i) {
      Vec3d way{0.05 * normal(random), normal(random), 0.05 * normal(random)};  // mostly across the sheets
      way = way * (limit[i] / length(way));
      within[i] += way;
      farther[i] += way * 4.0;
    }
    EXPECT_TRUE(intersecting_triangles(within, sheets.triangles).empty()) << k;
    beyond += !intersecting_triangles(farther, sheets.triangles).empty();
  }
  EXPECT_EQ(beyond, 40) << "four times as far they meet: the bound is not far from what is needed";
}

TEST(DistanceBound, IsTheDistanceToTheNearestOtherElement) {
  const Sheets sheets(3, 3, 0.03, 0.01);
  const std::vector<double> limit = sheets.bound(1);
  std::vector<double> expected(sheets.x.size(), 1);
  const auto lower = [&](std::initializer_list<int> corners, double d) {
    for (const int i : corners) expected[i] = std::min(expected[i], DistanceBound::kGamma * d);
  };
  const auto& t = sheets.triangles;
  for (std::size_t a = 0; a < t.size(); ++a) {
    for (std::size_t b = 0; b < t.size(); ++b) {
      if (a == b) continue;
      double least = 1e9;
      const auto has = [](const Triangle& q, int v) { return q[0] == v || q[1] == v || q[2] == v; };
      for (int k = 0; k < 3; ++k) {
        for (const auto& [p, q] : {std::pair(t[a], t[b]), std::pair(t[b], t[a])}) {
          if (has(q, p[k])) continue;
          const Vec3d x[4] = {sheets.x[p[k]], sheets.x[q[0]], sheets.x[q[1]], sheets.x[q[2]]};
          least = std::min(least, std::sqrt(closest_vertex_triangle(x).distance_squared));
        }
        for (int m = 0; m < 3; ++m) {
          const int e[2] = {t[a][k], t[a][(k + 1) % 3]}, f[2] = {t[b][m], t[b][(m + 1) % 3]};
          if (e[0] == f[0] || e[0] == f[1] || e[1] == f[0] || e[1] == f[1]) continue;
          const Vec3d x[4] = {sheets.x[e[0]], sheets.x[e[1]], sheets.x[f[0]], sheets.x[f[1]]};
          least = std::min(least, std::sqrt(closest_edge_edge(x).distance_squared));
        }
      }
      lower({t[a][0], t[a][1], t[a][2]}, least);
    }
  }
  for (std::size_t i = 0; i < limit.size(); ++i) EXPECT_NEAR(limit[i], expected[i], 1e-12) << i;
}

TEST(DistanceBound, GivesWayToWhatCannotBeHeld) {
  const Sheets sheets(2, 4, 0.02, 0.0);
  std::vector<uint8_t> stays(sheets.x.size(), 0);
  for (std::size_t i = 0; i < stays.size() / 2; ++i) stays[i] = 1;  // the lower sheet moves by 15 mm, whatever comes
  const std::vector<double> limit = sheets.bound(0.015, stays);
  for (std::size_t i = stays.size() / 2; i < stays.size(); ++i) {
    EXPECT_NEAR(limit[i], DistanceBound::kGamma * 0.005, 1e-12) << i;
  }
}

}  // namespace
}  // namespace pliant
