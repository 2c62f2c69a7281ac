// Wavefront OBJ: v, vt, f and l lines; all others (normals, groups, materials) are skipped. Numbers count from 1, or
// from the latest vertex backwards where negative. Texture coordinates are kept where all faces have them.

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "io/mesh_formats.h"
#include "io/text_reader.h"

namespace pliant {

namespace {

/// A line that ends in a backslash goes on in the next one. The breaks that this takes out follow at the
/// end of the joined line, so that all later lines keep their numbers.
std::string joined_lines(std::string_view text) {
  std::string joined;
  joined.reserve(text.size());
  std::size_t owed = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const std::size_t end = text.substr(i).starts_with("\\\r\n") ? 3 : text.substr(i).starts_with("\\\n") ? 2 : 0;
    if (end > 0) {
      joined += ' ';
      ++owed;
      i += end - 1;
    } else {
      joined += text[i];
      if (text[i] == '\n') joined.append(std::exchange(owed, 0), '\n');
    }
  }
  return joined;
}

/// Number in the file, from 1 or backwards from -1, to number from 0; -1 where there is no such thing.
int64_t resolved(int64_t number, std::size_t so_far, std::size_t count) {
  const int64_t index = number > 0 ? number - 1 : static_cast<int64_t>(so_far) + number;
  return number == 0 || index < 0 || index >= static_cast<int64_t>(count) ? -1 : index;
}

/// The position's number of "7", "7/1", "7//3" or "-2/-1", and that of the texture coordinates, -1: none.
struct Corner {
  int vertex;
  int64_t texture;
};

Corner corner(TextReader& in, std::size_t vertices_so_far, std::size_t vertex_count, std::size_t textures_so_far,
              std::size_t texture_count) {
  const std::string_view word = in.word("a vertex number");
  const std::size_t slash = std::min(word.find('/'), word.size());
  int64_t number = 0;
  if (!parse_integer(word.substr(0, slash), number)) {
    in.fail("a corner does not start with a vertex number", "write 3, 3/1 or 3/1/2");
  }
  const int64_t index = resolved(number, vertices_so_far, vertex_count);
  if (index < 0) {
    in.fail(fmt::format("vertex {} does not exist; the file has {}", number, vertex_count),
            "number vertices from 1, or backwards from -1");
  }
  Corner found{static_cast<int>(index), -1};
  if (slash == word.size()) return found;
  std::string_view texture = word.substr(slash + 1);
  texture = texture.substr(0, texture.find('/'));
  if (texture.empty()) return found;
  if (parse_integer(texture, number)) found.texture = resolved(number, textures_so_far, texture_count);
  if (found.texture < 0) {
    in.fail(fmt::format("texture coordinates {} do not exist; the file has {}", in_quotes(texture), texture_count),
            "number vt lines from 1, or backwards from -1");
  }
  return found;
}

/// Texture coordinates of the triangles that a polygon was cut into, from `first` on; false where it has none.
bool add_texture(const std::vector<int>& corners, const std::vector<int64_t>& textures,
                 const std::vector<Vec2d>& coordinates, std::size_t first, MeshParts& mesh) {
  for (const int64_t texture : textures) {
    if (texture < 0) return false;
  }
  for (std::size_t t = first; t < mesh.triangles.size(); ++t) {
    std::array<Vec2d, 3> of_corners;
    for (std::size_t i = 0; i < 3; ++i) {
      const auto at = std::find(corners.begin(), corners.end(), mesh.triangles[t][i]) - corners.begin();
      of_corners[i] = coordinates[static_cast<std::size_t>(textures[static_cast<std::size_t>(at)])];
    }
    mesh.texture_coordinates.push_back(of_corners);
  }
  return true;
}

}  // namespace

MeshParts parse_obj(std::string_view text, const std::string& file) {
  std::string joined;
  if (text.find('\\') != std::string_view::npos) text = joined = joined_lines(text);

  // Faces may name vertices that come later: vertices first.
  MeshParts mesh;
  std::vector<Vec2d> textures;
  for (TextReader in(text, file, '#'); in.next_line();) {
    const std::string_view keyword = in.word("a keyword");
    if (keyword == "v") {
      const double x = in.number("a coordinate"), y = in.number("a coordinate"), z = in.number("a coordinate");
      mesh.positions.push_back({x, y, z});
    } else if (keyword == "vt") {
      const double s = in.number("a coordinate");
      textures.push_back({s, in.has_word() ? in.number("a coordinate") : 0});
    }
  }
  std::size_t vertices_so_far = 0, textures_so_far = 0;
  bool textured = true;  // all faces up to now
  std::vector<int> corners;
  std::vector<int64_t> corner_textures;
  for (TextReader in(text, file, '#'); in.next_line();) {
    const std::string_view keyword = in.word("a keyword");
    if (keyword == "v") ++vertices_so_far;
    if (keyword == "vt") ++textures_so_far;
    if (keyword != "f" && keyword != "l") continue;
    corners.clear();
    corner_textures.clear();
    while (in.has_word()) {
      const Corner found = corner(in, vertices_so_far, mesh.positions.size(), textures_so_far, textures.size());
      corners.push_back(found.vertex);
      corner_textures.push_back(found.texture);
    }
    if (keyword == "f") {
      const std::size_t first = mesh.triangles.size();
      add_polygon(corners, mesh.positions, in.where(), mesh.triangles);
      textured = textured && add_texture(corners, corner_textures, textures, first, mesh);
    } else {
      if (corners.size() < 2) in.fail("the line has fewer than two vertices");
      for (std::size_t i = 1; i < corners.size(); ++i) mesh.edges.push_back({corners[i - 1], corners[i]});
    }
  }
  if (!textured) mesh.texture_coordinates.clear();
  return mesh;
}

}  // namespace pliant
