// glTF 2.0: the triangles and lines of the default scene, with the transforms of their nodes, and the first set of
// texture coordinates. A file has a vertex per combination of position, normal and texture coordinates: those at equal
// places become one vertex here, or a surface would come apart at its seams.
//
// Not by Debian's tinygltf: it would take over split_binary() and read_buffers(), 45 of 380 lines, and brings stb's
// image readers along. Accessors, transforms of nodes and all checks would stay here.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/base64.h"
#include "io/byte_reader.h"
#include "io/mesh_formats.h"
#include "io/text_reader.h"
#include "io/welder.h"
#include "math/matrix.h"

namespace pliant {

namespace {

using nlohmann::json;

/// x -> linear x + move
struct Transform {
  Mat3<double> linear = Mat3<double>::identity();
  Vec3d move{};
};

Transform operator*(const Transform& outer, const Transform& inner) {
  return {outer.linear * inner.linear, outer.linear * inner.move + outer.move};
}

class GltfReader {
 public:
  GltfReader(std::string_view bytes, const std::string& file,
             const std::function<std::string(const std::string&)>& read_beside)
      : file_(file), welder_(parts_.positions) {
    std::string_view text = bytes;
    if (bytes.starts_with("glTF")) text = split_binary(bytes);
    try {
      scene_ = json::parse(text.begin(), text.end());
    } catch (const json::exception& error) {
      throw Error(file_, fmt::format("is no glTF: {}", shortened(error.what())), "give a .gltf or .glb file");
    }
    if (!scene_.is_object() || !scene_.contains("asset"))
      throw Error(file_, "is no glTF: it has no asset", "give a .gltf or .glb file");
    refuse_extensions();
    read_buffers(read_beside);
  }

  MeshParts read() {
    if (const auto nodes = scene_.find("nodes"); nodes != scene_.end()) node_count_ = nodes->size();
    for (const int64_t node : roots()) visit(node, {}, 0);
    if (textured_ != parts_.triangles.size()) parts_.texture_coordinates.clear();
    for (const auto& [mode, count] : skipped_) {
      parts_.notes.push_back(
          fmt::format("{}: {} primitives of mode {} were skipped; triangles and lines are read", file_, count, mode));
    }
    return std::move(parts_);
  }

 private:
  static std::string shortened(const std::string& text) { return text.substr(0, 120); }

  [[noreturn]] void fail(const std::string& problem, const std::string& remedy = "correct it") const {
    throw Error(file_, problem, remedy);
  }

  // -------------------------------------------------------------- JSON without surprises

  /// The element of a list of the scene; Error where it does not exist.
  const json& item(const char* list, int64_t number) const {
    const auto found = scene_.find(list);
    if (found == scene_.end() || !found->is_array() || number < 0 || number >= static_cast<int64_t>(found->size()) ||
        !(*found)[static_cast<std::size_t>(number)].is_object()) {
      fail(fmt::format("{}[{}] does not exist", list, number));
    }
    return (*found)[static_cast<std::size_t>(number)];
  }
  int64_t whole(const json& object, const char* field, int64_t otherwise) const {
    const auto found = object.find(field);
    if (found == object.end()) return otherwise;
    if (!found->is_number_integer() || (found->is_number_unsigned() && found->get<uint64_t>() > kLargest)) {
      fail(fmt::format("{} is no whole number", field));
    }
    return found->get<int64_t>();
  }
  static constexpr uint64_t kLargest = static_cast<uint64_t>(std::numeric_limits<int64_t>::max());

  template <std::size_t N>
  std::array<double, N> numbers(const json& object, const char* field, std::array<double, N> otherwise) const {
    const auto found = object.find(field);
    if (found == object.end()) return otherwise;
    if (!found->is_array() || found->size() != N) fail(fmt::format("{} does not have {} numbers", field, N));
    for (std::size_t i = 0; i < N; ++i) {
      if (!(*found)[i].is_number()) fail(fmt::format("{} does not have {} numbers", field, N));
      otherwise[i] = (*found)[i].get<double>();
    }
    return otherwise;
  }

  // -------------------------------------------------------------- file and buffers

