#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numbers>

#include "mesh/mesh_checks.h"
#include "mesh/topology.h"
#include "pliant/mesh.h"

namespace pliant {
namespace {

using test::expect_error;
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInf = std::numeric_limits<double>::infinity();

const std::vector<Vec3d> kPoints = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {1, 1, 1}, {-1, -1, -1}};

template <class Mesh>
void expect_refused(Mesh mesh, const std::string& text) {
  expect_error([&] { repair(mesh, "scene.json: bodies[2]"); }, "scene.json: bodies[2]", text);
}

template <class Mesh>
auto scaled(Mesh mesh, double factor) {
  for (Vec3d& x : mesh.positions) x *= factor;
  return mesh;
}

TEST(RepairTets, LeavesGoodMeshesAlone) {
  for (const TetMesh& good : {box_tets({1, 2, 3}, {2, 2, 2}), ball_tets(1, 3), torus_tets(2, 1, 5, 2)}) {
    for (const double factor : {1.0, 1e-6, 1e5, 1e-120, 1e100}) {
      TetMesh mesh = scaled(good, factor);
      const TetMesh before = mesh;
      EXPECT_EQ(repair(mesh, "x"), 0) << factor;
      EXPECT_EQ(mesh.tets, before.tets);
      EXPECT_EQ(mesh.positions, before.positions);
    }
  }
}

TEST(RepairTets, RewindsInvertedTets) {
  for (const double factor : {1.0, 1e-6, 1e5, 1e-120}) {
    TetMesh mesh = scaled(box_tets({1, 1, 1}, {2, 2, 2}), factor);
    for (std::size_t t = 0; t < mesh.tets.size(); t += 3) std::swap(mesh.tets[t][0], mesh.tets[t][3]);
    EXPECT_EQ(repair(mesh, "x"), 14);
    EXPECT_GT(test::quality_of(scaled(mesh, 1 / factor)).smallest_volume, 0);
    EXPECT_EQ(repair(mesh, "x"), 0);
  }
}

TEST(RepairTets, RefusesEachDefect) {
  expect_refused(TetMesh{kPoints, {}}, "no tets");
  expect_refused(TetMesh{kPoints, {{0, 1, 2, 3}, {1, 2, 3, 6}}}, "tet 1 uses vertex 6, but there are 6 vertices");
  expect_refused(TetMesh{kPoints, {{0, 1, 2, 3}, {1, 2, 3, -1}}}, "tet 1 uses vertex -1");
  expect_refused(TetMesh{kPoints, {{0, 1, 2, 3}, {4, 2, 3, 4}}}, "tet 1 uses vertex 4 twice");
  expect_refused(TetMesh{kPoints, {{4, 1, 2, 3}, {0, 1, 2, 3}, {3, 1, 0, 2}}}, "tet 2 has the same vertices as tet 1");
  TetMesh not_finite{kPoints, {{0, 1, 2, 3}}};
  not_finite.positions[5].y = kNan;
  expect_refused(not_finite, "vertex 5, (-1, nan, -1), is not finite");
  not_finite.positions[5].y = -kInf;
  expect_refused(not_finite, "vertex 5");
  expect_refused(TetMesh{kPoints, {{0, 1, 2, 3}, {1, 2, 3, 4}, {1, 2, 3, 5}}}, "3 tets share face 1-2-3 (0, 1, 2)");
}

TEST(RepairTets, RefusesFlatTetsAtAnyScale) {
  for (const double factor : {1.0, 1e-6, 1e5, 1e-100, 1e90}) {
    TetMesh flat{{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {0.3, 0.3, 0.4 - 1e-9}}, {{0, 1, 2, 3}, {1, 2, 3, 4}}};
    expect_refused(scaled(flat, factor), "tet 1 has no volume");
    flat.positions[4] = {0.3, 0.3, 0.4};  // in the plane of 1, 2, 3
    expect_refused(scaled(flat, factor), "tet 1 has no volume");
    flat.positions[4] = flat.positions[1];  // two corners in one place
    expect_refused(scaled(flat, factor), "tet 1 has no volume");
    flat.positions.assign(5, {1, 1, 1});
    expect_refused(scaled(flat, factor), "tet 0 has no volume");
  }
}

TEST(RepairTets, AcceptsThinButRealTets) {
  // A needle of 1 : 1000 has 1e-6 of the volume of a cube; it is thin, not flat.
  TetMesh needle{{{0, 0, 0}, {1, 0, 0}, {0, 1e-3, 0}, {0, 0, 1e-3}}, {{0, 1, 2, 3}}};
  EXPECT_EQ(repair(needle, "x"), 0);
  TetMesh plate{{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1e-4}}, {{0, 1, 2, 3}}};
  EXPECT_EQ(repair(plate, "x"), 0);
}

TEST(RepairTriangles, LeavesGoodMeshesAlone) {
  for (const TriMesh& good : {grid({1, 2}, {3, 3}), sphere(1, 2), torus(2, 1, 5, 5), cylinder(1, 1, 9, 2)}) {
    for (const double factor : {1.0, 1e-6, 1e5, 1e-120, 1e100}) {
      TriMesh mesh = scaled(good, factor);
      const TriMesh before = mesh;
      EXPECT_EQ(repair(mesh, "x"), 0) << factor;
      EXPECT_EQ(mesh.triangles, before.triangles);
    }
  }
}

