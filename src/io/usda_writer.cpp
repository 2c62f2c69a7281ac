// Universal Scene Description as text (.usda): a Mesh per surface, BasisCurves per rope, with points, normals and
// extents at every frame; a preview material with the body's colour. A time code is a step of the world, so that a
// frame has the same code in every output and in a run that was resumed.

#include <algorithm>
#include <cctype>
#include <iterator>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "core/file.h"
#include "io/shape_track.h"
#include "io/writer.h"

namespace pliant {

namespace {

using Point = ShapeTrack::Point;

/// Text that goes on to the file in pieces.
class TextOut {
 public:
  explicit TextOut(AtomicFile& file) : file_(file) {}
  ~TextOut() = default;

  template <class... Arguments>
  void add(fmt::format_string<Arguments...> format, Arguments&&... arguments) {
    fmt::format_to(std::back_inserter(buffer_), format, std::forward<Arguments>(arguments)...);
    if (buffer_.size() > kPiece) flush();
  }
  void flush() {
    file_.write({buffer_.data(), buffer_.size()});
    buffer_.clear();
  }

  /// "[a, b, c]" of what `print(i)` adds.
  template <class Print>
  void list(std::size_t count, Print print) {
    add("[");
    for (std::size_t i = 0; i < count; ++i) {
      if (i > 0) add(", ");
      print(i);
    }
    add("]");
  }
  void point(const Point& p) { add("({}, {}, {})", p[0], p[1], p[2]); }  // the fewest digits that are exact

 private:
  static constexpr std::size_t kPiece = std::size_t{1} << 16;
  AtomicFile& file_;
  fmt::memory_buffer buffer_;
};

/// Names of prims: letters, digits and underscores, no digit first, all different.
class PrimNames {
 public:
  std::string take(const std::string& wish) {
    std::string name(wish.empty() || std::isdigit(static_cast<unsigned char>(wish[0])) != 0 ? "_" : "");
    for (const char c : wish) name += std::isalnum(static_cast<unsigned char>(c)) != 0 && c > 0 ? c : '_';
    std::string unique = name;
    for (int n = 2; !taken_.insert(unique).second; ++n) unique = fmt::format("{}_{}", name, n);
    return unique;
  }

 private:
  std::set<std::string> taken_{"Materials"};
};

/// A text between quotes.
std::string quoted(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out + "\"";
}

class UsdaWriter : public Writer::Format {
 public:
  explicit UsdaWriter(const std::string& path) : path_(path), track_(path) {}

  void write(const World& world) override { track_.add(world); }

  void close() override {
    if (track_.frames() == 0) return;
    AtomicFile file(path_);
    TextOut out(file);
    const double rate = frames_per_second(track_.step());
    out.add(
        "#usda 1.0\n(\n    defaultPrim = \"World\"\n    doc = \"pliant {}\"\n    startTimeCode = {}\n"
        "    endTimeCode = {}\n    timeCodesPerSecond = {}\n    framesPerSecond = {}\n    metersPerUnit = 1\n"
        "    upAxis = \"Y\"\n)\n\ndef Xform \"World\"\n{{\n",
        version(), track_.code(0), track_.code(track_.frames() - 1), rate, rate);
    PrimNames names;
    std::vector<std::string> taken;
    for (std::size_t b = 0; b < track_.bodies().size(); ++b) {
      taken.push_back(names.take(track_.bodies()[b].name));
      if (track_.bodies()[b].edges.empty()) {
        add_mesh(out, b, taken.back());
      } else {
        add_curves(out, b, taken.back());
      }
    }
    add_materials(out, taken);
    out.add("}}\n");
    out.flush();
    file.commit();
  }

  std::string summary() const override {
    if (track_.frames() == 0) return "no frames of " + path_;
    return fmt::format("{} ({} frames)", path_, track_.frames());
  }

 private:
  void start_prim(TextOut& out, const char* type, std::size_t body, const std::string& name) {
    const std::string& own_name = track_.bodies()[body].name;
    out.add("    def {} \"{}\" (\n        prepend apiSchemas = [\"MaterialBindingAPI\"]\n", type, name);
    if (own_name != name)
      out.add("        customData = {{\n            string name = {}\n        }}\n", quoted(own_name));
    out.add("    )\n    {{\n        float3[] extent.timeSamples = {{\n");
    for (int64_t f = 0; f < track_.frames(); ++f) {
      const ShapeTrack::Bounds bounds = track_.bounds(f, body);
      out.add("            {}: [", track_.code(f));
      out.point(bounds.low);
      out.add(", ");
      out.point(bounds.high);
      out.add("],\n");
    }
    out.add("        }}\n        rel material:binding = </World/Materials/{}>\n", name);
    out.add("        color3f[] primvars:displayColor = [");
    out.point(to_float(linear_color(track_.bodies()[body].color)));
    out.add("]\n");
  }