  /// Header and chunks of a .glb; returns the JSON.
  std::string_view split_binary(std::string_view bytes) {
    ByteReader in(bytes, file_);
    in.skip(4);
    if (in.next<uint32_t>() != 2) fail("is not of version 2 of glTF", "save it as glTF 2.0");
    in.skip(4);
    std::string_view text;
    while (in.left() >= 8) {
      const auto size = in.next<uint32_t>(), type = in.next<uint32_t>();
      const std::string_view chunk = in.take(size);
      if (type == 0x4E4F534A) text = chunk;                        // "JSON"
      if (type == 0x004E4942 && binary_.empty()) binary_ = chunk;  // "BIN"
    }
    return text;
  }

  void refuse_extensions() const {
    const auto found = scene_.find("extensionsRequired");
    if (found == scene_.end() || !found->is_array()) return;
    for (const json& name : *found) {
      if (name == "KHR_draco_mesh_compression" || name == "EXT_meshopt_compression") {
        fail(fmt::format("its meshes are compressed ({})", name.get<std::string>()), "save it without compression");
      }
    }
  }

  void read_buffers(const std::function<std::string(const std::string&)>& read_beside) {
    const auto found = scene_.find("buffers");
    if (found == scene_.end() || !found->is_array()) return;
    for (const json& buffer : *found) {
      const auto uri = buffer.is_object() ? buffer.find("uri") : buffer.end();
      if (!buffer.is_object() || uri == buffer.end() || !uri->is_string()) {
        buffers_.emplace_back(binary_);
        continue;
      }
      const std::string& text = uri->get_ref<const std::string&>();
      if (text.starts_with("data:")) {
        const std::size_t comma = text.find(";base64,");
        buffers_.emplace_back();
        if (comma == std::string::npos || !decode_base64(std::string_view(text).substr(comma + 8), buffers_.back())) {
          fail("a buffer's data is no base64");
        }
      } else {
        buffers_.push_back(read_beside(text));
      }
    }
  }

  /// Numbers of an accessor with `width` components, as double; whole numbers stay exact.
  std::vector<double> read_accessor(int64_t number, std::size_t width, const char* type) const {
    const json& accessor = item("accessors", number);
    const std::string where = fmt::format("accessors[{}]", number);
    if (!accessor.contains("type") || accessor["type"] != type) fail(fmt::format("{} is not of type {}", where, type));
    if (accessor.contains("sparse")) fail(where + " is sparse", "save the mesh without sparse accessors");
    const int64_t count = whole(accessor, "count", 0), component = whole(accessor, "componentType", 0);
    const std::size_t size = component == 5120 || component == 5121   ? 1
                             : component == 5122 || component == 5123 ? 2
                             : component == 5125 || component == 5126 ? 4
                                                                      : 0;
    if (size == 0) fail(fmt::format("{} has an unknown component type {}", where, component));
    const json& view = item("bufferViews", whole(accessor, "bufferView", -1));
    const int64_t buffer = whole(view, "buffer", -1), offset = whole(view, "byteOffset", 0),
                  length = whole(view, "byteLength", 0), stride = whole(view, "byteStride", 0),
                  start = whole(accessor, "byteOffset", 0);
    if (buffer < 0 || buffer >= static_cast<int64_t>(buffers_.size())) fail(where + " has no buffer");
    const std::string& bytes = buffers_[static_cast<std::size_t>(buffer)];
    const auto all = static_cast<int64_t>(bytes.size());
    const auto element = static_cast<int64_t>(width * size), step = stride > 0 ? stride : element;
    if (offset < 0 || length < 0 || start < 0 || count < 0 || stride < 0 || offset > all || length > all - offset ||
        start > length || step < element ||
        (count > 0 && (element > length - start || count - 1 > (length - start - element) / step))) {
      fail(where + " goes beyond its buffer", "give the whole file");
    }
    const auto normalized = accessor.find("normalized");
    const bool scaled = normalized != accessor.end() && normalized->is_boolean() && normalized->get<bool>();
    std::vector<double> out;
    out.reserve(static_cast<std::size_t>(count) * width);
    for (int64_t i = 0; i < count; ++i) {
      ByteReader in(std::string_view(bytes).substr(static_cast<std::size_t>(offset + start + i * step),
                                                   static_cast<std::size_t>(element)),
                    file_);
      for (std::size_t k = 0; k < width; ++k) out.push_back(component_value(in, component, scaled));
    }
    return out;
  }

