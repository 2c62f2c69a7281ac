// pliant fit: its options, load cases and the search.
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>

#include "fit/common_fits.h"
#include "fit/fixed_point.h"
#include "fit/sweep.h"
#include "fit/values.h"
#include "io/tet_mesh_writer.h"
#include "pliant/error.h"
#include "pliant/world.h"
#include "reference/cases.h"
#include "scene/temporary_folder.h"
#include "test_paths.h"

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

TEST(FitReference, IsThatOfGetfemAndCalculix) {
  // What stiffness is fitted to, on real17's cubes, against answers of others (tests/reference/held_cube.json).
  std::ifstream file(PLIANT_SOURCE_DIR "/tests/reference/held_cube.json");
  ASSERT_TRUE(file);
  const nlohmann::json contents = nlohmann::json::parse(file);
  std::map<std::string, nlohmann::json> recorded;
  for (const auto& entry : contents["cases"]) recorded[entry["name"]] = entry;
  int compared = 0;
  for (const char* scene : {"floor", "wall", "ceiling"}) {
    for (const int cells : {1, 2, 3, 4}) {
      for (const bool equal_masses : {false, true}) {
        const LoadCase load = cube(load_kinds(scene)[0], {.cells = cells, .equal_masses = equal_masses});
        for (const double poisson : reference::kHeldCubePoissons) {
          const std::string name =
              reference::held_cube(scene, cells, equal_masses, {}).name + fmt::format("_nu{:g}", poisson);
          ASSERT_TRUE(recorded.contains(name)) << name;
          const nlohmann::json& record = recorded[name];
          const std::vector<Vec3d> ours =
              reference_displacements(load, Reference::linear, reference::kHeldCubeYoung, poisson);
          for (const char* program : {"getfem", "calculix"}) {
            double difference = 0, size = 0;
            for (std::size_t i = 0; i < record["vertices"].size(); ++i) {
              const auto& u = record[program][i];
              const Vec3d theirs = {u[0], u[1], u[2]};
              difference = std::max(difference, length(ours.at(record["vertices"][i]) - theirs));
              size = std::max(size, length(theirs));
            }
            ASSERT_GT(size, 1e-3) << name;  // [m] it sags by millimetres
            EXPECT_LE(difference, 1e-6 * size) << name << ", " << program;
            ++compared;
          }
        }
      }
    }
  }
  EXPECT_EQ(compared, 144);
}

TEST(FitError, IsOverVerticesThatMove) {
  const std::vector<Vec3d> reference = {{0, 0, 0}, {1, 0, 0}, {0, 2, 0}, {1e-17, 0, 0}};
  const std::vector<Vec3d> found = {{0, 0, 0}, {1.1, 0, 0}, {0, 2, 0.4}, {1e-6, 0, 0}};
  EXPECT_NEAR(error_of(found, reference), (0.01 + 0.04) / 2, 1e-12);
  EXPECT_TRUE(std::isnan(error_of({{1, 0, 0}}, {{0, 0, 0}}))) << "nothing moves";
}

TEST(FitFixedPoint, OfAnAffineMapIsFoundAtOnce) {
  // x = A x + b whose iteration would creep: A has the eigenvalues 0.999, 0.5 and -0.9.
  int evaluations = 0;
  const auto g = [&](const std::vector<double>& x) {
    ++evaluations;
    return std::vector{0.999 * x[0] + 0.001, 0.2 * x[0] + 0.5 * x[1], -0.9 * x[2] + 0.19};
  };
  const FixedPoint found = fixed_point({0, 0, 0}, g, {.tolerance = 1e-12});
  ASSERT_TRUE(found.found);
  EXPECT_NEAR(found.x[0], 1, 1e-9);
  EXPECT_NEAR(found.x[1], 0.4, 1e-9);
  EXPECT_NEAR(found.x[2], 0.1, 1e-9);
  EXPECT_EQ(evaluations, found.evaluations);
  EXPECT_LE(evaluations, 8);  // three directions, and some to see that nothing is left
}

