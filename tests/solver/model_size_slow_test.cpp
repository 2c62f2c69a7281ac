// Large models: a million constraints, and how long it takes to colour and pack them. Times are printed
// and not compared, since machines differ; what is compared is what they follow from.

#include <gtest/gtest.h>

#include <cstdio>
#include <ctime>

#include "build_kind.h"
#include "graphs.h"

namespace pliant::test {
namespace {

Model<float> timed_build(const char* what, const ModelInput& input) {
  const std::clock_t start = std::clock();  // of the processor: other programs do not count
  Model<float> model = build_model<float>(input, 1);
  const double seconds = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
  const Group<float>& group = model.groups.at(0);
  std::printf("%s: %lld constraints in %.3f s, %d phases, fill %.5f\n", what, static_cast<long long>(group.constraints),
              seconds, group.phases(), static_cast<double>(group.constraints) / (double(group.batches()) * kLanes));
  return model;
}

TEST(ModelSize, MillionDistancesOfAShuffledGrid) {
  const int side = kSanitized ? 200 : 708;
  const std::vector<Edge> edges = shuffled_grid(side, 1);
  EXPECT_GT(edges.size(), kSanitized ? 70000u : 1000000u);
  const Model<float> model = timed_build("shuffled grid", distance_model(side * side, edges));
  const Group<float>& group = model.groups[0];
  EXPECT_EQ(group.constraints, static_cast<int64_t>(edges.size()));
  EXPECT_LE(group.phases(), 3) << "slices, cuts, and the few that fill no batch of one";
  EXPECT_GT(static_cast<double>(group.constraints), 0.99 * group.batches() * kLanes);
  // Balanced: no slice holds more than a fifth above the mean, so that no thread waits for one.
  const int slices = group.phase_begin[1];
  EXPECT_GE(slices, 8);
  for (int k = 0; k < slices; ++k) {
    const int batches =
        group.task_begin[static_cast<std::size_t>(k) + 1] - group.task_begin[static_cast<std::size_t>(k)];
    EXPECT_LE(batches, 1.2 * group.task_begin[static_cast<std::size_t>(slices)] / slices);
  }
}

TEST(ModelSize, StarOnAStaticParticle) {
  const Model<float> model = timed_build("star on a static particle", distance_model(20001, star(20000), {0}));
  EXPECT_LE(model.groups[0].phases(), 2);
}

TEST(ModelSize, StarOnAMovingParticle) {
  const Model<float> model = timed_build("star on a moving particle", distance_model(20001, star(20000)));
  EXPECT_EQ(model.groups[0].phases(), 8);
}

}  // namespace
}  // namespace pliant::test
