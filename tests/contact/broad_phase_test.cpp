// The broad phase finds the pairs whose boxes overlap, all of them, and no pair of neighbours.

#include "contact/broad_phase.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <random>
#include <set>

#include "mesh/topology.h"
#include "pliant/mesh.h"

namespace pliant {
namespace {

using Corners = std::array<int32_t, 4>;

/// Sheets in random places; every second touches itself.
struct Sheets {
  ContactSurface surface;
  AlignedVector<ContactBox> boxes;
  std::vector<uint8_t> still;
  std::vector<std::array<int32_t, 3>> triangles;
  std::vector<Edge> edges;

  Sheets(int bodies, std::mt19937& random) {
    std::uniform_real_distribution<float> unit(0, 1);
    for (int b = 0; b < bodies; ++b) {
      const TriMesh mesh = grid({1, 1}, {7, 5});
      const int first = static_cast<int>(surface.body.size());
      surface.body_begin.push_back(first);
      surface.touches_itself.push_back(b % 2 == 0);
      std::set<std::array<int, 2>> taken;
      std::set<int> seen;
      for (const Triangle& t : mesh.triangles) {
        SurfaceElement e{};
        e.body = b;
        e.face = true;
        for (int k = 0; k < 3; ++k) {
          e.corner[k] = first + t[k];
          const int next = t[(k + 1) % 3];
          if (seen.insert(t[k]).second) e.vertices = static_cast<uint8_t>(e.vertices | 1 << k);
          if (taken.insert({std::min(t[k], next), std::max(t[k], next)}).second) {
            e.edges = static_cast<uint8_t>(e.edges | 1 << k);
            edges.push_back({first + t[k], first + next});
          }
        }
        surface.elements.push_back(e);
        triangles.push_back(e.corner);
      }
      const Vec3d shift{unit(random), 0.2 * unit(random), unit(random)};
      for (const Vec3d& x : mesh.positions) {
        surface.body.push_back(b);
        surface.vertices.push_back(static_cast<int32_t>(surface.vertices.size()));
        surface.rest.push_back({x.x, x.y, x.z});
        const Vec3d at = x + shift + Vec3d{0.1 * unit(random), 0.3 * unit(random), 0.1 * unit(random)};
        boxes.push_back(box_at(at, 0.03f * unit(random)));
      }
    }
    surface.body_begin.push_back(static_cast<int>(surface.body.size()));
    surface.is_tied.assign(surface.body.size(), 0);
    still.assign(bodies, 0);
  }

  static ContactBox box_at(const Vec3d& at, float half) {
    ContactBox box{};
    for (int k = 0; k < 3; ++k) {
      box.low[k] = static_cast<float>(at[k]) - half;
      box.high[k] = static_cast<float>(at[k]) + half;
    }
    return box;
  }

  template <class A, class B>
  bool meet(const A& a, const B& b) const {
    const int32_t body_a = surface.body[a[0]], body_b = surface.body[b[0]];
    if (body_a == body_b && !surface.touches_itself[body_a]) return false;
    if (still[body_a] && still[body_b]) return false;
    for (const int v : a) {
      if (std::find(b.begin(), b.end(), v) != b.end()) return false;
    }
    for (int k = 0; k < 3; ++k) {
      float low[2] = {1e9f, 1e9f}, high[2] = {-1e9f, -1e9f};
      for (const int v : a) low[0] = std::min(low[0], boxes[v].low[k]), high[0] = std::max(high[0], boxes[v].high[k]);
      for (const int v : b) low[1] = std::min(low[1], boxes[v].low[k]), high[1] = std::max(high[1], boxes[v].high[k]);
      if (low[0] > high[1] || low[1] > high[0]) return false;
    }
    return true;
  }

  std::set<Corners> vertex_triangle() const {
    std::set<Corners> out;
    for (const int32_t v : surface.vertices) {
      for (const auto& t : triangles) {
        if (meet(std::array<int32_t, 1>{v}, t)) out.insert({v, t[0], t[1], t[2]});
      }
    }
    return out;
  }
  std::set<Corners> edge_edge() const {
    std::set<Corners> out;
    for (const Edge& e : edges) {
      for (const Edge& f : edges) {
        if (e < f && meet(e, f)) out.insert({e[0], e[1], f[0], f[1]});
      }
    }
    return out;
  }
};

std::set<Corners> as_set(const std::vector<ContactCandidate>& pairs) {
  std::set<Corners> out;
  for (const ContactCandidate& pair : pairs) out.insert(pair.corner);
  return out;
}

TEST(BroadPhase, FindsAllPairs) {
  const std::shared_ptr<JobSystem> pool = make_thread_pool(2);
  JobSystem& jobs = *pool;
  std::mt19937 random(11);
  for (int trial = 0; trial < 6; ++trial) {
    Sheets sheets(1 + trial, random);
    if (trial > 2) sheets.still[0] = sheets.still[1] = 1;
    BroadPhase broad_phase;
    broad_phase.build(sheets.surface);
    broad_phase.find(jobs, sheets.surface, sheets.boxes, sheets.still);
    const auto vertex_triangle = sheets.vertex_triangle(), edge_edge = sheets.edge_edge();
    EXPECT_GT(vertex_triangle.size(), 10u);
    EXPECT_EQ(as_set(broad_phase.vertex_triangle()), vertex_triangle);
    EXPECT_EQ(as_set(broad_phase.edge_edge()), edge_edge);
    EXPECT_EQ(broad_phase.vertex_triangle().size(), vertex_triangle.size()) << "some twice";
    EXPECT_EQ(broad_phase.edge_edge().size(), edge_edge.size()) << "some twice";
  }
}

TEST(BroadPhase, AddsPairsOfParticlesThatHaveLeftTheirBoxes) {
  const std::shared_ptr<JobSystem> pool = make_thread_pool(2);
  JobSystem& jobs = *pool;
  std::mt19937 random(12);
  std::uniform_real_distribution<double> unit(0, 1);
  Sheets sheets(4, random);
  BroadPhase broad_phase;
  broad_phase.build(sheets.surface);
  broad_phase.find(jobs, sheets.surface, sheets.boxes, sheets.still);
  for (int round = 0; round < 4; ++round) {
    std::vector<int32_t> changed;
    for (int k = 0; k < 5; ++k) {
      const int32_t i = static_cast<int32_t>(unit(random) * 0.999 * double(sheets.boxes.size()));
      sheets.boxes[i] = Sheets::box_at({2 * unit(random), 0.5 * unit(random), 2 * unit(random)}, 0.05f);
      changed.push_back(i);
    }
    broad_phase.add(jobs, sheets.surface, sheets.boxes, changed);
    const auto found_vertices = as_set(broad_phase.vertex_triangle()), found_edges = as_set(broad_phase.edge_edge());
    for (const Corners& pair : sheets.vertex_triangle()) EXPECT_TRUE(found_vertices.count(pair));
    for (const Corners& pair : sheets.edge_edge()) EXPECT_TRUE(found_edges.count(pair));
  }
}

}  // namespace
}  // namespace pliant
