// From input to Model: every constraint stands in exactly one lane with its own data, the lanes of a batch and the
// tasks of a phase are independent, batches are full, padding and static particles are flagged.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <ranges>
#include <set>

#include "graphs.h"

namespace pliant::test {
namespace {

template <class Real>
int64_t particle_at(const Group<Real>& group, int64_t batch, int point, int lane) {
  return group.particles[static_cast<std::size_t>((batch * group.type->points + point) * kLanes + lane)] /
         sizeof(Quad<Real>);
}

template <class Real>
bool is_padding(const Model<Real>& model, const Group<Real>& group, int64_t batch, int lane) {
  return particle_at(group, batch, 0, lane) == model.padding();
}

std::size_t at(int i) { return static_cast<std::size_t>(i); }

/// The edge that a lane holds, by its rest length (see distance_model).
template <class Real>
int edge_in(const Group<Real>& group, int64_t batch, int lane) {
  return static_cast<int>(
      std::lround((double(group.rest[static_cast<std::size_t>(batch * kLanes + lane)]) - 1) * 0x1p20));
}

template <class Real>
void expect_packed(const ModelInput& input, const Model<Real>& model) {
  ASSERT_EQ(model.groups.size(), 1u);
  const Group<Real>& group = model.groups[0];
  const std::vector<Edge>& edges = input.bodies[0].edges;
  EXPECT_EQ(group.constraints, static_cast<int64_t>(edges.size()));
  std::vector<int> seen(edges.size(), 0);
  int64_t wasted = 0;
  std::map<int64_t, int> degree;  // of what moves: constraints
  for (int phase = 0; phase < group.phases(); ++phase) {
    std::map<int64_t, int> task_of;  // who moves a particle in this phase
    for (int task = group.phase_begin[at(phase)]; task < group.phase_begin[at(phase + 1)]; ++task) {
      for (int b = group.task_begin[at(task)]; b < group.task_begin[at(task + 1)]; ++b) {
        std::set<int64_t> taken;  // by this batch
        const auto take = [&](int64_t particle) {
          ++degree[particle];
          EXPECT_TRUE(taken.insert(particle).second) << "two constraints of batch " << b << " move " << particle;
          EXPECT_EQ(task_of.emplace(particle, task).first->second, task) << "another task moves " << particle;
        };
        int statics[2] = {};
        for (int l = 0; l < kLanes; ++l) {
          int64_t ends[2] = {particle_at(group, b, 0, l), particle_at(group, b, 1, l)};
          if (is_padding(model, group, b, l)) {
            EXPECT_EQ(ends[1], model.padding());
            ++statics[0];
            ++statics[1];
            ++wasted;
            continue;
          }
          const auto e = static_cast<std::size_t>(edge_in(group, b, l));
          ASSERT_LT(e, edges.size());
          ++seen[e];
          for (int i = 0; i < 2; ++i) {
            for (const Hub& hub : group.hubs) {
              const bool ghost = ends[i] >= hub.first_ghost && ends[i] < hub.first_ghost + hub.ghosts;
              if (!ghost) continue;
              take(ends[i]);
              ends[i] = hub.particle;
            }
            ASSERT_LT(ends[i], model.particles);
            EXPECT_EQ(model.to_user[static_cast<std::size_t>(ends[i])], edges[e][static_cast<std::size_t>(i)]);
            const bool moves = model.inverse_mass[static_cast<std::size_t>(ends[i])] > 0;
            statics[i] += !moves;
            const bool split = std::any_of(group.hubs.begin(), group.hubs.end(),
                                           [&](const Hub& hub) { return hub.particle == ends[i]; });
            if (!moves || split) continue;
            take(ends[i]);
          }
        }
        for (int i = 0; i < 2; ++i) {
          const StaticLanes want = statics[i] == 0 ? kNoLane : statics[i] == kLanes ? kAllLanes : kSomeLanes;
          EXPECT_EQ(static_lanes(group.statics[static_cast<std::size_t>(b)], i), want) << "batch " << b;
        }
      }
    }
  }
  for (int count : seen) ASSERT_EQ(count, 1);
  EXPECT_EQ(wasted, int64_t{group.batches()} * kLanes - group.constraints);
  // A few batches of a slice are only half full. The constraints of one particle stand in as many batches; where there
  // is little else, these stay empty.
  const int most = degree.empty() ? 1 : std::ranges::max(std::views::values(degree));
  EXPECT_LE(wasted, 0.05 * static_cast<double>(group.constraints) + std::max(most, group.phases()) * (kLanes - 1));
}

template <class Real>
class Packing : public testing::Test {};
using Precisions = testing::Types<float, double>;
TYPED_TEST_SUITE(Packing, Precisions);

TYPED_TEST(Packing, OfAGridWithPins) {
  const int side = 60;
  const ModelInput input = distance_model(side * side, shuffled_grid(side, 2), {0, 17, 18, 19, 500});
  expect_packed(input, build_model<TypeParam>(input, 1));
}

TYPED_TEST(Packing, OfAGridInSlices) {
  const int side = 120;
  const ModelInput input = distance_model(side * side, shuffled_grid(side, 2), {0, 17, 18, 19, 500});
  const Model<TypeParam> model = build_model<TypeParam>(input, 1);
  expect_packed(input, model);
  const Group<TypeParam>& group = model.groups[0];
  EXPECT_EQ(group.phases(), 3) << "slices, cuts, and the few that fill no batch of one";
  EXPECT_EQ(group.phase_begin[1], 16) << "slices";
  EXPECT_EQ(group.phase_begin[2], 16 + 15) << "cuts";
}

// A chord from one end to the other fits into no slice: the rest takes it, alone or in colours.
TYPED_TEST(Packing, OfAGridWithChords) {
  const int side = 120;
  for (int chords : {3, 900}) {
    SCOPED_TRACE(chords);
    std::vector<Edge> edges = shuffled_grid(side, 2);
    const std::vector<int> ends = shuffled(side * side, 7);
    for (int k = 0; k < chords; ++k) edges.push_back({ends[at(2 * k)], ends[at(2 * k + 1)]});
    const ModelInput input = distance_model(side * side, edges);
    expect_packed(input, build_model<TypeParam>(input, 1));
  }
}

TYPED_TEST(Packing, OfAStarAroundAStaticParticle) {
  const ModelInput input = distance_model(20001, star(20000), {0});
  const Model<TypeParam> model = build_model<TypeParam>(input, 1);
  expect_packed(input, model);
  EXPECT_LE(model.groups[0].phases(), 2) << "slices, and the few that fill no batch of one";
  EXPECT_EQ(model.groups[0].batches(), 20000 / kLanes);
  EXPECT_EQ(model.all_particles, model.particles + 1) << "no ghosts";
}

TYPED_TEST(Packing, OfAStarAroundAMovingParticle) {
  const ModelInput input = distance_model(20001, star(20000));
  const Model<TypeParam> model = build_model<TypeParam>(input, 1);
  expect_packed(input, model);
  const Group<TypeParam>& group = model.groups[0];
  ASSERT_EQ(group.hubs.size(), 1u);
  EXPECT_EQ(model.to_user[static_cast<std::size_t>(group.hubs[0].particle)], 0);
  EXPECT_EQ(group.phases(), 8) << "ghosts are coloured";
  EXPECT_EQ(group.hubs[0].first_ghost, model.particles + 1) << "behind the padding";
  EXPECT_EQ(model.all_particles, model.particles + 1 + group.hubs[0].ghosts);
}

TYPED_TEST(Packing, OfFewConstraints) {
  for (int rays : {1, 2, 15, 16, 17}) {
    SCOPED_TRACE(rays);
    const ModelInput input = distance_model(rays + 1, star(rays));
    expect_packed(input, build_model<TypeParam>(input, 1));
  }
}

TEST(PackedGroups, BodiesStayApartAndNumbersGoBothWays) {
  ModelInput input = distance_model(400, shuffled_grid(20, 3));
  BodyInput second = input.bodies[0];
  second.name = "second";
  second.first_particle = 400;
  for (std::size_t v = 0; v < 400; ++v) second.mass[v] = 2 + static_cast<double>(v);
  input.bodies.push_back(second);
  input.particles_of_bodies = 800;
  input.anchors = {{1, 2, 3}};
  const Model<float> model = build_model<float>(input, 1);
  EXPECT_EQ(model.particles, 801);
  EXPECT_EQ(model.body_begin, (std::vector<int>{0, 400, 800}));
  for (int p = 0; p < model.particles; ++p) {
    const int32_t engine = model.to_engine[static_cast<std::size_t>(p)];
    EXPECT_EQ(model.to_user[static_cast<std::size_t>(engine)], p);
    EXPECT_EQ(p < 400, engine < 400);
  }
  EXPECT_EQ(model.to_engine[800], 800) << "anchors keep their place";
  EXPECT_EQ(model.inverse_mass[800], 0.0f);
  for (std::size_t v = 0; v < 400; ++v) {
    const auto engine = static_cast<std::size_t>(model.to_engine[400 + v]);
    EXPECT_EQ(model.mass[engine], second.mass[v]);
    EXPECT_EQ(model.inverse_mass[engine], static_cast<float>(1 / second.mass[v]));
  }
}

TEST(PackedGroups, StrengthsStayWithTheirConstraints) {
  // Edges in turn of two strengths, in one plain group; then the same in a general group.
  for (bool general : {false, true}) {
    ModelInput input = distance_model(900, shuffled_grid(30, 4));
    const ConstraintInput all = input.constraints[0];
    input.constraints.assign(2, all);
    for (ConstraintInput& c : input.constraints) c.particles.clear(), c.rest.clear();
    for (std::size_t e = 0; e < all.rest.size(); ++e) {
      ConstraintInput& to = input.constraints[e % 2];
      to.particles.insert(to.particles.end(), {all.particles[2 * e], all.particles[2 * e + 1]});
      to.rest.push_back(all.rest[e]);
    }
    input.constraints[0].settings = {.compliance = 0.25};
    input.constraints[1].settings = {.compliance = 0.5, .velocity_damping = 3};
    if (general) {
      input.constraints[0].settings.unilateral = true;
      input.constraints[1].settings.compression_compliance = 2;
      input.constraints[1].settings.damping = 0.125;
    }
    const Model<float> model = build_model<float>(input, 1);
    expect_packed(input, model);
    const Group<float>& group = model.groups[0];
    EXPECT_EQ(group.general, general);
    const int fields = general ? 3 : 1;
    ASSERT_EQ(group.strength.size(), static_cast<std::size_t>(group.batches() * fields * kLanes));
    for (int b = 0; b < group.batches(); ++b) {
      for (int l = 0; l < kLanes; ++l) {
        const bool padding = is_padding(model, group, b, l);
        const bool second = !padding && edge_in(group, b, l) % 2 == 1;
        const auto strength = [&](int k) {
          return group.strength[static_cast<std::size_t>((b * fields + k) * kLanes + l)];
        };
        EXPECT_EQ(group.velocity_damping[static_cast<std::size_t>(b * kLanes + l)], second ? 3.0f : 0.0f);
        if (padding) continue;
        EXPECT_EQ(strength(0), second ? 0.5f : 0.25f);
        if (!general) continue;
        EXPECT_EQ(strength(1), second ? 2.0f : -1.0f);
        EXPECT_EQ(strength(2), second ? 0.125f : 0.0f);
      }
    }
  }
}

TEST(PackedGroups, GroupsDifferInWhatTheKernelsTell) {
  ModelInput input = distance_model(100, shuffled_grid(10, 5));
  const ConstraintInput plain = input.constraints[0];
  const auto add = [&](Method method, ConstraintSettings settings) {
    input.constraints.push_back(plain);
    input.constraints.back().method = method;
    input.constraints.back().settings = settings;
  };
  add(Method::xpbd, {.compliance = 1});              // with the first
  add(Method::xpbd, {.keep_multipliers = true});     // its own
  add(Method::xpbd, {.damping = 1});                 // its own
  add(Method::pbd, {.stiffness = 0.5});              // its own
  add(Method::pbd, {.keep_multipliers = true});      // with the last: pbd has no multipliers
  add(Method::pbd, {.compression_stiffness = 0.5});  // its own
  const Model<float> model = build_model<float>(input, 4);
  ASSERT_EQ(model.groups.size(), 5u);
  int64_t total = 0;
  for (const Group<float>& group : model.groups) total += group.constraints;
  EXPECT_EQ(total, static_cast<int64_t>(7 * plain.rest.size()));
}

}  // namespace
}  // namespace pliant::test
