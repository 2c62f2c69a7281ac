// Clusters compute what their parts compute one after another.

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <numeric>

#include "constraints/clusters.h"
#include "constraints/registry.h"
#include "core/aligned.h"
#include "random_stencil.h"

namespace pliant::test {
namespace {

/// Particles of sixteen clusters, with the rest data of their parts.
struct Lot {
  const TypeInfo& cluster;
  const TypeInfo& part = *find_type(cluster.part);
  int points = cluster.points, parts = cluster.parts, fields = static_cast<int>(part.rest_fields.size());
  AlignedVector<Quad<double>> base, offset, start, carry, velocity;
  AlignedVector<double> rest, strength;

  explicit Lot(const TypeInfo& type) : cluster(type) {
    Random random(11);
    for (int i = 0; i < kLanes * points; ++i) {
      const Vec3d x = random.point(), o = random.point() * 1e-2;
      base.push_back({x.x, x.y, x.z, 0});
      offset.push_back({o.x, o.y, o.z, i % 7 == 0 ? 0.0 : random.uniform(0.5, 2)});
    }
    start = carry = velocity = offset;
    rest.resize(static_cast<std::size_t>(parts * fields * kLanes));
    std::vector<double> made(static_cast<std::size_t>(fields));
    for (int l = 0; l < kLanes; ++l) {
      for (int p = 0; p < parts; ++p) {
        Vec3d x[4];
        for (int k = 0; k < part.points; ++k) {
          const Quad<double>& b = base[static_cast<std::size_t>(particle(l, corner(p, k)))];
          x[k] = Vec3d{b.x, b.y, b.z} + random.point() * 0.05;
        }
        part.make_rest(x, 1e3, 1e3, made.data());
        for (int f = 0; f < fields; ++f)
          rest[static_cast<std::size_t>((p * fields + f) * kLanes + l)] = made[static_cast<std::size_t>(f)];
      }
    }
    for (int k = 0; k < parts * kLanes; ++k) strength.push_back(random.uniform(0.1, 0.9));
  }
  int corner(int p, int k) const { return cluster.part_corners[static_cast<std::size_t>(p * part.points + k)]; }
  int particle(int lane, int c) const { return lane * points + c; }

