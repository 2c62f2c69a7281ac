// Readers of formats that mix elements (Gmsh, VTK), and of glTF.

#include <gtest/gtest.h>

#include <cmath>

#include "io/mesh_formats.h"
#include "io/mesh_reader.h"
#include "io/sample_volumes.h"
#include "io/small_world.h"
#include "mesh/mesh_checks.h"
#include "pliant/pliant.h"
#include "scene/temporary_folder.h"

namespace pliant {
namespace {

bool same(const Vec2d& a, const Vec2d& b) { return a.x == b.x && a.y == b.y; }

using test::expect_error;
using test::kTwoTetPoints;
using test::kTwoTets;
using test::TemporaryFolder;

TEST(ReadGmsh, BothVersionsTextAndBinary) {
  for (const std::string& bytes : {test::msh22_binary(), test::kMsh41, test::msh41_binary()}) {
    const MeshParts mesh = parse_gmsh(bytes, "f.msh");
    EXPECT_EQ(mesh.positions, kTwoTetPoints);
    EXPECT_EQ(mesh.tets, kTwoTets);
    EXPECT_TRUE(mesh.notes.empty());
  }
}

TEST(ReadGmsh, MixedElementsAreNamed) {
  const MeshParts mesh = parse_gmsh(test::kMsh22, "f.msh");
  EXPECT_EQ(mesh.tets, kTwoTets);
  EXPECT_EQ(mesh.triangles, (std::vector<Triangle>{{0, 2, 1}}));
  ASSERT_EQ(mesh.notes.size(), 2u);
  EXPECT_NE(mesh.notes[0].find("1 cells of type point were skipped"), std::string::npos) << mesh.notes[0];
  EXPECT_NE(mesh.notes[1].find("1 cells of type pyramid were skipped"), std::string::npos) << mesh.notes[1];
}

TEST(ReadGmsh, BigEndianToo) {
  std::string out = "$MeshFormat\n2.2 1 8\n";
  const auto big = std::endian::big;
  test::put<int32_t>(out, 1, big);
  out += "\n$EndMeshFormat\n$Nodes\n1\n";
  test::put<int32_t>(out, 1, big);
  for (const double x : {1.5, 2.5, 3.5}) test::put<double>(out, x, big);
  EXPECT_EQ(parse_gmsh(out + "\n$EndNodes\n", "f.msh").positions, (std::vector<Vec3d>{{1.5, 2.5, 3.5}}));
}

TEST(ReadGmsh, MistakesAreNamed) {
  const auto refuses = [](const std::string& bytes, const char* text) {
    expect_error([&] { parse_gmsh(bytes, "f.msh"); }, "f.msh", text);
  };
  const std::string head = "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n";
  refuses("", "has no $MeshFormat");
  refuses("$Nodes\n1\n1 0 0 0\n$EndNodes\n", "does not start with $MeshFormat");
  refuses(head + "$Nodes\n2\n1 0 0 0\n1 0 0 1\n$EndNodes\n", "two nodes with number 1");
  refuses(head + "$Nodes\n1\n1 0 0 0\n$EndNodes\n$Elements\n1\n1 4 0 1 1 1 7\n$EndElements\n",
          "node 7, which does not");
  refuses(head + "$Nodes\n1\n1 0 0 0\n", "does not end");
  expect_error([] { parse_gmsh("$MeshFormat\n3 0 8\n$EndMeshFormat\n", "f.msh"); }, "f.msh:2",
               "version \"3\" is not read");
  expect_error([&] { parse_gmsh(head + "$Nodes\n1\n1 0 nan 0\n$EndNodes\n", "f.msh"); }, "f.msh:6", "\"nan\"");
}

TEST(ReadVtk, TextAndBinary) {
  const MeshParts text = parse_vtk(test::kVtkText, "f.vtk");
  EXPECT_EQ(text.positions, kTwoTetPoints);
  EXPECT_EQ(text.tets, kTwoTets);
  ASSERT_EQ(text.notes.size(), 1u);
  EXPECT_NE(text.notes[0].find("1 cells of type wedge"), std::string::npos);
  const MeshParts binary = parse_vtk(test::vtk_binary(), "f.vtk");
  EXPECT_EQ(binary.positions, kTwoTetPoints);
  EXPECT_EQ(binary.tets, kTwoTets);
}

TEST(ReadVtk, Polygons) {
  const MeshParts mesh = parse_vtk(
      "# vtk DataFile Version 3.0\nt\nASCII\nDATASET POLYDATA\nPOINTS 4 float\n0 0 0 1 0 0 1 1 0 0 1 0\n"
      "VERTICES 1 2\n1 0\nLINES 1 4\n3 0 1 2\nPOLYGONS 1 5\n4 0 1 2 3\nTRIANGLE_STRIPS 1 5\n4 0 1 3 2\n",
      "f.vtk");
  EXPECT_EQ(mesh.edges, (std::vector<Edge>{{0, 1}, {1, 2}}));
  ASSERT_EQ(mesh.triangles.size(), 4u);
  for (const Triangle& t : mesh.triangles) {
    EXPECT_GT(cross(mesh.positions[static_cast<std::size_t>(t[1])] - mesh.positions[static_cast<std::size_t>(t[0])],
                    mesh.positions[static_cast<std::size_t>(t[2])] - mesh.positions[static_cast<std::size_t>(t[0])])
                  .z,
              0)
        << "all face the same way";
  }
}

TEST(ReadVtk, MistakesAreNamed) {
  const std::string head = "# vtk DataFile Version 3.0\nt\nASCII\nDATASET UNSTRUCTURED_GRID\n";
  const auto refuses = [](const std::string& bytes, const char* where, const char* text) {
    expect_error([&] { parse_vtk(bytes, "f.vtk"); }, where, text);
  };
  refuses("vtk", "f.vtk", "does not start with");
  refuses("# vtk DataFile Version 3.0\nt\nDATASET X\n", "f.vtk:3", "neither ASCII nor BINARY");
  refuses("# vtk DataFile Version 3.0\nt\nASCII\nDATASET STRUCTURED_POINTS\n", "f.vtk:4", "is not read");
  refuses(head + "POINTS 1 float\n0 0 0\nCELLS 1 5\n4 0 0 0 1\nCELL_TYPES 1\n10\n", "f.vtk: cell 0",
          "node 1 does not exist");
  refuses(head + "POINTS 1 float\n0 0 0\nCELLS 1 5\n9 0 0 0 1\n", "f.vtk", "more than the list has left");
  refuses(head + "POINTS 1 float\n0 0 0\nCELLS 1 5\n4 0 0 0 0\n", "f.vtk", "but types of 0");
}

TEST(ReadVtu, AllEncodings) {
  for (const std::string& bytes : {test::vtu_text(), test::vtu_base64(), test::vtu_zlib(), test::vtu_raw()}) {
    const MeshParts mesh = parse_vtu(bytes, "f.vtu");
    EXPECT_EQ(mesh.positions, kTwoTetPoints);
    EXPECT_EQ(mesh.tets, kTwoTets);
  }
}

TEST(ReadVtu, OurOwnComeBack) {
  const TemporaryFolder folder;
  World world = test::falling_world();
  world.step();
  Writer(folder.file("a.vtu")).write(world);
  const TetMesh mesh = read_tet_mesh(folder.file("a.0000.vtu"));
  const std::vector<Vec3d> positions = world.positions(BodyId{1});
  ASSERT_EQ(mesh.tets.size(), world.tets(BodyId{1}).size());
  ASSERT_EQ(mesh.positions.size(), positions.size()) << "those of the tets only";
  for (std::size_t v = 0; v < positions.size(); ++v)
    EXPECT_EQ(cast<float>(mesh.positions[v]), cast<float>(positions[v]));
}

TEST(ReadVtu, MistakesAreNamed) {
  const auto refuses = [](const std::string& bytes, const char* text) {
    expect_error([&] { parse_vtu(bytes, "f.vtu"); }, "f.vtu", text);
  };
  refuses("<html></html>", "is no VTK file");
  refuses("<VTKFile type=\"ImageData\">", "\"ImageData\", which is not read");
  refuses("<VTKFile type=\"UnstructuredGrid\" compressor=\"vtkLZ4DataCompressor\">", "compressed by");
  std::string damaged = test::vtu_zlib();
  damaged.replace(damaged.find("eJxjYEAGDfY"), 11, "eJxjYEAGXfY");
  refuses(damaged, "compressed block is damaged");
  std::string offset = test::vtu_raw();
  offset.replace(offset.find("\"140\""), 5, "\"999\"");
  refuses(offset, "no place of the appended data");
}

TEST(ReadGltf, WeldsPlacesAndKeepsTexture) {
  const auto none = [](const std::string& name) -> std::string { throw Error(name, "is not there"); };
  const std::string beside = test::gltf_json("\"uri\": \"square.bin\", ");
  for (const MeshParts& mesh :
       {parse_gltf(test::glb(), "f.glb", none), parse_gltf(beside, "f.gltf", [](const std::string& name) {
          EXPECT_EQ(name, "square.bin");
          return test::gltf_buffer();
        })}) {
    ASSERT_EQ(mesh.positions.size(), 4u);
    ASSERT_EQ(mesh.triangles, (std::vector<Triangle>{{0, 1, 2}, {0, 2, 3}}));
    // Doubled, moved by 10 along x, then turned by a right angle about z: (1, 1, 0) -> (12, 2, 0) -> (-2, 12, 0).
    EXPECT_NEAR(length(mesh.positions[2] - Vec3d{-2, 12, 0}), 0, 1e-12);
    ASSERT_EQ(mesh.texture_coordinates.size(), 2u);
    EXPECT_TRUE(same(mesh.texture_coordinates[0][0], {0, 0})) << "counted from below";
    EXPECT_TRUE(same(mesh.texture_coordinates[1][1], {0.75, 1})) << "the same vertex, another place in the picture";
    ASSERT_EQ(mesh.notes.size(), 1u);
    EXPECT_NE(mesh.notes[0].find("mode 0"), std::string::npos);
  }
}

TEST(ReadGltf, OurOwnComeBack) {
  const TemporaryFolder folder;
  World world = test::falling_world();
  Writer out(folder.file("a.glb"));
  out.write(world);
  out.close();
  const TriMesh mesh = read_tri_mesh(folder.file("a.glb"));
  EXPECT_EQ(mesh.triangles.size(), 18u + 108u);
  EXPECT_EQ(mesh.positions.size(), 16u + 56u + 5u);
  EXPECT_TRUE(mesh.texture_coordinates.empty()) << "not all triangles have them";
  EXPECT_EQ(read_curve(folder.file("a.glb")).edges.size(), 4u);
}

TEST(ReadGltf, MistakesAreNamed) {
  const auto refuses = [](std::string json, const char* what, const char* with, const char* text) {
    if (*what) json.replace(json.find(what), std::string(what).size(), with);
    expect_error([&] { parse_gltf(json, "f.gltf", [](const std::string&) { return test::gltf_buffer(); }); }, "f.gltf",
                 text);
  };
  const std::string good = test::gltf_json("\"uri\": \"b\", ");
  refuses("{", "", "", "is no glTF");
  refuses("[]", "", "", "has no asset");
  refuses(good, "\"children\": [0]", "\"children\": [1]", "do not form a tree");
  refuses(good, "\"children\": [0]", "\"children\": [7]", "nodes[7] does not exist");
  refuses(good, "\"count\": 6", "\"count\": 99", "goes beyond its buffer");
  refuses(good, "\"count\": 6", "\"count\": 1e9", "count is no whole number");
  refuses(good, "\"byteLength\": 120", "\"byteLength\": 1200", "goes beyond its buffer");
  refuses(good, "\"type\": \"VEC3\"", "\"type\": \"VEC2\"", "is not of type VEC3");
  refuses(good, "\"asset\"", "\"extensionsRequired\": [\"KHR_draco_mesh_compression\"], \"asset\"", "compressed");
  const TemporaryFolder folder;
  const std::string outside = folder.write("a.gltf", test::gltf_json("\"uri\": \"../../etc/passwd\", "));
  expect_error([&] { read_tri_mesh(outside); }, outside, "outside of its folder");
}

TEST(ReadObj, TextureCoordinatesOfCorners) {
  const std::string vertices = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nvt 0 0\nvt 1 0\nvt 1 1\nvt 0.25 0.5\n";
  const MeshParts mesh = parse_obj(vertices + "f 1/1 2/2 3/3\nf 1/4/1 3/-2/1 4/1/1\n", "x");
  ASSERT_EQ(mesh.texture_coordinates.size(), 2u);
  EXPECT_TRUE(same(mesh.texture_coordinates[1][0], {0.25, 0.5}));
  EXPECT_TRUE(same(mesh.texture_coordinates[1][1], {1, 1}));
  const MeshParts quad = parse_obj(vertices + "f 1/1 2/2 3/3 4/4\n", "x");
  ASSERT_EQ(quad.texture_coordinates.size(), 2u);
  for (std::size_t t = 0; t < 2; ++t) {
    for (std::size_t i = 0; i < 3; ++i) {
      const Vec2d expected[] = {{0, 0}, {1, 0}, {1, 1}, {0.25, 0.5}};
      EXPECT_TRUE(same(quad.texture_coordinates[t][i], expected[quad.triangles[t][i]]));
    }
  }
  EXPECT_TRUE(parse_obj(vertices + "f 1/1 2/2 3/3\nf 1 3 4\n", "x").texture_coordinates.empty()) << "not all have them";
  expect_error([&] { parse_obj(vertices + "f 1/1 2/9 3/3\n", "a.obj"); }, "a.obj:9",
               "texture coordinates \"9\" do not exist");
}

TEST(ReadFiles, VolumesByEnding) {
  const TemporaryFolder folder;
  std::vector<std::string> notes;
  for (const auto& [name, bytes] : std::vector<std::pair<std::string, std::string>>{
           {"a.msh", test::kMsh22}, {"a.vtk", test::kVtkText}, {"a.vtu", test::vtu_raw()}}) {
    const TetMesh mesh = read_tet_mesh(folder.write(name, bytes), &notes);
    EXPECT_EQ(mesh.positions, kTwoTetPoints);
    EXPECT_NEAR(volume(mesh), 0.5, 1e-15) << "wound to positive volume";
  }
  const auto has_note = [&](const char* text) {
    return std::any_of(notes.begin(), notes.end(),
                       [&](const std::string& n) { return n.find(text) != std::string::npos; });
  };
  EXPECT_TRUE(has_note("1 vertices that nothing uses"));
  EXPECT_TRUE(has_note("pyramid"));
  EXPECT_TRUE(has_note("1 inverted tets were turned around"));
  const TriMesh face = read_tri_mesh(folder.file("a.msh"));
  EXPECT_EQ(face.positions.size(), 3u) << "those of the triangle only";
  expect_error([&] { read_tet_mesh(folder.write("a.obj", "v 0 0 0\n")); }, folder.file("a.obj"), ".vtu");
}

}  // namespace
}  // namespace pliant
