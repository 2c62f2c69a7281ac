// The broad phase tells of every pair that comes near, at the latest when it does, of no pair of neighbours, and
// seldom of those that do not come near.

#include "contact/broad_phase.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>
#include <random>
#include <set>

#include "contact/closest.h"
#include "mesh/topology.h"
#include "pliant/mesh.h"

namespace pliant {
namespace {

using Corners = std::array<int32_t, 4>;
constexpr float kBand = 1.25f, kArriving = 1.1f;

/// Sheets that lie upon each other and fly about; every second touches itself.
struct Sheets {
  ContactSurface surface;
  std::vector<Vec3f> start, motion;  // [m] per particle
  std::vector<std::array<int32_t, 3>> triangles;
  std::vector<Edge> edges;
  std::vector<Corners> pairs[2];  // all that can touch: vertex-triangle, edge-edge
  BroadPhase broad_phase;
  int substeps = 0;
  std::shared_ptr<JobSystem> jobs = make_thread_pool(2);

  Sheets(int bodies, std::mt19937& random, const std::array<int, 2>& cells = {5, 4}) {
    std::uniform_real_distribution<double> unit(0, 1);
    for (int b = 0; b < bodies; ++b) {
      const TriMesh mesh = grid({1, 1}, {cells[0], cells[1]});
      const int first = static_cast<int>(surface.body.size());
      surface.body_begin.push_back(first);
      surface.touches_itself.push_back(b % 2 == 0);
      surface.edge_length.push_back(0.2f);
      surface.longest_edge.push_back(0.3f);
      surface.rope.push_back(0);
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
      const Vec3d shift{0.3 * unit(random), 0.06 * b, 0.3 * unit(random)};
      for (const Vec3d& x : mesh.positions) {
        surface.body.push_back(b);
        surface.half_thickness.push_back(0.02f);
        surface.vertices.push_back(static_cast<int32_t>(surface.vertices.size()));
        surface.rest.push_back({x.x, x.y, x.z});
        start.push_back(cast<float>(x + shift));
      }
    }
    motion.resize(start.size());
    surface.body_begin.push_back(static_cast<int>(surface.body.size()));
    surface.is_tied.assign(surface.body.size(), 0);
    list_pairs();
    broad_phase.build(surface, kBand, kArriving);
  }

  bool can_touch(const Corners& c, int side_a) const {
    const int32_t body = surface.body[c[0]];
    if (body == surface.body[c[3]] && !surface.touches_itself[body]) return false;
    for (int k = 0; k < side_a; ++k) {
      if (std::find(c.begin() + side_a, c.end(), c[k]) != c.end()) return false;
    }
    return true;
  }
  void list_pairs() {
    for (const int32_t v : surface.vertices) {
      for (const auto& t : triangles) {
        const Corners c{v, t[0], t[1], t[2]};
        if (can_touch(c, 1)) pairs[0].push_back(c);
      }
    }
    for (const Edge& e : edges) {
      for (const Edge& f : edges) {
        const Corners c{e[0], e[1], f[0], f[1]};
        if (e < f && can_touch(c, 2)) pairs[1].push_back(c);
      }
    }
  }

  /// When the corners have made these parts of their motion.
  float distance(const Corners& c, int kind, const std::function<float(int32_t)>& part) const {
    Vec3f x[4];
    for (int k = 0; k < 4; ++k) x[k] = start[c[k]] + motion[c[k]] * part(c[k]);
    return std::sqrt(kind == 0 ? closest<1>(x).distance_squared : closest<2>(x).distance_squared);
  }

  /// All go on by their motion; then this is the next one.
  void go_on(const std::function<Vec3f(int32_t)>& next) {
    for (std::size_t i = 0; i < start.size(); ++i) {
      start[i] += motion[i];
      broad_phase.places()[i] = {start[i].x, start[i].y, start[i].z, 0};
    }
    move(next);
    broad_phase.start(*jobs, surface, ++substeps % 7 == 0);
  }
  void move(const std::function<Vec3f(int32_t)>& next) {
    for (std::size_t i = 0; i < start.size(); ++i) {
      motion[i] = next(static_cast<int32_t>(i));
      broad_phase.motion()[i] = {motion[i].x, motion[i].y, motion[i].z, 1};
    }
  }

