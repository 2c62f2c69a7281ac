#include "core/suggest.h"

#include <gtest/gtest.h>

namespace pliant {
namespace {

const std::vector<std::string> kFields = {"density", "young", "poisson", "thickness", "tet_volume", "friction"};

TEST(Suggest, FindsTheNameThatWasMeant) {
  EXPECT_EQ(nearest_name("densty", kFields), "density") << "left out";
  EXPECT_EQ(nearest_name("densiity", kFields), "density") << "put in";
  EXPECT_EQ(nearest_name("dencity", kFields), "density") << "changed";
  EXPECT_EQ(nearest_name("yuong", kFields), "young") << "swapped: one edit of five letters, two would be too far";
  EXPECT_EQ(nearest_name("tetVolume", kFields), "tet_volume");
  EXPECT_EQ(nearest_name("TET-VOLUME", kFields), "tet_volume");
  EXPECT_EQ(nearest_name("possion", kFields), "poisson");
  EXPECT_EQ(nearest_name("young", kFields), "young");
}

TEST(Suggest, StaysSilentWhenNothingIsNear) {
  EXPECT_EQ(nearest_name("colour", kFields), "");
  EXPECT_EQ(nearest_name("x", kFields), "");
  EXPECT_EQ(nearest_name("yunge", kFields), "") << "two edits of five letters are a guess";
  EXPECT_EQ(nearest_name("", kFields), "");
  EXPECT_EQ(nearest_name("young", {}), "");
  EXPECT_EQ(nearest_name(std::string(100000, 'a'), kFields), "") << "and takes no time for it";
}

TEST(Suggest, PrefersTheNearestThenTheFirst) {
  const std::vector<std::string> names = {"bend_a", "bend_b", "bent_b"};
  EXPECT_EQ(nearest_name("bend_b", names), "bend_b");
  EXPECT_EQ(nearest_name("bend_c", names), "bend_a");
}

TEST(Suggest, MakesARemedy) {
  EXPECT_EQ(did_you_mean("youngs", kFields), "did you mean \"young\"?");
  EXPECT_EQ(did_you_mean("colour", std::vector<std::string>{"density", "young"}), "use one of: density, young");
  EXPECT_EQ(did_you_mean("colour", std::vector<std::string>{"density"}), "use density");
  EXPECT_EQ(did_you_mean("colour", std::vector<std::string>{}), "");
}

}  // namespace
}  // namespace pliant
