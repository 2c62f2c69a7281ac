// Binary glTF 2.0 (.glb): a mesh per body whose frames are morph targets, and one animation of their weights. The
// first frame is the mesh itself; target k is what frame k differs by, with weight 1 at its own time and 0 at all
// others, so that a viewer moves every vertex in a straight line from frame to frame. Time starts at 0.
//
//   12 bytes header | JSON | per body: indices, texture coordinates, positions and normals of all frames | times,
//   weights
//
// The table of weights has frames^2 entries, nearly all of them 0: a sparse accessor names the others.

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <iterator>
#include <limits>
#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <vector>

#include <fmt/format.h>

#include "core/file.h"
#include "io/shape_track.h"
#include "io/writer.h"
#include "pliant/error.h"

namespace pliant {

namespace {

using Point = ShapeTrack::Point;

static_assert(std::endian::native == std::endian::little, "arrays are written as they lie in memory");

// Numbers of the specification.
constexpr int kFloat = 5126, kUnsignedInt = 5125, kArrayBuffer = 34962, kElementArrayBuffer = 34963;
constexpr int kLines = 1, kTriangles = 4;
constexpr uint64_t kMostBytes = std::numeric_limits<uint32_t>::max();  // lengths are 32-bit numbers

/// A text for JSON, between quotes. Control characters are out of names already.
std::string json_text(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out + "\"";
}

std::string json_list(const Point& p) { return fmt::format("[{},{},{}]", p[0], p[1], p[2]); }

/// A body as glTF has it: a vertex has one pair of texture coordinates, so that vertices on a seam are there twice.
struct Mesh {
  std::vector<uint32_t> indices;
  std::vector<uint32_t> source;               // vertex of the body
  std::vector<std::array<float, 2>> texture;  // per vertex, or empty
  bool lines = false;
  std::size_t positions_view = 0, normals_view = 0;  // numbers of buffer views
  std::size_t indices_accessor = 0, texture_accessor = 0;
};

Mesh mesh_of(const BodyShape& body) {
  Mesh mesh;
  mesh.lines = !body.edges.empty();
  for (const auto& [a, b] : body.edges) {
    mesh.indices.push_back(static_cast<uint32_t>(a));
    mesh.indices.push_back(static_cast<uint32_t>(b));
  }
  if (body.texture_coordinates.empty()) {
    for (const Triangle& t : body.triangles) {
      for (const int v : t) mesh.indices.push_back(static_cast<uint32_t>(v));
    }
    for (uint32_t v = 0; v < body.positions.size(); ++v) mesh.source.push_back(v);
    return mesh;
  }
  std::map<std::tuple<int, float, float>, uint32_t> numbers;
  for (std::size_t t = 0; t < body.triangles.size(); ++t) {
    for (std::size_t i = 0; i < 3; ++i) {
      // glTF counts from the upper edge of the picture, OBJ and USD from the lower one.
      const auto s = static_cast<float>(body.texture_coordinates[t][i].x);
      const auto r = static_cast<float>(1 - body.texture_coordinates[t][i].y);
      const auto [it, is_new] =
          numbers.try_emplace({body.triangles[t][i], s, r}, static_cast<uint32_t>(mesh.source.size()));
      if (is_new) {
        mesh.source.push_back(static_cast<uint32_t>(body.triangles[t][i]));
        mesh.texture.push_back({s, r});
      }
      mesh.indices.push_back(it->second);
    }
  }
  return mesh;
}

class GlbWriter final : public Writer::Format {
 public:
  explicit GlbWriter(const std::string& path) : path_(path), track_(path) {}

  void write(const World& world) override { track_.add(world); }

