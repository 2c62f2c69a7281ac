#include "io/tet_mesh_writer.h"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <iterator>
#include <utility>

#include <fmt/format.h>

#include "core/file.h"
#include "io/writer.h"
#include "pliant/error.h"

namespace pliant {

namespace {

/// The files to write: name and content.
using Files = std::vector<std::pair<std::string, std::string>>;

void add_positions(fmt::memory_buffer& out, const TetMesh& mesh, bool numbered, std::size_t first = 0) {
  auto to = std::back_inserter(out);
  for (std::size_t v = 0; v < mesh.positions.size(); ++v) {
    const auto& [x, y, z] = mesh.positions[v];
    if (numbered) fmt::format_to(to, "{} ", v + first);
    fmt::format_to(to, "{} {} {}\n", x, y, z);  // the shortest text that is read back as the same number
  }
}

Files encode_tetgen(const std::string& path, const TetMesh& mesh) {
  fmt::memory_buffer nodes, elements;
  fmt::format_to(std::back_inserter(nodes), "{} 3 0 0\n", mesh.positions.size());
  add_positions(nodes, mesh, true);
  auto to = std::back_inserter(elements);
  fmt::format_to(to, "{} 4 0\n", mesh.tets.size());
  for (std::size_t t = 0; t < mesh.tets.size(); ++t) {
    // TetGen's own tets have the first three corners clockwise seen from the fourth; ours are the same tets with
    // positive volume, and readers, ours as well, take either.
    fmt::format_to(to, "{} {}\n", t, fmt::join(mesh.tets[t], " "));
  }
  const auto beside = [&](const char* ending) {
    return std::filesystem::path(path).replace_extension(ending).string();
  };
  return {{beside(".node"), fmt::to_string(nodes)}, {beside(".ele"), fmt::to_string(elements)}};
}

Files encode_gmsh(const std::string& path, const TetMesh& mesh) {
  fmt::memory_buffer out;
  auto to = std::back_inserter(out);
  fmt::format_to(to, "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n{}\n", mesh.positions.size());
  add_positions(out, mesh, true, 1);
  fmt::format_to(to, "$EndNodes\n$Elements\n{}\n", mesh.tets.size());
  for (std::size_t t = 0; t < mesh.tets.size(); ++t) {
    const auto& [a, b, c, d] = mesh.tets[t];
    fmt::format_to(to, "{} 4 2 1 1 {} {} {} {}\n", t + 1, a + 1, b + 1, c + 1, d + 1);  // type 4, two tags
  }
  fmt::format_to(to, "$EndElements\n");
  return {{path, fmt::to_string(out)}};
}

constexpr int kVtkTetra = 10;

Files encode_vtk(const std::string& path, const TetMesh& mesh) {
  fmt::memory_buffer out;
  auto to = std::back_inserter(out);
  fmt::format_to(to, "# vtk DataFile Version 3.0\npliant\nASCII\nDATASET UNSTRUCTURED_GRID\nPOINTS {} double\n",
                 mesh.positions.size());
  add_positions(out, mesh, false);
  fmt::format_to(to, "CELLS {} {}\n", mesh.tets.size(), 5 * mesh.tets.size());
  for (const Tet& tet : mesh.tets) fmt::format_to(to, "4 {}\n", fmt::join(tet, " "));
  fmt::format_to(to, "CELL_TYPES {}\n", mesh.tets.size());
  for (std::size_t t = 0; t < mesh.tets.size(); ++t) fmt::format_to(to, "{}\n", kVtkTetra);
  return {{path, fmt::to_string(out)}};
}

Files encode_vtu(const std::string& path, const TetMesh& mesh) {
  fmt::memory_buffer out;
  auto to = std::back_inserter(out);
  fmt::format_to(
      to,
      "<?xml version=\"1.0\"?>\n"
      "<VTKFile type=\"UnstructuredGrid\" version=\"1.0\" byte_order=\"LittleEndian\" header_type=\"UInt64\">\n"
      "<UnstructuredGrid>\n<Piece NumberOfPoints=\"{}\" NumberOfCells=\"{}\">\n"
      "<Points>\n<DataArray type=\"Float64\" NumberOfComponents=\"3\" format=\"ascii\">\n",
      mesh.positions.size(), mesh.tets.size());
  add_positions(out, mesh, false);
  fmt::format_to(
      to, "</DataArray>\n</Points>\n<Cells>\n<DataArray type=\"Int64\" Name=\"connectivity\" format=\"ascii\">\n");
  for (const Tet& tet : mesh.tets) fmt::format_to(to, "{}\n", fmt::join(tet, " "));
  fmt::format_to(to, "</DataArray>\n<DataArray type=\"Int64\" Name=\"offsets\" format=\"ascii\">\n");
  for (std::size_t t = 0; t < mesh.tets.size(); ++t) fmt::format_to(to, "{}\n", 4 * (t + 1));
  fmt::format_to(to, "</DataArray>\n<DataArray type=\"UInt8\" Name=\"types\" format=\"ascii\">\n");
  for (std::size_t t = 0; t < mesh.tets.size(); ++t) fmt::format_to(to, "{}\n", kVtkTetra);
  fmt::format_to(to, "</DataArray>\n</Cells>\n</Piece>\n</UnstructuredGrid>\n</VTKFile>\n");
  return {{path, fmt::to_string(out)}};
}

struct Format {
  const char* ending;
  Files (*encode)(const std::string& path, const TetMesh& mesh);
};
constexpr Format kFormats[] = {{".node", encode_tetgen},
                               {".ele", encode_tetgen},
                               {".msh", encode_gmsh},
                               {".vtk", encode_vtk},
                               {".vtu", encode_vtu}};

}  // namespace

std::vector<std::string> tet_mesh_endings() {
  std::vector<std::string> endings;
  for (const Format& format : kFormats) endings.emplace_back(format.ending);
  return endings;
}

void write_tet_mesh(const std::string& path, const TetMesh& mesh) {
  std::string ending = std::filesystem::path(path).extension().string();
  std::transform(ending.begin(), ending.end(), ending.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  for (const Format& format : kFormats) {
    if (ending != format.ending) continue;
    make_folder_of(path);
    for (const auto& [file, content] : format.encode(path, mesh)) write_file(file, content);
    return;
  }
  throw Error(path, ending.empty() ? "the file name has no ending" : fmt::format("{} cannot hold tets", ending),
              fmt::format("use one of: {}", fmt::join(tet_mesh_endings(), ", ")));
}

}  // namespace pliant
