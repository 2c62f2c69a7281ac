#include "io/writer.h"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <sstream>

#include "io/body_shape.h"
#include "io/mesh_reader.h"
#include "mesh/mesh_checks.h"
#include "pliant/pliant.h"
#include "scene/temporary_folder.h"

namespace pliant {
namespace {

using test::expect_error;
using test::read_text;
using test::TemporaryFolder;

/// A cloth, a solid with an inner vertex, and a rope.
World small_world() {
  World world({.step = 1.0 / 60, .substeps = 2, .threads = 1});
  world.add(Cloth{.name = "sheet", .mesh = grid({1, 1}, {2, 2}), .place = {.position = {0, 2, 0}}});
  world.add(Solid{.name = "jelly", .mesh = box_tets({1, 1, 1}, {2, 2, 2})});
  world.add(Rope{.name = "line", .mesh = rope({3, 0, 0}, {3, 1, 0}, 4)});
  return world;
}

TEST(Writer, NumbersFilesFromZero) {
  const TemporaryFolder folder;
  World world = small_world();
  Writer out(folder.file("a.obj"));
  EXPECT_TRUE(folder.names().empty());
  for (int frame = 0; frame < 3; ++frame) out.write(world);
  out.close();
  EXPECT_EQ(folder.names(), (std::vector<std::string>{"a.0000.obj", "a.0001.obj", "a.0002.obj"}));
  EXPECT_EQ(out.summary(), folder.file("a.0000.obj") + " ... " + folder.file("a.0002.obj"));
}

TEST(Writer, PutsTheNumberWhereItIsWanted) {
  const TemporaryFolder folder;
  const World world = small_world();
  Writer out(folder.file("x##_frame_###_v1.PLY"));
  EXPECT_NE(out.summary().find("x##_frame_###_v1.PLY"), std::string::npos) << "nothing was written yet";
  out.write(world);
  EXPECT_EQ(out.summary(), folder.file("x##_frame_000_v1.PLY"));
  Writer narrow(folder.file("#.obj"));
  for (int frame = 0; frame < 11; ++frame) narrow.write(world);
  EXPECT_EQ(folder.names().size(), 12u);
  EXPECT_EQ(narrow.summary(), folder.file("0.obj") + " ... " + folder.file("10.obj"));
}

TEST(Writer, MakesMissingFoldersAndLeavesThemAlone) {
  const TemporaryFolder folder;
  const World world = small_world();
  Writer out(folder.file("new#1/deep.d/a.obj"));
  out.write(world);
  EXPECT_TRUE(std::filesystem::exists(folder.file("new#1/deep.d/a.0000.obj")));
  folder.write("file", "x");
  expect_error([&] { Writer(folder.file("file/a.obj")); }, folder.file("file/a.obj"), "cannot be made");
}

TEST(Writer, RefusesUnknownEndings) {
  expect_error([] { Writer("a.xyz"); }, "a.xyz", ".xyz cannot be written; use one of: .usda, .glb");
  expect_error([] { Writer("folder.obj/a"); }, "folder.obj/a", "no ending; use one of: .usda, .glb");
  expect_error([] { Writer(""); }, "", "no ending");
}

TEST(Writer, WritesNothingAfterClose) {
  const TemporaryFolder folder;
  const World world = small_world();
  Writer out(folder.file("a.obj"));
  out.close();
  out.close();
  expect_error([&] { out.write(world); }, "Writer", "closed");
  Writer moved(folder.file("b.obj"));
  Writer taken(std::move(moved));
  taken.write(world);
  expect_error([&] { moved.write(world); }, "Writer", "moved from");
  taken = Writer(folder.file("c.obj"));
  taken.write(world);
  EXPECT_EQ(folder.names(), (std::vector<std::string>{"b.0000.obj", "c.0000.obj"}));
}

TEST(Writer, ObjComesBackAsItWas) {
  const TemporaryFolder folder;
  World world = small_world();
  for (int i = 0; i < 5; ++i) world.step();
  Writer(folder.file("a.obj")).write(world);
  const std::string path = folder.file("a.0000.obj");
  const TriMesh read = read_tri_mesh(path);
  const std::vector<BodyShape> shapes = shapes_of(world);
  ASSERT_EQ(shapes.size(), 3u);
  ASSERT_EQ(read.positions.size(), 9u + 26u + 5u) << "without the inner vertex of the box";
  ASSERT_EQ(read.triangles.size(), 8u + 48u);
  std::size_t vertex = 0;
  for (const BodyShape& shape : shapes) {
    for (const Vec3d& x : shape.positions) {
      EXPECT_NEAR(length(read.positions[vertex] - x), 0, 4e-9 * (1 + length(x)));  // nine digits
      ++vertex;
    }
  }
  for (std::size_t t = 0; t < 48; ++t) {
    for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(read.triangles[8 + t][i], 9 + shapes[1].triangles[t][i]);
  }
  const Curve line = read_curve(path);
  EXPECT_EQ(line.edges, (std::vector<Edge>{{35, 36}, {36, 37}, {37, 38}, {38, 39}}));
  const std::string text = read_text(path);
  for (const char* object : {"\no sheet\n", "\no jelly\n", "\no line\n"}) {
    EXPECT_NE(text.find(object), std::string::npos) << object;
  }
  EXPECT_NE(text.find("\nl 36 37 38 39 40\n"), std::string::npos) << "one line per rope";
}

TEST(Writer, PlyComesBackToTheFloat) {
  const TemporaryFolder folder;
  World world = small_world();
  for (int i = 0; i < 5; ++i) world.step();
  Writer(folder.file("a.ply")).write(world);
  const std::string path = folder.file("a.0000.ply");
  const TriMesh read = read_tri_mesh(path);
  std::size_t vertex = 0, triangle = 0;
  for (const BodyShape& shape : shapes_of(world)) {
    for (const Triangle& t : shape.triangles) {
      for (std::size_t i = 0; i < 3; ++i) {
        const Vec3d there = test::at(read.positions, read.triangles[triangle][i]);
        EXPECT_EQ(cast<float>(there), cast<float>(test::at(shape.positions, t[i])));
      }
      ++triangle;
    }
    for (const Vec3d& x : shape.positions) EXPECT_EQ(cast<float>(read.positions[vertex++]), cast<float>(x));
  }
  EXPECT_EQ(vertex, read.positions.size());
  EXPECT_EQ(triangle, read.triangles.size());
  EXPECT_EQ(read_curve(path).edges, (std::vector<Edge>{{35, 36}, {36, 37}, {37, 38}, {38, 39}}));
  const std::string text = read_text(path);
  EXPECT_NE(text.find("comment body jelly vertices 9 26 faces 8 48 edges 0 0\n"), std::string::npos);
  EXPECT_NE(text.find("comment body line vertices 35 5 faces 56 0 edges 0 4\n"), std::string::npos);
}

TEST(Writer, ReplacesOldFilesWhole) {
  const TemporaryFolder folder;
  const World world = small_world();
  folder.write("a.0000.obj", "old");
  Writer(folder.file("a.obj")).write(world);
  EXPECT_EQ(folder.names(), (std::vector<std::string>{"a.0000.obj"})) << "no temporary file is left";
  EXPECT_EQ(read_tri_mesh(folder.file("a.0000.obj")).triangles.size(), 56u);
}

TEST(Writer, AWorldWithoutBodiesIsAValidFile) {
  const TemporaryFolder folder;
  const World world;
  Writer(folder.file("a.obj")).write(world);
  Writer(folder.file("a.ply")).write(world);
  expect_error([&] { read_tri_mesh(folder.file("a.0000.obj")); }, folder.file("a.0000.obj"), "has no faces");
  expect_error([&] { read_tri_mesh(folder.file("a.0000.ply")); }, folder.file("a.0000.ply"), "has no faces");
}

TEST(Writer, NamesStayOnOneLine) {
  const TemporaryFolder folder;
  World world({.threads = 1});
  world.add(Cloth{.name = "two\nlines\\", .mesh = grid({1, 1}, {1, 1})});
  Writer(folder.file("a.obj")).write(world);
  EXPECT_NE(read_text(folder.file("a.0000.obj")).find("\no two_lines_\n"), std::string::npos);
}

TEST(VertexNormals, AreUnitAndWeightedByArea) {
  const TriMesh ball = sphere(3, 3);
  const std::vector<Vec3d> normals = vertex_normals(ball.positions, ball.triangles);
  for (std::size_t v = 0; v < normals.size(); ++v) {
    EXPECT_NEAR(length(normals[v]), 1, 1e-14);
    EXPECT_GT(dot(normals[v], ball.positions[v]) / 3, 0.999);
  }
  // At a corner between triangles of area 2 (facing z) and 1/2 (facing x).
  const std::vector<Vec3d> x = {{0, 0, 0}, {2, 0, 0}, {0, 2, 0}, {0, 0, 0.5}};
  const Vec3d n = vertex_normals(x, {{0, 1, 2}, {0, 2, 3}})[0];
  EXPECT_NEAR(n.z / n.x, 4, 1e-12);
  EXPECT_EQ(vertex_normals(x, {{0, 1, 2}, {0, 2, 1}})[0], (Vec3d{0, 1, 0})) << "no direction at all";
}

}  // namespace
}  // namespace pliant
