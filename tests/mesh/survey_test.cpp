#include "mesh/survey.h"

#include <gtest/gtest.h>

namespace pliant {
namespace {

bool same(const Vec2d& a, const Vec2d& b) { return a.x == b.x && a.y == b.y; }

TEST(Survey, ClosedSurfaces) {
  const TriSurvey ball = survey(sphere(1, 2));
  EXPECT_TRUE(ball.closed());
  EXPECT_EQ(ball.holes + ball.opposed_edges + ball.repeated_vertices + ball.unused_vertices, 0);
  EXPECT_GT(ball.angles.smallest, 45);
  EXPECT_LT(ball.angles.largest, 80);
  EXPECT_EQ(ball.angles.counts.back(), 320);
}

TEST(Survey, HolesAndCrowdedEdges) {
  TriMesh tube = cylinder(1, 2, 12, 3);
  const std::size_t all = tube.triangles.size();
  std::erase_if(tube.triangles, [&](const Triangle& t) {  // the two caps
    double low = 9, high = -9;
    for (const int v : t) {
      low = std::min(low, tube.positions[static_cast<std::size_t>(v)].y);
      high = std::max(high, tube.positions[static_cast<std::size_t>(v)].y);
    }
    return low == high;
  });
  ASSERT_LT(tube.triangles.size(), all);
  const TriSurvey open = survey(tube);
  EXPECT_FALSE(open.closed());
  EXPECT_EQ(open.border_edges, 24);
  EXPECT_EQ(open.holes, 2);

  TriMesh fan{{{0, 0, 0}, {0, 0, 1}, {1, 0, 0}, {0, 1, 0}, {-1, 0, 0}}, {{0, 1, 2}, {0, 1, 3}, {0, 1, 4}}};
  EXPECT_EQ(survey(fan).crowded_edges, 1);
  fan.triangles.pop_back();
  EXPECT_EQ(survey(fan).opposed_edges, 1);
  EXPECT_EQ(survey(fan).unused_vertices, 1);
}

TEST(Survey, AnglesOfTets) {
  // A regular tet has dihedral angles of acos(1/3) = 70.53 degrees.
  TetMesh regular{{{1, 1, 1}, {1, -1, -1}, {-1, 1, -1}, {-1, -1, 1}}, {{0, 1, 2, 3}}};
  if (volume(regular) < 0) std::swap(regular.tets[0][2], regular.tets[0][3]);
  const TetSurvey best = survey(regular);
  EXPECT_NEAR(best.angles.smallest, 70.5288, 1e-3);
  EXPECT_NEAR(best.angles.largest, 70.5288, 1e-3);
  EXPECT_EQ(best.slivers + best.inverted, 0);
  std::swap(regular.tets[0][2], regular.tets[0][3]);
  EXPECT_EQ(survey(regular).inverted, 1);
  EXPECT_NEAR(survey(regular).angles.smallest, 70.5288, 1e-3);
  // Four points that nearly lie in a square.
  const TetMesh flat{{{0, 0, 0}, {1, 0, 0.01}, {1, 1, 0}, {0, 1, 0.01}}, {{0, 1, 2, 3}}};
  EXPECT_EQ(survey(flat).slivers, 1);
  EXPECT_EQ(survey(flat).angles.counts[1], 1) << "between 1 and 5 degrees";
}

TEST(MergeVertices, JoinsWhatIsNearAndDropsWhatCollapses) {
  TriMesh mesh{{{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 0, 1e-4}, {1, 1, 0}, {0, 1, 0}, {0, 0.5e-4, 0}},
               {{0, 1, 2}, {3, 4, 5}, {0, 6, 5}},
               {}};
  mesh.texture_coordinates = {{{{0, 0}, {1, 0}, {1, 1}}}, {{{2, 0}, {2, 1}, {2, 2}}}, {{{3, 0}, {3, 1}, {3, 2}}}};
  TriMesh exact = mesh;
  EXPECT_EQ(merge_vertices(exact, 0), 1);
  EXPECT_EQ(exact.triangles, (std::vector<Triangle>{{0, 1, 2}, {3, 2, 4}, {0, 5, 4}}));
  EXPECT_EQ(merge_vertices(mesh, 1e-3), 3);
  EXPECT_EQ(mesh.triangles, (std::vector<Triangle>{{0, 1, 2}, {0, 2, 3}})) << "the third has lost an edge";
  EXPECT_EQ(mesh.texture_coordinates.size(), 2u);
  EXPECT_TRUE(same(mesh.texture_coordinates[1][0], {2, 0}));
  // A chain of near vertices does not become one.
  Curve line = rope({0, 0, 0}, {1, 0, 0}, 10);
  EXPECT_EQ(merge_vertices(line, 0.15), 5);
  EXPECT_EQ(line.positions.size(), 6u);
  EXPECT_EQ(line.edges.size(), 5u);
}

}  // namespace
}  // namespace pliant