  std::set<Corners> due(int kind, const BroadPhase::DueLists& lists) const {
    std::set<Corners> out;
    for (const BroadPhase::Due& d : lists.of[kind]) EXPECT_TRUE(out.insert(d.corner).second) << "twice";
    return out;
  }
  BroadPhase::DueLists look(float grace) {
    BroadPhase::DueLists lists;
    const int64_t many = broad_phase.part_pairs();
    broad_phase.prepare(*jobs, grace, false, [](int64_t) { return true; });
    for (int64_t k = 0; k < many; ++k) broad_phase.find_due(surface, k, k + 1, grace, lists);
    for (int kind = 0; kind < 2; ++kind) {
      for (const BroadPhase::Due& d : lists.of[kind]) {
        EXPECT_TRUE(can_touch(d.corner, kind + 1));
        Vec3f x[4];
        for (int k = 0; k < 4; ++k) x[k] = start[d.corner[k]];
        const ClosestPair<float> near = kind == 0 ? closest<1>(x) : closest<2>(x);
        const float far = std::sqrt(near.distance_squared);
        broad_phase.seen(d, far > 0 ? near.separation / far : Vec3f{}, far);
      }
    }
    return lists;
  }
  /// Pairs that come closer than so much and are not among these.
  int missed(const BroadPhase::DueLists& lists, float within, const std::vector<float>& parts) const {
    int missed = 0;
    for (int kind = 0; kind < 2; ++kind) {
      const std::set<Corners> found = due(kind, lists);
      for (const Corners& c : pairs[kind]) {
        float least = 1e9f;
        for (const float t : parts) least = std::min(least, distance(c, kind, [&](int32_t) { return t; }));
        missed += least < within && !found.count(c);
      }
    }
    return missed;
  }
};

/// A body flies and sways.
std::function<Vec3f(int32_t)> flight(const Sheets& sheets, int step, float speed) {
  return [&sheets, step, speed](int32_t i) {
    const float b = static_cast<float>(sheets.surface.body[i]), t = 0.3f * static_cast<float>(step);
    const Vec3f x = sheets.start[i];
    return Vec3f{0.3f * std::sin(b + t), 0.6f * std::sin(2 * b + 0.7f * t) + 0.5f * std::sin(5 * x.x + t),
                 0.3f * std::cos(3 * b + t + x.z)} *
           speed;
  };
}

TEST(BroadPhase, TellsOfAllThatComesNear) {
  std::mt19937 random(11);
  for (const float speed : {0.003f, 0.02f, 0.2f}) {
    Sheets sheets(4, random);
    int64_t near = 0, looked = 0;
    for (int step = 0; step < 16; ++step) {
      sheets.go_on(flight(sheets, step, speed));
      const BroadPhase::DueLists lists = sheets.look(0);
      const float band = kBand * 0.04f;
      EXPECT_EQ(sheets.missed(lists, band, {0}), 0) << "speed " << speed << ", step " << step;
      EXPECT_EQ(sheets.missed(lists, kArriving * 0.04f, {0.3f, 0.7f, 1}), 0) << speed << ", " << step;
      for (int kind = 0; kind < 2; ++kind) {
        looked += static_cast<int64_t>(lists.of[kind].size());
        for (const Corners& c : sheets.pairs[kind])
          near += sheets.distance(c, kind, [](int32_t) { return 0.0f; }) < band;
      }
      // The same substep turns out to move otherwise.
      sheets.move(flight(sheets, step + 3, 1.5f * speed));
      sheets.broad_phase.change_motion(*sheets.jobs, sheets.surface);
      EXPECT_EQ(sheets.missed(sheets.look(1), 0.25f * 0.04f, {0, 0.3f, 0.7f, 1}), 0) << speed << ", " << step;
    }
    EXPECT_GT(near, 200);
    // What is not near is looked at when its gap is used up, and not before. 16 looks at all would be 16 times this.
    const int64_t all = static_cast<int64_t>(sheets.pairs[0].size() + sheets.pairs[1].size());
    if (speed < 0.01f) {
      EXPECT_LT(looked - near, all / 2);
    }
  }
}

/// As the guard asks while contacts serve: only for what comes very near, substep after substep, so that parts are
/// passed over for long.
TEST(BroadPhase, TellsOfAllThatComesVeryNearAfterALongRest) {
  std::mt19937 random(15);
  for (const auto& [mover, speed] : {std::pair(1, -0.001f), {1, -0.003f}, {0, 0.001f}, {0, 0.003f}}) {
    Sheets sheets(2, random);
    int64_t near = 0, quiet = 0;
    const float guarded = 0.25f * 0.04f;
    for (int step = 0; step * std::abs(speed) < 0.08f; ++step) {
      const auto sway = flight(sheets, step, 0.1f * speed);
      const Vec3f along{0, speed, 0};
      sheets.go_on([&, who = mover](int32_t i) { return sheets.surface.body[i] == who ? sway(i) + along : sway(i); });
      const BroadPhase::DueLists lists = sheets.look(1);
      EXPECT_EQ(sheets.missed(lists, guarded, {0, 0.3f, 0.7f, 1}), 0) << "speed " << speed << ", step " << step;
      quiet += lists.of[0].empty() && lists.of[1].empty();
      for (int kind = 0; kind < 2; ++kind) {
        for (const Corners& c : sheets.pairs[kind]) {
          near += sheets.distance(c, kind, [](int32_t) { return 0.0f; }) < guarded;
        }
      }
    }
    EXPECT_GT(near, 20) << speed;
    EXPECT_GT(quiet, 2) << speed;
  }
}

/// As a step asks: for contacts now and then, for what comes very near in each substep. Clusters are too fast for lists
/// of their pairs; what one look has seen of them is known until it is used up, across marks.
TEST(BroadPhase, KnowsWhatFastClustersHaveLeft) {
  std::mt19937 random(16);
  for (const float speed : {-0.003f, -0.006f, -0.012f}) {
    Sheets sheets(2, random);
    int64_t near = 0, idle = 0;
    const float band = kBand * 0.04f, guarded = 0.25f * 0.04f;
    // They come from 0.06 m and would be 0.02 m through each other in the end; what is nearer than the band then is
    // between them for long.
    for (int step = 0; step * std::abs(speed) < 0.08f; ++step) {
      const auto sway = flight(sheets, step, 0.3f * speed);
      const Vec3f along{0.5f * speed, speed, 0};
      sheets.go_on([&](int32_t i) { return sheets.surface.body[i] == 1 ? sway(i) + along : sway(i); });
      if (step % 6 == 0) {
        EXPECT_EQ(sheets.missed(sheets.look(0), band, {0}), 0) << "speed " << speed << ", step " << step;
      }
      const BroadPhase::DueLists lists = sheets.look(1);
      EXPECT_EQ(sheets.missed(lists, guarded, {0, 0.3f, 0.7f, 1}), 0) << "speed " << speed << ", step " << step;
      idle += lists.of[0].empty() && lists.of[1].empty();
      for (int kind = 0; kind < 2; ++kind) {
        for (const Corners& c : sheets.pairs[kind]) {
          near += sheets.distance(c, kind, [](int32_t) { return 0.0f; }) < guarded;
        }
      }
    }
    EXPECT_GT(near, 5) << speed;
    EXPECT_GT(idle, 1) << speed;
  }
}

/// Some stop on their way, others do not.
TEST(BroadPhase, TellsOfAllThatMayHitWhoStops) {
  std::mt19937 random(12);
  std::uniform_real_distribution<float> unit(0, 1);
  Sheets sheets(4, random);
  int hits = 0;
  for (int step = 0; step < 30; ++step) {
    // All fly on together, far in a substep: nothing moves against anything, unless it stops.
    const Vec3f fast{0, 0.4f * std::sin(static_cast<float>(step)), 0.1f};
    const auto sway = flight(sheets, step, 0.002f);
    sheets.go_on([&](int32_t i) { return fast + sway(i); });
    sheets.look(0);
    sheets.look(1);
    const int32_t who = static_cast<int32_t>(unit(random) * 0.999f * static_cast<float>(sheets.start.size()));
    const float part = unit(random);
    sheets.broad_phase.mark(who, length(sheets.motion[who]) * (1 - part));
    BroadPhase::DueLists lists;
    sheets.broad_phase.prepare(*sheets.jobs, 1, true, [](int64_t) { return true; });
    for (int64_t k = 0; k < sheets.broad_phase.part_pairs(); ++k) {
      sheets.broad_phase.find_marked(sheets.surface, k, k + 1, 1, lists);
    }
    sheets.broad_phase.clear_marks();
    for (int kind = 0; kind < 2; ++kind) {
      const std::set<Corners> found = sheets.due(kind, lists);
      for (const Corners& c : sheets.pairs[kind]) {
        if (std::find(c.begin(), c.end(), who) == c.end()) continue;
        float least = 1e9f;
        for (const float t : {0.0f, 0.25f, 0.5f, 0.75f, 1.0f}) {
          least = std::min(least, sheets.distance(c, kind, [&](int32_t i) { return i == who ? t * part : t; }));
        }
        if (!(least < 0.25f * 0.04f)) continue;
        ++hits;
        EXPECT_TRUE(found.count(c)) << step;
      }
    }
  }
  EXPECT_GT(hits, 20);
}

/// Positions are set: what was known is worth nothing.
TEST(BroadPhase, Forgets) {
  std::mt19937 random(13);
  Sheets sheets(3, random);
  for (Vec3f& x : sheets.start) x.y += 0.3f * x.x;  // boxes meet, sheets do not
  const auto nowhere = [](int32_t) { return Vec3f{}; };
  for (int step = 0; step < 3; ++step) {
    sheets.go_on(nowhere);
    sheets.look(0);
  }
  for (Vec3f& x : sheets.start) x.y *= 0.1f;
  sheets.broad_phase.forget();
  sheets.go_on(nowhere);
  EXPECT_EQ(sheets.missed(sheets.look(0), kBand * 0.04f, {0}), 0);
}

/// What was found for two parts is kept by their number: whether it stays must not depend on when they were listed.
TEST(BroadPhase, NumbersStayWhilePartsMeetInEachSubstep) {
  std::mt19937 random(16);
  Sheets sheets(3, random);
  for (std::size_t i = 0; i < sheets.start.size(); ++i) {
    const int32_t body = sheets.surface.body[i];
    const auto& x = sheets.surface.rest[i];
    // From left to right: 2, 0, 1, and one above the other.
    sheets.start[i] = {float(x[0]) + (body == 2 ? -0.1f : 0.1f * float(body)), float(body), float(x[2])};
  }
  const auto number = [&](int32_t a, int32_t b) {
    for (int64_t k = 0; k < sheets.broad_phase.part_pairs(); ++k) {
      const BroadPhase::Meeting m = sheets.broad_phase.meeting(k);
      if (m.a == a && m.b == b) return m.number;
    }
    return -1;
  };
  const auto up = [&](float first, float second) {
    return [&sheets, first, second](int32_t i) {
      const int32_t body = sheets.surface.body[i];
      return Vec3f{0, body == 0 ? 0 : body == 1 ? first : second, 0};
    };
  };
  sheets.go_on(up(-0.97f, 0));
  const int32_t before = number(1, 0);
  ASSERT_GE(before, 0);
  EXPECT_EQ(number(2, 0), -1);
  // They part at once, so far that all lists are out of date.
  sheets.move(up(5, 0));
  sheets.broad_phase.change_motion(*sheets.jobs, sheets.surface);
  EXPECT_EQ(number(1, 0), -1);
  // They meet again, and others do for the first time, which are numbered earlier.
  sheets.go_on(up(-5.97f, -1.97f));
  EXPECT_GE(number(2, 0), 0);
  EXPECT_EQ(number(1, 0), before);
}

/// Two bodies that cannot move give no pairs; nor do parts of one that does not touch itself.
TEST(BroadPhase, WhatCannotMoveGivesNoPairs) {
  std::mt19937 random(14);
  Sheets sheets(2, random);
  for (Vec3f& x : sheets.start) x.y *= 0.1f;
  for (std::size_t i = 0; i < sheets.start.size(); ++i) {
    sheets.broad_phase.places()[i] = {sheets.start[i].x, sheets.start[i].y, sheets.start[i].z, 0};
    sheets.broad_phase.motion()[i] = {};
  }
  sheets.broad_phase.start(*sheets.jobs, sheets.surface, true);
  EXPECT_EQ(sheets.broad_phase.part_pairs(), 0);
  sheets.broad_phase.motion()[0].w = 1;
  sheets.broad_phase.change_motion(*sheets.jobs, sheets.surface);
  EXPECT_EQ(sheets.broad_phase.part_pairs(), 2);  // the first with itself and with the other
  EXPECT_FALSE(sheets.look(0).of[0].empty());
}

/// A large sheet has several parts.
TEST(BroadPhase, LargeBodiesTouchThemselvesAcrossTheirParts) {
  std::mt19937 random(15);
  Sheets sheets(1, random, {24, 24});
  for (Vec3f& x : sheets.start) {  // rolled up, so that it lies upon itself
    const float angle = 9 * x.x, radius = 0.1f + 0.02f * angle / 6.2832f;
    x = {radius * std::cos(angle), radius * std::sin(angle), x.z};
  }
  sheets.surface.half_thickness.assign(sheets.surface.half_thickness.size(), 0.008f);
  sheets.broad_phase.build(sheets.surface, kBand, kArriving);
  sheets.go_on([](int32_t) { return Vec3f{}; });
  EXPECT_GT(sheets.broad_phase.part_pairs(), 2);
  EXPECT_EQ(sheets.missed(sheets.look(0), kBand * 0.016f, {0}), 0);
}

}  // namespace
}  // namespace pliant
