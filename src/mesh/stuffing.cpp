#include "mesh/stuffing.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <utility>

#include "core/parallel.h"
#include "mesh/lattice.h"

namespace pliant {

namespace {

// Table 1 of the paper, for a lattice without grading.
constexpr double kTooCloseLong = 0.24999, kTooCloseShort = 0.41189;

/// Halvings that find the border where there are no triangles (a hole): to 1e-9 of an edge.
constexpr int kHalvings = 30;

std::size_t index(int64_t i) { return static_cast<std::size_t>(i); }

class Stuffing {
 public:
  Stuffing(const SurfaceTree& surface, const StuffingOptions& options, JobSystem& jobs)
      : surface_(surface),
        options_(options),
        lattice_(surface.low(), surface.high(), options.cell, options.shift),
        low_(surface.low()),
        high_(surface.high()),
        jobs_(jobs) {}

  Stuffed make() {
    classify();
    if (!options_.keep.empty()) thicken();
    cut_edges();
    warp();
    vertex_of_node_.assign(index(lattice_.nodes()), -1);
    vertex_of_cut_.assign(cut_points_.size(), -1);
    fill();
    report(1);
    return std::move(made_);
  }

 private:
  void report(double done) const {
    if (options_.progress) options_.progress(done);
  }

  // ---------------------------------------------------------------- inside and outside

  void classify() {
    winding_.assign(index(lattice_.nodes()), 0);
    sign_.assign(index(lattice_.nodes()), -1);
    // In portions, so that progress can be told in between.
    constexpr int64_t kPortion = int64_t{1} << 16;
    for (int64_t first = 0; first < lattice_.nodes(); first += kPortion) {
      const int64_t count = std::min(kPortion, lattice_.nodes() - first);
      parallel_for(jobs_, count, 256, [&](int64_t begin, int64_t end) {
        for (int64_t node = first + begin; node < first + end; ++node) {
          if (lattice_.touches_border(node)) continue;
          const Vec3d x = lattice_.position(node);
          if (is_outside_box(x)) continue;
          const double w = surface_.winding_number(x);
          winding_[index(node)] = static_cast<float>(w);
          if (is_inside(w)) sign_[index(node)] = 1;
        }
      });
      report(0.6 * static_cast<double>(first + count) / static_cast<double>(lattice_.nodes()));
    }
  }

  /// Nothing is inside there, whatever holes the surface has.
  bool is_outside_box(const Vec3d& x) const {
    for (int axis = 0; axis < 3; ++axis) {
      if (x[axis] < low_[axis] || x[axis] > high_[axis]) return true;
    }
    return false;
  }

  /// By the absolute value: a surface that is turned inside out as a whole has -1 inside.
  static bool is_inside(double winding) { return std::abs(winding) > 0.5; }

  // ---------------------------------------------------------------- thin parts

  void thicken() {
    is_forced_.assign(index(lattice_.nodes()), 0);
    for (const Vec3d& point : options_.keep) {
      const int64_t node = lattice_.nearest_node(point);
      if (is_forced_[index(node)] || lattice_.touches_border(node)) continue;
      sign_[index(node)] = 1;
      is_forced_[index(node)] = 1;
      ++made_.thickened;
    }
  }

  bool is_forced(int64_t node) const { return !is_forced_.empty() && is_forced_[index(node)]; }

  /// The cut point between a vertex that is inside by force and an outside one: where the way leaves the inside for
  /// the last time, but not so near to the vertex that it would move there and the part would get lost again.
  double cut_of_forced(const Vec3d& from, const Vec3d& to, double winding, bool is_long,
                       std::vector<SurfaceTree::Crossing>& crossings) const {
    double last = 0;
    surface_.crossings(from, to, crossings);
    for (const auto& [t, outward] : crossings) {
      const bool was_inside = is_inside(winding);
      winding -= outward;
      if (was_inside && !is_inside(winding)) last = t;
    }
    return std::max(last, is_long ? kTooCloseLong : kTooCloseShort);
  }

  // ---------------------------------------------------------------- cut points