  static double component_value(ByteReader& in, int64_t component, bool scaled) {
    switch (component) {
      case 5120:
        return scaled ? std::max(in.next<int8_t>() / 127.0, -1.0) : in.next<int8_t>();
      case 5121:
        return in.next<uint8_t>() / (scaled ? 255.0 : 1.0);
      case 5122:
        return scaled ? std::max(in.next<int16_t>() / 32767.0, -1.0) : in.next<int16_t>();
      case 5123:
        return in.next<uint16_t>() / (scaled ? 65535.0 : 1.0);
      case 5125:
        return in.next<uint32_t>();
      default:
        return in.next<float>();
    }
  }

  // -------------------------------------------------------------- nodes

  std::vector<int64_t> roots() const {
    std::vector<int64_t> out;
    if (scene_.contains("scenes")) return indices_in(item("scenes", whole(scene_, "scene", 0)), "nodes");
    if (scene_.contains("nodes")) {
      // No scene: every node that is nobody's child.
      std::vector<bool> child(scene_["nodes"].size(), false);
      for (std::size_t n = 0; n < child.size(); ++n) {
        for (const int64_t c : indices_in(item("nodes", static_cast<int64_t>(n)), "children")) {
          if (c >= 0 && c < static_cast<int64_t>(child.size())) child[static_cast<std::size_t>(c)] = true;
        }
      }
      for (std::size_t n = 0; n < child.size(); ++n) {
        if (!child[n]) out.push_back(static_cast<int64_t>(n));
      }
    }
    return out;
  }

  std::vector<int64_t> indices_in(const json& object, const char* field) const {
    std::vector<int64_t> out;
    const auto found = object.find(field);
    if (found == object.end()) return out;
    if (!found->is_array()) fail(fmt::format("{} is no list", field));
    for (const json& number : *found) {
      if (!number.is_number_integer()) fail(fmt::format("{} has something else than whole numbers", field));
      out.push_back(number.is_number_unsigned() && number.get<uint64_t>() > kLargest ? -1 : number.get<int64_t>());
    }
    return out;
  }

  Transform transform_of(const json& node) const {
    if (node.contains("matrix")) {
      const auto m = numbers<16>(node, "matrix", {});
      return {{{m[0], m[1], m[2]}, {m[4], m[5], m[6]}, {m[8], m[9], m[10]}}, {m[12], m[13], m[14]}};
    }
    const auto t = numbers<3>(node, "translation", {0, 0, 0});
    const auto s = numbers<3>(node, "scale", {1, 1, 1});
    const auto q = numbers<4>(node, "rotation", {0, 0, 0, 1});  // x, y, z, w
    const double x = q[0], y = q[1], z = q[2], w = q[3];
    const Vec3d c0{1 - 2 * (y * y + z * z), 2 * (x * y + w * z), 2 * (x * z - w * y)};
    const Vec3d c1{2 * (x * y - w * z), 1 - 2 * (x * x + z * z), 2 * (y * z + w * x)};
    const Vec3d c2{2 * (x * z + w * y), 2 * (y * z - w * x), 1 - 2 * (x * x + y * y)};
    return {{c0 * s[0], c1 * s[1], c2 * s[2]}, {t[0], t[1], t[2]}};
  }

  void visit(int64_t number, const Transform& outer, int depth) {
    // A tree: each node once. A file in which one is reached twice could be without end.
    if (++visited_ > node_count_ || depth > kDeepest) {
      fail("its nodes do not form a tree", "give each node one parent, and at most 200 levels");
    }
    const json& node = item("nodes", number);
    const Transform place = outer * transform_of(node);
    if (const int64_t mesh = whole(node, "mesh", -1); mesh >= 0) add_mesh(item("meshes", mesh), place);
    for (const int64_t child : indices_in(node, "children")) visit(child, place, depth + 1);
  }

  // -------------------------------------------------------------- meshes

  void add_mesh(const json& mesh, const Transform& place) {
    const auto primitives = mesh.find("primitives");
    if (primitives == mesh.end() || !primitives->is_array()) fail("a mesh has no primitives");
    for (const json& primitive : *primitives) {
      if (!primitive.is_object()) fail("a primitive is no object");
      add_primitive(primitive, place);
    }
  }

