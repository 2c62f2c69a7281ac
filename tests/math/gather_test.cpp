// Gathering particles into packs and scattering them back, against a loop over the lanes, to the bit.
#include <gtest/gtest.h>

#include <numeric>
#include <vector>

#include "math/support.h"

namespace pliant {
namespace {

constexpr int kParticles = 200;

template <class T>
class GatherTest : public ::testing::Test {
 public:
  using S = ScalarOf<T>;
  static constexpr int W = NumberTraits<T>::kWidth;

  GatherTest() {
    for (int i = 0; i < kParticles; ++i) {
      // Far from the origin, as bodies are; offsets with all their digits; the base has no mass.
      base_.push_back({number(1000), number(1000), number(1000), S(0)});
      offset_.push_back({number(0.1), number(0.1), number(0.1), static_cast<S>(random_.uniform(0, 3))});
    }
    order_.resize(kParticles);
    std::iota(order_.begin(), order_.end(), 0);
  }

  S number(double size) { return static_cast<S>(random_.uniform(-size, size)); }

  /// Places of `corners` x W different particles, corner i of a lane at [i * stride + lane].
  std::vector<QuadAt> places(int corners, int stride) {
    for (int i = kParticles - 1; i > 0; --i) std::swap(order_[i], order_[random_.bits() % (i + 1)]);
    std::vector<QuadAt> at(corners * stride, quad_at<S>(0));
    for (int i = 0; i < corners; ++i) {
      for (int l = 0; l < W; ++l) at[i * stride + l] = quad_at<S>(order_[i * W + l]);
    }
    return at;
  }

  template <int N>
  void check_relative(int stride) {
    const std::vector<QuadAt> at = places(N, stride);
    Vec3<T> x[N];
    T w[N];
    gather_relative<N, T>(base_.data(), offset_.data(), at.data(), stride, x, w);
    for (int l = 0; l < W; ++l) {
      const Quad<S> b0 = base_[at[l] / sizeof(Quad<S>)];
      const Quad<S> o0 = offset_[at[l] / sizeof(Quad<S>)];
      for (int i = 0; i < N; ++i) {
        const Quad<S> b = base_[at[i * stride + l] / sizeof(Quad<S>)];
        const Quad<S> o = offset_[at[i * stride + l] / sizeof(Quad<S>)];
        EXPECT_TRUE(same_bits<S>(lane(x[i].x, l), (o.x - o0.x) + (b.x - b0.x))) << "corner " << i << " lane " << l;
        EXPECT_TRUE(same_bits<S>(lane(x[i].y, l), (o.y - o0.y) + (b.y - b0.y))) << "corner " << i << " lane " << l;
        EXPECT_TRUE(same_bits<S>(lane(x[i].z, l), (o.z - o0.z) + (b.z - b0.z))) << "corner " << i << " lane " << l;
        EXPECT_TRUE(same_bits<S>(lane(w[i], l), o.w)) << "corner " << i << " lane " << l;
      }
    }
  }

  Vec3<T> random_vectors() {
    S lanes[3][W];
    for (auto& row : lanes) {
      for (S& value : row) value = number(0.01);
    }
    return {load<T>(lanes[0]), load<T>(lanes[1]), load<T>(lanes[2])};
  }

  void expect_same_quads(const std::vector<Quad<S>>& got, const std::vector<Quad<S>>& want) {
    for (int i = 0; i < kParticles; ++i) {
      EXPECT_TRUE(same_bits(got[i].x, want[i].x) && same_bits(got[i].y, want[i].y) && same_bits(got[i].z, want[i].z) &&
                  same_bits(got[i].w, want[i].w))
          << "particle " << i;
    }
  }

