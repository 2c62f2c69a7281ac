// Wavefront OBJ: an object ("o") per body, surfaces as faces with normals, ropes as lines. Numbers
// carry nine digits, which tell all float32 values apart.

#include <iterator>
#include <memory>

#include <fmt/format.h>

#include "io/body_shape.h"
#include "io/frame_sequence.h"

namespace pliant {

namespace {

/// Edges that follow each other become one "l" line.
void add_lines(fmt::memory_buffer& out, const std::vector<Edge>& edges, std::size_t first_vertex) {
  const auto number = [&](int v) { return first_vertex + static_cast<std::size_t>(v); };
  auto to = std::back_inserter(out);
  for (std::size_t e = 0; e < edges.size(); ++e) {
    const bool goes_on = e > 0 && edges[e - 1][1] == edges[e][0];
    if (goes_on) {
      fmt::format_to(to, " {}", number(edges[e][1]));
    } else {
      fmt::format_to(to, "{}l {} {}", e > 0 ? "\n" : "", number(edges[e][0]), number(edges[e][1]));
    }
  }
  if (!edges.empty()) fmt::format_to(to, "\n");
}

std::string encode(const World& world) {
  fmt::memory_buffer out;
  auto to = std::back_inserter(out);
  fmt::format_to(to, "# pliant {}, time {:.9g} s\n", version(), world.time());
  std::size_t vertex = 1, normal = 1;  // OBJ counts from 1, through all objects
  for (const BodyShape& shape : shapes_of(world)) {
    fmt::format_to(to, "o {}\n", shape.name);
    for (const auto& [x, y, z] : shape.positions) fmt::format_to(to, "v {:.9g} {:.9g} {:.9g}\n", x, y, z);
    for (const auto& [x, y, z] : shape.normals) fmt::format_to(to, "vn {:.6g} {:.6g} {:.6g}\n", x, y, z);
    for (const Triangle& t : shape.triangles) {
      fmt::format_to(to, "f");
      for (const int corner : t) {
        const auto c = static_cast<std::size_t>(corner);
        fmt::format_to(to, " {}//{}", vertex + c, normal + c);
      }
      fmt::format_to(to, "\n");
    }
    add_lines(out, shape.edges, vertex);
    vertex += shape.positions.size();
    normal += shape.normals.size();
  }
  return fmt::to_string(out);
}

}  // namespace

std::unique_ptr<Writer::Format> make_obj_writer(const std::string& path, const WriterOptions& options) {
  return std::make_unique<FrameSequence>(path, encode, options.first_frame);
}

}  // namespace pliant
