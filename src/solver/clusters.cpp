#include "solver/clusters.h"

#include <algorithm>
#include <array>
#include <numeric>

namespace pliant {

namespace {

/// Particles with more constraints than this are left alone: the search looks at all neighbours of a neighbour.
constexpr int kMostNeighbors = 48;

/// Constraints as edges of a graph: those at particle p are at[begin[p]] .. at[begin[p + 1]].
struct Graph {
  struct End {
    int32_t other, constraint;
  };
  std::vector<int32_t> begin;
  std::vector<End> at;

  Graph(std::span<const int32_t> particles, int points, int count) : begin(count + 1, 0) {
    const auto constraints = static_cast<int32_t>(particles.size()) / points;
    for (int32_t c = 0; c < constraints; ++c) {
      for (int k = 0; k < 2; ++k) ++begin[particles[c * points + k] + 1];
    }
    std::partial_sum(begin.begin(), begin.end(), begin.begin());
    at.resize(begin.back());
    std::vector<int32_t> next(begin.begin(), begin.end() - 1);
    for (int32_t c = 0; c < constraints; ++c) {
      const int32_t a = particles[c * points], b = particles[c * points + 1];
      at[next[a]++] = {b, c};
      at[next[b]++] = {a, c};
    }
  }
  std::span<const End> of(int32_t p) const {
    const int32_t size = begin[p + 1] - begin[p];
    return {at.data() + begin[p], size > kMostNeighbors ? 0 : static_cast<std::size_t>(size)};
  }
};

/// How a hinge u, v, p, q fits a triangle's side x -> y with the third corner z: +1 as it is (or turned round, which
/// leaves its angle as it is), -1 against its direction, 0 not at all. `outer` is its corner outside of the triangle.
int direction(const int32_t* hinge, int32_t x, int32_t y, int32_t z, int32_t& outer) {
  const int32_t u = hinge[0], v = hinge[1], p = hinge[2], q = hinge[3];
  outer = p == z ? q : p;
  if (p != z && q != z) return 0;
  if (u == x && v == y) return p == z ? 1 : -1;
  if (u == y && v == x) return q == z ? 1 : -1;
  return 0;
}

/// Corners of the cluster that constraints ab, bc and ca on the sides of a triangle a, b, c make, and their order.
/// False if they make none.
bool fit_edges(const std::array<int32_t, 3>& corner, std::vector<int32_t>& out) {
  out.insert(out.end(), corner.begin(), corner.end());
  return true;
}

bool fit_hinges(std::span<const int32_t> particles, const std::array<int32_t, 3>& corner,
                std::array<int32_t, 3>& hinges, std::vector<int32_t>& out) {
  std::array<int32_t, 6> made = {corner[0], corner[1], corner[2], 0, 0, 0};
  int sum = 0;
  for (int k = 0; k < 3; ++k) {
    const int way = direction(&particles[static_cast<std::size_t>(hinges[k]) * 4], corner[k], corner[(k + 1) % 3],
                              corner[(k + 2) % 3], made[3 + k]);
    if (way == 0) return false;
    sum += way;
  }
  if (sum == -3) {  // the same triangle from behind: b, a, c with the sides ba, ac, cb
    std::swap(made[0], made[1]);
    std::swap(made[4], made[5]);
    std::swap(hinges[1], hinges[2]);
  } else if (sum != 3) {
    return false;
  }
  // Around a corner with three triangles two hinges end in the same particle: it cannot be gathered twice.
  if (made[3] == made[4] || made[4] == made[5] || made[5] == made[3]) return false;
  out.insert(out.end(), made.begin(), made.end());
  return true;
}

/// Clusters of the sides of triangles: of constraints on edges, or on the hinges over edges.
Clusters find_triangles(std::span<const int32_t> particles, int points, int count) {
  Clusters out;
  const Graph graph(particles, points, count);
  std::vector<uint8_t> used(particles.size() / static_cast<std::size_t>(points), 0);
  std::vector<int32_t> to(static_cast<std::size_t>(count), -1);  // the constraint from `a` to a particle
  for (int32_t a = 0; a < count; ++a) {
    const auto ends = graph.of(a);
    for (const Graph::End& end : ends) {
      if (!used[end.constraint]) to[end.other] = end.constraint;
    }
    // Triangles whose lowest particle is `a`.
    for (const Graph::End& ab : ends) {
      const int32_t b = ab.other;
      if (b <= a || used[ab.constraint] || to[b] != ab.constraint) continue;
      for (const Graph::End& bc : graph.of(b)) {
        const int32_t c = bc.other;
        if (c <= a || c == b || used[bc.constraint] || to[c] < 0 || used[to[c]]) continue;
        const std::array<int32_t, 3> corner = {a, b, c};
        std::array<int32_t, 3> sides = {ab.constraint, bc.constraint, to[c]};
        const bool fits =
            points == 2 ? fit_edges(corner, out.corners) : fit_hinges(particles, corner, sides, out.corners);
        if (!fits) continue;
        for (int32_t side : sides) used[side] = 1;
        out.parts.insert(out.parts.end(), sides.begin(), sides.end());
        break;
      }
    }
    for (const Graph::End& end : ends) to[end.other] = -1;
  }
  return out;
}

/// For each element (triangle: N = 3, tet: N = 4) and corner the element behind the side that lies opposite, or -1.
template <int N>
std::vector<int32_t> neighbors_of(std::span<const int32_t> elements, int particles) {
  struct Side {
    std::array<int32_t, N - 1> corner;
    int32_t at;  // N element + opposite corner
  };
  const auto count = static_cast<int32_t>(elements.size()) / N;
  const auto side_at = [&](int32_t at) {
    Side side{{}, at};
    for (int k = 0, n = 0; k < N; ++k) {
      if (k != at % N) side.corner[n++] = elements[at / N * N + k];
    }
    std::sort(side.corner.begin(), side.corner.end());
    return side;
  };
  // Sides by their lowest corner, of which each has few: those are sorted.
  std::vector<int32_t> begin(static_cast<std::size_t>(particles) + 2, 0);
  for (int32_t at = 0; at < N * count; ++at) ++begin[side_at(at).corner[0] + 2];
  std::partial_sum(begin.begin(), begin.end(), begin.begin());
  std::vector<Side> sides(static_cast<std::size_t>(count) * N);
  for (int32_t at = 0; at < N * count; ++at) {
    const Side side = side_at(at);
    sides[begin[side.corner[0] + 1]++] = side;
  }
  std::vector<int32_t> out(sides.size(), -1);
  for (int p = 0; p < particles; ++p) {
    const auto first = sides.begin() + begin[p], last = sides.begin() + begin[p + 1];
    std::sort(first, last,
              [](const Side& a, const Side& b) { return a.corner != b.corner ? a.corner < b.corner : a.at < b.at; });
    for (auto f = first; f != last && f + 1 != last; ++f) {
      if (f->corner != (f + 1)->corner) continue;
      out[f->at] = (f + 1)->at / N;
      out[(f + 1)->at] = f->at / N;
      ++f;  // a third element on a side stays alone
    }
  }
  return out;
}

/// Rows of three triangles or tets, each sharing a side with the next.
template <int N>
Clusters find_rows(std::span<const int32_t> elements, int particles) {
  Clusters out;
  const std::vector<int32_t> neighbors = neighbors_of<N>(elements, particles);
  const auto count = static_cast<int32_t>(elements.size()) / N;
  std::vector<uint8_t> used(count, 0);
  const auto corner_outside = [&](int32_t element, int32_t other) {  // the corner that `other` does not have
    for (int k = 0; k < N; ++k) {
      if (neighbors[element * N + k] == other) return elements[element * N + k];
    }
    return int32_t{-1};
  };
  const auto free_neighbors = [&](int32_t element) {
    int n = 0;
    for (int k = 0; k < N; ++k) {
      const int32_t other = neighbors[element * N + k];
      n += other >= 0 && !used[other];
    }
    return n;
  };
  // Middle ones in order; their ends are the free neighbours that have fewest others to go to.
  for (int32_t b = 0; b < count; ++b) {
    if (used[b]) continue;
    std::array<int32_t, N> side{};
    int ends = 0;
    for (int k = 0; k < N; ++k) {
      const int32_t other = neighbors[b * N + k];
      if (other >= 0 && !used[other]) side[ends++] = k;
    }
    if (ends < 2) continue;
    std::sort(side.begin(), side.begin() + ends, [&](int32_t x, int32_t y) {
      const int n = free_neighbors(neighbors[b * N + x]), m = free_neighbors(neighbors[b * N + y]);
      return n != m ? n < m : x < y;
    });
    const int32_t a = neighbors[b * N + side[0]], c = neighbors[b * N + side[1]];
    const int32_t first = corner_outside(a, b), last = corner_outside(c, b);
    if (first == last || a == c) continue;  // three around an edge (or, of triangles, a corner)
    // Tets: a = 0 1 2 3, b = 1 2 3 4, c = 2 3 4 5. Triangles: a = 0 1 2, b = 1 2 3, c = 2 3 4.
    std::array<int32_t, N + 2> corner{};
    corner[0] = first;
    corner[1] = elements[b * N + side[1]];
    for (int k = 0, n = 2; k < N; ++k) {
      if (k != side[0] && k != side[1]) corner[n++] = elements[b * N + k];
    }
    corner[N] = elements[b * N + side[0]];
    corner[N + 1] = last;
    used[a] = used[b] = used[c] = 1;
    out.parts.insert(out.parts.end(), {a, b, c});
    out.corners.insert(out.corners.end(), corner.begin(), corner.end());
  }
  return out;
}

}  // namespace

Clusters find_clusters(Stencil stencil, std::span<const int32_t> particles, int count) {
  if (stencil == Stencil::tets) return find_rows<4>(particles, count);
  if (stencil == Stencil::triangles) return find_rows<3>(particles, count);
  return find_triangles(particles, stencil == Stencil::edges ? 2 : 4, count);
}

}  // namespace pliant
