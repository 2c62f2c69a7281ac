// Wavefront OBJ: v, f and l lines; all others (texture coordinates, normals, groups, materials) are
// skipped. Vertex numbers count from 1, or from the latest vertex backwards where negative.

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

/// The position's number of "7", "7/1", "7//3" or "-2/-1".
int corner(TextReader& in, std::size_t vertices_so_far, std::size_t vertex_count) {
  std::string_view text = in.word("a vertex number");
  text = text.substr(0, text.find('/'));
  int64_t number = 0;
  if (!parse_integer(text, number)) in.fail("a corner does not start with a vertex number", "write 3, 3/1 or 3/1/2");
  const int64_t index = number > 0 ? number - 1 : static_cast<int64_t>(vertices_so_far) + number;
  if (number == 0 || index < 0 || index >= static_cast<int64_t>(vertex_count)) {
    in.fail(fmt::format("vertex {} does not exist; the file has {}", number, vertex_count),
            "number vertices from 1, or backwards from -1");
  }
  return static_cast<int>(index);
}

}  // namespace

MeshParts parse_obj(std::string_view text, const std::string& file) {
  std::string joined;
  if (text.find('\\') != std::string_view::npos) text = joined = joined_lines(text);

  // Faces may name vertices that come later: vertices first.
  MeshParts mesh;
  for (TextReader in(text, file, '#'); in.next_line();) {
    if (in.word("a keyword") != "v") continue;
    const double x = in.number("a coordinate"), y = in.number("a coordinate"), z = in.number("a coordinate");
    mesh.positions.push_back({x, y, z});
  }
  std::size_t vertices_so_far = 0;
  std::vector<int> corners;
  for (TextReader in(text, file, '#'); in.next_line();) {
    const std::string_view keyword = in.word("a keyword");
    if (keyword == "v") ++vertices_so_far;
    if (keyword != "f" && keyword != "l") continue;
    corners.clear();
    while (in.has_word()) corners.push_back(corner(in, vertices_so_far, mesh.positions.size()));
    if (keyword == "f") {
      add_polygon(corners, mesh.positions, in.where(), mesh.triangles);
    } else {
      if (corners.size() < 2) in.fail("the line has fewer than two vertices");
      for (std::size_t i = 1; i < corners.size(); ++i) mesh.edges.push_back({corners[i - 1], corners[i]});
    }
  }
  return mesh;
}

}  // namespace pliant