  void cut_edges() {
    cut_slots_.assign(index(lattice_.nodes()), 0);
    first_cut_.assign(index(lattice_.nodes()), 0);
    std::vector<std::pair<int64_t, int>> edges;
    for (int64_t node = 0; node < lattice_.nodes(); ++node) {
      first_cut_[index(node)] = static_cast<uint32_t>(edges.size());
      if (lattice_.touches_border(node) && !owns_inner_edges(node)) continue;
      for (int slot = 0; slot < lattice_.slots(node); ++slot) {
        if (sign_[index(node)] == sign_[index(lattice_.across(node, slot))]) continue;
        cut_slots_[index(node)] |= static_cast<uint16_t>(1 << slot);
        edges.emplace_back(node, slot);
      }
    }
    cut_points_.resize(edges.size());
    cut_fractions_.resize(edges.size());
    parallel_for(jobs_, std::ssize(edges), 64, [&](int64_t begin, int64_t end) {
      std::vector<SurfaceTree::Crossing> crossings;
      for (int64_t e = begin; e < end; ++e) {
        const int64_t node = edges[index(e)].first, other = lattice_.across(node, edges[index(e)].second);
        const bool node_inside = sign_[index(node)] > 0;
        const int64_t inside = node_inside ? node : other, outside = node_inside ? other : node;
        const Vec3d from = lattice_.position(inside), to = lattice_.position(outside);
        const double winding = winding_[index(inside)];
        const bool is_long = Lattice::is_long(edges[index(e)].second);
        const double t = is_forced(inside) ? cut_of_forced(from, to, winding, is_long, crossings)
                                           : cut_between(from, to, winding, crossings);
        cut_points_[index(e)] = mul_add(to - from, t, from);
        cut_fractions_[index(e)] = node_inside ? t : 1 - t;
      }
    });
    report(0.8);
  }

  /// A vertex of the low border can own an edge to an inner one; one of the high border has no neighbours there.
  bool owns_inner_edges(int64_t node) const {
    const auto p = lattice_.place(node / 2);
    for (int axis = 0; axis < 3; ++axis) {
      if (p[index(axis)] >= lattice_.count(axis) - 1) return false;
    }
    return true;
  }

  /// The first place on the way from an inside point to an outside one where the winding number leaves the
  /// inside. Each triangle on the way changes it by one. Where none takes it out (the border lies in a hole
  /// of the surface) the way is halved.
  double cut_between(const Vec3d& from, const Vec3d& to, double winding,
                     std::vector<SurfaceTree::Crossing>& crossings) const {
    surface_.crossings(from, to, crossings);
    for (const auto& [t, outward] : crossings) {
      winding -= outward;
      if (!is_inside(winding)) return t;
    }
    double inside = 0, outside = 1;
    for (int i = 0; i < kHalvings; ++i) {
      const double middle = (inside + outside) / 2;
      (is_inside(surface_.winding_number(mul_add(to - from, middle, from))) ? inside : outside) = middle;
    }
    return (inside + outside) / 2;
  }

  /// Number of the cut point of an edge, -1 where there is none.
  int64_t cut_of(int64_t owner, int slot) const {
    const uint32_t slots = cut_slots_[index(owner)];
    if (!(slots >> slot & 1)) return -1;
    return first_cut_[index(owner)] + std::popcount(slots & ((1u << slot) - 1));
  }

  // ---------------------------------------------------------------- vertices move to near cut points

  void warp() {
    warped_to_.assign(index(lattice_.nodes()), -1);
    for (int64_t node = 0; node < lattice_.nodes(); ++node) {
      if (lattice_.touches_border(node)) continue;
      double nearest = 2;  // in lengths of a long edge
      for (int number = 0; number < 14; ++number) {
        const auto [owner, slot] = lattice_.edge(node, number);
        const int64_t cut = cut_of(owner, slot);
        if (cut < 0 || sign_[index(owner)] == 0 || sign_[index(lattice_.across(owner, slot))] == 0) continue;
        const double fraction = owner == node ? cut_fractions_[index(cut)] : 1 - cut_fractions_[index(cut)];
        const bool is_long = Lattice::is_long(slot);
        if (is_forced(node) || fraction >= (is_long ? kTooCloseLong : kTooCloseShort)) continue;
        const double distance = fraction * (is_long ? 1 : 0.8660254037844386);
        if (distance >= nearest) continue;
        nearest = distance;
        warped_to_[index(node)] = static_cast<int32_t>(cut);
      }
      if (warped_to_[index(node)] >= 0) sign_[index(node)] = 0;
    }
  }

