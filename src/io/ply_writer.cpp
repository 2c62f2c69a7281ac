// PLY, binary little endian: all bodies in one list of vertices with normals, faces and edges. A remark
// per body says which part is its:
//
//   comment body NAME vertices FIRST COUNT faces FIRST COUNT edges FIRST COUNT

#include <bit>
#include <cstdint>
#include <iterator>
#include <memory>

#include <fmt/format.h>

#include "io/body_shape.h"
#include "io/frame_sequence.h"

namespace pliant {

namespace {

void add_u32(std::string& out, uint32_t value) {
  for (int shift = 0; shift < 32; shift += 8) out += static_cast<char>((value >> shift) & 0xff);
}
void add_float(std::string& out, double value) { add_u32(out, std::bit_cast<uint32_t>(static_cast<float>(value))); }
void add_vector(std::string& out, const Vec3d& v) {
  for (int i = 0; i < 3; ++i) add_float(out, v[i]);
}

std::string encode(const World& world) {
  const std::vector<BodyShape> shapes = shapes_of(world);
  std::string bodies;
  std::size_t vertices = 0, faces = 0, edges = 0;
  for (const BodyShape& shape : shapes) {
    fmt::format_to(std::back_inserter(bodies), "comment body {} vertices {} {} faces {} {} edges {} {}\n", shape.name,
                   vertices, shape.positions.size(), faces, shape.triangles.size(), edges, shape.edges.size());
    vertices += shape.positions.size();
    faces += shape.triangles.size();
    edges += shape.edges.size();
  }
  std::string out = fmt::format(
      "ply\nformat binary_little_endian 1.0\ncomment pliant {}, time {:.9g} s\n{}"
      "element vertex {}\nproperty float x\nproperty float y\nproperty float z\n"
      "property float nx\nproperty float ny\nproperty float nz\n"
      "element face {}\nproperty list uchar int vertex_indices\n",
      version(), world.time(), bodies, vertices, faces);
  if (edges > 0) {  // not every program knows this element
    out += fmt::format("element edge {}\nproperty int vertex1\nproperty int vertex2\n", edges);
  }
  out += "end_header\n";
  out.reserve(out.size() + 24 * vertices + 13 * faces + 8 * edges);

  for (const BodyShape& shape : shapes) {
    for (std::size_t v = 0; v < shape.positions.size(); ++v) {
      add_vector(out, shape.positions[v]);
      add_vector(out, shape.normals.empty() ? Vec3d{} : shape.normals[v]);  // a line has none
    }
  }
  uint32_t first = 0;
  for (const BodyShape& shape : shapes) {
    for (const Triangle& t : shape.triangles) {
      out += '\3';
      for (const int corner : t) add_u32(out, first + static_cast<uint32_t>(corner));
    }
    first += static_cast<uint32_t>(shape.positions.size());
  }
  first = 0;
  for (const BodyShape& shape : shapes) {
    for (const Edge& e : shape.edges) {
      for (const int end : e) add_u32(out, first + static_cast<uint32_t>(end));
    }
    first += static_cast<uint32_t>(shape.positions.size());
  }
  return out;
}

}  // namespace

std::unique_ptr<Writer::Format> make_ply_writer(const std::string& path, const WriterOptions& options) {
  return std::make_unique<FrameSequence>(path, encode, options.first_frame);
}

}  // namespace pliant
