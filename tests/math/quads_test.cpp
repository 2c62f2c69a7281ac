// Particles in registers, against a loop over the lanes, to the bit.
#include <gtest/gtest.h>

#include <numeric>
#include <vector>

#include "math/quads.h"
#include "math/support.h"

namespace pliant {
namespace {

constexpr int kParticles = 200;

template <class T>
class QuadsTest : public ::testing::Test {
 public:
  using S = ScalarOf<T>;
  static constexpr int W = NumberTraits<T>::kWidth;

  QuadsTest() {
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
TYPED_TEST_SUITE(QuadsTest, Widths);

TYPED_TEST(QuadsTest, GatheredAndTransposed) {
  using S = ScalarOf<TypeParam>;
  const auto at = this->places(1, this->W);
  const auto q = Quads<TypeParam>::gather(this->offset_.data(), at.data());
  Vec3<TypeParam> x;
  TypeParam w;
  q.get(x, w);
  for (int l = 0; l < this->W; ++l) {
    const Quad<S> o = this->offset_[at[l] / sizeof(Quad<S>)];
    EXPECT_EQ(lane(x.x, l), o.x);
    EXPECT_EQ(lane(x.y, l), o.y);
    EXPECT_EQ(lane(x.z, l), o.z);
    EXPECT_EQ(lane(w, l), o.w);
    EXPECT_EQ(lane(q.w(), l), o.w);
    EXPECT_EQ(lane(q.xyz().y, l), o.y);
    EXPECT_EQ(lane(q.without_w().w(), l), S(0));
    EXPECT_EQ(lane(q.without_w().xyz().z, l), o.z);
  }
}

TYPED_TEST(QuadsTest, StreamedLanesAreThoseThatWerePlaced) {
  using S = ScalarOf<TypeParam>;
  constexpr int kStreamed = 16;
  alignas(64) Quad<S> streamed[kStreamed];
  Quad<S> by_lane[kStreamed];
  for (int l = 0; l < kStreamed; ++l) {
    by_lane[l] = {this->number(1), this->number(1), this->number(1), this->number(1)};
    streamed[streamed_place(l)] = by_lane[l];
  }
  for (int first = 0; first < kStreamed; first += this->W) {
    const auto q = Quads<TypeParam>::stream(streamed, first);
    alignas(64) Quad<S> again[kStreamed];
    q.stream_out(again, first);
    for (int l = first; l < first + this->W; ++l) EXPECT_EQ(again[streamed_place(l)].z, by_lane[l].z);
    for (int l = 0; l < this->W; ++l) {
      EXPECT_EQ(lane(q.xyz().x, l), by_lane[first + l].x);
      EXPECT_EQ(lane(q.xyz().y, l), by_lane[first + l].y);
      EXPECT_EQ(lane(q.xyz().z, l), by_lane[first + l].z);
      EXPECT_EQ(lane(q.w(), l), by_lane[first + l].w);
    }
  }
}

TYPED_TEST(QuadsTest, SumsAndProductsAreThoseOfTheNumbers) {
  using S = ScalarOf<TypeParam>;
  const auto at_a = this->places(1, this->W), at_b = this->places(1, this->W);
  const auto a = Quads<TypeParam>::gather(this->offset_.data(), at_a.data());
  const auto b = Quads<TypeParam>::gather(this->base_.data(), at_b.data());
  const TypeParam t = this->random_vectors().x;
  const auto sum = a + b, difference = a - b, more = mul_add(b, t, a), less = neg_mul_add(b, t, a);
  for (int l = 0; l < this->W; ++l) {
    const Quad<S> p = this->offset_[at_a[l] / sizeof(Quad<S>)], q = this->base_[at_b[l] / sizeof(Quad<S>)];
    EXPECT_TRUE(same_bits<S>(lane(sum.xyz().y, l), p.y + q.y));
    EXPECT_TRUE(same_bits<S>(lane(difference.xyz().z, l), p.z - q.z));
    EXPECT_TRUE(same_bits<S>(lane(more.xyz().x, l), mul_add(q.x, lane(t, l), p.x)));
    EXPECT_TRUE(same_bits<S>(lane(less.xyz().y, l), neg_mul_add(q.y, lane(t, l), p.y)));
    EXPECT_EQ(lane(more.w(), l), p.w) << "the fourth number of a base is zero";
  }
}

TYPED_TEST(QuadsTest, ScatterWritesAllOfEachQuad) {
  using S = ScalarOf<TypeParam>;
  for (int repeat = 0; repeat < 10; ++repeat) {
    const auto at = this->places(1, this->W);
    const Vec3<TypeParam> d = this->random_vectors();
    auto want = this->offset_;
    for (int l = 0; l < this->W; ++l) {
      auto& q = want[at[l] / sizeof(Quad<S>)];
      q = {q.x + lane(d.x, l), q.y + lane(d.y, l), q.z + lane(d.z, l), q.w};
    }
    const auto q = Quads<TypeParam>::gather(this->offset_.data(), at.data());
    (q + Quads<TypeParam>::from(d)).scatter(this->offset_.data(), at.data());
    this->expect_same_quads(this->offset_, want);
  }
}

TYPED_TEST(QuadsTest, ScatterWhereLeavesMaskedLanesAlone) {
  using S = ScalarOf<TypeParam>;
  constexpr int W = NumberTraits<TypeParam>::kWidth;
  for (int repeat = 0; repeat < 12; ++repeat) {
    const auto at = this->places(1, W);
    const Vec3<TypeParam> d = this->random_vectors();
    S mask[W];  // at times none, at times all
    for (int l = 0; l < W; ++l) {
      const bool off = repeat == 0 || (repeat > 1 && this->random_.bits() % 2 == 0);
      mask[l] = off ? S(0) : S(1) + this->number(0.5);
    }
    auto want = this->offset_;
    for (int l = 0; l < W; ++l) {
      if (mask[l] != S(0)) want[at[l] / sizeof(Quad<S>)] = {lane(d.x, l), lane(d.y, l), lane(d.z, l), S(0)};
    }
    Quads<TypeParam>::from(d).scatter_where(this->offset_.data(), at.data(), load<TypeParam>(mask));
    this->expect_same_quads(this->offset_, want);
  }
}

}  // namespace
}  // namespace pliant
