// Object File Format: "OFF", the counts, a line per vertex, a line per face. The variants with colours
// and normals behind the coordinates (COFF, NOFF, CNOFF) read alike; what stands behind is skipped.

#include <string>

#include <fmt/format.h>

#include "io/mesh_formats.h"
#include "io/text_reader.h"

namespace pliant {

MeshParts parse_off(std::string_view text, const std::string& file) {
  TextReader in(text, file, '#');
  if (!in.next_line()) throw Error(file, "is empty", "give an OFF file");
  const std::string_view keyword = in.word("OFF");
  if (keyword != "OFF" && keyword != "COFF" && keyword != "NOFF" && keyword != "CNOFF") {
    in.fail("the file does not start with OFF", "give a text OFF file with three coordinates per vertex");
  }
  in.allow_line_breaks();
  const int64_t vertex_count = in.count("the number of vertices"), face_count = in.count("the number of faces");
  MeshParts mesh;
  reserve_claimed(mesh.positions, vertex_count, in.bytes_left(), kSmallestLineOfThree);
  for (int64_t v = 0; v < vertex_count; ++v) {
    in.next_line();
    const double x = in.number("a coordinate"), y = in.number("a coordinate"), z = in.number("a coordinate");
    mesh.positions.push_back({x, y, z});
  }
  std::vector<int> corners;
  for (int64_t f = 0; f < face_count; ++f) {
    in.next_line();
    const int64_t corner_count = in.count("the number of corners");
    corners.clear();
    for (int64_t i = 0; i < corner_count; ++i) {
      const int64_t vertex = in.integer("a vertex number");
      if (vertex < 0 || vertex >= vertex_count) {
        in.fail(fmt::format("vertex {} does not exist; the file has {}", vertex, vertex_count),
                "number vertices from 0");
      }
      corners.push_back(static_cast<int>(vertex));
    }
    add_polygon(corners, mesh.positions, in.where(), mesh.triangles);
  }
  return mesh;
}

}  // namespace pliant
