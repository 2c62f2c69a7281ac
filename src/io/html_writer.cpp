// HTML: a page that plays the motion in a browser, without a server and without anything from the network. The player
// is in src/render/player; the motion follows it in the page, chunk by chunk.
//
// How positions are coded depends on how far each body gets, so frames are put aside until all are known.

#include <algorithm>
#include <cmath>
#include <optional>
#include <string_view>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/file.h"
#include "io/frame_rate.h"
#include "io/writer.h"
#include "pliant/error.h"
#include "render/director.h"
#include "render/motion_code.h"
#include "render/overlay.h"
#include "render/player_page.h"
#include "render/shading.h"

namespace pliant {

namespace {

using Json = nlohmann::ordered_json;

constexpr double kRate = 30;  // [1/s] frames in the page; the player fills the time between them

Json json_of(const auto& v) { return Json::array({v.x, v.y, v.z}); }

/// Safe inside of a script element: no "</" can end it, no "<!--" hide its end.
std::string inside_page(const Json& json) {
  std::string out;
  for (const char c : json.dump(-1, ' ', true, Json::error_handler_t::replace)) {
    if (c == '<') {
      out += "\\u003c";
    } else {
      out += c;
    }
  }
  return out;
}

class HtmlWriter : public Writer::Format {
 public:
  HtmlWriter(const std::string& path, const PictureOptions& options)
      : path_(path), options_(options), director_(options), spool_(path) {}

  void write(const World& world) override {
    if (!rate_) rate_.emplace(world.options().step, options_.speed, kRate);
    if (!rate_->take()) return;
    if (!shape_) {
      shape_ = render::make_shape(world, options_.color_by, render::hidden_bodies(options_));
      bounds_.resize(shape_->bodies.size());
    } else if (!shape_->fits(world)) {
      throw Error(path_, "the meshes have changed, which a page cannot show", "write .mp4 or .obj instead");
    }
    const render::Frame frame = render::capture(world, *shape_, options_.color_by);
    director_.watch(*shape_, frame);
    for (size_t b = 0; b < bounds_.size(); ++b) {
      const render::ShapeBody& body = shape_->bodies[b];
      for (size_t v = 0; v < body.vertices.size(); ++v)
        bounds_[b].add(frame.positions[static_cast<size_t>(body.first) + v]);
    }
    spool_.append(frame.positions.data(), frame.positions.size() * sizeof(Vec3f));
    if (!frame.values.empty()) spool_.append(frame.values.data(), frame.values.size() * sizeof(float));
    ++frames_;
  }

  void close() override {
    if (frames_ == 0) return;
    const render::Look look = director_.look();
    const std::string_view page = render::kPlayerPage;
    constexpr std::string_view kPlace = "<!--DATA-->\n";
    const size_t place = page.find(kPlace);
    AtomicFile out(path_);
    out.write(page.substr(0, place));
    out.write("<script type=\"application/json\" id=\"meta\">" + inside_page(meta(look)) + "</script>\n");
    write_shape(out);
    write_frames(out, look);
    out.write(page.substr(place + kPlace.size()));
    out.commit();
    written_ = true;
  }

  std::string summary() const override {
    if (!written_) return "no frame to " + path_;
    return fmt::format("{} ({} frames; open it in a browser)", path_, frames_);
  }

