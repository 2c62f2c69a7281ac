#include "mesh/geodesic.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <queue>
#include <tuple>

#include "mesh/topology.h"

namespace pliant {

namespace {

/// What a vertex knows of an island.
struct Label {
  int island = -1;
  int source = -1;      // vertex of the island
  int bend = -1;        // the last vertex at which the path bends, or the source
  double distance = 0;  // [m] from the source
  double at_bend = 0;   // [m] of the distance, up to `bend`
};

/// Smaller by more than rounding: a vertex that was reached is told anew only then.
bool improves(double distance, double known) { return distance < known * (1 - 1e-9); }

class Front {
 public:
  Front(std::span<const Edge> edges, std::span<const Triangle> triangles, std::span<const Vec3d> positions, int kept)
      : edges_(edges),
        triangles_(triangles),
        x_(positions),
        kept_(kept),
        edges_of_(vertex_to_element(edges, static_cast<int>(positions.size()))),
        triangles_of_(vertex_to_element(triangles, static_cast<int>(positions.size()))),
        labels_(positions.size() * static_cast<std::size_t>(kept)) {}

  void start(int vertex, int island) { push(vertex, {island, vertex, vertex, 0, 0}); }

  void run() {
    while (!queue_.empty()) {
      const Item item = queue_.top();
      queue_.pop();
      if (take(item.vertex, item.label)) spread(item.vertex, item.label);
    }
  }

  std::span<const Label> labels(int vertex) const {
    return {labels_.data() + std::size_t(vertex) * std::size_t(kept_), std::size_t(kept_)};
  }

 private:
  struct Item {
    int vertex;
    Label label;
    /// The nearest first; ties by numbers, so that the result depends on the mesh alone.
    friend bool operator<(const Item& a, const Item& b) {
      return std::tie(a.label.distance, a.vertex, a.label.island, a.label.bend) >
             std::tie(b.label.distance, b.vertex, b.label.island, b.label.bend);
    }
  };

  const Label* find(int vertex, int island) const {
    for (const Label& label : labels(vertex)) {
      if (label.island == island) return &label;
    }
    return nullptr;
  }

  void push(int vertex, Label label) {
    // No path along the surface is shorter than the straight line.
    label.distance = std::max(label.distance, length(x_[vertex] - x_[label.source]));
    const Label* known = find(vertex, label.island);
    if (known && !improves(label.distance, known->distance)) return;
    queue_.push({vertex, label});
  }

  /// Keeps a label if it is news. Of the islands that come later than the nearest few none is let through: who has
  /// them among its nearest few is reached by paths along which that is so as well.
  bool take(int vertex, const Label& label) {
    for (Label& slot : std::span(labels_).subspan(std::size_t(vertex) * std::size_t(kept_), std::size_t(kept_))) {
      if (slot.island == label.island) {
        if (!improves(label.distance, slot.distance)) return false;
        slot = label;
        return true;
      }
      if (slot.island < 0) {
        slot = label;
        return true;
      }
    }
    return false;
  }

  void spread(int v, const Label& label) {
    for (const int e : edges_of_.of(v)) {
      const int other = edges_[e][0] == v ? edges_[e][1] : edges_[e][0];
      around(v, label, other);
    }
    for (const int t : triangles_of_.of(v)) {
      const Triangle& tri = triangles_[t];
      const int k = tri[0] == v ? 0 : tri[1] == v ? 1 : 2;
      const int b = tri[(k + 1) % 3], c = tri[(k + 2) % 3];
      across(v, label, b, c);
      across(v, label, c, b);
    }
  }

  /// To c along the edge from a. The path bends at a, unless it begins there or goes straight on.
  void around(int a, const Label& from, int c) {
    Label out{from.island, from.source, a, from.distance + length(x_[c] - x_[a]), from.distance};
    if (from.bend >= 0 && !improves(length(x_[c] - x_[from.bend]), out.distance - from.at_bend)) {
      out.bend = from.bend;
      out.at_bend = from.at_bend;
    }
    push(c, out);
  }