TEST(RepairTriangles, RefusesEachDefect) {
  expect_refused(TriMesh{kPoints, {}}, "no triangles");
  expect_refused(TriMesh{kPoints, {{0, 1, 2}, {1, 2, 6}}}, "triangle 1 uses vertex 6, but there are 6 vertices");
  expect_refused(TriMesh{kPoints, {{0, 1, 2}, {-2, 2, 3}}}, "triangle 1 uses vertex -2");
  expect_refused(TriMesh{kPoints, {{0, 1, 2}, {3, 2, 3}}}, "triangle 1 uses vertex 3 twice");
  expect_refused(TriMesh{kPoints, {{0, 1, 2}, {2, 1, 0}}}, "triangle 1 has the same vertices as triangle 0");
  expect_refused(TriMesh{kPoints, {{0, 1, 2}, {0, 2, 3}, {4, 2, 0}}}, "edge 0-2: 3 triangles share it (0, 1, 2)");
  expect_refused(TriMesh{{{0, 0, 0}, {1, kInf, 0}, {0, 1, 0}}, {{0, 1, 2}}}, "vertex 1, (1, inf, 0), is not finite");
}

TEST(RepairTriangles, RefusesTrianglesWithoutAreaAtAnyScale) {
  for (const double factor : {1.0, 1e-6, 1e5, 1e-150, 1e140}) {
    TriMesh flat{{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0.5, 0.5 + 1e-9, 0}}, {{0, 1, 2}, {2, 1, 3}}};
    expect_refused(scaled(flat, factor), "triangle 1 has no area");
    flat.positions[3] = flat.positions[1];
    expect_refused(scaled(flat, factor), "triangle 1 has no area");
    flat.positions.assign(4, {0, 2, 0});
    expect_refused(scaled(flat, factor), "triangle 0 has no area");
  }
}

TEST(RepairTriangles, TurnsTheMinorityAround) {
  TriMesh mesh = sphere(1, 2);
  const std::vector<Triangle> outward = mesh.triangles;
  for (const std::size_t t : {0u, 1u, 17u, 200u}) std::swap(mesh.triangles[t][1], mesh.triangles[t][2]);
  EXPECT_EQ(repair(mesh, "x"), 4) << "the first triangle is one of the wrong ones";
  EXPECT_EQ(mesh.triangles, outward);

  // An inside-out piece is consistent: perhaps the wall of a cavity. It stays.
  for (Triangle& t : mesh.triangles) std::swap(t[1], t[2]);
  EXPECT_EQ(repair(mesh, "x"), 0);
  EXPECT_LT(enclosed_volume(mesh), 0);
}

TEST(RepairTriangles, KeepsTheFirstWhereBothSidesAreEqual) {
  TriMesh mesh{kPoints, {{0, 1, 2}, {1, 2, 3}}};
  EXPECT_EQ(repair(mesh, "x"), 1);
  EXPECT_EQ(mesh.triangles, (std::vector<Triangle>{{0, 1, 2}, {1, 3, 2}}));
}

TEST(RepairTriangles, LeavesAMoebiusStripAsItIs) {
  TriMesh strip;
  const int n = 12;
  for (int i = 0; i < n; ++i) {
    const double along = 2 * std::numbers::pi * i / n, twist = std::numbers::pi * i / n;
    for (const double side : {-0.3, 0.3}) {
      const double r = 1 + side * std::cos(twist);
      strip.positions.push_back({r * std::cos(along), side * std::sin(twist), r * std::sin(along)});
    }
  }
  for (int i = 0; i < n; ++i) {
    const int a = 2 * i, b = 2 * i + 1;
    const int c = i + 1 < n ? 2 * i + 2 : 1, d = i + 1 < n ? 2 * i + 3 : 0;  // sides change places
    strip.triangles.push_back({a, b, c});
    strip.triangles.push_back({b, d, c});
  }
  const auto before = strip.triangles;
  EXPECT_EQ(repair(strip, "x"), 0);
  EXPECT_EQ(strip.triangles, before);
}

TEST(RepairCurve, LeavesGoodCurvesAlone) {
  for (const double factor : {1.0, 1e-6, 1e5, 1e-200, 1e200}) {
    Curve curve = scaled(rope({0, 0, 0}, {1, 2, 3}, 8), factor);
    const Curve before = curve;
    EXPECT_EQ(repair(curve, "x"), 0);
    EXPECT_EQ(curve.edges, before.edges);
  }
}

TEST(RepairCurve, RefusesEachDefect) {
  expect_refused(Curve{kPoints, {}}, "no segments");
  expect_refused(Curve{kPoints, {{0, 1}, {1, 9}}}, "segment 1 uses vertex 9");
  expect_refused(Curve{kPoints, {{0, 1}, {2, 2}}}, "segment 1 uses vertex 2 twice");
  expect_refused(Curve{kPoints, {{0, 1}, {1, 2}, {1, 0}}}, "segment 2 has the same vertices as segment 0");
  expect_refused(Curve{{{0, 0, 0}, {kNan, 0, 0}}, {{0, 1}}}, "vertex 1");
  for (const double factor : {1.0, 1e-6, 1e5}) {
    expect_refused(scaled(Curve{{{0, 0, 0}, {1, 0, 0}, {1, 1e-9, 0}}, {{0, 1}, {1, 2}}}, factor),
                   "segment 1 has no length");
    expect_refused(scaled(Curve{{{1, 1, 1}, {1, 1, 1}}, {{0, 1}}}, factor), "segment 0 has no length");
  }
}

}  // namespace
}  // namespace pliant