  Random random_{3};
  std::vector<Quad<S>> base_, offset_;
  std::vector<int> order_;
};

using Widths =
    ::testing::Types<float, Pack<float, 4>, Pack<float, 8>, Pack<float, 16>, double, Pack<double, 4>, Pack<double, 8>>;
TYPED_TEST_SUITE(GatherTest, Widths);

TYPED_TEST(GatherTest, RelativeToTheFirstCorner) {
  for (int repeat = 0; repeat < 10; ++repeat) {
    this->template check_relative<1>(this->W);
    this->template check_relative<2>(this->W);
    this->template check_relative<3>(this->W + 5);
    this->template check_relative<4>(this->W);
    this->template check_relative<4>(64);
  }
}

TYPED_TEST(GatherTest, OneCornerAlone) {
  using S = ScalarOf<TypeParam>;
  const auto at = this->places(1, this->W);
  const Vec3<TypeParam> x = gather<TypeParam>(this->offset_.data(), at.data());
  for (int l = 0; l < this->W; ++l) {
    const Quad<S> o = this->offset_[at[l] / sizeof(Quad<S>)];
    EXPECT_EQ(lane(x.x, l), o.x);
    EXPECT_EQ(lane(x.y, l), o.y);
    EXPECT_EQ(lane(x.z, l), o.z);
  }
}

TYPED_TEST(GatherTest, ScatterAddsAndKeepsTheFourthNumber) {
  for (int repeat = 0; repeat < 10; ++repeat) {
    const auto at = this->places(1, this->W);
    const Vec3<TypeParam> d = this->random_vectors();
    auto want = this->offset_;
    for (int l = 0; l < this->W; ++l) {
      auto& q = want[at[l] / sizeof(want[0])];
      q.x += lane(d.x, l);
      q.y += lane(d.y, l);
      q.z += lane(d.z, l);
    }
    scatter_add(this->offset_.data(), at.data(), d);
    this->expect_same_quads(this->offset_, want);
  }
}

TYPED_TEST(GatherTest, ScatterLosesNothingWhenLanesNameTheSameParticle) {
  using S = ScalarOf<TypeParam>;
  const std::vector<QuadAt> at(this->W, quad_at<S>(7));
  this->offset_[7] = {S(1), S(2), S(3), S(4)};
  const Vec3<TypeParam> d{TypeParam(S(1)), TypeParam(S(2)), TypeParam(S(4))};  // whole numbers: any order is exact
  scatter_add(this->offset_.data(), at.data(), d);
  EXPECT_EQ(this->offset_[7].x, S(1 + this->W));
  EXPECT_EQ(this->offset_[7].y, S(2 + 2 * this->W));
  EXPECT_EQ(this->offset_[7].z, S(3 + 4 * this->W));
  EXPECT_EQ(this->offset_[7].w, S(4));
}

TYPED_TEST(GatherTest, ScatterWhereLeavesMaskedLanesAlone) {
  using S = ScalarOf<TypeParam>;
  constexpr int W = NumberTraits<TypeParam>::kWidth;
  for (int repeat = 0; repeat < 10; ++repeat) {
    const auto at = this->places(1, W);
    const Vec3<TypeParam> d = this->random_vectors();
    S mask[W];
    for (int l = 0; l < W; ++l) mask[l] = this->random_.bits() % 2 == 0 ? S(0) : this->number(1);
    // Not even minus zero becomes zero in a particle that is not written.
    for (int l = 0; l < W; ++l) {
      if (mask[l] == S(0)) this->offset_[at[l] / sizeof(Quad<S>)].x = -S(0);
    }
    auto want = this->offset_;
    for (int l = 0; l < W; ++l) {
      if (mask[l] == S(0)) continue;
      auto& q = want[at[l] / sizeof(want[0])];
      q.x += lane(d.x, l);
      q.y += lane(d.y, l);
      q.z += lane(d.z, l);
    }
    scatter_add_where(this->offset_.data(), at.data(), d, load<TypeParam>(mask));
    this->expect_same_quads(this->offset_, want);
  }
}

}  // namespace
}  // namespace pliant
