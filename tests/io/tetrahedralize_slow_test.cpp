// Surfaces at 20000 tets: the promises on shapes and models, and 300 steps of simulation with each result. Models that
// are not part of the project are looked for in scenes/models (script/models) and in the folder PLIANT_MODELS.

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <string>

#include "io/mesh_reader.h"
#include "mesh/mesh_checks.h"
#include "mesh/surface_tree.h"
#include "mesh/topology.h"
#include "pliant/tetrahedralize.h"
#include "pliant/world.h"
#include "test_paths.h"

namespace pliant {
namespace {

/// The volume where the winding number is above one half, by a grid of points: for surfaces that are not closed.
double volume_by_winding_number(const TriMesh& surface) {
  const SurfaceTree tree(surface);
  constexpr int kPoints = 60;  // along each side: 216000, good for some 0.3 %
  const Vec3d size = tree.high() - tree.low();
  int64_t inside = 0;
  for (int k = 0; k < kPoints; ++k) {
    for (int j = 0; j < kPoints; ++j) {
      for (int i = 0; i < kPoints; ++i) {
        const Vec3d p = tree.low() + Vec3d{size.x * (i + 0.5), size.y * (j + 0.5), size.z * (k + 0.5)} / kPoints;
        inside += tree.winding_number(p) > 0.5;
      }
    }
  }
  return size.x * size.y * size.z * static_cast<double>(inside) / (kPoints * kPoints * kPoints);
}

void expect_good(const TriMesh& surface) {
  Tetrahedralized made = tetrahedralize(surface, {.tets = 20000});
  EXPECT_NEAR(static_cast<double>(made.mesh.tets.size()), 20000, 2000);
  const auto quality = test::quality_of(made.mesh);
  EXPECT_GT(quality.smallest_volume, 0);
  EXPECT_GE(quality.smallest_angle, 8);
  const double wanted = is_closed(surface.triangles) ? enclosed_volume(surface) : volume_by_winding_number(surface);
  EXPECT_NEAR(volume(made.mesh) / wanted, 1, 0.02);
  EXPECT_TRUE(is_closed(surface_of(made.mesh)));
  EXPECT_TRUE(made.lost.empty());

  // About a metre long, held around the middle, with gravity: both ends hang down.
  Vec3d low = made.mesh.positions[0], high = low;
  for (const Vec3d& x : made.mesh.positions) {
    for (int k = 0; k < 3; ++k) {
      low[k] = std::min(low[k], x[k]);
      high[k] = std::max(high[k], x[k]);
    }
  }
  const Vec3d size = high - low;
  const double scale = 1 / std::max({size.x, size.y, size.z});
  World world({.step = 1.0 / 60, .substeps = 5});
  const BodyId body = world.add(Solid{.mesh = made.mesh,
                                      .material = Material{.young = 5e4, .poisson = 0.4, .density = 500},
                                      .place = {.scale = {scale, scale, scale}}});
  const int axis = size.x >= size.y && size.x >= size.z ? 0 : size.y >= size.z ? 1 : 2;
  std::vector<int> held;
  for (std::size_t v = 0; v < made.mesh.positions.size(); ++v) {
    const double from_middle = made.mesh.positions[v][axis] - (low[axis] + high[axis]) / 2;
    if (std::abs(from_middle) < 0.05 * size[axis]) held.push_back(static_cast<int>(v));
  }
  world.pin(body, held);
  for (int step = 0; step < 300; ++step) world.step();
  EXPECT_TRUE(world.troubles().empty());
  const Measures measures = world.measures();
  EXPECT_TRUE(std::isfinite(measures.total_energy));
  EXPECT_LT(measures.largest_strain, 5);  // nothing was torn apart
}

TEST(Tetrahedralize, Torus) { expect_good(torus(1, 0.3, 64, 32)); }
TEST(Tetrahedralize, ThinPlate) { expect_good(box_surface({1, 0.05, 1}, {20, 1, 20})); }
TEST(Tetrahedralize, NestedSpheres) {
  TriMesh mesh = sphere(1, 4);
  const TriMesh core = sphere(0.5, 3);
  const int first = static_cast<int>(mesh.positions.size());
  for (const Vec3d& x : core.positions) mesh.positions.push_back(x);
  for (const auto& [a, b, c] : core.triangles) mesh.triangles.push_back({a + first, c + first, b + first});
  expect_good(mesh);
}
TEST(Tetrahedralize, Blob) { expect_good(blob(1, 48)); }

/// A model's file, or an empty name and a message.
std::string find_model(const std::string& name) {
  const char* folder = std::getenv("PLIANT_MODELS");
  for (const std::string& place :
       {std::string(PLIANT_SOURCE_DIR "/scenes/models"), std::string(folder ? folder : "")}) {
    const std::string file = place + "/" + name;
    if (!place.empty() && std::filesystem::exists(file)) return file;
  }
  return {};
}

class Model : public testing::TestWithParam<const char*> {};
TEST_P(Model, KeepsThePromises) {
  const std::string file = find_model(GetParam());
  if (file.empty()) GTEST_SKIP() << GetParam() << " is not there: script/models, or set PLIANT_MODELS to a folder";
  expect_good(read_tri_mesh(file));
}
INSTANTIATE_TEST_SUITE_P(Tetrahedralize, Model,
                         testing::Values("bunny.obj", "cow.obj", "spot.obj", "stanford-bunny.obj"));

}  // namespace
}  // namespace pliant
