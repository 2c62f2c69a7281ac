// Entries of the strain in frames of their own.
#include "experiments/strain_entries.h"

#include <gtest/gtest.h>

#include <cmath>

namespace pliant::experiments {
namespace {

/// Everything moves by x -> (a x + b y, c y, z).
std::vector<Vec3d> moved(const TetMesh& mesh, double a, double b, double c) {
  std::vector<Vec3d> out;
  for (const Vec3d& p : mesh.positions) out.push_back({a * p.x + b * p.y, c * p.y, p.z});
  return out;
}

TEST(StrainEntries, AreThoseOfAUniformDeformation) {
  const TetMesh mesh = box_tets({1, 2, 0.5}, {2, 3, 1});
  const std::vector<Frame> frames(mesh.tets.size(), Frame{{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}});
  const StrainEntries e = strain_entries(mesh, frames, moved(mesh, 1.2, 0.3, 0.9));
  EXPECT_NEAR(e.stretch[0], 0.2, 1e-12);
  EXPECT_NEAR(e.stretch[1], 1 - std::hypot(0.3, 0.9), 1e-12);
  EXPECT_NEAR(e.stretch[2], 0, 1e-12);
  EXPECT_NEAR(e.shear[0], 0, 1e-12);
  EXPECT_NEAR(e.shear[1], 0, 1e-12);
  EXPECT_NEAR(e.shear[2], 0.3 / std::hypot(0.3, 0.9), 1e-12);
  EXPECT_NEAR(e.volume, 0.08, 1e-12);
  EXPECT_NEAR(e.whole_volume, 0.08, 1e-12);
  EXPECT_EQ(e.inverted, 0);
}

TEST(StrainEntries, FollowTheFrames) {
  const TetMesh mesh = box_tets({1, 1, 1}, {1, 1, 1});
  const std::vector<Frame> turned(mesh.tets.size(), Frame{{{0, 1, 0}, {0, 0, 1}, {1, 0, 0}}});
  const StrainEntries e = strain_entries(mesh, turned, moved(mesh, 1.2, 0.3, 1));
  EXPECT_NEAR(e.stretch[2], 0.2, 1e-12);                     // x is the third axis
  EXPECT_NEAR(e.shear[1], 0.3 / std::hypot(0.3, 1), 1e-12);  // of the third and the first
  EXPECT_NEAR(e.shear[0] + e.shear[2], 0, 1e-12);
}

TEST(StrainEntries, CountWhatIsInverted) {
  const TetMesh mesh = box_tets({1, 1, 1}, {1, 1, 1});
  const std::vector<Frame> frames(mesh.tets.size(), Frame{{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}});
  const StrainEntries e = strain_entries(mesh, frames, moved(mesh, -1, 0, 1));
  EXPECT_EQ(e.inverted, static_cast<int>(mesh.tets.size()));
  EXPECT_NEAR(e.whole_volume, -2, 1e-12);
  EXPECT_NEAR(e.all_stretch(), 0, 1e-12);  // no other entry has a sign
}

}  // namespace
}  // namespace pliant::experiments