  /// Projects with the kernels of `type` on the corners that `of` names, rest data and strengths from part `p`.
  void project(const TypeInfo& type, int p, const std::vector<int>& of, bool compliant) {
    AlignedVector<QuadAt> at;
    AlignedVector<uint16_t> statics(1, 0);
    for (std::size_t c = 0; c < of.size(); ++c) {
      for (int l = 0; l < kLanes; ++l) {
        at.push_back(quad_at<double>(particle(l, of[c])));
        if (offset[static_cast<std::size_t>(particle(l, of[c]))].w == 0)
          statics[0] |= static_bits(static_cast<int>(c), kSomeLanes);
      }
    }
    AlignedVector<double> multipliers(static_cast<std::size_t>(type.entries * kLanes), 0.0);
    const Kernels<double>& kernels = type.f64;
    AlignedVector<double> edges(static_cast<std::size_t>(std::max(1, kernels.base_edge_numbers) * kLanes));
    const GroupView<double> group{at.data(),
                                  rest.data() + p * fields * kLanes,
                                  strength.data() + p * kLanes,
                                  multipliers.data(),
                                  statics.data(),
                                  nullptr,
                                  edges.data()};
    if (kernels.write_base_edges) kernels.write_base_edges(group, base.data(), edges.data(), 0, 1);
    const ParticlesView<double> view{base.data(), offset.data(), start.data(), carry.data(), velocity.data()};
    kernels.project[width_slot(kDefaultWidth<double>)][compliant][0](group, view, {0.01, true, false}, 0, 1);
  }
};

TEST(Clusters, MoveParticlesAsTheirPartsDo) {
  int clusters = 0;
  for (const TypeInfo* type : registered_types()) {
    if (type->parts == 1) continue;
    ++clusters;
    for (bool compliant : {false, true}) {
      SCOPED_TRACE(testing::Message() << type->name << " compliant " << compliant);
      if (!type->f64.project[width_slot(kDefaultWidth<double>)][compliant][0]) continue;
      Lot together(*type), apart(*type);
      std::vector<int> all(static_cast<std::size_t>(type->points));
      std::iota(all.begin(), all.end(), 0);
      together.project(*type, 0, all, compliant);
      for (int p = 0; p < type->parts; ++p) {
        std::vector<int> own;
        for (int k = 0; k < apart.part.points; ++k) own.push_back(apart.corner(p, k));
        apart.project(apart.part, p, own, compliant);
      }
      const Lot before(*type);
      double moved = 0;
      for (std::size_t i = 0; i < together.offset.size(); ++i) {
        const Quad<double>&a = together.offset[i], &b = apart.offset[i];
        EXPECT_NEAR(a.x, b.x, 1e-12);
        EXPECT_NEAR(a.y, b.y, 1e-12);
        EXPECT_NEAR(a.z, b.z, 1e-12);
        EXPECT_EQ(a.w, b.w);
        moved = std::max(moved, std::abs(a.x - before.offset[i].x));
      }
      EXPECT_GT(moved, 1e-6);
    }
  }
  EXPECT_EQ(clusters, 6);
}

/// The same constraint with its corners in another order has the same values and gradients, or both with the other sign
/// (the energy of a tet that is wound the other way), which makes the same projection.
template <template <class> class Type, int N>
void expect_same_in_any_order(
    const std::vector<std::array<int, N>>& orders,
    const std::function<void(typename Type<double>::Rest&)>& change = [](auto&) {}) {
  using C = Type<double>;
  constexpr int E = entries_of<C>();
  Random random(12);
  for (int sample = 0; sample < 100; ++sample) {
    Vec3d x[N], from[N];
    well_shaped(random, x);
    for (int k = 0; k < N; ++k) from[k] = x[k] + random.point() * 0.1;
    auto rest = C::rest(from);
    change(rest);
    double value[E], turned_value[E];
    Vec3d gradient[E][N], turned_gradient[E][N];
    evaluate_all<C>(rest, x, value, gradient);
    for (const std::array<int, N>& order : orders) {
      int places[N];
      Vec3d turned[N];
      for (int k = 0; k < N; ++k) {
        places[k] = order[static_cast<std::size_t>(k)];
        turned[k] = x[places[k]];
      }
      evaluate_all<C>(C::permuted(rest, places), turned, turned_value, turned_gradient);
      for (int e = 0; e < E; ++e) {
        const double sign = turned_value[e] * value[e] < 0 ? -1 : 1;
        EXPECT_NEAR(turned_value[e], sign * value[e], 1e-11 * std::max(1.0, std::abs(value[e])));
        for (int k = 0; k < N; ++k) {
          const Vec3d g = gradient[e][places[k]] * sign;
          EXPECT_LE(length(turned_gradient[e][k] - g), 1e-10 * std::max(1.0, length(g)));
        }
      }
    }
  }
}

TEST(Clusters, PartsDoNotDependOnTheOrderOfTheirCorners) {
  const std::vector<std::array<int, 4>> hinge = {{0, 1, 2, 3}, {1, 0, 3, 2}};
  expect_same_in_any_order<Bend, 4>(hinge);
  expect_same_in_any_order<IsometricBend, 4>(hinge);
  std::vector<std::array<int, 4>> all;
  std::array<int, 4> order = {0, 1, 2, 3};
  do all.push_back(order);
  while (std::next_permutation(order.begin(), order.end()));
  expect_same_in_any_order<TetEnergyStVK, 4>(all);
  expect_same_in_any_order<TetEnergyNeoHookean, 4>(all);
  // With a weave: the elasticity matrix is turned with the frame.
  std::vector<std::array<int, 3>> triangle;
  std::array<int, 3> corners = {0, 1, 2};
  do triangle.push_back(corners);
  while (std::next_permutation(corners.begin(), corners.end()));
  expect_same_in_any_order<TriEnergyStVK, 3>(triangle, [](auto& rest) {
    rest.h00 *= 3;
    rest.h20 += 0.3 * rest.h22;
    rest.h21 -= 0.2 * rest.h22;
  });
}

}  // namespace
}  // namespace pliant::test
