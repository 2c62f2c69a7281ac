#include "io/mesh_reader.h"

#include <gtest/gtest.h>

#include <bit>
#include <cstdlib>
#include <filesystem>
#include <set>

#include "io/sample_files.h"
#include "mesh/mesh_checks.h"
#include "scene/temporary_folder.h"

namespace pliant {
namespace {

using test::expect_error;
using test::TemporaryFolder;

const std::vector<Vec3d> kPyramid = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}, {0.5, 0.5, 1}};

TEST(ReadObj, FacesOfAllKinds) {
  const MeshParts mesh = parse_obj(test::kObj, "f.obj");
  ASSERT_EQ(mesh.positions.size(), 8u);
  for (std::size_t v = 0; v < 5; ++v) EXPECT_EQ(mesh.positions[v], kPyramid[v]);
  EXPECT_EQ(mesh.triangles, (std::vector<Triangle>{{3, 2, 1}, {3, 1, 0}, {0, 1, 4}, {1, 2, 4}, {2, 3, 4}, {3, 0, 4}}));
  EXPECT_EQ(mesh.edges, (std::vector<Edge>{{5, 6}, {6, 7}}));
}

TEST(ReadObj, FacesMayComeBeforeTheirVertices) {
  EXPECT_EQ(parse_obj("f 1 2 3\nv 0 0 0\nv 1 0 0\nv 0 1 0\n", "x").triangles, (std::vector<Triangle>{{0, 1, 2}}));
}

TEST(ReadObj, JoinedLinesKeepLaterLineNumbers) {
  expect_error([] { parse_obj("v 0 \\\n0 \\\r\n0\nv 1 0 0\nv x 0 0\n", "a.obj"); }, "a.obj:5",
               "\"x\" is not a coordinate");
}

TEST(ReadPly, Text) {
  const MeshParts mesh = parse_ply(test::kPlyText, "f.ply");
  EXPECT_EQ(mesh.positions, kPyramid);
  EXPECT_EQ(mesh.triangles, (std::vector<Triangle>{{3, 2, 1}, {3, 1, 0}, {0, 1, 4}}));
  EXPECT_EQ(mesh.edges, (std::vector<Edge>{{0, 4}}));
}

TEST(ReadPly, Binary) {
  const MeshParts mesh = parse_ply(test::ply_binary(), "f.ply");
  EXPECT_EQ(mesh.positions, kPyramid);
  EXPECT_EQ(mesh.triangles, (std::vector<Triangle>{{3, 2, 1}, {3, 1, 0}, {0, 1, 4}}));
}

TEST(ReadPly, BinaryOfAllTypes) {
  std::string bytes =
      "ply\nformat binary_little_endian 1.0\nelement vertex 1\nproperty char a\nproperty uchar b\nproperty short c\n"
      "property ushort d\nproperty int e\nproperty uint f\nproperty double x\nproperty int8 y\nproperty int16 z\n"
      "end_header\n";
  bytes += std::string(1 + 1 + 2 + 2 + 4 + 4, '\xff');  // a to f, to be skipped by their sizes
  const auto x = std::bit_cast<uint64_t>(-2.5);
  test::put_u32(bytes, static_cast<uint32_t>(x));
  test::put_u32(bytes, static_cast<uint32_t>(x >> 32));
  bytes += '\xfe';
  bytes += std::string("\x00\x80", 2);
  EXPECT_EQ(parse_ply(bytes, "x").positions, (std::vector<Vec3d>{{-2.5, -2, -32768}}));
}

TEST(ReadOff, PolygonsAndColours) {
  const MeshParts mesh = parse_off(test::kOff, "f.off");
  EXPECT_EQ(mesh.positions, kPyramid);
  EXPECT_EQ(mesh.triangles, (std::vector<Triangle>{{3, 2, 1}, {3, 1, 0}, {0, 1, 4}, {1, 2, 4}}));
  EXPECT_EQ(parse_off("OFF 3 1 3\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n", "x").triangles.size(), 1u);
  EXPECT_EQ(parse_off("COFF\n3 1 3\n0 0 0 1 1 1 1\n1 0 0 1 1 1 1\n0 1 0 1 1 1 1\n3 0 1 2\n", "x").positions.size(), 3u);
}

TEST(ReadStl, WeldsCorners) {
  for (const std::string& bytes : {test::kStlText, test::stl_binary()}) {
    const MeshParts mesh = parse_stl(bytes, "f.stl");
    EXPECT_EQ(mesh.positions, (std::vector<Vec3d>{{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}}));
    EXPECT_EQ(mesh.triangles, (std::vector<Triangle>{{0, 1, 2}, {0, 2, 3}}));
  }
  std::string deceptive = test::stl_binary();
  deceptive.replace(0, 5, "solid");
  EXPECT_EQ(parse_stl(deceptive, "f.stl").triangles.size(), 2u) << "a binary file that starts like a text";
}

