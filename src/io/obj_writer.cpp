// Wavefront OBJ: an object ("o") per body, surfaces as faces with normals, ropes as lines. Numbers
// carry nine digits, which tell all float32 values apart.

#include "io/obj_writer.h"

#include <iterator>
#include <memory>

#include <fmt/format.h>

#include "io/frame_sequence.h"

namespace pliant {

namespace {

/// Edges that follow each other become one "l" line where that is wanted.
void add_lines(fmt::memory_buffer& out, const std::vector<Edge>& edges, std::size_t first_vertex, bool join) {
  const auto number = [&](int v) { return first_vertex + static_cast<std::size_t>(v); };
  auto to = std::back_inserter(out);
  for (std::size_t e = 0; e < edges.size(); ++e) {
    const bool goes_on = join && e > 0 && edges[e - 1][1] == edges[e][0];
    if (goes_on) {
      fmt::format_to(to, " {}", number(edges[e][1]));
    } else {
      fmt::format_to(to, "{}l {} {}", e > 0 ? "\n" : "", number(edges[e][0]), number(edges[e][1]));
    }
  }
  if (!edges.empty()) fmt::format_to(to, "\n");
}

std::string encode(const World& world) {
  return obj_text(shapes_of(world), ObjParts::objects, fmt::format("time {:.9g} s", world.time()));
}

/// "f 3/1/3 4/2/4 5/3/5": position, texture coordinates where there are any, normal.
void add_face(fmt::memory_buffer& out, const Triangle& corners, std::size_t first_vertex, std::size_t first_normal,
              std::size_t first_texture, bool textured) {
  auto to = std::back_inserter(out);
  fmt::format_to(to, "f");
  for (std::size_t i = 0; i < 3; ++i) {
    const auto c = static_cast<std::size_t>(corners[i]);
    fmt::format_to(to, " {}/", first_vertex + c);
    if (textured) fmt::format_to(to, "{}", first_texture + i);
    fmt::format_to(to, "/{}", first_normal + c);
  }
  fmt::format_to(to, "\n");
}

}  // namespace

std::string obj_text(const std::vector<BodyShape>& shapes, ObjParts parts, const std::string& remark) {
  fmt::memory_buffer out;
  auto to = std::back_inserter(out);
  fmt::format_to(to, "# pliant {}, {}\n", version(), remark);
  if (parts == ObjParts::groups) fmt::format_to(to, "o bodies\n");
  std::size_t vertex = 1, normal = 1, texture = 1;  // OBJ counts from 1, through all objects
  for (const BodyShape& shape : shapes) {
    fmt::format_to(to, "{} {}\n", parts == ObjParts::objects ? 'o' : 'g', shape.name);
    for (const auto& [x, y, z] : shape.positions) fmt::format_to(to, "v {:.9g} {:.9g} {:.9g}\n", x, y, z);
    const bool textured = !shape.texture_coordinates.empty();
    for (const auto& corners : shape.texture_coordinates) {
      for (const auto& [s, t] : corners) fmt::format_to(to, "vt {:.7g} {:.7g}\n", s, t);
    }
    for (const auto& [x, y, z] : shape.normals) fmt::format_to(to, "vn {:.6g} {:.6g} {:.6g}\n", x, y, z);
    for (std::size_t t = 0; t < shape.triangles.size(); ++t) {
      add_face(out, shape.triangles[t], vertex, normal, texture + 3 * t, textured);
    }
    add_lines(out, shape.edges, vertex, parts == ObjParts::objects);
    vertex += shape.positions.size();
    normal += shape.normals.size();
    texture += 3 * shape.texture_coordinates.size();
  }
  return fmt::to_string(out);
}

std::unique_ptr<Writer::Format> make_obj_writer(const std::string& path, const WriterOptions& options) {
  return std::make_unique<FrameSequence>(path, encode, options.first_frame);
}

}  // namespace pliant