 private:
  /// What the player has to know, everything from the origin of the shape.
  Json meta(const render::Look& look) const {
    Json bodies = Json::array();
    for (size_t b = 0; b < bounds_.size(); ++b) {
      const render::ShapeBody& body = shape_->bodies[b];
      constexpr const char* kKinds[] = {"cloth", "solid", "rope"};
      bodies.push_back({{"name", body.name},
                        {"kind", kKinds[static_cast<int>(body.kind)]},
                        {"color", {srgb(body.color.x), srgb(body.color.y), srgb(body.color.z)}},
                        {"first", body.first},
                        {"count", body.vertices.size()},
                        {"low", json_of(bounds_[b].low)},
                        {"high", json_of(bounds_[b].high)}});
    }
    const Vec3d& origin = shape_->origin;
    Json json = {{"version", version()},
                 {"title", options_.title},
                 {"frames", frames_},
                 {"rate", rate_->rate()},
                 {"frame_time", options_.speed / rate_->rate()},
                 {"vertices", shape_->vertex_count},
                 {"origin", json_of(origin)},
                 {"tube_radius", render::tube_radius(*shape_, look.extent)},
                 {"wireframe", look.wireframe},
                 {"values", look.color_by != ColorBy::body},
                 {"look",
                  {{"eye", json_of(look.camera.eye - origin)},
                   {"target", json_of(look.camera.target - origin)},
                   {"fov", look.camera.fov},
                   {"aspect", static_cast<double>(look.width) / look.height},
                   {"extent", look.extent},
                   {"center", json_of(look.center - origin)},
                   {"ground", look.ground - origin.y}}},
                 {"bodies", bodies}};
    Json scale = Json::array();
    for (int i = 0; i <= 8; ++i) {
      const Vec3f color = render::color_scale(static_cast<float>(i) / 8);
      scale.insert(scale.end(), {color.x, color.y, color.z});
    }
    json["scale"] = scale;
    if (look.color_by != ColorBy::body) {
      const render::Legend legend = render::legend_of(look);
      json["legend"] = {{"title", legend.title}, {"middle", legend.middle}, {"max", legend.max}};
    }
    return json;
  }

  static double srgb(float light) { return std::round(render::to_srgb(light) * 1e4) / 1e4; }

  void write_shape(AtomicFile& out) const {
    const auto flat = [](const std::vector<Triangle>& triangles) {
      std::vector<int> list;
      for (const Triangle& t : triangles) list.insert(list.end(), t.begin(), t.end());
      return list;
    };
    std::vector<int> strands;
    for (const render::Strand& strand : shape_->strands) {
      strands.insert(strands.end(), {strand.body, static_cast<int>(strand.vertices.size())});
      strands.insert(strands.end(), strand.vertices.begin(), strand.vertices.end());
    }
    const auto add = [&](const char* name, const std::vector<int>& numbers) {
      out.write(fmt::format("<script type=\"text/plain\" id=\"shape-{}\">{}</script>\n", name,
                            render::code_integers(numbers)));
    };
    add("triangles", flat(shape_->triangles));
    add("normals", flat(shape_->triangle_normals));
    add("vertices", shape_->normal_vertex);
    add("strands", strands);
  }

  void write_frames(AtomicFile& out, const render::Look& look) {
    uint64_t place = 0;
    const auto get = [&](void* data, size_t size) {
      spool_.read(place, data, size);
      place += size;
    };
    const auto vertices = static_cast<size_t>(shape_->vertex_count);
    // Long chunks compress better; large meshes need shorter ones to keep memory small.
    const auto most = std::clamp<int64_t>((int64_t{1} << 22) / std::max<int64_t>(1, shape_->vertex_count), 1, 16);
    render::MotionCoder coder(*shape_, bounds_, static_cast<float>(look.color_max));
    for (int64_t first = 0; first < frames_; first += most) {
      std::vector<render::Frame> frames(static_cast<size_t>(std::min(most, frames_ - first)));
      for (render::Frame& frame : frames) {
        frame.positions.resize(vertices);
        get(frame.positions.data(), vertices * sizeof(Vec3f));
        if (look.color_by == ColorBy::body) continue;
        frame.values.resize(vertices);
        get(frame.values.data(), vertices * sizeof(float));
      }
      const render::MotionCoder::Chunk chunk = coder.code(frames);
      out.write(
          fmt::format("<script type=\"text/plain\" class=\"frames\" data-order=\"{}\" data-count=\"{}\">{}</script>\n",
                      chunk.order, frames.size(), chunk.base64));
    }
  }

  std::string path_;
  PictureOptions options_;
  render::Director director_;
  Spool spool_;  // frames
  std::optional<FrameRate> rate_;
  std::optional<render::Shape> shape_;
  std::vector<render::Bounds> bounds_;
  int64_t frames_ = 0;
  bool written_ = false;
};

}  // namespace

std::unique_ptr<Writer::Format> make_html_writer(const std::string& path, const WriterOptions& options) {
  return std::make_unique<HtmlWriter>(path, options.picture);
}

}  // namespace pliant