TEST(ReadTetgen, FromOneAndFromZero) {
  const TemporaryFolder folder;
  folder.write("f.node", test::kNode);
  const TetMesh mesh = read_tet_mesh(folder.write("f.ele", test::kEle));
  EXPECT_EQ(mesh.positions.size(), 5u);
  EXPECT_EQ(mesh.tets[0], (Tet{0, 1, 2, 3}));
  EXPECT_EQ(std::set<int>(mesh.tets[1].begin(), mesh.tets[1].end()), (std::set<int>{1, 2, 3, 4}));
  EXPECT_NEAR(volume(mesh), 0.5, 1e-15) << "both tets are wound to positive volume";
  const TetMesh zero =
      parse_tetgen("4 3 0 0\n0 0 0 0\n1 1 0 0\n2 0 1 0\n3 0 0 1\n", "f.node", "1 4 0\n0 0 1 2 3\n", "f.ele");
  EXPECT_EQ(zero.tets, (std::vector<Tet>{{0, 1, 2, 3}}));
}

TEST(ReadFiles, ByEnding) {
  const TemporaryFolder folder;
  EXPECT_EQ(read_tri_mesh(folder.write("a.obj", test::kObj)).triangles.size(), 6u);
  EXPECT_EQ(read_tri_mesh(folder.write("A.OBJ", test::kObj)).triangles.size(), 6u);
  EXPECT_EQ(read_tri_mesh(folder.write("a.ply", test::ply_binary())).triangles.size(), 3u);
  EXPECT_EQ(read_tri_mesh(folder.write("a.off", test::kOff)).triangles.size(), 4u);
  EXPECT_EQ(read_tri_mesh(folder.write("a.stl", test::stl_binary())).triangles.size(), 2u);
  EXPECT_EQ(read_curve(folder.file("a.obj")).edges.size(), 2u);
  EXPECT_EQ(read_curve(folder.write("b.ply", test::kPlyText)).edges.size(), 1u);
  folder.write("a.node", test::kNode);
  folder.write("a.ele", test::kEle);
  EXPECT_EQ(read_tet_mesh(folder.file("a.ele")).tets.size(), 2u);
  EXPECT_EQ(read_tet_mesh(folder.file("a.node")).tets.size(), 2u);
}

TEST(ReadFiles, RefuseWhatIsNotThereOrNotReadable) {
  const TemporaryFolder folder;
  const auto refuses = [](auto read, const std::string& path, const std::string& text) {
    expect_error([&] { read(path, nullptr); }, path, text);
  };
  refuses(read_tri_mesh, folder.file("none.obj"), "no such file");
  refuses(read_tri_mesh, folder.write("a.fbx", "x"),
          ".fbx is not read here; for a surface use one of: .obj, .ply, .off, .stl");
  refuses(read_tri_mesh, folder.write("noending", "x"), "no ending");
  refuses(read_tri_mesh, folder.write("line.obj", "v 0 0 0\nv 1 0 0\nl 1 2\n"), "has no faces");
  refuses(read_curve, folder.write("face.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n"), "has no lines");
  refuses(read_curve, folder.write("a.off", test::kOff), "for a curve use one of: .obj, .ply");
  refuses(read_tet_mesh, folder.file("line.obj"), ".ele, .node");
  folder.write("alone.ele", test::kEle);
  expect_error([&] { read_tet_mesh(folder.file("alone.ele")); }, folder.file("alone.node"), "no such file");
}

// Real models, where they are at hand.
TEST(ReadFiles, ModelsAtHand) {
  const char* models = std::getenv("PLIANT_MODELS");
  if (models == nullptr || !std::filesystem::is_directory(models)) {
    GTEST_SKIP() << "set PLIANT_MODELS to a folder with armadillo_4k.ele, spot.obj, cow.obj, stanford-bunny.obj";
  }
  const std::string folder = std::string(models) + "/";
  TetMesh armadillo = read_tet_mesh(folder + "armadillo_4k.ele");
  EXPECT_EQ(armadillo.positions.size(), 1180u);
  EXPECT_EQ(armadillo.tets.size(), 3717u);
  EXPECT_EQ(repair(armadillo, "armadillo"), 0);
  TriMesh spot = read_tri_mesh(folder + "spot.obj");
  EXPECT_EQ(spot.positions.size(), 2930u);
  EXPECT_EQ(repair(spot, "spot"), 0);
  test::expect_closed(spot.triangles);
  EXPECT_GT(enclosed_volume(spot), 0);
  EXPECT_EQ(read_tri_mesh(folder + "cow.obj").positions.size(), 2903u);
  EXPECT_EQ(read_tri_mesh(folder + "stanford-bunny.obj").triangles.size(), 69451u);
}

}  // namespace
}  // namespace pliant
