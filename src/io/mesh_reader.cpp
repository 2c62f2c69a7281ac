#include "io/mesh_reader.h"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <utility>

#include <fmt/format.h>

#include "core/file.h"
#include "io/mesh_formats.h"
#include "pliant/error.h"

namespace pliant {

namespace {

struct Format {
  const char* ending;
  MeshParts (*parse)(std::string_view bytes, const std::string& file);
  bool has_edges;
};

constexpr Format kFormats[] = {
    {".obj", parse_obj, true},
    {".ply", parse_ply, true},
    {".off", parse_off, false},
    {".stl", parse_stl, false},
};

std::string ending_of(const std::string& path) {
  std::string ending = std::filesystem::path(path).extension().string();
  std::transform(ending.begin(), ending.end(), ending.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return ending;
}

std::string cannot_read(const std::string& ending) {
  return ending.empty() ? "the file name has no ending" : fmt::format("{} is not read here", ending);
}

MeshParts read_parts(const std::string& path, bool want_edges) {
  const std::string ending = ending_of(path);
  std::string known;
  for (const Format& format : kFormats) {
    if (want_edges && !format.has_edges) continue;
    if (ending == format.ending) return format.parse(read_file(path), path);
    known += fmt::format("{}{}", known.empty() ? "" : ", ", format.ending);
  }
  throw Error(path, cannot_read(ending),
              fmt::format("for a {} use one of: {}", want_edges ? "curve" : "surface", known));
}

}  // namespace

TriMesh read_tri_mesh(const std::string& path) {
  MeshParts parts = read_parts(path, false);
  if (parts.triangles.empty()) throw Error(path, "has no faces", "give a surface");
  return {std::move(parts.positions), std::move(parts.triangles)};
}

TetMesh read_tet_mesh(const std::string& path) {
  const std::string ending = ending_of(path);
  if (ending != ".ele" && ending != ".node") {
    throw Error(path, cannot_read(ending), "for a volume use TetGen's pair of files: .ele, .node");
  }
  const auto beside = [&](const char* other) {
    return ending == other ? path : std::filesystem::path(path).replace_extension(other).string();
  };
  const std::string node_file = beside(".node"), element_file = beside(".ele");
  return parse_tetgen(read_file(node_file), node_file, read_file(element_file), element_file);
}

Curve read_curve(const std::string& path) {
  MeshParts parts = read_parts(path, true);
  if (parts.edges.empty()) throw Error(path, "has no lines", "give a file with l lines (.obj) or edges (.ply)");
  return {std::move(parts.positions), std::move(parts.edges)};
}

}  // namespace pliant