  // ---------------------------------------------------------------- stencils

  /// The lattice's tets: two neighbouring centres and an edge of the square between their cubes.
  void fill() {
    for (int64_t cube = 0; cube < lattice_.cubes(); ++cube) {
      const int64_t center = 2 * cube + 1;
      if (lattice_.touches_border(center) && !owns_inner_edges(center)) continue;
      for (int axis = 0; axis < 3; ++axis) {
        const int64_t next = center + 2 * lattice_.step(axis);
        const int64_t u = 2 * lattice_.step((axis + 1) % 3), v = 2 * lattice_.step((axis + 2) % 3);
        const int64_t corner = next - 1;
        // Counter-clockwise seen from `next`: (center, next, square[i], square[i + 1]) has positive volume.
        const int64_t square[4] = {corner, corner + u, corner + u + v, corner + v};
        for (int i = 0; i < 4; ++i) cut_tet({center, next, square[i], square[(i + 1) % 4]});
      }
    }
  }

  void cut_tet(std::array<int64_t, 4> nodes) {
    int counts[3] = {0, 0, 0};
    for (const int64_t node : nodes) ++counts[1 + sign_[index(node)]];
    const int negative = counts[0], positive = counts[2];
    if (positive == 0) return;
    // Positive corners first, negative ones last. Each exchange turns the tet inside out.
    turned_ = false;
    for (int i = 1; i < 4; ++i) {
      for (int j = i; j > 0 && sign_[index(nodes[index(j - 1)])] < sign_[index(nodes[index(j)])]; --j) {
        std::swap(nodes[index(j - 1)], nodes[index(j)]);
        turned_ = !turned_;
      }
    }
    const auto& [a, b, c, d] = nodes;
    if (negative == 0) {
      emit(vertex(a), vertex(b), vertex(c), vertex(d));
    } else if (positive == 1) {
      const auto end = [&](int64_t node) { return sign_[index(node)] < 0 ? cut(a, node) : vertex(node); };
      emit(vertex(a), end(b), end(c), end(d));
    } else if (positive == 3) {
      // A prism from the face a b c to the cut points of its edges to d.
      cut_prism({vertex(a), vertex(b), vertex(c)}, {cut(a, d), cut(b, d), cut(c, d)}, first_is_cut(a, b, d),
                first_is_cut(a, c, d), first_is_cut(b, c, d));
    } else if (negative == 1) {
      // A pyramid over the quad a, b, (b d), (a d) with its top at c, which is on the surface.
      const int ad = cut(a, d), bd = cut(b, d);
      if (first_is_cut(b, a, d)) {
        emit(vertex(a), vertex(b), vertex(c), bd);
        emit(vertex(a), bd, vertex(c), ad);
      } else {
        emit(vertex(a), vertex(b), vertex(c), ad);
        emit(ad, vertex(b), vertex(c), bd);
      }
    } else {
      // A prism between the triangles at a and at b. No neighbour sees the diagonal on the surface: the shorter
      // one, unless that makes a circle with the other two.
      const std::array<int, 3> near_a = {vertex(a), cut(a, c), cut(a, d)}, near_b = {vertex(b), cut(b, c), cut(b, d)};
      const bool before_1 = first_is_cut(a, b, c), before_2 = first_is_cut(a, b, d);
      bool cut_12 = length_squared(at(near_b[1]) - at(near_a[2])) < length_squared(at(near_b[2]) - at(near_a[1]));
      if (before_1 != before_2) cut_12 = before_2;  // 0 < 1 and 2 < 0 need 2 < 1, and the other way round
      cut_prism(near_a, near_b, before_1, before_2, cut_12);
    }
  }

