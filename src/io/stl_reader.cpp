// STL, text and binary. Every triangle brings its own corners; corners with equal coordinates become
// one vertex, numbered in the order of their first appearance.

#include <array>
#include <bit>
#include <cmath>
#include <string>

#include <fmt/format.h>

#include "io/mesh_formats.h"
#include "io/text_reader.h"
#include "io/welder.h"

namespace pliant {

namespace {

constexpr std::size_t kBinaryHeader = 84;    // 80 bytes of anything, then the number of triangles
constexpr std::size_t kBinaryTriangle = 50;  // normal, three corners (12 floats), two bytes of attributes

uint32_t little_endian_u32(const char* p) {
  uint32_t value = 0;
  for (int i = 3; i >= 0; --i) value = (value << 8) | static_cast<unsigned char>(p[i]);
  return value;
}

MeshParts parse_binary(std::string_view bytes, const std::string& file) {
  if (bytes.size() < kBinaryHeader) throw Error(file, "is too short for an STL file", "give the whole file");
  const uint64_t count = little_endian_u32(bytes.data() + 80);
  const uint64_t present = (bytes.size() - kBinaryHeader) / kBinaryTriangle;
  if (present < count) {
    throw Error(file, fmt::format("says that it has {} triangles, but ends after {}", count, present),
                "give the whole file");
  }
  MeshParts mesh;
  Welder welder(mesh.positions);
  for (uint64_t t = 0; t < count; ++t) {
    const char* at = bytes.data() + kBinaryHeader + t * kBinaryTriangle + 12;
    Triangle triangle;
    for (int& corner : triangle) {
      std::array<double, 3> x;
      for (double& coordinate : x) {
        coordinate = std::bit_cast<float>(little_endian_u32(at));
        at += 4;
        if (!std::isfinite(coordinate)) {
          throw Error(fmt::format("{}: triangle {}", file, t), "a coordinate is not a finite number", "remove it");
        }
      }
      corner = welder.vertex(x[0], x[1], x[2]);
    }
    mesh.triangles.push_back(triangle);
  }
  return mesh;
}

MeshParts parse_text(std::string_view text, const std::string& file) {
  MeshParts mesh;
  Welder welder(mesh.positions);
  TextReader in(text, file, 0);
  in.next_line();
  std::vector<int> corners;
  bool complete = false, inside = false;
  while (in.next_line()) {
    const std::string_view keyword = in.word("a keyword");
    if (keyword == "facet") {
      if (inside) in.fail("a facet starts inside of another one", "end it with endfacet");
      inside = true;
      corners.clear();
    } else if (keyword == "vertex") {
      if (!inside) in.fail("a vertex outside of a facet", "put it between facet and endfacet");
      const double x = in.number("a coordinate"), y = in.number("a coordinate"), z = in.number("a coordinate");
      corners.push_back(welder.vertex(x, y, z));
    } else if (keyword == "endfacet") {
      if (!inside || corners.size() != 3) {
        in.fail(fmt::format("a facet with {} corners", corners.size()), "give three");
      }
      inside = false;
      mesh.triangles.push_back({corners[0], corners[1], corners[2]});
    } else if (keyword == "endsolid") {
      complete = true;
    } else if (keyword != "outer" && keyword != "endloop" && keyword != "solid") {
      in.fail(fmt::format("{} is no keyword of STL", in_quotes(keyword)), "give an STL file");
    }
  }
  if (!complete || inside) in.fail("the file ends before endsolid", "give the whole file");
  return mesh;
}

}  // namespace

MeshParts parse_stl(std::string_view bytes, const std::string& file) {
  // Binary files may start with "solid" as well; the size tells.
  const bool size_fits =
      bytes.size() >= kBinaryHeader &&
      bytes.size() == kBinaryHeader + kBinaryTriangle * uint64_t{little_endian_u32(bytes.data() + 80)};
  return !size_fits && bytes.starts_with("solid") ? parse_text(bytes, file) : parse_binary(bytes, file);
}

}  // namespace pliant
