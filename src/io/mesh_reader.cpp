#include "io/mesh_reader.h"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <utility>

#include <fmt/format.h>

#include "core/file.h"
#include "io/cells.h"
#include "io/mesh_formats.h"
#include "mesh/topology.h"
#include "pliant/error.h"

namespace pliant {

namespace {

std::string ending_of(const std::string& path) {
  std::string ending = std::filesystem::path(path).extension().string();
  std::transform(ending.begin(), ending.end(), ending.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return ending;
}

/// What a glTF file names beside itself; only files of its own folder and below.
MeshParts parse_gltf_file(std::string_view bytes, const std::string& file) {
  return parse_gltf(bytes, file, [&](const std::string& name) {
    const std::filesystem::path inner = std::filesystem::path(name).lexically_normal();
    if (inner.empty() || inner.is_absolute() || *inner.begin() == "..") {
      throw Error(file, "names a buffer outside of its folder", "put the buffer beside it");
    }
    return read_file((std::filesystem::path(file).parent_path() / inner).string());
  });
}

struct Format {
  const char* ending;
  MeshParts (*parse)(std::string_view bytes, const std::string& file);
  bool has_triangles, has_edges, has_tets;
};

constexpr Format kFormats[] = {
    {".obj", parse_obj, true, true, false},        {".ply", parse_ply, true, true, false},
    {".off", parse_off, true, false, false},       {".stl", parse_stl, true, false, false},
    {".gltf", parse_gltf_file, true, true, false}, {".glb", parse_gltf_file, true, true, false},
    {".msh", parse_gmsh, true, true, true},        {".vtk", parse_vtk, true, true, true},
    {".vtu", parse_vtu, true, true, true},         {".vtp", parse_vtu, true, true, false},
};

std::string cannot_read(const std::string& ending) {
  return ending.empty() ? "the file name has no ending" : fmt::format("{} is not read here", ending);
}

/// `holds` says which formats will do, `kind` what is wanted of them.
MeshParts read_parts(const std::string& path, bool Format::*holds, const char* kind, const char* more = "") {
  const std::string ending = ending_of(path);
  std::string known = more;
  for (const Format& format : kFormats) {
    if (!(format.*holds)) continue;
    if (ending == format.ending) return format.parse(read_file(path), path);
    known += fmt::format("{}{}", known.empty() ? "" : ", ", format.ending);
  }
  throw Error(path, cannot_read(ending), fmt::format("for a {} use one of: {}", kind, known));
}

/// Formats that mix kinds of elements have vertices that the wanted kind does not use.
template <class Element>
void keep_used(MeshParts& parts, std::vector<Element>& elements, const std::string& path,
               std::vector<std::string>* notes) {
  if (may_have_tets(path)) {
    const int64_t dropped = drop_unused(parts.positions, elements);
    if (dropped > 0) {
      parts.notes.push_back(fmt::format("{}: {} vertices that nothing uses were left out", path, dropped));
    }
  }
  if (notes != nullptr) notes->insert(notes->end(), parts.notes.begin(), parts.notes.end());
}

void rewind_with_note(TetMesh& mesh, const std::string& path, std::vector<std::string>* notes) {
  const int turned = rewind_inverted(mesh);
  if (turned > 0 && notes != nullptr)
    notes->push_back(fmt::format("{}: {} inverted tets were turned around", path, turned));
}

}  // namespace

bool may_have_tets(const std::string& path) {
  const std::string ending = ending_of(path);
  return ending == ".msh" || ending == ".vtk" || ending == ".vtu" || ending == ".node" || ending == ".ele";
}

TriMesh read_tri_mesh(const std::string& path, std::vector<std::string>* notes) {
  MeshParts parts = read_parts(path, &Format::has_triangles, "surface");
  if (parts.triangles.empty()) throw Error(path, "has no faces", "give a surface");
  keep_used(parts, parts.triangles, path, notes);
  return {std::move(parts.positions), std::move(parts.triangles), std::move(parts.texture_coordinates)};
}

TetMesh read_tet_mesh(const std::string& path, std::vector<std::string>* notes) {
  const std::string ending = ending_of(path);
  if (ending == ".ele" || ending == ".node") {
    const auto beside = [&](const char* other) {
      return ending == other ? path : std::filesystem::path(path).replace_extension(other).string();
    };
    const std::string node_file = beside(".node"), element_file = beside(".ele");
    TetMesh mesh = parse_tetgen(read_file(node_file), node_file, read_file(element_file), element_file);
    rewind_with_note(mesh, path, notes);
    return mesh;
  }
  MeshParts parts = read_parts(path, &Format::has_tets, "volume", "TetGen's pair of files (.ele, .node)");
  if (parts.tets.empty()) throw Error(path, "has no tets", "give a volume mesh");
  keep_used(parts, parts.tets, path, notes);
  TetMesh mesh{std::move(parts.positions), std::move(parts.tets)};
  rewind_with_note(mesh, path, notes);
  return mesh;
}

Curve read_curve(const std::string& path, std::vector<std::string>* notes) {
  MeshParts parts = read_parts(path, &Format::has_edges, "curve");
  if (parts.edges.empty()) throw Error(path, "has no lines", "give a file with l lines (.obj) or edges (.ply)");
  keep_used(parts, parts.edges, path, notes);
  return {std::move(parts.positions), std::move(parts.edges)};
}

}  // namespace pliant