  /// To c across the edge a b.
  void across(int a, const Label& at_a, int b, int c) {
    const Label* known = find(b, at_a.island);
    if (!known || at_a.bend == a || known->bend == b) return;  // straight from a or b: the edges do it
    const Label& at_b = *known;
    if (at_b.bend == a || at_a.bend == b) return;  // one is the point that the other is seen from: edges again
    const bool same = at_a.bend == at_b.bend;
    const double before = same ? at_a.at_bend : 0;
    const double ra = at_a.distance - before, rb = at_b.distance - before;
    // a at the origin, b on the x axis, c above, the point p that is seen through the edge below.
    const Vec3d ab = x_[b] - x_[a], ac = x_[c] - x_[a];
    const double l = length(ab);
    const double cx = dot(ac, ab) / l;
    const double cy = std::sqrt(std::max(0.0, dot(ac, ac) - cx * cx));
    const double px = (ra * ra - rb * rb + l * l) / (2 * l);
    const double py = std::sqrt(std::max(0.0, ra * ra - px * px));
    if (!(py + cy > 0)) return;
    const double crossing = px + (cx - px) * py / (py + cy);
    constexpr double kRounding = 1e-9;  // a line through a or b itself counts
    if (crossing < -kRounding * l || crossing > (1 + kRounding) * l) return;
    Label out = crossing < l / 2 ? at_a : at_b;
    out.distance = before + std::hypot(cx - px, cy + py);
    out.at_bend = before;
    if (!same) out.bend = -1 - std::min(a, b);  // a point of its own, no vertex
    push(c, out);
  }

  std::span<const Edge> edges_;
  std::span<const Triangle> triangles_;
  std::span<const Vec3d> x_;
  int kept_;
  Adjacency edges_of_, triangles_of_;
  std::vector<Label> labels_;
  std::priority_queue<Item> queue_;
};

NearestSources empty_result(std::size_t vertices, int count) {
  NearestSources out;
  out.count = count;
  out.source.assign(vertices * static_cast<std::size_t>(count), -1);
  out.distance.assign(vertices * static_cast<std::size_t>(count), std::numeric_limits<double>::infinity());
  return out;
}

}  // namespace

NearestSources nearest_sources_along(std::span<const Edge> edges, std::span<const Triangle> triangles,
                                     std::span<const Vec3d> positions, const std::vector<std::vector<int>>& islands,
                                     int count) {
  count = std::min(count, static_cast<int>(islands.size()));
  NearestSources out = empty_result(positions.size(), count);
  if (count == 0) return out;
  // One more than asked for: where an island stops being among the nearest, the last triangles before that border
  // lack a corner that knows of it.
  const int kept = std::min(count + 1, static_cast<int>(islands.size()));
  Front front(edges, triangles, positions, kept);
  for (std::size_t i = 0; i < islands.size(); ++i) {
    for (const int v : islands[i]) front.start(v, static_cast<int>(i));
  }
  front.run();
  std::vector<Label> sorted;
  for (std::size_t v = 0; v < positions.size(); ++v) {
    sorted.clear();
    for (const Label& label : front.labels(static_cast<int>(v))) {
      if (label.island >= 0) sorted.push_back(label);
    }
    std::sort(sorted.begin(), sorted.end(), [](const Label& a, const Label& b) {
      return std::tie(a.distance, a.island) < std::tie(b.distance, b.island);
    });
    for (std::size_t k = 0; k < std::min(sorted.size(), std::size_t(count)); ++k) {
      out.source[v * std::size_t(count) + k] = sorted[k].source;
      out.distance[v * std::size_t(count) + k] = sorted[k].distance;
    }
  }
  return out;
}

NearestSources nearest_sources_straight(std::span<const Vec3d> positions, const std::vector<std::vector<int>>& islands,
                                        int count) {
  count = std::min(count, static_cast<int>(islands.size()));
  NearestSources out = empty_result(positions.size(), count);
  if (count == 0) return out;
  std::vector<std::pair<double, int>> nearest(islands.size());
  for (std::size_t v = 0; v < positions.size(); ++v) {
    for (std::size_t i = 0; i < islands.size(); ++i) {
      nearest[i] = {std::numeric_limits<double>::infinity(), -1};
      for (const int s : islands[i]) nearest[i] = std::min(nearest[i], {length(positions[s] - positions[v]), s});
    }
    std::partial_sort(nearest.begin(), nearest.begin() + count, nearest.end());
    for (int k = 0; k < count; ++k) {
      out.distance[v * std::size_t(count) + std::size_t(k)] = nearest[std::size_t(k)].first;
      out.source[v * std::size_t(count) + std::size_t(k)] = nearest[std::size_t(k)].second;
    }
  }
  return out;
}

}  // namespace pliant
