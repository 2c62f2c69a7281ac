#include "io/tet_mesh_writer.h"

#include <gtest/gtest.h>

#include <sstream>

#include "io/mesh_reader.h"
#include "mesh/mesh_checks.h"
#include "scene/temporary_folder.h"

namespace pliant {
namespace {

using test::read_text;
using test::TemporaryFolder;

TEST(TetMeshWriter, TetGenComesBackExactly) {
  const TemporaryFolder folder;
  const TetMesh mesh = ball_tets(1.0 / 3, 4);
  write_tet_mesh(folder.file("new/a.ele"), mesh);
  const TetMesh again = read_tet_mesh(folder.file("new/a.node"));
  EXPECT_EQ(again.positions, mesh.positions);
  EXPECT_EQ(again.tets, mesh.tets);
}

/// The numbers that follow a word.
std::vector<double> numbers_after(const std::string& text, const std::string& word, std::size_t count) {
  std::istringstream in(text.substr(text.find(word) + word.size()));
  std::vector<double> out(count);
  for (double& x : out) in >> x;
  return out;
}

TEST(TetMeshWriter, OtherFormatsHaveTheirNumbersInPlace) {
  const TemporaryFolder folder;
  const TetMesh mesh{{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 0.1}}, {{0, 1, 2, 3}}};
  for (const char* name : {"a.msh", "a.vtk", "a.VTU"}) write_tet_mesh(folder.file(name), mesh);

  const std::string msh = read_text(folder.file("a.msh"));
  EXPECT_EQ(msh.find("$MeshFormat\n2.2 0 8\n$EndMeshFormat\n"), 0u);
  EXPECT_EQ(numbers_after(msh, "$Nodes", 9), (std::vector<double>{4, 1, 0, 0, 0, 2, 1, 0, 0}));
  EXPECT_EQ(numbers_after(msh, "$Elements", 10), (std::vector<double>{1, 1, 4, 2, 1, 1, 1, 2, 3, 4}));

  const std::string vtk = read_text(folder.file("a.vtk"));
  EXPECT_EQ(vtk.find("# vtk DataFile Version 3.0\n"), 0u);
  EXPECT_EQ(numbers_after(vtk, "double", 12), (std::vector<double>{0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 0.1}));
  EXPECT_EQ(numbers_after(vtk, "CELLS", 7), (std::vector<double>{1, 5, 4, 0, 1, 2, 3}));
  EXPECT_EQ(numbers_after(vtk, "CELL_TYPES", 2), (std::vector<double>{1, 10}));

  const std::string vtu = read_text(folder.file("a.VTU"));
  EXPECT_NE(vtu.find("NumberOfPoints=\"4\" NumberOfCells=\"1\""), std::string::npos);
  EXPECT_EQ(numbers_after(vtu, "Name=\"connectivity\" format=\"ascii\">", 4), (std::vector<double>{0, 1, 2, 3}));
  EXPECT_EQ(numbers_after(vtu, "Name=\"offsets\" format=\"ascii\">", 1), (std::vector<double>{4}));
  EXPECT_EQ(numbers_after(vtu, "Name=\"types\" format=\"ascii\">", 1), (std::vector<double>{10}));
}

TEST(TetMeshWriter, RefusesUnknownEndings) {
  test::expect_error([] { write_tet_mesh("a.obj", box_tets({1, 1, 1}, {1, 1, 1})); }, "a.obj", "cannot hold tets");
  test::expect_error([] { write_tet_mesh("a", box_tets({1, 1, 1}, {1, 1, 1})); }, "a", "no ending");
}

}  // namespace
}  // namespace pliant