  void close() override {
    if (track_.frames() == 0) return;
    for (const BodyShape& body : track_.bodies()) meshes_.push_back(mesh_of(body));
    lay_out();
    Spool json(path_);
    write_json(json);
    const uint64_t padded = (json.size() + 3) / 4 * 4, total = 12 + 8 + padded + 8 + binary_bytes_;
    if (total > kMostBytes) {
      throw Error(path_, fmt::format("would have {:.1f} GB, more than a .glb can", 1e-9 * static_cast<double>(total)),
                  "write .usda instead, or fewer frames");
    }
    AtomicFile file(path_);
    const auto u32 = [&](uint64_t value) {
      const auto v = static_cast<uint32_t>(value);
      const char bytes[4] = {static_cast<char>(v & 0xff), static_cast<char>(v >> 8 & 0xff),
                             static_cast<char>(v >> 16 & 0xff), static_cast<char>(v >> 24)};
      file.write(bytes, 4);
    };
    file.write("glTF");
    u32(2);
    u32(total);
    u32(padded);
    file.write("JSON");
    std::vector<char> piece(kPiece);
    for (uint64_t at = 0; at < json.size(); at += piece.size()) {
      const auto size = static_cast<std::size_t>(std::min<uint64_t>(piece.size(), json.size() - at));
      json.read(at, piece.data(), size);
      file.write(piece.data(), size);
    }
    file.write(std::string_view("   ", padded - json.size()));
    u32(binary_bytes_);
    file.write(std::string_view("BIN\0", 4));
    write_binary(file);
    file.commit();
  }

  std::string summary() const override {
    if (track_.frames() == 0) return "no frames of " + path_;
    return fmt::format("{} ({} frames)", path_, track_.frames());
  }

 private:
  static constexpr std::size_t kPiece = std::size_t{1} << 16;

  struct View {
    uint64_t offset, bytes;
    int stride, target;  // 0: none
  };

  int64_t frames() const { return track_.frames(); }
  bool moves() const { return frames() > 1; }

  std::size_t add_view(uint64_t bytes, int stride, int target) {
    views_.push_back({binary_bytes_, bytes, stride, target});
    binary_bytes_ += bytes;
    return views_.size() - 1;
  }

  /// Where everything stands in the binary part; write_binary() writes in this order. All parts are multiples of four.
  void lay_out() {
    const auto all_frames = static_cast<uint64_t>(frames());
    for (std::size_t b = 0; b < meshes_.size(); ++b) {
      Mesh& mesh = meshes_[b];
      mesh.indices_accessor = add_view(4 * mesh.indices.size(), 0, kElementArrayBuffer);
      if (!mesh.texture.empty()) mesh.texture_accessor = add_view(8 * mesh.texture.size(), 0, kArrayBuffer);
      const uint64_t bytes = sizeof(Point) * mesh.source.size() * all_frames;
      mesh.positions_view = add_view(bytes, sizeof(Point), kArrayBuffer);
      if (!mesh.lines) mesh.normals_view = add_view(bytes, sizeof(Point), kArrayBuffer);
    }
    if (!moves()) return;
    times_view_ = add_view(4 * all_frames, 0, 0);
    weight_places_view_ = add_view(4 * (all_frames - 1), 0, 0);
    weights_view_ = add_view(4 * (all_frames - 1), 0, 0);
  }

  // -------------------------------------------------------------- JSON

  template <class... Arguments>
  void add(fmt::format_string<Arguments...> format, Arguments&&... arguments) {
    fmt::format_to(std::back_inserter(text_), format, std::forward<Arguments>(arguments)...);
  }
  void flush(Spool& out, std::size_t above = 0) {
    if (text_.size() <= above) return;
    out.append(text_.data(), text_.size());
    text_.clear();
  }

