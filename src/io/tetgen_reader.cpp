// TetGen's .node and .ele files:
//
//   .node   <points> 3 [attributes] [markers]         .ele   <tets> 4 [attributes]
//           <number> <x> <y> <z> ...                         <number> <a> <b> <c> <d> ...
//
// Numbers count up from 0 or 1; the tets use those of the points. Attributes and markers are skipped.

#include <string>

#include <fmt/format.h>

#include "io/mesh_formats.h"
#include "io/text_reader.h"

namespace pliant {

TetMesh parse_tetgen(std::string_view nodes, const std::string& node_file, std::string_view elements,
                     const std::string& element_file) {
  TetMesh mesh;
  TextReader points(nodes, node_file, '#');
  points.next_line();
  const int64_t point_count = points.count("the number of points");
  if (points.integer("the dimension") != 3) points.fail("the points are not in three dimensions", "give 3-d points");
  reserve_claimed(mesh.positions, point_count, points.bytes_left(), kSmallestLineOfThree);
  int64_t first = 0;
  for (int64_t i = 0; i < point_count; ++i) {
    points.next_line();
    const int64_t number = points.integer("a point's number");
    if (i == 0) first = number;
    if (first != 0 && first != 1) points.fail(fmt::format("the first point has number {}", first), "count from 0 or 1");
    if (number != first + i) {
      points.fail(fmt::format("point {} stands where {} should be", number, first + i),
                  "number the points one after the other");
    }
    const double x = points.number("a coordinate"), y = points.number("a coordinate"),
                 z = points.number("a coordinate");
    mesh.positions.push_back({x, y, z});
  }

  TextReader in(elements, element_file, '#');
  in.next_line();
  const int64_t tet_count = in.count("the number of tets");
  const int64_t corners = in.integer("the number of points per tet");
  if (corners != 4) in.fail(fmt::format("the tets have {} points each", corners), "give linear tets of 4 points");
  reserve_claimed(mesh.tets, tet_count, in.bytes_left(), kSmallestLineOfThree);
  for (int64_t t = 0; t < tet_count; ++t) {
    in.next_line();
    in.integer("a tet's number");
    Tet tet;
    for (int& corner : tet) {
      const int64_t number = in.integer("a point's number");
      if (number < first || number >= first + point_count) {
        in.fail(
            fmt::format("point {} does not exist; {} has {} to {}", number, node_file, first, first + point_count - 1),
            "check that the two files belong together");
      }
      corner = static_cast<int>(number - first);
    }
    mesh.tets.push_back(tet);
  }
  if (mesh.tets.empty()) throw Error(element_file, "has no tets", "give a volume mesh");
  return mesh;
}

}  // namespace pliant
