// pliant fit: its options, load cases and the search.
#include <gtest/gtest.h>

#include <cmath>

#include "fit/sweep.h"
#include "fit/values.h"
#include "io/tet_mesh_writer.h"
#include "pliant/error.h"
#include "scene/temporary_folder.h"

namespace pliant::fit {
namespace {

TEST(FitValues, AreListsAndRanges) {
  EXPECT_EQ(values_of("0.3", "--x"), std::vector{0.3});
  EXPECT_EQ(values_of("1e3,2e4", "--x"), (std::vector{1e3, 2e4}));
  const std::vector<double> range = values_of("0:0.01:0.49", "--x");
  ASSERT_EQ(range.size(), 50u);
  EXPECT_EQ(range[7], 0.07);
  for (const char* bad : {"", "x", "1,", "0:0:1", "1:0.1:0", "0:1", "nan", "0:1e-9:1"}) {
    EXPECT_THROW(values_of(bad, "--x"), Error) << bad;
  }
}

TEST(FitSearch, FindsTheMinimumOfAValley) {
  const auto valley = [](const Stiffness& k) {
    return std::pow(k.distance - 0.3217, 2) + 10 * std::pow(k.volume - k.distance * k.distance, 2);
  };
  const Found found = search(valley, {});
  EXPECT_NEAR(found.stiffness.distance, 0.3217, 1e-3);
  EXPECT_LE(found.error, found.sweep_error);
  // On the border, where no neighbour is better.
  EXPECT_EQ(search([](const Stiffness& k) { return -k.distance - k.volume; }, {}).stiffness, (Stiffness{1, 1}));
  if (has_nlopt()) {
    const Found quick = search(valley, {}, Optimizer::bobyqa);
    EXPECT_LE(quick.error, found.sweep_error);
    EXPECT_NEAR(quick.stiffness.distance, 0.3217, 1e-3);
  }
}

TEST(FitLoads, BalanceAndHold) {
  for (const char* name : {"traction", "shear", "torsion"}) {
    const LoadCase load = cube(load_kinds(name)[0], {.cells = 2, .force = 0.7});
    Vec3d force{}, couple{};
    for (std::size_t v = 0; v < load.forces.size(); ++v) {
      force += load.forces[v];
      couple += cross(load.mesh.positions[v] - Vec3d{0.5, 1, 0.5}, load.forces[v]);
    }
    const Vec3d wanted = name[0] == 't' && name[1] == 'r' ? Vec3d{0, 0.7, 0}
                         : name[0] == 's'                 ? Vec3d{0.7, 0, 0}
                                                          : Vec3d{};
    EXPECT_LT(length(force - wanted), 1e-12) << name;
    if (name == std::string("torsion")) {
      EXPECT_NEAR(couple.y, 0.7, 1e-12);
    }
    EXPECT_EQ(load.held.size(), 9u);
  }
  EXPECT_THROW(load_kinds("flor"), Error);
}

TEST(FitLoads, TakeABodyOfTheUsers) {
  const test::TemporaryFolder folder;
  const std::string path = folder.file("block.vtu");
  write_tet_mesh(path, box_tets({0.2, 0.4, 0.1}, {2, 4, 1}));
  // The same body as a cube would be, but for its size and weight.
  const LoadCase wall = cube(LoadKind::wall, {.mesh = path, .density = 500});
  EXPECT_EQ(wall.density, 500);
  EXPECT_EQ(wall.held.size(), 15u);
  for (int v : wall.held) EXPECT_NEAR(wall.mesh.positions[static_cast<std::size_t>(v)].z, -0.05, 1e-9);
  const LoadCase twisted = cube(LoadKind::torsion, {.mesh = path, .force = 0.3});
  Vec3d force{}, couple{};
  for (std::size_t v = 0; v < twisted.forces.size(); ++v) {
    force += twisted.forces[v];
    couple += cross(twisted.mesh.positions[v], twisted.forces[v]);
  }
  EXPECT_LT(length(force), 1e-12);
  EXPECT_NEAR(couple.y, 0.3, 1e-12);
  const LoadCase even = cube(LoadKind::floor, {.mesh = path, .density = 500, .equal_masses = true});
  EXPECT_NEAR(even.masses[0] * double(even.masses.size()), 500 * 0.008, 1e-12);
  EXPECT_NE((Point{.cube = {.mesh = path}}.key()), Point{}.key());
  EXPECT_THROW(cube(LoadKind::floor, {.mesh = folder.file("none.vtu")}), Error);
}

TEST(FitContestant, StifferSagsLess) {
  const LoadCase load = cube(LoadKind::ceiling, {});
  double last = 1;
  for (double k : {0.1, 0.3, 0.9}) {
    const Rest rest = rest_of(load, Method::pbd, {}, {k, k});
    ASSERT_TRUE(rest.found);
    double sag = 0;
    for (const Vec3d& u : rest.displacements) sag = std::max(sag, -u.y);
    EXPECT_LT(sag, last);
    EXPECT_GT(sag, 0);
    last = sag;
  }
  EXPECT_FALSE(rest_of(load, Method::pbd, {}, Stiffness{0, 0}).found) << "it falls";
}

}  // namespace
}  // namespace pliant::fit