  void write_json(Spool& out) {
    add("{{\"asset\":{{\"version\":\"2.0\",\"generator\":\"pliant {}\"}},\"scene\":0,\"scenes\":[{{\"name\":\"pliant\"",
        version());
    if (meshes_.empty()) {
      add("}}]}}");
      flush(out);
      return;
    }
    add(",\"nodes\":[");
    for (std::size_t b = 0; b < meshes_.size(); ++b) add("{}{}", b > 0 ? "," : "", b);
    add("]}}],\"nodes\":[");
    for (std::size_t b = 0; b < meshes_.size(); ++b) {
      add("{}{{\"name\":{},\"mesh\":{}}}", b > 0 ? "," : "", json_text(track_.bodies()[b].name), b);
      flush(out, kPiece);
    }
    add("],\"materials\":[");
    for (std::size_t b = 0; b < meshes_.size(); ++b) {
      const Point c = to_float(linear_color(track_.bodies()[b].color));
      add("{}{{\"name\":{},\"doubleSided\":true,\"pbrMetallicRoughness\":{{\"baseColorFactor\":[{},{},{},1],"
          "\"metallicFactor\":0,\"roughnessFactor\":0.6}}}}",
          b > 0 ? "," : "", json_text(track_.bodies()[b].name), c[0], c[1], c[2]);
      flush(out, kPiece);
    }
    write_meshes(out);
    write_accessors(out);
    add("],\"bufferViews\":[");
    for (std::size_t v = 0; v < views_.size(); ++v) {
      add("{}{{\"buffer\":0,\"byteOffset\":{},\"byteLength\":{}", v > 0 ? "," : "", views_[v].offset, views_[v].bytes);
      if (views_[v].stride > 0) add(",\"byteStride\":{}", views_[v].stride);
      if (views_[v].target > 0) add(",\"target\":{}", views_[v].target);
      add("}}");
      flush(out, kPiece);
    }
    add("],\"buffers\":[{{\"byteLength\":{}}}]}}", binary_bytes_);
    flush(out);
  }

  /// Accessors are numbered: indices, texture coordinates, then position and normal of each frame, body by body.
  void write_meshes(Spool& out) {
    add("],\"meshes\":[");
    std::size_t accessor = 0;
    for (std::size_t b = 0; b < meshes_.size(); ++b) {
      Mesh& mesh = meshes_[b];
      add("{}{{\"name\":{},\"primitives\":[{{\"mode\":{},\"material\":{},\"indices\":{},\"attributes\":{{",
          b > 0 ? "," : "", json_text(track_.bodies()[b].name), mesh.lines ? kLines : kTriangles, b, accessor++);
      if (!mesh.texture.empty()) add("\"TEXCOORD_0\":{},", accessor++);
      const auto add_frame = [&] {
        add("\"POSITION\":{}", accessor++);
        if (!mesh.lines) add(",\"NORMAL\":{}", accessor++);
        add("}}");
      };
      add_frame();
      if (moves()) add(",\"targets\":[");
      for (int64_t f = 1; f < frames(); ++f) {
        add("{}{{", f > 1 ? "," : "");
        add_frame();
        flush(out, kPiece);
      }
      add("{}}}]}}", moves() ? "]" : "");
    }
    if (!moves()) return;
    add("],\"animations\":[{{\"name\":\"simulation\",\"samplers\":[{{\"input\":{},\"output\":{},\"interpolation\":"
        "\"LINEAR\"}}],\"channels\":[",
        accessor, accessor + 1);
    for (std::size_t b = 0; b < meshes_.size(); ++b) {
      add("{}{{\"sampler\":0,\"target\":{{\"node\":{},\"path\":\"weights\"}}}}", b > 0 ? "," : "", b);
    }
    add("]}}");
  }