  /// Which diagonal cuts the quad between the positive vertices a, b and the cut points of their edges to d:
  /// true for (a d) - b, false for a - (b d). Both tets at the face must say the same, so it follows from the
  /// lattice alone. Where one of the cut edges is long, its cut point has the diagonal (the other choice has
  /// angles down to 6 degrees); where both are short, a and b are neighbours along an axis, and the corners of
  /// d's square around that axis have the two diagonals in turn.
  bool first_is_cut(int64_t a, int64_t b, int64_t d) const {
    if (a % 2 == d % 2) return true;
    if (b % 2 == d % 2) return false;
    const int64_t lower = std::min(a, b), step = (std::max(a, b) - lower) / 2;
    const auto p = lattice_.place(lower / 2), q = lattice_.place(d / 2);
    int64_t parity = 0;
    for (int axis = 0; axis < 3; ++axis) {
      if (lattice_.step(axis) != step) parity += p[index(axis)] - q[index(axis)];
    }
    return (a == lower) == (parity % 2 == 0);
  }

  /// A prism with the edges low[i] - high[i]. before_ij: the diagonal of the side between edges i and j goes from
  /// high[i] to low[j]. Vertices are lifted from low to high one after another, i before j; each spans a tet.
  void cut_prism(std::array<int, 3> low, const std::array<int, 3>& high, bool before_01, bool before_02,
                 bool before_12) {
    const int rank[3] = {!before_01 + !before_02, before_01 + !before_12, before_02 + before_12};
    for (int turn = 0; turn < 3; ++turn) {
      for (std::size_t i = 0; i < 3; ++i) {
        if (rank[i] != turn) continue;
        emit(low[0], low[1], low[2], high[i]);
        low[i] = high[i];
      }
    }
  }

  void emit(int a, int b, int c, int d) {
    if (turned_) std::swap(c, d);
    made_.mesh.tets.push_back({a, b, c, d});
  }

  const Vec3d& at(int vertex) const { return made_.mesh.positions[index(vertex)]; }

  int add_vertex(const Vec3d& x) {
    made_.mesh.positions.push_back(x);
    return static_cast<int>(made_.mesh.positions.size()) - 1;
  }
  int vertex(int64_t node) {
    int32_t& number = vertex_of_node_[index(node)];
    if (number < 0) {
      const int32_t cut = warped_to_[index(node)];
      number = add_vertex(cut < 0 ? lattice_.position(node) : cut_points_[index(cut)]);
    }
    return number;
  }
  int cut(int64_t a, int64_t b) {
    for (int slot = 0; slot < lattice_.slots(a); ++slot) {
      if (lattice_.across(a, slot) == b) return cut_vertex(cut_of(a, slot));
    }
    for (int slot = 0; slot < lattice_.slots(b); ++slot) {
      if (lattice_.across(b, slot) == a) return cut_vertex(cut_of(b, slot));
    }
    return -1;
  }
  int cut_vertex(int64_t cut) {
    int32_t& number = vertex_of_cut_[index(cut)];
    if (number < 0) number = add_vertex(cut_points_[index(cut)]);
    return number;
  }

  const SurfaceTree& surface_;
  const StuffingOptions& options_;
  const Lattice lattice_;
  const Vec3d low_, high_;  // the box around the surface
  JobSystem& jobs_;
  std::vector<float> winding_;       // of lattice vertices
  std::vector<int8_t> sign_;         // 1 inside, -1 outside, 0 moved onto the surface
  std::vector<char> is_forced_;      // inside for the sake of a thin part; empty: none
  std::vector<uint16_t> cut_slots_;  // bit s: the edge in slot s is cut
  std::vector<uint32_t> first_cut_;  // number of the first of them
  std::vector<Vec3d> cut_points_;
  std::vector<double> cut_fractions_;  // from the edge's owner
  std::vector<int32_t> warped_to_;     // cut point, or -1
  std::vector<int32_t> vertex_of_node_, vertex_of_cut_;
  bool turned_ = false;
  Stuffed made_;
};

}  // namespace

double lattice_size(const SurfaceTree& surface, double cell) {
  const Vec3d size = surface.high() - surface.low();
  return 2 * (size.x / cell + 5) * (size.y / cell + 5) * (size.z / cell + 5);
}

Stuffed stuff(const SurfaceTree& surface, const StuffingOptions& options, JobSystem& jobs) {
  return Stuffing(surface, options, jobs).make();
}

}  // namespace pliant
