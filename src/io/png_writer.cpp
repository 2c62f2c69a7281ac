// PNG: one picture of the motion, its last frame or a chosen one.
//
// The camera is placed when the whole motion is known, so the frame is kept and drawn at the end.

#include <optional>

#include <fmt/format.h>

#include "core/file.h"
#include "io/writer.h"
#include "pliant/error.h"
#include "render/director.h"
#include "render/renderer.h"

namespace pliant {

namespace {

class PngWriter : public Writer::Format {
 public:
  PngWriter(const std::string& path, const PictureOptions& options)
      : path_(path), options_(options), director_(options) {}

  void write(const World& world) override {
    if (!shape_ || !shape_->fits(world))
      shape_ = render::make_shape(world, options_.color_by, render::hidden_bodies(options_));
    render::Frame frame = render::capture(world, *shape_, options_.color_by);
    director_.watch(*shape_, frame);
    if (!options_.frame || frames_ <= *options_.frame) {
      kept_ = std::move(frame);
      kept_shape_ = shape_;
    }
    ++frames_;
  }

  void close() override {
    if (frames_ == 0) return;
    if (options_.frame && *options_.frame >= frames_) {
      throw Error(path_, fmt::format("there is no frame {}: the last one is {}", *options_.frame, frames_ - 1),
                  "choose another --frame");
    }
    write_file(path_,
               render::encode_png(render::Renderer(options_.threads).draw(*kept_shape_, kept_, director_.look())));
    written_ = true;
  }

  std::string summary() const override { return written_ ? path_ : "no frame to " + path_; }

 private:
  std::string path_;
  PictureOptions options_;
  render::Director director_;
  std::optional<render::Shape> shape_, kept_shape_;
  render::Frame kept_;
  int64_t frames_ = 0;
  bool written_ = false;
};

}  // namespace

std::unique_ptr<Writer::Format> make_png_writer(const std::string& path, const WriterOptions& options) {
  return std::make_unique<PngWriter>(path, options.picture);
}

}  // namespace pliant