  void write_accessors(Spool& out) {
    add("],\"accessors\":[");
    for (std::size_t b = 0; b < meshes_.size(); ++b) {
      const Mesh& mesh = meshes_[b];
      add("{}{{\"bufferView\":{},\"componentType\":{},\"count\":{},\"type\":\"SCALAR\"}}", b > 0 ? "," : "",
          mesh.indices_accessor, kUnsignedInt, mesh.indices.size());
      if (!mesh.texture.empty()) {
        add(",{{\"bufferView\":{},\"componentType\":{},\"count\":{},\"type\":\"VEC2\"}}", mesh.texture_accessor, kFloat,
            mesh.texture.size());
      }
      for (int64_t f = 0; f < frames(); ++f) {
        const std::size_t offset = static_cast<std::size_t>(f) * mesh.source.size() * sizeof(Point);
        const auto add_vectors = [&](std::size_t view) {
          add(",{{\"bufferView\":{},\"byteOffset\":{},\"componentType\":{},\"count\":{},\"type\":\"VEC3\"", view,
              offset, kFloat, mesh.source.size());
        };
        add_vectors(mesh.positions_view);
        Point low = {}, high = {};
        const std::vector<Point>& values = frame_values(b, f, true);
        if (!values.empty()) low = high = values[0];
        for (const Point& p : values) {
          for (std::size_t i = 0; i < 3; ++i) {
            low[i] = std::min(low[i], p[i]);
            high[i] = std::max(high[i], p[i]);
          }
        }
        add(",\"min\":{},\"max\":{}}}", json_list(low), json_list(high));
        if (!mesh.lines) {
          add_vectors(mesh.normals_view);
          add("}}");
        }
        flush(out, kPiece);
      }
    }
    if (!moves()) return;
    const int64_t targets = frames() - 1;
    add(",{{\"bufferView\":{},\"componentType\":{},\"count\":{},\"type\":\"SCALAR\",\"min\":[0],\"max\":[{}]}}",
        times_view_, kFloat, frames(), time(targets));
    add(",{{\"componentType\":{},\"count\":{},\"type\":\"SCALAR\",\"sparse\":{{\"count\":{},\"indices\":{{"
        "\"bufferView\":{},\"componentType\":{}}},\"values\":{{\"bufferView\":{}}}}}}}",
        kFloat, frames() * targets, targets, weight_places_view_, kUnsignedInt, weights_view_);
  }

  // -------------------------------------------------------------- binary

  float time(int64_t frame) {
    return static_cast<float>(static_cast<double>(track_.code(frame) - track_.code(0)) * track_.step());
  }

  /// Positions or normals of the first frame, or what a later one differs by.
  const std::vector<Point>& frame_values(std::size_t b, int64_t frame, bool positions) {
    const auto read = [&](int64_t f) -> const std::vector<Point>& {
      return positions ? track_.points(f, b) : track_.normals(f, b);
    };
    if (base_body_ != b || base_positions_ != positions || base_.empty()) {
      base_ = read(0);
      base_body_ = b;
      base_positions_ = positions;
    }
    const std::vector<Point>& now = frame == 0 ? base_ : read(frame);
    values_.resize(meshes_[b].source.size());
    for (std::size_t v = 0; v < values_.size(); ++v) {
      const std::size_t from = meshes_[b].source[v];
      for (std::size_t i = 0; i < 3; ++i) values_[v][i] = frame == 0 ? now[from][i] : now[from][i] - base_[from][i];
    }
    return values_;
  }

  void write_binary(AtomicFile& file) {
    for (std::size_t b = 0; b < meshes_.size(); ++b) {
      const Mesh& mesh = meshes_[b];
      file.write(mesh.indices.data(), 4 * mesh.indices.size());
      file.write(mesh.texture.data(), 8 * mesh.texture.size());
      for (const bool positions : {true, false}) {
        if (!positions && mesh.lines) continue;
        for (int64_t f = 0; f < frames(); ++f) {
          file.write(frame_values(b, f, positions).data(), sizeof(Point) * mesh.source.size());
        }
      }
    }
    if (!moves()) return;
    for (int64_t f = 0; f < frames(); ++f) {
      const float t = time(f);
      file.write(&t, sizeof(t));
    }
    const int64_t targets = frames() - 1;
    for (int64_t f = 1; f < frames(); ++f) {
      const auto place = static_cast<uint32_t>(f * targets + (f - 1));
      file.write(&place, sizeof(place));
    }
    for (int64_t f = 1; f < frames(); ++f) {
      const float one = 1;
      file.write(&one, sizeof(one));
    }
  }

  std::string path_;
  ShapeTrack track_;
  std::vector<Mesh> meshes_;
  std::vector<View> views_;
  uint64_t binary_bytes_ = 0;
  std::size_t times_view_ = 0, weight_places_view_ = 0, weights_view_ = 0;
  fmt::memory_buffer text_;
  std::vector<Point> base_, values_;
  std::size_t base_body_ = 0;
  bool base_positions_ = true;
};

}  // namespace

std::unique_ptr<Writer::Format> make_glb_writer(const std::string& path, const WriterOptions&) {
  return std::make_unique<GlbWriter>(path);
}

}  // namespace pliant