  void add_primitive(const json& primitive, const Transform& place) {
    const auto attributes = primitive.find("attributes");
    if (attributes == primitive.end() || !attributes->is_object()) fail("a primitive has no attributes");
    const int64_t position = whole(*attributes, "POSITION", -1), texture = whole(*attributes, "TEXCOORD_0", -1);
    if (position < 0) return;
    const int64_t mode = whole(primitive, "mode", 4);
    if (mode < 1 || mode > 6) {
      ++skipped_[mode];
      return;
    }
    const std::vector<double> xyz = read_accessor(position, 3, "VEC3");
    const std::vector<double> st = texture < 0 ? std::vector<double>() : read_accessor(texture, 2, "VEC2");
    const std::size_t count = xyz.size() / 3;
    if (texture >= 0 && st.size() / 2 != count) fail("a primitive has not as many texture coordinates as vertices");

    vertices_.clear();
    for (std::size_t v = 0; v < count; ++v) {
      const Vec3d x = place.linear * Vec3d{xyz[3 * v], xyz[3 * v + 1], xyz[3 * v + 2]} + place.move;
      if (!std::isfinite(x.x) || !std::isfinite(x.y) || !std::isfinite(x.z)) {
        fail("a vertex is not at a finite place", "give finite numbers [m]");
      }
      vertices_.push_back(welder_.vertex(x));
    }
    corners_.clear();
    if (const int64_t indices = whole(primitive, "indices", -1); indices >= 0) {
      for (const double index : read_accessor(indices, 1, "SCALAR")) {
        if (!(index >= 0 && index < static_cast<double>(count))) {
          fail(fmt::format("a primitive uses vertex {}, but has {}", index, count));
        }
        corners_.push_back(static_cast<std::size_t>(index));
      }
    } else {
      for (std::size_t v = 0; v < count; ++v) corners_.push_back(v);
    }
    // A transform that mirrors turns triangles inside out.
    const bool mirrored = determinant(place.linear) < 0;
    const auto triangle = [&](std::size_t a, std::size_t b, std::size_t c) {
      if (mirrored) std::swap(b, c);
      const std::size_t corner[3] = {corners_[a], corners_[b], corners_[c]};
      const Triangle t = {vertices_[corner[0]], vertices_[corner[1]], vertices_[corner[2]]};
      if (t[0] == t[1] || t[1] == t[2] || t[2] == t[0]) return;  // a sliver that welding has closed
      parts_.triangles.push_back(t);
      parts_.texture_coordinates.emplace_back();
      if (st.empty()) return;
      ++textured_;
      for (std::size_t i = 0; i < 3; ++i) {  // glTF counts from the upper edge of the picture, we from the lower one
        parts_.texture_coordinates.back()[i] = {st[2 * corner[i]], 1 - st[2 * corner[i] + 1]};
      }
    };
    const auto line = [&](std::size_t a, std::size_t b) {
      const Edge edge = {vertices_[corners_[a]], vertices_[corners_[b]]};
      if (edge[0] != edge[1]) parts_.edges.push_back(edge);
    };
    const std::size_t n = corners_.size();
    switch (mode) {
      case 1:
        for (std::size_t i = 0; i + 1 < n; i += 2) line(i, i + 1);
        break;
      case 2:
      case 3:
        for (std::size_t i = 0; i + 1 < n; ++i) line(i, i + 1);
        if (mode == 2 && n > 2) line(n - 1, 0);
        break;
      case 4:
        for (std::size_t i = 0; i + 2 < n; i += 3) triangle(i, i + 1, i + 2);
        break;
      case 5:
        for (std::size_t i = 0; i + 2 < n; ++i) triangle(i, i + 1 + i % 2, i + 2 - i % 2);
        break;
      default:
        for (std::size_t i = 1; i + 1 < n; ++i) triangle(0, i, i + 1);
        break;
    }
  }

  static constexpr int kDeepest = 200;

  std::string file_;
  json scene_;
  std::string binary_;
  std::vector<std::string> buffers_;
  MeshParts parts_;
  Welder welder_;
  std::size_t node_count_ = 0, visited_ = 0, textured_ = 0;
  std::vector<int> vertices_;
  std::vector<std::size_t> corners_;
  std::map<int64_t, int> skipped_;
};

}  // namespace

MeshParts parse_gltf(std::string_view bytes, const std::string& file,
                     const std::function<std::string(const std::string&)>& read_beside) {
  return GltfReader(bytes, file, read_beside).read();
}

}  // namespace pliant
