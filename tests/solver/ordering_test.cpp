// Renumbering for locality.

#include "solver/ordering.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "graphs.h"

namespace pliant::test {
namespace {

bool is_permutation(std::vector<int> order) {
  std::sort(order.begin(), order.end());
  for (std::size_t i = 0; i < order.size(); ++i) {
    if (order[i] != static_cast<int>(i)) return false;
  }
  return true;
}

/// Mean and largest distance in memory of the ends of an edge.
std::pair<double, int> spans(const std::vector<int>& order, const std::vector<Edge>& edges) {
  std::vector<int> place(order.size());
  for (std::size_t i = 0; i < order.size(); ++i) place[static_cast<std::size_t>(order[i])] = static_cast<int>(i);
  double sum = 0;
  int largest = 0;
  for (const Edge& e : edges) {
    const int span = std::abs(place[static_cast<std::size_t>(e[0])] - place[static_cast<std::size_t>(e[1])]);
    sum += span;
    largest = std::max(largest, span);
  }
  return {sum / static_cast<double>(edges.size()), largest};
}

TEST(LocalityOrder, BringsAShuffledGridBackToItsBandwidth) {
  const int side = 70;
  const std::vector<Edge> edges = shuffled_grid(side, 1);
  const std::vector<int> order = locality_order(side * side, edges);
  ASSERT_EQ(order.size(), static_cast<std::size_t>(side * side));
  EXPECT_TRUE(is_permutation(order));
  const auto [mean, largest] = spans(order, edges);
  // Row by row a grid has a mean of (1 + side) / 2 and a largest span of side. From a corner Cuthill and
  // McKee number diagonals, of at most side vertices: neighbours are at most a diagonal apart.
  EXPECT_LE(largest, side + 1);
  EXPECT_LE(mean, side);
}

TEST(LocalityOrder, KeepsAGoodOrder) {
  std::vector<Edge> chain;
  for (int i = 0; i < 99; ++i) chain.push_back({i, i + 1});
  const std::vector<int> order = locality_order(100, chain);
  for (int i = 0; i < 100; ++i) EXPECT_EQ(order[static_cast<std::size_t>(i)], i);
}

TEST(LocalityOrder, LaysOutAShuffledChainInALine) {
  const std::vector<int> name = shuffled(500, 2);
  std::vector<Edge> chain;
  for (std::size_t i = 0; i < 499; ++i) chain.push_back({name[i], name[i + 1]});
  const std::vector<int> order = locality_order(500, chain);
  EXPECT_TRUE(is_permutation(order));
  EXPECT_EQ(spans(order, chain).second, 1);
}

TEST(LocalityOrder, KeepsPiecesTogether) {
  // Two chains whose vertices take turns: each piece becomes a run.
  std::vector<Edge> edges;
  for (int i = 0; i + 2 < 200; ++i) edges.push_back({i, i + 2});
  const std::vector<int> order = locality_order(200, edges);
  EXPECT_TRUE(is_permutation(order));
  for (std::size_t i = 1; i < 100; ++i) EXPECT_EQ(order[i] % 2, order[0] % 2);
}

TEST(LocalityOrder, EdgeCases) {
  EXPECT_TRUE(locality_order(0, {}).empty());
  EXPECT_EQ(locality_order(1, {}), std::vector<int>{0});
  EXPECT_TRUE(is_permutation(locality_order(10, {}))) << "vertices without edges";
  EXPECT_TRUE(is_permutation(locality_order(301, star(300))));
}

}  // namespace
}  // namespace pliant::test