TEST(FitFixedPoint, OfACurvedMapIsFoundWithFewDirections) {
  // Fifty unknowns, each near cos(x) = x with another rate; only four directions are kept.
  const auto g = [](const std::vector<double>& x) {
    std::vector<double> out(x.size());
    for (std::size_t i = 0; i < x.size(); ++i) {
      const double rate = 0.02 + 0.6 * static_cast<double>(i) / static_cast<double>(x.size());
      out[i] = x[i] + rate * (std::cos(x[i]) - x[i]) + 0.05 * (x[(i + 1) % x.size()] - x[i]);
    }
    return out;
  };
  const FixedPoint found = fixed_point(std::vector<double>(50, 0.0), g, {.tolerance = 1e-11, .window = 4});
  ASSERT_TRUE(found.found);
  for (const double x : found.x) EXPECT_NEAR(x, 0.7390851332151607, 1e-9);
}

TEST(FitFixedPoint, IsNotClaimedWhereThereIsNone) {
  EXPECT_FALSE(fixed_point({0.0}, [](const std::vector<double>& x) { return std::vector{x[0] + 0.01}; }, {}).found);
  EXPECT_FALSE(fixed_point({0.0}, [](const std::vector<double>& x) { return std::vector{x[0] * x[0] + 1}; }, {}).found);
  EXPECT_FALSE(fixed_point({0.0}, [](const std::vector<double>&) { return std::vector<double>{NAN}; }, {}).found);
}

TEST(FitCommon, TableOfTheDocumentIsWhatAFitGives) {
  std::ifstream file(PLIANT_SOURCE_DIR "/docs/experiments/real17_fits.json");
  ASSERT_TRUE(file);
  const nlohmann::json table = nlohmann::json::parse(file);
  const std::string scene = table.at("scene");
  const std::vector<Point> points = common_points(scene);
  ASSERT_EQ(points.size(), 144u);
  ASSERT_EQ(table.at("fits").size(), points.size());
  for (std::size_t i = 0; i < points.size(); ++i) {
    const nlohmann::json& line = table["fits"][i];
    EXPECT_NEAR(line.at("steps_per_second").get<double>() * points[i].stepping.dt, 1, 1e-12);
    EXPECT_EQ(line.at("cells"), points[i].cube.cells);
    EXPECT_EQ(line.at("iterations"), points[i].stepping.iterations);
    EXPECT_EQ(line.at("young"), points[i].young);
    EXPECT_EQ(line.at("poisson"), points[i].poisson);
    for (const char* k : {"k_d", "k_v"}) {
      EXPECT_GE(line.at(k), 0.0);
      EXPECT_LE(line.at(k), 1.0);
    }
    EXPECT_GT(line.at("error"), 0.0);
    for (const auto& [name, meaning] : table.at("fields").items()) EXPECT_TRUE(line.contains(name)) << name;
    EXPECT_EQ(line.size(), table.at("fields").size());
  }
  // One of them anew, and all as the table would be written: E = 1e3 Pa, nu = 0.3, two cells, one iteration.
  const Result again = fit(points[1]);
  const nlohmann::json line = nlohmann::json::parse(common_fits_json({points[1]}, {again}))["fits"][0];
  // The search goes to 1e-5 in k; e is flat there.
  EXPECT_NEAR(line["k_d"], table["fits"][1]["k_d"], 5e-5);
  EXPECT_NEAR(line["k_v"], table["fits"][1]["k_v"], 5e-5);
  EXPECT_NEAR(line["error"], table["fits"][1]["error"], 1e-5);
}

TEST(FitContestant, RestStaysWhereItIs) {
  // The rest is solved for, not waited for: engine steps from anywhere near come back to it.
  for (const Stiffness k : {Stiffness{0.3, 0.2}, Stiffness{0.05, 0.9}, Stiffness{1, 1}}) {
    const LoadCase load = cube(LoadKind::wall, {.cells = 2, .irregular = 0.2});
    const Rest rest = rest_of(load, Method::pbd, {}, k);
    ASSERT_TRUE(rest.found);
    WorldOptions options;
    options.step = 0.01;
    options.substeps = options.iterations = 1;
    options.gravity = load.gravity;
    options.point_damping = 1e9;
    options.method = pliant::Method::pbd;
    options.precision = Precision::float64;
    World world(options);
    const BodyId body = world.add(
        Solid{.mesh = load.mesh,
              .density = load.density,
              .constraints = {{"distance", {.stiffness = k.distance}}, {"tet_volume", {.stiffness = k.volume}}}});
    world.pin(body, load.held);
    for (int step = 0; step < 3000; ++step) world.step();
    const std::vector<Vec3d> x = world.positions(body);
    for (std::size_t v = 0; v < x.size(); ++v) {
      EXPECT_LT(length(x[v] - load.mesh.positions[v] - rest.displacements[v]), 1e-7);
    }
  }
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