  /// A list of vectors at every frame. `order` says which of them, empty: all.
  template <class Read>
  void add_samples(TextOut& out, const char* attribute, const std::vector<int>& order, Read read) {
    out.add("        {}.timeSamples = {{\n", attribute);
    for (int64_t f = 0; f < track_.frames(); ++f) {
      out.add("            {}: ", track_.code(f));
      const std::vector<Point>& values = read(f);
      out.list(order.empty() ? values.size() : order.size(),
               [&](std::size_t i) { out.point(values[order.empty() ? i : static_cast<std::size_t>(order[i])]); });
      out.add(",\n");
    }
    out.add("        }}\n");
  }

  void add_mesh(TextOut& out, std::size_t b, const std::string& name) {
    const BodyShape& body = track_.bodies()[b];
    start_prim(out, "Mesh", b, name);
    out.add("        uniform bool doubleSided = 1\n        uniform token subdivisionScheme = \"none\"\n");
    out.add("        int[] faceVertexCounts = ");
    out.list(body.triangles.size(), [&](std::size_t) { out.add("3"); });
    out.add("\n        int[] faceVertexIndices = ");
    out.list(3 * body.triangles.size(), [&](std::size_t i) { out.add("{}", body.triangles[i / 3][i % 3]); });
    out.add("\n");
    if (!body.texture_coordinates.empty()) {
      out.add("        texCoord2f[] primvars:st = ");
      out.list(3 * body.triangles.size(), [&](std::size_t i) {
        const Vec2d& st = body.texture_coordinates[i / 3][i % 3];
        out.add("({}, {})", static_cast<float>(st.x), static_cast<float>(st.y));
      });
      out.add(" (\n            interpolation = \"faceVarying\"\n        )\n");
    }
    add_samples(
        out, "point3f[] points", {}, [&](int64_t f) -> auto& { return track_.points(f, b); });
    out.add("        normal3f[] normals (\n            interpolation = \"vertex\"\n        )\n");
    add_samples(
        out, "normal3f[] normals", {}, [&](int64_t f) -> auto& { return track_.normals(f, b); });
    out.add("    }}\n\n");
  }

  void add_curves(TextOut& out, std::size_t b, const std::string& name) {
    const BodyShape& body = track_.bodies()[b];
    const std::vector<std::vector<int>> chains = chains_of(body.edges);
    std::vector<int> order;
    for (const auto& chain : chains) order.insert(order.end(), chain.begin(), chain.end());
    double total = 0;
    for (const auto& [a, c] : body.edges) {
      total += length(body.positions[static_cast<std::size_t>(a)] - body.positions[static_cast<std::size_t>(c)]);
    }
    start_prim(out, "BasisCurves", b, name);
    out.add("        uniform token type = \"linear\"\n        int[] curveVertexCounts = ");
    out.list(chains.size(), [&](std::size_t i) { out.add("{}", chains[i].size()); });
    // A line has no thickness; a fifth of a segment shows it.
    out.add("\n        float[] widths = [{}] (\n            interpolation = \"constant\"\n        )\n",
            static_cast<float>(0.2 * total / static_cast<double>(body.edges.size())));
    add_samples(
        out, "point3f[] points", order, [&](int64_t f) -> auto& { return track_.points(f, b); });
    out.add("    }}\n\n");
  }

  void add_materials(TextOut& out, const std::vector<std::string>& names) {
    out.add("    def Scope \"Materials\"\n    {{\n");
    for (std::size_t b = 0; b < names.size(); ++b) {
      const Point color = to_float(linear_color(track_.bodies()[b].color));
      out.add("        def Material \"{}\"\n        {{\n", names[b]);
      out.add("            token outputs:surface.connect = </World/Materials/{}/Surface.outputs:surface>\n\n",
              names[b]);
      out.add("            def Shader \"Surface\"\n            {{\n");
      out.add("                uniform token info:id = \"UsdPreviewSurface\"\n");
      out.add("                color3f inputs:diffuseColor = ");
      out.point(color);
      out.add("\n                float inputs:roughness = 0.6\n                token outputs:surface\n");
      out.add("            }}\n        }}\n");
    }
    out.add("    }}\n");
  }

  std::string path_;
  ShapeTrack track_;
};

}  // namespace

std::unique_ptr<Writer::Format> make_usda_writer(const std::string& path, const WriterOptions&) {
  return std::make_unique<UsdaWriter>(path);
}

}  // namespace pliant
